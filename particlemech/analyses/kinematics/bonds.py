"""What holds the bodies of a planar mechanism together at one instant, as bonds of two rigid groups of bodies.

A pose is a pair of complex numbers (r, t), |r| = 1: what is drawn at p lies at t + r p, lengths in units of the
mechanism. With w = (t2 + r2 q) - (t1 + r1 p), between a place p of the first group and q of the second, bonds are

    pin     w = 0                                                                                         (1)
    line    Im (conj(r1 u) w) = 0          u fixed in the first                                           (2)
    bar     (|w|^2 - l^2)/(2 l) = 0                                                                       (3)
    turn    r2 = r1 u                                                                                     (4)

A joint is one or two of them, and so is a driver: it holds an angle (4), a travel (2) across the line, or a length (3).
"""

from __future__ import annotations

import cmath
from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

from particlemech.model.description import GROUND
from particlemech.model.freedom import Bond
from particlemech.model.mechanism import Mechanism, extent
from particlemech.model.signals import values

SAME = 1e-12  # of the mechanism's length, and of directions: what differs by less is one


class Unsolved(Exception):
    """What has no closed form here."""


class Pose(NamedTuple):
    """Where a group is."""

    r: complex
    t: complex

    def at(self, place: complex) -> complex:
        """Return where a place of the group is."""
        return self.t + self.r * place

    def of(self, inner: Pose) -> Pose:
        """Return where something is that lies so in the group."""
        return Pose(self.r * inner.r, self.at(inner.t))


HOME = Pose(1.0 + 0j, 0j)
Poses = dict[str, Pose]


def gap(bond: Bond, at: Poses) -> complex:
    """Return w."""
    return at[bond.second].at(bond.q) - at[bond.first].at(bond.p)


def _pin(bond: Bond, at: Poses) -> tuple[float, ...]:
    w = gap(bond, at)
    return w.real, w.imag  # (1)


def _line(bond: Bond, at: Poses) -> tuple[float, ...]:
    return (((at[bond.first].r * bond.u).conjugate() * gap(bond, at)).imag,)  # (2)


def _bar(bond: Bond, at: Poses) -> tuple[float, ...]:
    w = gap(bond, at)
    return ((w.real**2 + w.imag**2 - bond.length**2) / (2.0 * bond.length),)  # (3)


def _turn(bond: Bond, at: Poses) -> tuple[float, ...]:
    return (cmath.phase((at[bond.first].r * bond.u).conjugate() * at[bond.second].r),)  # (4)


OPEN: dict[str, Callable[[Bond, Poses], tuple[float, ...]]] = {
    "pin": _pin,
    "line": _line,
    "bar": _bar,
    "turn": _turn,
}


def misses(bond: Bond, at: Poses) -> tuple[float, ...]:
    """Return what (1) to (4) are beside zero."""
    return OPEN[bond.kind](bond, at)


def _moved(bond: Bond, old: str, new: str, by: Pose) -> Bond:
    """Return a bond when a group has become a part of another, in which it lies so."""
    if bond.first == old:
        bond = bond._replace(first=new, p=by.at(bond.p), u=by.r * bond.u)
    if bond.second == old:
        turned = bond.u * by.r.conjugate() if bond.kind == "turn" else bond.u
        bond = bond._replace(second=new, q=by.at(bond.q), u=turned)
    return bond


class Drawn(NamedTuple):
    """The drawing in units of the mechanism, about its centroid."""

    mechanism: Mechanism
    origin: complex
    unit: float

    @classmethod
    def of(cls, mechanism: Mechanism) -> Drawn:
        """Return that of a mechanism."""
        origin, unit = extent(mechanism)
        return cls(mechanism, complex(*origin), unit)

    def number(self, place: complex) -> complex:
        """Return a place."""
        return (place - self.origin) / self.unit

    def bonds(self, s: float) -> list[Bond]:
        """Return all bonds while the drivers are where their motions say at the time s."""
        m, found = self.mechanism, list[Bond | None]()
        for joint in m.joints.values():
            found += joint.bonds(m) or [None]
        found += [driver.bond(m, values(driver.motion, s)[0]) for driver in m.drivers.values()]
        if None in found:  # as of a coupling
            raise Unsolved
        return [
            bond._replace(p=self.number(bond.p), q=self.number(bond.q), length=bond.length / self.unit)
            for bond in found
            if bond is not None
        ]


# -- rigid groups ------------------------------------------------------------------------------------------------------


class Groups(NamedTuple):
    """Bodies that do not move against each other, as one; each is called by one of its bodies, or "ground"."""

    bonds: list[Bond]
    inner: dict[str, tuple[str, Pose]]  # body -> its group, and where it lies in that

    def pinned(self) -> None:
        """Make pins of lines that cross in one place: of a slide and of what drives its travel."""
        lines = [bond for bond in self.bonds if bond.kind == "line"]
        for a, b in combinations(lines, 2):
            across = (a.u.conjugate() * b.u).imag
            if (a.first, a.second) != (b.first, b.second) or abs(a.q - b.q) > SAME or abs(across) < SAME:
                continue
            place = a.p + (b.u.conjugate() * (a.p - b.p)).imag / across * a.u
            self.bonds[:] = [bond for bond in self.bonds if bond not in (a, b)]
            self.bonds.append(Bond("pin", a.first, a.second, place, a.q))
            return self.pinned()

    def merge(self) -> bool:
        """Make one group of two that a pin and an angle hold together; return whether there are such."""
        for turn in (bond for bond in self.bonds if bond.kind == "turn"):
            for pin in (bond for bond in self.bonds if bond.kind == "pin"):
                if {pin.first, pin.second} == {turn.first, turn.second}:
                    self._joined(pin, turn)
                    return True
        return False

    def _joined(self, pin: Bond, turn: Bond) -> None:
        keeps, goes = (pin.first, pin.second) if pin.second != GROUND else (pin.second, pin.first)
        own, other = (pin.p, pin.q) if keeps == pin.first else (pin.q, pin.p)
        r = turn.u if turn.first == keeps else turn.u.conjugate()
        by = Pose(r, own - r * other)
        moved = (_moved(bond, goes, keeps, by) for bond in self.bonds)
        self.bonds[:] = [bond for bond in moved if bond.first != bond.second]
        for body, (group, pose) in self.inner.items():
            if group == goes:
                self.inner[body] = keeps, by.of(pose)


def groups(of: Drawn, s: float) -> Groups:
    """Return the rigid groups of a mechanism, and what bonds them."""
    found = Groups(of.bonds(s), {body: (body, HOME) for body in of.mechanism.bodies})
    while True:
        found.pinned()
        if not found.merge():
            return found
