"""Mobility: how many freedoms a mechanism has, which joints are redundant, which reactions are unique.

All of it follows from the equilibrium of the bodies in one pose, W r = missing, whatever the formulation.
W holds the wrenches of unit reactions, moments divided by the mechanism's length L, so that one tolerance
serves forces and moments alike. With J the columns of the joints:

    dof        = 3 n_body - rank J                 velocities that no joint resists                        (1)
    redundancy = columns of J - rank J             self-stresses: joint loads that hold each other         (2)
    redundant joints: those that some self-stress loads                                                    (3)
    a reaction is unique if no self-stress of the joints and drivers changes it                            (4)

A count (Gruebler) knows neither pose nor dimensions, so it can disagree with (1); then the redundancy is
a matter of the pose (a change point) or of the design (a parallel guide). A second pose tells which: the
mechanism is moved a little along an admissible velocity and (2) is asked again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from particlemech.engine.plane import Balance, PlanarInstant, rate_row
from particlemech.engine.statics import determined, least_norm
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.mechanism import Mechanism
from particlemech.result.mobility import Mobility
from particlemech.run.preparing import prepared
from particlemech.run.start import Start, assembled

TOLERANCE = 1e-8  # of the largest singular value: rank, support and uniqueness
TRAVEL = 0.08  # way to the second pose, in lengths of the mechanism
STEPS = 8  # in which that way is made
CLOSED = 1e-9  # largest gap of a pose that counts as one, in lengths


def judged(mechanism: Mechanism, formulation: str = "particles") -> Mobility:
    """Return the mobility of a mechanism as drawn (and assembled).

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism; its drivers stay out of the second pose.
    formulation : str
        Whose equations to ask; the answer is the same.

    Returns
    -------
    Mobility
        Degrees of freedom, redundant joints and their cause, unique reactions.
    """
    system, start = prepared(mechanism, formulation)
    found = mobility(mechanism, system, start)
    if not found.redundancy or not mechanism.drivers:
        return found
    # drivers hold the mechanism in its pose, so the second pose is sought without them
    free = mechanism.replaced(drivers=dict.fromkeys(mechanism.drivers), initial=type(mechanism.initial)())
    second, _ = prepared(free, formulation)
    return mobility(mechanism, system, start, free=second)


def mobility(mechanism: Mechanism, system: PlanarInstant, start: Start, free: PlanarInstant | None = None) -> Mobility:
    """Return the mobility at t = 0 of a system in its start.

    `free` is the same mechanism without its drivers, for the second pose; it may be left out where there
    are none, and where it is missed the cause cannot be told.
    """
    balance = system.balance(0.0, start.q, start.v, start.a, start.x)
    joints = _scaled(balance, mechanism)
    rank, stress = _rank_and_null(joints)
    redundancy = joints.shape[1] - rank
    names = [name for name in balance.joint_columns if name in mechanism.joints]
    loaded = {name for name, row in zip(names, stress, strict=True) if np.linalg.norm(row) > TOLERANCE}
    second = free if free is not None else None if mechanism.drivers else system
    elsewhere = _redundancy_elsewhere(mechanism, second) if redundancy and second is not None else None
    unique = _unique(balance, system)
    return Mobility(
        by_count=count(mechanism),
        by_rank=3 * len(mechanism.bodies) - rank,
        drivers=len(mechanism.drivers),
        redundancy=redundancy,
        redundant=tuple(name for name in mechanism.joints if name in loaded),
        cause=_cause(redundancy, elsewhere),
        elsewhere=elsewhere,
        unique=unique,
        undetermined=tuple(
            f"{joint}.{body}.{component}"
            for (joint, body), known in unique.items()
            for component, is_known in zip(("fx", "fy", "m"), known, strict=True)
            if not is_known
        ),
        cuts=tuple(name for name in system.cuts if not mechanism.joints[name].free),
    )


def count(mechanism: Mechanism) -> int:
    """Return the degrees of freedom by count: a pin of n bodies counts n - 1 times."""
    return 3 * len(mechanism.bodies) - sum(joint.takes(mechanism) for joint in mechanism.joints.values())


def moving(mechanism: Mechanism) -> dict[str, bool]:
    """Return the coordinates of joints that can move at the start, and whether they still can while drivers rest."""
    system, start = prepared(mechanism)
    at, scale = system.levels(0.0, start.q, start.v), np.array([row.angle for row in system.layout.rows], dtype=bool)
    rows = at.phi_q / np.where(scale, 1.0, system.scale.length)[:, None]
    jointed = np.array([row.part.startswith("joint") for row in system.layout.rows], dtype=bool)
    free, resting = (_rank_and_null(of)[1] for of in (rows[jointed], rows))
    found = {}
    for name, joint in mechanism.joints.items():
        for of in () if joint.free else joint.freedoms:
            row = rate_row(system, start.q, of) / (1.0 if of.turn else system.scale.length)
            least = TOLERANCE * np.linalg.norm(row)
            if np.linalg.norm(row @ free) > least:
                found[f"{name}.{of.name}"] = bool(np.linalg.norm(row @ resting) > least)
    return found


def degrees_of_freedom(mechanism: Mechanism, system: PlanarInstant, start: Start) -> int:
    """Return the degrees of freedom by rank in the start (1), drivers left out."""
    joints = _scaled(system.balance(0.0, start.q, start.v, start.a, start.x), mechanism)
    return 3 * len(mechanism.bodies) - _rank_and_null(joints)[0]


def _scaled(balance: Balance, mechanism: Mechanism) -> Array:
    """Return the columns of W that belong to joints, per unit of force or of force times L."""
    full = balance.wrench * balance.unit
    mine = np.array([name in mechanism.joints for name in balance.joint_columns], dtype=bool)
    return full[:, mine]


def _rank_and_null(matrix: Array) -> tuple[int, Array]:
    """Return the rank, and an orthonormal basis of the null space as columns."""
    n = matrix.shape[1]
    if 0 in matrix.shape:
        return 0, np.eye(n)
    _, values, vt = np.linalg.svd(matrix)
    rank = int(np.count_nonzero(values > TOLERANCE * max(float(values[0]), np.finfo(float).tiny)))
    return rank, vt[rank:].T


def _unique(balance: Balance, system: PlanarInstant) -> dict[tuple[str, str], tuple[bool, bool, bool]]:
    """Return which components are determined, by the same rule that marks them in a result."""
    _, stresses, _ = least_norm(balance)
    known = determined(balance.report, stresses, balance.unit)
    return {
        place: (bool(fx), bool(fy), bool(m)) for place, (fx, fy, m) in zip(system.layout.reactions, known, strict=True)
    }


def _cause(redundancy: int, elsewhere: int | None) -> str:
    if not redundancy:
        return "none"
    if elsewhere is None:
        return "cannot tell"
    return "design" if elsewhere else "pose"


# -- the second pose -----------------------------------------------------------------------------------------


def _redundancy_elsewhere(mechanism: Mechanism, system: PlanarInstant) -> int | None:
    """Return the least redundancy among the poses that can be reached from the drawing, None if there is none."""
    found = []
    for q in _poses(system):
        zero = np.zeros(system.n_q)
        joints = _scaled(system.balance(0.0, q, zero, zero, system.start_x), mechanism)
        found.append(joints.shape[1] - _rank_and_null(joints)[0])
    return min(found, default=None)


def _poses(system: PlanarInstant) -> Iterator[Array]:
    """Yield poses some way off; generic directions, since a special one may keep what makes the pose special."""
    rng = np.random.default_rng(1)
    for _ in range(3):
        wish = rng.standard_normal(system.n_q)
        for sign in (1.0, -1.0):
            pose = _moved(system, sign * wish)
            if pose is not None:
                yield pose


def _moved(system: PlanarInstant, wish: Array) -> Array | None:
    """Return a pose TRAVEL away, nearly along `wish`; None if the mechanism does not move so far."""
    try:
        q0 = assembled(system, 0.0, system.drawing)
        q = q0
        for _ in range(STEPS):
            wish = _admissible(system, q, wish)
            way = _size(system, q, wish)
            if way == 0.0:
                return None
            wish = wish / way
            q = assembled(system, 0.0, q + TRAVEL / STEPS * wish)
            if np.max(np.abs(system.rows(0.0, q)), initial=0.0) > CLOSED * system.scale.length:
                return None
    except ModelError:
        return None
    return q if _size(system, q0, q - q0) > 0.25 * TRAVEL else None


def _admissible(system: PlanarInstant, q: Array, wish: Array) -> Array:
    """Return the part of a velocity that the constraint rows permit, all in lengths."""
    scale = np.array([1.0 if row.angle else 1.0 / system.scale.length for row in system.layout.rows])
    rows = system.rows_q(0.0, q) * scale[:, None]
    # a step of each coordinate that changes places and rows by about one L or one radian
    change = np.linalg.norm(np.concatenate([_motion(system, q), rows]), axis=0)
    unit = 1.0 / np.where(change > 0.0, change, 1.0)
    _, free = _rank_and_null(rows * unit)
    return np.asarray(unit * (free @ (free.T @ (wish / unit))))


def _size(system: PlanarInstant, q: Array, step: Array) -> float:
    """Return how far a small step moves the points, or turns the bodies, in lengths of the mechanism."""
    return float(np.abs(_motion(system, q) @ step).max(initial=0.0))


def _motion(system: PlanarInstant, q: Array) -> Array:
    """Return what the coordinates move: points in L, bodies in rad, (2 n_point + n_body, n_q)."""
    points = system.point_q(q).reshape(-1, system.n_q) / system.scale.length
    return np.concatenate([points, system.omega_q(q)])
