"""A rocker shall swing through 50°. Which crank and coupler ask least of the motor?

At a dead centre crank (a) and coupler (b) lie in one line, so with frame d and rocker c the law of cosines gives

    cos(gamma) = (c^2 + d^2 - (b -+ a)^2) / (2 c d),   gamma between rocker and frame

and the swing is the difference of the two angles: along one curve in the plane of a and b it is 50°. How much torque
an even motor needs there, no formula says; a sweep over both lengths does.

New here: a sweep over two parameters of the model, with figures by name, and the variant that is best.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view

motor = pm.drivers.Coordinate(joint="O", motion=pm.signals.Linear(rate=-2.0 * np.pi))  # a turn a second
mechanism = pm.models.load("four_bar").replaced(initial=pm.Initial(), drivers={"motor": motor})
data = pm.sweep(
    mechanism,
    crank="60 mm : 110 mm : 26",
    coupler="340 mm : 500 mm : 41",
    quantities={"swing": "rocker.angle.range", "torque": "motor.effort.peak"},
    options={"duration": 1.0, "samples": 181, "rtol": 1e-7},
)
swing, torque = np.degrees(data.swing), data.torque  # (crank, coupler): °, N m
wanted = 50.0  # °

# on the line of each crank: the coupler that swings the rocker so far, and the torque there
turns = np.isfinite(torque.values)  # the others lock: a + b is longer than c + d
rows = list(zip(turns, swing.values, torque.values, strict=True))
couplers = np.array([np.interp(wanted, s[ok], data.coupler[ok], np.nan, np.nan) for ok, s, _ in rows])
torques = np.array([np.interp(b, data.coupler[ok], m[ok]) for b, (ok, _, m) in zip(couplers, rows, strict=True)])
best = int(np.nanargmin(torques))
crank, coupler = float(data.crank[best]), float(couplers[best])  # m
chosen = mechanism.with_parameters(crank=crank, coupler=coupler)


def exact(a, b, c=0.3, d=0.3):
    """Return the swing by the law of cosines, °."""
    inner, outer = (np.arccos((c * c + d * d - (b + s * a) ** 2) / (2.0 * c * d)) for s in (-1.0, 1.0))
    return np.degrees(outer - inner)


def show():
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
    shown = ax.pcolormesh(1e3 * data.crank, 1e3 * data.coupler, torque.T, shading="nearest", norm="log")
    figure.colorbar(shown, label="largest torque of the motor [N m]")
    lines = ax.contour(
        1e3 * data.crank, 1e3 * data.coupler, swing.T, levels=[40, wanted, 60], colors="white", linewidths=[1, 2.2, 1]
    )
    ax.clabel(lines, fmt="%g°")
    ax.text(109, 496, "locks", ha="right", va="center", fontsize=9)
    ax.plot(1e3 * crank, 1e3 * coupler, "o", color=view.plot.COLOURS[1], ms=9, mec="white")
    ax.set(xlabel="crank [mm]", ylabel="coupler [mm]")
    ax.set_title(f"{data.status.size} four-bars: {wanted:g}° with the least torque, {np.nanmin(torques):.2f} N m")
    return figure


if __name__ == "__main__":
    print(f"{data.status.size} variants, {int((data.status == 'completed').sum())} completed")
    print(f"crank {1e3 * crank:.1f} mm, coupler {1e3 * coupler:.2f} mm: {np.nanmin(torques):.4f} N m at most")
    print(f"its swing by the law of cosines: {exact(crank, coupler):.3f}°")
    view.display(show(), *sys.argv[1:])
