"""Six hinges and five rods along the edges of a cube: by count a rigid frame, and yet it moves. Bricard's mechanism.

Six hinges take 5 freedoms each from five bodies with 6 each: 6 5 - 5 6 = 0 are left. One row of its equations follows
from the others, whatever the pose, and so one freedom remains. With a the angle of the first rod, P3 moves along

    x = cos a/(1 + sin a),    y = -sqrt(1 - z^2),    z = -sin a/(1 + sin a)

Let go at a = 0 it swings to the other end of this curve and back, without loss.

New here: a linkage whose equations depend on each other, and the certificates of a run: closure and energy.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view
from particlemech.result.mobility.space import judged
from particlemech.view.looks import COLOURS

linkage = pm.models.load("bricard")
mobility = judged(linkage)
run = pm.simulate(linkage, duration=10.0, rtol=1e-8)
x, y, z = run["P3"].T
sine = -z / (1.0 + z)
off_curve = np.max(np.abs(y + np.sqrt(1.0 - z * z)) + np.abs(np.abs(x) * (1.0 + sine) - np.sqrt(1.0 - sine**2)))  # m
loss = np.max(np.abs(run.energy.error)) / run.energy.scale


def show():
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(9.0, 4.4), layout="constrained")
    beside = figure.subfigures(1, 2)
    left, axes = beside[0].add_subplot(projection="3d"), beside[1].subplots(2, 1, sharex=True)
    for k in range(0, len(run.t) // 3, max(len(run.t) // 30, 1)):
        ring = np.array([run[f"P{i % 6}"][k] for i in range(7)])
        left.plot(*ring.T, color=COLOURS[0], lw=1.2, alpha=0.3 if k else 1.0)
    left.plot(x, y, z, color=COLOURS[1], lw=2.0)
    left.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    axes[0].plot(run.t, x, color=COLOURS[1], lw=1.4)
    axes[0].set(ylabel="x of P3 [m]")
    axes[1].plot(run.t, run.energy.error / run.energy.scale, color=COLOURS[0], lw=1.4)
    axes[1].set(xlabel="time [s]", ylabel="energy error / scale")
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e8ebee", lw=0.7)
    return figure


if __name__ == "__main__":
    print(f"freedoms by count {mobility.by_count}, by rank {mobility.by_rank}")
    print(f"P3 keeps to its curve within {off_curve:.1e} m and the energy within {loss:.1e} of its scale")
    print(f"hinges were open by {run.closure.position.max():.1e} m at most before samples were closed")
    view.display(show(), *sys.argv[1:])
