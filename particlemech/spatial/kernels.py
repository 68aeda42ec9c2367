"""Residual and Jacobian of mechanisms in space: the stabilised, regularised index-2 system.

    y = (q, v, lam, mu, theta, W)

    kinematics   q' - v + phi_q^T mu                  = 0                                  (1)
    momentum     M v' - f(t, q, v) - phi_q^T lam      = 0        M constant                (2)
    velocity     phi_q v + phi_t + eps_v lam          = 0                                  (3)
    position     phi - eps_p mu                       = 0                                  (4)
    work         W' - power of loads, dampers, motors and drivers = 0                      (5)
    angles       theta' - u1.(omega_2 - omega_1)      = 0        of torsion springs        (6)

A driver's row has phi_t = -(rate of its motion), so its power is -lam phi_t.

Block picture of J = dF/dy + cj dF/dy':

             q                v             lam        mu         W
    (1)    cj + mu.phi_qq    -1                       phi_q^T
    (2)    -f_q - lam.phi_qq  cj M - f_v   -phi_q^T
    (3)    h                  phi_q         eps_v
    (4)    phi_q                                      -eps_p
    (5)    -P_q + lam.phi_qt  -P_v          phi_t                  cj
    (6)    -rate_q            -rate_v                              cj (of theta)

phi is at most quadratic, so phi_qq is constant and J exact, but for the derivatives of f, of its power P and of the
rates in (6), which are central differences by the coordinates of the bodies on which forces act.
"""

from __future__ import annotations

import math

from particlemech._jit import attachment, entry, kernel
from particlemech.signal_tables import signals
from particlemech.spatial.laws import applied, potential
from particlemech.spatial.laws.torsion import rate
from particlemech.spatial.tables import Desk, Tables
from particlemech.system import Array
from particlemech.terms import gradient, rates

attached = attachment(Tables, Desk)


@kernel
def mass_times(m: Tables, v: Array, out: Array) -> None:
    """Fill out (n_q,) with M v."""
    for b in range(len(m.body)):
        block = m.body[b].block
        for i in range(4):
            for k in range(3):
                total = 0.0
                for j in range(4):
                    total += block[i, j] * v[12 * b + 3 * j + k]
                out[12 * b + 3 * i + k] = total


@entry
def residual(t: float, y: Array, yp: Array, res: Array, address: int) -> bool:
    """Fill res (n,) by (1) to (5); return whether it is finite."""
    m, s = attached(address)
    n_q, n_row = 12 * len(m.body), len(m.row)
    q, v = y[:n_q], y[n_q : 2 * n_q]
    lam, mu = y[2 * n_q : 2 * n_q + n_row], y[2 * n_q + n_row : 2 * n_q + 2 * n_row]
    signals(t, m.segment, m.signal, s.sig)
    gradient(m.term, s.sig, q, s.phi[0], s.phi[1], s.g)
    at_theta = 2 * n_q + 2 * n_row
    theta = y[at_theta : len(y) - 1]
    power = applied(m, s.sig, theta, q, v, s.f[0])
    mass_times(m, yp[n_q : 2 * n_q], res[n_q : 2 * n_q])
    for k in range(n_q):
        res[k] = yp[k] - v[k]
        res[n_q + k] -= s.f[0, k]
    for k in range(n_row):
        res[2 * n_q + k] = s.phi[1, k] + m.row[k].eps_v * lam[k]
        res[2 * n_q + n_row + k] = s.phi[0, k] - m.row[k].eps_p * mu[k]
        power -= lam[k] * s.phi[1, k]
    for e in range(len(m.cell)):
        r, z, g = m.cell[e].row, m.cell[e].z, s.g[e]
        res[z] += g * mu[r]
        res[n_q + z] -= g * lam[r]
        res[2 * n_q + r] += g * v[z]
    for e in range(len(m.torsions)):
        res[at_theta + e] = yp[at_theta + e] - rate(m.torsions[e], q, v)
    res[len(y) - 1] = yp[len(y) - 1] - power
    total = 0.0
    for k in range(len(res)):
        total += res[k]
    return math.isfinite(total)


@entry
def jacobian(t: float, y: Array, cj: float, size: float, pace: float, J: Array, address: int) -> None:
    """Fill J (n, n); `size` and `pace` are what counts as a unit of coordinates and of speeds, for differences."""
    m, s = attached(address)
    n_q, n_row = 12 * len(m.body), len(m.row)
    at_lam, at_mu, at_W = 2 * n_q, 2 * n_q + n_row, len(y) - 1
    q, v = y[:n_q], y[n_q : 2 * n_q]
    J[:, :] = 0.0
    signals(t, m.segment, m.signal, s.sig)
    gradient(m.term, s.sig, q, s.phi[0], s.phi[1], s.g)
    rates(m.term, s.sig, q, v, s.h, s.phi[2])
    for k in range(n_q):
        J[k, k] = cj
        J[k, n_q + k] = -1.0
    for b in range(len(m.body)):
        for i in range(4):
            for j in range(4):
                for k in range(3):
                    J[n_q + 12 * b + 3 * i + k, n_q + 12 * b + 3 * j + k] = cj * m.body[b].block[i, j]
    for e in range(len(m.cell)):
        r, z, g = m.cell[e].row, m.cell[e].z, s.g[e]
        J[z, at_mu + r] += g
        J[n_q + z, at_lam + r] -= g
        J[at_lam + r, z] += s.h[e]
        J[at_lam + r, n_q + z] += g
        J[at_mu + r, z] += g
    for e in range(len(m.term)):
        p = m.term[e]
        lam, mu = y[at_lam + p.row], y[at_mu + p.row]
        if p.i >= 0 and p.j >= 0:
            c = p.c * s.sig[p.s, 0]
            # a square has twice the second derivative, and comes here once
            J[p.i, p.j] += c * mu
            J[p.j, p.i] += c * mu
            J[n_q + p.i, p.j] -= c * lam
            J[n_q + p.j, p.i] -= c * lam
        driven = p.c * s.sig[p.s, 1] * lam
        if p.i >= 0:
            J[at_W, p.i] += driven * (q[p.j] if p.j >= 0 else 1.0)
        if p.j >= 0:
            J[at_W, p.j] += driven * (q[p.i] if p.i >= 0 else 1.0)
    for k in range(n_row):
        J[at_lam + k, at_lam + k] = m.row[k].eps_v
        J[at_mu + k, at_mu + k] = -m.row[k].eps_p
        J[at_W, at_lam + k] += s.phi[1, k]
    for k in range(2 * n_q + 2 * n_row, len(y)):
        J[k, k] = cj
    differences(y, size, pace, J, m, s)


@kernel
def differences(y: Array, size: float, pace: float, J: Array, m: Tables, s: Desk) -> None:
    """Take the derivatives of forces, powers and rates of angles from J, by central differences."""
    n_q = 12 * len(m.body)
    at_W, at_theta = len(y) - 1, len(y) - 1 - len(m.torsions)
    theta = y[at_theta:at_W]
    for k in range(n_q):
        s.z[0, k], s.z[1, k] = y[k], y[n_q + k]
    for c in range(len(m.felt)):
        j = m.felt[c]
        for level in range(2):
            h = 6e-6 * max(size if level == 0 else pace, abs(s.z[level, j]))
            kept = s.z[level, j]
            s.z[level, j] = kept + h
            above = applied(m, s.sig, theta, s.z[0], s.z[1], s.f[1])
            for e in range(len(m.torsions)):
                J[at_theta + e, level * n_q + j] -= rate(m.torsions[e], s.z[0], s.z[1]) / (2.0 * h)
            s.z[level, j] = kept - h
            below = applied(m, s.sig, theta, s.z[0], s.z[1], s.f[2])
            for e in range(len(m.torsions)):
                J[at_theta + e, level * n_q + j] += rate(m.torsions[e], s.z[0], s.z[1]) / (2.0 * h)
            s.z[level, j] = kept
            for k in range(n_q):
                J[n_q + k, level * n_q + j] -= (s.f[1, k] - s.f[2, k]) / (2.0 * h)
            J[at_W, level * n_q + j] -= (above - below) / (2.0 * h)


@entry
def levels(t: float, q: Array, v: Array, phi_q: Array, address: int) -> None:
    """Fill phi_q (n_row, n_q) and, on the desk, phi, phi_t and gamma."""
    m, s = attached(address)
    signals(t, m.segment, m.signal, s.sig)
    rates(m.term, s.sig, q, v, s.h, s.phi[2])
    gradient(m.term, s.sig, q, s.phi[0], s.phi[1], s.g)
    phi_q[:, :] = 0.0
    for e in range(len(m.cell)):
        phi_q[m.cell[e].row, m.cell[e].z] += s.g[e]


@entry
def forces(t: float, theta: Array, q: Array, v: Array, turning: Array, address: int) -> float:
    """Fill f[0] on the desk with all applied forces, and the rates of theta; return the power without potential."""
    m, s = attached(address)
    signals(t, m.segment, m.signal, s.sig)
    for e in range(len(m.torsions)):
        turning[e] = rate(m.torsions[e], q, v)
    return applied(m, s.sig, theta, q, v, s.f[0])


@entry
def potential_energy(theta: Array, q: Array, address: int) -> float:
    """Return the potential of gravity and springs."""
    m, _ = attached(address)
    return potential(m, theta, q)
