"""Natural motions of a chain of bending bodies about rest or a steady rotation, its response to forces, its sag.

    K s = omega^2 M s                                    where D is zero                                       (1)
    (lam^2 M + lam D + K) s = 0                          else; lam = -zeta omega +- i omega sqrt(1 - zeta^2)   (2)
    x = (K + i omega D - omega^2 M)^-1 f                 forced                                                (3)

with M, D, K of linear.py. In (1) K is that of [G88] (2.3-25) only where nothing is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlemech.analyses.vibration.linear import Linear, altered, linearised, settled
from particlemech.engine.bending.chains import chain
from particlemech.engine.bending.equations import system
from particlemech.engine.bending.links import Chain
from particlemech.engine.bending.observed import Observed
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import shown

Complex = NDArray[np.complex128]
Joints = str | Mapping[str, str] | None
SINGULAR = 1e12  # condition, scaled, above which an answer is rounding alone
GENTLE = 1e-9  # D beside sqrt(K M): below it there is none


class Modes(NamedTuple):
    """Natural motions, lowest frequency first; an unstable one of (1) shows as a negative omega and frequency.

    In (2) a motion that does not oscillate, such as that of a free base, has two real lam and is here twice.
    """

    omega: Array  # (n,) rad/s, |lam|
    frequency: Array  # (n,) Hz, Im lam/(2 pi)
    damping: Array  # (n,) zeta, part of critical; negative where it grows
    shapes: Complex  # (n_v, n) one per column, in the order of `coordinates`; s.M s = 1 in (1), largest entry 1 in (2)
    coordinates: tuple[str, ...]  # of joints and bodies: "part.name"
    linear: Linear  # M, D, K and the state they belong to


def numbers(mechanism: Mechanism | Chain, asked: str) -> Chain:
    """Return the numbers of a mechanism."""
    if isinstance(mechanism, Chain):
        return mechanism
    if not isinstance(mechanism, Mechanism):
        raise ModelError(f"{asked} takes a mechanism in space, got {shown(mechanism)}; read one with load")
    return chain(mechanism)


def modes(
    mechanism: Mechanism | Chain,
    *,
    base: str | None = None,
    joints: Joints = None,
    loads: bool = False,
    t: float = 0.0,
    settle: bool = True,
) -> Modes:
    """Return frequencies, damping and shapes of small vibrations about the start of a chain of bending bodies.

    Parameters
    ----------
    mechanism
        The mechanism; driven joints may turn at a constant rate.
    base
        "fixed", "translates" or "free": how the body on a free joint, or the ground, moves; default as in the model.
    joints
        "locked" or "free" for all joints that do not follow a motion, or by name; default as in the model.
    loads
        Whether its loads and motors act.
    t
        s; for signals.
    settle
        Bring deflections into balance first; otherwise small motions about the start as it is.

    Returns
    -------
    Modes
        Lowest frequency first.

    Examples
    --------
    >>> import particlemech as pm
    >>> found = pm.modes(pm.models.load("cantilever"))
    >>> bool(found.frequency[0] > 0.0)
    True
    """
    at = linearised(altered(numbers(mechanism, "modes"), base, joints, loads), t, settle, mechanism=mechanism)
    return of_linear(at)


def of_linear(at: Linear) -> Modes:
    """Return (1) or (2)."""
    from scipy.linalg import eig, eigh

    n, size = at.system.n_v, at.system.size_v
    if not n:
        raise ModelError("modes: nothing moves freely; free a joint, or give a body modes")
    scale = np.outer(size, size)
    M, D, K = at.M * scale, at.D * scale, at.K * scale
    stiff = np.sqrt(np.abs(np.diag(K)) * np.abs(np.diag(M))).max()
    if np.abs(D).max() <= GENTLE * max(stiff, 1e-300) and np.abs(K - K.T).max() <= 1e-6 * np.abs(K).max():
        values, shapes = eigh(0.5 * (K + K.T), 0.5 * (M + M.T))
        omega = np.sign(values) * np.sqrt(np.abs(values))
        found = (shapes * size[:, None]).astype(complex)
        return Modes(omega, omega / (2.0 * np.pi), np.zeros(n), found, at.coordinates, at)
    first = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    lam, vectors = eig(first)
    keep = np.flatnonzero(lam.imag >= 0.0)
    keep = keep[np.argsort(np.abs(lam[keep]))]
    lam, shapes = lam[keep], vectors[:n, keep] * size[:, None]
    largest = shapes[np.argmax(np.abs(shapes), axis=0), np.arange(len(keep))]
    omega = np.abs(lam)
    zeta = np.divide(-lam.real, omega, out=np.zeros(len(lam)), where=omega > 0.0)
    return Modes(omega, lam.imag / (2.0 * np.pi), zeta, shapes / largest, at.coordinates, at)


def response(
    mechanism: Mechanism | Chain,
    frequency: ArrayLike,
    *,
    point: str,
    force: tuple[str, Sequence[float]] | None = None,
    torque: str | None = None,
    base: str | None = None,
    joints: Joints = None,
    loads: bool = False,
    settle: bool = True,
) -> Complex:
    """Return how a point answers to a harmonic force of size 1: its displacement, complex amplitudes (F, 3).

    Parameters
    ----------
    mechanism, base, joints, loads, settle
        As of `modes`.
    frequency
        Hz, (F,).
    point
        The named point whose displacement is asked for.
    force
        A named point and a direction, global axes, whose length is the size of the force; or
    torque
        the name of a free joint whose coordinate an effort of size 1 acts on.
    """
    at = linearised(altered(numbers(mechanism, "response"), base, joints, loads), 0.0, settle, mechanism=mechanism)
    acting = _acting(at, force, torque)
    seen = at.influence(point)
    answers = [seen @ _forced(at, f, acting) for f in np.atleast_1d(_finite("frequency", frequency))]
    return np.array(answers).reshape(-1, 3)


def _forced(at: Linear, frequency: float, acting: Array) -> Complex:
    """Return (3), (n_v,), in coordinates of like size, so that rounding tells what has no answer."""
    omega, size = 2.0 * np.pi * frequency, at.system.size_v
    whole = (at.K + 1j * omega * at.D - omega**2 * at.M) * np.outer(size, size)
    own = np.sqrt(np.abs(at.K) + omega * np.abs(at.D) + omega**2 * np.abs(at.M)).diagonal() * size
    if np.all(own > 0.0) and np.linalg.cond(whole / np.outer(own, own)) < SINGULAR:
        return np.asarray(size * np.linalg.solve(whole, acting * size))
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
    """Return the generalised force of a unit input, (n_v,), [G88] (2.3-38)."""
    if (force is None) == (torque is None):
        raise ModelError("response: give either a force (point, direction) or the torque of a joint")
    if force is not None:
        if not isinstance(force, (tuple, list)) or len(force) != 2:
            raise ModelError(f"response: force: expected a point and a direction, got {shown(force)}")
        return at.influence(force[0]).T @ _finite("direction of the force", force[1], 3)
    known = at.system.compiled.coordinates
    free = {c.part: k for k, c in enumerate(known) if c.link >= 0 and not c.deflects}
    if torque not in free:
        raise ModelError(f'response: torque: joint "{torque}" is not free{suggestion(str(torque), free)}')
    result = np.zeros(at.system.n_v)
    result[free[torque]] = 1.0
    return result


def static(mechanism: Mechanism | Chain, *, base: str | None = None, joints: Joints = None, t: float = 0.0) -> Observed:
    """Return a chain whose deflections are in balance with its loads and weight at a time; base and joints stay.

    The samples of what is returned are one instant: `static(m).elastic("tip")[0]`.
    """
    made = system(altered(numbers(mechanism, "static"), base, joints), mechanism)
    return made.observed(np.array([t]), settled(made, t)[None], moved=False)


def frequencies(mechanism: Mechanism | Chain, **options: Any) -> Array:
    """Return the frequencies of `modes` in Hz, (n,)."""
    return modes(mechanism, **options).frequency
