"""A satellite moves its two arms; nothing holds it. Where does its main body go, and how far does it turn?

All arm angles follow Passerello and Huston's law (1972, (5.1)) from their start a to their end b within T:

    x(t) = a + (b - a) (t/T - sin(2 pi t/T)/(2 pi))

Nothing acts from outside, so momentum and angular momentum stay zero, and the main body must give way:

    sum m_i v_i = 0,      sum (r_i x m_i v_i + I_i omega_i) = 0

The moments that the joints need for this come out too. Given to the joints of an undriven model as functions of time,
they must make the same motion: forward dynamics undoes inverse dynamics.

New here: a tree in space, units of its own, drivers of angles of a ball joint, and motors in joints.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import space, view
from particlemech.model.signals import Cycloid, Table

free = pm.models.load("space_manipulator")
start = {"shoulder1": (90, 0, 0), "elbow1": (0,), "shoulder2": (0, -90, 0), "elbow2": (90,)}  # degrees
ends = {  # duration, s, and degrees
    "S1": (10.0, {"shoulder1": (45, -45, 0), "elbow1": (45,), "shoulder2": (45, -45, 0), "elbow2": (45,)}),
    "S2": (4.0, {"shoulder1": (20, -50, 35), "elbow1": (70,), "shoulder2": (-40, -60, -25), "elbow2": (30,)}),
}


def drivers(motion):
    """Return the eight drivers of a motion."""
    duration, end = ends[motion]
    return {
        f"{joint} {name}": space.drivers.Coordinate(
            joint=joint,
            coordinate=name,
            motion=Cycloid(start=np.radians(a), end=np.radians(b), duration=duration),
        )
        for joint in start
        for name, a, b in zip(free.joints[joint].coordinate_names, start[joint], end[joint], strict=True)
    }


results = {
    motion: pm.simulate(free.replaced(drivers=drivers(motion)), duration=duration, rtol=1e-10)
    for motion, (duration, _) in ends.items()
}
displacement = {motion: result.coordinate("base")[-1, :3] for motion, result in results.items()}  # in
turn = {motion: 2.0 * np.arccos(abs(result.quaternion("main")[-1, 0])) for motion, result in results.items()}  # rad
largest_momentum = max(np.max(np.abs(part)) for result in results.values() for part in result.momentum)


def motors(result):
    """Return motors that give the joints of an arm what the drivers of a run gave."""
    found = {}
    for joint in ("shoulder1", "shoulder2"):
        moment = result.transmitted(joint, on=free.joints[joint].second).moment  # global axes
        in_main = np.einsum("kij,ki->kj", result.orientation("main"), moment)  # axes of the parent
        found[joint] = space.forces.Motor(
            joint=joint, moment=tuple(Table(t=result.t, value=m, interpolation="smooth") for m in in_main.T)
        )
    for joint in ("elbow1", "elbow2"):
        effort = Table(t=result.t, value=result.generalised_force(joint), interpolation="smooth")
        found[joint] = space.forces.Motor(joint=joint, effort=effort)
    return {f"motor of {joint}": motor for joint, motor in found.items()}


redone = {
    motion: pm.simulate(free.replaced(forces=motors(result)), duration=ends[motion][0], rtol=1e-10)
    for motion, result in results.items()
}
difference = max(np.max(np.abs(redone[motion].com("main") - result.com("main"))) for motion, result in results.items())


def show():
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(2, 2, sharex="col", sharey="row", figsize=(8.0, 5.2), layout="constrained")
    for (motion, result), (above, below) in zip(results.items(), grid.T, strict=True):
        base, again = result.coordinate("base"), redone[motion].coordinate("base")
        base[:, 3:], again[:, 3:] = np.degrees(base[:, 3:]), np.degrees(again[:, 3:])
        for k, ax in enumerate([above] * 3 + [below] * 3):
            label = "xyz"[k] if k < 3 else f"angle {k - 2}"
            ax.plot(result.t, base[:, k], color=view.plot.COLOURS[k % 3], lw=1.8, label=label)
            ax.plot(result.t[::25], again[::25, k], ".", color=view.plot.COLOURS[k % 3], ms=5)
            ax.spines[["top", "right"]].set_visible(False)
            ax.grid(color="#e8ebee", lw=0.7)
        above.set_title(f"{motion}: arms move for {ends[motion][0]:g} s", fontsize=10)
        below.set(xlabel="time [s]", xlim=(0.0, result.t[-1]))
    grid[0, 0].set_ylabel("displacement of main body [in]")
    grid[1, 0].set_ylabel("rotation of main body [°]")
    for ax in grid[:, 1]:
        ax.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.suptitle("Free manipulator: arms prescribed (lines), driven by their own moments (dots)", fontsize=12)
    return figure


if __name__ == "__main__":
    for motion in results:
        x, y, z = displacement[motion]
        print(
            f"{motion}: main body moves by ({x:.6f}, {y:.6f}, {z:.6f}) in and turns by {np.degrees(turn[motion]):.4f}°"
        )
    print(f"largest momentum {largest_momentum:.1e} slug in/s; forward dynamics differs by {difference:.1e} in")
    view.display(show(), *sys.argv[1:])
