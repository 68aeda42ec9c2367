"""A crank-rocker: the crank turns fully, the rocker swings between two dead centres.

At a dead centre crank (a) and coupler (b) lie in one line, so with frame d and rocker c the law of cosines gives

    cos(gamma) = (c^2 + d^2 - (b -+ a)^2) / (2 c d),   gamma between rocker and frame

and the swing is the difference of the two angles; it depends neither on masses nor on speed.

New here: a closed loop. Nothing has to be said about it, the library cuts it open by itself.
"""

import sys

import numpy as np
from scipy.interpolate import CubicSpline

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("four_bar")
result = pm.simulate(mechanism)

angle = CubicSpline(result.t, result.angle("rocker"))
turning = angle(angle.derivative().roots(extrapolate=False))  # rad, where the rocker turns back
swing = np.max(turning) - np.min(turning)  # rad


def show():
    figure = view.motion(result, points=["A", "B"], ghosts=7)
    figure.axes[0].set_title(f"Four-bar linkage: the rocker swings through {np.degrees(swing):.2f}°")
    return figure


if __name__ == "__main__":
    print(f"swing of the rocker {swing:.8f} rad; cut at {', '.join(result.system.cuts)}")
    view.display(show(), *sys.argv[1:])
