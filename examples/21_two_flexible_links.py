"""A torque to and fro turns an arm of two bending links: how far is its tip from where a rigid arm would have it?

The rigid arm, its elbow locked, is one body of inertia I about the shoulder: from rest, a torque M sin(w t) turns it by

    phi = M/(I w^2) (w t - sin(w t))

The flexible one lags behind, swings through, and its joint angle alone does not tell where the tip is: the elastic part
of a point is where it is, minus where it would be with the same joint angles and nothing bent.

New here: motors in joints, a drive that deflects, a body that no longer bends, and the elastic part of a motion.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view
from particlemech.engine.bending.local_inertia import integrals
from particlemech.view.looks import COLOURS

arm = pm.models.load("two_link_flexible")


def stiff(name):
    """Return what makes a rigid body of one that bends, with the same mass where it is drawn."""
    at, first = integrals(arm, name), arm.points[arm.bodies[name].points[0]]
    rigid = {"mass": at.mass, "com": np.add(first, at.centre), "inertia": at.central}
    return rigid | {"modes": (), "EI": None, "density": None, "lumps": (), "damping": (0.0, 0.0)}


rigid_arm = arm.replaced(
    bodies={name: stiff(name) for name in arm.bodies}, joints={"elbow": {"drive": None}}, name="rigid"
)

result, rigid = pm.simulate(arm), pm.simulate(rigid_arm)

elastic = np.linalg.norm(result.elastic("tip"), axis=1)  # m
apart = np.linalg.norm(result["tip"] - rigid["tip"], axis=1)  # m, both arms at the same time
largest_elastic, largest_apart = elastic.max(), apart.max()
turn = rigid.coordinate("shoulder")[-1]  # rad


def show():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained")
    for k in range(0, len(result.t), 50):
        bent = np.array([result.place("shoulder")[k], result["elbow_pin"][k], result["tip"][k]])
        left.plot(*bent[:, :2].T, "o-", color="#c5ccd3", lw=1.0, ms=2.5)
    left.plot(*rigid["tip"][:, :2].T, color=COLOURS[1], lw=1.4, label="tip of the rigid arm")
    left.plot(*result["tip"][:, :2].T, color=COLOURS[0], lw=1.4, label="tip of the flexible arm")
    left.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    left.legend(frameon=False, fontsize=9, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    right.plot(result.t, 1e3 * apart, color=COLOURS[1], lw=1.4, label="from the rigid arm")
    right.plot(result.t, 1e3 * elastic, color=COLOURS[0], lw=1.4, label="elastic part")
    right.set(xlabel="time [s]", ylabel="distance of the tip [mm]")
    right.legend(frameon=False, fontsize=9, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e8ebee", lw=0.7)
    return figure


if __name__ == "__main__":
    print(f"the tip is up to {1e3 * largest_elastic:.2f} mm from where its joint angles put it,")
    print(f"and up to {1e3 * largest_apart:.2f} mm from the tip of a rigid arm, which turns by {turn:.6f} rad")
    view.display(show(), *sys.argv[1:])
