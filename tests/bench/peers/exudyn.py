"""Exudyn: rigid bodies in the plane with revolute joints, implicit; chains also as a kinematic tree, explicit."""

import sys

import exudyn as exu
import exudyn.itemInterface as items
import numpy as np

from tests.bench.peers.serve import serve

TREE = {"tree RK67": "RK67", "tree RK44": "RK44", "tree DOPRI5": "DOPRI5"}

COLD = {"solver": "GeneralizedAlpha", "full": True, "steps": 8000}


def methods(model, large):
    """Return the settings that did best; the trapezoidal rule of index 2 does not pass the singular N-four-bar."""
    counts = {"andrews": 300, "n_four_bar": 500}.get(model.family, 50)
    steps = [{"steps": counts * 2**k, "sparse": model.n > 12} for k in range(9)]
    found = {}
    if model.family != "n_four_bar":
        found["trapezoidal"] = [{"solver": "TrapezoidalIndex2", **s} for s in steps[4 if model.n >= 100 else 0 :]]
    if model.family != "chain":
        found["generalized-alpha"] = [{"solver": "GeneralizedAlpha", **s} for s in steps]
        if not large:
            found["generalized-alpha full Newton"] = [{"full": True, "solver": "GeneralizedAlpha", **s} for s in steps]
    elif model.n <= 100:
        for method in TREE if not large else ("tree DOPRI5",):
            finer = steps[2:] if method != "tree DOPRI5" else [{"rtol": 10.0**-k} for k in range(3, 12)]
            found[method] = [{"solver": TREE[method], "tree": True, **s} for s in finer]
    return found


def build(model, setting):
    """Return the assembled system and its settings."""
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    tree = model.tree() if setting.get("tree") else None
    _add_tree(mbs, model, tree) if tree else _add_bodies(mbs, model)
    mbs.Assemble()
    return model, container, mbs, tree, _settings(model, setting)


def _add_tree(mbs, model, tree):
    place = {b: k for k, b in enumerate(tree.order)} | {-1: -1}
    pins = [model.points[tree.pin[b]] for b in range(model.n)]
    offsets = [pins[b] - (pins[tree.parent[b]] if tree.parent[b] >= 0 else 0.0) for b in tree.order]
    node = mbs.AddNode(
        items.NodeGenericODE2(
            referenceCoordinates=[0.0] * model.n,
            initialCoordinates=[0.0] * model.n,
            initialCoordinates_t=list(model.relative_speeds(tree)[tree.order]),
            numberOfODE2Coordinates=model.n,
        )
    )
    mbs.AddObject(
        items.ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[exu.JointType.RevoluteZ] * model.n,
            linkParents=[place[tree.parent[b]] for b in tree.order],
            jointTransformations=exu.Matrix3DList([np.eye(3)] * model.n),
            jointOffsets=exu.Vector3DList([[*o, 0.0] for o in offsets]),
            linkInertiasCOM=exu.Matrix3DList([np.eye(3) * model.inertia[b] for b in tree.order]),
            linkCOMs=exu.Vector3DList([[*(model.com[b] - pins[b]), 0.0] for b in tree.order]),
            linkMasses=[model.mass[b] for b in tree.order],
            baseOffset=[0.0, 0.0, 0.0],
            gravity=[*model.gravity, 0.0],
        )
    )


def _add_bodies(mbs, model):
    ground, velocities, bodies = mbs.AddObject(items.ObjectGround()), model.velocities(), []
    for b in range(model.n):
        node = items.NodeRigidBody2D(referenceCoordinates=[*model.com[b], 0.0], initialVelocities=list(velocities[b]))
        body = items.ObjectRigidBody2D(mass=model.mass[b], inertia=model.inertia[b], nodeNumber=mbs.AddNode(node))
        bodies.append(mbs.AddObject(body))
        mass = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=bodies[b]))
        mbs.AddLoad(items.LoadMassProportional(markerNumber=mass, loadVector=[*model.gravity, 0.0]))

    def marker(body, point):
        number = bodies[body] if body >= 0 else ground
        return mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=number, localPosition=[*model.arm(body, point), 0.0]))

    for a, b, p in model.pins:
        mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=[marker(b, p), marker(a, p)]))
    for body, point, base, stiffness, length in model.springs:
        ends = [marker(-1, base), marker(body, point)]
        mbs.AddObject(
            items.ObjectConnectorSpringDamper(markerNumbers=ends, referenceLength=length, stiffness=stiffness)
        )
    for body, torque in model.torques:
        rigid = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=bodies[body], localPosition=[0.0, 0.0, 0.0]))
        mbs.AddLoad(items.LoadTorqueVector(markerNumber=rigid, loadVector=[0.0, 0.0, torque]))
    for body, point, force in model.loads:
        mbs.AddLoad(items.LoadForceVector(markerNumber=marker(body, point), loadVector=[*force, 0.0]))


def _settings(model, setting):
    settings = exu.SimulationSettings()
    settings.solution.file.write = settings.solution.sensors.active = False
    settings.solution.file.writePeriod = settings.solution.sensors.writePeriod = model.duration
    settings.displayStatistics = settings.displayComputationTime = False
    settings.parallel.numberOfThreads = 1
    sparse = setting.get("sparse", False)
    settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse if sparse else exu.LinearSolverType.EXUdense
    settings.linearSolver.reuseAnalyzedPattern = sparse
    time = settings.timeIntegration
    time.verboseMode = 0
    time.endTime = model.duration
    time.newton.useModifiedNewton = not setting.get("full", False)
    time.newton.relativeTolerance, time.newton.absoluteTolerance = 1e-8, 1e-10
    time.generalizedAlpha.spectralRadius = 0.9
    if "rtol" in setting:
        time.automaticStepSize, time.numberOfSteps = True, 10
        time.relativeTolerance = time.absoluteTolerance = setting["rtol"]
        time.initialStepSize, time.minimumStepSize = 1e-6 * model.duration, 1e-12 * model.duration
    else:
        time.automaticStepSize, time.numberOfSteps = False, setting["steps"]
        time.minimumStepSize = model.duration / setting["steps"] / 64  # it halves the step where Newton fails
    return settings


def solve(built, setting):
    """Run from start to end."""
    _, _, mbs, _, settings = built
    if mbs.SolveDynamic(settings, solverType=getattr(exu.DynamicSolverType, setting["solver"])) is False:
        raise ArithmeticError("SolveDynamic gave up")


def ends(built, _):
    """Return the places at the end and the counts."""
    model, _, mbs, tree, _ = built
    q = np.array(mbs.systemData.GetODE2Coordinates(configuration=exu.ConfigurationType.Current))
    counter = mbs.sys["dynamicSolver"].it
    counts = {"steps": int(counter.currentStepIndex), "evaluations": int(counter.newtonStepsCount) or None}
    if tree is None:
        return model.ends(np.column_stack([model.com, np.zeros(model.n)]) + q.reshape(-1, 3)), counts
    angles = np.zeros(model.n)
    angles[tree.order] = q
    return model.ends(model.poses(tree, angles)), counts


if __name__ == "__main__":
    serve(sys.modules[__name__])
