"""Rows that hold angles and strands: what couplings, gears and belts add to the polynomial rows of terms.py.

A *swing* is a function f of a vector d that is linear in body coordinates, with K d = (-d_y, d_x), n = d.d:

    angle    f = angle(d)          f_d = K d/n       f_dd = | 2 dx dy       dy^2 - dx^2 | /n^2            (1)
                                                            | dy^2 - dx^2   -2 dx dy    |
    strand   f = L - rho phi       f_d = e           f_dd = (K e) (K e)^T/L                               (2)

d = Z2 - Z1 gives the angle of a body, d between the centres of two wheels that of their line. A strand is tangent to
two circles whose centres are d apart; rho is the difference of their radii, each counted positive where the strand goes
round counter-clockwise. Its length, direction and angle are L^2 = n - rho^2, e = (L d - rho K d)/n and phi.

Angles count from the drawing and are unwrapped by a *counter*, a weighted sum of the angles theta of bodies, from which
they differ by less than half a turn; where a row itself says how far its strand has turned, the lengthening of the
strand counts too, near = w.theta + (L - L0)/rho. A row holds c f, and with g = f_d, H = f_dd

    phi += c f,   phi_d += c g,   phi_dot_d += c H d',   gamma += c d'.H d'                               (3)

The gap of what touches a cam, contours.py (1), is such a function of three vectors, d, n and e. An *arm* says what a
body coordinate adds to one of them, a *spot* in which cell (3) goes, by the chain rule Z = start + T q.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from particlemech import contours
from particlemech._jit import Records, entry, kernel, noinline, table
from particlemech.contours import Six, Way
from particlemech.engine.particles.frames import Swing
from particlemech.engine.system import Array

TURN = [(name, "i4") for name in ("row", "kind", "first", "last", "arm", "arms", "bend", "b1", "b2")]
TURN += [(name, "i4") for name in ("form", "lift", "lifts")]  # of a cam, contours.py
TURN += [(name, "f8") for name in ("c", "rho", "angle", "w1", "w2", "reel", "far", "x", "y", "nx", "ny", "ex", "ey")]
TURN += [(name, "f8") for name in ("p", "length", "apart", "side", "sense", "alpha")]  # of a cam
ARM = [("z", "i4"), ("of", "i4"), ("x", "f8"), ("y", "f8")]
SPOT = [("cell", "i4"), ("of", "i4"), ("x", "f8"), ("y", "f8")]
ANGLE, STRAND, ROLLER, FLAT = range(4)  # kinds
NO_CAM = (0.0,) * 6
WHOLE = 2.0 * math.pi  # a turn

Turn = tuple[int, Swing]  # of a row
Goal = Callable[[int, int], Iterable[tuple[int, float]]]  # (row, coordinate) -> cells and factors
Tables = tuple[Records, Records, Records]
Arms = tuple[list[tuple[int, int, float, float]], tuple[float, ...]]  # of a swing, frames.py


NO_TURNS = table([], TURN), table([], ARM), table([], SPOT)


def tabulated(turns: Sequence[Turn], goal: Goal, arms_of: Callable[[Swing], Arms] = Swing.arms) -> Tables:
    """Return the tables TURN, ARM and SPOT; arms of body coordinates, or of those in which `arms_of` writes them."""
    records: list[tuple[Any, ...]] = []
    arms: list[tuple[Any, ...]] = []
    spots: list[tuple[Any, ...]] = []
    bends = 0
    for row, swing in turns:
        own, left = arms_of(swing)
        own = [one for one in own if one[2] != 0.0 or one[3] != 0.0]
        put = [(cell, of, ax * factor, ay * factor) for z, of, ax, ay in own for cell, factor in goal(row, z)]
        if not put and not swing.strand and swing.touch is None:
            continue  # the angle of a line that stands still, between centres on the ground
        (b1, w1), (b2, w2) = (*swing.counter, (-1, 0.0), (-1, 0.0))[:2]
        places = len(spots), len(spots) + len(put), len(arms), len(arms) + len(own), bends
        kind, cam, numbers = int(swing.strand), (0, 0, 0), NO_CAM
        if swing.touch is not None:
            contact = swing.touch.contact
            kind, cam, numbers = FLAT if contact.flat else ROLLER, (contact.form, *swing.touch.lift), contact[2:8]
        counted = swing.angle, w1, w2, swing.reel, swing.length if swing.strand else 0.0
        records.append((row, kind, *places, b1, b2, *cam, swing.c, swing.rho, *counted, *left, *numbers))
        arms += own
        spots += put
        bends += len(own) ** 2
    return table(records, TURN), table(arms, ARM), table(spots, SPOT)


def slope(swing: Swing) -> tuple[Any, ...]:
    """Return c times the derivatives of f by d, n and e as drawn."""
    dx, dy = swing.drawn
    if swing.touch is not None:
        contact = swing.touch.contact
        x, phi, by_x, by_phi = contours.sighted(contact.flat, (dx, dy, *swing.touch.drawn))
        _, gx, gp, *_ = contact.gap(x, phi)
        return contours.weighed(swing.c * gx, by_x, swing.c * gp, by_phi)
    n = dx * dx + dy * dy
    if not swing.strand:
        return swing.c * (-dy) / n, swing.c * dx / n
    L = swing.length
    return swing.c * (L * dx + swing.rho * dy) / n, swing.c * (L * dy - swing.rho * dx) / n


@kernel
def reach(p: Any, arm: Records, z: Array, fixed: bool) -> tuple[float, float]:
    """Return d, or its rate."""
    dx, dy = (p.x, p.y) if fixed else (0.0, 0.0)
    for i in range(p.arm, p.arms):
        dx += arm[i].x * z[arm[i].z]
        dy += arm[i].y * z[arm[i].z]
    return dx, dy


@kernel
def span(p: Any, dx: float, dy: float) -> float:
    """Return the length L of a strand."""
    return math.sqrt(max(dx * dx + dy * dy - p.rho * p.rho, 1e-24 * (dx * dx + dy * dy)))


@kernel
def lean(p: Any, dx: float, dy: float) -> tuple[float, float]:
    """Return f_d: (1), (2)."""
    over = 1.0 / (dx * dx + dy * dy)
    if p.kind == STRAND:
        L = span(p, dx, dy)
        return (L * dx + p.rho * dy) * over, (L * dy - p.rho * dx) * over
    return -dy * over, dx * over


@kernel
def bend(p: Any, dx: float, dy: float) -> tuple[float, float, float]:
    """Return f_dd, its entries xx, xy, yy: (1), (2)."""
    if p.kind == STRAND:
        ex, ey = lean(p, dx, dy)
        L = span(p, dx, dy)
        return ey * ey / L, -ex * ey / L, ex * ex / L
    over = 1.0 / (dx * dx + dy * dy)
    x, y = dx * over, dy * over
    return 2.0 * x * y, y * y - x * x, -2.0 * x * y


@kernel
def swung(p: Any, dx: float, dy: float, theta: Array) -> float:
    """Return f; angles are those nearest to their counter."""
    near = p.w1 * theta[p.b1] if p.b1 >= 0 else 0.0
    if p.b2 >= 0:
        near += p.w2 * theta[p.b2]
    if p.reel != 0.0:
        near += p.reel * (span(p, dx, dy) - p.far)
    angle = math.atan2(dy, dx)
    if p.kind == STRAND:
        angle -= math.atan2(p.rho, span(p, dx, dy))
    off = angle - p.angle - near
    angle = near + off - WHOLE * math.floor(off / WHOLE + 0.5)
    return span(p, dx, dy) - p.rho * angle if p.kind == STRAND else angle


# -- cams, contours.py -------------------------------------------------------------------------------------------------

reached, raised, combined = kernel(contours.reached), kernel(contours.raised), kernel(contours.combined)
swept, sighted, angled = kernel(contours.swept), kernel(contours.sighted), kernel(contours.angled)
inner, weighed = kernel(contours.inner), kernel(contours.weighed)


@kernel
def three(p: Any, arm: Records, z: Array, fixed: bool) -> Six:
    """Return d, n and e, or their rates."""
    dx, dy, nx, ny, ex, ey = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if fixed:
        dx, dy, nx, ny, ex, ey = p.x, p.y, p.nx, p.ny, p.ex, p.ey
    for i in range(p.arm, p.arms):
        x, y = arm[i].x * z[arm[i].z], arm[i].y * z[arm[i].z]
        if arm[i].of == 0:
            dx, dy = dx + x, dy + y
        elif arm[i].of == 1:
            nx, ny = nx + x, ny + y
        else:
            ex, ey = ex + x, ey + y
    return dx, dy, nx, ny, ex, ey


@noinline
def touched(p: Any, segment: Records, x: float, phi: float) -> Six:
    """Return the gap and its derivatives, contours.py (1)."""
    way = reached(p.form, p.p, p.length, p.apart, p.side, x)
    begin = segment[p.lift].start
    u = begin + swept(p.sense * (p.alpha + way[3] - phi) - begin)
    low, high = 0, (p.lifts - p.lift) // 2
    while high - low > 1:
        middle = (low + high) // 2
        if segment[p.lift + 2 * middle].start <= u:
            low = middle
        else:
            high = middle
    a, b = segment[p.lift + 2 * low], segment[p.lift + 2 * low + 1]
    S, S1, S2 = raised(u - a.start, a.c0, a.c1, a.c2, a.c3, b.c0, b.c1, b.c2, b.c3, a.a, a.w, a.phase)
    return combined(way, p.sense, S, S1, S2)


@kernel
def bent(flat: bool, at: Six, u: Six, by_x: Six, by_phi: Six, gap: Way) -> Six:
    """Return how the gradient of the gap by d, n and e changes as these move by u: its second derivatives times u."""
    dx, dy, nx, ny, ex, ey = at
    _, gx, gp, gxx, gxp, gpp = gap
    x1, phi1 = inner(by_x, u), inner(by_phi, u)
    most = weighed(gxx * x1 + gxp * phi1, by_x, gxp * x1 + gpp * phi1, by_phi)
    ax, ay = angled(ex, ey, u[4], u[5])
    if flat:
        bx, by = angled(nx, ny, u[2], u[3])
        own = (gx * u[2], gx * u[3], gx * u[0] + gp * bx, gx * u[1] + gp * by, -gp * ax, -gp * ay)
    else:
        bx, by = angled(dx, dy, u[0], u[1])
        k = gx * (dx * u[1] - dy * u[0]) / (dx * dx + dy * dy) ** 1.5
        own = (-k * dy + gp * bx, k * dx + gp * by, 0.0, 0.0, -gp * ax, -gp * ay)
    return weighed(1.0, most, 1.0, own)


@noinline
def cam_gap(p: Any, arm: Records, segment: Records, z: Array) -> float:
    """Return the gap of what touches a cam."""
    x, phi, _, _ = sighted(p.kind == FLAT, three(p, arm, z, True))
    return touched(p, segment, x, phi)[0]


@noinline
def cam_slope(p: Any, arm: Records, segment: Records, z: Array) -> Six:
    """Return its derivatives by d, n and e."""
    x, phi, by_x, by_phi = sighted(p.kind == FLAT, three(p, arm, z, True))
    gap = touched(p, segment, x, phi)
    return weighed(gap[1], by_x, gap[2], by_phi)


@noinline
def cam_bend(p: Any, arm: Records, segment: Records, z: Array, u: Six) -> Six:
    """Return its second derivatives times rates u of d, n and e."""
    at = three(p, arm, z, True)
    x, phi, by_x, by_phi = sighted(p.kind == FLAT, at)
    return bent(p.kind == FLAT, at, u, by_x, by_phi, touched(p, segment, x, phi))


@kernel
def along(k: int, x: float, y: float, f: Six) -> float:
    """Return the part of derivatives by d, n and e that an arm or spot takes."""
    if k == 0:
        return x * f[0] + y * f[1]
    return x * f[2] + y * f[3] if k == 1 else x * f[4] + y * f[5]


# -- rows --------------------------------------------------------------------------------------------------------------


@kernel
def turned_rows(turns: Records, arm: Records, segment: Records, theta: Array, z: Array, phi: Array) -> None:
    """Add c f to phi (n_row,); theta (n_body,) are angles that count the turns."""
    for e in range(len(turns)):
        p = turns[e]
        if p.kind >= ROLLER:
            phi[p.row] += p.c * cam_gap(p, arm, segment, z)
            continue
        dx, dy = reach(p, arm, z, True)
        phi[p.row] += p.c * swung(p, dx, dy, theta)


@kernel
def turned_gradient(turns: Records, arm: Records, spot: Records, segment: Records, z: Array, g: Array) -> None:
    """Add c f_d to g (n_cell,)."""
    for e in range(len(turns)):
        p = turns[e]
        if p.kind >= ROLLER:
            f = cam_slope(p, arm, segment, z)
            for i in range(p.first, p.last):
                g[spot[i].cell] += p.c * along(spot[i].of, spot[i].x, spot[i].y, f)
            continue
        dx, dy = reach(p, arm, z, True)
        fx, fy = lean(p, dx, dy)
        for i in range(p.first, p.last):
            g[spot[i].cell] += p.c * (spot[i].x * fx + spot[i].y * fy)


@kernel
def turned_rates(
    turns: Records, arm: Records, spot: Records, segment: Records, z: Array, vz: Array, h: Array, gamma: Array
) -> None:
    """Add c H d' to h (n_cell,), unless it is (0,), and c d'.H d' to gamma (n_row,)."""
    for e in range(len(turns)):
        p = turns[e]
        if p.kind >= ROLLER:
            u = three(p, arm, vz, False)
            f = cam_bend(p, arm, segment, z, u)
            gamma[p.row] += p.c * inner(f, u)
            for i in range(p.first, p.last if len(h) else p.first):
                h[spot[i].cell] += p.c * along(spot[i].of, spot[i].x, spot[i].y, f)
            continue
        dx, dy = reach(p, arm, z, True)
        ux, uy = reach(p, arm, vz, False)
        xx, xy, yy = bend(p, dx, dy)
        hx, hy = p.c * (xx * ux + xy * uy), p.c * (xy * ux + yy * uy)
        gamma[p.row] += hx * ux + hy * uy
        for i in range(p.first, p.last if len(h) else p.first):
            h[spot[i].cell] += spot[i].x * hx + spot[i].y * hy


@kernel
def twist(p: Any, arm: Records, segment: Records, i: int, z: Array) -> Six:
    """Return the second derivatives of f times what arm i adds to d, n and e."""
    one = arm[i]
    if p.kind < ROLLER:
        dx, dy = reach(p, arm, z, True)
        xx, xy, yy = bend(p, dx, dy)
        return xx * one.x + xy * one.y, xy * one.x + yy * one.y, 0.0, 0.0, 0.0, 0.0
    if one.of == 0:
        return cam_bend(p, arm, segment, z, (one.x, one.y, 0.0, 0.0, 0.0, 0.0))
    if one.of == 1:
        return cam_bend(p, arm, segment, z, (0.0, 0.0, one.x, one.y, 0.0, 0.0))
    return cam_bend(p, arm, segment, z, (0.0, 0.0, 0.0, 0.0, one.x, one.y))


@entry
def turned_samples(
    turns: Records, arm: Records, segment: Records, theta: Array, z: Array, vz: Array, phi: Array, rate: Array
) -> None:
    """Add c f and its rate to phi and rate (K, n_row) at K samples; theta (K, n_body), z and vz (K, n)."""
    for k in range(len(theta)):
        turned_rows(turns, arm, segment, theta[k], z[k], phi[k])
        for e in range(len(turns)):
            p = turns[e]
            if p.kind >= ROLLER:
                rate[k, p.row] += p.c * inner(cam_slope(p, arm, segment, z[k]), three(p, arm, vz[k], False))
                continue
            dx, dy = reach(p, arm, z[k], True)
            ux, uy = reach(p, arm, vz[k], False)
            fx, fy = lean(p, dx, dy)
            rate[k, p.row] += p.c * (fx * ux + fy * uy)
