"""Linkages checked by distances only, from a drawing: no angle, no closed form of the library."""

import numpy as np


def crossings(one, r, other, s):
    """Return the places at a distance r from one and s from the other, (0 or 2, 2)."""
    along = other - one
    d = np.hypot(*along)
    x = (d * d + r * r - s * s) / (2.0 * d)
    square = r * r - x * x
    if square < -1e-9 * r * r:
        return np.zeros((0, 2))
    u = along / d
    h = np.sqrt(max(square, 0.0)) * np.array([-u[1], u[0]])
    return np.array([one + x * u + h, one + x * u - h])


def missed(points, place):
    """Return by how much a place is off the coupler curve of P: of a four-bar O, A, B, C that is drawn at `points`.

    A is at its distances from O and the place, B from C and the place; then |AB| should be as drawn, and the triangle
    not turned over.
    """
    O, A, B, C, P = (np.array(points[name]) for name in "OABCP")
    hand = np.sign(np.linalg.det([B - A, P - A]))
    best = np.inf
    for a in crossings(O, np.hypot(*(A - O)), place, np.hypot(*(P - A))):
        for b in crossings(C, np.hypot(*(B - C)), place, np.hypot(*(P - B))):
            if np.sign(np.linalg.det([b - a, place - a])) == hand:
                best = min(best, abs(np.hypot(*(b - a)) - np.hypot(*(B - A))))
    return best


def moved(points, angle, shift=(0.0, 0.0), size=1.0, mirror=False):
    """Return places, (N, 2), mirrored at the x axis if asked, then turned, enlarged and shifted."""
    z = np.array(points) @ [1.0, 1j]
    z = np.conj(z) if mirror else z
    w = size * np.exp(1j * angle) * z + complex(*shift)
    return np.stack([w.real, w.imag], axis=-1)
