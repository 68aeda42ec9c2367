"""Andrews' squeezing mechanism by quadrature: it has one freedom and a constant torque, so energy gives time.

    I(phi) phi'^2/2 + V(phi) - V(0) = torque phi,     t(phi) = integral of 1/phi'                                  (1)

Poses are intersections of circles, velocities follow from them; all is analytic in every number, so derivatives by
complex steps are exact, and dphi/dp = -(dt/dp) phi'.
"""

import numpy as np
from scipy.optimize import brentq

STEP = 1e-30
LONG = np.clongdouble  # near the start all energies are small differences: in doubles 1e-9 of the angle is lost
BODIES = {  # from, to
    "crank": "OF", "K2": "FE", "K3": "BE", "K4": "GE", "K5": "AG", "K6": "HE", "K7": "AH",
}  # fmt: skip


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1]


def cross(a, b):
    return a[0] * b[1] - a[1] * b[0]


def across(a):
    return np.array([-a[1], a[0]])


def met(P, Q, drawn, X0):
    """Return where X stays at its drawn distances from P and Q, on its drawn side."""
    P0, Q0 = drawn
    way, a, b = Q - P, dot(X0 - P0, X0 - P0), dot(X0 - Q0, X0 - Q0)
    size = dot(way, way)
    along = (size + a - b) / (2.0 * size)
    side = np.sign(cross(Q0 - P0, X0 - P0).real)
    return P + along * way + side * np.sqrt(a / size - along**2) * across(way)


def moved(X, P, vP, Q, vQ):
    """Return the velocity of X, which stays at its distances from P and Q."""
    p, q = X - P, X - Q
    one, other, under = dot(p, vP), dot(q, vQ), cross(p, q)
    return np.array([(one * q[1] - other * p[1]) / under, (other * p[0] - one * q[0]) / under])


class Squeezer:
    """The mechanism with numbers that may be complex: places as drawn, masses, torque, spring."""

    def __init__(self, mechanism):
        self.at = {name: np.array(place, dtype=LONG)[:, None] for name, place in mechanism.points.items()}
        self.com = {name: np.array(mechanism.bodies[name].com, dtype=LONG)[:, None] for name in BODIES}
        self.mass = {name: LONG(mechanism.bodies[name].mass) for name in BODIES}
        self.inertia = {name: LONG(mechanism.bodies[name].inertia) for name in BODIES}
        self.torque = LONG(mechanism.forces["motor"].torque.value)
        self.stiffness = LONG(mechanism.forces["spring"].stiffness)
        self.free = LONG(mechanism.forces["spring"].length)

    def speed(self, phi):
        """Return phi' at angles (n,) of the crank since the start, (1)."""
        o, turn = self.at, np.array([np.cos(phi), np.sin(phi)])
        X = {name: o[name] + 0.0 * turn for name in "OABC"}
        v = {name: np.zeros_like(place) for name, place in X.items()}
        arm = o["F"] - o["O"]
        X["F"] = o["O"] + np.array([arm[0] * turn[0] - arm[1] * turn[1], arm[0] * turn[1] + arm[1] * turn[0]])
        v["F"] = across(X["F"] - X["O"])
        for name, first, second in (("E", "F", "B"), ("G", "A", "E"), ("H", "A", "E"), ("D", "B", "E")):
            X[name] = met(X[first], X[second], (o[first], o[second]), o[name])
            v[name] = moved(X[name], X[first], v[first], X[second], v[second])
        I = 0.0
        for body, (P, Q) in BODIES.items():
            d0, d, local = o[Q] - o[P], X[Q] - X[P], self.com[body] - o[P]
            c, s = dot(d0, d) / dot(d, d), cross(d0, d) / dot(d, d)
            omega = cross(d, v[Q] - v[P]) / dot(d, d)
            out = np.array([local[0] * c - local[1] * s, local[0] * s + local[1] * c])
            fast = v[P] + omega * across(out)
            I = I + self.mass[body] * dot(fast, fast) + self.inertia[body] * omega**2
        length = np.sqrt(dot(X["D"] - X["C"], X["D"] - X["C"]))
        begun = np.sqrt(dot(o["D"] - o["C"], o["D"] - o["C"]))
        V = 0.5 * self.stiffness * ((length - self.free) ** 2 - (begun - self.free) ** 2)
        return np.sqrt(2.0 * (self.torque * phi - V) / I)

    def time(self, phi, panels=60):
        """Return the time at which the crank has turned by phi; it begins at rest, so phi = s^2 takes the root out."""
        x, w = np.polynomial.legendre.leggauss(20)
        ends = np.linspace(0.0, np.sqrt(phi), panels + 1)
        half = 0.5 * np.diff(ends)[:, None]
        s = (0.5 * (ends[:-1] + ends[1:])[:, None] + half * x).reshape(-1).astype(LONG)
        return np.sum((half * w).reshape(-1) * 2.0 * s / self.speed(s**2))


def angle(mechanism, t):
    """Return by how much the crank has turned at a time, s."""
    squeezer = Squeezer(mechanism)
    return brentq(lambda phi: float(squeezer.time(phi).real) - t, 1e-3, 100.0, xtol=1e-13)


def slope(mechanism, t, change):
    """Return the derivative of that angle; change(squeezer, step) adds a step to a number."""
    phi, squeezer = angle(mechanism, t), Squeezer(mechanism)
    change(squeezer, 1j * STEP)
    return float(-squeezer.time(phi).imag / STEP * squeezer.speed(np.array([phi], dtype=LONG)).real[0])
