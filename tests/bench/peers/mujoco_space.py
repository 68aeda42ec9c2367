"""MuJoCo on mechanisms in space: joints of a spanning tree, loops closed by connect constraints, tuned.

A ball is closed by one connect constraint, a hinge by two on its axis. Constraints are soft: the gap is about
(1 - d) c^2 a, where d <= 0.9999 is their impedance, c their time constant and a the acceleration they hold back. So c
is tied to the step. Tried are all of COMBINATIONS, each with finer and finer steps; a problem keeps the best at each
error.
"""

import importlib.util

import numpy as np

from particlemech.model.space import joints
from particlemech.model.space.engines import branches

SPUN = 1e-11  # kg m^2, of a slender rod about its line, which MuJoCo wants
APART = 0.1  # m between the two constraints that close a hinge
# time constant of a constraint in steps, damping ratio; below one step Runge-Kutta is hardly stable. MuJoCo's implicit
# integrators are of first order: RSSR in 10 240 steps comes to 5e-3 m, to 1e-7 m with Runge-Kutta in thrice the time
COMBINATIONS = (*((float(2**k), 1.0) for k in range(6)), (1.0, 0.5), (1.0, 2.0))
IMPEDANCE = 0.9999  # the largest it takes


def installed():
    """Return whether MuJoCo is there."""
    return importlib.util.find_spec("mujoco") is not None


class Model:
    """A mechanism of the library as a model of MuJoCo, with the speeds at its start."""

    def __init__(self, mechanism, omega, velocity, step, constant=2.0, ratio=1.0):
        """`omega` and `velocity` of centres of mass at the start, by body; `step` in s."""
        import mujoco

        mujoco.set_mju_user_warning(lambda _: None)  # an unstable run is a result here, not a line in a log file
        self.mujoco, self.mechanism = mujoco, mechanism
        spec = mujoco.MjSpec()
        spec.compiler.balanceinertia = False
        self._options(spec.option, step)
        self.frames, self.speeds = {"ground": (spec.worldbody, np.zeros(3))}, {}
        tree = branches(mechanism)
        motion = {b: (np.array(omega[b]), np.array(velocity[b]), np.array(mechanism.centre(b))) for b in tree}
        motion["ground"] = np.zeros(3), np.zeros(3), np.zeros(3)
        for branch in tree.values():
            self._hang(branch, motion)
        used = {branch.joint for branch in tree.values()}
        soft = {"solref": [constant * step, ratio], "solimp": [IMPEDANCE, IMPEDANCE, 0.001, 0.5, 2.0]}
        for name, joint in mechanism.joints.items():
            if name not in used:
                self._close(spec, joint, soft)
        for p, on in mechanism.carriers.items():
            if on:
                body, origin = self.frames[on[0]]
                body.add_site(name=p, pos=np.array(mechanism.points[p]) - origin)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.sites = [self.model.site(p).id for p, on in mechanism.carriers.items() if on]

    def _options(self, option, step):
        mujoco = self.mujoco
        option.timestep, option.gravity = step, self.mechanism.gravity
        option.integrator = mujoco.mjtIntegrator.mjINT_RK4
        option.solver, option.iterations, option.tolerance = mujoco.mjtSolver.mjSOL_NEWTON, 100, 1e-14
        option.ls_iterations, option.ls_tolerance = 100, 1e-6
        option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_REFSAFE)

    def _hang(self, branch, motion):
        """Add a body on a joint of the tree; all frames are parallel in the drawing."""
        kinds, m = self.mujoco.mjtJoint, self.mechanism
        joint, name = m.joints[branch.joint], branch.child
        place = np.array(joint.place(m))
        parent, origin = self.frames[branch.parent]
        body = parent.add_body(name=name, pos=place - origin, mass=m.mass(name), explicitinertial=True)
        body.ipos = np.array(m.centre(name)) - place
        xx, yy, zz, xy, xz, yz = m.inertia(name)
        body.fullinertia = [xx + SPUN, yy + SPUN, zz + SPUN, xy, xz, yz]
        springs = {f.joint: f.stiffness for f in m.forces.values()}
        (w1, v1, c1), (w0, v0, c0) = motion[name], motion[branch.parent]
        turn = w1 - w0
        slide = v1 + np.cross(w1, place - c1) - v0 - np.cross(w0, place - c0)
        if isinstance(joint, joints.Spherical):
            body.add_joint(name=branch.joint, type=kinds.mjJNT_BALL)
            self.speeds[branch.joint] = turn
        else:
            axes = np.array([stage.axis for stage in branch.stages])
            turns = [stage.turn for stage in branch.stages]
            rates = np.linalg.lstsq(axes.T, turn if all(turns) else slide, rcond=None)[0]
            for k, (axis, turning, rate) in enumerate(zip(axes, turns, rates, strict=True)):
                made = body.add_joint(
                    name=f"{branch.joint}.{k}", type=kinds.mjJNT_HINGE if turning else kinds.mjJNT_SLIDE, axis=axis
                )
                if branch.joint in springs:
                    made.stiffness = np.resize([springs[branch.joint], 0.0, 0.0], np.shape(made.stiffness))
                self.speeds[f"{branch.joint}.{k}"] = np.array([rate])
        self.frames[name] = body, place

    def _close(self, spec, joint, soft):
        """Add the constraints of a joint that closes a loop."""
        place = np.array(joint.place(self.mechanism))
        if isinstance(joint, joints.Spherical):
            places = [place]
        elif isinstance(joint, joints.Revolute):
            places = [place + side * APART * np.array(joint.direction) for side in (-0.5, 0.5)]
        else:
            raise NotImplementedError(f"no constraint for {type(joint).__name__}")
        first, second = sorted(joint.bodies, key=lambda b: b == "ground")
        for at in places:
            pin = spec.add_equality(type=self.mujoco.mjtEq.mjEQ_CONNECT, objtype=self.mujoco.mjtObj.mjOBJ_BODY)
            pin.name1, pin.name2 = first, "world" if second == "ground" else second
            pin.data[:3] = at - self.frames[first][1]
            pin.solref, pin.solimp = soft["solref"], soft["solimp"]

    def run(self, steps, samples):
        """Return the joint coordinates at samples, `steps` steps apart; None where it became unstable."""
        mujoco, data = self.mujoco, self.data
        mujoco.mj_resetData(self.model, data)
        for name, rate in self.speeds.items():
            first = self.model.joint(name).dofadr[0]
            data.qvel[first : first + len(rate)] = rate
        seen = [data.qpos.copy()]
        for _ in range(samples - 1):
            mujoco.mj_step(self.model, data, nstep=steps)
            seen.append(data.qpos.copy())
        wanted = steps * (samples - 1) * self.model.opt.timestep
        return seen if abs(data.time - wanted) < 1e-6 * wanted else None

    def places(self, seen):
        """Return the places of all moving points at samples, (points, samples, 3)."""
        found = []
        for q in seen:
            self.data.qpos[:] = q
            self.mujoco.mj_kinematics(self.model, self.data)
            found.append(self.data.site_xpos[self.sites].copy())
        return np.swapaxes(np.array(found), 0, 1)
