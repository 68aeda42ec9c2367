"""Theo Jansen found the lengths of his beach animals' legs by breeding them in a computer. Can they be better still?

While half a turn of the crank the foot should stand on the ground: it should go straight and level, as far as it did,
and be lifted as high in between. With the "holy numbers" its height varies by 18 mm over that half turn. Ten of the
thirteen lengths may be a tenth longer or shorter; each variant is one cycle without integration, and its derivatives
are asked of twenty more:

    minimise  largest distance from the mean height,    subject to  length and height of the step as before

Aims may be functions of the answer; one that gives several numbers means the largest of them.

New here: the best of many variants, with conditions, as a mechanism and a file.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

SAMPLES, BEGINS = 121, 92  # poses of a turn, and the first at which the foot stands, for half a turn
LENGTHS = ("b", "c", "d", "e", "f", "g1", "h1", "i", "j", "k")

leg = pm.models.load("theo_jansen")


def standing(cycle):
    """Return the path of the foot while it stands, (61, 2), m."""
    turn = cycle["F"][:-1]
    return turn[(BEGINS + np.arange(SAMPLES // 2 + 1)) % (SAMPLES - 1)]


def bumps(cycle):
    heights = standing(cycle)[:, 1]
    return np.abs(heights - heights.mean())


def step(cycle):
    return abs(np.ptp(standing(cycle)[[0, -1], 0]))


def lift(cycle):
    return cycle["F"][:, 1].max() - standing(cycle)[:, 1].mean()


before = pm.cycle(leg, driver="O", samples=SAMPLES)
best = pm.optimise(
    leg,
    {name: (0.9 * leg.parameters[name].value, 1.1 * leg.parameters[name].value) for name in LENGTHS},
    minimise=bumps,
    subject_to=[(step, step(before), None), (lift, lift(before), None)],
    what="cycle",
    options={"driver": "O", "samples": SAMPLES},
)
after = pm.cycle(best.mechanism, driver="O", samples=SAMPLES)
uneven = [1e3 * np.ptp(standing(cycle)[:, 1]) for cycle in (before, after)]  # mm


def show():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 5.0), layout="constrained", width_ratios=(1.25, 1.0))
    blue, red = view.plot.COLOURS[:2]
    for cycle, colour, label in ((before, "#9aa4ae", "holy numbers"), (after, blue, "optimised")):
        for of in ("OA", "AB", "AC", "PBDP", "PC", "DE", "ECFE"):
            left.plot(*np.array([cycle[point][BEGINS] for point in of]).T, "o-", color=colour, lw=2.0, ms=3.5)
        left.plot(*cycle["F"].T, color=colour, lw=1.0)
        left.plot(*standing(cycle).T, color=red if cycle is after else colour, lw=2.6)
        x, y = standing(cycle).T
        right.plot(1e2 * (x - x.mean()), 1e3 * (y - y.mean()), color=colour, lw=1.8, label=label)
    left.set_aspect("equal")
    left.set_axis_off()
    right.set(xlabel="along the ground [cm]", ylabel="above its mean height [mm]")
    right.set_title(f"uneven by {uneven[0]:.1f} mm before, {uneven[1]:.1f} mm now")
    right.spines[["top", "right"]].set_visible(False)
    right.grid(color="#e8ebee", lw=0.7)
    right.legend(frameon=False, fontsize=9)
    figure.suptitle("Theo Jansen's leg with a flatter step")
    return figure


if __name__ == "__main__":
    print(best)
    print(f"the foot is uneven by {uneven[0]:.2f} mm before, by {uneven[1]:.2f} mm now")
    view.display(show(), *sys.argv[1:])
