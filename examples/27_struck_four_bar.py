"""A hammer strikes a four-bar at rest: how fast does it set out, and what do its bearings feel?

As drawn, the crank (a = 0.1 m, upright) and the rocker (c = 0.3 m, upright) carry the coupler without turning it. Per
unit of the crank's speed A and B move with a, the rocker turns with a/c = 1/3, and the inertia that the crank feels is

    I = m1 a^2/3 + m2 a^2 + m3 c^2/3 (a/c)^2 = 1/600 + 8/1000 + 2/1000 = 7/600 kg m^2

An impulse of P = 0.1 N s on B, along the way that B can go, gives the crank omega = P a/I = 6/7 rad/s and does the work
P a omega/2 = 3/700 J. Without gravity the linkage turns on with that energy.

New here: an impulse in a closed loop, the jump of all speeds, and the impulses in the joints.
"""

import sys

import particlemech as pm
from particlemech import view

hammer = pm.Impulse(time=0.5, body="coupler", point="B", impulse=(-0.1, 0.0))
mechanism = pm.models.load("four_bar").replaced(
    gravity=(0.0, 0.0), initial=pm.Initial(), impulses={"hammer": hammer}, run={"duration": 10.0, "samples": 501}
)
result = pm.simulate(mechanism)
struck = pm.impulse(result, t=0.5)  # the impulse of the model at that time
speed, energy = struck.jumps["crank.omega"], struck.work  # rad/s, J
bearings = {name: struck.reaction(name, on=body) for name, body in (("O", "crank"), ("C", "rocker"))}  # N s


def show():
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
    for body in mechanism.bodies:
        ax.plot(result.t, result.omega(body), label=body)
    ax.axvline(hammer.time, color="#2b3440", lw=0.8, ls=":")
    ax.annotate("blow", (hammer.time, 0.0), (6, -14), textcoords="offset points", fontsize=9)
    ax.set(xlabel="t [s]", ylabel="angular velocity [rad/s]")
    ax.set_title(f"A blow of 0.1 N s sets the crank off with {speed:.4f} rad/s", fontsize=12)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#e8ebee", lw=0.7)
    ax.legend(frameon=False, fontsize=9)
    return figure


if __name__ == "__main__":
    print(f"crank {speed:.9f} rad/s, work {energy:.9f} J")
    print("impulses of the bearings:", ", ".join(f"{name} {x:.5f} {y:.5f} N s" for name, (x, y) in bearings.items()))
    view.display(show(), *sys.argv[1:])
