"""A ball bounces on a floor and a rod on a stop: when do they come to rest, and what do impacts take away?

Let go from 1 m with a restitution of 0.7 it strikes the floor after T = sqrt(2 h/g) = 0.4515 s and bounces for
T (1 + e)/(1 - e) = 2.559 s in all: infinitely many bounces in a finite time. The run finds them one by one as long as
they can be told from rounding, then lets the ball rest at their limit. All of m g h = 9.81 J is work of its impacts.
A rod beside it swings on a pin against a stop with the same restitution, and keeps 0.49 of its energy each time.

New here: contacts, stops, and what `result.switches` tells of them.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

G, E = 9.81, 0.7
mechanism = pm.Mechanism(
    name="Ball on a floor, rod on a stop",
    gravity=(0.0, -G),
    points={"O": (0.0, 0.0), "C": (0.0, 1.1), "H": (1.2, 1.1), "B": (2.0, 1.1)},
    bodies={
        "ball": pm.Body(points=("C",), mass=1.0, com=(0.0, 1.1), inertia=0.004),
        "rod": pm.Body(points=("H", "B"), mass=1.0),
    },
    joints={
        "floor": pm.joints.Contact(
            bodies=("ground", "ball"), points=("O", "C"), axis=(1.0, 0.0), radius=0.1, restitution=E
        ),
        "pin": pm.joints.Revolute(point="H", bodies=("ground", "rod")),
        "wall": pm.joints.Stop(joint="pin", lower=-np.pi / 2.0, restitution=E),
    },
)
result = pm.simulate(mechanism, duration=4.0, samples=801, rtol=1e-10)

bounces = [one for one in result.switches if one.part == "floor"]
rests = next(one.t for one in bounces if one.what == "closes")
limit = np.sqrt(2.0 / G) * (1.0 + E) / (1.0 - E)
lost = sum(one.lost for one in bounces)
hits = [one for one in result.switches if one.part == "wall" and one.what == "impact"]
kept = (hits[1].before / hits[0].before) ** 2


def show():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
    view.mechanism(mechanism, ax=left, arrows=())
    right.plot(result.t, result.force("floor", "gap"), label="gap of the ball [m]")
    right.plot(result.t, result.coordinate("pin") + np.pi / 2.0, label="rod above its stop [rad]")
    right.axvline(rests, color="#8a9199", lw=0.8, ls=":")
    right.set(xlabel="time [s]", ylim=(0.0, 1.7))
    right.set_title(f"{len(bounces)} impacts, at rest after {rests:.6f} s", fontsize=12)
    right.spines[["top", "right"]].set_visible(False)
    right.grid(color="#e8ebee", lw=0.7)
    right.legend(frameon=False, fontsize=9)
    return figure


if __name__ == "__main__":
    print(f"rests after {rests:.9f} s (limit {limit:.9f} s), {lost:.9f} J lost, the rod keeps {kept:.6f} of its energy")
    view.display(show(), *sys.argv[1:])
