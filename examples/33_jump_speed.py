"""A spring holds a flat follower on its cam: how fast may the cam turn before the follower jumps?

A harmonic lift of 2e = 20 mm over half a turn, and back over the other, is an eccentric circle: s = e (1 - cos wt). At
its top the follower of 0.5 kg is pulled back by its weight and by the spring, 4.905 + 40 + 2 * 20 = 84.905 N, and asks
for m e w^2. So the contact force vanishes there at w = sqrt(84.905/(0.5 * 0.01)) = 130.3 rad/s, 1244 rpm. What it is on
the way shows that nothing else comes first. A tenth faster the follower flies, up to 1.6 mm above its cam.

New here: cams, their contact forces, and a follower that lifts off, flies and lands.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import Body, Mechanism, drivers, forces, joints, signals, view

E, BASE, MASS, SPRING, PRELOAD = 0.01, 0.03, 0.5, 2000.0, 40.0  # m, m, kg, N/m, N
JUMP = np.sqrt((MASS * 9.81 + PRELOAD + 2.0 * SPRING * E) / (MASS * E))  # rad/s


def machine(speed):
    """Return the cam at a speed, rad/s."""
    return Mechanism(
        name="Eccentric cam",
        gravity=(0.0, -9.81),
        points={"O": (0.0, 0.0), "F": (0.0, BASE), "T": (0.0, 0.08), "S": (0.0, 0.13), "M": (0.02, 0.0)},
        bodies={
            "cam": Body(points=("O", "M"), com=(0.0, -E), mass=0.8, inertia=4e-4),
            "follower": Body(points=("F", "T"), mass=MASS),
        },
        joints={
            "shaft": joints.Revolute(point="O", bodies=("ground", "cam")),
            "guide": joints.Prismatic(point="T", bodies=("ground", "follower"), axis=(0.0, 1.0)),
            "cam": joints.Cam(
                bodies=("cam", "follower"),
                points=("O", "F"),
                follower="flat",
                axis=(0.0, 1.0),
                angles=(np.pi, 2.0 * np.pi),
                lift=(2.0 * E, 0.0),
                law="harmonic",
                closure="force",
            ),
        },
        forces={
            "spring": forces.Spring(
                bodies=("ground", "follower"), points=("S", "T"), stiffness=SPRING, length=0.05 + PRELOAD / SPRING
            )
        },
        drivers={"motor": drivers.Coordinate(joint="shaft", motion=signals.Linear(rate=speed))},
    )


runs = {
    share: pm.simulate(machine(share * JUMP), duration=2.0 * np.pi / (share * JUMP), samples=361)
    for share in (0.5, 0.8, 1.0, 1.1)
}
least = {share: result.force("cam").min() for share, result in runs.items()}  # N
flight = runs[1.1].force("cam", "gap").max()  # m
profile = pm.profile(machine(JUMP))


def show():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
    view.mechanism(machine(JUMP), ax=left, arrows=())
    for share, result in runs.items():
        rpm = share * JUMP * 30.0 / np.pi
        right.plot(np.degrees(result.angle("cam")), result.force("cam"), label=f"{rpm:.0f} rpm")
    right.axhline(0.0, color="#8a929b", lw=0.8)
    right.set(xlabel="cam [deg]", ylabel="contact force [N]")
    right.set_title(f"it jumps from {JUMP * 30.0 / np.pi:.0f} rpm on", fontsize=12)
    right.spines[["top", "right"]].set_visible(False)
    right.grid(color="#e8ebee", lw=0.7)
    right.legend(frameon=False, fontsize=9)
    return figure


if __name__ == "__main__":
    print(
        f"jump speed {JUMP * 30.0 / np.pi:.3f} rpm, least force there {least[1.0]:.2e} N, flight {1e3 * flight:.3f} mm"
    )
    print(*runs[1.1].warnings, sep="\n")
    view.display(show(), *sys.argv[1:])
