"""A quick-return mechanism pushes a tool: what of the motor's work arrives there, and which joint eats the rest?

Friction grows with the load of its own joint, and the load with friction: both are found together. In one turn the
motor does 62.0 J of work, the tool takes 49.2 J, and the six joints lose 12.8 J: efficiency 79 %. By hand: the tool's
force 80 (1 + cos 2 pi t) N needs what a run without friction gives its motor, and the weight of the ram alone costs
its guide mu m g times twice the stroke, 0.12 x 29.43 N x 0.8 m = 2.83 J; the rest of its 4.68 J is 1.80 J in its oil
and the pull of the link across. The slot, where most way is slid under load, loses three times as much as all pins.

New here: friction of joints from their own load, their losses, and the efficiency of a span.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("quick_return_friction")
result = pm.simulate(mechanism)
joints = {name: joint for name, joint in mechanism.joints.items() if joint.friction is not None}
smooth = pm.simulate(mechanism.replaced(joints={name: {"friction": None} for name in joints}))

turn = result.t <= 1.0  # s, one turn of the crank


def per_turn(power):
    """Return the energy of one turn, J."""
    return float(np.trapezoid(power[turn], result.t[turn]))


rate = 2.0 * np.pi
work, ideal = per_turn(result.effort("motor") * rate), per_turn(smooth.effort("motor") * rate)
cut = -per_turn(result.measures().power("cut"))
losses = {name: per_turn(result.loss(name)) for name in joints}
efficiency = result.efficiency(0.0, 1.0)
weight = 0.12 * 3.0 * 9.81 * 2.0 * np.ptp(result["C"][:, 0])  # J, of the guide, by hand


def show():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
    degrees = np.degrees(result.angle("crank"))[turn]
    for run, name in ((smooth, "without friction"), (result, "with friction")):
        left.plot(degrees, run.effort("motor")[turn], label=name)
    left.set(xlabel="crank [deg]", ylabel="motor [N m]", xticks=range(0, 361, 90))
    left.legend(frameon=False, fontsize=9)
    right.stackplot(degrees, *(result.loss(name)[turn] for name in losses),
                    labels=[f"{name}, {loss:.3g} J" for name, loss in losses.items()], alpha=0.85)  # fmt: skip
    right.set(xlabel="crank [deg]", ylabel="power lost [W]", xticks=range(0, 361, 90), ylim=(0.0, 27.0))
    right.set_title(f"{work:.3g} J per turn put in, efficiency {100.0 * efficiency:.1f} %", fontsize=12)
    right.legend(frameon=False, fontsize=9, ncols=2)
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e8ebee", lw=0.7)
    return figure


if __name__ == "__main__":
    print(f"work {work:.6f} J, cut {cut:.6f} J, losses {sum(losses.values()):.6f} J, efficiency {efficiency:.6f}")
    view.display(show(), *sys.argv[1:])
