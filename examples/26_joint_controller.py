"""A controller in the shoulder turns a bending arm to an angle. How firm may it be, so that the vibration dies out?

    torque = kp (target - phi) - kd phi'

acts where phi is measured (it is collocated), so it can only take energy out of the arm: stable with any gains. But
where phi is held too firmly it creeps, and the arm vibrates as if clamped: nothing moves that kd could brake. Between
too weak and too firm lies a gain with which the slowest motion dies out fastest; the linear equations,

    M x'' + D x' + K x = 0,     lam = -zeta w +- i w sqrt(1 - zeta^2)

with the controller in D and K, find it. The rate at which a motion dies out is zeta w.

New here: a Python function of time and state as a controller, and vibrations of a controlled arm.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import space, view
from particlemech.view.looks import COLOURS

arm = pm.models.load("two_link_flexible")
TARGET, KP = 0.6, 20.0  # rad, N m/rad


def controlled(kd, start=0.0):
    """Return the arm with a controller in place of its motor."""

    def torque(t, state):
        return KP * (TARGET - state.coordinate("shoulder")) - kd * state.rate("shoulder")

    motor = space.forces.Custom(joint="shoulder", function=torque)
    return arm.replaced(forces={"motor": motor}, initial={"position": {"shoulder": start}})


def slowest(kd):
    """Return the rate, 1/s, at which the slowest of the natural motions about the target dies out."""
    found = pm.modes(controlled(kd, start=TARGET), loads=True)
    return np.min(found.damping * found.omega)


gains = np.geomspace(0.5, 50.0, 13)  # N m s/rad
rates = np.array([slowest(kd) for kd in gains])
best = gains[np.argmax(rates)]
results = {
    word: pm.simulate(controlled(factor * best), duration=3.0, samples=301, rtol=1e-6)
    for word, factor in (("weak", 0.2), ("best", 1.0), ("firm", 5.0))
}


def stored(run):
    """Return the energy of the arm and of the spring that kp is, J; the controller never adds to it."""
    return run.energy.total + 0.5 * KP * (run.coordinate("shoulder") - TARGET) ** 2


swing = {word: np.linalg.norm(run.elastic("tip")[run.t > 2.0], axis=1).max() for word, run in results.items()}  # m
gain = max(np.diff(stored(run)).max() / stored(run)[0] for run in results.values())  # as a fraction; 0 but for errors


def show():
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12.0, 3.9), layout="constrained")
    left.loglog(gains, rates, "o-", color="#8a949e", lw=1.4, ms=4.0)
    left.axvline(best, color="#c5ccd3", lw=0.8, ls=":")
    left.set(xlabel="kd [N m s/rad]", ylabel="slowest rate of decay [1/s]")
    for k, (word, run) in enumerate(results.items()):
        middle.plot(run.t, np.degrees(run.coordinate("shoulder")), color=COLOURS[k], lw=1.5, label=word)
        right.plot(run.t, 1e3 * run.elastic("tip")[:, 1], color=COLOURS[k], lw=1.2)
    middle.axhline(np.degrees(TARGET), color="#c5ccd3", lw=0.8, ls=":")
    middle.set(xlabel="time [s]", ylabel="shoulder [°]")
    middle.legend(frameon=False, fontsize=9)
    right.set(xlabel="time [s]", ylabel="elastic part of the tip, y [mm]")
    for ax in (left, middle, right):
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e8ebee", lw=0.7)
    return figure


if __name__ == "__main__":
    print(f"the slowest motion dies out fastest, with {rates.max():.3f}/s, at kd = {best:.3f} N m s/rad")
    for word, run in results.items():
        off = np.degrees(run.coordinate("shoulder")[-1] - TARGET)
        print(f"{word}: {off:+.4f}° off after 3 s, the tip still swings by {1e3 * swing[word]:.3f} mm")
    print(f"largest gain of stored energy between samples: {gain:.1e} of what there was")
    view.display(show(), *sys.argv[1:])
