"""How good are a few polynomials for a bending beam? A cantilever, for which Euler and Bernoulli have the answer.

A clamped beam of length L, stiffness EI and mass mu per length vibrates with

    omega_k = b_k^2/L^2 sqrt(EI/mu),     cos b_k cosh b_k = -1

and a force P at its tip moves the tip by P L^3/(3 EI). A body bends in shapes that the user chooses, and can only be
too stiff: its frequencies come from above. Two ways down are more parts of the same two cubics (sub-links, the error
falls with the fourth power of their number) and more powers of x in one part (faster than any power).

New here: a body that bends, its modes, and its vibrations; from a shipped model with other shapes.
"""

import sys

import numpy as np
from scipy.optimize import brentq

import particlemech as pm
from particlemech import view
from particlemech.view.looks import COLOURS

beam = pm.models.load("cantilever")  # two sub-links of two cubics
length, EI, mu = 2.0, 200.0, 0.5
roots = [brentq(lambda b: np.cos(b) + 1.0 / np.cosh(b), *bounds) for bounds in ((1.5, 2.5), (4.0, 5.5), (7.0, 8.5))]
exact = np.square(roots) / (2.0 * np.pi * length**2) * np.sqrt(EI / mu)  # Hz


def errors(**changed):
    """Return by how much the first three frequencies, or as many as there are, lie above the exact ones."""
    found = pm.modes(beam.replaced(bodies={"beam": changed})).frequency[:3]
    return found / exact[: len(found)] - 1.0


def powers(highest):
    """Return displacements along y in the shapes (x/L)^2 ... (x/L)^highest."""
    return [{"along": "y", "shape": [0.0] * p + [1.0]} for p in range(2, highest + 1)]


counts, highest = (1, 2, 4, 8, 16), (3, 4, 5, 6, 7, 8)
by_sublinks = [errors(sublinks=n) for n in counts]
by_powers = [errors(sublinks=1, modes=powers(p)) for p in highest]

light = beam.replaced(forces={"push": {"force": (0.0, 0.01, 0.0)}})  # far enough below 1 N for bending to be linear
sag = 100.0 * pm.equilibrium(light).elastic("tip")[0, 1]  # m/N
theory = length**3 / (3.0 * EI)
result = pm.simulate(beam)  # the force comes at once: the tip swings to twice the sag, and back


def show():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11.0, 3.8), layout="constrained")
    for k in range(3):
        for ax, places, found in ((axes[0], counts, by_sublinks), (axes[1], highest, by_powers)):
            pairs = [(n, e[k]) for n, e in zip(places, found, strict=True) if len(e) > k]
            ax.loglog(*zip(*pairs, strict=True), "o-", color=COLOURS[k], lw=1.4, ms=4.5, label=f"mode {k + 1}")
    n = np.array(counts, dtype=float)
    axes[0].loglog(n, 0.05 / n**4, "--", color="#8a949e", lw=1.0, label="1/n⁴")
    axes[0].set(xlabel="sub-links of two cubics", ylabel="relative error of the frequency")
    axes[1].set(xlabel="highest power of x in one part")
    for ax, places in ((axes[0], counts), (axes[1], highest)):
        ax.set_xticks(places, [str(p) for p in places])
        ax.minorticks_off()
    axes[0].legend(frameon=False, fontsize=9)
    axes[2].plot(result.t, 1e3 * result.elastic("tip")[:, 1], color=COLOURS[0], lw=1.6)
    axes[2].axhline(1e3 * theory, color="#8a949e", lw=1.0, ls="--")
    axes[2].set(xlabel="time [s]", ylabel="tip [mm]", title="A force that comes at once")
    axes[2].title.set_fontsize(10)
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e8ebee", lw=0.7)
    return figure


if __name__ == "__main__":
    print(f"Euler and Bernoulli: {', '.join(f'{f:.4f}' for f in exact)} Hz; errors of the model")
    for n, e in zip(counts, by_sublinks, strict=True):
        print(f"  {n:2d} sub-links of two cubics   {'  '.join(f'{x:8.1e}' for x in e)}")
    for p, e in zip(highest, by_powers, strict=True):
        print(f"  one part, powers 2 to {p}      {'  '.join(f'{x:8.1e}' for x in e)}")
    print(f"the tip gives way by {1e3 * sag:.6f} mm/N, L³/(3 EI) = {1e3 * theory:.6f} mm/N")
    view.display(show(), *sys.argv[1:])
