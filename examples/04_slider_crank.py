"""An engine started from its dead centre by a constant torque on the crank.

With one degree of freedom the energy alone decides: if I(theta) is the inertia of everything seen from the crank,

    I(theta) omega^2 / 2 = tau theta,      t = integral of dtheta / omega

I(theta) follows from where the rod and the slider are: x_B = r cos(theta) + sqrt(l^2 - r^2 sin(theta)^2).

New here: a slide, a torque, and angles that count full turns.
"""

import sys

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("slider_crank")
result = pm.simulate(mechanism)

crank_angle = result.angle("crank")[-1]  # rad, after 1 s


def show():
    return view.series(result, ["crank.angle", "crank.omega", "B.x"])


if __name__ == "__main__":
    print(f"after {result.t[-1]:g} s the crank has turned {crank_angle:.8f} rad")
    view.display(show(), *sys.argv[1:])
