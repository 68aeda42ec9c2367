"""How fast does a hanging chain swing? Daniel Bernoulli's answer of 1733 was the first Bessel function.

A chain of length L, pulled aside by y(x) at the height x above its free end, is pulled back by the weight below:

    d/dx (g x dy/dx) = -omega^2 y      =>      y = J0(2 omega sqrt(x/g)),   J0(2 omega sqrt(L/g)) = 0

so omega_k = (j_k/2) sqrt(g/L) with the zeros j_k of J0. A chain of n links comes closer with 1/n^2.

New here: a model of any size from a builder, and small vibrations of a tree.
"""

import sys

import numpy as np
from scipy.special import j0, jn_zeros

import particlemech as pm
from particlemech import view

length, g = 1.0, 9.81
exact = 0.5 * jn_zeros(0, 3) * np.sqrt(g / length)  # rad/s
sizes = (5, 10, 20, 40, 80)
found = {n: pm.modes(pm.models.hanging_chain(n, length=length)) for n in sizes}
# every mode comes twice, swinging along x and along y
error = np.array([[found[n].omega[2 * k] / exact[k] - 1.0 for k in range(3)] for n in sizes])
lowest = found[80].omega[0]  # rad/s


def shape(n, k):
    """Return heights above the free end and sideways places of the ends of the links, in one plane, for mode k."""
    modes = found[n]
    x, y = (modes.shapes[i::2, 2 * k : 2 * k + 2].real for i in (0, 1))
    tilt = np.cumsum((x if np.ptp(x[:, 0]) > np.ptp(y[:, 0]) else y)[:, 0])
    aside = np.concatenate([[0.0], np.cumsum(tilt) * length / n])
    return length * (1.0 - np.arange(n + 1) / n), aside / aside[-1]


def show():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(8.5, 4.4), layout="constrained")
    height = np.linspace(0.0, length, 300)
    for k in range(3):
        colour = view.plot.COLOURS[k]
        left.plot(j0(2.0 * exact[k] * np.sqrt(height / g)), height, color=colour, lw=1.4)
        heights, aside = shape(20, k)
        left.plot(aside, heights, "o", color=colour, ms=3.5)
        right.loglog(sizes, np.abs(error[:, k]), "o-", color=colour, lw=1.4, ms=4.5, label=f"mode {k + 1}")
    left.set(xlabel="pulled aside, relative to the free end", ylabel="height above the free end [m]")
    left.set_title("Shapes: Bessel functions (lines), 20 links (dots)", fontsize=10)
    right.loglog(sizes, 1.5 / np.array(sizes, dtype=float) ** 2, "--", color="#8a949e", lw=1.0, label="1/n²")
    right.set(xlabel="number of links", ylabel="relative error of the frequency")
    right.set_xticks(sizes, [str(n) for n in sizes])
    right.minorticks_off()
    right.set_title("Frequencies", fontsize=10)
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e8ebee", lw=0.7)
    right.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


if __name__ == "__main__":
    for k, omega in enumerate(exact):
        print(f"mode {k + 1}: {found[80].omega[2 * k]:.6f} rad/s with 80 links, {omega:.6f} rad/s of a chain")
    view.display(show(), *sys.argv[1:])
