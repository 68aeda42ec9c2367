"""The parts of a mechanism in space that come in one kind: bodies, impulses, and what holds at the start."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from particlemech.errors import ModelError
from particlemech.model import inertia as tensors
from particlemech.model.impulses import striking
from particlemech.model.primitives import Line, Looks, Part, Plate
from particlemech.model.shapes import bones, faces
from particlemech.model.space import materials
from particlemech.model.space.forms import (
    ModeTable,
    Profile,
    Samples,
    axis,
    list_of,
    matrix,
    mode_table,
    profile,
    profile_by_axis,
    ratios,
    truth,
)
from particlemech.model.space.sections import Section, section
from particlemech.model.spec import (
    FrozenMapping,
    Given,
    Spec,
    Vector3,
    choice,
    coordinates,
    key,
    mapping_of,
    name,
    names,
    not_negative,
    number,
    numbers,
    place3,
    positive,
    vector3,
    whole,
)

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism

NOTHING: Vector3 = (0.0, 0.0, 0.0)
FITS = 1e-6  # of the length: how near the last place of a table comes to it
PIECES = 16  # in which a part of a bending body is drawn
MOST = 64  # parts of a bending body
STIFFNESSES = ("EI", "GJ", "EA", "K")
# keys that only bending bodies have
BENDING = ("density", "rotary", "lumps", *STIFFNESSES, *materials.MATERIAL, "damping_ratio", "keep")


@dataclass(frozen=True, kw_only=True)
class Mode(Spec):
    """One shape in which a body deflects: a displacement along a direction, or a rotation about an axis."""

    along: Vector3 | None = key(axis, "direction of the displacement, in the drawing", None)
    about: Vector3 | None = key(axis, "or axis of the rotation, in the drawing", None)
    shape: Profile = key(
        profile, "its size along the body, per unit of the modal coordinate; 0 at the first point", dimension="any"
    )

    def verify(self) -> None:
        """Check that it is either a displacement or a rotation."""
        if (self.along is None) == (self.about is None):
            which = "none is given" if self.along is None else "both are given"
            raise ModelError(f'exactly one of "along" (displacement) and "about" (rotation) is needed; {which}')


@dataclass(frozen=True, kw_only=True)
class Lump(Spec):
    """A mass at one place along a bending body, which moves with its section."""

    x: float = key(not_negative, "distance from the first point, length", dimension="length")
    mass: float = key(positive, "mass", dimension="mass")
    inertia: tuple[float, ...] = key(
        tensors.inertia,
        "rotary inertia about its own centre, axes of the drawing, mass length^2",
        NOTHING,
        dimension="inertia",
    )

    def verify(self) -> None:
        """Check that turning it takes energy."""
        check_rotary("inertia", self.inertia)


@dataclass(frozen=True, kw_only=True)
class Body(Spec):
    """A body, rigid or bending: the places fixed on it, in the drawing, and its inertia.

    Two points without `com` and `inertia` make a uniform slender rod. More points: the centre of mass defaults to their
    centroid and the inertia must be given. Fewer points: both must be given. A rigid body of mass 0 is a mere frame.

    A body with `modes` (or `shapes`) bends: its first point is where it is carried, and the modes lie along the line to
    its second. Its mass is along this line, at places of it, and in a rigid remainder that mass, com and inertia add.
    """

    points: tuple[str, ...] = key(names(0), "named points that are fixed on this body; results follow them", ())
    mass: float | None = key(
        not_negative,
        "0: a mere frame; default where it bends: by density and lumps; else unknown, for motion only",
        None,
        dimension="mass",
    )
    com: Vector3 | None = key(vector3, "centre of mass, in the drawing, length", None, dimension="length")
    inertia: tuple[float, ...] | None = key(
        tensors.inertia,
        "tensor about the centre of mass, axes of the drawing, mass length^2; xy = -sum of m x y",
        None,
        dimension="inertia",
    )
    inertia_rule: str = key(
        choice(*tensors.RULES),
        "what the inertia is held to: that some mass can have it, or only that no moment is negative, for measured and "
        "guessed numbers that break the triangle inequality",
        tensors.RULES[0],
    )
    density: Profile | None = key(
        profile,
        "of a bending body: mass per length; default: the mass spread evenly, or none where there are lumps",
        None,
        dimension="mass/length",
    )
    rotary: tuple[float, ...] | None = key(
        tensors.inertia,
        "rotary inertia per length, mass length; what torsion needs; default: none",
        None,
        dimension="mass length",
    )
    lumps: tuple[Lump, ...] = key(list_of(Lump), "masses at places along the length: {x, mass, inertia}", ())
    modes: tuple[Mode, ...] = key(list_of(Mode), "shapes {along or about, shape}; none: the body is rigid", ())
    shapes: ModeTable | None = key(mode_table, "or all modes in one table, as a finite-element program has them", None)
    EI: FrozenMapping[Profile] | Profile | None = key(
        profile_by_axis,
        "bending stiffness, force length^2; for displacements along y and z: {y = ..., z = ...}",
        None,
        dimension="force length^2",
    )
    GJ: FrozenMapping[Profile] | Profile | None = key(
        profile_by_axis,
        "torsional stiffness, force length^2; for rotations about other axes too: {x = ..., y = ...}",
        None,
        dimension="force length^2",
    )
    EA: Profile | None = key(
        profile, "axial stiffness, force; for displacements along the body", None, dimension="force"
    )
    K: tuple[tuple[float, ...], ...] | None = key(
        matrix, "or the whole stiffness matrix of the modes", None, dimension="any"
    )
    section: Section | None = key(
        section, 'or the cross-section, such as {type = "tube", outer, inner}, which with E gives EI and EA', None
    )
    up: Vector3 | None = key(axis, "where the height of the section points, in the drawing; round ones need none", None)
    E: float | None = key(positive, "with a section: modulus of elasticity, force/length^2", None, dimension="pressure")
    G: float | None = key(
        positive, "with a section: shear modulus, which gives GJ, force/length^2", None, dimension="pressure"
    )
    nu: float | None = key(number, "or Poisson's ratio: G = E/(2 (1 + nu))", None, dimension="number")
    rho: float | None = key(
        positive, "with a section: mass per volume, which gives density and rotary", None, dimension="density"
    )
    damping: tuple[float, ...] = key(
        numbers,
        "a, b: of the body held at its first point, a M + b K, 1/s and s; a vibration has zeta = (a/omega + b omega)/2",
        (0.0, 0.0),
        dimension="any",
    )
    damping_ratio: float | tuple[float, ...] | None = key(
        ratios,
        "or zeta of the vibrations of the body held at its first point: one number for all, or a list for the lowest "
        "ones (the others have none)",
        None,
        dimension="number",
    )
    sublinks: int = key(whole(1), "parts of equal length, each with these modes, welded to each other", 1)
    keep: int | None = key(
        whole(1),
        "how many of the lowest vibrations of all parts, held at the first point, are its modal coordinates instead; "
        "static shapes make up for the others",
        None,
    )

    @property
    def n_modes(self) -> int:
        """The number of modal coordinates of one part."""
        return self.shapes.n if self.shapes else len(self.modes)

    @property
    def parts(self) -> int:
        """The number of parts that move by themselves: one where it is reduced."""
        return 1 if self.keep else self.sublinks

    @property
    def n_coordinates(self) -> int:
        """The number of modal coordinates of all parts; of a reduced body without its static shapes."""
        return self.keep or self.n_modes * self.sublinks

    @property
    def bends(self) -> bool:
        """Whether it has modes."""
        return self.n_modes > 0

    def verify(self) -> None:
        """Check that mass, modes and stiffness are each said once and fit together."""
        if self.bends:
            self._check_modes()
            materials.check_material(self)
            self._check_spread_mass()
            self._check_sublinks()
            return
        given = [k for k in BENDING if getattr(self, k)]
        if given or self.sublinks > 1 or any(self.damping):
            word = given[0] if given else "sublinks" if self.sublinks > 1 else "damping"
            raise ModelError(f'key "{word}": is for bodies that bend, and one without modes is rigid; add "modes"')
        self._check_rigid()

    def _check_rigid(self) -> None:
        """Check that centre and inertia can be known, and that some mass can have this inertia."""
        count = len(self.points)
        if self.mass is None:  # unknown: it can be moved, but not asked for forces
            if self.com is None and not count:
                raise ModelError('keys "points" and "com" are both missing; add one of them')
            return
        if self.com is None and count < 2 and self.mass > 0.0:
            raise ModelError(
                f'key "com" is required for a body with {count} point(s); where its centre of mass is, [x, y, z]'
            )
        if self.inertia is not None:
            tensors.check(self.mass, tensors.tensor(self.inertia), self.inertia_rule)
        elif count != 2 and self.mass > 0.0:
            raise ModelError(
                f'key "inertia" is required for a body with {count} point(s); the tensor about its centre of mass, '
                "[xx, yy, zz]"
            )

    def _check_modes(self) -> None:
        if len(self.points) < 2:
            raise ModelError(
                f'key "points": a body that bends needs two, where it is carried and where it ends; got '
                f"{len(self.points)}"
            )
        if self.modes and self.shapes:
            raise ModelError('keys "modes" and "shapes" are both given; keep one of them')
        if self.K is not None:
            if len(self.K) != self.n_modes:
                raise ModelError(f'key "K": has {len(self.K)} rows, but there are {self.n_modes} modes')
            for k in ("EI", "GJ", "EA"):
                if getattr(self, k) is not None:
                    raise ModelError(f'keys "K" and "{k}" both give the stiffness; keep one of them')
        if len(self.damping) != 2 or min(self.damping) < 0.0:
            raise ModelError(f'key "damping": expected two numbers a, b that are not negative, got {self.damping}')
        if any(self.damping) and self.damping_ratio is not None:
            raise ModelError('keys "damping" and "damping_ratio" both give the damping; keep one of them')

    def _check_spread_mass(self) -> None:
        if self.mass is None and self.density is None and self.rho is None and not self.lumps:
            raise ModelError('one of the keys "mass", "density", "rho" and "lumps" is needed; none is given')
        if self.com is not None and self.inertia is None and self.mass != 0.0:
            raise ModelError('key "com": the mass is no longer where its default inertia has it; give "inertia" too')
        if self.rotary is not None:
            check_rotary("rotary", self.rotary)

    def _check_sublinks(self) -> None:
        most = self.n_modes * self.sublinks
        if self.keep and self.keep > most:
            raise ModelError(
                f'key "keep": {self.keep} vibrations, but {self.sublinks} part(s) of {self.n_modes} mode(s) have '
                f"{most}; keep fewer, or give more parts or modes"
            )
        if self.sublinks == 1:
            return
        if self.sublinks > MOST:
            raise ModelError(f'key "sublinks": {self.sublinks} parts; at most {MOST}, more have no use in doubles')
        for k in ("com", "inertia", "shapes", "K"):
            if getattr(self, k) is not None:
                raise ModelError(
                    f'key "{k}": belongs to the body as a whole, but sublinks = {self.sublinks} cut it up; take it out '
                    '(give "density", "rotary", "EI" and "GJ" in its place), or set sublinks = 1'
                )

    def check_length(self, length: float) -> None:
        """Check what depends on the length of a bending body."""
        if length == 0.0:
            raise ModelError('key "modes": its first two points lie at one place, so it has no length; move one')
        tables: list[tuple[str, Any]] = [("shapes", self.shapes), ("density", self.density), ("EA", self.EA)]
        for k in ("EI", "GJ"):
            given = getattr(self, k)
            every = given.values() if isinstance(given, FrozenMapping) else (given,)
            tables += [(k, one) for one in every]
        tables += [(f"modes: number {n}", mode.shape) for n, mode in enumerate(self.modes, start=1)]
        for word, table in tables:
            if not isinstance(table, (Samples, ModeTable)):
                continue
            last = table.x[-1]
            if abs(last - 1.0) > FITS and abs(last - length) > FITS * length:
                raise ModelError(
                    f'key "{word}": its last place is {last:g}, but the body ends at {length:g}; places run from '
                    "0 to 1 or to this length"
                )
        for n, lump in enumerate(self.lumps, start=1):
            if lump.x > length * (1.0 + FITS):
                raise ModelError(
                    f'key "lumps": number {n} is at {lump.x:g}, beyond the end of the body at {length:g}; put it '
                    "on the next body"
                )

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return a line through its joints and points, and the solid of its inertia where it has a thickness."""
        m, name = mechanism, part.name
        if self.bends:  # in pieces, which follow its deflection
            one, other = m.line(name)
            pieces = PIECES * self.sublinks
            places = (
                tuple(a + (b - a) * k / pieces for a, b in zip(one, other, strict=True)) for k in range(pieces + 1)
            )
            return (Line(part, name, tuple(places)),)
        ends = [joint.seat(name, m)[1] for joint in m.joints.values() if name in joint.bodies]
        ends += [m.points[p] for p in self.points]
        shown = bones(m.centre(name), list(dict.fromkeys(ends)))
        solid = faces(m.mass(name), m.centre(name), m.inertia(name), shown)
        lines = [Line(part, name, line) for line in shown]
        return (*lines, Plate(part, name, faces=solid)) if solid else tuple(lines)


def check_rotary(word: str, inertia: tuple[float, ...]) -> None:
    """Check that no turn gives energy back; one axis may stand alone, as where torsion is all that matters."""
    least, _, most = tensors.principal(tensors.tensor(inertia))
    if least < -tensors.SLACK * most:
        raise ModelError(f'key "{word}": its least principal moment is {least:g}, but none can be negative')


@dataclass(frozen=True, kw_only=True)
class Bending(Spec):
    """How bodies that bend are modelled."""

    geometry: str = key(
        choice("consistent", "report"),
        "whether bending turns the next body (consistent), or not, as published",
        "consistent",
    )
    stiffening: bool = key(truth, "whether bodies shorten as they bend, which stiffens them in tension", True)


@dataclass(frozen=True, kw_only=True)
class Impulse(Spec):
    """An impulse on a body: speeds jump, places do not; one at or after the end of a run does not act."""

    time: float = key(not_negative, "s; 0: before the run begins", 0.0, dimension="time")
    body: str = key(name, "the body it acts on")
    point: str | Vector3 | None = key(
        place3,
        "a place fixed on the body, in the drawing: name or three numbers; default: centre of mass",
        None,
        dimension="length",
    )
    impulse: Vector3 = key(vector3, "force times time", NOTHING, dimension="impulse")
    moment: Vector3 = key(vector3, "moment times time, besides that of the impulse", NOTHING, dimension="moment time")
    frame: str = key(choice("global", "body"), "axes of both: global, or those of the body at that time", "global")

    def check(self, mechanism: Mechanism) -> None:
        """Check that it strikes a body that can move, at a point of that body."""
        mechanism.moving_body(self.body)
        mechanism.place_on(self.point, self.body)

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow, and a turning one for its moment."""
        at = mechanism.place(self.point, self.body)
        return striking(part, self.body, at, self.impulse, self.moment, self.frame)


@dataclass(frozen=True, kw_only=True)
class Initial(Spec):
    """What holds at t = 0 besides joints and drivers.

    Coordinates that are not mentioned are where they are drawn or, in loops, where the least movement leads; speeds
    that are not mentioned are those of the motion of least kinetic energy.
    """

    position: Mapping[str, Given] = key(
        mapping_of(coordinates),
        "coordinates of joints, rad or length, from the drawing",
        FrozenMapping(),
        dimension="freedom",
    )
    rate: Mapping[str, Given] = key(
        mapping_of(coordinates), "rates of the coordinates of joints", FrozenMapping(), dimension="freedom/time"
    )
    omega: Mapping[str, Vector3] = key(
        mapping_of(vector3),
        "angular velocity of bodies, global axes, rad/s",
        FrozenMapping(),
        dimension="angular rate",
    )
    velocity: Mapping[str, Vector3] = key(
        mapping_of(vector3), "velocity of points, length/s", FrozenMapping(), dimension="speed"
    )
    deflection: Mapping[str, float] = key(
        mapping_of(number), "of the drives of joints, rad or length", FrozenMapping(), dimension="freedom"
    )
    deflection_rate: Mapping[str, float] = key(
        mapping_of(number), "its rates", FrozenMapping(), dimension="freedom/time"
    )
    modes: Mapping[str, tuple[float, ...]] = key(
        mapping_of(numbers),
        "modal coordinates of bending bodies, one part after the other",
        FrozenMapping(),
        dimension="any",
    )
    mode_rates: Mapping[str, tuple[float, ...]] = key(
        mapping_of(numbers), "their rates", FrozenMapping(), dimension="any"
    )


def length(line: tuple[Vector3, Vector3]) -> float:
    """Return the length of the line along which a body bends."""
    return math.dist(*line)
