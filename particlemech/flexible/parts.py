"""Parts of a flexible manipulator as users write them: base, links with their modes, points, drivers, start.

A link has axes of its own: origin in its proximal joint, z along the axis of that joint. Places of a link are given in
these axes, undeflected. `end` and `alpha` lead to the next joint, [G88] Table 3.1-1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from particlemech import inertia as tensors
from particlemech._spec import (
    FrozenMapping,
    Spec,
    Vector3,
    choice,
    key,
    kind_name,
    mapping_of,
    name,
    not_negative,
    number,
    number_or_numbers,
    numbers,
    positive,
    unit,
    vector3,
    whole,
)
from particlemech.errors import ModelError
from particlemech.flexible.forms import (
    ModeTable,
    Profile,
    Samples,
    axis,
    list_of,
    matrix,
    mode_table,
    profile,
    profile_by_axis,
)
from particlemech.primitives import Line, Looks, Part, Turn
from particlemech.signals import SignalSpec, motion

if TYPE_CHECKING:
    from particlemech.flexible.mechanism import Mechanism

BASE = "base"
NOTHING: Vector3 = (0.0, 0.0, 0.0)
FITS = 1e-6  # of the length: how near the last place of a table comes to it
PIECES = 16  # in which a sub-link is drawn
MOST = 64  # sub-links of a link


@dataclass(frozen=True, kw_only=True)
class Base(Spec):
    """Link 0, which is rigid: held fast, free to translate, or free to move in any way."""

    motion: str = key(choice("fixed", "translates", "free"), "how it can move", "fixed")
    mass: float = key(not_negative, "does not matter where it is fixed", 0.0)
    com: Vector3 = key(vector3, "centre of mass from its origin, base axes, length", NOTHING)
    inertia: tuple[float, ...] = key(tensors.inertia, "tensor, mass length^2; xy = -sum of m x y", NOTHING)
    inertia_about: str = key(choice("origin", "com"), "what the tensor is about", "origin")
    end: Vector3 = key(vector3, "where the first joint is, base axes, length", NOTHING)
    alpha: float = key(number, "angle from its z to the axis of the first joint, about its x, rad", 0.0)

    def verify(self) -> None:
        """Check that some mass can have this inertia."""
        check_rigid(self.mass, self.com, tensors.tensor(self.inertia), self.inertia_about)


@dataclass(frozen=True, kw_only=True)
class Mode(Spec):
    """One shape in which a link deflects: a displacement along a direction, or a rotation about an axis."""

    along: Vector3 | None = key(axis, "direction of the displacement", None)
    about: Vector3 | None = key(axis, "or axis of the rotation", None)
    shape: Profile = key(profile, "its size along the link, per unit of the modal coordinate; 0 at the origin")

    def verify(self) -> None:
        """Check that it is either a displacement or a rotation."""
        if (self.along is None) == (self.about is None):
            which = "none is given" if self.along is None else "both are given"
            raise ModelError(f'exactly one of "along" (displacement) and "about" (rotation) is needed; {which}')


@dataclass(frozen=True, kw_only=True)
class Lump(Spec):
    """A mass at one place along a link, which moves with its section."""

    x: float = key(not_negative, "distance from the origin along the link, length")
    mass: float = key(positive, "mass")
    inertia: tuple[float, ...] = key(
        tensors.inertia, "rotary inertia about its own centre, link axes, mass length^2", NOTHING
    )

    def verify(self) -> None:
        """Check that turning it takes energy."""
        check_rotary("inertia", self.inertia)


@dataclass(frozen=True, kw_only=True)
class Link(Spec):
    """A link, rigid where it has no modes; its mass may be along its length, at places, and in a table of its own."""

    end: Vector3 = key(vector3, "where the next joint is, link axes, length; modes lie along the line to it", NOTHING)
    alpha: float = key(number, "angle from its z to the axis of the next joint, about its x, rad", 0.0)
    mass: float | None = key(not_negative, "all of it; default: that along the length and at places", None)
    com: Vector3 | None = key(vector3, "centre of mass from the origin, link axes; default: by the same masses", None)
    inertia: tuple[float, ...] | None = key(
        tensors.inertia, "tensor, link axes, mass length^2; xy = -sum of m x y; default: by the same masses", None
    )
    inertia_about: str = key(choice("origin", "com"), "what the tensor is about", "origin")
    density: Profile | None = key(
        profile, "mass per length; default: the mass spread evenly, or none where there are lumps", None
    )
    rotary: tuple[float, ...] | None = key(
        tensors.inertia, "rotary inertia per length, mass length; what torsion needs; default: none", None
    )
    lumps: tuple[Lump, ...] = key(list_of(Lump), "masses at places along the length: {x, mass, inertia}", ())
    modes: tuple[Mode, ...] = key(list_of(Mode), "shapes {along or about, shape}; none: the link is rigid", ())
    shapes: ModeTable | None = key(mode_table, "or all modes in one table, as a finite-element program has them", None)
    EI: FrozenMapping[Profile] | Profile | None = key(
        profile_by_axis, "bending stiffness, force length^2; for displacements along y and z: {y = ..., z = ...}", None
    )
    GJ: FrozenMapping[Profile] | Profile | None = key(
        profile_by_axis,
        "torsional stiffness, force length^2; for rotations about other axes too: {x = ..., y = ...}",
        None,
    )
    EA: Profile | None = key(profile, "axial stiffness, force; for displacements along the link", None)
    K: tuple[tuple[float, ...], ...] | None = key(matrix, "or the whole stiffness matrix of the modes", None)
    damping: tuple[float, ...] = key(numbers, "a, b: damping matrix of the modes a I_qq + b K, 1/s and s", (0.0, 0.0))
    sublinks: int = key(whole(1), "parts of equal length, each with these modes, welded to each other", 1)

    @property
    def length(self) -> float:
        """Distance from the origin to the end."""
        return math.hypot(*self.end)

    @property
    def along(self) -> Vector3:
        """Unit vector from the origin to the end; zero where they are one."""
        return unit(self.end) if self.length > 0.0 else NOTHING

    @property
    def n_modes(self) -> int:
        """The number of modal coordinates of one sub-link."""
        return self.shapes.n if self.shapes else len(self.modes)

    @property
    def flexible(self) -> bool:
        """Whether it has modes."""
        return self.n_modes > 0

    def verify(self) -> None:
        """Check that mass, modes and stiffness are each said once and fit together."""
        self._check_length()
        self._check_modes()
        self._check_mass()
        self._check_sublinks()
        if len(self.damping) != 2 or min(self.damping) < 0.0:
            raise ModelError(f'key "damping": expected two numbers a, b that are not negative, got {self.damping}')

    def _check_length(self) -> None:
        needing = [k for k in ("modes", "shapes", "density", "lumps", "rotary") if getattr(self, k)]
        if needing and self.length == 0.0:
            raise ModelError(f'key "{needing[0]}": the link has no length; give "end" other than [0, 0, 0]')
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
            if abs(last - 1.0) > FITS and abs(last - self.length) > FITS * self.length:
                raise ModelError(
                    f'key "{word}": its last place is {last:g}, but the link ends at {self.length:g}; places run from '
                    "0 to 1 or to this length"
                )

    def _check_modes(self) -> None:
        if self.modes and self.shapes:
            raise ModelError('keys "modes" and "shapes" are both given; keep one of them')
        if not self.flexible:
            for k in ("EI", "GJ", "EA", "K"):
                if getattr(self, k) is not None:
                    raise ModelError(f'key "{k}": a link without modes is rigid and has no stiffness; add "modes"')
            if self.sublinks > 1:
                raise ModelError(f'key "sublinks": {self.sublinks} parts of a rigid link are one; add "modes"')
        elif self.K is not None:
            if len(self.K) != self.n_modes:
                raise ModelError(f'key "K": has {len(self.K)} rows, but there are {self.n_modes} modes')
            for k in ("EI", "GJ", "EA"):
                if getattr(self, k) is not None:
                    raise ModelError(f'keys "K" and "{k}" both give the stiffness; keep one of them')

    def _check_mass(self) -> None:
        if self.mass is None and self.density is None and not self.lumps:
            raise ModelError('one of the keys "mass", "density" and "lumps" is needed; none is given')
        if self.com is not None and self.inertia is None and self.mass != 0.0:
            raise ModelError('key "com": the mass is no longer where its default inertia has it; give "inertia" too')
        for n, lump in enumerate(self.lumps, start=1):
            if lump.x > self.length * (1.0 + FITS):
                raise ModelError(
                    f'key "lumps": number {n} is at {lump.x:g}, beyond the end of the link at {self.length:g}; put it '
                    "on the next link"
                )
        if self.rotary is not None:
            check_rotary("rotary", self.rotary)

    def _check_sublinks(self) -> None:
        if self.sublinks == 1:
            return
        if self.sublinks > MOST:
            raise ModelError(f'key "sublinks": {self.sublinks} parts; at most {MOST}, more have no use in doubles')
        for k in ("com", "inertia", "shapes", "K"):
            if getattr(self, k) is not None:
                raise ModelError(
                    f'key "{k}": belongs to the link as a whole, but sublinks = {self.sublinks} cut it up; take it out '
                    '(give "density", "rotary", "EI" and "GJ" in its place), or set sublinks = 1'
                )

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return the line from its origin to its end, in pieces where it bends."""
        pieces = PIECES * self.sublinks if self.flexible else 1
        places = tuple(tuple(c * k / pieces for c in self.end) for k in range(pieces + 1))
        return (Line(part, part.name, places),) if self.length > 0.0 else ()


def check_rotary(word: str, inertia: tuple[float, ...]) -> None:
    """Check that no turn gives energy back; one axis may stand alone, as where torsion is all that matters."""
    least, _, most = tensors.principal(tensors.tensor(inertia))
    if least < -tensors.SLACK * most:
        raise ModelError(f'key "{word}": its least principal moment is {least:g}, but none can be negative')


def check_rigid(mass: float, com: Vector3, tensor: tensors.Tensor, about: str) -> None:
    """Check that some rigid mass can have this inertia."""
    xx, yy, zz, xy, xz, yz = tensor
    if about == "origin":
        x, y, z = com
        xx, yy, zz = xx - mass * (y * y + z * z), yy - mass * (x * x + z * z), zz - mass * (x * x + y * y)
        xy, xz, yz = xy + mass * x * y, xz + mass * x * z, yz + mass * y * z
    try:
        tensors.check(mass, (xx, yy, zz, xy, xz, yz))
    except ModelError as error:
        moved = " (moved to the centre of mass from the origin)" if about == "origin" and any(com) else ""
        raise ModelError(f"{error}{moved}") from None


@dataclass(frozen=True, kw_only=True)
class Point(Spec):
    """A place fixed on a link that results follow."""

    link: str = key(name, 'a link, or "base"')
    at: Vector3 | None = key(vector3, "in the axes of the link, undeflected; default: its end", None)


@dataclass(frozen=True, kw_only=True)
class Driver(Spec):
    """The prescribed motion of a joint, before its own deflection; its effort is a result."""

    joint: str = key(name, "the joint")
    motion: SignalSpec = key(motion, "value of its coordinate, rad or length")

    def verify(self) -> None:
        """Check that the motion is smooth enough to follow."""
        if not self.motion.smooth:
            kind = kind_name(type(self.motion))
            raise ModelError(f'key "motion": a {kind} jumps and cannot be followed; use "cycloid" or "table"')

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return an arrow about or along the axis of the joint."""
        return mechanism.joints[self.joint].acted(part, None)

    def turns(self, mechanism: Mechanism) -> bool:
        """Whether its effort is a moment."""
        return any(isinstance(p, Turn) for p in mechanism.joints[self.joint].acted(Part("driver", self.joint), None))


@dataclass(frozen=True, kw_only=True)
class Initial(Spec):
    """Where the coordinates start and how fast; those not mentioned start from 0, at rest."""

    position: Mapping[str, tuple[float, ...]] = key(
        mapping_of(number_or_numbers),
        'coordinates of joints, rad or length; of "base" its place, or place and 1-2-3 angles',
        FrozenMapping(),
    )
    rate: Mapping[str, tuple[float, ...]] = key(
        mapping_of(number_or_numbers), 'rates of joints; velocity of "base", global axes', FrozenMapping()
    )
    omega: Mapping[str, Vector3] = key(
        mapping_of(vector3), 'angular velocity of "base" where it is free, global axes, rad/s', FrozenMapping()
    )
    deflection: Mapping[str, float] = key(mapping_of(number), "of flexible joints, rad or length", FrozenMapping())
    deflection_rate: Mapping[str, float] = key(mapping_of(number), "its rates", FrozenMapping())
    modes: Mapping[str, tuple[float, ...]] = key(
        mapping_of(numbers), "modal coordinates of links, one sub-link after the other", FrozenMapping()
    )
    mode_rates: Mapping[str, tuple[float, ...]] = key(mapping_of(numbers), "their rates", FrozenMapping())
