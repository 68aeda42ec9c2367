"""The arm of Graves and Tesar's report: what a step and two cyclic loads at its tip do to it, in two configurations.

Links 2 and 3 bend in two cubics along y and two along z, and twist; joints are held, the spacecraft translates. At
rest, the linear equations M q'' + K q = f of a step f have the answer

    q = sum over modes of s (s.f)/w^2 (1 - cos(w t))          K s = w^2 M s,  s.M s = 1

so that every coordinate shows what part of its motion has which frequency. The report saw "frequencies around 3 Hz" in
configuration #1 (all joints at 0) and "on the order of 0.1 Hz" in #2 (elbow at 90°); example 23 finds out why. Loads of
this size are no longer small: in #2 they twist link 2, and what is linear no longer fits.

New here: a model in feet and slugs, loads as signals, another configuration; and what a frequency contributes.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech import view
from particlemech.model.signals import Constant, Sine
from particlemech.view.looks import COLOURS

arm = pm.models.load("rms_flexible")
configurations = {"#1": arm, "#2": arm.replaced(drivers={"hold3": {"motion": Constant(value=0.5 * np.pi)}})}
modes = {name: pm.modes(m) for name, m in configurations.items()}


def cyclic(m, size, frequency):
    """Return a model under a cyclic force and moment along each global axis."""
    wave = Sine(amplitude=size, frequency=frequency)
    return m.replaced(forces={"step": {"force": (wave,) * 3}, "twist": {"torque": (wave,) * 3}})


step, fast, slow = {}, {}, {}
for name, m in configurations.items():
    step[name] = pm.simulate(m, duration=4.0, samples=801)  # 1000 lbf, 1000 lbf ft
    fast[name] = pm.simulate(cyclic(m, 100.0, 3.18), duration=4.0, samples=801, rtol=1e-6)
    slow[name] = pm.simulate(cyclic(m, 1000.0, 0.318), duration=8.0, samples=801, rtol=1e-6)


def parts(name, coordinate):
    """Return frequencies, Hz, and the amplitude of each in one coordinate after the step, ft, if all were linear.

    Modes of one frequency, as those along y and z of a straight arm, count as one: which two they are is arbitrary.
    """
    found, run = modes[name], step[name]
    off = [run.com_acceleration("craft")[0], *(run.modal_second_rate(link)[0] for link in ("link2", "link3"))]
    f = found.linear.M @ np.concatenate(off)  # it sets off from rest with M^-1 f
    moves = found.omega > 1.0  # all but the spacecraft, which comes to no end
    shapes, omega = found.shapes[:, moves].real, found.omega[moves]
    each = shapes[found.coordinates.index(coordinate)] * (shapes.T @ f) / omega**2
    first = np.flatnonzero(np.diff(omega, prepend=0.0) > 1e-5 * omega)
    return found.frequency[moves][first], np.add.reduceat(each, first)


def linear(name, coordinate):
    """Return one coordinate after the step by the linear equations, ft."""
    frequency, amplitude = parts(name, coordinate)
    return (1.0 - np.cos(2.0 * np.pi * np.outer(step[name].t, frequency))) @ amplitude


firsts = {f"{link}.{q}": (link, int(q[1]) - 1) for link in ("link2", "link3") for q in ("q1", "q3")}  # along y, along z
lowest = modes["#1"].frequency[3]  # Hz; the first three are those of the spacecraft, 0
misfit = {
    name: max(np.abs(linear(name, c) - step[name].modal(link)[:, k]).max() for c, (link, k) in firsts.items())
    for name in configurations
}  # ft, of what the equations without linearisation say


def show():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(12.0, 5.6), layout="constrained", sharex="col")
    loads = {"step, 1000 lbf": step, "100 lbf at 3.18 Hz": fast, "1000 lbf at 0.318 Hz": slow}
    for column, (title, runs) in enumerate(loads.items()):
        for row, name in enumerate(configurations):
            ax = axes[row, column]
            for n, (coordinate, (link, k)) in enumerate(firsts.items()):
                ax.plot(runs[name].t, runs[name].modal(link)[:, k], color=COLOURS[n], lw=1.3, label=coordinate)
            ax.set_title(f"{name}: {title}", fontsize=10)
            ax.spines[["top", "right"]].set_visible(False)
            ax.grid(color="#e8ebee", lw=0.7)
        axes[1, column].set_xlabel("time [s]")
    for row in (0, 1):
        axes[row, 0].set_ylabel("first modes [ft]")
    axes[0, 2].legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


if __name__ == "__main__":
    for name in configurations:
        print(
            f"{name}: lowest frequencies {', '.join(f'{f:.4f}' for f in modes[name].frequency[3:8])} Hz; after the step"
        )
        for coordinate in firsts:
            frequency, amplitude = parts(name, coordinate)
            largest = np.argsort(-np.abs(amplitude))[:2]
            said = (f"{amplitude[k]:+.4f} ft at {frequency[k]:.4f} Hz" for k in largest)
            print(f"  {coordinate}   {',  '.join(said)}")
        print(f"  the linear equations are off by up to {misfit[name]:.1e} ft")
    view.display(show(), *sys.argv[1:])
