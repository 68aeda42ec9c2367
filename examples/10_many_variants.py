"""How long must the coupler be for a rocker that swings through 50°? Two hundred four-bars know.

At a dead centre crank (a) and coupler (b) lie in one line, so with frame d and rocker c the law of cosines gives

    cos(gamma) = (c^2 + d^2 - (b -+ a)^2) / (2 c d),   gamma between rocker and frame

and the swing is the difference of the two angles. With c = d this is gamma = 2 arcsin((b -+ a) / (2 c)), so that a
longer coupler swings the rocker wider.

New here: many variants in one call, on all processors, and one labelled dataset of what is kept of each.
"""

import sys

import numpy as np
from scipy.interpolate import CubicSpline

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("four_bar").replaced(
    initial=pm.Initial(),
    drivers={"motor": pm.drivers.Rotation(bodies=("ground", "crank"), motion=pm.signals.Linear(rate=2.0 * np.pi))},
)
lengths = np.linspace(0.30, 0.42, 200)  # m, of the coupler
variants = {length: {"bodies": {"coupler": {"length": length}}} for length in lengths}
data = pm.simulate_many(variants, of=mechanism, duration=1.0, samples=51, rtol=1e-6, quantities="rocker.angle")

angle = CubicSpline(data.time, data["rocker.angle"], axis=1)(np.linspace(0.0, 1.0, 2001))  # rad, one turn of the crank
swing = np.ptp(angle, axis=1)  # rad, one of each variant
wanted = np.interp(np.radians(50.0), swing, lengths)  # m

a, c = 0.1, 0.3  # m, crank and rocker; the frame is as long as the rocker
exact = 2.0 * np.arcsin((lengths + a) / (2.0 * c)) - 2.0 * np.arcsin((lengths - a) / (2.0 * c))  # rad


def show():
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7.0, 4.2), layout="constrained")
    ax.plot(lengths, np.degrees(exact), color=view.plot.COLOURS[1], lw=1.2, label="law of cosines")
    ax.plot(lengths[::8], np.degrees(swing)[::8], "o", color=view.plot.COLOURS[0], ms=5, label="computed, every eighth")
    ax.axvline(wanted, color="#9aa4ae", lw=0.8, ls="--")
    ax.set(xlabel="length of the coupler [m]", ylabel="swing of the rocker [°]")
    ax.set_title(f"{len(lengths)} four-bars: a coupler of {wanted:.4f} m swings the rocker through 50°")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#e8ebee", lw=0.7)
    ax.legend(frameon=False, fontsize=9)
    return figure


if __name__ == "__main__":
    for k in range(0, len(lengths), 40):
        print(f"coupler {lengths[k]:.4f} m: swing {np.degrees(swing[k]):.4f}° ({data.status.values[k]})")
    print(f"a coupler of {wanted:.6f} m swings the rocker through 50°")
    view.display(show(), *sys.argv[1:])
