"""Space, for curves of poses: where a mechanism stands, its rows with other drivers, and results on its states.

Drivers of coordinates are rows while a curve is followed, and prescribe them in results.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from particlemech.analyses.loops.equilibrium import Known, bodies_of
from particlemech.engine.recursive.compiled import tabulate
from particlemech.engine.recursive.curve import Place
from particlemech.engine.recursive.equations import TreeSystem
from particlemech.engine.recursive.following import converted
from particlemech.engine.recursive.forms import ACROSS
from particlemech.engine.recursive.start import stood
from particlemech.engine.recursive.topology import Topology, ordered
from particlemech.engine.system import Array, same_state
from particlemech.model.signals import values
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.recursive import TreeResult as RESULT

__all__ = ["RESULT", "Ground"]

STILL = 1e-6  # of a motion: what all other bodies have of one that only spins a body


def round_inertia(value: float) -> tuple[float, float, float]:
    """Return an inertia that is the same about all axes."""
    return value, value, value


def turning(result: Any, body: str) -> dict[str, Array]:
    """Return how a body turns, as columns."""
    parts = dict(zip(("qw", "qx", "qy", "qz"), result.quaternion(body).T, strict=True))
    return parts | {"omega_": result.omega(body), "alpha_": result.alpha(body)}


class Ground(NamedTuple):
    """Where a mechanism stands, from which curves are followed."""

    system: TreeSystem
    q: Array
    topology: Topology

    @staticmethod
    def of(mechanism: Mechanism, union: Mechanism) -> Ground:
        """Return where a mechanism stands at t = 0; `union` has all drivers that will be asked for."""
        topology = ordered(union, union.run.cut)
        made = TreeSystem(tabulate(mechanism, topology))
        return Ground(made, stood(made)[0][made.layout.q], topology)

    def led(self, mechanism: Mechanism) -> TreeSystem:
        """Return the system of the same mechanism with other drivers: the rows of a curve."""
        return TreeSystem(tabulate(mechanism, self.topology, prescribes=False))

    def seat(self, system: TreeSystem) -> tuple[Array, Array]:
        """Return coordinates and extra states of this pose in a system of a curve."""
        return _led(self.system, self.q, 0.0, system), np.zeros(1)

    def taken(self, system: TreeSystem, moment: Any) -> tuple[Array, Array]:
        """Return coordinates and extra states of a sample of some result in a system of a curve."""
        source = moment.system
        if not isinstance(source, TreeSystem) or source.compiled.topology.bodies != system.compiled.topology.bodies:
            same_state(system, source, moment.y)
        return _led(source, moment.y[source.layout.q], moment.t, system), np.zeros(1)

    def observed(self, mechanism: Mechanism) -> TreeSystem:
        """Return the system of results of the same mechanism with other drivers."""
        return TreeSystem(tabulate(mechanism, self.topology))

    def offset(self, mechanism: Mechanism, joint: str, name: str) -> float:
        """Return what a coordinate is in the drawing as assembled, counted as its driver counts: the same."""
        return 0.0

    @staticmethod
    def states(system: TreeSystem, target: TreeSystem, q: Array, v: Array, x: Array) -> Array:
        """Return states (K, n) of the system of results from what a curve has found."""
        y, lay = np.zeros((len(q), target.n)), target.layout
        one, other = system.compiled, target.compiled
        for here, there in zip(one.tables.stage, other.tables.stage, strict=True):
            if there["q"] >= 0:
                y[:, lay.q.start + there["q"]] = q[:, here["q"]]
            if there["u"] >= 0:
                y[:, lay.v.start + there["u"]] = v[:, here["u"]]
        for joint, at in one.quaternions.items():
            to = lay.q.start + other.quaternions[joint]
            y[:, to : to + 4] = q[:, at : at + 4]
        return y

    @staticmethod
    def spins(system: TreeSystem, q: Array, free: Array) -> Array | None:
        """Return frame and axis (n, 4) of bodies that free motions (n_v, n) only spin about a line of their own.

        None if they do anything else.
        """
        n, c = free.shape[1], system.compiled
        y = np.zeros((n, system.n_q + system.n_v + 1))
        y[:, : system.n_q], y[:, system.n_q : -1] = q, free.T
        seen = system.explicit.observed(np.zeros(n), y, np.zeros((n, len(c.coordinates))), told=False)
        L, bodies = system.scale.length, list(system.mechanism.bodies)
        motions = {b: np.hstack([seen.omega(b), seen.com_velocity(b) / L]).T for b in bodies}
        found = []
        for b in bodies:
            others = np.concatenate([np.zeros((1, n)), *(motions[k] for k in bodies if k != b)])
            _, s, Vt = np.linalg.svd(others)
            still = Vt[int(np.sum(s > STILL)) :].T
            R, frame = seen.orientation(b)[0], c.topology.number(b)
            found += [(frame, *(R.T @ motions[b][:3] @ z)) for z in still.T]
        axes = np.array(found).reshape(len(found), 4)
        return axes if len(found) == n and np.all(np.linalg.norm(axes[:, 1:], axis=1) > STILL) else None

    @staticmethod
    def seen(system: TreeSystem, s: float, q: Array, v: Array, x: Array) -> Any:
        """Return what tells places and rates, of points and coordinates of joints, in poses (K, ...)."""
        nothing = np.zeros((len(q), len(system.compiled.coordinates)))
        return system.explicit.observed(np.full(len(q), s), np.hstack([q, v, x]), nothing, told=False)

    @staticmethod
    def solved(system: TreeSystem, s: float) -> None:
        """Return no poses by closed forms: there are none in space."""
        return

    @staticmethod
    def scattered(system: TreeSystem, q: Array, rng: np.random.Generator) -> Array:
        """Return coordinates at random: angles of a turn, lengths within twice the size of the mechanism."""
        found, c = np.zeros(system.n_q), system.compiled
        for of, stage in zip(c.coordinates, c.tables.stage, strict=True):
            if stage["q"] >= 0:
                most = np.pi if of.turn else 2.0 * system.scale.length
                found[stage["q"]] = most * rng.uniform(-1.0, 1.0)
        for at in c.quaternions.values():
            e = rng.normal(size=4)
            found[at : at + 4] = e / np.linalg.norm(e)
        return found

    @staticmethod
    def upright(system: TreeSystem, q: Array, s: float) -> bool:
        """Whether frames that rows hold by their sines are right, not half a turn off."""
        R, row = _axes(system, q), system.compiled.tables.row
        pairs = {(int(r["first"]), int(r["second"])) for r in row[row["form"] == ACROSS]}
        return all(float(np.sum(R[i] * R[k])) > 2.0 for i, k in pairs)

    @staticmethod
    def mark(system: TreeSystem, q: Array, spins: Array | None) -> Array:
        """Return numbers that tell poses apart, in units: places and axes of all frames but those that spin."""
        spun = set() if spins is None else {int(i) for i in spins[:, 0]}
        R, seen = _axes(system, q), _still(system, q)
        own = [R[i] for i in range(len(R)) if i not in spun]
        return np.concatenate([np.ravel(own), seen._sampled.O[0].ravel() / system.scale.length])

    @staticmethod
    def place(system: TreeSystem, q: Array, x: Array, wanted: Array, spins: Array | None) -> Place:
        """Return the place of a curve."""
        return Place(system, q, x, wanted, spins)


def grashof(mechanism: Mechanism) -> None:
    """Return no class: the rule is one of the plane."""
    return


def _still(system: TreeSystem, q: Array) -> Any:
    """Return a pose as one sample at rest."""
    y = np.concatenate([q, np.zeros(system.n_v + 1)])[None]
    return system.explicit.observed(np.zeros(1), y, np.zeros((1, len(system.compiled.coordinates))), told=False)


def _axes(system: TreeSystem, q: Array) -> Array:
    """Return how all frames stand, (n_body + 1, 3, 3)."""
    found: Array = _still(system, q)._sampled.S[0].reshape(-1, 3, 3)
    return found


def _led(source: TreeSystem, q: Array, t: float, target: TreeSystem) -> Array:
    """Return coordinates with what drivers of the source prescribe at a time."""
    m, c = source.mechanism, source.compiled
    given = {e: values(m.drivers[of.driver].motion, t)[0] for e, of in enumerate(c.coordinates) if of.driver}
    return converted(source, q, target, given)


def efforts(result: Any, ends: list[tuple[str, str]]) -> Array:
    """Return the efforts at coordinates of joints that make a motion without its drivers, (n, K).

    By the equilibrium of all bodies in natural coordinates, which asks for their motion only.
    """
    m, bodies = result.mechanism, list(result.mechanism.bodies)
    a, alpha = (np.array([of(b) for b in bodies]).swapaxes(0, 1) for of in (result.com_acceleration, result.alpha))
    return np.array([*Known(m, result.t, bodies_of(result), (a, alpha)).by_motors(dict(ends)).values()])
