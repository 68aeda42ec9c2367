"""A beam that spins becomes stiffer: its frequencies over the speed, with and without the shortening that makes it so.

A beam clamped to a shaft is pulled outward. The pull T(x) = mu W^2 (L^2 - x^2)/2 straightens it, because a point of a
bent beam is nearer to the shaft, by the integral of half the squared slope. Southwell (1921): nearly

    w^2 = w_0^2 + a W^2,     a = 1.19 for the first mode along the shaft, at small speeds

Shapes alone, with no shortening, know nothing of it: bending along the shaft then does not notice the speed, and
bending in the plane of rotation, which the spin carries outward, gets softer until it gives way at W = w_0. So
"stiffening" is on by default; it takes the shortening to second order in the slope, so bending must stay moderate.

New here: vibrations about a steady rotation; a body with shapes along two axes, from Python.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import space, view
from particlemech.model.signals import Linear
from particlemech.view.looks import COLOURS

powers = range(2, 8)  # one part: (x/L)^2 ... (x/L)^7 along y and along z
modes = [{"along": axis, "shape": [0.0] * p + [1.0]} for axis in "yz" for p in powers]
# with L = EI = mu = 1, times are in sqrt(mu L^4/EI)


def spinning(speed, stiffening=True):
    """Return the first two frequencies along the shaft (flap) and in the plane (lag), rad/s; negative: unstable."""
    beam = space.Mechanism(
        points={"hub": (0, 0, 0), "tip": (1, 0, 0)},
        bodies={"beam": space.Body(points=("hub", "tip"), density=1.0, EI=1.0, modes=modes)},
        joints={"shaft": space.joints.Revolute(bodies=("ground", "beam"), point="hub", axis=(0, 0, 1))},
        drivers={"spin": space.drivers.Coordinate(joint="shaft", motion=Linear(rate=speed))},
        bending={"stiffening": stiffening},
    )
    found = pm.modes(beam)
    n = len(powers)
    size = np.abs(found.shapes)
    flap = size[n:].max(axis=0) > size[:n].max(axis=0)
    return [*found.omega[flap][:2], *found.omega[~flap][:2]]


speeds = np.linspace(0.0, 8.0, 17)
stiff, soft = (np.array([spinning(W, on) for W in speeds]) for on in (True, False))
southwell = (stiff[1, 0] ** 2 - stiff[0, 0] ** 2) / speeds[1] ** 2
gives_way = speeds[np.argmax(soft[:, 2] < 0.0)]  # the first of these speeds at which the beam without shortening does


def show():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.4), layout="constrained", sharex=True)
    for mode, ax in enumerate(axes):
        for k, (word, column) in enumerate((("along the shaft", mode), ("in the plane", 2 + mode))):
            ax.plot(speeds, stiff[:, column], color=COLOURS[k], lw=1.6, label=word)
            stable = np.where(soft[:, column] >= 0.0, soft[:, column], np.nan)
            ax.plot(speeds, stable, "--", color=COLOURS[k], lw=1.2, label=f"{word}, no shortening")
        low, high = ax.get_ylim()
        for order in range(1, 7):  # what turns with the shaft comes round so many times a turn
            ax.plot(speeds, order * speeds, color="#c5ccd3", lw=0.8, zorder=0)
        ax.set(ylim=(low, high), xlabel="speed of the shaft [√(EI/μL⁴)]", title=f"Mode {mode + 1}")
        ax.title.set_fontsize(10)
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e8ebee", lw=0.7)
    axes[0].set_ylabel("frequency [√(EI/μL⁴)]")
    axes[0].legend(frameon=False, fontsize=9)
    return figure


if __name__ == "__main__":
    print("speed     along the shaft           in the plane              the same without shortening")
    for W, on, off in zip(speeds[::2], stiff[::2], soft[::2], strict=True):
        words = [f"{f:9.5f}" if f >= 0.0 else " unstable" for f in (*on, off[0], off[2])]
        print(f"{W:5.1f}  {words[0]} {words[1]}      {words[2]} {words[3]}      {words[4]} {words[5]}")
    print(f"Southwell's coefficient of the first mode: {southwell:.4f}")
    view.display(show(), *sys.argv[1:])
