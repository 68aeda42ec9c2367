"""A platform on six legs heaves and rolls as it is told: what must the legs push?

The motion is said in one way, where the platform shall be, and made in another, by the lengths of its legs. If the legs
had no mass, their forces f_i along n_i would be those that hold the platform alone,

    sum f_i (n_i, (P_i - T) x n_i) = (m (a - g), J alpha + omega x J omega)

With their mass, equilibrium of all thirteen bodies says it. What the legs give, sum f_i times the rate of their
lengths, is the rate at which the energy of all bodies grows, whatever the way of computing the forces.

New here: inverse dynamics of a closed mechanism, with motors in place of the drivers that prescribe the motion.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view
from particlemech.view.looks import COLOURS

platform = pm.models.load("stewart_platform")
cycle = pm.cycle(platform, times=np.linspace(0.0, 0.5, 26))
legs = [f"leg{i}" for i in range(1, 7)]
force = np.array([f for f in cycle.motors(legs).values()])  # N, (6, K)

along = [cycle[f"P{i}"] - cycle[f"B{i}"] for i in range(1, 7)]
length = np.linalg.norm(along, axis=2)  # m, (6, K)
rate = np.array([np.sum(r * cycle.velocity(f"P{i}"), axis=1) for i, r in enumerate(along, 1)]) / length  # m/s
power = np.sum(force * rate, axis=0)  # W


def height(body):
    return platform.bodies[body].mass * 9.81 * cycle.com(body)[:, 2]


def kinetic(body):
    xx, yy, zz, xy, xz, yz = platform.inertia(body)
    w = np.einsum("kji,kj->ki", cycle.orientation(body), cycle.omega(body))  # in axes of the body
    spin = np.einsum("ki,ij,kj->k", w, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), w)
    return 0.5 * (platform.bodies[body].mass * np.sum(cycle.com_velocity(body) ** 2, axis=1) + spin)


energy = np.sum([height(b) + kinetic(b) for b in platform.bodies], axis=0)  # J


def show():
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(9.0, 4.4), layout="constrained")
    beside = figure.subfigures(1, 2)
    left, axes = beside[0].add_subplot(projection="3d"), beside[1].subplots(2, 1, sharex=True)
    for k, alpha in ((0, 0.35), (len(cycle.t) // 2, 1.0)):
        rim = np.array([cycle[f"P{i}"][k] for i in (1, 2, 3, 4, 5, 6, 1)])
        left.plot(*rim.T, color=COLOURS[0], lw=2.0, alpha=alpha)
        for i in range(1, 7):
            ends = np.array([cycle[f"B{i}"][k], cycle[f"P{i}"][k]])
            left.plot(*ends.T, color=COLOURS[i % 2 + 1], lw=1.2, alpha=alpha)
    left.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    for i, f in enumerate(force, 1):
        axes[0].plot(cycle.t, f, lw=1.4, label=f"leg {i}")
    axes[0].set(ylabel="force of the leg [N]")
    axes[0].legend(
        frameon=False,
        fontsize=8,
        ncols=6,
        columnspacing=1.0,
        handlelength=1.0,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
    )
    axes[1].plot(cycle.t, power, color=COLOURS[0], lw=1.6)
    axes[1].set(xlabel="time [s]", ylabel="power [W]")
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e8ebee", lw=0.7)
    return figure


if __name__ == "__main__":
    print(f"legs push between {force.min():.6f} N and {force.max():.6f} N")
    print(f"energy grows by {np.ptp(energy):.6f} J, power is {np.abs(power).max():.6f} W at most")
    view.display(show(), *sys.argv[1:])
