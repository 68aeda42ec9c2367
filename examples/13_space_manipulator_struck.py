"""An impulse on the main body of the floating manipulator: which speeds do its fourteen coordinates jump by?

Passerello and Huston's third problem (1972): 100 lb s = 1200 slug in/s along the first axis, through the centre of the
main body. Impulses of the joints do no work, so with the mass matrix A and the generalised impulse p

    A dx' = p

Their Figure 17 prints the answer of an IBM 360. In this pose the first and the third angle of one shoulder turn about
one axis, to opposite sides: A is singular, and only the difference of their speeds has a meaning. The printed pair is
rounding noise.

New here: an impulse, coordinates that are the report's angles, and what is not determined.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import space, view
from particlemech.analyses.poses.space import in_angles

manipulator = in_angles(pm.models.load("space_manipulator"))
hit = space.Impulse(body="main", impulse=(1200.0, 0.0, 0.0))
struck = pm.impulse(manipulator, {"hit": hit})

printed = dict(
    zip(
        struck.jumps,
        (112.0, 0.0, -1.99e-5, -5.74e-6, 1.99, 1.11e-5, 6.25e-6, 3.51, 1.99, -4.39, 3.02, -1.99, 3.02, 3.33),
        strict=True,
    )
)
determined = [name for name in struck.jumps if name not in struck.undetermined]
# in units of the last digit that is printed: 1 in/s for the first, 0.01 for the others
misfit = max(abs(struck.jumps[name] - printed[name]) / (1.0 if name == "base.x" else 0.01) for name in determined)
speed = struck.jumps["base.x"]  # of the main body, in/s
energy = struck.work  # slug in^2/s^2


def show():
    import matplotlib.pyplot as plt

    names = list(struck.jumps)[3:]  # the angles
    places = np.arange(len(names))[::-1]
    figure, ax = plt.subplots(figsize=(7.5, 5.2), layout="constrained")
    ours = [np.nan if name in struck.undetermined else struck.jumps[name] for name in names]
    ax.barh(places, ours, height=0.55, color="#bcd9ec", edgecolor="#2b3440", lw=0.8, label="computed")
    known = [name not in struck.undetermined for name in names]
    for chosen, marker, label in ((True, "D", "Figure 17"), (False, "x", "Figure 17, not determined")):
        rows = [k for k, is_known in enumerate(known) if is_known == chosen]
        ax.plot([printed[names[k]] for k in rows], places[rows], marker, color=view.plot.COLOURS[1], ms=6, label=label)
    ax.set_yticks(places, names)
    ax.axvline(0.0, color="#2b3440", lw=0.8)
    ax.set(xlabel="jump of the angle's speed [rad/s]")
    ax.set_title(f"Manipulator struck by 100 lb s: its main body starts with {speed:.3f} in/s", fontsize=12)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color="#e8ebee", lw=0.7)
    ax.set_axisbelow(True)
    ax.legend(frameon=False, fontsize=9, loc="lower left")
    return figure


if __name__ == "__main__":
    print("coordinate          Figure 17    computed")
    for name, jump in struck.jumps.items():
        shown = "not determined" if name in struck.undetermined else f"{jump + 0.0:.8f}"
        print(f"{name:18} {printed[name]:10.3g}    {shown}")
    print(f"largest difference: {misfit:.2f} of the last printed digit; kinetic energy {energy:.4f} slug in²/s²")
    view.display(show(), *sys.argv[1:])
