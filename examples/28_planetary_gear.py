"""A planetary gear raises the torque of a motor: how fast is its carrier, and what does the pin of the planet carry?

Sun, planet and ring have 24, 18 and 60 teeth of 2 mm. The planet rolls in the fixed ring, so one turn of the carrier
takes (24 + 60)/24 = 3.5 turns of the sun (Willis), and at constant speed a load of 10.5 N m on the carrier takes 3 N m
on the sun. Its teeth, 24 mm from the centre, then carry 3/0.024 = 125 N; those of the ring carry as much on the other
side of the planet, both the same way, and the pin 250 N to balance them. The radial parts, 125 tan 20 = 45.5 N, press
on the planet from both sides and cancel. A ratio of angles alone gives the right speeds and no force on the pin.

New here: gears, the forces of their teeth, and what bearings carry of them.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

mechanism = pm.models.load("planetary_gear").replaced(
    name="Planetary gear at constant speed",
    parameters={"load": 10.5},
    forces={"motor": None},
    drivers={"motor": pm.drivers.Rotation(bodies=("ground", "sun"), motion=pm.signals.Linear(rate=70.0))},
)
result = pm.simulate(mechanism, duration=2.0 * np.pi * 3.5 / 70.0, samples=181)  # one turn of the carrier

ratio = result.omega("sun")[0] / result.omega("carrier")[0]
torque = result.effort("motor")  # N m
tooth, radial = result.force("inner"), result.force("inner", "radial")  # N
# what keeps the planet on its circle, m w^2 r, acts along the arm, what its teeth ask for across it
arm = result["P"] - result["O"]
across = np.stack([-arm[:, 1], arm[:, 0]], axis=1) / np.linalg.norm(arm, axis=1, keepdims=True)
pin = np.sum(result.reaction("pin", on="planet") * across, axis=1)  # N


def show():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.6), layout="constrained")
    view.mechanism(mechanism, ax=left, arrows=())
    degrees = np.degrees(result.angle("carrier"))
    for force, name in ((tooth, "teeth of the sun"), (radial, "their radial part"), (-pin, "pin, across the arm")):
        right.plot(degrees, force, label=name)
    right.set(xlabel="carrier [deg]", ylabel="force [N]", ylim=(0.0, 300.0))
    right.set_title(f"{ratio:g} turns of the sun, {torque[0]:.3g} N m, {-pin[0]:.4g} N on the pin", fontsize=12)
    right.spines[["top", "right"]].set_visible(False)
    right.grid(color="#e8ebee", lw=0.7)
    right.legend(frameon=False, fontsize=9)
    return figure


if __name__ == "__main__":
    print(f"ratio {ratio:.9f}, motor {torque[0]:.9f} N m, teeth {tooth[0]:.6f} N, pin {pin[0]:.6f} N")
    view.display(show(), *sys.argv[1:])
