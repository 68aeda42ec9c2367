"""The quantities of the report at one instant, by its names: for reading along, teaching and testing.

Bodies i and coordinates j run in the order of `bodies` and `coordinates`; components k are along the inertial axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.engine.recursive import partials
from particlemech.engine.recursive.equations import system
from particlemech.engine.recursive.start import start_state
from particlemech.engine.recursive.topology import checked
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.space.mechanism import Mechanism


class Study:
    """A tree at one instant, as [P72] writes it.

    Parameters
    ----------
    mechanism
        The tree; spherical and free joints whose coordinates are "angles" have the report's dextral angles, those with
        quaternions the components of the relative angular velocity in parent axes as speeds.
    position, rate
        Coordinates and rates of joints, by name, in place of those of the model's [initial].
    t
        s; for signals.

    Attributes
    ----------
    bodies, coordinates
        Names, in order: N bodies, n coordinates ("joint.name").
    w, V : (N, n, 3)
        Partial angular velocities (2.4) and partial velocities of the centres of mass (2.18).
    w_dot, V_dot : (N, n, 3)
        Their rates, (2.6) and (2.22).
    alpha, a : (N, 3)
        What is left of the accelerations when x_ddot = 0, (2.26) and (2.29) (errata).
    A : (n, n); f, F_ext, F_int : (n,)
        A x_ddot = f + F_ext + F_int, (3.27) (errata); F_int are springs, dampers and motors in the joints.
    x_dot : (n,)
        Speeds.

    Examples
    --------
    >>> from particlemech import models
    >>> study = Study(models.load("space_manipulator"))
    >>> study.A.shape
    (14, 14)
    """

    def __init__(self, mechanism: Mechanism, position: Any = None, rate: Any = None, t: float = 0.0) -> None:
        checked(mechanism, "Study")
        initial = {"position": position, "rate": rate, "omega": {} if rate is not None else None}
        given = {key: value for key, value in initial.items() if value is not None}
        self.mechanism = mechanism.replaced(initial=given) if given else mechanism
        self._system = system(self.mechanism)
        y = start_state(self._system)
        lay, c = self._system.layout, self._system.compiled
        at = self._system.kane(t, y[lay.q], y[lay.v])
        self._seen = self._system.observed(np.array([t]), y[None])
        self.bodies = c.topology.bodies
        self.coordinates = tuple(x.label for x in c.coordinates)
        self.A, self.f, self.F_ext, self.F_int, self.x_dot = at.A, at.f, at.F_ext, at.F_int, at.x[:, 1]
        whole = np.zeros((6, len(self.bodies), len(self.coordinates), 3))
        starts, path = c.paths
        for i in range(len(self.bodies)):
            slots = slice(starts[i + 1], starts[i + 2])
            whole[:, i, path[slots]] = np.moveaxis(at.slot[slots], 1, 0)
        self.w, self.V = whole[partials.W], whole[partials.V]
        self.w_dot, self.V_dot = whole[partials.W_DOT], whole[partials.V_DOT]
        self.alpha = np.einsum("ijk,j->ik", self.w_dot, self.x_dot)
        self.a = np.einsum("ijk,j->ik", self.V_dot, self.x_dot)

    def _body(self, name: str) -> int:
        if name not in self.bodies:
            raise ModelError(f'body "{name}" unknown{suggestion(name, self.bodies)}')
        return self.bodies.index(name)

    def _coordinate(self, name: str) -> int:
        if name not in self.coordinates:
            raise ModelError(f'coordinate "{name}" unknown{suggestion(name, self.coordinates)}')
        return self.coordinates.index(name)

    def shifter(self, body: str, against: str | None = None) -> Array:
        """Return the shifter SOK of a body, (3, 3) (1.25), or SKL against another body (1.8)."""
        S = self._seen.orientation(body)[0]
        return S if against is None else self._seen.orientation(against)[0].T @ S

    def partial_angular_velocity(self, body: str, coordinate: str) -> Array:
        """Return w_ijk of a body and a coordinate such as "elbow.angle", (3,), (2.4)."""
        return self.w[self._body(body), self._coordinate(coordinate)]

    def partial_velocity(self, body: str, coordinate: str) -> Array:
        """Return V_ijk of a centre of mass and a coordinate, (3,), (2.18)."""
        return self.V[self._body(body), self._coordinate(coordinate)]
