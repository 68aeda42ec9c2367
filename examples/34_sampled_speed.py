"""How slow may a controller be? A flywheel shall turn at 10 rad/s, and its speed is measured only every h seconds.

Between two instants the torque kp (r - w) is held, so the speed is a straight line, and from instant to instant

    w -> w + h kp (r - w)/J,       r - w is multiplied by  1 - h kp/J

A continuous controller takes this error away as exp(-t kp/J), whatever its gain. A sampled one does it in a single step
where h = J/kp, swings for ever where h is twice as long, and beyond feeds what it should damp. Its motor is limited
besides, so that even then the speed grows no further than the torque allows.

New here: a controller that measures at instants, what it holds between them, and its limits.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import Body, Mechanism, forces, joints, view
from particlemech.view.looks import COLOURS

J, KP, SPEED = 0.02, 0.4, 10.0  # kg m^2, N m s/rad, rad/s
T = J / KP  # s
FACTORS = (0.5, 1.0, 1.5, 2.0, 2.1)


def flywheel(period=None, **keys):
    """Return a flywheel whose speed is held by a controller, continuous or with a period, s."""
    speed = forces.Pid(joint="O", sensor="O.angle_rate", setpoint=SPEED, kp=KP, period=period, **keys)
    return Mechanism(
        name="flywheel",
        points={"O": (0.0, 0.0)},
        bodies={"wheel": Body(points=("O",), com=(0.0, 0.0), mass=2.0, inertia=J)},
        joints={"O": joints.Revolute(point="O", bodies=("ground", "wheel"))},
        forces={"speed": speed},
    )


def run(period=None, **keys):
    return pm.simulate(flywheel(period, **keys), duration=12.0 * T, samples=1201, rtol=1e-9)


continuous = run()
sampled = {factor: run(factor * T) for factor in FACTORS}
limited = run(3.0 * T, limits=[-5.0, 5.0])


def error(result, t):
    """Return r - w at a time between two instants, as a fraction of r."""
    return 1.0 - np.interp(t, result.t, result.rate("O")) / SPEED


at_once = error(sampled[1.0], 5.5 * T)  # 0
growth = error(sampled[2.1], 2 * 2.1 * T) / error(sampled[2.1], 2.1 * T)  # -1.1
swing = np.ptp(sampled[2.0].rate("O"))  # rad/s, from 0 to 20


def show():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.0), layout="constrained")
    left.plot(continuous.t / T, continuous.rate("O"), color="#8a949e", lw=1.4, ls="--", label="continuous")
    for colour, (factor, result) in zip(COLOURS, sampled.items(), strict=False):
        left.plot(result.t / T, result.rate("O"), color=colour, lw=1.4, label=f"h = {factor:g} J/kp")
    left.set(xlabel="time / (J/kp)", ylabel="speed [rad/s]")
    left.legend(frameon=False, fontsize=8, ncols=2)
    right.plot(limited.t / T, limited.force("speed"), color=COLOURS[0], lw=1.4, label="torque [N m], at most 5")
    right.plot(limited.t / T, limited.rate("O"), color=COLOURS[1], lw=1.4, label="speed [rad/s]")
    right.set(xlabel="time / (J/kp)", title="h = 3 J/kp, with limits")
    right.legend(frameon=False, fontsize=9)
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e8ebee", lw=0.7)
    return figure


if __name__ == "__main__":
    print(f"h = J/kp = {T:g} s: after one period {at_once:.1e} of the error is left")
    print(f"h = 2 J/kp: the speed swings for ever, by {swing:.6f} rad/s")
    print(f"h = 2.1 J/kp: the error is multiplied by {growth:.6f} each period")
    view.display(show(), *sys.argv[1:])
