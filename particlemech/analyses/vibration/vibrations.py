"""Natural motions of a mechanism in space about rest or a steady rotation, its response to forces, its equilibrium.

    K s = omega^2 M s                                    where D is zero                                       (1)
    (lam^2 M + lam D + K) s = 0                          else; lam = -zeta omega +- i omega sqrt(1 - zeta^2)   (2)
    x = (K + i omega D - omega^2 M)^-1 f                 forced                                                (3)

with M, D, K of small_motions.py, reduced to the freedoms that loops leave. In (1) K is that of [G88] (2.3-25) only
where nothing is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlemech.analyses.vibration.conditions import Joints, held
from particlemech.analyses.vibration.small_motions import Linear, Near, begun, linearised, named, seen, settled
from particlemech.engine.recursive.observed import Observed
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import shown

Complex = NDArray[np.complex128]
SINGULAR = 1e12  # condition, scaled, above which an answer is rounding alone
GENTLE = 1e-9  # D beside sqrt(K M): below it there is none
SETTLED = ("deflections", "all")


class Modes(NamedTuple):
    """Natural motions, lowest frequency first; an unstable one of (1) shows as a negative omega and frequency.

    In (2) a motion that does not oscillate, such as that of a free base, has two real lam and is here twice.
    """

    omega: Array  # (n,) rad/s, |lam|
    frequency: Array  # (n,) Hz, Im lam/(2 pi)
    damping: Array  # (n,) zeta, part of critical; negative where it grows
    shapes: Complex  # one per column, in the order of `coordinates`; s.M s = 1 in (1), largest entry 1 in (2)
    coordinates: tuple[str, ...]  # of joints and bodies: "part.name"
    linear: Linear  # M, D, K and the state they belong to


def modes(
    mechanism: Mechanism,
    *,
    base: str | None = None,
    joints: Joints = None,
    loads: bool = False,
    t: float = 0.0,
    settle: bool | str = True,
) -> Modes:
    """Return frequencies, damping and shapes of small vibrations about the start of a mechanism; see `pm.modes`.

    Examples
    --------
    >>> from particlemech import models
    >>> chain = models.hanging_chain(20, length=1.0)
    >>> round(float(modes(chain).omega[0]), 2)  # 2.405/2 sqrt(g/L), as for a chain of endless many links
    3.77
    """
    return of_linear(linearised(held(mechanism, "modes", base, joints, loads), t, _settle("modes", settle)))


def _settle(verb: str, settle: bool | str) -> bool | str:
    """Return what comes into balance first."""
    if isinstance(settle, str) and settle not in SETTLED:
        raise ModelError(f'{verb}: settle = "{settle}" unknown{suggestion(settle, SETTLED)}')
    return settle


def _reduced(at: Linear) -> tuple[Array, Array, Array]:
    """Return M, D, K of the freedoms, (f, f) each."""
    M, D, K = (at.Z.T @ of @ at.Z for of in (at.M, at.D, at.K))
    return M, D, K


def of_linear(at: Linear) -> Modes:
    """Return (1) or (2)."""
    from scipy.linalg import eig, eigh

    M, D, K = _reduced(at)
    n = len(M)
    if not n:
        raise ModelError("modes: nothing moves freely; free a joint, or give a body modes")
    stiff = np.sqrt(np.abs(np.diag(K)) * np.abs(np.diag(M))).max()
    if np.abs(D).max() <= GENTLE * max(stiff, 1e-300) and np.abs(K - K.T).max() <= 1e-6 * np.abs(K).max():
        values, shapes = eigh(0.5 * (K + K.T), 0.5 * (M + M.T))
        omega = np.sign(values) * np.sqrt(np.abs(values))
        found = (at.Z @ shapes).astype(complex)
        return Modes(omega, omega / (2.0 * np.pi), np.zeros(n), found, at.coordinates, at)
    first = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    lam, vectors = eig(first)
    keep = np.flatnonzero(lam.imag >= 0.0)
    keep = keep[np.argsort(np.abs(lam[keep]))]
    lam, shapes = lam[keep], at.Z @ vectors[:n, keep]
    largest = shapes[np.argmax(np.abs(shapes), axis=0), np.arange(len(keep))]
    omega = np.abs(lam)
    zeta = np.divide(-lam.real, omega, out=np.zeros(len(lam)), where=omega > 0.0)
    return Modes(omega, lam.imag / (2.0 * np.pi), zeta, shapes / largest, at.coordinates, at)


def response(
    mechanism: Mechanism,
    frequency: ArrayLike,
    *,
    point: str,
    force: tuple[str, Sequence[float]] | None = None,
    torque: str | None = None,
    base: str | None = None,
    joints: Joints = None,
    loads: bool = False,
    settle: bool | str = True,
) -> Complex:
    """Return how a point answers to a harmonic force of size 1: complex amplitudes (F, 3); see `pm.response`."""
    at = linearised(held(mechanism, "response", base, joints, loads), 0.0, _settle("response", settle))
    acting = at.Z.T @ _acting(at, force, torque)
    influence = at.influence(point) @ at.Z
    answers = [influence @ _forced(at, f, acting) for f in np.atleast_1d(_finite("frequency", frequency))]
    return np.array(answers).reshape(-1, 3)


def _forced(at: Linear, frequency: float, acting: Array) -> Complex:
    """Return (3) of the freedoms, (f,), in coordinates of like size, so that rounding tells what has no answer."""
    omega = 2.0 * np.pi * frequency
    M, D, K = _reduced(at)
    whole = K + 1j * omega * D - omega**2 * M
    own = np.sqrt(np.abs(K) + omega * np.abs(D) + omega**2 * np.abs(M)).diagonal()
    if np.all(own > 0.0) and np.linalg.cond(whole / np.outer(own, own)) < SINGULAR:
        return np.asarray(np.linalg.solve(whole, acting))
    raise ModelError(
        f"response: at {frequency:g} Hz the answer has no bound: this is a natural frequency without damping, or 0 Hz "
        "of what nothing holds; ask beside it, give damping, or hold base and joints"
    )


def _finite(word: str, value: ArrayLike, n: int | None = None) -> Array:
    """Return finite numbers, n of them."""
    try:
        result = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"response: {word}: expected numbers, got {shown(value)}") from None
    if not np.isfinite(result).all() or (n is not None and result.shape != (n,)) or result.ndim > 1:
        raise ModelError(f"response: {word}: expected {n or 'a list of'} finite numbers, got {shown(value)}")
    return result


def _acting(at: Linear, force: tuple[str, Sequence[float]] | None, torque: str | None) -> Array:
    """Return the generalised force of a unit input, (n,), [G88] (2.3-38)."""
    if (force is None) == (torque is None):
        raise ModelError("response: give either a force (point, direction) or the torque of a joint")
    if force is not None:
        if not isinstance(force, (tuple, list)) or len(force) != 2:
            raise ModelError(f"response: force: expected a point and a direction, got {shown(force)}")
        return at.influence(force[0]).T @ _finite("direction of the force", force[1], 3)
    free: dict[str, list[int]] = {}
    for k, of in enumerate(named(at.system, at.moving)):
        if not of.deflects:
            free.setdefault(of.joint, []).append(k)
            free[of.speed] = [k]
    if torque not in free:
        raise ModelError(f'response: torque: joint "{torque}" is not free{suggestion(str(torque), free)}')
    if len(free[torque]) > 1:
        known = ", ".join(at.coordinates[k] for k in free[torque])
        raise ModelError(f'response: torque: joint "{torque}" has several coordinates; name one of {known}')
    result = np.zeros(len(at.moving))
    result[free[torque]] = 1.0
    return result


def equilibrium(
    mechanism: Mechanism,
    *,
    base: str | None = None,
    joints: Joints = None,
    t: float = 0.0,
    settle: str | None = None,
) -> Observed:
    """Return a mechanism in balance with its loads and weight at a time, one sample; see `pm.equilibrium`."""
    near = Near(held(mechanism, "equilibrium", base, joints), t)
    what = _settle("equilibrium", settle) if settle is not None else SETTLED[0] if near.soft.any() else SETTLED[1]
    found: Observed = seen(near, settled(near, begun(near), what == "all"))
    return found
