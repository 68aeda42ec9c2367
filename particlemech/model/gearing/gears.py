"""What has teeth: pairs of gears, racks and pinions, and what they lose.

With w the rates against the carrier and s the radii, signed so that s1 w1 = -s2 w2 = v, the speed of the pitch line,
the tooth force F passes the power F v from the first gear to the second. Losses are friction of either gear against the
carrier, from the load F, at the arms |s|, by model/friction.py (1) with P = |F|:

    effort_k = -kappa |s_k| tanh(|s_k| w_k/v_s) |F|,    power lost  2 kappa |F v|                 (1)

where |v| is some v_s or more. Power balance of both shafts: who drives, the first or the second, puts in
|F v| (1 + kappa), and |F v| (1 - kappa) comes out. Then

    (1 - kappa)/(1 + kappa) = efficiency,    kappa = (1 - efficiency)/(1 + efficiency)            (2)

is exact in both directions of power: with the torque T of a load on the second gear and i = w1/w2 the motor takes

    T/(|i| efficiency)  where it drives,    T efficiency/|i|  where the load does                 (3)

F is the mean of what goes in, F (1 + kappa), and what comes out, F (1 - kappa). Losses count from the rates against the
carrier, so those of planetary gears follow from their rolling power. A rack is a gear that loses by a force on its
pitch line. Not used: a couple between the two gears, which is what sliding teeth exert: (2) would depend on who drives,
and kappa has no bound for a ring little larger than its pinion. Nor all of the loss on one shaft, which has one kappa
for each direction, and a jump between them where F changes its sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, copysign, pi, tan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from particlemech._tape import hypot
from particlemech.errors import ModelError
from particlemech.model.applied import Array, Quantities
from particlemech.model.freedom import Freedom
from particlemech.model.friction import Friction
from particlemech.model.gearing.forms import efficiency, module, tilt
from particlemech.model.gearing.holders import FITS, carrier_of, ground_first, holding, losing, sliding, turning
from particlemech.model.gearing.touching import (
    Line,
    Touching,
    foot,
    height,
    line_touches,
    on_line,
    said,
    signed,
    wheels_touch,
)
from particlemech.model.joint import Idle, Rubs
from particlemech.model.primitives import GROUND, Looks, Outline, Part
from particlemech.model.shapes import gear, rack, wheel
from particlemech.model.spec import Vector, direction, key, name, names, place, positive, two, whole
from particlemech.model.table_forms import flag

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism


@dataclass(frozen=True, kw_only=True)
class _Teeth(Touching):
    """What has teeth."""

    efficiency: float = key(
        efficiency,
        "power out over power in, whichever body drives; losses against the carrier",
        1.0,
        dimension="number",
    )

    @property
    def friction(self) -> Friction | None:  # type: ignore[override]
        """Its losses: friction by (2)."""
        return losing(self.efficiency)

    def rubs(self, mechanism: Mechanism) -> tuple[Rubs, ...]:
        """Return where it loses: both bodies against the carrier."""
        carrier, link = self._holder(mechanism), self.bodies[1]
        ways = zip(self._against(carrier, mechanism), self._arms(mechanism), strict=True)
        return tuple(Rubs(of, arm, link) for of, arm in ways)

    def holders(self, mechanism: Mechanism) -> tuple[str | None, ...]:
        """Return what holds both bodies in mesh."""
        return (self._holder(mechanism),)

    def _holder(self, mechanism: Mechanism) -> str | None:
        """Return what holds both bodies in mesh."""
        raise TypeError(f"{type(self).__name__} does not say what holds it")

    def _against(self, carrier: Any, mechanism: Mechanism) -> tuple[Freedom, Freedom]:
        """Return how both bodies move against the carrier, the ground first."""
        one, other = (turning(carrier, body) for body in self.bodies)
        return one, other

    def _arms(self, mechanism: Mechanism) -> tuple[float, float]:
        """Return the arms |s|."""
        raise TypeError(f"{type(self).__name__} does not say where it loses")

    def check(self, mechanism: Mechanism) -> None:
        """Check that it meshes, and that what holds it is another body if it loses power."""
        super().check(mechanism)
        if self.efficiency < 1.0 and self._holder(mechanism) in (None, *self.bodies):
            one, other = self.bodies
            raise ModelError(
                f'key "efficiency": losses work against a third body that holds "{one}" and "{other}" in mesh, and '
                'there is none; name it, "carrier", or take the efficiency out'
            )

    def pushes(self, mechanism: Mechanism) -> int:
        """Return one: across the line of centres."""
        return 1

    def quantities(self, mechanism: Mechanism) -> Quantities:
        """Return the tangential part of the tooth force, and its radial part."""
        return {"force": ("force",), "radial": ("radial",)}

    def _tilt(self) -> float:
        return tan(getattr(self, "pressure_angle", 0.0))

    def exerted(self, seen: Any, efforts: Array) -> list[Array]:
        """Return these forces, (K,) each."""
        return [efforts[:, 0], np.abs(efforts[:, 0]) * self._tilt()]

    def idle(self, seen: Any, efforts: Array) -> list[Idle]:
        """Return the radial part: it pushes apart, whichever flank carries."""
        if not self._tilt():
            return []
        inward = -1.0 if getattr(self, "internal", False) else 1.0
        return self._pressed(seen, inward * np.abs(efforts[:, 0]) * self._tilt())


@dataclass(frozen=True, kw_only=True)
class Gear(_Teeth):
    """Two gears in mesh, on centres that a carrier holds apart; turns are counted.

    Its force, a result, acts at the pitch point on the second gear, positive to the left of the line of centres from
    the first to the second; on the first it is the opposite.
    """

    points: tuple[str | Vector, str | Vector] = key(
        two(place, "places"), "the centre of each, names or numbers", dimension="length"
    )
    radii: tuple[float, float] | None = key(two(positive, "radii"), "of the pitch circles", None, dimension="length")
    teeth: tuple[int, int] | None = key(two(whole(3), "numbers of teeth"), "in place of radii", None)
    module: tuple[float, ...] | None = key(
        module, "pitch diameter over teeth; default: what fits the drawing", None, dimension="length"
    )
    internal: bool = key(flag, "the smaller gear runs inside the larger, a ring", False)
    carrier: str | None = key(name, "the body that holds both centres; default: the one that does", None)
    pressure_angle: float = key(tilt, "rad; adds the radial part of the tooth force", 0.0, dimension="angle")

    def verify(self) -> None:
        """Check that it has a ratio."""
        if (self.radii is None) == (self.teeth is None):
            raise ModelError('it needs one of the keys "radii" and "teeth"')
        if self.module is not None and self.teeth is None:
            raise ModelError('key "module" goes with "teeth"; take it out, or give teeth in place of radii')
        one, other = self.sizes
        if self.internal and one == other:
            raise ModelError(f"internal gears of one size, {one:g}: a gear runs inside a larger one only")

    @property
    def sizes(self) -> tuple[float, float]:
        """Numbers in proportion to the radii."""
        return self.radii if self.radii is not None else self.teeth  # type: ignore[return-value]

    def signed(self, apart: float) -> tuple[float, float]:
        """Return the radii of (1) at a distance of the centres."""
        return signed(self.sizes, self.internal, apart)

    def fits(self, mechanism: Mechanism) -> None:
        """Check that the gears mesh, and that their centres are held."""
        d, (one, other) = self.apart(mechanism), self.sizes
        if d == 0.0:
            raise ModelError(f"centres {said(self.points[0])} and {said(self.points[1])} are drawn at one place")
        both = abs(one - other) if self.internal else one + other
        word = "difference" if self.internal else "sum"
        if self.radii is not None and abs(both - d) > FITS * d:
            raise ModelError(
                f"gears do not mesh: their centres are {d:.9g} apart, the {word} of their radii {one:g} and {other:g} "
                f"is {both:.9g}; move a centre or change a radius"
            )
        if self.module is not None and abs(0.5 * self.module[0] * both - d) > FITS * d:
            raise ModelError(
                f"gears do not mesh: their centres are {d:.9g} apart, {one:g} and {other:g} teeth of module "
                f"{self.module[0]:g} ask for {0.5 * self.module[0] * both:.9g}; move a centre, or take module "
                f"{2.0 * d / both:.9g}"
            )
        if self._holder(mechanism) is None:
            centres = " and ".join(f'{said(p)} of "{b}"' for p, b in zip(self.points, self.bodies, strict=True))
            who = f'carrier "{self.carrier}" does not hold' if self.carrier is not None else "no body holds"
            raise ModelError(f"{who} the centres {centres} both; pin each gear at its centre to one body, the carrier")

    def _holder(self, mechanism: Mechanism) -> str | None:
        """Return the carrier."""
        return carrier_of(mechanism, self.bodies, self.drawn(mechanism), self.carrier)

    def _arms(self, mechanism: Mechanism) -> tuple[float, float]:
        """Return the radii."""
        one, other = self.signed(self.apart(mechanism))
        return abs(one), abs(other)

    def line(self, seen: Any) -> Line:
        """Return the line of centres."""
        return wheels_touch(self, seen)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return both gears with their teeth, unless another pair shows them already."""
        shown = []
        for body, at, radius, teeth, phase, ring in _toothed(mechanism)[part.name]:
            shown.append(Outline(part, body, gear(at, radius, teeth, phase, ring)))
            if ring:
                shown.append(Outline(part, body, wheel(at, radius * (1.0 + 4.0 / teeth))[:-1]))
        return tuple(shown)


class _Shown(NamedTuple):
    """A gear as it is drawn."""

    body: str
    at: Vector
    radius: float
    teeth: int
    phase: float  # rad, of a tooth
    ring: bool


def _toothed(mechanism: Mechanism) -> dict[str, list[_Shown]]:
    """Return the gears that each joint shows, each gear once; all are turned so that teeth meet gaps as drawn.

    Without numbers of teeth the smaller gear of a pair gets 18.
    """
    known: dict[tuple[str, Vector, float], _Shown] = {}
    found: dict[str, list[_Shown]] = {}
    for pair, joint in mechanism.joints.items():
        if not isinstance(joint, Gear):
            continue
        radii, centres = joint.signed(float(joint.apart(mechanism))), joint.drawn(mechanism)
        counts = joint.teeth or [max(3, round(18.0 * abs(radius) / min(map(abs, radii)))) for radius in radii]
        (ax, ay), (bx, by) = centres
        places = [(b, at, round(abs(s), 9)) for b, at, s in zip(joint.bodies, centres, radii, strict=True)]
        # where they touch, seen from each centre
        to = [atan2(by - ay, bx - ax) + (pi if (k == 1) != (radii[k] < 0.0) else 0.0) for k in (0, 1)]
        first = 1 if places[1] in known and places[0] not in known else 0
        along = 0.0  # way from there to a tooth, along the pitch circle of the first counter-clockwise
        if places[first] in known:
            along = (known[places[first]].phase - to[first]) * abs(radii[first])
        half = pi * abs(radii[first]) / (known[places[first]].teeth if places[first] in known else counts[first])
        ways = {first: along, 1 - first: (along + half) * (1.0 if joint.internal else -1.0)}
        found[pair] = []
        for k in (0, 1):
            if places[k] not in known:
                ring = joint.internal and abs(radii[k]) == max(map(abs, radii))
                one = _Shown(*places[k], counts[k], to[k] + ways[k] / abs(radii[k]), ring)
                known[places[k]] = one
                found[pair].append(one)
    return found


@dataclass(frozen=True, kw_only=True)
class Rack(_Teeth):
    """A rack, the first body, and a pinion, the second; turns are counted.

    Its force, a result, acts at the pitch point on the pinion along `axis`, on the rack the other way.
    """

    bodies: tuple[str, ...] = key(names(2, 2), "the rack and the pinion")
    points: tuple[str | Vector, str | Vector] = key(
        two(place, "places"),
        "a place on the pitch line of the rack, and the centre of the pinion, names or numbers",
        dimension="length",
    )
    axis: tuple[float, float] = key(direction, "of the rack, global in the drawing", dimension="any")
    radius: float | None = key(positive, "of the pinion's pitch circle; default: as drawn", None, dimension="length")
    teeth: int | None = key(whole(3), "of the pinion, in place of the radius", None)
    module: float | None = key(
        positive, "pitch diameter over teeth; default: what fits the drawing", None, dimension="length"
    )
    pressure_angle: float = key(tilt, "rad; adds the radial part of the tooth force", 0.0, dimension="angle")

    def verify(self) -> None:
        """Check that the radius is given once."""
        if self.radius is not None and self.teeth is not None:
            raise ModelError('keys "radius" and "teeth" both give the pitch circle; keep one of them')
        if self.module is not None and self.teeth is None:
            raise ModelError('key "module" goes with "teeth"; give the teeth of the pinion')

    def height(self, mechanism: Mechanism) -> float:
        """Return how far the centre lies to the left of the pitch line."""
        return height(self, mechanism)

    def fits(self, mechanism: Mechanism) -> None:
        """Check that the pinion meets the pitch line, and stays there."""
        on_line(self, mechanism, self.radius, "pitch line", "gears do not mesh")
        drawn = abs(self.height(mechanism))
        if self.module is not None and self.teeth is not None:
            radius = 0.5 * self.module * self.teeth
            if abs(radius - drawn) > FITS * drawn:
                raise ModelError(
                    f"gears do not mesh: the centre of the pinion is {drawn:.9g} from the pitch line, {self.teeth} "
                    f"teeth of module {self.module:g} have the radius {radius:.9g}; move one, or take module "
                    f"{2.0 * drawn / self.teeth:.9g}"
                )
        rack, pinion = self.bodies
        if not self._common(mechanism):
            raise ModelError(
                f'no body holds "{pinion}" at its centre {said(self.points[1])} and guides the rack "{rack}"; pin the '
                "pinion to what the rack slides on along its axis, or to what slides along the rack"
            )

    def holders(self, mechanism: Mechanism) -> tuple[str | None, ...]:
        """Return what holds the pinion along the rack: another body, where it loses, else also one of both."""
        return (self._holder(mechanism) if self.efficiency < 1.0 else min(self._common(mechanism), default=None),)

    def _common(self, mechanism: Mechanism) -> set[str]:
        rack, pinion = self.bodies
        return holding(mechanism, pinion, self.drawn(mechanism)[1]) & sliding(mechanism, rack, self.axis)

    def _holder(self, mechanism: Mechanism) -> str | None:
        """Return what holds the pinion and guides the rack."""
        common = self._common(mechanism) - {*self.bodies}
        return next((b for b in (GROUND, *mechanism.bodies) if b in common), None)

    def _against(self, carrier: Any, mechanism: Mechanism) -> tuple[Freedom, Freedom]:
        """Return the travel of the rack along its pitch line, and the turn of the pinion."""
        (rack, pinion), at = self.bodies, foot(self, mechanism)
        travel = Freedom("travel", False, *ground_first(carrier, rack), at, self.axis)
        return travel, turning(carrier, pinion)

    def _arms(self, mechanism: Mechanism) -> tuple[float, float]:
        """Return those of a force and of a couple on the pitch circle."""
        return 1.0, abs(self.height(mechanism))

    def line(self, seen: Any) -> Line:
        """Return the pitch line."""
        return line_touches(self, seen)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return pinion and rack with their teeth."""
        height, teeth = float(self.height(mechanism)), self.teeth or 18
        at, meet, size = self.drawn(mechanism)[1], foot(self, mechanism), copysign(hypot(*self.axis), height)
        pinion = gear(at, abs(height), teeth, atan2(meet[1] - at[1], meet[0] - at[0]))
        straight = rack(meet, (self.axis[0] / size, self.axis[1] / size), abs(height), teeth)
        return (Outline(part, self.bodies[1], pinion), Outline(part, self.bodies[0], straight))
