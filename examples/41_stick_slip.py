"""A block rides on a belt until its spring pulls it off, slips back and rides again: with which period?

At rest on the belt friction holds up to mu_s m g = 5.886 N, so the block first lets go at x = 5.886/50 = 117.72 mm.
While it slips friction is mu m g, and it swings about mu m g/k with omega = sqrt(k/m) = 5 1/s, until it has the speed
of the belt again: as far before that point as it let go beyond it, D = (mu_s - mu) m g/k = 39.24 mm. So it rides for
2 D/v = 0.7848 s and slips for 2/omega (pi - atan(omega D/v)) = 0.8169 s: a period of 1.6017 s. The run finds each
change where it is, and between them nothing creeps.

New here: joints that stick (`sticking = true`), as events of a run.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("stick_slip")
result = pm.simulate(mechanism)

m, k, v, mu, mu_s, g = 2.0, 50.0, 0.1, 0.2, 0.3, 9.81
omega, D = np.sqrt(k / m), (mu_s - mu) * m * g / k
period = 2.0 * D / v + 2.0 / omega * (np.pi - np.arctan(omega * D / v))
slips = np.array([one.t for one in result.switches if one.what == "slips"])
sticks = np.array([one.t for one in result.switches if one.what == "sticks"])
lets_go = mu_s * m * g / k  # m


def show():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
    view.mechanism(mechanism, ax=left, arrows=())
    right.plot(result.t, 1e3 * (result["P"][:, 0] - 0.6), label="spring [mm]", color="#2f6f8f")
    right.plot(
        result.t, 10.0 * result.friction("contact"), label="friction of the block [0.1 N]", color="#c1553b", lw=1.1
    )
    for begin, end in zip([0.0, *sticks], slips, strict=False):
        right.axvspan(begin, end, color="#8a9199", alpha=0.15, lw=0)
    right.set(xlabel="time [s]", ylim=(0.0, 150.0))
    right.set_title(f"rides (grey) and slips every {np.diff(slips).mean():.4f} s", fontsize=12)
    right.spines[["top", "right"]].set_visible(False)
    right.grid(color="#e8ebee", lw=0.7)
    right.legend(frameon=False, fontsize=9, ncols=2, loc="upper right")
    return figure


if __name__ == "__main__":
    print(f"slips at {slips.round(6)} s, every {np.diff(slips).mean():.9f} s (closed form {period:.9f} s)")
    view.display(show(), *sys.argv[1:])
