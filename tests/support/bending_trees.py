"""Mechanisms in space with bending bodies anywhere: branches, spherical joints, sub-links, loops; all in motion."""

import numpy as np

from particlemech.model.signals import Sine
from particlemech.model.space import Body, Mechanism, drivers, forces, joints
from tests.support import bending_loops
from tests.support.flexible_chains import MODES, bent_chain

BEAM = {"density": 1.2, "rotary": (0.004, 0.004, 0.004), "EI": 30.0, "GJ": 20.0, "modes": MODES}
WAVE = Sine(amplitude=0.4, frequency=0.7, offset=0.1)


def branched(quaternion=True, driven=True, **more):
    """Return a free hub with two bending arms, one of two parts under a spherical joint, and what hangs on their ends.

    On the first arm a rigid tool swings by a universal joint, and a bending whip on its middle.
    """
    points = {
        "A": (0.3, 0.0, 0.0), "B": (1.3, 0.0, 0.0), "C": (0.8, 0.0, 0.0), "D": (0.8, 0.0, 0.6), "E": (-0.3, 0.1, 0.0),
        "F": (-0.3, 1.1, 0.0), "T": (1.6, 0.1, 0.0),
    }  # fmt: skip
    whip = [{"along": axis, "shape": (0.0, 0.0, 1.0)} for axis in "xy"]
    bodies = {
        "hub": Body(points=("A", "E"), mass=4.0, com=(0.0, 0.02, 0.01), inertia=(0.5, 0.6, 0.7, 0.05, 0.0, 0.02)),
        "arm": Body(points=("A", "B", "C"), **BEAM),
        "tool": Body(points=("T",), mass=0.7, com=(1.5, 0.05, 0.1), inertia=(0.02, 0.03, 0.04)),
        "whip": Body(points=("C", "D"), density=0.4, EI=5.0, modes=whip),
        "sail": Body(points=("E", "F"), sublinks=2, density=0.8, rotary=(0.0, 0.005, 0.0), EI=20.0, modes=[
            {"along": axis, "shape": (0.0, 0.0, 1.0)} for axis in "xz"
        ]),
    }  # fmt: skip
    how = "quaternion" if quaternion else "angles"
    made = {
        "float": joints.Free(bodies=("ground", "hub"), coordinates=how),
        "pin": joints.Revolute(bodies=("hub", "arm"), point="A", axis=(0.0, 0.6, 0.8), drive={"rotor": 0.05}),
        "cross": joints.Universal(bodies=("arm", "tool"), point="B", axes=((0, 1, 0), (0, 0, 1))),
        "root": joints.Revolute(bodies=("whip", "arm"), point="C", axis=(0.0, 1.0, 0.0)),
        "ball": joints.Spherical(bodies=("hub", "sail"), point="E", coordinates=how),
    }
    acting = {
        "soft": forces.Torsion(joint="ball", stiffness=2.0, damping=0.1),
        "spiral": forces.Torsion(joint="cross", coordinate="angle2", stiffness=3.0, angle=0.2),
        "rope": forces.Spring(bodies=("tool", "sail"), points=("T", "F"), stiffness=4.0, damping=0.3),
        "push": forces.Load(body="arm", point="C", force=(0.3, WAVE, 0.1), frame="body"),
        "servo": forces.Motor(joint="ball", moment=(0.1, WAVE, -0.2)),
        "between": forces.Torque(bodies=("hub", "tool"), torque=(0.1, 0.0, WAVE)),
    }
    rng = np.random.default_rng(5)
    bent = {name: (0.03 * rng.normal(size=n)).tolist() for name, n in (("arm", 5), ("whip", 2), ("sail", 4))}
    start = {
        "position": {"cross": (0.2, -0.3), "root": 0.3, "ball": (0.3, 0.2, -0.4)} | ({} if driven else {"pin": 0.1}),
        "rate": {"cross": (0.5, 0.4), "root": -0.7, "float": {"x": 0.2}} | ({} if driven else {"pin": 0.6}),
        "omega": {"hub": (0.3, -0.5, 0.4), "sail": (0.1, 0.9, -0.6)},
        "modes": bent,
        "mode_rates": {name: (5.0 * np.array(x)).tolist() for name, x in bent.items()},
    }
    turn = {"turn": drivers.Coordinate(joint="pin", motion=WAVE)} if driven else {}
    sections = dict(points=points, bodies=bodies, joints=made, drivers=turn, forces=acting, initial=start)
    return Mechanism(**(sections | {"gravity": (0.2, -0.5, -3.0)} | more))


def rssr(drive=None):
    """Return a spatial four-bar whose coupler bends both ways, between two spherical joints, under gravity."""
    points = {"O": (0, 0, 0), "A": (0, 0.2, 0), "B": (0.8, 0.5, 0.6), "C": (0.8, 0.0, 0.6), "M": (0.4, 0.35, 0.3)}
    line = np.subtract(points["B"], points["A"])
    across = np.cross(line, (0.0, 0.0, 1.0))
    modes = [
        {"along": tuple(way.tolist()), "shape": shape}
        for way in (across, np.cross(line, across))
        for shape in ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0, -1.2))
    ]
    bodies = {
        "crank": Body(points=("O", "A"), mass=0.5, com=(0, 0.1, 0), inertia=(0.01, 0.002, 0.01)),
        "coupler": Body(points=("A", "B", "M"), density=0.5, rotary=(2e-3,) * 3, EI=8.0, modes=modes),
        "rocker": Body(points=("B", "C"), mass=0.7, com=(0.8, 0.25, 0.6), inertia=(0.02, 0.002, 0.02)),
    }
    made = {
        "O": joints.Revolute(bodies=("ground", "crank"), point="O", axis=(1, 0, 0)),
        "A": joints.Spherical(bodies=("crank", "coupler"), point="A"),
        "B": joints.Spherical(bodies=("coupler", "rocker"), point="B"),
        "C": joints.Revolute(bodies=("ground", "rocker"), point="C", axis=(0, 0.2, 1)),
    }
    driven = {"motor": drivers.Coordinate(joint="O", motion=drive)} if drive is not None else {}
    start = {} if driven else {"rate": {"O": 3.0}}
    return Mechanism(
        points=points, bodies=bodies, joints=made, drivers=driven, initial=start, gravity=(0.0, 0.0, -9.81)
    )


def held_place(driver):
    """Return two bending links that hang as a chain, and whose end a driver of places moves."""
    points = {"O": (0, 0, 0), "A": (0.5, 0, 0), "B": (1.0, 0, 0)}
    modes = [{"along": axis, "shape": (0.0, 0.0, 1.0)} for axis in "yz"]
    beam = {"density": 1.0, "EI": 10.0, "modes": modes}
    return Mechanism(
        points=points,
        bodies={"one": Body(points=("O", "A"), **beam), "two": Body(points=("A", "B"), **beam)},
        joints={
            "O": joints.Universal(bodies=("ground", "one"), point="O", axes=((0, 1, 0), (0, 0, 1))),
            "A": joints.Revolute(bodies=("one", "two"), point="A", axis=(0, 0, 1)),
        },
        drivers={"lead": driver},
        initial={"position": {"A": 0.7}},
        gravity=(0.0, -9.81, 0.0),
    )


def geared():
    """Return a screw that carries a bending beam, its nut geared to another bending beam, and a rod between both."""
    points = {"O": (0, 0, 0), "A": (0.8, 0, 0), "P": (0, 1, 0), "Q": (0.8, 1, 0)}
    modes = [{"along": axis, "shape": (0.0, 0.0, 1.0)} for axis in "yz"]
    beam = {"density": 1.0, "EI": 30.0, "modes": modes}
    return Mechanism(
        points=points,
        bodies={"one": Body(points=("O", "A"), **beam), "two": Body(points=("P", "Q"), **beam)},
        joints={
            "thread": joints.Screw(bodies=("ground", "one"), point="O", axis=(0, 0, 1), pitch=0.1),
            "pin": joints.Revolute(bodies=("ground", "two"), point="P", axis=(0, 0, 1)),
            "gear": joints.Coupling(joints=("thread", "pin"), ratio=-0.5),
        },
        initial={"rate": {"thread": 2.0}},
        gravity=(0.0, 0.0, -2.0),
    )


def slotted():
    """Return a bending beam whose end slides in a slot of a turning rigid bar, and a rod from its middle."""
    points = {"O": (0, 0, 0), "A": (1, 0, 0), "C": (1, -0.6, 0), "M": (0.5, 0, 0)}
    modes = [{"along": axis, "shape": shape} for axis in "yz" for shape in ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0, -1.2))]
    bar = Body(points=("C",), mass=2.0, com=(1.0, -0.2, 0), inertia=(0.2, 0.02, 0.2))
    return Mechanism(
        points=points,
        bodies={
            "beam": Body(points=("O", "A", "M"), density=1.0, rotary=(5e-3, 0, 0), EI=15.0, modes=modes),
            "bar": bar,
        },
        joints={
            "O": joints.Spherical(bodies=("ground", "beam"), point="O"),
            "C": joints.Universal(bodies=("ground", "bar"), point="C", axes=((0, 0, 1), (1, 0, 0))),
            "slot": joints.Slot(bodies=("bar", "beam"), point="A", axis=(1, 1, 0)),
            "rod": joints.Distance(bodies=("ground", "beam"), points=((0.5, 0.5, 0.8), "M")),
        },
        initial={"rate": {"C": {"angle1": 0.8}}},
        gravity=(0.0, -1.0, -1.0),
    )


def position_driver():
    """Return a driver that lifts the end of `held_place`."""
    return drivers.Position(point="B", axis="y", motion=Sine(amplitude=0.1, frequency=1.0))


def distance_driver():
    """Return a driver that draws the end of `held_place` to a place of the ground."""
    ends = ((0.2, 0.8, 0.3), "B")
    return drivers.Distance(points=ends, bodies=("ground", "two"), motion=Sine(amplitude=0.1, frequency=1.0))


TREES = {
    **{f"chain, {motion}": (lambda motion=motion: bent_chain(np.random.default_rng(3), motion, driven=1))
       for motion in ("fixed", "translates", "free")},
    "branches": branched,
    "branches by angles": lambda: branched(quaternion=False),
}  # fmt: skip
LOOPS = {
    **{name: (lambda name=name: bending_loops.mechanism(name, sublinks=2)) for name in bending_loops.BENDING},
    "rssr": rssr,
    "rssr, driven": lambda: rssr(WAVE),
    "position": lambda: held_place(position_driver()),
    "distance": lambda: held_place(distance_driver()),
    "geared": geared,
    "slotted": slotted,
}
EVERY = TREES | LOOPS
