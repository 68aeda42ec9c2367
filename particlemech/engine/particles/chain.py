"""Kernels for the balance of chains.

Body coordinates Z = (x1, y1, x2, y2) of its particles, d = Z2 - Z1, K a = (-a_y, a_x). The rate of momentum of a
body in the parameter-free form (errata of [A00] (10), (11)), about the fixed origin:

    g   = (mu I + ka K) d                                  = m (G - Z1)                   (1)
    R   = [(m - mu) I - ka K] a1 + [mu I + ka K] a2                                       (2)
    tau = Z1 x R + [K g - j K d].a1 + j (K d).a2                                          (3)

Each body contributes w = (R, tau) - applied wrench. The wrench of everything outboard of a joint is then a plain
sum, one reverse sweep over the tree; moving the moment to the pin is one cross product:

    moment about P:    tau - P x R = 0        proj = (P_y, -P_x, 1)                       (4)
    force along u:     u.R = 0                proj = (u_x, u_y, 0)                        (5)
"""

from __future__ import annotations

from particlemech._jit import Records, kernel
from particlemech.engine.system import Array

BODY = [("m", "f8"), ("mu", "f8"), ("ka", "f8"), ("j", "f8"), ("length", "f8"), ("angle", "f8"), ("parent", "i4")]
FREE = [("moment", "i4"), ("body", "i4"), ("on", "i4"), ("a", "f8"), ("b", "f8"), ("x", "f8"), ("y", "f8")]


@kernel
def momentum(body: Records, gravity: Array, z: Array, az: Array, w: Array) -> None:
    """Fill w (n_body, 3): rate of momentum (2), (3) minus weight."""
    for b in range(len(body)):
        p, k = body[b], 4 * b
        x, y, dx, dy = z[k], z[k + 1], z[k + 2] - z[k], z[k + 3] - z[k + 1]
        gx, gy = p.mu * dx - p.ka * dy, p.mu * dy + p.ka * dx  # (1)
        a1x, a1y, a2x, a2y = az[k], az[k + 1], az[k + 2], az[k + 3]
        rx = (p.m - p.mu) * a1x + p.ka * a1y + p.mu * a2x - p.ka * a2y  # (2)
        ry = (p.m - p.mu) * a1y - p.ka * a1x + p.mu * a2y + p.ka * a2x
        tau = (p.j * dy - gy) * a1x + (gx - p.j * dx) * a1y + p.j * (dx * a2y - dy * a2x)
        w[b, 0] = rx - p.m * gravity[0]
        w[b, 1] = ry - p.m * gravity[1]
        w[b, 2] = x * ry - y * rx + tau  # (3)
        w[b, 2] -= (p.m * x + gx) * gravity[1] - (p.m * y + gy) * gravity[0]


@kernel
def momentum_z(body: Records, gravity: Array, z: Array, az: Array, cy: float, cp: float, D: Array) -> None:
    """Fill D[8 b + k], k < 4: dw/dZ_k times cy, and D[8 b + 4 + k]: dw/d(Z_k)'' times cp."""
    for b in range(len(body)):
        p, k, e = body[b], 4 * b, 8 * b
        x, y, dx, dy = z[k], z[k + 1], z[k + 2] - z[k], z[k + 3] - z[k + 1]
        a1x, a1y, a2x, a2y = az[k], az[k + 1], az[k + 2], az[k + 3]
        rx = (p.m - p.mu) * a1x + p.ka * a1y + p.mu * a2x - p.ka * a2y
        ry = (p.m - p.mu) * a1y - p.ka * a1x + p.mu * a2y + p.ka * a2x
        # derivative of (3) by d, then by Z1 and Z2
        tdx = p.mu * a1y - p.ka * a1x - p.j * a1y + p.j * a2y - p.mu * gravity[1] + p.ka * gravity[0]
        tdy = p.j * a1x - p.mu * a1x - p.ka * a1y - p.j * a2x + p.ka * gravity[1] + p.mu * gravity[0]
        D[e : e + 8, :] = 0.0
        D[e, 2] = cy * (ry - tdx - p.m * gravity[1])
        D[e + 1, 2] = cy * (-rx - tdy + p.m * gravity[0])
        D[e + 2, 2] = cy * tdx
        D[e + 3, 2] = cy * tdy
        gx, gy = p.mu * dx - p.ka * dy, p.mu * dy + p.ka * dx
        n = p.m - p.mu
        D[e + 4, 0], D[e + 4, 1], D[e + 4, 2] = n, -p.ka, -x * p.ka - y * n + p.j * dy - gy
        D[e + 5, 0], D[e + 5, 1], D[e + 5, 2] = p.ka, n, x * n - y * p.ka + gx - p.j * dx
        D[e + 6, 0], D[e + 6, 1], D[e + 6, 2] = p.mu, p.ka, x * p.ka - y * p.mu - p.j * dy
        D[e + 7, 0], D[e + 7, 1], D[e + 7, 2] = -p.ka, p.mu, x * p.mu + y * p.ka + p.j * dx
        for i in range(4, 8):
            for c in range(3):
                D[e + i, c] *= cp


@kernel
def react(cell: Records, row: Records, lam: Array, g: Array, z: Array, w: Array) -> None:
    """Subtract the reactions +phi_Z^T lam of all rows with a multiplier from w."""
    for e in range(len(cell)):
        r = row[cell[e].row].lam
        if r >= 0:
            push(cell[e].z, lam[r] * g[e], z, w)


@kernel
def push(k: int, f: float, z: Array, w: Array) -> None:
    """Subtract a force f along the body coordinate k from w."""
    b = k // 4
    if k % 2 == 0:
        w[b, 0] -= f
        w[b, 2] += z[k + 1] * f
    else:
        w[b, 1] -= f
        w[b, 2] -= z[k - 1] * f


@kernel
def sweep(body: Records, w: Array, outboard: Array) -> None:
    """Fill outboard (n_body, 3): the sum of w over each body and everything beyond it; parents come first."""
    for b in range(len(body)):
        for c in range(3):
            outboard[b, c] = w[b, c]
    for b in range(len(body) - 1, -1, -1):
        if body[b].parent >= 0:
            for c in range(3):
                outboard[body[b].parent, c] += outboard[b, c]


@kernel
def projections(free: Records, z: Array, proj: Array) -> None:
    """Fill proj (n_free, 3) by (4), (5)."""
    for e in range(len(free)):
        p = free[e]
        if p.on >= 0:
            k = 4 * p.on
            dx, dy = z[k + 2] - z[k], z[k + 3] - z[k + 1]
            px = p.a * dx - p.b * dy
            py = p.a * dy + p.b * dx
            if p.moment:
                px += z[k]
                py += z[k + 1]
        else:
            px, py = p.x, p.y
        if p.moment:
            proj[e, 0], proj[e, 1], proj[e, 2] = py, -px, 1.0
        else:
            proj[e, 0], proj[e, 1], proj[e, 2] = px, py, 0.0
