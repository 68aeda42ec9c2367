"""Measures: scalar functions of two bodies, from which all rows and all forces of this formulation are made.

Body 1 carries the place P, body 2 the place Q; S1, S2 lead from the centre of mass to them, d = Q - P, and

    perp(x, y) = (-y, x),    cross(a, b) = a_x b_y - a_y b_x

Every measure has a gradient of one form, in the coordinates (r1, theta1, r2, theta2): a unit effort u along a
line through both arms' ends, and a unit couple w,

    g = (-u, -cross(a1, u) - w,  u, cross(S2, u) + w)                                     (1)

              value      u            a1        w
    axis      e.d        e            S1        0     along an axis e fixed in the plane
    line      u.d + w a  R1 e         S1 + d    w     along an axis fixed in body 1, seen at Q on both; a = th2-th1
    span      |d|        d/|d|        S1        0     the distance
    follow    none       R2 e         -         0     an axis that turns with body 2; no function has this gradient
    edge      none       K g          S1 + d    w     the slip on a cam, g the gradient of its gap by Q, w |g| of
    face                                              that; of a roller's centre or an edge, or of a flat face
    across    none       perp(d)/|d|  S1 + d    w     the slip of circles about P and Q that touch; likewise
    angle     th2-th1    0            -         1
    swing     angle(d)   perp(d)/d.d  S1        0     of the line from P to Q
    pin       angle(d)   perp(d)/d.d  S1        -     less the angles of body 1, e_x times, and body 2, e_y times
    strand    L - rho a  (cos a, sin a) S1      0     of a line at the angle a that touches circles about P and Q
    roller    gap        contacts.py    S1 + d  0     of a roller's centre Q from its way about a cam's centre P
    flat      gap        contacts.py    S1 + d  w     of a flat face through Q from a cam about P

so that g is also the wrench of a unit reaction on both bodies, about their centres of mass. The derivative of (1)
by any coordinate is, with the same letters,

    g' = (-u', -cross(a1', u) - cross(a1, u'),  u', cross(S2', u) + cross(S2, u'))        (2)

A constraint is a measure, or a sum of measures with factors, that equals offset + s(t); a force is a law of a measure,
its rate and time. Factors are taken into value, gradient and curvature.
A strand meets d at the angle arcsin(rho/|d|) and has the length L = u.d; rho is the difference of the radii, positive
where it goes round counter-clockwise. Angles of lines count from the drawing, less than half a turn away from the sum
of angles of two bodies, with factors, and the lengthening of a strand times `reel`, which counts their turns.

The span is rounded off, sqrt(|d|^2 + soft^2) with soft = 1e-12 L, so that it has derivatives where d = 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from particlemech._jit import entry, kernel
from particlemech.engine.absolute.contacts import pressing, pressing_rate
from particlemech.engine.signal_tables import CONSTANT, PIECES, TIME, step
from particlemech.engine.system import Array
from particlemech.model.cams.lift import Contact
from particlemech.model.description import GROUND
from particlemech.model.forces import ForceSpec
from particlemech.model.freedom import Freedom
from particlemech.model.mechanism import Mechanism
from particlemech.model.signals import SignalSpec

AXIS, LINE, SPAN, FOLLOW, ANGLE, SWING, STRAND, ROLLER, FLAT, PIN, ACROSS, EDGE, FACE = range(13)
AXES = ((1.0, 0.0), (0.0, 1.0))
ORIGIN = (0.0, 0.0)
Place = tuple[float, float]

FIELDS = [  # of the tables of measures
    ("kind", "i4"),
    ("b1", "i4"),  # bodies, -1: ground
    ("b2", "i4"),
    ("x1", "f8"),  # P from the centre of mass of body 1, axes of body 1, m; ground: from the origin
    ("y1", "f8"),
    ("x2", "f8"),  # Q in body 2, m
    ("y2", "f8"),
    ("ex", "f8"),  # unit axis
    ("ey", "f8"),
    ("offset", "f8"),  # m or rad
    ("soft", "f8"),  # m
    ("seg_at", "i4"),  # first segment of its signal
    ("seg_n", "i4"),  # number of segments, 0: no signal; minus the number of steps, of a tape
    ("eps_v", "f8"),  # of a row: regularisation
    ("eps_p", "f8"),
    ("rho", "f8"),  # of a strand, or w of a line, m
    ("angle", "f8"),  # of the line of a swing or strand as drawn, rad
    ("c1", "i4"),  # bodies that count its turns, -1: none
    ("c2", "i4"),
    ("w1", "f8"),  # and the factors of their angles
    ("w2", "f8"),
    ("reel", "f8"),  # and that of the lengthening of a strand, 1/m
    ("form", "i4"),  # of what touches a cam, contours.py (1)
    ("lift_at", "i4"),  # first segment of its lift, two for each piece
    ("lift_n", "i4"),
    *((name, "f8") for name in ("p", "length", "apart", "side", "sense", "alpha")),
    ("stiffness", "f8"),  # of a force: its law
    ("damping", "f8"),
    ("row", "i4"),  # of a row: which one
    ("factor", "f8"),
]


@dataclass(frozen=True)
class Measure:
    """One measure in names and places of the drawing, global, m."""

    kind: int
    first: str
    second: str
    P: Place = ORIGIN
    Q: Place = ORIGIN
    e: Place = (1.0, 0.0)
    offset: float = 0.0
    signal: SignalSpec | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    factor: float = 1.0
    rho: float = 0.0
    counter: tuple[tuple[str, float], ...] = ()
    reel: float = 0.0
    contact: Contact | None = None  # with a cam

    @property
    def angle(self) -> float:
        """Angle of the line as drawn, rad."""
        x, y = self.Q[0] - self.P[0], self.Q[1] - self.P[1]
        return math.atan2(y, x) - (math.asin(self.rho / math.hypot(x, y)) if self.rho else 0.0)


Sum = tuple[Measure, ...]  # of one row


def star(bodies: tuple[str, ...]) -> tuple[str, list[str]]:
    """Return the hub of a joint, which is the ground or else its first body, and the other bodies."""
    hub = GROUND if GROUND in bodies else bodies[0]
    return hub, [b for b in bodies if b != hub]


def unit(direction: Place) -> Place:
    """Return a direction of length 1."""
    length = math.hypot(*direction)
    return direction[0] / length, direction[1] / length


def coordinate(of: Freedom, mechanism: Mechanism, **more: Any) -> Measure:
    """Return a coordinate of a joint as a measure."""
    if of.line is not None:
        P, Q = (mechanism.place(p, b) for p, b in zip(of.line, (of.first, of.second), strict=True))
        return Measure(PIN, of.first, of.second, P, Q, (1.0, 0.0) if of.against == of.first else (0.0, 1.0), **more)
    if of.turn:
        return Measure(ANGLE, of.first, of.second, **more)
    Q = mechanism.place(of.point, of.second)
    if of.profile is not None:
        kind, P = FACE if of.profile.flat else EDGE, mechanism.place(of.centre, of.first)
        return Measure(kind, of.first, of.second, P, Q, unit(of.axis), rho=of.roll, contact=of.profile, **more)
    if of.centre is not None:
        return Measure(ACROSS, of.first, of.second, mechanism.place(of.centre, of.first), Q, rho=of.roll, **more)
    return Measure(LINE, of.first, of.second, mechanism.drawn(of.point), Q, unit(of.axis), rho=of.roll, **more)


def acting(force: ForceSpec, mechanism: Mechanism) -> Measure:
    """Return the law of a force on a coordinate of a joint."""
    law = force.law(mechanism)
    how = {"offset": law.free, "stiffness": law.stiffness, "damping": law.damping, "signal": law.effort}
    return coordinate(force.on(mechanism), mechanism, **how)


@kernel
def _arms(m: Any, q: Array) -> Any:
    """Return S1, S2, d, the axis turned with its body, of one measure at coordinates q (n_q,)."""
    r1x, r1y, c1, s1, r2x, r2y, c2, s2 = 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0
    if m.b1 >= 0:
        r1x, r1y = q[3 * m.b1], q[3 * m.b1 + 1]
        c1, s1 = math.cos(q[3 * m.b1 + 2]), math.sin(q[3 * m.b1 + 2])
    if m.b2 >= 0:
        r2x, r2y = q[3 * m.b2], q[3 * m.b2 + 1]
        c2, s2 = math.cos(q[3 * m.b2 + 2]), math.sin(q[3 * m.b2 + 2])
    S1x, S1y = c1 * m.x1 - s1 * m.y1, s1 * m.x1 + c1 * m.y1
    S2x, S2y = c2 * m.x2 - s2 * m.y2, s2 * m.x2 + c2 * m.y2
    if m.kind == FOLLOW or m.kind == FLAT or m.kind == FACE:
        c1, s1 = c2, s2
    ex, ey = c1 * m.ex - s1 * m.ey, s1 * m.ex + c1 * m.ey
    return S1x, S1y, S2x, S2y, (r2x - r1x) + (S2x - S1x), (r2y - r1y) + (S2y - S1y), ex, ey


@kernel
def _line_of(m: Any, dx: float, dy: float) -> Any:
    """Return the direction of the line of a swing or strand."""
    if m.kind == STRAND:
        sine = m.rho / math.sqrt(dx * dx + dy * dy)
        # not by max and min: numba does not find them again where kernels for two kinds of records need them
        sine = 1.0 if sine > 1.0 else -1.0 if sine < -1.0 else sine
        a = math.atan2(dy, dx) - math.asin(sine)
        return math.cos(a), math.sin(a)
    size = math.sqrt(dx * dx + dy * dy)
    return dx / size, dy / size


@kernel
def _counted(m: Any, ux: float, uy: float, length: float, q: Array) -> Any:
    """Return the angle of a direction since the drawing, on the turn of its counters; `length` of a strand."""
    near = (m.w1 * q[3 * m.c1 + 2] if m.c1 >= 0 else 0.0) + (m.w2 * q[3 * m.c2 + 2] if m.c2 >= 0 else 0.0)
    if m.reel != 0.0:
        near += m.reel * (length - m.offset)
    c, s = math.cos(m.angle + near), math.sin(m.angle + near)
    return near + math.atan2(c * uy - s * ux, c * ux + s * uy)


@kernel
def gradient(m: Any, segments: Array, q: Array, g: Array) -> Any:
    """Return the value of one measure at coordinates q (n_q,); fill its gradient (1), g (6,)."""
    if m.kind == ANGLE:
        g[:] = 0.0
        g[2], g[5] = -m.factor, m.factor
        th1 = q[3 * m.b1 + 2] if m.b1 >= 0 else 0.0
        th2 = q[3 * m.b2 + 2] if m.b2 >= 0 else 0.0
        return m.factor * (th2 - th1)
    ax, ay, Sx, Sy, dx, dy, ux, uy = _arms(m, q)
    if m.kind == LINE or m.kind == ACROSS:
        ax, ay = ax + dx, ay + dy
    elif m.kind == AXIS:
        ux, uy = m.ex, m.ey
    if m.kind == ACROSS:
        size = math.sqrt(dx * dx + dy * dy + m.soft * m.soft)
        ux, uy = -dy / size, dx / size
    value, w = ux * dx + uy * dy, 0.0
    if (m.kind == LINE or m.kind == ACROSS) and m.rho != 0.0:
        value += m.rho * ((q[3 * m.b2 + 2] if m.b2 >= 0 else 0.0) - (q[3 * m.b1 + 2] if m.b1 >= 0 else 0.0))
        w = m.factor * m.rho
    if m.kind == ROLLER or m.kind == FLAT:
        theta = q[3 * m.b1 + 2] if m.b1 >= 0 else 0.0
        value, ux, uy, w = pressing(m, m.kind == FLAT, segments, dx, dy, ux, uy, theta)
        ax, ay, w = ax + dx, ay + dy, m.factor * w
    elif m.kind == EDGE or m.kind == FACE:
        theta = q[3 * m.b1 + 2] if m.b1 >= 0 else 0.0
        _, gx, gy, _ = pressing(m, m.kind == FACE, segments, dx, dy, ux, uy, theta)
        ax, ay, ux, uy = ax + dx, ay + dy, gy, -gx
        w = m.factor * m.rho * math.sqrt(gx * gx + gy * gy)
    elif m.kind == SPAN:
        value = math.sqrt(dx * dx + dy * dy + m.soft * m.soft)
        ux, uy = dx / value, dy / value
    elif m.kind == SWING or m.kind == PIN:
        ux, uy = _line_of(m, dx, dy)
        value = _counted(m, ux, uy, 0.0, q)
        size = math.sqrt(dx * dx + dy * dy)
        ux, uy = -uy / size, ux / size
    elif m.kind == STRAND:
        ux, uy = _line_of(m, dx, dy)
        value = ux * dx + uy * dy
        value -= m.rho * _counted(m, ux, uy, value, q)
    ux, uy = m.factor * ux, m.factor * uy
    g[0], g[1], g[2] = -ux, -uy, ay * ux - ax * uy - w
    g[3], g[4], g[5] = ux, uy, Sx * uy - Sy * ux + w
    if m.kind == PIN:
        g[2], g[5] = g[2] - m.factor * m.ex, g[5] - m.factor * m.ey
    return m.factor * value


@kernel
def curvature(m: Any, segments: Array, q: Array, h: Array) -> None:
    """Fill the derivative (2) of the gradient of one measure, h[i, j] = dg_i/dq_j, (6, 6)."""
    h[:] = 0.0
    if m.kind == ANGLE:
        return
    ax, ay, Sx, Sy, dx, dy, ux, uy = _arms(m, q)
    px, py = ax, ay  # S1
    span, cam, edge = 1.0, m.kind == ROLLER or m.kind == FLAT, m.kind == EDGE or m.kind == FACE
    theta = q[3 * m.b1 + 2] if m.b1 >= 0 else 0.0
    nx, ny = ux, uy
    if m.kind == LINE or m.kind == ACROSS or edge or cam:
        ax, ay = ax + dx, ay + dy
    if m.kind == ACROSS:
        span = math.sqrt(dx * dx + dy * dy + m.soft * m.soft)
        ux, uy = -dy / span, dx / span
    elif cam:
        _, ux, uy, _ = pressing(m, m.kind == FLAT, segments, dx, dy, nx, ny, theta)
    elif edge:
        _, gx, gy, _ = pressing(m, m.kind == FACE, segments, dx, dy, nx, ny, theta)
        ux, uy = gy, -gx
    elif m.kind == AXIS:
        ux, uy = m.ex, m.ey
    elif m.kind == SPAN:
        span = math.sqrt(dx * dx + dy * dy + m.soft * m.soft)
        ux, uy = dx / span, dy / span
    elif m.kind == SWING or m.kind == PIN:
        span = dx * dx + dy * dy
        ux, uy = -dy / span, dx / span
    elif m.kind == STRAND:
        ux, uy = _line_of(m, dx, dy)
        span = ux * dx + uy * dy
    for j in range(6):
        # rates of d, of S2, of the arm on body 1 and of u while coordinate j moves
        d1x, d1y, s1x, s1y = 0.0, 0.0, 0.0, 0.0
        a1x, a1y, u1x, u1y, w1 = 0.0, 0.0, 0.0, 0.0, 0.0
        if j == 0 or j == 3:
            d1x = -1.0 if j == 0 else 1.0
        elif j == 1 or j == 4:
            d1y = -1.0 if j == 1 else 1.0
        elif j == 2:
            a1x, a1y = -py, px
            d1x, d1y = py, -px
        else:
            s1x, s1y = -Sy, Sx
            d1x, d1y = s1x, s1y
        if m.kind == LINE or m.kind == ACROSS or edge or cam:
            a1x, a1y = a1x + d1x, a1y + d1y
        if m.kind == ACROSS:
            along = uy * d1x - ux * d1y
            u1x, u1y = (-d1y - along * ux) / span, (d1x - along * uy) / span
        elif cam:
            turn1, turn2 = 1.0 if j == 2 else 0.0, 1.0 if j == 5 else 0.0
            u1x, u1y, w1 = pressing_rate(m, m.kind == FLAT, segments, dx, dy, nx, ny, theta, d1x, d1y, turn1, turn2)
        elif edge:
            turn1, turn2 = 1.0 if j == 2 else 0.0, 1.0 if j == 5 else 0.0
            g1x, g1y, _ = pressing_rate(m, m.kind == FACE, segments, dx, dy, nx, ny, theta, d1x, d1y, turn1, turn2)
            u1x, u1y = g1y, -g1x
            w1 = m.rho * (ux * u1x + uy * u1y) / math.sqrt(ux * ux + uy * uy)
        elif m.kind == SPAN:
            along = ux * d1x + uy * d1y
            u1x, u1y = (d1x - along * ux) / span, (d1y - along * uy) / span
        elif m.kind == SWING or m.kind == PIN:
            along = 2.0 * (dx * d1x + dy * d1y)
            u1x, u1y = (-d1y - along * ux) / span, (d1x - along * uy) / span
        elif m.kind == STRAND:  # it turns about where it touches
            aside = (ux * d1y - uy * d1x) / span
            u1x, u1y = -aside * uy, aside * ux
        elif (m.kind == LINE and j == 2) or (m.kind == FOLLOW and j == 5):
            u1x, u1y = -uy, ux
        h[0, j], h[1, j], h[3, j], h[4, j] = -u1x, -u1y, u1x, u1y
        h[2, j] = a1y * ux - a1x * uy + ay * u1x - ax * u1y - w1
        h[5, j] = s1x * uy - s1y * ux + Sx * u1y - Sy * u1x + w1
        for i in range(6):
            h[i, j] *= m.factor


@kernel
def _piece(segments: Array, low: int, high: int, t: float) -> Any:
    """Return value, first and second derivative of the last of the segments low to high - 1 that has begun."""
    while high - low > 1:
        middle = (low + high) // 2
        if segments[middle, 0] <= t:
            low = middle
        else:
            high = middle
    c0, c1, c2, c3 = segments[low, 1], segments[low, 2], segments[low, 3], segments[low, 4]
    a, w = segments[low, 5], segments[low, 6]
    tau = t - segments[low, 0] if math.isfinite(segments[low, 0]) else 0.0
    s, c = math.sin(w * tau + segments[low, 7]), math.cos(w * tau + segments[low, 7])
    return (
        c0 + tau * (c1 + tau * (c2 + tau * c3)) + a * s,
        c1 + tau * (2.0 * c2 + tau * 3.0 * c3) + a * w * c,
        2.0 * c2 + 6.0 * c3 * tau - a * w * w * s,
    )


@kernel
def signal(m: Any, segments: Array, t: float, work: Array) -> Any:
    """Return value, first and second derivative of a measure's signal; segments (n_segment, 8), work (n_step, 3)."""
    if m.seg_n == 0:
        return 0.0, 0.0, 0.0
    if m.seg_n < 0:  # the steps of a tape, tapes.py (1)
        last = -m.seg_n - 1
        for k in range(last + 1):
            at = m.seg_at + k
            op = int(segments[at, 0])
            if op == CONSTANT:
                work[k, 0], work[k, 1], work[k, 2] = segments[at, 3], 0.0, 0.0
            elif op == TIME:
                work[k, 0], work[k, 1], work[k, 2] = t, 1.0, 0.0
            elif op == PIECES:
                low = m.seg_at + int(segments[at, 1])
                work[k, 0], work[k, 1], work[k, 2] = _piece(segments, low, low + int(segments[at, 2]), t)
            else:
                i, j = int(segments[at, 1]), int(segments[at, 2])
                x, y = work[i], work[j]
                work[k, 0], work[k, 1], work[k, 2] = step(op, x[0], x[1], x[2], y[0], y[1], y[2])
        return work[last, 0], work[last, 1], work[last, 2]
    return _piece(segments, m.seg_at, m.seg_at + m.seg_n, t)


@entry
def measured_samples(
    table: Any,
    segments: Array,
    t: Array,
    q: Array,
    v: Array,
    value: Array,
    s: Array,
    g: Array,
    bend: Array,
    h: Array,
    work: Array,
) -> None:
    """Fill values (K, n), signals (K, n, 3), gradients (K, n, 6) and v.h.v (K, n) at K samples.

    h (6, 6) and work, one row for every step of the longest tape, are scratch.
    """
    for k in range(len(t)):
        for e in range(len(table)):
            m = table[e]
            value[k, e] = gradient(m, segments, q[k], g[k, e])
            s[k, e, 0], s[k, e, 1], s[k, e, 2] = signal(m, segments, t[k], work)
            curvature(m, segments, q[k], h)
            bend[k, e] = 0.0
            for i in range(6):
                b = m.b1 if i < 3 else m.b2
                for j in range(6):
                    c = m.b1 if j < 3 else m.b2
                    if b >= 0 and c >= 0:
                        bend[k, e] += v[k, 3 * b + i % 3] * h[i, j] * v[k, 3 * c + j % 3]


@entry
def measured(
    table: Any, segments: Array, t: float, q: Array, value: Array, s: Array, g: Array, h: Array, work: Array
) -> None:
    """Fill values (n,), signals (n, 3), gradients (n, 6) and curvatures (n, 6, 6) of a whole table."""
    for e in range(len(table)):
        value[e] = gradient(table[e], segments, q, g[e])
        curvature(table[e], segments, q, h[e])
        s[e, 0], s[e, 1], s[e, 2] = signal(table[e], segments, t, work)
