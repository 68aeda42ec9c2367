"""Four links, each a twentieth of a millimetre too long or too short: how wrong does the rocker stand, and where?

With the frame d, crank a, coupler b and rocker c the rocker's end is at s = sqrt(a^2 + d^2 - 2 a d cos theta) from the
crank's end, and its angle psi against the frame is pi less

    arccos((c^2 + s^2 - b^2)/(2 c s)) + arctan2(a sin theta, d - a cos theta)

What a small error of each length does to it is a derivative. Errors that do not know of each other add up by squares.

New here: derivatives of a whole curve by parameters, with what is held while they change.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

TOLERANCE = 0.05e-3  # m
LENGTHS = ("crank", "coupler", "rocker", "ground")

linkage = pm.models.load("four_bar")
# coordinates count from the drawing, which follows the lengths: the angle itself is that of C to B
found = pm.sensitivities(
    linkage,
    {"psi": lambda cycle: np.unwrap(np.arctan2(*(cycle["B"] - cycle["C"]).T[::-1]))},
    LENGTHS,
    what="cycle",
    options={"driver": "O", "samples": 181},
)
crank = np.linspace(0.0, 2.0 * np.pi, 181)  # rad since it stood upright
each = {name: TOLERANCE * found["psi", name] for name in LENGTHS}  # rad
error = np.sqrt(sum(of**2 for of in each.values()))
worst = int(np.argmax(error))


def show():
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(8.4, 4.6), layout="constrained")
    for (name, of), colour in zip(each.items(), view.plot.COLOURS, strict=False):
        ax.plot(np.degrees(crank), 60.0 * np.degrees(of), color=colour, lw=1.5, label=name)
    ax.fill_between(np.degrees(crank), -60.0 * np.degrees(error), 60.0 * np.degrees(error), color="#e8ebee", zorder=0)
    ax.set(xlabel="crank [°]", ylabel="error of the rocker [′]", xticks=range(0, 361, 60))
    said = f"{60.0 * np.degrees(error[worst]):.2f}′ at {np.degrees(crank[worst]):.0f}°"
    ax.set_title(f"lengths to 0.05 mm: the rocker to {said} at worst (grey: all together)")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#e8ebee", lw=0.7)
    ax.legend(frameon=False, fontsize=9, ncols=4)
    return figure


if __name__ == "__main__":
    print(found)
    print(f"at worst {60.0 * np.degrees(error[worst]):.4f} minutes, with the crank at {np.degrees(crank[worst]):.0f}°")
    view.display(show(), *sys.argv[1:])
