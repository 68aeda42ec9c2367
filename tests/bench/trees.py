"""What one acceleration of a tree costs inside compiled code: an arm of six joints, chains up to a thousand links."""

import importlib.util

import numba
import numpy as np

from particlemech import space
from particlemech.engine.recursive import equations
from particlemech.engine.recursive.entry_points import NONE, SLOPES, ask
from particlemech.engine.recursive.workspace import Workspace
from tests.bench.measure import exponent, median

SIZES = (10, 30, 100, 300, 1000)
ARM = 10e-6  # s: bar of the arm
GROWTH = 1.2  # bar of the exponent
BATCH = 100
LARGEST = 300  # of Pinocchio's chains: its tables grow with the cube, 2 GB here and 70 GB at a thousand


@numba.njit
def _batch(n, t, y, out, address):
    for _ in range(n):
        ask(SLOPES, t, y, NONE, out, address)


def chain(n):
    """Return a chain of n unlike bodies on hinges with axes along x, y and z in turn."""
    axes = np.eye(3)
    names = ["ground", *(f"link{k}" for k in range(n))]
    return space.Mechanism(
        gravity=(0.0, 0.0, -9.81),
        bodies={
            f"link{k}": space.Body(
                mass=1.0 + 0.1 * (k % 3), com=(0.1 * k + 0.05, 0.01, 0.02), inertia=(0.01, 0.02, 0.02)
            )
            for k in range(n)
        },
        joints={
            f"pin{k}": space.joints.Revolute(
                bodies=(names[k], names[k + 1]), point=(0.1 * k, 0.0, 0.0), axis=tuple(axes[k % 3])
            )
            for k in range(n)
        },
    )


def acceleration(mechanism):
    """Return the CPU time of one acceleration in compiled code, s."""
    system = equations.system(mechanism)
    place, y = Workspace(system.compiled), 0.1 * np.random.default_rng(0).normal(size=system.n)
    out = np.zeros(system.n)
    return median(lambda: _batch(BATCH, 0.0, y, out, place.address)) / BATCH


def pinocchio_chain(n):
    """Return the same chain as a model of Pinocchio."""
    import pinocchio as pin

    model, joint = pin.Model(), 0
    kinds = (pin.JointModelRX(), pin.JointModelRY(), pin.JointModelRZ())
    for k in range(n):
        place = pin.SE3(np.eye(3), np.array([0.1 if k else 0.0, 0.0, 0.0]))
        joint = model.addJoint(joint, kinds[k % 3], place, f"pin{k}")
        body = pin.Inertia(1.0 + 0.1 * (k % 3), np.array([0.05, 0.01, 0.02]), np.diag([0.01, 0.02, 0.02]))
        model.appendBodyToJoint(joint, body, pin.SE3.Identity())
    return model


def pinocchio(n):
    """Return the CPU time of one acceleration of the same chain by Pinocchio's articulated-body algorithm, s."""
    if n > LARGEST or not importlib.util.find_spec("pinocchio"):
        return None
    import pinocchio as pin

    model = pinocchio_chain(n)
    data, rng = model.createData(), np.random.default_rng(0)
    q, v, tau = 0.1 * rng.normal(size=n), 0.1 * rng.normal(size=n), np.zeros(n)
    return median(lambda: pin.aba(model, data, q, v, tau))


def trees(quick):
    """Return rows {what, n, seconds, pinocchio}: the arm, then chains."""
    sizes = SIZES[:3] if quick else SIZES
    rows = [{"what": "arm of 6 joints", "n": 6, "seconds": acceleration(chain(6)), "pinocchio": pinocchio(6)}]
    for n in sizes:
        rows.append({"what": f"chain of {n}", "n": n, "seconds": acceleration(chain(n)), "pinocchio": pinocchio(n)})
    return rows


def growth(rows):
    """Return the exponent with which the cost of a chain grows, ours and Pinocchio's."""
    chains = [row for row in rows if row["what"].startswith("chain")]
    sizes = [row["n"] for row in chains]
    return tuple(exponent(sizes, [row[key] for row in chains]) for key in ("seconds", "pinocchio"))


def missed(rows):
    """Return what is above its bar, in words."""
    wrong = (
        [f"{rows[0]['what']}: {rows[0]['seconds'] * 1e6:.1f} us, bar {ARM * 1e6:g} us"]
        if rows[0]["seconds"] > ARM
        else []
    )
    ours = growth(rows)[0]
    return wrong + ([f"an acceleration of a chain grows as N^{ours:.2f}, bar {GROWTH}"] if ours > GROWTH else [])
