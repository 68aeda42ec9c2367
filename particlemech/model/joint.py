"""What all joints of the plane have in common.

`dof` is the number of freedoms a joint leaves between two bodies. `tree` ranks how gladly it serves inside a spanning
tree (small is better, None: never).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from particlemech.errors import ModelError, suggestion
from particlemech.model.applied import Array, Quantities
from particlemech.model.freedom import Bond, Freedom
from particlemech.model.friction import Friction
from particlemech.model.friction import check as check_friction
from particlemech.model.one_sided import Holding
from particlemech.model.primitives import GROUND, Course, End, Looks, Part, Push, Turn, moving
from particlemech.model.spec import Spec, Vector

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism

Idle = tuple[str, Array, Array]  # body, force (K, 2) and place (K, 2), global axes


WEAK = 1e-6  # of the largest force: what counts as none


def wrong(t: Array, force: Array, what: str, called: str) -> list[str]:
    """Say when a force falls below zero first, and what it is at least."""
    below = np.flatnonzero(force < -WEAK * max(float(np.nanmax(np.abs(force), initial=0.0)), 1e-300))
    if not len(below):
        return []
    k, worst = int(below[0]), int(np.nanargmin(force))
    first = float(t[k])
    if k and force[k - 1] > 0.0:  # a straight line between the samples
        first = float(t[k - 1] + (t[k] - t[k - 1]) * force[k - 1] / (force[k - 1] - force[k]))
    return [f"{what} at t = {first:.4g} s; {called} would be {force[worst]:.4g} at t = {float(t[worst]):.4g} s"]


class Rubs(NamedTuple):
    """A place where a joint rubs."""

    of: Freedom  # the coordinate on which its friction works
    arm: float  # h of friction.py (1)
    link: str  # second body of the link whose rows are its load
    rows: tuple[int, ...] = ()  # which of all rows of the joint are instead: one, or two whose difference it is


class JointSpec(Holding, Spec):
    """Base of the joints."""

    dof: ClassVar[int]
    tree: ClassVar[float | None]
    moment: ClassVar[bool]  # can carry a moment
    bodies: tuple[str, ...]
    point: str | Vector | None = None  # where it is, of kinds that are at one place
    axis: Vector | None = None  # of the line, of kinds that have one
    limits: Any = None  # of kinds that leave coordinates
    friction: Friction | None = None  # of kinds that rub
    rubs_at: ClassVar[str] = ""  # the size at which they do: "radius", "length"
    guides: ClassVar[bool] = False  # what rubs slides along a line
    in_space: ClassVar[str]  # what to take in space, of kinds that are for the plane only

    @property
    def carriers(self) -> tuple[str, ...]:
        """The bodies on which its point is fixed, so that each must list it where it is named."""
        return self.bodies

    def check(self, mechanism: Mechanism) -> None:
        """Check the names it mentions, and that its bodies carry its point."""
        for body in self.bodies:
            mechanism.known_body(body)
        if self.point is not None:
            mechanism.drawn(self.point)
            for body in self.carriers:
                mechanism.carried(self.point, body)
        if self.friction is not None:
            check_friction(self.friction, self.sized, not self.guides)
            places = len(self.rubs(mechanism))
            if self.friction.sticking and places != 1:
                raise ModelError(
                    f'key "sticking": it rubs at {places} places, and what sticks has one; write pins of two bodies, '
                    "and a rod with pins at its ends as a body"
                )
        known = self.coordinate_names
        if self.limits is not None and not isinstance(self.limits, Mapping) and len(known) > 1:
            raise ModelError(f'key "limits": it has several coordinates; write {{ {known[0]} = [lower, upper], ... }}')
        for of in self.bounds:
            if of not in known:
                raise ModelError(f'key "limits": it has no coordinate "{of}"{suggestion(of, known)}')

    def keeps(self, mechanism: Mechanism) -> tuple[str, ...]:
        """Return the named points that are one place on all its bodies; joints without freedom keep every one."""
        return ()

    def unnamed(self, body: str) -> tuple[Vector, ...]:
        """Return its places on a body that have no name."""
        return () if self.point is None or isinstance(self.point, str) or body not in self.carriers else (self.point,)

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        """Its coordinates."""
        return ()

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """The names of its coordinates."""
        return tuple(freedom.name for freedom in self.freedoms)

    @property
    def bounds(self) -> Mapping[str, tuple[float, float]]:
        """The limits of its coordinates, by name."""
        if self.limits is None:
            return {}
        return self.limits if isinstance(self.limits, Mapping) else {self.coordinate_names[0]: self.limits}

    def links(self, mechanism: Mechanism) -> tuple[tuple[str, str, Any], ...]:
        """Return which bodies it joins two by two, and what by: a star from the ground, or else from the first body."""
        if not self.bodies:  # it ties coordinates of other joints
            return ()
        hub = GROUND if GROUND in self.bodies and len(self.bodies) > 2 else self.bodies[0]
        return tuple((hub, body, self) for body in self.bodies if body != hub)

    @property
    def rubbed(self) -> Friction | None:
        """Its friction as engines take it, at the places of `rubs`."""
        return self.friction

    @property
    def sized(self) -> str:
        """The size that its friction has."""
        return self.rubs_at

    def rubs(self, mechanism: Mechanism) -> tuple[Rubs, ...]:
        """Return where its friction works: between two bodies of `links`, where the kind does not say otherwise."""
        if self.guides:
            return (Rubs(self.freedoms[0], 1.0, self.freedoms[0].second),)
        arm = 1.0 if self.friction is None else self.friction.radius or 1.0
        ends = ((first, second) for first, second, _ in self.links(mechanism))
        return tuple(Rubs(Freedom("angle", True, first, second), arm, second) for first, second in ends)

    def slides(self, mechanism: Mechanism) -> str:
        """Return the coordinate along which it sticks and slips."""
        return self.rubs(mechanism)[0][0].name

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return what `result.force` gives of it, and how the columns end."""
        return {}

    def measure(self, column: str, mechanism: Mechanism) -> str:
        """Return what one of these columns shows."""
        return "force"

    def exerted(self, seen: Any, efforts: Array) -> list[Array]:
        """Return these quantities, (K,) each, of the forces of its rows, (K, n)."""
        return []

    def one_sided(self, mechanism: Mechanism) -> bool:
        """Whether its forces can only push, or only pull, in a machine, while its rows hold both ways."""
        return False

    def warned(self, t: Array, found: Mapping[str, Array], opened: Sequence[float]) -> list[str]:
        """Say from when on one of its `exerted` forces has the wrong sign; `opened`: when a run has let it go, s."""
        return []

    def idle(self, seen: Any, efforts: Array) -> list[Idle]:
        """Return forces that follow from those of its rows and do no work: as of pretension, or along centres."""
        return []

    def takes(self, mechanism: Mechanism) -> int:
        """Return how many freedoms it takes; a pin of n bodies counts n - 1 times."""
        return (3 - self.dof) * (len(self.bodies) - 1)

    def counted(self, drawn: Any) -> JointSpec:
        """Return the same joint; values of coordinates count from the points as they are drawn, not as assembled."""
        return self

    def tied(self, mechanism: Mechanism) -> tuple[Freedom, ...]:
        """Return the coordinates of other joints that it ties to each other."""
        return ()

    def bonds(self, mechanism: Mechanism) -> tuple[Bond, ...] | None:
        """Return what it holds of its bodies, two by two; None if it is more than that."""
        return None

    def acted(self, part: Part, mechanism: Mechanism, of: Freedom, value: Course | None = None) -> Looks:
        """Return what acts on one of its coordinates: an arrow about its pin, or along its line."""
        if of.turn:
            return (Turn(part, *self.seat(moving((of.second, of.first)), mechanism), value),)
        return (Push(part, *self.seat(of.second, mechanism), value, axis=of.axis, axes=of.first),)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return what it looks like; r is half the width of a rod, m."""
        raise TypeError(f"{type(self).__name__} does not say what it looks like")

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return where its reaction acts on one of its bodies: a frame, and a place in it."""
        raise TypeError(f"{type(self).__name__} does not say where its reaction acts")
