"""Independent answers: differences, Newton's and Euler's laws body by body, and one instant of a mechanism by name.

`unbalanced` knows no formulation: it takes the specs as the user wrote them and asks whether the reported reactions and
efforts, together with weight and applied forces, give every body the reported acceleration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from particlemech import drivers, forces, joints
from particlemech.engine.plane import Motion, PlanarSystem
from particlemech.engine.statics import determined, effort_places, least_norm
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Mechanism
from particlemech.model.signals import values
from particlemech.result.plane import PlanarResult
from particlemech.run import phases
from particlemech.run.preparing import prepared, time_scale
from particlemech.run.start import Start, start
from particlemech.run.trajectory import Status

Array = np.ndarray
SINGULAR, NEARLY = 1e-12, 1e-6  # of the largest singular value: below is zero, between the two is too close to tell
STILL = 1e-3  # 1/s^2: accelerations below this times L are rest


def central(function: Callable[[Array], Array], z: Array, step: float = 1e-4) -> Array:
    """Return the derivative of a vector function by central differences of fourth order, (n, len(z))."""
    columns = []
    for j in range(len(z)):
        h = np.zeros(len(z))
        h[j] = step
        near, far = function(z + h) - function(z - h), function(z + 2.0 * h) - function(z - 2.0 * h)
        columns.append((8.0 * near - far) / (12.0 * step))
    return np.stack(columns, axis=-1)


def along(function: Callable[[float], Any], step: float) -> tuple[Any, Any]:
    """Return first and second derivative of a function at 0, central differences of fourth order."""
    a, b, c, d, e = (function(k * step) for k in (-2, -1, 0, 1, 2))
    return (a - 8.0 * b + 8.0 * d - e) / (12.0 * step), (-a + 16.0 * b - 30.0 * c + 16.0 * d - e) / (12.0 * step**2)


def scaled(A: Array) -> Array:
    """Return a matrix with rows and columns of size one."""
    for _ in range(5):
        for axis in (1, 0):
            size = np.max(np.abs(A), axis=axis, keepdims=True)
            A = A / np.sqrt(np.where(size > 0.0, size, 1.0))
    return A


class Condition(NamedTuple):
    """How far a matrix is from a singular one."""

    number: float  # largest over smallest singular value that is not zero
    singular: bool
    unclear: bool  # nearly singular, neither zero nor well away from it


def condition(A: Array) -> Condition:
    """Return the condition of a matrix, rows and columns scaled."""
    if not A.any():
        return Condition(1.0, bool(A.size), False)
    s = np.linalg.svd(scaled(A), compute_uv=False)
    s = s / s[0]
    used = s[s > SINGULAR]
    return Condition(float(1.0 / used[-1]), len(used) < len(s), bool(used[-1] < NEARLY))


class Instant(NamedTuple):
    """A mechanism at its start; all in the order of the mechanism's own names."""

    motion: Motion
    reaction: dict[tuple[str, str], Array]  # (joint, body) -> force x, y, moment, of least norm
    known: dict[tuple[str, str], Array]  # which of them are determined
    effort: dict[str, float]
    effort_known: dict[str, bool]
    push: dict[tuple[str, int], float]  # of rows of joints whose forces are results by themselves
    condition: Condition
    length: float
    mass: float


def instant(mechanism: Mechanism, formulation: str = "particles", cut: tuple[str, ...] = ()) -> Instant:
    """Return the start of a mechanism."""
    return instant_of(*prepared(mechanism, formulation, cut))


def instant_of(system: PlanarSystem, begin: Start) -> Instant:
    """Return the start of a system."""
    lay = system.layout
    motion = system.motion(begin.q[None], begin.v[None], begin.a[None], begin.x[None])
    balance = system.balance(0.0, begin.q, begin.v, begin.a, begin.x)
    r, stresses, _ = least_norm(balance)
    report = balance.report @ r
    known = determined(balance.report, stresses, balance.unit)
    # a moment that a joint cannot carry is zero but for rounding, and nobody reports it
    known[[joint not in lay.moments for joint, _ in lay.reactions], 2] = True
    own = np.array([[column == name for column in balance.joint_columns] for name in lay.drivers], float)
    told = determined(own[:, None], stresses, balance.unit)[:, 0] if len(own) else ()
    efforts = own @ r if len(own) else ()
    places = effort_places(balance.joint_columns, lay.efforts)
    pushes = {lay.efforts[at]: float(r[k]) for k, at in enumerate(places) if at >= len(lay.drivers)}
    A, _ = system.dynamics(0.0, begin.q, begin.v, begin.x)
    return Instant(
        motion,
        dict(zip(lay.reactions, report, strict=True)),
        dict(zip(lay.reactions, known, strict=True)),
        dict(zip(lay.drivers, efforts, strict=True)),
        dict(zip(lay.drivers, told, strict=True)),
        pushes,
        condition(A),
        system.scale.length,
        system.scale.mass,
    )


class Difference(NamedTuple):
    """Largest differences of two instants, as fractions of the largest quantity of the kind."""

    acceleration: float
    reaction: float
    determined: bool  # the same components are determined


def accelerations(one: Instant) -> Array:
    """Return all accelerations as one vector, angles times L, m/s^2."""
    m = one.motion
    return np.concatenate([m.point_a.ravel(), m.com_a.ravel(), one.length * m.alpha.ravel()])


def _rest(one: Instant) -> float:
    """Return an acceleration that is small beside those of a motion like this, m/s^2; they may all vanish."""
    return one.length * max(STILL, float(np.max(one.motion.omega**2)))


def _forces(one: Instant, other: Instant) -> tuple[Array, bool]:
    """Return the determined reactions and efforts as one vector, N, and whether both determine the same."""
    both = {k: one.known[k] & other.known[k] for k in one.known}
    per = np.array([1.0, 1.0, 1.0 / one.length])
    found = [per * np.where(both[k], one.reaction[k], 0.0) for k in both]
    efforts = [one.effort[d] / one.length for d in one.effort if one.effort_known[d] and other.effort_known[d]]
    same = all(np.array_equal(one.known[k], other.known[k]) for k in both) and one.effort_known == other.effort_known
    return np.concatenate([*found, np.array(efforts), np.zeros(1)]), same


def difference(one: Instant, other: Instant) -> Difference:
    """Return how far two instants of one mechanism differ."""
    a, b = accelerations(one), accelerations(other)
    (f, same), (g, _) = _forces(one, other), _forces(other, one)
    force = max(float(np.max(np.abs(f))), float(np.max(np.abs(g))))
    size = max(float(np.max(np.abs(a))), float(np.max(np.abs(b))), force / one.mass, _rest(one))
    force = max(force, one.mass * size)
    return Difference(float(np.max(np.abs(a - b))) / size, float(np.max(np.abs(f - g))) / force, same)


# -- Newton and Euler ------------------------------------------------------------------------------------------------


def _cross(r: Array, f: Array) -> float:
    return float(r[0] * f[1] - r[1] * f[0])


class _Sum:
    """Wrenches on all bodies, moments about the centres of mass."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.centre = {b: np.array(mechanism.centre(b)) for b in mechanism.bodies}
        self.total = {b: np.zeros(3) for b in mechanism.bodies}
        self.size = 0.0

    def add(self, body: str, force: Any, place: Any, couple: float = 0.0) -> None:
        if body == GROUND:
            return
        force = np.array(force, float)
        moment = _cross(np.array(place) - self.centre[body], force) + couple
        self.total[body] += (*force, moment)
        self.size = max(self.size, float(np.hypot(*force)), abs(moment))


def _seat(mechanism: Mechanism, joint: Any) -> Any:
    """Return where the reactions of a joint are reported, as drawn."""
    if isinstance(joint, joints.Gear | joints.Rack | joints.Rolling):
        return _pitch_point(mechanism, joint)
    if isinstance(joint, joints.Cam):
        return _touching(mechanism, joint)
    if getattr(joint, "points", None) is not None:
        return mechanism.drawn(joint.points[1])
    if joint.point is not None:
        return mechanism.drawn(joint.point)
    return mechanism.centre(joint.bodies[1] if joint.bodies[1] != GROUND else joint.bodies[0])


def _pitch_point(mechanism: Mechanism, joint: Any) -> Array:
    """Return where two wheels touch as drawn, or a wheel and a line."""
    A, B = (np.array(mechanism.drawn(p)) for p in joint.points)
    if joint.bodies and getattr(joint, "axis", None) is not None:
        u = np.array(joint.axis) / np.hypot(*joint.axis)
        return A + u * ((B - A) @ u)
    one, other = joint.radii
    if joint.internal:  # beyond the centre of the smaller wheel
        return (A * other - B * one) / (other - one)
    return (A * other + B * one) / (one + other)


def _touching(mechanism: Mechanism, cam: Any) -> Array:
    """Return a place on the common normal as drawn, by differences of the contour of a cam: where it is touched."""
    P, Q = (np.array(mechanism.drawn(p)) for p in cam.points)
    if cam.follower != "flat":
        return Q
    n = np.array(cam.normal(mechanism))
    contact, psi, h = cam.contact(mechanism.drawn), np.arctan2(n[1], n[0]), 1e-5
    slope = (contact.lift(psi + h)[0] - contact.lift(psi - h)[0]) / (2.0 * h)
    return P + (n @ (Q - P)) * n + slope * np.array([-n[1], n[0]])


def _strung(mechanism: Mechanism, name: str, belt: Any, one: Instant, total: _Sum) -> None:
    """Add what the strands of a belt exert where they touch its pulleys."""
    for k, strand in enumerate(belt.tied_strands(mechanism)):
        A, B = (np.array(mechanism.drawn(p)) for p in strand.points)
        s1, s2 = strand.radii
        slope = np.arctan2(*(B - A)[::-1]) - np.arcsin((s2 - s1) / np.hypot(*(B - A)))
        right = np.array([np.sin(slope), -np.cos(slope)])
        tension = -one.push[name, k] * np.array([np.cos(slope), np.sin(slope)])
        total.add(strand.bodies[0], tension, A + s1 * right)
        total.add(strand.bodies[1], -tension, B + s2 * right)


def _driven(mechanism: Mechanism, driver: Any, effort: float, total: _Sum) -> None:
    match driver:
        case drivers.Rotation(bodies=(first, second)):
            total.add(second, (0.0, 0.0), (0.0, 0.0), effort)
            total.add(first, (0.0, 0.0), (0.0, 0.0), -effort)
        case drivers.Coordinate(joint=name):
            _exerted(mechanism, name, driver.coordinate, effort, total)
        case drivers.Distance(points=points):
            first, second = (np.array(mechanism.drawn(p)) for p in points)
            force = effort * (second - first) / np.hypot(*(second - first))
            carriers = driver.bodies or [mechanism.carrier(p) for p in points]
            total.add(carriers[1], force, second)
            total.add(carriers[0], -force, first)
        case drivers.Position(point=point, axis=axis):
            force = (effort, 0.0) if axis == "x" else (0.0, effort)
            total.add(driver.body or mechanism.carrier(point), force, mechanism.drawn(point))


def _exerted(mechanism: Mechanism, name: str, coordinate: str | None, effort: float, total: _Sum) -> None:
    """Add an effort on a coordinate of a joint, as drawn: a couple, or a force along its line."""
    joint: Any = mechanism.joints[name]
    if (coordinate or joint.coordinate_names[0]).startswith("angle"):
        second = joint.bodies[1] if "." not in (coordinate or "") else coordinate.partition(".")[2]
        total.add(second, (0.0, 0.0), (0.0, 0.0), effort)
        total.add(joint.bodies[0], (0.0, 0.0), (0.0, 0.0), -effort)
        return
    force = effort * np.array(joint.axis) / np.hypot(*joint.axis)
    total.add(joint.bodies[1], force, mechanism.drawn(joint.point))
    total.add(joint.bodies[0], -force, mechanism.drawn(joint.point))


def _coupled(mechanism: Mechanism, joint: Any, effort: float, total: _Sum) -> None:
    """Add what a coupling exerts: its effort on the second coordinate, minus the ratio times it on the first."""
    which = joint.coordinates or (None, None)
    for name, coordinate, factor in zip(joint.joints, which, (-joint.ratio, 1.0), strict=True):
        _exerted(mechanism, name, coordinate, factor * effort, total)


def _applied(mechanism: Mechanism, force: Any, speed: Callable[[str, Any], Array], omega: Any, total: _Sum) -> None:
    match force:
        case forces.Load(body=body, point=point):
            total.add(body, [values(s, 0.0)[0] for s in force.force], mechanism.place(point, body))
        case forces.Torque(bodies=(first, second)):
            couple = values(force.torque, 0.0)[0]
            total.add(second, (0.0, 0.0), (0.0, 0.0), couple)
            total.add(first, (0.0, 0.0), (0.0, 0.0), -couple)
        case forces.Spring(bodies=(first, second)):
            p, q = (np.array(at) for _, at in force.ends(mechanism))
            n = (q - p) / np.hypot(*(q - p))
            stretch = 0.0 if force.length is None else np.hypot(*(q - p)) - force.length
            pull = force.stiffness * stretch + force.damping * n @ (speed(second, q) - speed(first, p))
            total.add(first, pull * n, p)
            total.add(second, -pull * n, q)
            # at rest it has the rounding of two large terms that cancel: 3e-13 of this is 3 epsilon of them
            total.size = max(total.size, 2e-3 * force.stiffness * float(np.hypot(*(q - p))))
        case forces.Cylinder(bodies=(first, second)):
            p, q = (np.array(at) for _, at in force.ends(mechanism))
            n = (q - p) / np.hypot(*(q - p))
            push = values(force.pressure, 0.0)[0] * force.area - force.damping * n @ (
                speed(second, q) - speed(first, p)
            )
            if force.rod_pressure is not None:
                push -= values(force.rod_pressure, 0.0)[0] * (force.area - force.rod_area)
            total.add(first, -push * n, p)
            total.add(second, push * n, q)
        case forces.Motor(joint=joint):
            _exerted(mechanism, joint, force.coordinate, values(force.effort, 0.0)[0], total)
        case forces.DcMotor(joint=joint):
            spec: Any = mechanism.joints[joint]
            on, (first, second) = force.coordinate or spec.coordinate_names[0], spec.bodies[:2]
            if on.startswith("angle"):
                rate = omega[on.partition(".")[2] or second] - omega[first]
            else:
                at = mechanism.drawn(spec.point)
                rate = np.array(spec.axis) / np.hypot(*spec.axis) @ (speed(second, at) - speed(first, at))
            induced = force.constant * force.reduction * rate
            current = (values(force.voltage, 0.0)[0] - induced) / force.resistance
            _exerted(mechanism, joint, on, force.reduction * force.constant * current, total)
        case forces.Torsion(bodies=None, joint=joint):
            spec = mechanism.joints[joint]
            on, (first, second) = force.coordinate or spec.coordinate_names[0], spec.bodies[:2]
            if on.startswith("angle"):
                second = on.partition(".")[2] or second
                free, rate = force.angle, omega[second] - omega[first]
            else:
                u = np.array(spec.axis) / np.hypot(*spec.axis)
                at = mechanism.drawn(spec.point)
                free, rate = force.length, u @ (speed(second, at) - speed(first, at))
            _exerted(mechanism, joint, on, force.stiffness * free - force.damping * rate, total)
        case forces.Torsion(bodies=(first, second)):
            couple = -force.stiffness * (0.0 - force.angle) - force.damping * (omega[second] - omega[first])
            total.add(second, (0.0, 0.0), (0.0, 0.0), couple)
            total.add(first, (0.0, 0.0), (0.0, 0.0), -couple)
        case forces.Custom(body=body, function=function):
            total.add(body, *function(0.0, _Seen(mechanism, speed, omega)))


class _Seen:
    """What a custom force sees at the start."""

    def __init__(self, mechanism: Mechanism, speed: Callable[[str, Any], Array], omega: dict[str, float]) -> None:
        self.mechanism, self.speed, self.omega = mechanism, speed, omega.__getitem__

    def __getitem__(self, point: str) -> Array:
        return np.array(self.mechanism.points[point])

    def velocity(self, point: str) -> Array:
        return self.speed(self.mechanism.carrier(point), self.mechanism.points[point])

    def angle(self, body: str) -> float:
        return 0.0


def unbalanced(mechanism: Mechanism, one: Instant) -> float:
    """Return the largest error of m a = sum of forces and I alpha = sum of moments, per largest of these terms.

    The mechanism is at its start, drawn so that it is assembled. Every kind has its law here in plain words.
    """
    total, m = _Sum(mechanism), one.motion
    names = list(mechanism.bodies)
    omega = {GROUND: 0.0, **{b: float(m.omega[0, k]) for k, b in enumerate(names)}}
    com_v = {b: m.com_v[0, k] for k, b in enumerate(names)}

    def speed(body: str, place: Any) -> Array:
        if body == GROUND:
            return np.zeros(2)
        x, y = np.array(place) - total.centre[body]
        return com_v[body] + omega[body] * np.array([-y, x])

    for (joint, body), wrench in one.reaction.items():
        if isinstance(mechanism.joints[joint], joints.Belt):
            continue
        total.add(body, wrench[:2], _seat(mechanism, mechanism.joints[joint]), wrench[2])
    for name, driver in mechanism.drivers.items():
        _driven(mechanism, driver, one.effort[name], total)
    for name, joint in mechanism.joints.items():
        if isinstance(joint, joints.Coupling):
            _coupled(mechanism, joint, one.effort[name], total)
        if isinstance(joint, joints.Stop):
            _exerted(mechanism, joint.joint, joint.coordinate, one.push.get((name, 0), 0.0), total)
        if isinstance(joint, joints.Belt):
            _strung(mechanism, name, joint, one, total)
    for force in mechanism.forces.values():
        _applied(mechanism, force, speed, omega, total)
    for k, b in enumerate(names):
        mass = mechanism.bodies[b].mass
        total.add(b, mass * np.array(mechanism.gravity), total.centre[b])
        total.add(b, -mass * m.com_a[0, k], total.centre[b], -mechanism.inertia(b) * float(m.alpha[0, k]))
    rest = _rest(one) * one.mass * min(1.0, one.length)
    return max(float(np.max(np.abs(w))) for w in total.total.values()) / max(total.size, rest)


ORACLE_KINDS = {*joints.KINDS, *drivers.KINDS, *forces.KINDS}  # what `unbalanced` knows

# -- motions ---------------------------------------------------------------------------------------------------------


def run(
    system: PlanarSystem, mechanism: Mechanism, duration: float, samples: int, rtol: float, solver: str = "auto"
) -> PlanarResult:
    """Return the motion of a system that was made by hand."""
    begin = start(system, mechanism)
    timed = system.retimed(time_scale(system, begin, duration))
    how = phases.Options(rtol, 1_000_000, linear_solver=solver)
    course = phases.implicitly(timed, begin, np.linspace(0.0, duration, samples), how)
    assert course.status is Status.COMPLETED, course.message
    return PlanarResult(timed, begin, course, dict)


def apart(one: PlanarResult, other: PlanarResult) -> float:
    """Return the largest distance of equal points (and centres of mass) of two motions, in lengths of the mechanism."""
    lay = one.system.layout
    far = [np.abs(one[p] - other[p]).max() for p in lay.points]
    far += [np.abs(one.com(b) - other.com(b)).max() for b in lay.bodies]
    return float(max(far)) / one.system.scale.length


def worst_condition(result: PlanarResult) -> Condition:
    """Return the condition at the worst sample of a motion."""
    q, v = result._projected
    found = [
        condition(result.system.dynamics(t, qk, vk, xk)[0])
        for t, qk, vk, xk in zip(result.t, q, v, result._x, strict=True)
    ]
    return max(found, key=lambda c: (c.unclear, c.number))


# -- minimal coordinates -----------------------------------------------------------------------------------------------


def four_bar_in_one_coordinate(mechanism: Mechanism, times: Array, rtol: float = 1e-16) -> dict[str, Array]:
    """Return A and B, (K, 2), of the shipped four-bar however it is drawn, from the angle of its crank alone.

    Uniform rods O-A, A-B, B-C. With p the angle of the crank, s and r those of coupler and rocker, primes d/dp:

        a e(p) + b e(s) = d + c e(r)                                          closes the loop                     (1)
        a e'(p) + b s' e'(s) = c r' e'(r)                                     s' and r', and once more s'', r''   (2)
        T = J(p) p.^2/2,  J p.. = -J'/2 p.^2 - V'                             Lagrange                            (3)

    Numbers carry 64 bits instead of 53, so that small transmission angles cost nothing that a run could notice; steps
    are those of DOP853 with errors of `rtol`. Observed: 1e-13 and 1e-15 differ by 2e-12 m
    over 2 s with B at (4, 4).
    """
    from scipy.integrate._ivp import dop853_coefficients as rk

    real, points = np.longdouble, {n: np.array(p, dtype=np.longdouble) for n, p in mechanism.points.items()}
    m = {name: real(body.mass) for name, body in mechanism.bodies.items()}
    g = -real(mechanism.gravity[1])
    O, A, B, C = (points[n] for n in "OABC")
    a, b, c = (np.hypot(*(end - first)) for first, end in ((O, A), (A, B), (C, B)))
    p, s, r = (np.arctan2(*(end - first)[::-1]) for first, end in ((O, A), (A, B), (C, B)))
    side = np.sign(np.sin(s - r))

    def angles(p: Any) -> tuple[Any, Any]:
        u = C - O - a * np.array([np.cos(p), np.sin(p)])  # from A to C
        far = np.hypot(*u)
        # the triangle A, B, C by its half angle, which loses no digits where it is flat
        h = (far + b + c) / 2
        half = 2 * np.arctan2(np.sqrt((h - b) * (h - far)), np.sqrt(h * (h - c)))
        s = np.arctan2(u[1], u[0]) - side * half
        at = a * np.array([np.cos(p), np.sin(p)]) + b * np.array([np.cos(s), np.sin(s)]) - (C - O)
        return s, np.arctan2(at[1], at[0])

    def slope(y: Array) -> Array:
        p, w = y
        s, r = angles(p)
        det = b * c * np.sin(r - s)
        s1, r1 = -a * c * np.sin(r - p) / det, a * b * np.sin(p - s) / det
        # (2) once more: b s'' e'(s) - c r'' e'(r) = a e(p) + b s'^2 e(s) - c r'^2 e(r)
        x, y_ = (a * f(p) + b * s1**2 * f(s) - c * r1**2 * f(r) for f in (np.cos, np.sin))
        s2 = -c * (x * np.cos(r) + y_ * np.sin(r)) / -det
        r2 = b * (x * np.cos(s) + y_ * np.sin(s)) / det
        mixed = m["coupler"] * a * b * np.cos(p - s) / 2
        own = {"crank": m["crank"] * a**2 / 3, "coupler": m["coupler"] * b**2 / 3, "rocker": m["rocker"] * c**2 / 3}
        J = own["crank"] + m["coupler"] * a**2 + own["coupler"] * s1**2 + own["rocker"] * r1**2 + 2 * mixed * s1
        dJ = 2 * own["coupler"] * s1 * s2 + 2 * own["rocker"] * r1 * r2
        dJ += 2 * mixed * s2 - m["coupler"] * a * b * np.sin(p - s) * (1 - s1) * s1
        dV = (m["crank"] / 2 + m["coupler"]) * a * np.cos(p) + m["coupler"] * b * np.cos(s) * s1 / 2
        dV += m["rocker"] * c * np.cos(r) * r1 / 2
        return np.array([w, (-dJ * w * w / 2 - g * dV) / J])

    y, t, h = np.array([p, real(mechanism.initial.omega["crank"])]), real(times[0]), real(1e-4)
    found = [y[0]]
    for stop in times[1:]:
        while t < stop:
            h = min(h, real(stop) - t)
            k = [slope(y)]
            for row in rk.A[1:12]:
                k.append(slope(y + h * sum(real(w) * at for w, at in zip(row, k, strict=False) if w)))
            end = y + h * sum(real(w) * at for w, at in zip(rk.B, k, strict=True) if w)
            size = np.maximum(np.abs(end), 1)
            five, three = (
                float(np.max(np.abs(sum(real(w) * at for w, at in zip(row, k, strict=False))) / size))
                for row in (rk.E5[:12], rk.E3[:12])
            )
            error = float(h) * five**2 / max(np.hypot(five, 0.1 * three), 1e-300) / rtol
            if error < 1.0:
                y, t = end, t + h if t + h < stop else real(stop)
            h = h * min(4.0, max(0.2, 0.8 * max(error, 1e-30) ** -0.125))
        found.append(y[0])
    p = np.array(found)
    s = np.array([angles(at)[0] for at in p])
    along = np.stack([np.cos(p), np.sin(p)], axis=1)
    at_A = O + a * along
    at_B = at_A + b * np.stack([np.cos(s), np.sin(s)], axis=1)
    return {"A": at_A.astype(float), "B": at_B.astype(float)}
