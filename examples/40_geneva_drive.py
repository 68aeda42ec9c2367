"""A pin on a crank drives a wheel of four slots: how much faster than the crank does the wheel turn at its fastest?

The centres are sqrt(2) radii apart, so that the pin enters and leaves along a slot, without a blow. On the line of
centres it is (sqrt(2) - 1) radii from the centre of the wheel, which turns by 1/(sqrt(2) - 1) = 2.41421 times the rate
of the crank. Where the pin enters the wheel stands still, but accelerates with the square of that rate at once:
39.478 rad/s^2 at 60 turns a minute. Four turns of the crank are one of the wheel.

New here: events that free and lock joints, and slots that a pin leaves.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("geneva")
result = pm.simulate(mechanism, duration=4.0, samples=3201)

rate = 2.0 * np.pi  # rad/s, of the crank
fastest = np.max(np.abs(result.omega("wheel"))) / rate
inside = np.abs(result.omega("wheel")) > 1e-9
turn = result.angle("wheel")[-1]


def show():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
    view.mechanism(mechanism, ax=left, arrows=())
    right.plot(result.t, -np.degrees(result.angle("wheel")), label="turned [deg]")
    right.plot(result.t, 30.0 * np.abs(result.omega("wheel")) / rate, label="rate over that of the crank, times 30")
    right.set(xlabel="time [s]")
    right.set_title(f"at its fastest {fastest:.5f} times as fast as the crank", fontsize=12)
    right.spines[["top", "right"]].set_visible(False)
    right.grid(color="#e8ebee", lw=0.7)
    right.legend(frameon=False, fontsize=9)
    return figure


if __name__ == "__main__":
    print(
        f"{fastest:.6f} times as fast, {np.degrees(turn):.6f} degrees in four turns, moving for {np.mean(inside):.3f}"
    )
    view.display(show(), *sys.argv[1:])
