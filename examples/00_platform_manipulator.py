"""A platform on three two-link arms, let go under its weight with 10 N pulling its centre to the right.

Seven bodies, nine pins, two closed loops, three degrees of freedom: the example of the method's source. Nothing about
this motion is known in closed form, but two things must hold along it. The pull F = 10 N is constant, so its work is

    W(t) = F (x_P(t) - x_P(0))

and the same motion must come out of equations that share nothing with these: formulation="absolute".
"""

import sys

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("platform_manipulator")
result = pm.simulate(mechanism, duration=0.6)

centre = result["P"][-1]  # where the centre of the platform has got to, m
work = result.energy.work[-1]  # of the pull, J


def show():
    figure = view.motion(result, points=["P"], ghosts=4)
    figure.axes[0].set_title("Platform manipulator let go: path of its centre, 0 to 0.6 s")
    return figure


def film(path):
    return view.animate(result, path, speed=0.2, points=["P"], arrows=["load"], dpi=60)


if __name__ == "__main__":
    print(f"centre after 0.6 s: ({centre[0]:.6f}, {centre[1]:.6f}) m; work of the pull {work:.6f} J")
    if sys.argv[1:] and sys.argv[1].endswith((".gif", ".mp4")):
        film(sys.argv[1])
    else:
        view.display(show(), *sys.argv[1:])
