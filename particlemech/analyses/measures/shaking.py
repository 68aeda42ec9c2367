"""Shaking force and moment: what a mechanism exerts on its frame, reactions of drivers and motors included.

With p and H the linear momentum of all bodies and the angular one about a place Q,

    F = -p',    M_Q = -H_Q' = -sum ((c - Q) x m a + (I w)')                                                      (1)

These are the inertia forces alone. Weights and loads from outside go through to the frame:

    F += sum m g + sum F_load,    M_Q += sum (c - Q) x m g + sum ((x - Q) x F_load + M_load)                     (2)

and with both it is the sum of all that the frame feels. Springs and torques between two parts are not from outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.inertia import matrix


class Shaking(NamedTuple):
    """What the frame feels, global axes."""

    force: Array  # (K, d)
    moment: Array  # (K,) in the plane, (K, 3) in space, about `about`
    about: Array  # (K, d), the place, which may move


def turning(arm: Array, force: Array) -> Array:
    """Return the moments of forces (K, d) at arms (K, d), (K,) in the plane, (K, 3) in space."""
    if arm.shape[1] == 3:
        return np.cross(arm, force)
    return np.asarray(arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0])


def shaking(result: Any, about: Any = None, gravity: bool = False, loads: bool = False) -> Shaking:
    """Return the shaking force, and the shaking moment about a place; (1), (2)."""
    m = result.system.mechanism
    Q = place(result, about)
    unknown = [b for b, body in m.bodies.items() if body.mass is None and not getattr(body, "bends", False)]
    if unknown and m.kind == "planar":
        raise ModelError(f"shaking: no mass is known of {', '.join(unknown)}; give it")
    force, moment = _inertial(result, Q)
    if gravity:
        for body in m.bodies:
            weight = np.tile(_mass(result, body) * np.array(m.gravity), (len(result.t), 1))
            force, moment = force + weight, moment + turning(result.com(body) - Q, weight)
    if loads:
        for name, spec in m.forces.items():
            force, moment = _loaded(result, name, spec.quantities(m), Q, force, moment)
    return Shaking(force, moment, Q)


def place(result: Any, about: Any) -> Array:
    """Return the place of a point by name, or that of numbers, at the samples, (K, d); None: the origin."""
    d = len(result.system.mechanism.gravity)
    if isinstance(about, str):
        return np.asarray(result[about])
    try:
        at = np.zeros(d) if about is None else np.array(about, dtype=float)
    except (TypeError, ValueError):
        at = np.zeros(0)
    if at.shape != (d,) or not np.isfinite(at).all():
        raise ModelError(f"about: expected the name of a point or {d} numbers, got {about!r}")
    return np.tile(at, (len(result.t), 1))


def _mass(result: Any, body: str) -> float:
    m = result.system.mechanism
    if m.kind == "planar":
        return float(m.bodies[body].mass)
    return float(result._spinning(body)[0]) if hasattr(result, "_spinning") else float(m.mass(body))


def _inertial(result: Any, Q: Array) -> tuple[Array, Array]:
    """Return -p' and -H_Q', (1)."""
    m = result.system.mechanism
    moving = [
        (_mass(result, body), result.com(body), result.com_acceleration(body), _spin_rate(result, body))
        for body in m.bodies
    ]
    force, moment = np.zeros_like(Q), turning(Q, Q)
    for mass, at, a, spun in (*moving, *_rotors(result)):
        force, moment = force - mass * a, moment - turning(at - Q, mass * a) - spun
    return force, moment


def _spin_rate(result: Any, body: str) -> Array:
    """Return the rate of the angular momentum of a body about its centre of mass."""
    m = result.system.mechanism
    if m.kind == "planar":
        return np.asarray(m.inertia(body) * result.alpha(body))
    if m.bodies[body].bends:
        return _bent_spin_rate(result, body)
    return _turned(result.orientation(body), matrix(m.inertia(body)), result.omega(body), result.alpha(body))


def _turned(R: Array, J: Array, w: Array, alpha: Array) -> Array:
    """Return (I w)' = I alpha + w x I w of a rigid body with inertia J in its axes R, (K, 3)."""
    inertia = R @ J @ np.swapaxes(R, 1, 2)
    spun: Array = np.einsum("kij,kj->ki", inertia, alpha)
    return spun + np.cross(w, np.einsum("kij,kj->ki", inertia, w))


def _bent_spin_rate(result: Any, body: str) -> Array:
    """Return the same of a body that bends: of the stations that its parts are made of."""
    from particlemech.engine.recursive.bodies import stations  # the plane does without

    record, topology, bodies = result._sampled, result._compiled.topology, result._compiled.tables.body
    x, a, spun = result.com(body), result.com_acceleration(body), np.zeros((len(result.t), 3))
    for i in topology.parts(body):
        R, w, alpha = record.S[:, i].reshape(-1, 3, 3), record.omega[:, i], record.a[:, i, :3]
        modes = slice(bodies[i]["mode"], bodies[i]["mode"] + bodies[i]["modes"])
        for mass, J, at in stations(topology.frames[i - 1].link):
            moving = result._bent(i, at)
            rate, rise = (
                np.einsum("kji,kj->ki", R, of) + record.x[:, modes, level] @ at.psi[0].T
                for of, level in ((w, 1), (alpha, 2))
            )
            turned, gained = (np.einsum("kij,jl,kl->ki", R, J, of) for of in (rate, rise))
            spun += mass * np.cross(moving.position - x, moving.acceleration - a) + gained + np.cross(w, turned)
    return spun


def _rotors(result: Any) -> Iterator[tuple[float, Array, Array, Array]]:
    """Give mass, place, acceleration and spin rate of the rotors of drives."""
    compiled: Any = getattr(result, "_compiled", None)
    if not hasattr(getattr(compiled, "topology", None), "frames"):
        return  # natural coordinates know no drives
    from particlemech.engine.recursive.topology import ROTOR

    for i, frame in enumerate(compiled.topology.frames, start=1):
        if frame.role == ROTOR:
            b, record = compiled.tables.body[i], result._sampled
            R, a = record.S[:, i].reshape(-1, 3, 3), record.a[:, i]
            spun = _turned(R, matrix(tuple(b["inertia"])), record.omega[:, i], a[:, :3])
            yield float(b["mass"]), record.O[:, i], a[:, 3:] + np.array(result.mechanism.gravity), spun


def _loaded(result: Any, name: str, tails: Any, Q: Array, force: Array, moment: Array) -> tuple[Array, Array]:
    """Return force and moment with those of a load from outside, which says the place where it acts; (2)."""
    if "place" not in tails:
        if "force" in tails and "moment" in tails:
            raise ModelError(f'shaking: loads per length, as "{name}", are not summed up; leave loads out')
        return force, moment
    push = result.force(name, "force")
    more = turning(result.force(name, "place") - Q, push)
    if "moment" in tails:
        more = more + result.force(name, "moment")
    return force + push, moment + more
