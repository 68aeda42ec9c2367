"""A uniform rod let go from the horizontal swings to the other side and back.

    (1/3) m l^2 psi'' = -(1/2) m g l sin(psi),   psi from the lower vertical

so its period is T = 4 K(1/2) / w with w^2 = 3 g/(2 l), K the complete elliptic integral (parameter k^2 = 1/2).

New here: load a model, run it, read a point and an angle.
"""

import sys

import numpy as np
from scipy.interpolate import CubicSpline

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("pendulum")
result = pm.simulate(mechanism)

# the rod hangs straight down after a quarter of a period and after three quarters
down = CubicSpline(result.t, result.angle("rod") + np.pi / 2).roots(extrapolate=False)
period = 2.0 * (down[1] - down[0])  # s


def show():
    return view.motion(result, points=["P"], ghosts=8)


if __name__ == "__main__":
    print(f"period {period:.8f} s, tip at {result['P'][-1]} m after {result.t[-1]:g} s")
    view.display(show(), *sys.argv[1:])
