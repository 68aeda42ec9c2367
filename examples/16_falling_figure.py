"""A falling person turns without anything to push against: arms that go round in cones turn the torso the other way.

Kane and Scher (1970) showed astronauts how. The figure has no angular momentum, and keeps none:

    I(t) psi' + h(t) = 0      I: inertia about the long axis, h: what the limbs carry while the torso rests

When the arms are back where they were, the torso is not, because I and h go round a loop, not to and fro. Gravity pulls
at the centre of mass and turns nobody, so it happens in free fall as in orbit.

New here: ten bodies with data of a real human, and pictures side by side of something that falls away.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("human_fall")
result = pm.simulate(mechanism)

turn = np.degrees(result.coordinate("base", "angle3"))  # of the torso about its long axis
turned = turn[-1]  # after three rounds of the arms
largest_momentum = np.max(np.abs(result.momentum.central))  # kg m^2/s, about the centre of mass
strongest = max(np.max(np.abs(result.effort(f"{side}_spread"))) for side in ("left", "right"))  # N m, in the shoulders


def show():
    import matplotlib.pyplot as plt

    times = np.linspace(0.0, 2.0, 5)
    figure = plt.figure(figsize=(8.5, 5.6), layout="constrained")
    top, bottom = figure.subfigures(2, 1, height_ratios=[1.2, 1.0])
    below = bottom.add_subplot()
    for k, t in enumerate(times):
        ax = top.add_subplot(1, 5, k + 1, projection="3d")
        view.stills(result, [t], step=(0.0, 0.0, 0.0), ax=ax)
        ax.set(xlim=(-0.9, 0.9), ylim=(-0.9, 0.9), zlim=(-1.25, 0.9), title=f"{t:.1f} s")
        ax.set_box_aspect((1.8, 1.8, 2.15), zoom=1.45)
        ax.view_init(elev=10.0, azim=0.0)
        ax.set_axis_off()
        below.axvline(t, color="#c5ccd3", lw=0.8, ls=":")
    top.suptitle("Falling figure, seen from the front, its fall taken out", fontsize=12)
    below.plot(result.t, turn, color=view.plot.COLOURS[0], lw=1.8)
    below.set(xlabel="time [s]", ylabel="turn of the torso [°]", xlim=(0.0, 2.0))
    below.spines[["top", "right"]].set_visible(False)
    below.grid(color="#e8ebee", lw=0.7)
    return figure


if __name__ == "__main__":
    print(
        f"the torso turns by {turned:.5f}° in {result.t[-1]:g} s; angular momentum below {largest_momentum:.1e} kg m²/s"
    )
    print(f"strongest moment in a shoulder: {strongest:.2f} N m")
    view.display(show(), *sys.argv[1:])
