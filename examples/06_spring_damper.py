"""A carriage on a rail between a wall and nothing: spring and damper side by side.

    m x'' + d x' + k x = 0      =>      x(t) = x0 exp(-D t) (cos(w t) + (D/w) sin(w t))
    D = d/(2 m),   w^2 = k/m - D^2,   one swing is smaller than the last by exp(-2 pi D/w)

New here: a model given as text, a spring with damping and the force in it, a body on a rail.
"""

import sys

import numpy as np
from scipy.interpolate import CubicSpline

import particlemech as pm
from particlemech import view
from particlemech.model import toml

mechanism = toml.loads("""
name = "Carriage on a spring"

[points]
wall = [0.0, 0.0]
C = [0.6, 0.0]

[bodies]
carriage = { points = ["C"], mass = 2.0, com = [0.6, 0.0], inertia = 0.01 }

[joints]
rail = { type = "prismatic", bodies = ["ground", "carriage"], point = "C", axis = [1.0, 0.0] }

[forces.spring]
type = "spring"
bodies = ["ground", "carriage"]
points = ["wall", "C"]
stiffness = 200.0
damping = 4.0
length = 0.4
""")
result = pm.simulate(mechanism, duration=3.0)

x = result["C"][:, 0] - 0.4  # m, from the place where the spring is at rest
spline = CubicSpline(result.t, x)
peaks = spline(spline.derivative().roots(extrapolate=False))
peaks = peaks[peaks > 0.0]
decrement = np.log(peaks[0] / peaks[1])  # logarithmic decrement
pull = result.force("spring")  # N, of spring and damper together; positive: it pulls the carriage towards the wall


def show():
    import matplotlib.pyplot as plt

    figure, (above, below, last) = plt.subplots(
        3, 1, figsize=(7.0, 6.6), height_ratios=[1, 2, 1.2], layout="constrained"
    )
    view.mechanism(mechanism, ax=above)
    below.plot(result.t, x, color=view.plot.COLOURS[0], lw=1.8, label="computed")
    below.plot(result.t, 0.2 * np.exp(-result.t), "--", color=view.plot.COLOURS[1], lw=1.2, label="0.2 m exp(-D t)")
    below.set(ylabel="distance from rest [m]", xlim=(0.0, 3.0))
    below.legend(frameon=False, fontsize=9)
    last.plot(result.t, pull, color=view.plot.COLOURS[2], lw=1.8)
    last.set(xlabel="time [s]", ylabel="force of the spring [N]", xlim=(0.0, 3.0))
    for ax in (below, last):
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="#e8ebee", lw=0.7)
    return figure


if __name__ == "__main__":
    print(f"logarithmic decrement {decrement:.8f}")
    print(f"largest pull {pull.max():.3f} N, largest push {-pull.min():.3f} N")
    view.display(show(), *sys.argv[1:])
