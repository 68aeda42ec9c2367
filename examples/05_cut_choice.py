"""Every closed loop is cut open at one joint, and which one is a matter of taste.

The joints of the spanning tree are satisfied by the choice of unknowns, the cut joint by a multiplier; the equations
look different for every choice, the motion and the forces in the joints must not:

    r(t; cut at O) = r(t; cut at A) = r(t; cut at B) = r(t; cut at C)

New here: `cut`, and reactions, which do not depend on it either. (Only IDA cuts.)
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("four_bar")
joints = tuple(mechanism.joints)
results = {joint: pm.simulate(mechanism, duration=0.5, samples=101, cut=(joint,), integrator="ida") for joint in joints}

first = results[joints[0]]
gap = {joint: np.hypot(*(result["B"] - first["B"]).T) for joint, result in results.items()}
difference = max(np.max(g) for g in gap.values())  # m, of point B between any cut and the first
force = {joint: np.hypot(*result.reaction("C", on="rocker").T) for joint, result in results.items()}  # N


def show():
    figure = view.series(first, ["rocker.omega"])
    (ax,) = figure.axes
    ax.clear()
    for joint, style in zip(joints, ("-", "--", "-.", ":"), strict=True):
        colour = view.plot.COLOURS[joints.index(joint)]
        ax.plot(first.t, force[joint], style, color=colour, lw=5.5 - 1.3 * joints.index(joint), label=f"cut at {joint}")
    ax.set(xlabel="time [s]", ylabel="force in bearing C [N]", xlim=(0.0, first.t[-1]))
    ax.legend(frameon=False, fontsize=9)
    figure.suptitle("Four-bar linkage: four cuts, one force")
    return figure


if __name__ == "__main__":
    print(f"largest distance between the four motions of B: {difference:.1e} m")
    view.display(show(), *sys.argv[1:])
