"""A hand turns the pinion of an arbor press: how far does its ram come down, and what do teeth and guide carry then?

30 N m on a pinion of 20 mm are 1500 N at its teeth; with its weight of 39.24 N the ram presses the workpiece, a spring
of 40 kN/m, by (1500 + 39.24)/40 000 m = 38.481 mm. Teeth that stand at 20 degrees push the ram aside with 1500 N tan 20
= 545.96 N besides, which its guide takes.

New here: a rack, and the force in its mesh.
"""

import sys

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("rack_press")
result = pm.simulate(mechanism)

stroke = mechanism.points["T"][1] - result["T"][-1, 1]
press = -result.force("workpiece")[-1]
tooth = result.force("mesh")
aside = result.reaction("guide", on="ram")[:, 0]


def show():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
    view.mechanism(mechanism, ax=left, arrows=())
    right.plot(result.t, -result.force("workpiece"), label="workpiece [N]")
    right.plot(result.t, abs(tooth), label="teeth [N]")
    right.plot(result.t, abs(aside), label="guide [N]")
    right.set(xlabel="time [s]", xlim=(0.0, 1.0))
    right.set_title(f"the ram comes down by {1e3 * stroke:.3f} mm", fontsize=12)
    right.spines[["top", "right"]].set_visible(False)
    right.grid(color="#e8ebee", lw=0.7)
    right.legend(frameon=False, fontsize=9)
    return figure


if __name__ == "__main__":
    print(f"{1e3 * stroke:.4f} mm, workpiece {press:.3f} N, teeth {abs(tooth[-1]):.3f} N, guide {abs(aside[-1]):.3f} N")
    view.display(show(), *sys.argv[1:])
