"""A free spacecraft turns its bending arm, which goes on swinging, unless the motion is given in the right parts.

A vibration that half of a motion leaves behind is met half a period later by that of the other half, and is gone:

    s(t) = 1/2 u(t) + 1/2 u(t - T/2)                        zero vibration, ZV
    s(t) = 1/4 u(t) + 1/2 u(t - T/2) + 1/4 u(t - T)         also for a T that is a little off, ZVD

One after the other for each mode that the joints can excite. Frequencies change while the arm bends; those at its end
serve, where it has to be still.

New here: a free base, driven joints, shaped signals, and modes of a pose that a motion only ends in.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view
from particlemech.model.signals import Constant, Shaped
from particlemech.view.looks import COLOURS

slew = pm.models.load("space_slew")


def frequencies(share):
    """Return the frequencies, Hz, of vibrations in the plane of the motion, where a share of it is done."""
    held = {}
    for name, driver in slew.drivers.items():
        u = driver.motion
        held[name] = {"motion": Constant(value=u.start + share * (u.end - u.start))}
    found = pm.modes(slew.replaced(drivers=held))
    out_of_plane = [found.coordinates.index(f"{link}.q{k}") for link in ("upper", "fore") for k in (3, 4, 5)]
    size = np.abs(found.shapes[out_of_plane]).max(axis=0) / np.abs(found.shapes).max(axis=0)
    return found.frequency[(found.omega > 1e-3) & (size < 1e-6)]


PARTS = {"as it is": None, "ZV": (0.5, 0.5), "ZVD": (0.25, 0.5, 0.25)}
first, second = frequencies(1.0)[:2]


def shaped(parts, payload=5.0):
    """Return the slew with its motions in parts for the two lowest modes; kg."""
    drivers = {}
    for name, driver in slew.drivers.items():
        motion = driver.motion
        for frequency in (first, second) if parts else ():
            delays = tuple(0.5 * k / frequency for k in range(len(parts)))
            motion = Shaped(signal=motion, delays=delays, shares=parts)
        drivers[name] = {"motion": motion}
    lump = {"x": 3.0, "mass": payload, "inertia": (0.2, 0.2, 0.2)}
    return slew.replaced(drivers=drivers, bodies={"fore": {"lumps": [lump]}})


def remaining(run):
    """Return the largest elastic part of the tip, m, once the joints stand still."""
    still = run.t >= max(run.mechanism.drivers["turn"].motion.breaks())
    return np.linalg.norm(run.elastic("tip")[still], axis=1).max()


results = {name: pm.simulate(shaped(parts), duration=10.0, samples=1001) for name, parts in PARTS.items()}
residual = {name: remaining(run) for name, run in results.items()}  # m
# a payload 40 % heavier than the one that the parts were made for
unknown = {name: remaining(pm.simulate(shaped(parts, 7.0), duration=10.0)) for name, parts in PARTS.items()}  # m
momentum = max(np.abs(run.momentum.angular).max() for run in results.values())  # kg m^2/s


def show():
    import matplotlib.pyplot as plt

    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8.5, 5.4), layout="constrained", sharex=True)
    for k, (name, run) in enumerate(results.items()):
        top.plot(run.t, np.degrees(run.coordinate("shoulder")), color=COLOURS[k], lw=1.6, label=name)
        bottom.semilogy(run.t[1:], 1e3 * np.linalg.norm(run.elastic("tip")[1:], axis=1), color=COLOURS[k], lw=1.2)
        for ax in (top, bottom):
            ax.axvline(max(run.mechanism.drivers["turn"].motion.breaks()), color=COLOURS[k], lw=0.8, ls=":")
    top.set(ylabel="shoulder [°]")
    top.legend(frameon=False, fontsize=9)
    bottom.set(xlabel="time [s]", ylabel="elastic part of the tip [mm]", ylim=(1e-2, 3e2))
    for ax in (top, bottom):
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e8ebee", lw=0.7)
    return figure


if __name__ == "__main__":
    for share, word in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        print(f"{word:8} {', '.join(f'{f:.4f}' for f in frequencies(share)[:3])} Hz")
    for name in PARTS:
        ratio = residual["as it is"] / residual[name]
        heavier = f"{1e3 * unknown[name]:.3f} mm with an unknown payload"
        print(f"{name:9} {1e3 * residual[name]:7.3f} mm remain, a ratio of {ratio:.0f}; {heavier}")
    print(f"angular momentum below {momentum:.1e} kg m²/s")
    view.display(show(), *sys.argv[1:])
