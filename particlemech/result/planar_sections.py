"""What joints transmit and rods carry in the plane; vectors of engine/internal.py have three components here too.

A joint *transmits* its reaction, and what drivers, motors, springs and couplings do along its coordinates: an effort e
on an angle is the couple e on the second body, and on a travel along u the force e u on it, at its point Q; the
opposite acts on the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.internal import Stretch, moved, rod, spatial, wrench
from particlemech.engine.plane import Balance, PlanarInstant, PlanarLayout, Sight
from particlemech.engine.statics import RANK, least_norm
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.freedom import Freedom
from particlemech.result.sections import LEAST_NORM, Sections

UNBALANCED = 1e-6  # of the forces on a rod: what may be left of their sum


class Transmitted(NamedTuple):
    """What a joint does to one of its bodies: force, (K, 2), and moment at the joint's place, (K,)."""

    force: Array
    moment: Array


class PlanarSections(Sections):
    """Mixin of results in the plane."""

    system: PlanarInstant
    _states: Any
    _full_motion: Any  # a Motion
    _reactions: Any  # Reactions

    @cached_property
    def mechanism(self) -> Any:
        """The model, as the run took it."""
        return self.system.mechanism

    @cached_property
    def _moving(self) -> Sight:
        """The motion with its accelerations."""
        return Sight(self.mechanism, self.system.layout, self.system.home, self.t, self._full_motion)

    def force(self, name: str, quantity: str | None = None) -> Array:
        """Return what a force exerts, or another of its quantities."""
        raise TypeError(f"{type(self).__name__} does not know forces")

    # -- what joints transmit --------------------------------------------------------------------------------------

    def transmitted(self, joint: str, on: str) -> Transmitted:
        """Return all that a joint does to one of its bodies: its reaction, and drivers, motors and springs in it.

        Forces are (K, 2), N, global axes, moments (K,), N m, at the joint's place; reactions that the mechanism does
        not determine are the least that balance.
        """
        value = self._whole(joint, on)
        return Transmitted(value[:, :2], value[:, 2])

    def _whole(self, joint: str, on: str) -> Array:
        lay = self.system.layout
        if (joint, on) not in lay.reactions:
            known = ", ".join(f'"{b}"' for j, b in lay.reactions if j == joint)
            raise ModelError(f'joint "{joint}" does not hold body "{on}"; it holds {known or "none"}')
        total = self._reactions.value[:, lay.reactions.index((joint, on))].copy()
        for of, effort in self._along(joint):
            total += effort[:, None] * self._unit(joint, on, of)
        return total

    def _along(self, joint: str) -> Iterator[tuple[Freedom, Array]]:
        """Give the coordinates of a joint on which something acts, and the effort on each, (K,)."""
        m = self.mechanism
        for name, of, factor in self._acting(joint):
            ties = name in m.drivers or not (name in m.forces or m.joints[name].pushes(m))
            yield of, factor * (self.effort(name, LEAST_NORM) if ties else self.force(name))

    def _acting(self, joint: str) -> Iterator[tuple[str, Freedom, float]]:
        """Give forces, drivers and couplings that act on coordinates of a joint, which, and with what factor."""
        m = self.mechanism
        for name, of in (*m.forces.items(), *m.drivers.items()):
            if of.joint == joint:
                pulls_back = -1.0 if getattr(of, "elastic", False) else 1.0
                yield name, m.coordinate(joint, of.coordinate), pulls_back
        for name, spec in m.joints.items():
            for of, factor in zip(spec.tied(m), (-getattr(spec, "ratio", 0.0), 1.0), strict=False):
                if of in m.joints[joint].freedoms:
                    yield name, of, factor

    def _unit(self, joint: str, on: str, of: Freedom) -> Array:
        """Return what an effort of 1 on a coordinate does to a body, about the joint's place, (K, 3)."""
        found, sign = np.zeros((len(self.t), 3)), float(of.second == on) - float(of.first == on)
        if of.turn:
            found[:, 2] = sign
        elif sign:
            m, seen = self.mechanism, self._moving
            u, Q = sign * seen.along(of), seen.place_on(of.second, m.place(of.point, of.second))
            arm = Q - seen.place_on(*m.joints[joint].seat(on, m))
            found[:, :2], found[:, 2] = u, arm[:, 0] * u[:, 1] - arm[:, 1] * u[:, 0]
        return found

    # -- what they leave open --------------------------------------------------------------------------------------

    @cached_property
    def _open(self) -> dict[int, tuple[Balance, Array, PlanarLayout]]:
        """Equilibrium and self-stresses, in units of force, of the samples that have some, and what held there."""
        found, n, known = {}, 0, self._reactions
        for states in self._states:
            q, v = states.projected
            for k, t in enumerate(states.t):
                if not (known.known[n + k].all() and known.effort_known[n + k].all()):
                    at = states.system.balance(float(t), q[k], v[k], states.accelerations[k], states.x[k])
                    found[n + k] = at, least_norm(at)[1], states.system.layout
            n += len(states.t)
        return found

    @property
    def _stresses(self) -> Mapping[int, Array]:
        return {k: stresses for k, (_, stresses, _) in self._open.items()}

    def _opened(self, value: Array, stressed: dict[int, Array], undetermined: str) -> Array:
        if undetermined not in ("nan", LEAST_NORM):
            raise ModelError(f'undetermined must be "nan" or "{LEAST_NORM}", got {undetermined!r}')
        for k, of in stressed.items() if undetermined == "nan" else ():
            size = float(np.max(np.abs(self._stresses[k]), initial=1e-300))
            value[k] = np.where(np.linalg.norm(of, axis=-1) > RANK * size, np.nan, value[k])
        return value

    def _strained(self, body: str, key: str, k: int) -> Array:
        balance, stresses, lay = self._open[k]
        if (key, body) not in lay.reactions:  # it holds nothing then
            return np.zeros((stresses.shape[1], 6))
        found = balance.report[lay.reactions.index((key, body))] @ stresses
        for name, of, factor in self._acting(key):
            if name not in self.mechanism.forces:
                found = found + factor * np.outer(self._unit(key, body, of)[k], self._efforts_strained(name, k))
        return -wrench(found[2], found[:2].T)

    def _efforts_strained(self, driver: str, k: int) -> Array:
        balance, stresses, _ = self._open[k]
        held = driver in balance.joint_columns
        return np.asarray(stresses[balance.joint_columns.index(driver)]) if held else np.zeros(stresses.shape[1])

    # -- rods ------------------------------------------------------------------------------------------------------

    def _placed(self, body: str, drawn: Any, level: int) -> Array:
        """Return a place of a body, given as drawn, its velocity (1) or its acceleration (2), (K, 3)."""
        seen = self._moving
        of = (seen.place_on, seen.velocity_on, seen.acceleration_on)[level]
        return spatial(of(body, (float(drawn[0]), float(drawn[1]))))

    def _turned(self, body: str) -> Array:
        """Return the axes of a body, (K, 3, 3)."""
        angle = self._moving.angle(body)
        c, s, found = np.cos(angle), np.sin(angle), np.zeros((len(angle), 3, 3))
        found[:, 0, 0], found[:, 0, 1], found[:, 1, 0], found[:, 1, 1], found[:, 2, 2] = c, -s, s, c, 1.0
        return found

    def _seat(self, joint: str, on: str) -> tuple[Array, Array]:
        """Return where a joint holds one of its bodies, twice: what it transmits is about that place."""
        m = self.mechanism
        at = spatial(self._moving.place_on(*m.joints[joint].seat(on, m)))
        return at, at

    def _handed(self, body: str, key: str) -> Array:
        value = self._whole(key, body)
        return -wrench(value[:, 2], value[:, :2])

    def _stretches(self, body: str, x: Array) -> Iterator[Stretch]:
        first, last = self.mechanism.line(body)
        e = np.subtract(last, first) / np.hypot(*np.subtract(last, first))
        part = rod(self, body, x, np.array([[e[0], -e[1], 0.0], [e[1], e[0], 0.0], [0.0, 0.0, 1.0]]))
        self._check_balance(body, part)
        yield part

    def _check_balance(self, body: str, part: Stretch) -> None:
        """Raise where what is known to act on a rod does not move it as it moves: then something else acts, too."""
        about = part.at[:, :1]
        acts = [part.own[:, 0]] + [moved(self._hung(body, of.key), of.at, about)[:, 0] for of in part.hung]
        total, size = np.abs(sum(acts)), np.abs(acts).sum(axis=0)
        if np.any(total > UNBALANCED * size.max(initial=0.0)):
            k, c = np.unravel_index(int(np.argmax(total)), total.shape)
            raise ModelError(
                f'body "{body}": joints and forces at known places leave {total[k, c]:.3g} of {size[k, c]:.3g} open at '
                f"t = {self.t[k]:.6g} s; something acts on it at places that move along it, and its sections are open"
            )
