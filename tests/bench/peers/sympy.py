"""SymPy: equations of motion derived symbolically, compiled by lambdify, one dense solution per evaluation; DOP853.

Coordinates are the absolute angles of the spanning tree. Chains go by Kane's method, loops by Lagrange's with
multipliers and without stabilisation, as its documentation shows. The build is the derivation, and takes long.
"""

import sys
from functools import cache

import numpy as np
import sympy
import sympy.physics.mechanics as mechanics
from scipy.integrate import solve_ivp

from tests.bench.peers.serve import serve

MOST_BODIES = 12


def methods(model, large):
    """Return tolerances."""
    if model.n > MOST_BODIES:
        return {}
    return {"Lagrange" if model.tree().closing else "Kane": [{"rtol": 10.0**-k} for k in range(3, 13)]}


def build(model, setting):
    """Return the model, its tree and a function of angles and their rates that gives mass matrix and right side."""
    return model, model.tree(), _derived(model)


class Drawing:
    """Frames, points and loads of a mechanism, in symbols."""

    def __init__(self, model, angles, rates):
        self.model, self.tree = model, model.tree()
        self.fixed, self.origin = mechanics.ReferenceFrame("N"), mechanics.Point("O")
        self.origin.set_vel(self.fixed, 0)
        self.frames = [self._frame(b, angles[b], rates[b]) for b in range(model.n)]
        self.pins, self.coms = {}, {}
        for b in self.tree.order:
            self._hang(b)
        self.loads = list(self._loads())

    def _frame(self, b, angle, rate):
        frame = self.fixed.orientnew(f"B{b}", "Axis", [angle, self.fixed.z])
        frame.set_ang_vel(self.fixed, rate * self.fixed.z)
        return frame

    def _hang(self, b):
        a, place = self.tree.parent[b], self.model.points[self.tree.pin[b]]
        if a < 0:
            pin = self.origin.locatenew(f"P{b}", self._vector(self.fixed, place))
            pin.set_vel(self.fixed, 0)
        else:
            pin = self.on(a, self.tree.pin[b])
        self.pins[b] = pin
        self.coms[b] = pin.locatenew(f"G{b}", self._vector(self.frames[b], self.model.com[b] - place))
        self.coms[b].v2pt_theory(pin, self.fixed, self.frames[b])

    def on(self, body, point):
        """Return a new point, fixed on a body."""
        arm = self.model.points[point] - self.model.points[self.tree.pin[body]]
        found = self.pins[body].locatenew(f"{point}_{body}", self._vector(self.frames[body], arm))
        found.v2pt_theory(self.pins[body], self.fixed, self.frames[body])
        return found

    @staticmethod
    def _vector(frame, xy):
        return sympy.Float(xy[0], 17) * frame.x + sympy.Float(xy[1], 17) * frame.y

    def _loads(self):
        model = self.model
        for b in range(model.n):
            yield self.coms[b], self._vector(self.fixed, model.mass[b] * model.gravity)
        for body, torque in model.torques:
            yield self.frames[body], torque * self.fixed.z
        for body, point, force in model.loads:
            yield self.on(body, point), self._vector(self.fixed, force)
        for body, point, base, stiffness, length in model.springs:
            end = self.on(body, point)
            away = self._vector(self.fixed, model.points[base]) - end.pos_from(self.origin).express(self.fixed)
            stretched = sympy.sqrt(away.dot(away))
            yield end, stiffness * (1 - length / stretched) * away

    def bodies(self):
        """Return the rigid bodies."""
        model, found = self.model, []
        for b, (com, frame) in enumerate(zip((self.coms[b] for b in range(model.n)), self.frames, strict=True)):
            inertia = (mechanics.inertia(frame, 0, 0, model.inertia[b]), com)
            found.append(mechanics.RigidBody(f"body{b}", com, frame, model.mass[b], inertia))
        return found

    def gaps(self):
        """Return what must vanish where the tree's loops close."""
        found = []
        for a, b, point in self.tree.closing:
            other = self._vector(self.fixed, self.model.points[point])
            other = other if b < 0 else self.on(b, point).pos_from(self.origin)
            gap = self.on(a, point).pos_from(self.origin) - other
            found += [gap.dot(self.fixed.x), gap.dot(self.fixed.y)]
        return found


@cache
def _derived(model):
    n = model.n
    q, u = mechanics.dynamicsymbols(f"q:{n}"), mechanics.dynamicsymbols(f"u:{n}")
    rates = [angle.diff(mechanics.dynamicsymbols._t) for angle in q]
    if not model.tree().closing:
        drawing = Drawing(model, q, u)
        kinematics = [a - b for a, b in zip(u, rates, strict=True)]
        kane = mechanics.KanesMethod(drawing.fixed, q_ind=q, u_ind=u, kd_eqs=kinematics)
        kane.kanes_equations(drawing.bodies(), drawing.loads)
        return sympy.lambdify((q, u), (kane.mass_matrix, kane.forcing), modules="numpy", cse=True)
    drawing = Drawing(model, q, rates)
    kinetic = sum(body.kinetic_energy(drawing.fixed) for body in drawing.bodies())
    options = {"hol_coneqs": drawing.gaps(), "forcelist": drawing.loads, "frame": drawing.fixed}
    lagrange = mechanics.LagrangesMethod(kinetic, q, **options)
    lagrange.form_lagranges_equations()
    named = dict(zip(rates, u, strict=True))
    mass, right = lagrange.mass_matrix_full[n:, n:].xreplace(named), lagrange.forcing_full[n:, :].xreplace(named)
    return sympy.lambdify((q, u), (mass, right), modules="numpy", cse=True)


def solve(built, setting):
    """Run from start to end."""
    model, _, equations = built
    n = model.n

    def rates(t, y):
        mass, right = equations(y[:n], y[n:])
        return np.concatenate([y[n:], np.linalg.solve(mass, right[:, 0])[:n]])

    start, tolerances = np.concatenate([np.zeros(n), model.omega]), {"rtol": setting["rtol"], "atol": setting["rtol"]}
    found = solve_ivp(rates, (0.0, model.duration), start, method="DOP853", **tolerances)
    if not found.success:
        raise ArithmeticError(found.message)
    return found


def ends(built, found):
    """Return the places at the end and the counts."""
    model, tree, _ = built
    angles = found.y[: model.n, -1]
    relative = [angles[b] - (angles[a] if a >= 0 else 0.0) for b, a in enumerate(tree.parent)]
    counts = {"steps": len(found.t) - 1, "evaluations": found.nfev}
    return model.ends(model.poses(tree, relative)), counts


if __name__ == "__main__":
    serve(sys.modules[__name__])
