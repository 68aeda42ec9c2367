"""A rod on a hinge falls over and overtakes a ball dropped from beside its tip.

The rod starts at psi0 from the upright. By energy, (1/6) l psi'^2 = (g/2) (cos(psi0) - cos(psi)), so it lies flat after

    t = integral from psi0 to pi/2 of dpsi / sqrt((3 g/l) (cos(psi0) - cos(psi)))

while the ball needs sqrt(2 l cos(psi0)/g). Where sin(psi0)^2 > 2/3 the tip starts down with more than g.

A brake that is switched on at psi1 and gives M = m g (l/2) (cos(psi0) - cos(psi2))/(psi2 - psi1) stops it at psi2.

New here: events. Their zeros are found to the accuracy of the run; a terminal one ends it. Actions are events of the
model: when a condition becomes true, here a signal is switched and a joint is locked.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

psi0 = np.radians(55.0)
height = np.cos(psi0)  # m, of the tip of a rod of 1 m
mechanism = pm.models.load("pendulum").replaced(
    name="Falling rod", points={"P": (np.sin(psi0), height)}, check={"end": {}}
)


def flat(t, state):
    return state["P"][1]


def fast(t, state):
    return np.hypot(*state.velocity("P")) - 3.0


result = pm.simulate(
    mechanism,
    duration=1.0,
    samples=501,
    events={"flat": pm.Event(flat, terminal=True, direction=-1), "3 m/s": fast},
)

psi1, psi2 = np.radians([70.0, 85.0])
brake = 9.81 / 2 * (height - np.cos(psi2)) / (psi2 - psi1)  # N m, of a rod of 1 kg and 1 m
caught = pm.simulate(
    mechanism.replaced(
        forces={"brake": pm.forces.Motor(joint="O", effort=0.0)},
        events={
            "on": pm.Action(when="O.angle < -15 deg", do="switch signal", of="brake", to=brake),
            "latch": pm.Action(when="O.angle_rate > 0 rad/s", do="lock joint", joint="O"),
        },
    ),
    duration=2.0,
    samples=201,
)

fall_time = result.t[-1]  # s
ball_time = np.sqrt(2.0 * height / 9.81)  # s


def show():
    figure = view.series(result, ["P.y"])
    (ax,) = figure.axes
    t = np.linspace(0.0, ball_time, 100)
    ax.plot(t, height - 0.5 * 9.81 * t**2, "--", color=view.plot.COLOURS[1], lw=1.6, label="ball")
    ax.lines[0].set_label("tip of the rod")
    (passing,) = result.events["3 m/s"].t
    ax.axvline(passing, color="#8a949e", lw=0.8, ls=":")
    ax.annotate("tip reaches 3 m/s", (passing, 0.92 * height), xytext=(-5, 0), textcoords="offset points", ha="right")
    ax.set(ylabel="height [m]", ylim=(0.0, None), xlim=(0.0, 1.03 * ball_time))
    ax.legend(frameon=False, fontsize=9, loc="lower left")
    return figure


if __name__ == "__main__":
    print(f"{result.message}; the ball needs {ball_time:.6f} s")
    for one in caught.switches:
        print(f"{one.part}: {one.what} at t = {one.t:.6f} s")
    view.display(show(), *sys.argv[1:])
