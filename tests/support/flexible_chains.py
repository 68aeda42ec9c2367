"""Chains of bending bodies as mechanisms, bent and moving, with all that a link can have; and bodies by themselves."""

from particlemech.engine.bending.members import Member
from particlemech.model.readers.link_tables import from_link_table
from particlemech.model.signals import Sine
from particlemech.model.space.parts import Body

CUBICS = ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0, -1.2))  # the two bending shapes of [G88] (3.1-9..12), powers of x/L
MODES = (
    *({"along": axis, "shape": shape} for axis in "yz" for shape in CUBICS),
    {"about": "x", "shape": (0.0, 1.0)},
)
BASE = {"mass": 5.0, "com": (0.1, 0.0, 0.2), "inertia": (1.0, 2.0, 2.5), "end": (0.2, 0.1, 0.0), "alpha": 0.4}
WAVE = Sine(amplitude=0.3, frequency=0.4, offset=0.1)


def member(end=(1.0, 0.0, 0.0), first=(0.0, 0.0, 0.0), **keys):
    """Return a body that bends along the line from a place to another, by the keys of a body."""
    return Member(Body(points=("root", "end"), **keys), first, end)


def bent_chain(rng, motion="fixed", stiffening=True, gravity=(1.0, 2.0, -9.81), loads=True, driven=None, **more):
    """Return three bending links on turning and sliding, stiff and yielding joints, bent and moving, loaded.

    The base `motion` is fixed, translates or free; `driven` is the number of a joint, from 0.
    """
    link = {
        "end": (1.0, 0.0, 0.0), "density": 2.0, "mass": 2.3, "com": (0.5, 0.01, 0.012), "inertia": (0.1, 0.35, 0.4),
        "rotary": (0.01, 0.0, 0.0), "EI": 50.0, "GJ": 30.0, "modes": MODES, "damping": (0.0, 0.002), "theta": 0.3,
    }  # fmt: skip
    rows, start = [], {"position": {}, "rate": {}, "deflection": {}, "deflection_rate": {}, "modes": {}}
    start["mode_rates"] = {}
    for i in range(3):
        yields = {"stiffness": 80.0, "damping": 0.1} if i else {}
        kind = "prismatic" if i == 1 else "revolute"
        rows.append(link | {"alpha": 0.7 * i + 0.3, "type": kind, "drive": {"rotor": 0.2} | yields})
        rows[-1] |= {"name": f"link{i + 1}", "joint": f"j{i + 1}"}
        if i != driven:
            start["position"][f"j{i + 1}"], start["rate"][f"j{i + 1}"] = 0.2, float(rng.normal())
        if i:
            start["deflection"][f"j{i + 1}"], start["deflection_rate"][f"j{i + 1}"] = 0.02, 0.1
        start["modes"][f"link{i + 1}"] = (0.05 * rng.normal(size=5)).tolist()
        start["mode_rates"][f"link{i + 1}"] = (0.3 * rng.normal(size=5)).tolist()
    base = {"motion": motion} | (BASE if motion != "fixed" else {"end": BASE["end"], "alpha": BASE["alpha"]})
    if motion != "fixed":
        start["rate"]["float"] = {"x": 0.1, "y": 0.2, "z": 0.3}
    if motion == "free":
        start["omega"] = {"base": (0.5, -0.3, 0.8)}
    acting = {"grease": {"type": "torsion", "joint": "j1", "damping": 0.2}}
    if loads:
        one, two = (1.0, 2.0, 3.0), (0.1, 0.2, 0.3)
        acting |= {
            "push": {"type": "load", "body": "link2", "point": "O3", "force": one, "frame": "body"},
            "twist": {"type": "torque", "bodies": ["ground", "link2"], "point": "O3", "torque": two, "frame": "body"},
            "pull": {"type": "load", "body": "link3", "point": "tip", "force": one},
            "wind": {"type": "distributed", "body": "link3", "force": one, "moment": two, "spread": (0.0, 1.0)},
            "rope": {
                "type": "spring", "bodies": ["ground", "link3"], "points": [(1.0, 1.0, 1.0), "tip"], "stiffness": 20.0,
                "damping": 1.0,
            },
        }  # fmt: skip
    return from_link_table(
        rows,
        "report",
        base=base,
        bending={"stiffening": stiffening},
        gravity=gravity,
        initial=start,
        forces=acting,
        drivers={} if driven is None else {"drive": {"joint": f"j{driven + 1}", "motion": WAVE}},
        **more,
    )
