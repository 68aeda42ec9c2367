"""Two rods, two angles, and no closed form: what can be trusted then?

Energy is constant, and that is checked at every sample; but a wrong model conserves energy too. So the motion is held
against the textbook equations in two angles (see tests/test_examples.py). Two starts that differ by a hundredth of a
radian show why no computation can follow such a motion for long.

New here: `replaced` returns a changed copy of a model; the energy error of a result.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("double_pendulum")
nudge = 1e-2  # rad, of the lower rod about A
lower_end = (0.5 + 0.4 * np.sin(nudge), -0.4 * np.cos(nudge))
neighbour = mechanism.replaced(points={"B": lower_end})

result = pm.simulate(mechanism, samples=601)
other = pm.simulate(neighbour, samples=601)

tip = result["B"][-1]  # m, after 3 s
energy_error = np.max(np.abs(result.energy.error)) / result.energy.scale
distance = np.hypot(*(result["B"] - other["B"]).T)  # m, between the two motions


def show():
    figure = view.motion(result, points=["B"], ghosts=0)
    (ax,) = figure.axes
    ax.plot(*other["B"].T, "--", color=view.plot.COLOURS[1], lw=1.4, zorder=5.5, label=f"start nudged by {nudge:g} rad")
    ax.set_title("Double pendulum: tip of the lower rod, 0 to 3 s")
    ax.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2)
    return figure


if __name__ == "__main__":
    print(f"tip after 3 s: {tip} m; energy error {energy_error:.1e}; the neighbour is {distance[-1]:.3g} m away")
    view.display(show(), *sys.argv[1:])
