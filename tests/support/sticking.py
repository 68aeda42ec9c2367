"""Mechanisms whose joints stick, drawn in the plane and the same in space, and statics of one of them by hand."""

import re

import numpy as np
from scipy.optimize import fsolve

from particlemech.model.toml import loads

G = 9.81

INCLINE = """
gravity = [0, -9.81]
points = { Q = [0, 0] }
bodies.block = { points = ["Q"], mass = 2.0, com = [0, 0], inertia = 0.02 }
joints.S = { type = "prismatic", point = "Q", bodies = ["ground", "block"], axis = [0.8, 0.6], friction = FRICTION }
initial = { rate = { S = 1.0 } }
run = { duration = 3, samples = 31 }
"""

RADII = {"A": 0.03, "B": 0.02, "C": 0.025, "D": 0.03}
FOUR_BAR = """
gravity = [0, -9.81]
points = { A = [0, 0], B = [0.1, 0.2], C = [0.5, 0.35], D = [0.45, 0] }
bodies.crank = { points = ["A", "B"], mass = 1.0 }
bodies.rod = { points = ["B", "C"], mass = 2.0 }
bodies.rocker = { points = ["C", "D"], mass = 1.5 }
joints.A = { type = "revolute", point = "A", bodies = ["ground", "crank"], friction = { radius = 0.03, LAW } }
joints.B = { type = "revolute", point = "B", bodies = ["crank", "rod"], friction = { radius = 0.02, LAW } }
joints.C = { type = "revolute", point = "C", bodies = ["rod", "rocker"], friction = { radius = 0.025, LAW } }
joints.D = { type = "revolute", point = "D", bodies = ["ground", "rocker"], friction = { radius = 0.03, LAW } }
run = { duration = DURATION, samples = 41 }
"""

SLIDER_CRANK = """
gravity = [0, -9.81]
points = { A = [0, 0], B = [0.1, 0.02], C = [0.5, 0] }
bodies.crank = { points = ["A", "B"], mass = 1.0 }
bodies.rod = { points = ["B", "C"], mass = 2.0 }
bodies.piston = { points = ["C"], mass = 1.5, com = [0.52, 0], inertia = 0.01 }
joints.A = { type = "revolute", point = "A", bodies = ["ground", "crank"], friction = { radius = 0.03, LAW } }
joints.B = { type = "revolute", point = "B", bodies = ["crank", "rod"], friction = { radius = 0.02, LAW } }
joints.C = { type = "revolute", point = "C", bodies = ["rod", "piston"], friction = { radius = 0.015, LAW } }
joints.D = { type = "prismatic", point = "C", bodies = ["ground", "piston"], axis = [1, 0], friction = FRICTION }
""".replace("FRICTION", "{ length = 0.1, LAW }")


def in_space(text):
    """Return a planar model in the x-y plane of space; axes of hinges are z."""
    number = r"-?[\d.]+(?:e-?\d+)?"
    text = re.sub(rf"\[ *{number}, *{number} *\]", lambda found: found[0][:-1] + ", 0]", text)
    text = re.sub(r"(\}), 0\]", r"\1, 0, 0]", text)  # of forces that are signals
    text = text.replace('"revolute",', '"revolute", axis = [0, 0, 1],')
    text = re.sub(r"inertia = ([\d.]+)", r"inertia = [\1, \1, \1]", text)
    return loads('kind = "spatial"\n' + text)


def limits(sense: float) -> float:
    """Return the moment on the crank from which the four-bar starts to move, from equilibrium written by hand."""
    at = {"A": (0.0, 0.0), "B": (0.1, 0.2), "C": (0.5, 0.35), "D": (0.45, 0.0)}
    at = {name: np.array(place) for name, place in at.items()}
    bodies = {"crank": ("A", "B", 1.0), "rod": ("B", "C", 2.0), "rocker": ("D", "C", 1.5)}

    def turned(d):
        return np.array([-d[1], d[0]])

    # angular velocities at that of the crank, 1: the velocities of C agree
    B, C, D = at["B"], at["C"], at["D"]
    rod, rocker = np.linalg.solve(np.column_stack([turned(C - B), -turned(C - D)]), -turned(B))
    spin = {"ground": 0.0, "crank": 1.0, "rod": rod, "rocker": rocker}
    pins = {"A": ("ground", "crank"), "B": ("crank", "rod"), "C": ("rod", "rocker"), "D": ("ground", "rocker")}

    def missing(x):
        force, T = {name: x[2 * k : 2 * k + 2] for k, name in enumerate(pins)}, x[8]
        found = []
        for body, (one, other, mass) in bodies.items():
            centre = 0.5 * (at[one] + at[other])
            total, moment = np.array([0.0, -mass * G]), T if body == "crank" else 0.0
            for pin, (first, second) in pins.items():
                sign = 1.0 if second == body else -1.0 if first == body else 0.0
                arm = at[pin] - centre
                rubs = -0.3 * RADII[pin] * np.linalg.norm(force[pin]) * np.sign(sense * (spin[second] - spin[first]))
                total = total + sign * force[pin]
                moment += sign * (arm[0] * force[pin][1] - arm[1] * force[pin][0] + rubs)
            found += [*total, moment]
        return found

    x, _, good, _ = fsolve(missing, [*[1.0, 10.0] * 4, 0.0], xtol=1e-13, full_output=True)
    assert good == 1
    return float(x[8])
