"""A crank drives a rocker on a crossed axis through a coupler between two balls: an RSSR linkage over its cycle.

Crank r about z at O, rocker l about y through C, coupler of length c between A and B. With a the angle of the crank and
b that of the rocker above the plane of the crank, B = C + l (-cos b, 0, sin b) and

    |B - A|^2 = c^2    is    P cos b = Q,     P = 2 l (r cos a - C_x),   Q = c^2 - l^2 - |C - A|^2

so that the linkage can be put together in two ways, +b and -b. With a crank as long as 0.3 m they meet in a toggle,
where b = 0: the crank gets no further.

New here: a closed linkage in space, followed without integration; both its assemblies; the toggle.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view
from particlemech.view.looks import COLOURS

linkage = pm.models.load("rssr")  # the crank turns at 10 rad/s
t = np.linspace(0.0, 0.2 * np.pi, 41)
upper, lower = (pm.cycle(linkage, times=t, start=one) for one in pm.assemblies(linkage))
swing = np.arctan2(upper["B"][:, 2], 0.35 - upper["B"][:, 0])  # rad, angle b of the rocker
torque = upper.effort("motor")  # N m, what it takes to turn the crank evenly

long = linkage.replaced(points={"A": (0.3, 0.0, 0.0)})
try:
    pm.cycle(long, times=t)
except pm.SimulationError as stopped:
    said, until = str(stopped), stopped.result
toggle = 10.0 * until.stats["stopped"]  # rad, angle of the crank


def show():
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(9.0, 4.4), layout="constrained")
    beside = figure.subfigures(1, 2, width_ratios=[1.1, 1.0])
    left, axes = beside[0].add_subplot(projection="3d"), beside[1].subplots(2, 1, sharex=True)
    for k, (cycle, name) in enumerate(((upper, "as drawn"), (lower, "the other way"))):
        colour = COLOURS[k]
        for step in range(0, len(t), 5):
            bars = np.array([cycle[p][step] for p in ("O", "A", "B", "C")])
            left.plot(*bars.T, color=colour, lw=1.0, alpha=0.35 if step else 1.0, label=None if step else name)
        left.plot(*cycle["B"].T, color=colour, lw=2.0)
    left.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    left.legend(frameon=False, fontsize=9)
    turn = np.degrees(10.0 * t)
    axes[0].plot(turn, np.degrees(swing), color=COLOURS[0], lw=1.6)
    axes[0].set(ylabel="rocker [°]")
    axes[1].plot(turn, torque, color=COLOURS[0], lw=1.6)
    axes[1].set(xlabel="crank [°]", ylabel="torque [N m]")
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e8ebee", lw=0.7)
    return figure


if __name__ == "__main__":
    print(f"the rocker swings between {np.degrees(swing.min()):.6f}° and {np.degrees(swing.max()):.6f}°")
    print(f"with a crank of 0.3 m it is stretched out at {np.degrees(toggle):.7f}°: {said}")
    view.display(show(), *sys.argv[1:])
