"""How tight must a belt be so that it does not slip while a motor starts a fan and stops it again?

The belt of two pulleys on fixed centres moves as if it were rigid, so only the difference of its two tensions follows
from the motion: D = 20 N m/0.15 m = 133.3 N at 150 rad/s of the motor, halfway, where nothing gets faster and the fan
takes 20 N m. The mean of both is the pretension T. A belt with friction mu holds on a pulley that it wraps by the angle
a while (Euler, Eytelwein)

    (T + D/2)/(T - D/2) < exp(mu a),      T > D/2 (exp(mu a) + 1)/(exp(mu a) - 1)

The small pulley is wrapped by a = pi - 2 asin(0.09/0.6) = 2.8405 rad, so with mu = 0.3 a pretension of 165.8 N holds
there. Earlier, while the fan gets faster, it takes more.

New here: a belt, its pretension, and the tension of each strand.
"""

import math
import sys

import numpy as np

import particlemech as pm
from particlemech import view

mu, apart, small, large, drag = 0.3, 0.6, 0.06, 0.15, 20.0
wheels = {"motor": (0.0, 0.0), "fan": (apart, 0.0)}
mechanism = pm.Mechanism(
    name="Belt drive",
    points={"M": wheels["motor"], "F": wheels["fan"]},
    bodies={
        "motor": pm.Body(points=("M",), com=wheels["motor"], mass=5.0, inertia=0.01),
        "fan": pm.Body(points=("F",), com=wheels["fan"], mass=20.0, inertia=0.3),
    },
    joints={
        "M": pm.joints.Revolute(point="M", bodies=("ground", "motor")),
        "F": pm.joints.Revolute(point="F", bodies=("ground", "fan")),
        "belt": pm.joints.Belt(pulleys=("motor", "fan"), points=("M", "F"), radii=(small, large), pretension=200.0),
    },
    # the motor's speed is 150 sin(pi t/2)^2 rad/s; the drag of the fan grows with its own
    drivers={
        "start": pm.drivers.Rotation(bodies=("ground", "motor"), motion=pm.signals.Cycloid(end=150.0, duration=2.0))
    },
    forces={"drag": pm.forces.Torsion(bodies=("ground", "fan"), damping=drag / (150.0 * small / large))},
)
result = pm.simulate(mechanism, duration=2.0, samples=401)

below, above = result.force("belt", "strand1"), result.force("belt", "strand2")  # N
wrap = math.pi - 2.0 * math.asin((large - small) / apart)
grip = math.exp(mu * wrap)
needed = 0.5 * np.abs(above - below) * (grip + 1.0) / (grip - 1.0)  # N, at every instant
halfway = needed[200]


def show():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.2), layout="constrained")
    view.mechanism(mechanism, ax=left, arrows=())
    for force, name, style in ((above, "upper strand", "-"), (below, "lower strand", "-"), (needed, "needed", "--")):
        right.plot(result.t, force, style, label=name)
    right.set(xlabel="t [s]", ylabel="tension [N]")
    right.set_title(f"{np.max(needed):.1f} N is enough, {halfway:.1f} N halfway", fontsize=12)
    right.spines[["top", "right"]].set_visible(False)
    right.grid(color="#e8ebee", lw=0.7)
    right.legend(frameon=False, fontsize=9)
    return figure


if __name__ == "__main__":
    print(f"pretension of {np.max(needed):.4f} N at most, {halfway:.4f} N halfway")
    view.display(show(), *sys.argv[1:])
