"""MuJoCo: hinges on a spanning tree, loops closed by connect constraints as stiff as the step allows."""

import sys

import mujoco
import numpy as np

from tests.bench.peers.serve import serve


def methods(model, large):
    """Return step counts; Runge-Kutta did best but on the N-four-bar, where the implicit one is ahead at 1e-4 m."""
    first = {"andrews": 300, "n_four_bar": 500}.get(model.family, 50)
    first *= 16 if model.family == "chain" and model.n >= 100 else 1
    found = {"RK4": [{"integrator": "RK4", "steps": first * 2**k} for k in range(11)]}
    if model.tree().closing and not large:
        found["implicit"] = [{"integrator": "IMPLICIT", "steps": first * 2**k} for k in range(9)]
    return found


def build(model, setting):
    """Return the compiled model, its data and where the joints lie in it."""
    tree, step, spec = model.tree(), model.duration / setting["steps"], mujoco.MjSpec()
    spec.compiler.balanceinertia = False
    _options(spec.option, model, setting["integrator"], step)
    bodies = {-1: spec.worldbody}
    for b in tree.order:
        bodies[b] = _hang(bodies[tree.parent[b]], model, tree, b)
    for a, b, point in tree.closing:
        pin = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY)
        pin.name1, pin.name2 = f"b{a}", f"b{b}" if b >= 0 else "world"
        pin.data[:3] = [*(model.points[point] - model.points[tree.pin[a]]), 0.0]
        pin.solref, pin.solimp = [2.0 * step, 1.0], [0.9999, 0.9999, 0.001, 0.5, 2.0]
    for k, (body, point, base, stiffness, length) in enumerate(model.springs):
        bodies[body].add_site(name=f"s{k}", pos=[*(model.points[point] - model.points[tree.pin[body]]), 0.0])
        spec.worldbody.add_site(name=f"g{k}", pos=[*model.points[base], 0.0])
        tendon = spec.add_tendon(name=f"t{k}")
        tendon.stiffness, tendon.springlength = [stiffness, 0.0, 0.0], [length, length]
        tendon.wrap_site(f"s{k}")
        tendon.wrap_site(f"g{k}")
    compiled = spec.compile()
    joints = [compiled.joint(f"j{b}").dofadr[0] for b in range(model.n)]
    return model, tree, compiled, mujoco.MjData(compiled), joints


def _options(option, model, integrator, step):
    option.timestep, option.gravity = step, [*model.gravity, 0.0]
    option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    option.solver, option.iterations, option.tolerance = mujoco.mjtSolver.mjSOL_NEWTON, 100, 1e-14
    option.ls_iterations, option.ls_tolerance = 100, 1e-6
    option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)


def _hang(base, model, tree, b):
    """Return a body on a hinge of the tree."""
    a, pin = tree.parent[b], model.points[tree.pin[b]]
    offset = pin - (model.points[tree.pin[a]] if a >= 0 else 0.0)
    body = base.add_body(name=f"b{b}", pos=[*offset, 0.0], mass=model.mass[b], explicitinertial=True)
    body.ipos, body.inertia = [*(model.com[b] - pin), 0.0], [model.inertia[b]] * 3
    body.add_joint(name=f"j{b}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1], pos=[0, 0, 0])
    return body


def solve(built, setting):
    """Run from start to end."""
    model, tree, compiled, data, joints = built
    mujoco.mj_resetData(compiled, data)
    data.qvel[joints] = model.relative_speeds(tree)
    for body, torque in model.torques:  # on a body that hangs on the ground
        data.qfrc_applied[joints[body]] = torque
    for body, _, force in model.loads:  # at the centre of mass
        data.xfrc_applied[compiled.body(f"b{body}").id, :2] = force
    mujoco.mj_step(compiled, data, nstep=setting["steps"])
    unstable = data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number
    if unstable or abs(data.time - model.duration) > 1e-6 * model.duration:
        raise ArithmeticError("unstable")


def ends(built, _):
    """Return the places at the end and the counts."""
    model, tree, _, data, joints = built
    steps = round(data.time / built[2].opt.timestep)
    stages = 4 if built[2].opt.integrator == mujoco.mjtIntegrator.mjINT_RK4 else 1
    return model.ends(model.poses(tree, np.array(data.qpos[joints]))), {"steps": steps, "evaluations": stages * steps}


if __name__ == "__main__":
    serve(sys.modules[__name__])
