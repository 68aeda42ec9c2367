"""The same arms move, but the main body is held. Which force and moment does it take?

Passerello and Huston's second problem (1972). What holds the body is all that acts on the arms from outside, so it is
the rate of their momentum and of their angular momentum about the point where the body is held:

    F = d/dt sum m_i v_i,      M = d/dt sum (r_i x m_i v_i + I_i omega_i)

New here: a joint replaced by a weld, its reaction force and moment, and a series of columns in units of the model.
"""

import sys

import numpy as np
from scipy.interpolate import CubicSpline

import particlemech as pm
from particlemech import space, view
from particlemech.model.signals import Cycloid

free = pm.models.load("space_manipulator")
duration = 4.0  # s
angles = {  # start and end, degrees: the motion S2 of the example before
    "shoulder1": ((90, 0, 0), (20, -50, 35)),
    "elbow1": ((0,), (70,)),
    "shoulder2": ((0, -90, 0), (-40, -60, -25)),
    "elbow2": ((90,), (30,)),
}
held = free.replaced(
    name="Space manipulator, main body held",
    joints={"base": space.joints.Weld(bodies=("ground", "main"), point=(0.0, 0.0, 0.0))},
    drivers={
        f"{joint} {name}": space.drivers.Coordinate(
            joint=joint, coordinate=name, motion=Cycloid(start=np.radians(a), end=np.radians(b), duration=duration)
        )
        for joint, ends in angles.items()
        for name, a, b in zip(free.joints[joint].coordinate_names, *ends, strict=True)
    },
)
result = pm.simulate(held, duration=duration, samples=801)

force = result.reaction("base", on="main")  # slug in/s^2
moment = result.moment("base", on="main")  # slug in^2/s^2
peak_force = np.max(np.linalg.norm(force, axis=1)) / 12.0  # lbf
peak_moment = np.max(np.linalg.norm(moment, axis=1)) / 12.0  # lbf in

rate = CubicSpline(result.t, result.momentum.linear)(result.t, 1)
angular_rate = CubicSpline(result.t, result.momentum.angular)(result.t, 1)
force_gap = np.max(np.abs(rate - force)) / np.max(np.abs(force))
moment_gap = np.max(np.abs(angular_rate - moment)) / np.max(np.abs(moment))


def show():
    return view.series(result, ["base.main.f", "base.main.m"])


if __name__ == "__main__":
    print(f"peak force {peak_force:.6f} lbf, peak moment {peak_moment:.5f} lbf in")
    print(f"rates of momentum differ from it by {force_gap:.1e} and {moment_gap:.1e} of the largest value")
    view.display(show(), *sys.argv[1:])
