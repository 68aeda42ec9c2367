"""The same engine turned by a motor at constant speed: which torque does it take, and how hard does it shake its frame?

All motion is known, so power is the change of kinetic energy, and with the inertia I(theta) seen from the crank

    tau = I'(theta) omega^2 / 2

The frame feels the reaction to everything the parts do: the forces of its two supports on the mechanism add up to the
rate of its momentum, sum m_b a_b.

New here: a driver, its effort, and reactions.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

speed = 20.0  # rad/s
mechanism = pm.models.load("slider_crank").replaced(
    name="Slider-crank at constant speed",
    forces={"motor": None},
    drivers={"motor": pm.drivers.Rotation(bodies=("ground", "crank"), motion=pm.signals.Linear(rate=speed))},
)
result = pm.simulate(mechanism, duration=2.0 * np.pi / speed, samples=361)

torque = result.effort("motor")  # N m
peak_torque = np.max(torque)
shaking = result.reaction("O", on="crank") + result.reaction("guide", on="slider")  # N, of the frame on the mechanism


def show():
    figure = view.series(result, ["motor.effort", "O.crank.fx", "O.crank.fy", "guide.slider.fy"])
    figure.axes[0].axhline(peak_torque, color="#8a949e", lw=0.8, ls=":")
    return figure


if __name__ == "__main__":
    print(f"peak torque {peak_torque:.8f} N m; peak shaking force {np.max(np.abs(shaking)):.6f} N")
    view.display(show(), *sys.argv[1:])
