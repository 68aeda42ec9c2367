"""Pinocchio: articulated bodies, loops closed by point constraints with proximal iterations; DOP853 of scipy, RK4."""

import sys

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

from tests.bench.peers.planar import turned
from tests.bench.peers.serve import serve

MOST_JOINTS = 500  # its data holds four tensors of joints cubed
RATE = {"andrews": 1000.0, "n_four_bar": 100.0}  # 1/s, of Baumgarte's stabilisation


def methods(model, large):
    """Return tolerances and step counts."""
    tolerances = [{"rtol": 10.0**-k} for k in range(3, 13)]
    if large:
        return {"DOP853": tolerances}
    found = {"DOP853": tolerances, "RK4": [{"steps": 100 * 2**k} for k in range(9)]}
    if model.family == "n_four_bar":
        found["DOP853 slower"] = [{"rate": 30.0, **s} for s in tolerances]
    return found


class Built:
    """The tool's model and data, with what the right-hand side needs."""

    def __init__(self, model, rate):
        if model.n > MOST_JOINTS:
            raise MemoryError(f"its data for {model.n} joints takes {32 * model.n**3 / 2**30:.0f} GB")
        self.model, self.tree, self.pin = model, model.tree(), pin.Model()
        self.pin.gravity.linear = np.array([*model.gravity, 0.0])
        self.joint = {-1: 0}
        for b in _depth_first(self.tree):  # another order gives wrong accelerations without a word
            self._hang(b)
        self.data = self.pin.createData()
        self.at = np.array([self.pin.joints[self.joint[b]].idx_v for b in range(model.n)])
        self._close(rate)
        self.torque, self.speeds = np.zeros(model.n), np.zeros(model.n)
        self.speeds[self.at] = model.relative_speeds(self.tree)
        for body, torque in model.torques:  # on a body that hangs on the ground
            self.torque[self.at[body]] = torque

    def _hang(self, b):
        model, a, p = self.model, self.tree.parent[b], self.model.points[self.tree.pin[b]]
        offset = p - (model.points[self.tree.pin[a]] if a >= 0 else 0.0)
        self.joint[b] = self.pin.addJoint(self.joint[a], pin.JointModelRZ(), _place(offset), f"j{b}")
        inertia = pin.Inertia(model.mass[b], np.array([*(model.com[b] - p), 0.0]), np.eye(3) * model.inertia[b])
        self.pin.appendBodyToJoint(self.joint[b], inertia, pin.SE3.Identity())

    def _close(self, rate):
        self.loops, self.loop_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for a, b, point in self.tree.closing:
            places = [_place(self._from_pin(body, point)) for body in (a, b)]
            ends = (self.joint[a], places[0], self.joint[b], places[1])
            loop = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.pin, *ends, pin.ReferenceFrame.LOCAL)
            loop.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(rate * rate, 2.0 * rate))
            self.loops.append(loop)
            self.loop_data.append(loop.createData())
        if self.tree.closing:
            pin.initConstraintDynamics(self.pin, self.data, self.loops, self.loop_data)
            singular = self.model.family == "n_four_bar"  # softer there, which keeps the motion on its branch
            self.proximal = pin.ProximalSettings(1e-12, *((1e-5, 3) if singular else (1e-8, 20)))

    def _from_pin(self, body, point):
        return self.model.points[point] - (self.model.points[self.tree.pin[body]] if body >= 0 else 0.0)

    def rates(self, t, y):
        """Return velocities and accelerations."""
        n = self.model.n
        q, v = y[:n], y[n:]
        torque = self._torques(q)
        if self.tree.closing:
            a = pin.constraintDynamics(self.pin, self.data, q, v, torque, self.loops, self.loop_data, self.proximal)
        else:
            a = pin.aba(self.pin, self.data, q, v, torque)
        return np.concatenate([v, a])

    def _torques(self, q):
        """Return the torques of springs and loads on all joints."""
        model = self.model
        if not model.springs and not model.loads:
            return self.torque
        torque = self.torque.copy()
        for body, point, base, stiffness, length in model.springs:  # on a body that hangs on the ground
            x, y = turned(q[self.at[body]], self._from_pin(body, point))
            away = model.points[base] - model.points[self.tree.pin[body]] - (x, y)
            fx, fy = stiffness * (1.0 - length / np.hypot(*away)) * away
            torque[self.at[body]] += x * fy - y * fx
        if model.loads:
            pin.forwardKinematics(self.pin, self.data, q)
        for body, point, (fx, fy) in model.loads:
            place = self.data.oMi[self.joint[body]].act(np.array([*self._from_pin(body, point), 0.0]))
            while body >= 0:
                x, y, _ = place - self.data.oMi[self.joint[body]].translation
                torque[self.at[body]] += x * fy - y * fx
                body = self.tree.parent[body]
        return torque


def _place(xy):
    return pin.SE3(np.eye(3), np.array([*xy, 0.0]))


def _depth_first(tree):
    children = {b: [] for b in (-1, *tree.order)}
    for b in tree.order:
        children[tree.parent[b]].append(b)
    found, waiting = [], [-1]
    while waiting:
        found.append(waiting.pop())
        waiting += reversed(children[found[-1]])
    return found[1:]


def build(model, setting):
    """Return the tool's model."""
    return Built(model, setting.get("rate", RATE.get(model.family, 10.0)))


def solve(built, setting):
    """Run from start to end."""
    duration, y = built.model.duration, np.concatenate([np.zeros(built.model.n), built.speeds])
    if "steps" in setting:
        return _classical(built.rates, y, duration / setting["steps"], setting["steps"])
    tolerances = {"rtol": setting["rtol"], "atol": setting["rtol"]}
    found = solve_ivp(built.rates, (0.0, duration), y, method="DOP853", **tolerances)
    if not found.success:
        raise ArithmeticError(found.message)
    return found.y[:, -1], {"steps": len(found.t) - 1, "evaluations": found.nfev}


def _classical(rates, y, h, steps):
    for k in range(steps):
        a = rates(k * h, y)
        b = rates(k * h, y + 0.5 * h * a)
        c = rates(k * h, y + 0.5 * h * b)
        d = rates(k * h, y + h * c)
        y = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    return y, {"steps": steps, "evaluations": 4 * steps}


def ends(built, outcome):
    """Return the places at the end and the counts."""
    y, counts = outcome
    model = built.model
    return model.ends(model.poses(built.tree, y[: model.n][built.at])), counts


if __name__ == "__main__":
    serve(sys.modules[__name__])
