"""A spring shuts a door: when does it strike the frame, how hard, and what holds it shut?

With I = m b^2/3 = 6.75 kg m^2 about its hinge, a spring of 8 N m/rad wound up by 60 degrees more and a damper of
9 N m s/rad the angle follows I a'' + c a' + k (a + 60 deg) = 0 from 90 degrees on: a damped swing about -60 degrees,
which the frame cuts short at 0. What the restitution of 0.3 leaves dies away in shorter and shorter bounces; then the
spring presses the door to the frame with k 60 deg = 8.378 N m.

New here: a stop on a coordinate of a joint, and the moment by which it holds.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("door_closer")
result = pm.simulate(mechanism)

struck = [one for one in result.switches if one.what == "impact"]
first = struck[0]
rests = next(one.t for one in result.switches if one.what == "closes")
holds = result.force("frame")[-1]
angle = np.degrees(result.coordinate("hinge")) + 90.0


def show():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
    view.mechanism(mechanism, ax=left, arrows=())
    right.plot(result.t, angle)
    right.axvline(rests, color="#8a9199", lw=0.8, ls=":")
    right.set(xlabel="time [s]", ylabel="angle of the door [deg]")
    right.set_title(f"strikes at {first.t:.5f} s, shut after {len(struck)} blows at {rests:.5f} s", fontsize=12)
    right.spines[["top", "right"]].set_visible(False)
    right.grid(color="#e8ebee", lw=0.7)
    return figure


if __name__ == "__main__":
    print(f"strikes at {first.t:.9f} s with {first.before:.9f} rad/s, shut at {rests:.6f} s, held with {holds:.6f} N m")
    view.display(show(), *sys.argv[1:])
