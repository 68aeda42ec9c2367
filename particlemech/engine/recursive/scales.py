"""The mechanism's own units, from its start: a time, and where all that moves deflects, energy and deflections in play.

A beam that is clamped is as small in its deflections and energies as it is stiff, whatever its length and mass:

    K d(t) = f(t)                                      f: what acts on it while it is straight                    (1)
    s = max |d_j|/size_j                               and what it is deflected at its start                      (2)
    E = max d.K.d/2 + what moves it + its start        kinetic energy and range of the potential, straight        (3)

Tolerances follow s and E, and errors of energy are judged by E. What (1) misses between its instants is no harm: with
too small a unit tolerances are relative to what there is.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy import linalg

from particlemech.engine.recursive.equations import TreeSystem
from particlemech.engine.system import Array, Scale

INSTANTS = 65  # of a run at which (1) is asked
NOTHING = 1e-12  # of the energy in play: loads along deflections of their size below are rounding
SINGULAR = 1e-13  # of the largest eigenvalue: a stiffness below resists nothing


def own(made: TreeSystem, y: Array, duration: float) -> Scale:
    """Return the units of a mechanism that starts at a state y (n,) and runs for a duration, s."""
    time, slow = _times(made, y, duration)
    scale = replace(made.scale, time=time)
    deflects = np.array([made.compiled.coordinates[e].deflects for e in made.compiled.free], dtype=bool)
    if not deflects.any():
        return scale
    K, C, M = (of[np.ix_(deflects, deflects)] for of in (*made.elasticity, made.mass(y[made.layout.q])))
    often, play = _fastest(M, C, K) * duration / (2.0 * math.pi), scale.mass * (scale.length / slow) ** 2
    scale = replace(scale, vibrations=often, play=play)
    return _bending(made, scale, y, duration) if deflects.all() else scale


def _fastest(M: Array, C: Array, K: Array) -> float:
    """Return the fastest vibration of M a + C v + K q = 0 that is hardly damped, 1/s."""
    A, B, n = np.linalg.solve(M, K), np.linalg.solve(M, C), len(M)
    found = np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [-A, -B]]))
    return float(np.max(np.abs(found.imag[np.abs(found.imag) > np.abs(found.real)]), initial=0.0))


def _bending(made: TreeSystem, scale: Scale, y: Array, duration: float) -> Scale:
    """Return the units where all that moves deflects."""
    n, K, size, q, v = made.n_v, made.elasticity[0], made.size_v, y[made.layout.q], y[made.layout.v]
    stiffness = np.linalg.eigvalsh(size[:, None] * K * size)
    if not stiffness[0] > SINGULAR * stiffness[-1]:
        return scale
    times, straight, M = np.linspace(0.0, duration, INSTANTS), np.zeros(n), made.mass(q)
    f = np.array(
        [-made.needed(float(t), straight, straight, straight, made.elements.extra(np.zeros(0))) for t in times]
    )
    f[np.abs(f) * size <= NOTHING * scale.energy] = 0.0  # such as what pulls a spinning beam along itself
    d = np.linalg.solve(K, f.T).T  # (1)
    slowest = np.sqrt(1.0 / linalg.eigh(M, K, eigvals_only=True)[-1])
    part = max(float(np.max(np.abs(of) / size)) for of in (d, q, v / slowest))  # (2)
    kinetic, potential = made.energies(times, np.zeros((INSTANTS, made.n)))
    energy = 0.5 * float(np.max(np.sum(d * f, axis=1)) + q @ K @ q + v @ M @ v)
    energy += float(np.max(kinetic) + np.ptp(potential))  # (3)
    if not (0.0 < energy < np.inf and 0.0 < part < np.inf):
        return scale
    return replace(scale, play=energy, deflection=min(1.0, part), period=float(1.0 / slowest))


def _times(made: TreeSystem, y: Array, duration: float) -> tuple[float, float]:
    """Return T = min(sqrt(L/a), L/v, 1/omega), never longer than the run, s; 1 s where nothing moves.

    The second is the same of a mechanism whose deflections have no time of their own.
    """
    seen, L = made.observed(np.zeros(1), y[None])._sampled, made.scale.length
    omega, alpha = seen.omega[0, 1:], seen.a[0, 1:, :3]
    r = np.einsum("bij,bj->bi", seen.S[0, 1:].reshape(-1, 3, 3), made.compiled.tables.body["r"][1:])
    moving = np.cross(omega, r)
    v_G = seen.v[0, 1:] + moving
    a_G = seen.a[0, 1:, 3:] + np.array(made.mechanism.gravity) + np.cross(alpha, r) + np.cross(omega, moving)
    v = float(np.max(np.linalg.norm(v_G, axis=1) / L + np.linalg.norm(omega, axis=1)))
    a = float(np.max(np.linalg.norm(a_G, axis=1) / L + np.linalg.norm(alpha, axis=1)))
    slow = _time(v, a, duration)
    deflects = np.array([made.compiled.coordinates[e].deflects for e in made.compiled.free], dtype=bool)
    if not deflects.any():
        return slow, slow
    size, rates = made.size_v[deflects], made.slopes(0.0, y)[1]
    v = max(v, float(np.max(np.abs(y[made.layout.v][deflects]) / size)))
    a = max(a, float(np.max(np.abs(rates[made.n_q : made.n_q + made.n_v][deflects]) / size)))
    return _time(v, a, duration), slow


def _time(v: float, a: float, duration: float) -> float:
    """Return the time of a motion with a rate, 1/s, and one of second order, 1/s^2."""
    candidates = [duration]
    if 0.0 < v < np.inf:
        candidates.append(1.0 / v)
    if 0.0 < a < np.inf:
        candidates.append(a**-0.5)
    return min(candidates) if len(candidates) > 1 else min(1.0, duration)
