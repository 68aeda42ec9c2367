"""Friction of joints in natural coordinates, as the second opinion: loads from the multipliers of a joint's own rows.

Joints that rub are cut, so that all their rows have multipliers. With x_e' the rates along which a surface slides, and
W_e the forces on full coordinates that do the power of a unit effort there and nothing else,

    x_e' = W_e.Z',     tau_e = P d_e,    d_e = -mu(v) tanh(v/v_s)/v c_e x_e',    v^2 = sum c_e x_e'^2            (1)
    F    = sum over rows of lam g_r,     M = sum over rows of lam sum_i d_i x g_i, about the joint's point        (2)

c_e is 1 of a travel and radius^2 of an angle; loads P of (F, M) are those of model/space/joints/surfaces.py. IDA knows
multipliers. Where they are asked for they are affine in P: engine/jamming.py says which P goes with them.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from particlemech.engine import jamming
from particlemech.engine.natural.coordinates import axes
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.space.friction import Rubbing, rubbing
from particlemech.run.start import solved

if TYPE_CHECKING:
    from particlemech.engine.natural.equations import SpatialSystem


class Sliding(NamedTuple):
    """A surface at one instant."""

    W: Array  # (n, 12 n_body)
    c: Array  # (n,)
    rate: Array  # (n,) x_e'
    d: Array  # (n,) of (1)
    slope: Array  # (n, n) of d by rates
    H: Array  # (9, n_row) the three vectors whose lengths are P, by multipliers


class Surfaces:
    """All surfaces of a mechanism that rub; false where there is none."""

    def __init__(self, system: SpatialSystem) -> None:
        self.system = system
        self.every = tuple(rub for rub in rubbing(system.mechanism) if rub.dry)

    def __bool__(self) -> bool:
        return bool(self.every)

    @cached_property
    def _rows(self) -> dict[str, tuple[list[int], list[int]]]:
        """The rows of each joint, by number among those that are held, and among all in full coordinates."""
        c, found = self.system.compiled, dict[str, tuple[list[int], list[int]]]()
        for rub in self.every:
            part = f'joint "{rub.joint}"'
            held, own = ([k for k, row in enumerate(of) if row.part == part] for of in (c.rows, c.every))
            found[rub.joint] = held[: len(own)], own  # without the row that counts turns
        return found

    # -- one instant -------------------------------------------------------------------------------------------

    def at(self, t: float, q: Array, v: Array) -> list[Sliding]:
        """Return all surfaces at an instant."""
        z, z_dot = self.system.full(q), self.system.full(v, rates=True)
        g = self.system.every(t, z, z_dot).phi_q
        return [self._sliding(rub, z, z_dot, g) for rub in self.every]

    def _sliding(self, rub: Rubbing, z: Array, z_dot: Array, g: Array) -> Sliding:
        spec, stages = self.system.mechanism.joints[rub.joint], {}
        place = self._place(spec.second, z, spec.place(self.system.mechanism))
        turning = {}
        for k, stage in enumerate(spec.stages or ()):
            if rub.surface.form == "ball":
                turning[stage.name] = np.array(stage.axis)
                continue
            body, axis = spec.fixed(k)  # type: ignore[misc]  # only between two rotations there is none
            a = self._axes(body, z) @ np.array(axis)
            if stage.turn:
                turning[stage.name] = a
            else:
                stages[stage.name] = self._on_both(rub.joint, z, a, np.zeros(3), place)
            if stage.name == rub.surface.axis:
                bearing = a
        # couples that work on one angle only
        couples = np.linalg.pinv(np.array(list(turning.values()))) if turning else np.zeros((3, 0))
        for name, M in zip(turning, couples.T, strict=True):
            stages[name] = self._on_both(rub.joint, z, np.zeros(3), M, place)
        W = np.array([stages[name] for name in rub.surface.stages])
        c = np.array([rub.radius**2 if name in turning else 1.0 for name in rub.surface.stages])
        rate = W @ z_dot
        d, slope = _law(rub, c, rate)
        H = self._loads(rub, z, g, bearing if rub.surface.form == "axle" else None, place)
        return Sliding(W, c, rate, d, slope, H)

    def _loads(self, rub: Rubbing, z: Array, g: Array, a: Array | None, place: Array) -> Array:
        """Return H."""
        spec, (held, own) = self.system.mechanism.joints[rub.joint], self._rows[rub.joint]
        H = np.zeros((9, self.system.n_row))
        if rub.surface.form == "thread":
            H[0, held[-1]] = rub.ends
            return H
        body = spec.second if spec.second != GROUND else spec.first
        b = self.system.compiled.coordinates.index[body]
        at, forces = z.reshape(-1, 4, 3)[b], g[own].reshape(len(own), -1, 4, 3)[:, b]
        F = forces[:, 0]
        M = np.cross(at[1:], forces[:, 1:]).sum(axis=1) - np.cross(place - at[0], F)
        if a is None:
            H[:3, held] = F.T
            return H
        across, turned = F - np.outer(F @ a, a), np.cross(a, M)
        H[6, held] = rub.ends * (F @ a)
        if rub.over_length == 0.0:
            H[:3, held] = across.T
        else:
            H[:3, held] = (0.5 * across - rub.over_length * turned).T
            H[3:6, held] = (0.5 * across + rub.over_length * turned).T
        return H

    def _axes(self, body: str, z: Array) -> Array:
        return np.eye(3) if body == GROUND else axes(z[None])[0, self.system.compiled.coordinates.index[body]]

    def _place(self, body: str, z: Array, drawn: tuple[float, float, float]) -> Array:
        """Return where a place of a body is, from the computing origin."""
        c, m = self.system.compiled.coordinates, self.system.mechanism
        if body == GROUND:
            return np.subtract(drawn, c.origin)
        return z.reshape(-1, 4, 3)[c.index[body], 0] + self._axes(body, z) @ np.subtract(drawn, m.centre(body))

    def _on_both(self, joint: str, z: Array, F: Array, M: Array, place: Array) -> Array:
        """Return force and couple on the second body at a place, and their opposites on the first, (12 n_body,)."""
        out, c = np.zeros((len(z) // 12, 4, 3)), self.system.compiled.coordinates
        for body, sign in zip(self.system.mechanism.joints[joint].bodies, (-1.0, 1.0), strict=True):
            if body != GROUND:
                b = c.index[body]
                at = z.reshape(-1, 4, 3)[b]
                arm = self._axes(body, z).T @ (place - at[0])
                out[b, 0] += sign * F
                out[b, 1:] += sign * (np.outer(arm, F) + 0.5 * np.cross(M, at[1:]))
        return out.ravel()

    # -- forces ------------------------------------------------------------------------------------------------

    def apply(self, t: float, y: Array, out: Array) -> None:
        """Add friction at a state of IDA to out, (12 n_body + 1,): forces on full coordinates, and their power."""
        lay = self.system.layout
        for one in self.at(t, y[lay.q], y[lay.v]):
            out += _load(one.H @ y[lay.lam]) * np.append(one.d @ one.W, one.d @ one.rate)

    def solve(self, t: float, q: Array, v: Array, A: Array, b: Array) -> tuple[Array, Array]:
        """Return friction as forces on full coordinates, (12 n_body,), where A (a, lam) = b + it; and loads (n,)."""
        D, press = self._pressed(t, q, v, A, b)
        P, factor = jamming.solved(press)
        if factor < 1.0:
            raise ModelError(str(self._said(t, press)))
        return P @ D, P

    def jammed(self, t: float, q: Array, v: Array, A: Array, b: Array) -> str | None:
        """Return which joint jams, or is about to, in words, or None."""
        return self._said(t, self._pressed(t, q, v, A, b)[1])

    def jams(self, t: float, q: Array, v: Array, A: Array, b: Array) -> bool:
        """Whether a joint jams."""
        return jamming.solved(self._pressed(t, q, v, A, b)[1])[1] < 1.0

    def seconds(self, t: float, q: Array, v: Array, A: Array, b: Array) -> dict[str, tuple[float, float]]:
        """Return the loads of what has two solutions."""
        found = jamming.second(self._pressed(t, q, v, A, b)[1])
        return {self.every[k].joint: both for k, both in found.items()}

    def _said(self, t: float, press: Array) -> str | None:
        return jamming.told(self.every, press, t)

    def _pressed(self, t: float, q: Array, v: Array, A: Array, b: Array) -> tuple[Array, Array]:
        """Return friction of unit loads as forces on full coordinates, (n, 12 n_body), and `press` of jamming.py."""
        every, n_q = self.at(t, q, v), self.system.n_q
        D = np.array([one.d @ one.W for one in every])
        given = np.zeros((len(every), len(b)))
        given[:, :n_q] = D @ self.system.T
        lam, *by = solved(A, np.vstack([b, given]).T)[n_q:].T
        h0 = np.array([one.H @ lam for one in every])
        B = np.array([[one.H @ of for one in every] for of in by])  # (j, k, 9)
        return D, np.concatenate([h0[None], B, np.zeros((1, *h0.shape))])

    # -- for the Jacobian ----------------------------------------------------------------------------------------

    def touched(self, rub: Rubbing) -> set[int]:
        """Return the bodies of a surface, by number."""
        c = self.system.compiled.coordinates
        return {c.index[b] for b in self.system.mechanism.joints[rub.joint].bodies if b != GROUND}

    def differentiate(self, t: float, y: Array, J: Array) -> None:
        """Take the derivatives by speeds and multipliers from J (n, n); those by places are mild, and left out."""
        s, lay = self.system, self.system.layout
        for one in self.at(t, y[lay.q], y[lay.v]):
            h = one.H @ y[lay.lam]
            P, by_lam = _load(h), _grown(h) @ one.H
            Wq = one.W @ s.T
            by_v = P * one.slope @ Wq
            rows = slice(s.n_q, 2 * s.n_q)
            J[rows, lay.v] -= Wq.T @ by_v
            J[rows, lay.lam] -= np.outer(one.d @ Wq, by_lam)
            J[-1, lay.v] -= one.rate @ by_v + P * one.d @ Wq
            J[-1, lay.lam] -= (one.d @ one.rate) * by_lam


def _law(rub: Rubbing, c: Array, rate: Array) -> tuple[Array, Array]:
    """Return d of (1), and its derivatives by the rates."""
    v = math.sqrt(float(c @ rate**2))
    if rub.hold > 0.0 or rub.rests:  # Coulomb's sign as it is, or a lock that holds
        h = 1e-5 * v
        mu = rub.coefficient(np.array([v - h, v, v + h]))
        slope = (mu[2] - mu[0]) / (2.0 * h) if h > 0.0 else 0.0
        way = rub.arm * rub.along(c, rate, rate)[0]
        return -rub.sense * mu[1] * way, -abs(rub.sense) * slope * np.outer(way, way)
    h = 1e-5 / rub.over_velocity
    below, g, above = rub.slope(np.array([max(v - h, 0.0), v, v + h])).tolist()
    pull, over = c * rate, (above - below) / (min(v, h) + h) / v if v > 0.0 else 0.0
    return -g * pull, -g * np.diag(c) - over * np.outer(pull, pull)


def _load(h: Array) -> float:
    """Return P of its three vectors h (9,)."""
    return float(np.linalg.norm(h.reshape(3, 3), axis=1).sum())


def _grown(h: Array) -> Array:
    """Return the derivative of P by h, (9,)."""
    parts = h.reshape(3, 3)
    size = np.linalg.norm(parts, axis=1)[:, None]
    return np.divide(parts, size, out=np.zeros_like(parts), where=size > 0.0).ravel()
