"""What applied forces exert along a motion: their quantities by name, at K samples, in the plane and in space.

A spring and damper along the line between C1 of one body and C2 of another:

    r = C2 - C1,  l = |r|,  l' = r.r'/l                                                   (1)
    f = k (l - l0) + c l'            positive where it pulls the ends together            (2)

At l = 0 the line has no direction, and l' counts as zero, as in the equations of motion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from particlemech.errors import ModelError, suggestion

Array = NDArray[np.float64]
Quantities = Mapping[str, tuple[str, ...]]  # quantity -> how its columns end; the first is what `force` gives

AXES = {2: "xy", 3: "xyz"}
LINE: Quantities = {"force": ("force",), "length": ("length",), "rate": ("rate",)}
TURN: Quantities = {"moment": ("moment",), "angle": ("angle",), "rate": ("rate",)}
TRAVEL: Quantities = {"force": ("force",), "travel": ("travel",), "rate": ("rate",)}
COUPLE: dict[str, tuple[str, ...]] = {"moment": ("moment",)}
EFFORT: Quantities = {"effort": ("effort",)}
CONTROL: Quantities = {"effort": ("effort",), "error": ("error",), "integral": ("integral",)}
ELECTRIC: Quantities = {"effort": ("effort",), "current": ("current",), "power": ("power",)}


# quantities that are motion
MOVING = ("length", "rate", "angle", "travel", "place", "gap", "pressure_angle", "curvature_radius")


def vectors(dimension: int, **letters: str) -> dict[str, tuple[str, ...]]:
    """Return quantities that are vectors, by the letter that begins their columns: force="f" gives fx, fy."""
    return {name: tuple(f"{letter}{axis}" for axis in AXES[dimension]) for name, letter in letters.items()}


class Places(Protocol):
    """Where places of bodies are along a motion; vectors in global axes."""

    def place_on(self, body: str, drawn: Any) -> Array:
        """Return where a place of a body, given as drawn, is at K samples, (K, 2) or (K, 3)."""

    def velocity_on(self, body: str, drawn: Any) -> Array:
        """Return its velocity, (K, 2) or (K, 3)."""


End = tuple[str, Any]  # a body and a place on it, as drawn


def along_line(
    seen: Places, one: End, other: End, stiffness: float, damping: float, length: float
) -> tuple[Array, Array, Array]:
    """Return force (2), length and rate (1) of a spring and damper between two ends, (K,) each."""
    r = seen.place_on(*other) - seen.place_on(*one)
    r_dot = seen.velocity_on(*other) - seen.velocity_on(*one)
    distance = np.linalg.norm(r, axis=1)
    rate = np.sum(r * r_dot, axis=1) / np.where(distance > 0.0, distance, 1.0)
    return stiffness * (distance - length) + damping * rate, distance, rate


class Pressed(NamedTuple):
    """A joint whose forces are results by themselves, as `result.force` asks for them."""

    joint: Any  # a JointSpec of either world
    efforts: Array  # (K, n) of its rows

    @property
    def called(self) -> bool:
        """Whether it is a function of the user."""
        return False

    def quantities(self, mechanism: Any) -> Quantities:
        """Return what it has, and how the columns end."""
        found: Quantities = self.joint.quantities(mechanism)
        return found

    def exerted(self, seen: Any) -> list[Array]:
        """Return these quantities."""
        found: list[Array] = self.joint.exerted(seen, self.efforts)
        return found


class Exerting:
    """Mixin of results: what springs, dampers, motors and loads exert, by name."""

    effort: Any  # of drivers, by name

    def _sight(self) -> Any:
        """Return the motion as the laws of forces ask for it, with its mechanism."""
        raise TypeError(f"{type(self).__name__} does not show its motion to forces")

    t: Array
    system: Any
    _states: Any  # the samples of each phase

    def _own(self, name: str) -> Array:
        """Return the states that a motor or controller owns, (K, n); 0 after it has been taken out."""
        n = self.system.elements.n_of(name)
        found = [
            s.system.elements.own(name, s.x) if s.system.elements.n_of(name) else np.zeros((len(s.t), n))
            for s in self._states
        ]
        return np.concatenate(found)

    @property
    def _forces(self) -> Mapping[str, Any]:
        """Return the specs of all forces, in the order of the model."""
        return {}

    @cached_property
    def _exerted(self) -> dict[str, dict[str, Array]]:
        """Quantities by force, of those that were asked for."""
        return {}

    def force(self, name: str, quantity: str | None = None) -> Array:
        """Return what a spring, damper, motor, load, gear or belt exerts, or another of its quantities, at the samples.

        spring
            "force" of spring and damper, positive where it pulls its ends together; "length"; "rate" of the length.
        torsion
            "moment", positive where it turns the second body back; "angle" of the second body against the first from
            the drawing; "rate" of the angle. Along a sliding joint: "force", "travel", "rate"; in a spherical joint
            alike about all axes: "moment" on the second body, (K, 3).
        torque
            "moment" on the second body.
        motor, controller
            "effort" on the coordinate of the joint; of a motor without coordinate: "moment" in parent axes, (K, 3).
        dc_motor
            "effort" on the coordinate of the joint; "current", A; the electrical "power" that it takes, W.
        curve_motor
            "effort" on the coordinate of the joint.
        pid
            "effort" on the coordinate of the joint; "error", setpoint less measured; "integral", as an effort.
        load
            "force" and the "place" where it acts, global axes, (K, 2) or (K, 3).
        distributed
            "force" and "moment" per length, in global axes or in those of the sections, as its `frame` says, (K, 3).
        custom
            "force", "place", and the couple "moment".
        gear, rack
            "force" across the line of centres, at the pitch point on the second body; "radial", which pushes apart.
        rolling
            "normal", which pushes apart; "tangential".
        stop
            "effort" on the coordinate of the joint; the "gap" to the nearest bound.
        contact
            "normal", which pushes apart; the "gap".
        cam
            "force" along the common normal, positive where it pushes; "pressure_angle", between it and the way of the
            follower; "curvature_radius" of the profile there; "gap", if it may lift off.
        belt
            "strand1", "strand2", ...: the tensions of its strands.

        Units are N, m, m/s, N m, rad and rad/s, or in space those of the model; shapes (K,) where no other is said.
        The first quantity is the default. Files have them all, in columns such as "strut.force", "strut.length",
        "push.fx", "push.px".

        Parameters
        ----------
        name
            The force or joint, as the model calls it.
        quantity
            Which of its quantities.

        Examples
        --------
        >>> import particlemech as pm
        >>> result = pm.simulate(pm.models.load("andrews_squeezer"), samples=2, duration=0.001)
        >>> float(result.force("spring", "length")[0].round(6))
        0.052673
        """
        known = self._quantities(name)
        quantity = next(iter(known)) if quantity is None else quantity
        if quantity not in known:
            raise ModelError(f'force "{name}" has no {quantity}; it has: {", ".join(known)}')
        return known[quantity]

    def pressure(self, driver: str) -> Array:
        """Return the pressure in a cylinder, (K,): the effort of a `distance` driver over its `area`, Pa in SI.

        It is that of the side that pushes over that of the other; where it is negative the cylinder pulls.

        Examples
        --------
        >>> import particlemech as pm
        >>> result = pm.simulate(pm.models.load("scissor_lift"), samples=3)
        >>> float((result.pressure("cylinder")[-1] / 1e6).round(3))
        2.293
        """
        drivers = self._sight().mechanism.drivers
        if driver not in drivers:
            raise ModelError(f'driver "{driver}" unknown{suggestion(driver, drivers)}')
        if drivers[driver].area is None:
            raise ModelError(f'driver "{driver}" is no cylinder of known area; give a "distance" driver the key "area"')
        return np.asarray(self.effort(driver) / float(drivers[driver].area))

    def pressure_columns(self) -> dict[str, Array]:
        """Return the pressures of all cylinders, by name, in the order of the model."""
        drivers = self._sight().mechanism.drivers
        return {f"{name}.pressure": self.pressure(name) for name, of in drivers.items() if of.area is not None}

    def _quantities(self, name: str) -> dict[str, Array]:
        """Return all quantities of a force, worked out when first asked for."""
        if name not in self._forces:
            raise ModelError(f'force "{name}" unknown{suggestion(name, self._forces)}')
        if name not in self._exerted:
            known = self._forces[name].quantities(self._sight().mechanism)
            self._exerted[name] = dict(zip(known, self._exerting_of(name), strict=True))
        return self._exerted[name]

    def _exerting_of(self, name: str) -> Sequence[Array]:
        """Return all quantities of a force, of each phase as it was then; what is taken out exerts nothing."""
        seen, ours, m = self._sight(), self._forces[name], self.system.mechanism
        seen.own = self._own(name)
        if name in m.forces:
            phases = [s.system.mechanism.forces.get(name) for s in self._states]
        else:
            phases = [ours if name in s.system.mechanism.joints else None for s in self._states]
        found = {id(of): ours.exerted(seen) if of is None else of.exerted(seen) for of in phases}
        if None in phases:
            moves = [what in MOVING and not ours.called for what in ours.quantities(m)]
            found[id(None)] = [
                of if stays else np.zeros_like(of) for of, stays in zip(found[id(None)], moves, strict=True)
            ]
        if len(found) == 1:
            return found[id(phases[0])]
        ends = np.cumsum([0, *(len(s.t) for s in self._states)])
        parts = [[of[a:b] for of in found[id(one)]] for one, (a, b) in zip(phases, pairwise(ends), strict=True)]
        return [np.concatenate(of) for of in zip(*parts, strict=True)]

    def force_columns(self) -> dict[str, Array]:
        """Return the columns of all forces, by name, in the order of the model."""
        result: dict[str, Array] = {}
        for name, spec in self._forces.items():
            tails = spec.quantities(self._sight().mechanism)
            for quantity, values in self._quantities(name).items():
                columns = values.reshape(len(values), len(tails[quantity])).T
                result |= {f"{name}.{tail}": column for tail, column in zip(tails[quantity], columns, strict=True)}
        return result
