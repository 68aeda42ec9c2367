"""Peaucellier's linkage: seven rods that draw an exactly straight line.

O is the end of two long arms (l), A and P are opposite corners of a rhombus (side s) whose other corners the arms hold.
Then OA . OP = l^2 - s^2 at all times, an inversion; and as A runs on a circle (radius c) through O, P runs on the line

    x = (l^2 - s^2) / (2 c)

New here: a mechanism built in Python, part by part, and a driver that follows a sine.
"""

import math
import sys

import numpy as np

import particlemech as pm
from particlemech import view

long, side, crank = 0.5, 0.2, 0.2  # m

# drawn in the symmetric pose: O, C, A and P on the x axis
x_A, x_P = 2.0 * crank, (long**2 - side**2) / (2.0 * crank)
middle = (x_A + x_P) / 2.0
points = {
    "O": (0.0, 0.0),
    "C": (crank, 0.0),
    "A": (x_A, 0.0),
    "P": (x_P, 0.0),
    "U": (middle, np.sqrt(long**2 - middle**2)),
    "V": (middle, -np.sqrt(long**2 - middle**2)),
}
rods = {"crank": "CA", "arm1": "OU", "arm2": "OV", "AU": "AU", "AV": "AV", "PU": "PU", "PV": "PV"}
bodies = {name: pm.Body(points=tuple(ends), mass=math.dist(*(points[p] for p in ends))) for name, ends in rods.items()}
pins = {
    p: pm.joints.Revolute(point=p, bodies=("ground",) * (p in "OC") + tuple(b for b, ends in rods.items() if p in ends))
    for p in points
}
mechanism = pm.Mechanism(
    name="Peaucellier's linkage",
    about="Rods of 1 kg/m.",
    points=points,
    bodies=bodies,
    joints=pins,
    drivers={
        "motor": pm.drivers.Rotation(bodies=("ground", "crank"), motion=pm.signals.Sine(amplitude=1.2, frequency=0.5))
    },
)
result = pm.simulate(mechanism, duration=2.0, samples=201)

line = np.mean(result["P"][:, 0])  # m
crookedness = np.ptp(result["P"][:, 0])  # m


def show():
    upper = pm.simulate(mechanism, duration=0.5, samples=51)
    figure = view.motion(upper, points=["A"], ghosts=2)
    (ax,) = figure.axes
    ax.plot(*result["P"].T, color=view.plot.COLOURS[1], lw=1.8, zorder=6, label="path of P")
    ax.set_title(f"{mechanism.name}: P leaves its line by {crookedness:.0e} m")
    ax.legend(frameon=False, fontsize=9, loc="upper left")
    return figure


if __name__ == "__main__":
    print(f"P stays at x = {line:.9f} m within {crookedness:.1e} m")
    view.display(show(), *sys.argv[1:])
