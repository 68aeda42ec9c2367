"""A cylinder lifts a platform on scissors: why does it need the most pressure when the platform is down?

Arms of 2 m at an angle with the sine s put the platform at 4 m times s, and make the cylinder 2 m sqrt(1/4 + 2 s^2)
long. Where nothing accelerates, work done is work gained: F = (2 load + 4 arm) g sqrt(1/4 + 2 s^2)/(2 s). That is
9305.3 N on 25 cm^2, 3.7221 MPa, with the arms at 12 degrees, and falls as they rise.

New here: a driver of a distance with an area is a cylinder, and tells its pressure.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("scissor_lift")
result = pm.simulate(mechanism)

pressure = result.pressure("cylinder")
height = result["A2"][:, 1]
s = height / 4.0
static = (2.0 * 300.0 + 4.0 * 20.0) * 9.81 * np.sqrt(0.25 + 2.0 * s**2) / (2.0 * s) / 25e-4


def show():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
    view.mechanism(mechanism, ax=left, arrows=())
    right.plot(height, pressure / 1e6, label="as it lifts")
    right.plot(height, static / 1e6, ls="--", lw=1.0, color="#8a9199", label="if it stood there")
    right.set(xlabel="height of the platform [m]", ylabel="pressure [MPa]")
    right.set_title(f"from {pressure[0] / 1e6:.4f} to {pressure[-1] / 1e6:.4f} MPa", fontsize=12)
    right.spines[["top", "right"]].set_visible(False)
    right.grid(color="#e8ebee", lw=0.7)
    right.legend(frameon=False, fontsize=9)
    return figure


if __name__ == "__main__":
    print(
        f"{pressure[0] / 1e6:.6f} MPa down at {height[0]:.4f} m, {pressure[-1] / 1e6:.6f} MPa up at {height[-1]:.4f} m"
    )
    view.display(show(), *sys.argv[1:])
