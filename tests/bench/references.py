"""Where the problems end, computed without the library's equations; kept in references.json.

    andrews       end values printed in the test set for initial value problem solvers (CWI, Bari)
    n_four_bar    all cranks turn alike: one degree of freedom, by DOP853 at 1e-13
    chain         absolute angles, joint forces from one banded system per evaluation, by DOP853 at 1e-12
    platform      absolute coordinates and multipliers, no stabilisation, by DOP853 at 1e-13

`python -m tests.bench.references` computes them anew, which takes minutes for the chain of 1000.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import solveh_banded

from tests.bench.peers.planar import Planar, turned
from tests.bench.problems import CHAINS, FOUR_BARS, plain, problem

FILE = Path(__file__).with_name("references.json")
# beta, Theta, gamma, Phi, delta, Omega, epsilon at t = 0.03
ANDREWS = (
    0.1581077119629904e2,
    -0.1575637105984298e2,
    0.4082224013073101e-1,
    -0.5347301163226948,
    0.5244099658805304,
    0.5347301163226948,
    0.1048080741042263e1,
)


def ends(name):
    """Return the stored end places of the moving points, (n, 2), in order of the mechanism's points."""
    return np.array(json.loads(FILE.read_text())[name])


def integrated(rates, start, duration, tolerance):
    """Return the state at the end."""
    found = solve_ivp(rates, (0.0, duration), start, method="DOP853", rtol=tolerance, atol=tolerance)
    if not found.success:
        raise ArithmeticError(found.message)
    return found.y[:, -1]


def andrews(model):
    """Return the end of Andrews' squeezer."""
    beta, theta, gamma, _, delta, _, epsilon = ANDREWS
    A, B = model.points["A"], model.points["B"]
    F = turned(beta, (0.007, 0.0))
    places = {
        "F": F,
        "E": F - turned(beta + theta, (0.028, 0.0)),
        "G": A + turned(delta, (0.04, 0.0)),
        "H": A + turned(epsilon, (0.0, -0.04)),
        "D": B + turned(gamma, (0.02, -0.018)),
    }
    return np.array([places[p] for p in model.moving])


def n_four_bar(model):
    """Return the end of an N-four-bar: cranks at angle phi from the vertical, J phi'' = g S sin(phi)."""
    n = model.size
    J, S = (n + 1) / 3.0 + n, (n + 1) / 2.0 + n
    stiffness = -model.gravity[1] * S / J
    phi, _ = integrated(lambda t, y: (y[1], stiffness * np.sin(y[0])), (0.0, 1.0), model.duration, 1e-13)
    return np.array([(i + np.sin(phi), np.cos(phi)) for i in range(n + 1)])


def chain(model):
    """Return the end of a chain of n rods."""
    n = model.size
    angles = integrated(_chain_rates(n, model.gravity), np.zeros(2 * n), model.duration, 1e-12)[:n]
    return np.cumsum(turned(angles, [(1.0 / n, 0.0)] * n), axis=0)


def _chain_rates(n, gravity):
    """Return the rates of angles and angular velocities of n rods of mass m, pinned at the origin.

    With r from the middle of a rod to its right end, p = r turned by a quarter, F_i the force of pin i on rod i:

        m a_i = F_i - F_{i+1} + m g,    J w'_i = -p_i.(F_i + F_{i+1})                       (1)
        left ends accelerate with  a_i - w'_i p_i + w_i^2 r_i,  right ends with the other signs    (2)

    Both ends at a pin accelerate alike, which gives a block tridiagonal, symmetric system for the forces.
    """
    m = length = 1.0 / n
    J = m * length**2 / 12.0
    half, bands, eye = np.full((n, 2), (0.5 * length, 0.0)), np.zeros((4, 2 * n)), np.eye(2) / m

    def rates(t, y):
        angle, w = y[:n], y[n:]
        r = turned(angle, half)
        p = np.column_stack([-r[:, 1], r[:, 0]])
        pp = p[:, :, None] * p[:, None, :] / J
        near, far = pp + eye, pp - eye  # how an end answers to the force there, and to the one at the other end
        near[1:] += near[:-1].copy()
        bands[0, 0::2], bands[0, 1::2], bands[1, 0::2] = near[:, 0, 0], near[:, 1, 1], near[:, 1, 0]
        bands[2, 0::2], bands[2, 1::2], bands[3, 0::2] = far[:, 0, 0], far[:, 1, 1], far[:, 1, 0]
        bands[1, 1::2] = far[:, 0, 1]
        inward = w[:, None] ** 2 * r
        right = -inward
        right[1:] -= inward[:-1]
        right[0] -= gravity
        forces = solveh_banded(bands, right.ravel(), lower=True, check_finite=False).reshape(n, 2)
        forces[:-1] += forces[1:].copy()
        return np.concatenate([w, -np.sum(p * forces, axis=1) / J])

    return rates


def platform(model):
    """Return the end of the platform manipulator."""
    start = np.concatenate([np.column_stack([model.com, np.zeros(model.n)]).ravel(), np.zeros(3 * model.n)])
    poses = integrated(_absolute_rates(model), start, model.duration, 1e-13)[: 3 * model.n]
    return model.ends(poses.reshape(-1, 3))


def _absolute_rates(model):
    """Return the rates of poses and velocities: M a + G^T lam = f, G a = gamma."""
    n, rows = 3 * model.n, 2 * len(model.pins)
    A, b = np.zeros((n + rows, n + rows)), np.zeros(n + rows)
    A[range(n), range(n)] = np.column_stack([model.mass, model.mass, model.inertia]).ravel()
    force = (np.column_stack([model.mass, model.mass, 0.0 * model.mass]) * [*model.gravity, 0.0]).ravel()
    arms = [[(sign, body, model.arm(body, p)) for sign, body in ((1.0, a), (-1.0, b))] for a, b, p in model.pins]

    def rates(t, y):
        angle, w = y[2:n:3], y[n + 2 :: 3]
        b[:n] = force
        for body, point, (fx, fy) in model.loads:
            x, y_ = turned(angle[body], model.arm(body, point))
            b[3 * body : 3 * body + 3] += fx, fy, x * fy - y_ * fx
        b[n:] = 0.0
        for k, ends in enumerate(arms):
            row = n + 2 * k
            for sign, body, arm in ends:
                if body < 0:
                    continue
                x, y_ = turned(angle[body], arm)
                G = sign * np.array([[1.0, 0.0, -y_], [0.0, 1.0, x]])
                A[row : row + 2, 3 * body : 3 * body + 3] = G
                A[3 * body : 3 * body + 3, row : row + 2] = G.T
                b[row : row + 2] += sign * w[body] ** 2 * np.array([x, y_])
        return np.concatenate([y[n:], np.linalg.solve(A, b)[:n]])

    return rates


WAYS = {"andrews": andrews, "platform": platform, "chain": chain, "n_four_bar": n_four_bar}
STORED = ("andrews", "platform", "n_four_bar-1", *FOUR_BARS, *CHAINS)


def main():
    """Compute all references and write the file, one problem on a line."""
    lines = []
    for name in STORED:
        began = time.perf_counter()
        model = Planar(plain(problem(name)))
        found = WAYS[model.family](model)
        lines.append(f"{json.dumps(name)}: {json.dumps([[round(x, 14) for x in place] for place in found.tolist()])}")
        print(f"{name}: {time.perf_counter() - began:.1f} s", flush=True)
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    sys.exit(main())
