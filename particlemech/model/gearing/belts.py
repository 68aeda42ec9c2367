"""Belts, chains and ropes over pulleys, and what belts lose.

A pulley k between the strands k - 1 and k takes the force F_k = T_k - T_{k-1} from a belt of the speed v. What a closed
belt loses is friction of each pulley against what holds its centre, by gears.py (1) and (2) with the load |F_k|:

    couple_k = -kappa r_k tanh(r_k w_k/v_s) |F_k|,    power lost  kappa |F_k v|                   (1)

As all F_k add up to zero, what drives puts in (1 + kappa) times, and all that is driven takes out (1 - kappa) times
the same power: (1 - kappa)/(1 + kappa) = efficiency, whichever pulleys drive. An idler loses nothing. A driving torque
is (1 + kappa) r times the difference of the tensions of both strands, a driven one (1 - kappa) r times it. Not used:
losses from the sum of tensions, as of a stiff rope that bends; those are of pins, friction = { mu, radius }.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import atan2, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech._tape import hypot
from particlemech.errors import ModelError
from particlemech.model.applied import Array, Quantities
from particlemech.model.friction import Friction
from particlemech.model.gearing.courses import Course, bends, course, turns
from particlemech.model.gearing.forms import efficiency, reversed_ones, several
from particlemech.model.gearing.holders import carrier_of, holding, losing, turning
from particlemech.model.gearing.touching import AS_RATIO
from particlemech.model.joint import Idle, JointSpec, Rubs, wrong
from particlemech.model.primitives import GROUND, Band, End, Looks, Outline, Part, held
from particlemech.model.shapes import wheel
from particlemech.model.spec import Vector, choice, key, name, not_negative, place

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism


@dataclass(frozen=True)
class Strand:
    """The part of a belt between two pulleys, (3)."""

    bodies: tuple[str, str]
    points: tuple[str | Vector, str | Vector]
    radii: tuple[float, float]  # positive where it goes round counter-clockwise
    carrier: str | None  # what holds both centres, if any

    dof = 2
    tree = None
    point = None

    @property
    def rho(self) -> float:
        """The difference of both radii."""
        return self.radii[1] - self.radii[0]

    @property
    def counter(self) -> tuple[tuple[tuple[str, float], ...], float]:
        """What its angle is less than half a turn from: angles of bodies with factors, and its lengthening times one.

        It turns with what holds both centres. Where nothing does, as of a weight that swings round a drum, (3) itself
        says how far it has turned.
        """
        if self.carrier is not None:
            return ((self.carrier, 1.0),), 0.0
        if self.rho == 0.0:
            return (), 0.0
        (one, other), (s1, s2), reel = self.bodies, self.radii, 1.0 / self.rho
        return ((one, -s1 * reel), (other, s2 * reel)), reel


@dataclass(frozen=True, kw_only=True)
class Belt(JointSpec):
    """A belt, chain or rope that neither stretches nor slips over pulleys; turns are counted.

    Tensions of its strands are results: "strand1" from the first pulley to the second, and so on. Over pulleys whose
    centres one body holds, a rigid belt determines only their differences: `pretension` is the mean tension along all
    strands; without it the slackest strand carries nothing, as that of a chain. Where centres move it is as long as
    drawn, and determines all tensions. A rope has two ends, on the first and the last "pulley", of radius 0 unless it
    is a drum, and runs over those between as its way bends there.
    """

    dof = 2
    tree = None
    moment = False
    in_space = AS_RATIO
    pulleys: tuple[str, ...] = key(several(name, 2, "names"), "the bodies it runs over, in this order")
    points: tuple[str | Vector, ...] = key(
        several(place, 2, "places"), "the centre of each, names or numbers", dimension="length"
    )
    radii: tuple[float, ...] = key(
        several(not_negative, 2, "radii"), "of each; 0 where a rope ends", dimension="length"
    )
    crossed: bool | tuple[str, ...] = key(
        reversed_ones, "true between two pulleys, or those that it runs over the other way round", False
    )
    form: str = key(choice("closed", "open"), '"closed", or "open": a rope with two ends', "closed")
    carrier: str | None = key(name, "the body that holds all centres; default: the one that does, if any", None)
    pretension: float | None = key(not_negative, "mean tension of a belt on fixed centres", None, dimension="force")
    efficiency: float = key(
        efficiency,
        "of a closed belt: power out over power in, whichever pulley drives; losses where pulleys turn",
        1.0,
        dimension="number",
    )

    def verify(self) -> None:
        """Check that its lists are as long."""
        n = len(self.pulleys)
        if len(self.points) != n or len(self.radii) != n:
            raise ModelError(f"{n} pulleys, {len(self.points)} points and {len(self.radii)} radii; give one of each")
        if self.form == "closed" and 0.0 in self.radii:
            raise ModelError('a closed belt runs over no pulley of radius 0; give its radius, or say form = "open"')
        if self.crossed is True and n != 2:
            raise ModelError(
                f'key "crossed": true is for two pulleys, here are {n}; list those that it runs over the other way'
            )
        for b in self.crossed if isinstance(self.crossed, tuple) else ():
            if b not in self.pulleys:
                raise ModelError(f'key "crossed": "{b}" is none of its pulleys')
        if self.pretension is not None and self.form == "open":
            raise ModelError('key "pretension" is for a closed belt; a rope is pulled at its ends')
        if self.efficiency < 1.0 and self.form == "open":
            raise ModelError(
                'key "efficiency" is for a closed belt, which passes power on; what a rope loses over its pulleys is '
                "friction = { mu, radius } of the pins they turn on"
            )

    @property
    def bodies(self) -> tuple[str, ...]:  # type: ignore[override]
        """The bodies it acts on."""
        return tuple(dict.fromkeys(self.pulleys))

    def _drawn(self, mechanism: Mechanism) -> list[Vector]:
        return [mechanism.drawn(p) for p in self.points]

    def holder(self, mechanism: Mechanism) -> str | None:
        """Return the body that holds all centres, if any."""
        return carrier_of(mechanism, self.pulleys, self._drawn(mechanism), self.carrier)

    def signs(self, mechanism: Mechanism) -> list[float]:
        """Return 1 of each pulley that the belt runs over counter-clockwise, else -1."""
        back = (self.pulleys[1],) if self.crossed is True else self.crossed or ()
        ways = (bends if self.form == "open" else turns)(self._drawn(mechanism))
        return [-way if b in back else way for b, way in zip(self.pulleys, ways, strict=True)]

    def strands(self, mechanism: Mechanism) -> list[Strand]:
        """Return all its strands."""
        n, carrier = len(self.pulleys), self.holder(mechanism)
        around = [s * r for s, r in zip(self.signs(mechanism), self.radii, strict=True)]
        pairs = [(k, (k + 1) % n) for k in range(n if self.form == "closed" else n - 1)]
        return [
            Strand(
                (self.pulleys[i], self.pulleys[j]), (self.points[i], self.points[j]), (around[i], around[j]), carrier
            )
            for i, j in pairs
        ]

    def held(self, mechanism: Mechanism) -> bool:
        """Whether it is closed on centres that one body holds: then its last strand follows from the others."""
        return self.form == "closed" and self.holder(mechanism) is not None

    def tied_strands(self, mechanism: Mechanism) -> list[Strand]:
        """Return the strands that have a row."""
        strands = self.strands(mechanism)
        return strands[:-1] if self.held(mechanism) else strands

    def links(self, mechanism: Mechanism) -> tuple[tuple[str, str, Any], ...]:
        """Return what its strands join."""
        return tuple((*strand.bodies, strand) for strand in self.tied_strands(mechanism))

    @property
    def friction(self) -> Friction | None:  # type: ignore[override]
        """Its losses, (1)."""
        return losing(self.efficiency)

    def rubs(self, mechanism: Mechanism) -> tuple[Rubs, ...]:
        """Return where it loses: every pulley against what holds its centre."""
        n, count, found = len(self.pulleys), len(self.tied_strands(mechanism)), []
        for k, (body, carrier) in enumerate(zip(self.pulleys, self._carriers(mechanism), strict=True)):
            rows = tuple(row for row in (k, (k - 1) % n) if row < count)
            found.append(Rubs(turning(carrier or "", body), self.radii[k], self.pulleys[1], rows))
        return tuple(found)

    def holders(self, mechanism: Mechanism) -> tuple[str | None, ...]:
        """Return what holds all centres, and each of them where it loses there."""
        return self.holder(mechanism), *(self._carriers(mechanism) if self.efficiency < 1.0 else ())

    def _carriers(self, mechanism: Mechanism) -> list[str | None]:
        """Return what holds the centre of each pulley beside itself."""
        carrier, found = self.holder(mechanism), []
        for body, at in zip(self.pulleys, self._drawn(mechanism), strict=True):
            others = holding(mechanism, body, at) - {*self.pulleys}
            found.append(carrier or next((b for b in (GROUND, *mechanism.bodies) if b in others), None))
        return found

    # -- results -----------------------------------------------------------------------------------------------

    def takes(self, mechanism: Mechanism) -> int:
        """Return how many freedoms it takes: one by each strand that has a row."""
        return len(self.tied_strands(mechanism))

    def pushes(self, mechanism: Mechanism) -> int:
        """Return how many strands have a row."""
        return len(self.tied_strands(mechanism))

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return the tension of every strand."""
        count = len(self.pulleys) - (self.form == "open")
        return {f"strand{k}": (f"strand{k}",) for k in range(1, count + 1)}

    def exerted(self, seen: Any, efforts: Array) -> list[Array]:
        """Return the tensions, (K,) each."""
        return list((self._pulled(seen, efforts) + self._base(seen, efforts)[:, None]).T)

    def _pulled(self, seen: Any, efforts: Array) -> Array:
        """Return the tensions beside that of the last strand of a belt on fixed centres, (K, n_strand)."""
        return np.pad(-efforts, ((0, 0), (0, 1))) if self.held(seen.mechanism) else -efforts

    def _base(self, seen: Any, efforts: Array) -> Array:
        """Return the tension of the last strand of a belt on fixed centres, else 0, (K,)."""
        if not self.held(seen.mechanism):
            return np.zeros(len(efforts))
        pulled = self._pulled(seen, efforts)
        if self.pretension is None:
            return np.asarray(-np.min(pulled, axis=1))
        lengths = np.stack([run.length for run in self._courses(seen)], axis=1)
        return np.asarray(self.pretension - np.sum(lengths * pulled, axis=1) / np.sum(lengths, axis=1))

    def one_sided(self, mechanism: Mechanism) -> bool:
        """Whether a strand may be found to push: without a pretension the slackest on fixed centres never does."""
        return self.pretension is not None or not self.held(mechanism)

    def warned(self, t: Array, found: Mapping[str, Array], opened: Sequence[float]) -> list[str]:
        """Say when a strand would push, and so hang slack."""
        cure = "; raise the pretension" if self.pretension is not None else ""
        return [
            said + cure
            for word, force in found.items()
            for said in wrong(t, force, f"{word} hangs slack", "its tension")
        ]

    def idle(self, seen: Any, efforts: Array) -> list[Idle]:
        """Return what all strands pull alike: as centres are fixed, it does no work."""
        if not self.held(seen.mechanism):
            return []
        found: list[Idle] = []
        for strand, run in zip(self.strands(seen.mechanism), self._courses(seen), strict=True):
            pull = self._base(seen, efforts)[:, None] * run.along
            found += [(strand.bodies[0], pull, run.leaves), (strand.bodies[1], -pull, run.meets)]
        return found

    def _courses(self, seen: Any) -> list[Course]:
        """Return how the strands run."""
        m, found = seen.mechanism, []
        for strand in self.strands(m):
            A, B = (seen.place_on(b, m.place(p, b)) for b, p in zip(strand.bodies, strand.points, strict=True))
            found.append(course(A, B, *strand.radii))
        return found

    # -- the drawing -------------------------------------------------------------------------------------------

    def check(self, mechanism: Mechanism) -> None:
        """Check the names it mentions, that its strands are there, and that it closes."""
        for point, body in zip(self.points, self.pulleys, strict=True):
            mechanism.carried(point, body)
        at, n = self._drawn(mechanism), len(self.pulleys)
        for i, j in ((k, (k + 1) % n) for k in range(n if self.form == "closed" else n - 1)):
            d = hypot(at[j][0] - at[i][0], at[j][1] - at[i][1])
            if d <= self.radii[i] + self.radii[j]:
                raise ModelError(
                    f'pulleys "{self.pulleys[i]}" and "{self.pulleys[j]}" overlap: their centres are {d:.9g} apart, '
                    f"their radii {self.radii[i]:g} and {self.radii[j]:g}; move one or make it smaller"
                )
            if self.pulleys[i] == self.pulleys[j]:
                raise ModelError(f'it runs from "{self.pulleys[i]}" to itself; a strand joins two bodies')
        if self.carrier is not None and self.holder(mechanism) is None:
            raise ModelError(
                f'carrier "{self.carrier}" does not hold all centres; pin each pulley to it at its centre, or leave '
                "the carrier out for a belt whose pulleys move"
            )
        if self.pretension is not None and not self.held(mechanism):
            raise ModelError(
                "the belt runs over centres that move and determines its tension itself; take the key "
                '"pretension" out, or pin all pulleys to one body'
            )
        if self.form == "closed":
            self._check_closes(mechanism)
        for body, carrier in zip(self.pulleys, self._carriers(mechanism), strict=True):
            if self.efficiency < 1.0 and carrier in (None, body):
                raise ModelError(
                    f'key "efficiency": losses work against what holds the centre of pulley "{body}", and no other '
                    "body does; pin it there, or take the efficiency out"
                )

    def _check_closes(self, mechanism: Mechanism) -> None:
        """Check that it goes round once, or crosses itself once."""
        wraps = self.wraps(mechanism)
        if abs(sum(wraps)) > 2.0 * pi + 1e-6:
            k = max(range(len(wraps)), key=lambda k: abs(wraps[k]))
            raise ModelError(
                f"the belt cannot close: in this order it would turn by {abs(wraps[k]):.4g} rad round "
                f'"{self.pulleys[k]}"; change the order of the pulleys, or list in "crossed" those that it runs over '
                "the other way round"
            )

    def wraps(self, mechanism: Mechanism) -> list[float]:
        """Return by how much a closed belt turns round each pulley as drawn, rad, clockwise ones negative."""
        runs = self._drawn_courses(mechanism)
        angles = [atan2(run.along[0, 1], run.along[0, 0]) for run in runs]
        found = []
        for k, sign in enumerate(self.signs(mechanism)):
            wrap = (sign * (angles[k] - angles[k - 1])) % (2.0 * pi)
            found.append(sign * (wrap if wrap < 2.0 * pi - 1e-9 else 0.0))
        return found

    def _drawn_courses(self, mechanism: Mechanism) -> list[Course]:
        found = []
        for strand in self.strands(mechanism):
            A, B = (np.array([mechanism.drawn(p)], dtype=float) for p in strand.points)
            found.append(course(A, B, *strand.radii))
        return found

    def unnamed(self, body: str) -> tuple[Vector, ...]:
        """Return its places on a body that have no name."""
        ends = zip(self.pulleys, self.points, strict=True)
        return tuple(p for b, p in ends if b == body and not isinstance(p, str))

    def seat(self, on: str, mechanism: Mechanism) -> End:
        """Return the centre of the pulley: forces are reported, of all its strands together."""
        return on, mechanism.place(self.points[self.pulleys.index(on)], on)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return pulleys, the belt round them, whose strands touch them wherever they are, and what holds its ends."""
        at = self._drawn(mechanism)
        around = tuple(sign * radius for sign, radius in zip(self.signs(mechanism), self.radii, strict=True))
        pulleys = [
            Outline(part, body, wheel(centre, 0.97 * radius))
            for body, centre, radius in zip(self.pulleys, at, self.radii, strict=True)
            if radius
        ]
        ends = tuple(zip(self.pulleys, at, strict=True))
        tied = held(part, *(end for end, radius in zip(ends, self.radii, strict=True) if not radius))
        return *pulleys, Band(part, ends, around, self.form == "closed"), *tied
