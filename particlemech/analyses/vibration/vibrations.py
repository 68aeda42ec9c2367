"""Natural motions of a mechanism about rest, a pose or a steady rotation, and its response to harmonic forces.

    K s = omega^2 M s                                    where C is zero                                       (1)
    (lam^2 M + lam C + K) s = 0                          else; lam = -zeta omega +- i omega sqrt(1 - zeta^2)   (2)
    |K + i omega C - omega^2 M     E            | |z|   |F  |
    |                                           | | | = |   | u                     forced                     (3)
    |-G_z - i omega G_v            i omega - G_w| |w|   |G_u|

    y = (Y_z + i omega Y_v) z + Y_w w + Y_u u                                                                  (4)
    p_i = |s_i (M s)_i| / sum over all freedoms          the share of freedom i in a motion                    (5)

with M, C, K, F of linear.py, of as many coordinates as there are freedoms. There are twice as many lam as these. Where
motors and controllers own states w, lam are the eigenvalues of A of linear.py: as many more as there are states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlemech.analyses.vibration.conditions import Joints, Names
from particlemech.analyses.vibration.linear import Linear, Outlet, linearised
from particlemech.analyses.vibration.shaking import Shake, direct, weights
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.spec import shown

Complex = NDArray[np.complex128]
SINGULAR = 1e12  # condition, scaled, above which an answer is rounding alone
FREE = 1e-6  # of the largest |lam| and of 1/T: what is less is rounding
ROUNDING = 1e-16  # of the largest entry of A, in sizes of its states
GENTLE = 1e-9  # C beside sqrt(K M): below it there is none
SETTLED = ("deflections", "all")
ROUNDS = 10  # in which rows and columns become alike
FRAMES = 48  # samples of one swing
VISIBLE = 0.1  # of the mechanism's size, or twice that in rad: how far a motion goes that is shown


@dataclass(frozen=True, eq=False)
class Modes:
    """Natural motions, lowest frequency first; an unstable one of (1) shows as a negative omega and frequency.

    In (2) a motion that does not oscillate, such as that of a free base, has two real lam and is here twice: its
    frequency is 0, and its `time_constant` says how fast it decays, or grows.

    Attributes
    ----------
    omega, frequency, damping : array, (n,)
        |lam|, rad/s; Im lam/(2 pi), Hz; zeta, part of critical, negative where it grows.
    eigenvalues : array of complex, (2 f + n_w,)
        All lam, 1/s: two for each freedom, one for each state that a motor or controller owns.
    lam : array of complex, (n,)
        That of each motion, 1/s; of a pair the one that oscillates forwards, of an unstable one the one that grows.
    shapes : array of complex, (n_coordinate, n)
        One per column, in the order of `coordinates`; s.M s = 1 in (1), largest entry 1 in (2).
    coordinates : tuple of str
        Of joints and bodies: "part.name".
    linear : Linear
        M, C, K and the state they belong to.
    """

    omega: Array
    frequency: Array
    damping: Array
    eigenvalues: Complex
    lam: Complex
    reduced: Complex  # (f, n) the shapes in the order of `linear.freedoms`
    linear: Linear

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The names of all coordinates that move."""
        return self.linear.coordinates

    @cached_property
    def shapes(self) -> Complex:
        """One shape per column, in the order of `coordinates`."""
        return np.asarray(self.linear._coordinates @ self.reduced)

    def shape(self, name: str) -> Complex:
        """Return how a point, a body or a coordinate "joint.name" moves in each motion, (..., n)."""
        return np.asarray(self.linear.shape(name) @ self.reduced)

    @property
    def time_constant(self) -> Array:
        """In how long what does not oscillate decays to 1/e, (n,), s; negative: it grows e-fold; inf: it is free.

        nan of what oscillates.
        """
        own = np.where(self._free, 0.0, self.lam.real)
        found = np.divide(-1.0, own, out=np.full(len(own), np.inf), where=own != 0.0)
        return np.where((self.lam.imag != 0.0) & ~self._free, np.nan, found)

    @property
    def _free(self) -> Any:
        """Which motions nothing holds, nor slows down, (n,) bool: what is left of their lam is rounding."""
        largest = max(float(np.abs(self.lam).max(initial=0.0)), 1.0 / self.linear.chart.system.scale.time)
        return np.abs(self.lam) <= FREE * largest

    def said(self, k: int) -> str:
        """Return how motion k goes on, in words."""
        tau = float(self.time_constant[k])
        if np.isnan(tau):
            return f"{self.frequency[k]:.6g} Hz, damping {self.damping[k]:.4g}"
        if np.isinf(tau):
            return "free"
        return f"decays, time constant {tau:.4g} s" if tau > 0.0 else f"unstable, grows e-fold in {-tau:.4g} s"

    @property
    def participation(self) -> Array:
        """The shares (5) of the freedoms in each motion, (f, n), in the order of `linear.freedoms`."""
        share = np.abs(self.reduced.conj() * (self.linear.M @ self.reduced))
        whole = share.sum(axis=0)
        return np.asarray(share / np.where(whole > 0.0, whole, 1.0))

    def motion(self, k: int = 0, amplitude: float | None = None, samples: int = FRAMES + 1) -> Any:
        """Return one swing of motion k as a result; `amplitude` is that of what moves most, rad or length."""
        if not -len(self.omega) <= k < len(self.omega):
            raise ModelError(f"modes: there is no motion {k}; there are {len(self.omega)}, counted from 0")
        linear, s = self.linear, self.reduced[:, k]
        unit = linear.chart.unit
        most = int(np.argmax(np.abs(s) / unit))
        s = s / s[most]
        if amplitude is None:
            from particlemech.analyses.vibration.swinging import reach

            amplitude = VISIBLE / max(reach(linear, s)[0], 1e-300)
        s = s * amplitude
        period = 2.0 * np.pi / abs(self.omega[k]) if self.omega[k] else 1.0
        phase = np.linspace(0.0, 2.0 * np.pi, samples)
        states = [linear.displaced((s * np.exp(1j * p)).real) for p in phase]
        return linear.stand.moving(linear.stand.t + period * phase / (2.0 * np.pi), np.array(states))

    def animate(self, k: int, path: str | Path, amplitude: float | None = None, **options: Any) -> Path:
        """Write motion k as an animation; options are those of `view.animate`."""
        from particlemech.view import animate

        found: Path = animate(self.motion(k, amplitude), path, **options)
        return found

    @cached_property
    def swings(self) -> tuple[Any, ...]:
        """The lowest motions, as pages show them with any amplitude: `view.page.save(modes, path)`."""
        from particlemech.analyses.vibration.swinging import swings

        return swings(self)

    @property
    def result(self) -> Any:
        """The pose that they are about, as a result of one sample."""
        return self.linear.result

    def _repr_html_(self) -> str:
        """Return the page of the motions, in a frame: what notebooks show."""
        from particlemech.view.page import framed

        return framed(self)

    def __str__(self) -> str:
        """Return a table of the motions."""
        lines = [f"{len(self.linear.freedoms)} freedoms, {len(self.eigenvalues)} eigenvalues"]
        share = self.participation
        for k in range(len(self.lam)):
            who = self.linear.freedoms[int(np.argmax(share[:, k]))]
            lines.append(f"  {k}: {self.said(k)}; most of it in {who}")
        return "\n".join(lines)


def modes(
    mechanism: Any,
    about: Any = None,
    *,
    base: str | None = None,
    joints: Joints = None,
    loads: bool | None = None,
    hold: Names = None,
    release: Names = None,
    t: float = 0.0,
    settle: bool | str = True,
) -> Modes:
    """Return frequencies, damping and shapes of small vibrations of a mechanism; see `pm.modes`.

    Examples
    --------
    >>> from particlemech import models
    >>> chain = models.hanging_chain(20, length=1.0)
    >>> round(float(modes(chain).omega[0]), 2)  # 2.405/2 sqrt(g/L), as for a chain of endless many links
    3.77
    """
    options = {"base": base, "joints": joints, "hold": hold, "release": release, "t": t}
    loads = about is not None if loads is None else loads
    at = linearised(mechanism, "modes", about, loads=loads, settle=_settle("modes", settle), **options)  # type: ignore[arg-type]
    return of_linear(at)


def _settle(verb: str, settle: bool | str) -> bool | str:
    """Return what comes into balance first."""
    if isinstance(settle, str) and settle not in SETTLED:
        raise ModelError(f'{verb}: settle = "{settle}" unknown{suggestion(settle, SETTLED)}')
    return settle


def of_linear(at: Linear) -> Modes:
    """Return (1) or (2)."""
    from scipy.linalg import eig, eigh

    M, C, K = at.M, at.C, at.K
    n = len(M)
    if not n:
        raise nothing_moves("modes", at)
    stiff = np.sqrt(np.abs(np.diag(K)) * np.abs(np.diag(M))).max()
    if (
        not len(at.ties.w)
        and np.abs(C).max() <= GENTLE * max(stiff, 1e-300)
        and np.abs(K - K.T).max() <= 1e-6 * np.abs(K).max()
    ):
        values, shapes = eigh(0.5 * (K + K.T), 0.5 * (M + M.T))
        omega = np.sign(values) * np.sqrt(np.abs(values))
        half = np.sqrt(-values.astype(complex))
        every = np.concatenate([half, -half])
        lam = np.where(values > 0.0, 1j * np.abs(half.imag), np.abs(half.real))
        return Modes(omega, omega / (2.0 * np.pi), np.zeros(n), every, lam, shapes.astype(complex), at)
    T, unit = at.chart.system.scale.time, at.chart.unit
    sizes = np.concatenate([unit, unit / T, at.chart.owned.sizes])
    A = at.matrices.A * sizes / sizes[:, None]
    # what is rounding beside all else leads balancing of rows and columns astray, where it is all that they have
    every, vectors = eig(np.where(np.abs(A) > ROUNDING * np.abs(A).max(), A, 0.0))
    vectors = sizes[:, None] * vectors
    keep = np.flatnonzero(every.imag >= 0.0)
    keep = keep[np.argsort(np.abs(every[keep]))]
    lam, shapes = every[keep], vectors[:n, keep]
    whole = at._coordinates @ shapes
    largest = whole[np.argmax(np.abs(whole), axis=0), np.arange(len(keep))]
    shapes = shapes / np.where(largest == 0.0, 1.0, largest)  # of some nothing but states of elements moves
    omega = np.abs(lam)
    zeta = np.divide(-lam.real, omega, out=np.zeros(len(lam)), where=omega > 0.0)
    return Modes(omega, lam.imag / (2.0 * np.pi), zeta, every, lam, shapes, at)


def nothing_moves(asked: str, at: Linear) -> ModelError:
    """Return the error of a mechanism without freedoms."""
    drivers = [name for name, driver in at.stand.mechanism.drivers.items() if getattr(driver, "joint", None)]
    free = f"let a driver go, release = {drivers[:4]!r}, " if drivers else ""
    return ModelError(
        f"{asked}: nothing moves freely; free a joint, {free}give a body modes, or ask for the forces by equilibrium"
    )


def response(
    mechanism: Any,
    frequency: ArrayLike,
    *,
    input: Any = None,
    output: str | Sequence[str] | None = None,
    about: Any = None,
    point: str | None = None,
    force: tuple[str, Sequence[float]] | None = None,
    torque: str | None = None,
    base: str | None = None,
    joints: Joints = None,
    loads: bool | None = None,
    hold: Names = None,
    release: Names = None,
    settle: bool | str = True,
) -> Complex:
    """Return how outputs answer to a harmonic input of size 1; see `pm.response`."""
    given = [of for of in (input, force, torque) if of is not None]
    if len(given) != 1:
        raise ModelError("response: give either a force (point, direction), the torque of a joint, or another input")
    if (point is None) == (output is None):
        raise ModelError("response: give a point whose displacement is asked for, or another output, not both")
    if force is not None and (not isinstance(force, (tuple, list)) or len(force) != 2):
        raise ModelError(f"response: force: expected a point and a direction, got {shown(force)}")
    options = {"base": base, "joints": joints, "hold": hold, "release": release}
    loads = about is not None if loads is None else loads
    inputs = given[0] if isinstance(given[0], dict) else {"input": given[0]}
    settle = _settle("response", settle)
    at = linearised(mechanism, "response", about, inputs, loads=loads, settle=settle, **options)  # type: ignore[arg-type]
    if not at.chart.f:
        raise nothing_moves("response", at)
    asked = point or output or ""
    y = _outlet(at, asked)
    found, made = [], weights(at.inputs, 0.0)
    for f in np.atleast_1d(_finite("frequency", frequency)):
        made = weights(at.inputs, 2.0 * np.pi * f)
        x = _forced(at, f, np.vstack([at.F, at.G]) @ made)
        found.append(np.hstack([y.z + 2j * np.pi * f * y.v, y.w]) @ x + y.u @ made)
    answers = np.array(found).reshape(-1, len(y.z), made.shape[1])
    if made.shape[1] == 1:
        answers = answers[:, :, 0]
    return answers[:, 0] if isinstance(asked, str) and asked not in at.stand.mechanism.points else answers


def _outlet(at: Linear, asked: str | Sequence[str]) -> Outlet:
    """Return how the displacement of a point, or columns follow."""
    if isinstance(asked, str) and asked in at.stand.mechanism.points:
        Y = at.shape(asked)
        none = np.zeros(len(Y))
        every = [direct(at, of, lambda s: s[asked][0]) if isinstance(of, Shake) else none for of in at.inputs.values()]
        own = np.zeros((len(Y), len(at.ties.w)))
        return Outlet(Y, 0.0 * Y, own, np.array(every).reshape(len(every), len(Y)).T)
    return at.read((asked,) if isinstance(asked, str) else tuple(asked))


def _forced(at: Linear, frequency: float, acting: Array) -> Complex:
    """Return (3), (f + n_w,), by rows and unknowns of like size, so that rounding tells what has no answer."""
    omega, of = 2.0 * np.pi * frequency, at.ties
    M, D, K = at.M, at.C, at.K
    G = -of.z - 1j * omega * of.v, 1j * omega * np.eye(len(of.w)) - of.w
    whole = np.block([[K + 1j * omega * D - omega**2 * M, of.E.astype(complex)], list(G)])
    size = np.abs(whole)
    size[: len(M), : len(M)] = np.abs(K) + omega * np.abs(D) + omega**2 * np.abs(M)
    rows, unknowns = _alike(size)
    if np.all(rows > 0.0) and np.linalg.cond(whole / np.outer(rows, unknowns)) < SINGULAR:
        return np.asarray(np.linalg.solve(whole, acting))
    raise ModelError(
        f"response: at {frequency:g} Hz the answer has no bound: this is a natural frequency without damping, or 0 Hz "
        "of what nothing holds; ask beside it, give damping, or hold base and joints"
    )


def _alike(size: Array) -> tuple[Array, Array]:
    """Return by what rows and columns of a matrix of sizes (n, n) are divided, so that they are alike, (n,) each.

    Of forces and coordinates that is the root of the diagonal; where states of elements have none, as an integral at
    rest, the largest of each row and column, in turns.
    """
    own = np.sqrt(size.diagonal())
    if np.all(own > 0.0):
        return own, own
    rows, unknowns = np.ones(len(size)), np.ones(len(size))
    for _ in range(ROUNDS):
        left = size / np.outer(rows, unknowns)
        most = np.sqrt(left.max(axis=1)), np.sqrt(left.max(axis=0))
        if not (np.all(most[0] > 0.0) and np.all(most[1] > 0.0)):
            return 0.0 * rows, unknowns
        rows, unknowns = rows * most[0], unknowns * most[1]
    return rows, unknowns


def _finite(word: str, value: ArrayLike, n: int | None = None) -> Array:
    """Return finite numbers, n of them."""
    try:
        result = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"response: {word}: expected numbers, got {shown(value)}") from None
    if not np.isfinite(result).all() or (n is not None and result.shape != (n,)) or result.ndim > 1:
        raise ModelError(f"response: {word}: expected {n or 'a list of'} finite numbers, got {shown(value)}")
    return result
