"""What Python asks of the kernels of a chain, each through one entry."""

from __future__ import annotations

import math

from particlemech._jit import attachment, entry, kernel, noinline
from particlemech.engine.bending.applied import applied, loads, unloaded
from particlemech.engine.bending.balance import accelerate, gathered, transmit
from particlemech.engine.bending.composite import masses
from particlemech.engine.bending.links import FLOATS
from particlemech.engine.bending.motion import outward, rates, spread
from particlemech.engine.bending.tables import Tables, WorkArrays
from particlemech.engine.free_system import differences
from particlemech.engine.system import Array

attached = attachment(Tables, WorkArrays)


@kernel
def imposed(a: Array, m: Tables, s: WorkArrays) -> None:
    """Write the rates of the speeds, (n_v,), where they belong in the work arrays."""
    spread(a, 2, m, s)
    for k in range(3):
        s.base[0, k] = a[3 + k] if m.base[0].state == FLOATS else 0.0
        s.base[1, k] = a[k] if m.base[0].state > 0 else 0.0


@kernel
def has_driver(m: Tables) -> bool:
    """Return whether a joint is driven."""
    for i in range(1, len(m.link)):
        if m.joint[i].signal >= 0:
            return True
    return False


@kernel
def driven(m: Tables, s: WorkArrays) -> float:
    """Return the power of the drivers."""
    power = 0.0
    for i in range(1, len(m.link)):
        if m.joint[i].signal >= 0:
            power += (s.need[i, 0] - s.tau[i, 0]) * s.x[i, 1]
    return power


@noinline
def needed(t: float, q: Array, u: Array, a: Array, m: Tables, s: WorkArrays, res: Array) -> float:
    """Fill what the free speeds need minus what acts on them, (n_v,); return the power of all but potentials."""
    outward(t, q, u, True, m, s)
    power = loads(m, s)
    imposed(a, m, s)
    accelerate(1.0, m, s)
    transmit(m, s)
    gathered(m, s, res)
    power += applied(m, s, res)
    return power + driven(m, s)


@entry
def residual(t: float, y: Array, yp: Array, res: Array, address: int) -> bool:
    """Fill the residual for IDA: kinematics, the balance of all free speeds, the work; return if finite."""
    m, s = attached(address)
    return balance(t, y, yp, res, m, s)


@noinline
def balance(t: float, y: Array, yp: Array, res: Array, m: Tables, s: WorkArrays) -> bool:
    """Fill q' - rates, what the free speeds need minus what acts on them, and W' - power."""
    n_v = len(s.A)
    n_q = len(y) - n_v - 1
    q, u = y[:n_q], y[n_q : n_q + n_v]
    power = needed(t, q, u, yp[n_q : n_q + n_v], m, s, res[n_q : n_q + n_v])
    rates(q, u, m, res)
    for k in range(n_q):
        res[k] = yp[k] - res[k]
    res[n_q + n_v] = yp[n_q + n_v] - power
    total = 0.0
    for k in range(len(res)):
        total += res[k]
    return math.isfinite(total)


@entry
def jacobian(t: float, y: Array, yp: Array, cj: float, size: Array, work: Array, J: Array, address: int) -> None:
    """Fill J = dF/dy + cj dF/dy'; see free_system.differences."""
    m, s = attached(address)
    differences(balance, t, y, yp, cj, size, work, J, m, s)


# -- accelerations ---------------------------------------------------------------------------------------------------


@entry
def columns(t: float, q: Array, address: int) -> None:
    """Fill the mass matrix A column by column: what unit accelerations from rest need, without gravity and loads."""
    m, s = attached(address)
    n = len(s.A)
    unit, column = s.f[0], s.f[1]
    unit[:] = 0.0
    outward(t, q, unit, False, m, s)
    unloaded(s)
    for j in range(n):
        unit[j] = 1.0
        imposed(unit, m, s)
        accelerate(0.0, m, s)
        transmit(m, s)
        gathered(m, s, column)
        unit[j] = 0.0
        for k in range(n):
            s.A[k, j] = column[k]


@entry
def mass(t: float, q: Array, address: int) -> None:
    """Fill A of the work arrays."""
    m, s = attached(address)
    s.f[0, :] = 0.0
    outward(t, q, s.f[0], False, m, s)
    masses(m, s)


@entry
def bias(t: float, q: Array, u: Array, a: Array, out: Array, address: int) -> float:
    """Fill what given accelerations need minus what acts, (n_v,); return the power."""
    m, s = attached(address)
    return needed(t, q, u, a, m, s, out)


@noinline
def factored(A: Array) -> float:
    """Put Cholesky's factor into the lower half of A; return the least pivot beside its diagonal, -1 where none is."""
    least = 1.0
    for j in range(len(A)):
        before = A[j, j]
        for k in range(j):
            A[j, j] -= A[j, k] * A[j, k]
        if not A[j, j] > 0.0:
            return -1.0
        least = min(least, A[j, j] / before)
        A[j, j] = math.sqrt(A[j, j])
        for i in range(j + 1, len(A)):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
    return least


@noinline
def solved(A: Array, b: Array) -> None:
    """Solve for b in place, A factored."""
    n = len(A)
    for i in range(n):
        for k in range(i):
            b[i] -= A[i, k] * b[k]
        b[i] /= A[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            b[i] -= A[k, i] * b[k]
        b[i] /= A[i, i]


@noinline
def forward(t: float, q: Array, u: Array, whole: bool, m: Tables, s: WorkArrays, out: Array) -> tuple[float, float]:
    """Fill the accelerations that the forces cause, (n_v,); return the least pivot and the power of W.

    The work arrays then have the motion; if `whole` also what the joints transmit.
    """
    s.f[0, :] = 0.0
    power = needed(t, q, u, s.f[0], m, s, out)
    masses(m, s)
    least = factored(s.A)
    for k in range(len(out)):
        out[k] = -out[k]
    solved(s.A, out)
    if whole or has_driver(m):
        # once more with the accelerations: what holds and drives the joints, and its power
        power -= driven(m, s)
        imposed(out, m, s)
        accelerate(1.0, m, s)
        transmit(m, s)
        power += driven(m, s)
    return least, power


@kernel
def slopes(t: float, y: Array, m: Tables, s: WorkArrays, out: Array) -> float:
    """Fill y' for y = (q, v, W); return the least pivot."""
    n_v = len(s.A)
    n_q = len(y) - n_v - 1
    q, u = y[:n_q], y[n_q : n_q + n_v]
    least, out[n_q + n_v] = forward(t, q, u, False, m, s, out[n_q : n_q + n_v])
    rates(q, u, m, out)
    return least


@entry
def slopes_at(t: float, y: Array, out: Array, address: int) -> float:
    """Fill y'; return the least pivot."""
    m, s = attached(address)
    return slopes(t, y, m, s, out)
