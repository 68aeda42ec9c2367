"""A spinning disk on an axle leans over and does not fall: it precesses, and nods if let go at rest.

With spin s, tilt th, moments of inertia C about the axle and A across it at the joint, steady precession W needs

    (C (s + W cos th) - A W cos th) W = m g l

Let go with its spin alone, the axle dips from th_0 to th_1 and comes back. Energy and both conserved momenta give

    b (1 - u^2) = a^2 (u_0 - u),   u = cos th_1,   a = C s/A,   b = 2 m g l/A

New here: a ball joint without angles (it is integrated as a quaternion), and angular velocities given in space.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

top = pm.models.load("gyroscope")  # tilted by 60°, with the spin that makes it precess a quarter turn a second
steady = pm.simulate(top, duration=4.0)
x, y, z = steady["tip"].T
precession = np.unwrap(np.arctan2(y, x))[-1] / 4.0  # rad/s
wavering = np.ptp(z)  # m

axle = steady.orientation("disk")[0, :, 2]
spin = 255.70008490251982  # rad/s, as in the model file
let_go = pm.simulate(top.replaced(initial={"omega": {"disk": spin * axle}}), duration=4.0, samples=4001)
tilt = np.arccos(let_go.orientation("disk")[:, 2, 2])  # rad
dip = np.max(tilt) - tilt[0]  # rad, how far it nods


def show():
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(9.0, 4.4), layout="constrained")
    beside = figure.subfigures(1, 2, width_ratios=[1.2, 1.0])
    left, right = beside[0].add_subplot(projection="3d"), beside[1].add_subplot()
    view.motion(steady, points=["tip"], ghosts=5, ax=left)
    left.set_title("steady precession, 4 s", fontsize=10)
    left.get_legend().remove()
    left.grid(False)
    left.zaxis.labelpad = 0.0
    early = let_go.t <= 0.5
    right.plot(let_go.t[early], np.degrees(tilt[early]), color=view.plot.COLOURS[1], lw=1.6, label="let go at rest")
    right.plot(steady.t, np.full(len(steady.t), 60.0), color=view.plot.COLOURS[0], lw=1.6, label="steady")
    right.set(xlabel="time [s]", ylabel="tilt of the axle [°]", xlim=(0.0, 0.5))
    right.invert_yaxis()
    right.spines[["top", "right"]].set_visible(False)
    right.grid(color="#e8ebee", lw=0.7)
    right.legend(frameon=False, fontsize=9, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return figure


if __name__ == "__main__":
    print(f"precession {np.degrees(precession):.6f} °/s, tip stays level within {wavering:.1e} m")
    print(f"let go at rest the axle dips by {np.degrees(dip):.6f}°")
    view.display(show(), *sys.argv[1:])
