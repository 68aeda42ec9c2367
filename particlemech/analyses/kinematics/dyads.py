"""All assemblies of a driven planar mechanism by closed forms, where it comes apart into groups that have one.

With the drivers where they are, bodies are placed one after the other: alone, where what is placed already holds them,
or two at a time (dyads of Assur). All that has to be solved has one unknown z. A body that a pin holds turns, one whose
direction is known slides along a line or, on a bar, along a circle:

    (r, t) = (z, X - z p),    (r, t) = (r, a + b z),    |z| = 1 on a circle, z real on a line               (1)

Its further bonds are, along (1), of the first degree in z and conj(z), or of the second in a real z:

    d + Re (conj(c) z) = 0,    f0 + f1 z + f2 z^2 = 0                                                       (2)

which three values give; so is the bond of a dyad: its inner pin lies on the circle or line that (1) makes of it on one
body, while the other follows (1) (RRR, RRP, PRP), or both turn together with a slide between them (RPR). Slides of
which one direction is known make all others known, so that RPP needs no case.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from particlemech.analyses.kinematics.bonds import HOME, Drawn, Pose, Poses, Unsolved, gap, groups, misses
from particlemech.engine.plane import Pose as Bodies
from particlemech.model.description import GROUND
from particlemech.model.freedom import Bond
from particlemech.model.mechanism import Mechanism

NOTHING = 1e-12  # of the mechanism's length: a coefficient that is none
TWICE = 1e-13  # of squares: two solutions that are nearer are one, at a toggle; they are 3e-7 apart
MEETS, APART = 1e-9, 1e-6  # of the length, or rad: what fits, and what does not; between the two it is not known
MOST = 4096  # ways: more are not listed


class Family(NamedTuple):
    """Poses of a body with one freedom, (1)."""

    r0: complex
    r1: complex
    a: complex
    b: complex
    round: bool  # |z| = 1, not z real

    def pose(self, z: complex) -> Pose:
        """Return one of them."""
        return Pose(self.r0 + self.r1 * z, self.a + self.b * z)


def solved(mechanism: Mechanism, s: float) -> list[Bodies] | None:
    """Return all ways in which a mechanism fits together while its drivers are where they are at the time s.

    None where not all bodies can be placed by closed forms.
    """
    of, found = Drawn.of(mechanism), list[Bodies]()
    try:
        rigid = groups(of, s)
        left = frozenset(group for group, _ in rigid.inner.values()) - {GROUND}
        for at in _ways(rigid.bonds, {GROUND: HOME}, left):
            if len(found) == MOST:
                return None
            poses = [at[group].of(inner) for group, inner in rigid.inner.values()]
            centres = [
                pose.at(of.number(complex(*mechanism.centre(b)))) for b, pose in zip(rigid.inner, poses, strict=True)
            ]
            places = [of.origin + of.unit * place for place in centres]
            com = np.array([(place.real, place.imag) for place in places]).reshape(-1, 2)
            found.append(Bodies(com, np.array([cmath.phase(pose.r) for pose in poses])))
    except Unsolved:
        return None
    return found


def _ways(bonds: list[Bond], at: Poses, left: frozenset[str]) -> Iterator[Poses]:
    """Give all poses of all groups, from those that are known."""
    if not left:
        yield at
        return
    known = _directions(bonds, at)
    families = {body: _family(bonds, at, body, known.get(body)) for body in sorted(left)}
    for parts in (*((body,) for body in families), *combinations(families, 2)):
        found = _placed(bonds, at, parts, [families[body] for body in parts])
        if found is not None:
            for new in found:
                yield from _ways(bonds, at | new, left - new.keys())
            return
    raise Unsolved


def _directions(bonds: list[Bond], at: Poses) -> dict[str, complex]:
    """Return the directions of all groups that are not free to turn."""
    known = {body: pose.r for body, pose in at.items()}
    turns = [bond for bond in bonds if bond.kind == "turn"]
    for _ in turns:
        for bond in turns:
            if bond.first in known:
                known.setdefault(bond.second, known[bond.first] * bond.u)
            elif bond.second in known:
                known[bond.first] = known[bond.second] * bond.u.conjugate()
    return known


def _family(bonds: list[Bond], at: Poses, body: str, r: complex | None) -> Family | None:
    """Return the poses that bonds to what is known leave a body, or None where these are no (1)."""
    for bond in _held(bonds, at, (body,)):
        sign = 1.0 if bond.second == body else -1.0
        if r is not None and bond.kind != "turn":
            # w = w0 + sign t
            rest = at | {body: Pose(r, 0j)}
            w0, along = gap(bond, rest), rest[bond.first].r * bond.u
            return Family(r, 0j, -sign * w0, *((bond.length, True) if bond.kind == "bar" else (along, False)))
        if r is None and bond.kind == "pin":
            own, X = (bond.q, at[bond.first].at(bond.p)) if sign > 0.0 else (bond.p, at[bond.second].at(bond.q))
            return Family(0j, 1.0 + 0j, X, -own, True)
    return None


def _held(bonds: list[Bond], at: Poses, parts: Sequence[str]) -> list[Bond]:
    """Return the bonds of some groups with each other and with what is known."""
    inside = {*at, *parts}
    return [t for t in bonds if {t.first, t.second} & {*parts} and t.first in inside and t.second in inside]


def _placed(bonds: list[Bond], at: Poses, parts: Sequence[str], families: list[Family | None]) -> list[Poses] | None:
    """Return all poses of one or two groups; None where they are not held, or not so that (2) tells."""
    if None in families:
        return None
    held = _held(bonds, at, parts)
    if len(parts) == 1:
        tries = _along(held, at, lambda z: {parts[0]: families[0].pose(z)}, families[0].round)  # type: ignore[union-attr]
    else:
        tries = _dyad(held, at, parts, families)  # type: ignore[arg-type]
    if tries is None:
        return None
    found = []
    for new in tries:
        worst = max(abs(miss) for bond in held for miss in misses(bond, at | new))
        if MEETS < worst < APART:
            raise Unsolved
        if worst <= MEETS:
            found.append(new)
    return found


def _along(held: list[Bond], at: Poses, poses: Callable[[complex], Poses], circle: bool) -> list[Poses] | None:
    """Return what the bonds leave of poses along z; None where that is all of them."""
    for bond in (bond for bond in held if bond.kind != "turn"):
        for k in range(len(misses(bond, at | poses(1.0)))):
            found = _roots(lambda z, bond=bond, k=k: misses(bond, at | poses(z))[k], circle)  # type: ignore[misc]
            if found is not None:
                return [poses(z) for z in found]
    return None


def _dyad(held: list[Bond], at: Poses, parts: Sequence[str], families: list[Family]) -> list[Poses] | None:
    """Return the poses of two groups each of which is left (1), by what joins them."""
    joining = {bond.kind: bond for bond in held if {bond.first, bond.second} == {*parts}}
    if "pin" in joining:
        return _pinned(joining["pin"], dict(zip(parts, families, strict=True)))
    if "turn" in joining and all(f.r1 for f in families):
        bond = joining["turn"]
        one, other = (families[parts.index(body)] for body in (bond.first, bond.second))
        both = lambda z: {bond.first: one.pose(z), bond.second: other.pose(z * bond.u)}  # noqa: E731
        return _along([t for t in held if {t.first, t.second} == {*parts}], at, both, True)
    return None


def _pinned(pin: Bond, families: dict[str, Family]) -> list[Poses] | None:
    """Return the poses of a dyad with an inner pin."""
    one, other = families[pin.first], families[pin.second]
    # the pin as a place of the first lies at m + n z
    m, n = one.a + one.r0 * pin.p, one.b + one.r1 * pin.p
    if abs(n) < NOTHING:
        return None

    def beside(z: complex) -> float:
        far = (other.pose(z).at(pin.q) - m) / n
        return 0.5 * abs(n) * (far.real**2 + far.imag**2 - 1.0) if one.round else abs(n) * far.imag

    found = _roots(beside, other.round)
    if found is None:
        return None
    made = []
    for z in found:
        own = (other.pose(z).at(pin.q) - m) / n
        own = own / abs(own) if one.round else complex(own.real)
        made.append({pin.first: one.pose(own), pin.second: other.pose(z)})
    return made


def _roots(f: Callable[[complex], float], circle: bool) -> list[complex] | None:
    """Return all z with f(z) = 0, (2); one that counts twice once. None where f does not depend on z."""
    first, last = f(1.0), f(-1.0)
    half, odd = 0.5 * (first + last), 0.5 * (first - last)
    if circle:
        up, down = f(1j), f(-1j)
        c = complex(odd, 0.5 * (up - down))
        if abs(c) < NOTHING:
            return None
        return [z * c / abs(c) for z in _pair(-half / abs(c), lambda x: (1.0 - x) * (1.0 + x), 1j)]
    f0 = f(0.0)
    f2 = half - f0
    if abs(f2) < NOTHING:
        return None if abs(odd) < NOTHING else [complex(-f0 / odd)]
    return _pair(-0.5 * odd / f2, lambda x: x * x - f0 / f2, 1.0)


def _pair(x: float, square: Callable[[float], float], way: complex) -> list[complex]:
    """Return x + y way and x - y way, y^2 = square(x)."""
    y2, least = square(x), TWICE * max(1.0, x * x)
    if y2 < -least:
        return []
    y = math.sqrt(max(y2, 0.0))
    return [x + y * way, x - y * way] if y2 > least else [complex(x)]
