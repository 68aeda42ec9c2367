"""Linkages as mechanisms: what a user would draw, from the numbers that a synthesis finds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import Run
from particlemech.model.drivers import Coordinate
from particlemech.model.joints import Prismatic, Revolute
from particlemech.model.mechanism import Body, Mechanism
from particlemech.model.signals import Linear
from particlemech.synthesis.evaluating import arc, traced
from particlemech.synthesis.linkage import CX, CY, DELTA, OX, OY, A, B, C, E, U, V, ends

RATE = 1.0  # rad/s of the crank


@dataclass(frozen=True, eq=False)
class Linkage:
    """A four-bar or a slider-crank, as linkage.py describes it.

    Attributes
    ----------
    x : array, shape (12,)
        Its numbers, lengths in units of the task.
    slider : bool
        Whether it is a slider-crank.
    side : float
        +1 or -1: its assembly.
    """

    x: Array
    slider: bool
    side: float

    @property
    def lengths(self) -> dict[str, float]:
        """Lengths of its links by name; of a slider-crank also how far its line passes the pivot."""
        x = self.x
        links = {"crank": float(x[A]), "coupler": float(x[B])}
        if self.slider:
            return {**links, "offset": abs(float(x[E]))}
        return {**links, "rocker": float(x[C]), "ground": float(np.hypot(x[CX] - x[OX], x[CY] - x[OY]))}

    @property
    def arc(self) -> tuple[float, float]:
        """First and last angle of the crank at which it can be, rad; a whole turn where it turns round."""
        found = np.zeros(3)
        arc(self.x, self.slider, found)
        centre, k0, k1 = map(float, found)
        inner, outer = ends(k0, k1)
        low = math.acos(max(-1.0, min(1.0, (1.0 - k0) / k1))) if inner else 0.0
        high = math.acos(max(-1.0, min(1.0, (-1.0 - k0) / k1))) if outer else math.pi
        if inner and outer:
            return centre + low, centre + high
        return (centre + low, centre + 2.0 * math.pi - low) if inner else (centre - high, centre + high)

    @property
    def turns(self) -> bool:
        """Whether the crank turns round."""
        first, last = self.arc
        return last - first > 2.0 * math.pi - 1e-9

    def at(self, theta: Any) -> dict[str, Array]:
        """Return A, B and P, (K, 2), and the angle of the coupler and the output, (K,), at crank angles; or NaN."""
        angles = np.atleast_1d(np.asarray(theta, dtype=float))
        out = np.empty((len(angles), 8))
        traced(self.x, self.slider, self.side, angles, out)
        return {"A": out[:, 0:2], "B": out[:, 2:4], "P": out[:, 4:6], "angle": out[:, 6], "output": out[:, 7]}

    def mechanism(self, name: str, theta: float, way: float, about: str = "", **options: Any) -> Mechanism:
        """Return it as a mechanism, drawn at a crank angle, with a motor that turns the crank by `way` at 1 rad/s.

        Parameters
        ----------
        name, about
            Title, and one line about it.
        theta
            Crank angle of the drawing, rad.
        way
            How far the motor turns it in a run, rad; a whole turn where it can.
        options
            `density` of uniform rods, mass per length, default unknown masses; `units` of the model, default SI;
            `point`, whether the coupler has the point P, default yes.
        """
        x, place = self.x, {key: tuple(map(float, at[0])) for key, at in self.at(theta).items() if at.ndim == 2}
        points: dict[str, Any] = {"O": (float(x[OX]), float(x[OY])), "A": place["A"], "B": place["B"]}
        if not self.slider:
            points["C"] = (float(x[CX]), float(x[CY]))
        if options.get("point", True):
            points["P"] = place["P"]
        density = options.get("density")
        bodies = {"crank": _rods(points, "OA", density), "coupler": _rods(points, "ABP", density)}
        joints: dict[str, Any] = {
            "O": Revolute(point="O", bodies=("ground", "crank")),
            "A": Revolute(point="A", bodies=("crank", "coupler")),
        }
        if self.slider:
            bodies["slider"] = Body(points=("B",))
            joints["B"] = Revolute(point="B", bodies=("coupler", "slider"))
            along = (math.cos(x[DELTA]), math.sin(x[DELTA]))
            joints["guide"] = Prismatic(point="B", bodies=("ground", "slider"), axis=along)
        else:
            bodies["rocker"] = _rods(points, "BC", density)
            joints["B"] = Revolute(point="B", bodies=("coupler", "rocker"))
            joints["C"] = Revolute(point="C", bodies=("ground", "rocker"))
        far = 2.0 * math.pi if self.turns else abs(way)
        return Mechanism(
            name=name,
            about=about,
            units=options.get("units", "SI"),
            points=points,
            bodies=bodies,
            joints=joints,
            drivers={"motor": Coordinate(joint="O", motion=Linear(rate=math.copysign(RATE, way)))},
            run=Run(duration=max(far, 1e-6) / RATE, samples=201),
        )


def _rods(points: Mapping[str, Any], names: str, density: float | None) -> Body:
    """Return a body of uniform rods between all its points."""
    known = tuple(n for n in names if n in points)
    if density is None:
        return Body(points=known)
    if len(known) == 2:
        return Body(points=known, mass=density * math.dist(points[known[0]], points[known[1]]))
    rods = [(np.array(points[a]), np.array(points[b])) for k, a in enumerate(known) for b in known[k + 1 :]]
    masses = np.array([density * np.linalg.norm(b - a) for a, b in rods])
    middles = np.array([0.5 * (a + b) for a, b in rods])
    com = masses @ middles / masses.sum()
    away = np.sum((middles - com) ** 2, axis=1)
    inertia = float(masses @ (away + (masses / density) ** 2 / 12.0))
    return Body(points=known, mass=float(masses.sum()), com=(float(com[0]), float(com[1])), inertia=inertia)


def linkage_of(mechanism: Any, point: str, verb: str) -> tuple[Linkage, float]:
    """Return the four-bar that a mechanism is, with its crank angle as drawn; the crank is the one that is driven.

    Parameters
    ----------
    mechanism
        In the plane, with three bodies and four pins.
    point
        Of its coupler, by name.
    verb
        Who asks, for messages.
    """
    pins = [j for j in getattr(mechanism, "joints", {}).values() if [f.turn for f in j.freedoms] == [True]]
    pins = [j for j in pins if j.point is not None and len(j.bodies) == 2]
    grounded = [j for j in pins if "ground" in j.bodies]
    cranks = [next(b for b in j.bodies if b != "ground") for j in grounded]
    four = getattr(mechanism, "kind", "") == "planar" and len(pins) == len(mechanism.joints) == 4
    coupler = [b for b in mechanism.bodies if b not in cranks] if four else []
    ends_ = [[j for j in pins if set(j.bodies) == {crank, *coupler}] for crank in cranks]
    if len(coupler) != 1 or len(cranks) != 2 or [len(e) for e in ends_] != [1, 1]:
        raise ModelError(
            f'{verb}: takes a four-bar in the plane, of three bodies and four pins, not "{mechanism.name}"'
        )
    mechanism.known_point(point)
    if point not in mechanism.bodies[coupler[0]].points:
        raise ModelError(f'{verb}: point "{point}" must be one of the coupler "{coupler[0]}"; list it there')
    driven = {d.joint for d in mechanism.drivers.values()}
    names = [next(n for n, j in mechanism.joints.items() if j is g) for g in grounded]
    order = (1, 0) if names[1] in driven and names[0] not in driven else (0, 1)
    (O, a), (other, end) = [[complex(*mechanism.drawn(j.point)) for j in (grounded[k], ends_[k][0])] for k in order]
    return from_places(O, a, other, end, complex(*mechanism.points[point]))


def from_places(O: complex, a: complex, other: complex, end: complex, P: complex) -> tuple[Linkage, float]:
    """Return the four-bar with pivots O and `other`, joints a and `end` and coupler point P, and its crank angle."""
    x, rod = np.zeros(12), end - a
    x[OX], x[OY], x[CX], x[CY] = O.real, O.imag, other.real, other.imag
    x[A], x[B], x[C] = abs(a - O), abs(rod), abs(end - other)
    w = (P - a) * rod.conjugate() / x[B]
    x[U], x[V] = w.real, w.imag
    side = 1.0 if ((other - a).conjugate() * (end - a)).imag >= 0.0 else -1.0
    return Linkage(x, False, side), float(np.angle(a - O))
