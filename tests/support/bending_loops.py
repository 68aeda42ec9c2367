"""Bending bodies in loops: four mechanisms, each as beams of `elastica` and as a mechanism of the library.

    slider_crank    crank of 0.1 m at 20 rad/s, connecting rod of 0.4 m that bends, block of 0.2 kg
    four_bar        crank of 0.1 m at 20 rad/s, coupler of 0.4 m that bends, rigid rocker of 0.3 m
    let_go          three links that bend, 0.4, 0.5 and 0.4 m, pinned to the ground 0.6 m apart, let go
    simeon          the flexible slider-crank of Simeon, crank of 0.15 m at 150 rad/s, rod of 0.3 m, not damped

All are drawn straight and start so, the links moving as rigid ones would. Slopes stay below a few hundredths, so that
bodies with modes, which bend little, can be held to beams that bend as they like. `references` gives times and how far
the middle of each bending body is to the left of its chord; `stored` the same from tests/data/bending_loops.json, of
degree 9; `deflections` the same of a result of the library. `python -m tests.support.bending_loops` makes the file anew
and prints how degrees 7, 8 and 9 differ.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from particlemech.model.signals import Linear
from particlemech.model.space import Body, Initial, Mechanism, joints
from particlemech.model.space.drivers import Coordinate
from particlemech.model.space.parts import Mode
from particlemech.model.toml import load
from tests.support.elastica import Beam, Elastica, to_the_left

RATE = 20.0  # rad/s of the cranks
DENSITY, EI, DAMPING = 0.5, 5.0, 1e-4  # kg/m, N m^2, s: a rod of 0.4 m, pinned, has 31 Hz and 1 % of damping
BLOCK = 0.2  # kg
Z = (0.0, 0.0, 1.0)
WEIGHT = (0.0, -9.81)
CUBICS = ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0, -1.2))  # powers of x/L that begin flat

SLIDER_CRANK = {"O": (0.0, 0.0), "A": (0.1, 0.0), "B": (0.5, 0.0)}
# the crank at 60 degrees, and where the coupler meets the rocker
FOUR_BAR = {"O": (0.0, 0.0), "A": (0.05, 0.1 * np.sin(np.pi / 3.0)), "C": (0.45, 0.0)}
LET_GO = {"O": (0.0, 0.0), "C": (0.6, 0.0)}
DURATIONS = {"slider_crank": 0.35, "four_bar": 0.35, "let_go": 0.4, "simeon": 0.1}
BENDING = {"slider_crank": ("rod",), "four_bar": ("coupler",), "let_go": ("left", "middle", "right")}
BENDING["simeon"] = ("rod",)
DAMPED = {"slider_crank": DAMPING, "four_bar": DAMPING, "let_go": DAMPING, "simeon": 0.0}
SAMPLES, DEGREE = 71, 9  # of the stored references
STORED = Path(__file__).parents[1] / "data" / "bending_loops.json"
SIMEON = Path(__file__).parents[2] / "models" / "flexible_slider_crank.toml"


def meeting(one, a, other, b):
    """Return the upper point at the distances a from one and b from another place."""
    one, other = np.array(one), np.array(other)
    d = float(np.linalg.norm(other - one))
    x = (d * d + a * a - b * b) / (2.0 * d)
    e = (other - one) / d
    return tuple((one + x * e + np.sqrt(a * a - x * x) * np.array([-e[1], e[0]])).tolist())


FOUR_BAR["B"] = meeting(FOUR_BAR["A"], 0.4, FOUR_BAR["C"], 0.3)
LET_GO["A"] = (0.4 * np.cos(1.7), 0.4 * np.sin(1.7))
LET_GO["B"] = meeting(LET_GO["A"], 0.5, LET_GO["C"], 0.4)
PLACES = {"slider_crank": SLIDER_CRANK, "four_bar": FOUR_BAR, "let_go": LET_GO}


# -- by beams ----------------------------------------------------------------------------------------------------------


def _bent(one, other, tip=0.0, damping=DAMPING):
    return Beam(one, other, DENSITY * float(np.hypot(*np.subtract(other, one))), EI, damping, tip)


def _slider_crank(degree, damping):
    at = SLIDER_CRANK
    made = Elastica([_bent(at["A"], at["B"], BLOCK, damping)], degree)
    made.drive((0, 0), at["O"], 0.1, RATE)
    made.slide((0, 1), (0.0, 1.0), 0.0)
    return made


def _four_bar(degree, damping):
    at = FOUR_BAR
    made = Elastica([_bent(at["A"], at["B"], 0.0, damping), Beam(at["B"], at["C"], DENSITY * 0.3)], degree)
    made.drive((0, 0), at["O"], 0.1, RATE, np.pi / 3.0)
    made.pin((0, 1), (1, 0))
    made.pin((1, 1), at["C"])
    return made


def _let_go(degree, damping):
    at, ends = LET_GO, (("O", "A"), ("A", "B"), ("B", "C"))
    made = Elastica([_bent(at[one], at[other], 0.0, damping) for one, other in ends], degree, WEIGHT)
    made.pin((0, 0), at["O"])
    made.pin((0, 1), (1, 0))
    made.pin((1, 1), (2, 0))
    made.pin((2, 1), at["C"])
    return made


def _simeon(degree, damping):
    made = Elastica([Beam((0.15, 0.0), (0.45, 0.0), 0.151104, 0.2e12 * 0.008**4 / 12.0, damping, 0.075552)], degree)
    made.drive((0, 0), (0.0, 0.0), 0.15, 150.0)
    made.slide((0, 1), (0.0, 1.0), 0.0)
    return made


BEAMS = {"slider_crank": _slider_crank, "four_bar": _four_bar, "let_go": _let_go, "simeon": _simeon}


def references(name, samples=SAMPLES, degree=8, rtol=1e-8, damping=None):
    """Return times (K,), and how far the middle of each bending body is to the left of its chord, by body, (K,)."""
    damping = DAMPED[name] if damping is None else damping
    made, times = BEAMS[name](degree, damping), np.linspace(0.0, DURATIONS[name], samples)
    q, _ = made.run(times, rtol)
    return times, {body: made.deflection(b, q) for b, body in enumerate(BENDING[name])}


def stored(name):
    """Return times and deflections as `references` does, from the file."""
    found = json.loads(STORED.read_text())[name]
    return np.linspace(0.0, DURATIONS[name], SAMPLES), {body: np.array(d) for body, d in found.items()}


# -- by the library ----------------------------------------------------------------------------------------------------


def _flexible(places, one, other, name, damping, sublinks):
    """Return a bending body between two points with its middle M_name, and the place of that."""
    a, b = (np.array(places[p]) for p in (one, other))
    across = (b - a)[[1, 0]] * [-1.0, 1.0] / np.linalg.norm(b - a)
    modes = tuple(Mode(along=(*across.tolist(), 0.0), shape=shape) for shape in CUBICS)
    body = Body(
        points=(one, other, f"M_{name}"),
        density=DENSITY,
        EI=EI,
        modes=modes,
        damping=(0.0, damping),
        sublinks=sublinks,
    )
    return body, (*(0.5 * (a + b)).tolist(), 0.0)


def _rod(places, one, other):
    """Return a rigid uniform rod."""
    return Body(points=(one, other), mass=DENSITY * float(np.hypot(*np.subtract(places[other], places[one]))))


def mechanism(name, sublinks=8, damping=DAMPING):
    """Return one of them as a mechanism; each bending body is carried at its first point. Simeon's is not damped."""
    if name == "simeon":
        return _read(sublinks)
    places = PLACES[name]
    points = {p: (*map(float, at), 0.0) for p, at in places.items()}
    bodies, made, drive, gravity = {}, {}, {}, (0.0, 0.0, 0.0)

    def pin(point, *pair):
        made[point] = joints.Revolute(bodies=pair, point=point, axis=Z)

    if name == "let_go":
        gravity = (*WEIGHT, 0.0)
        for body, one, other in (("left", "O", "A"), ("middle", "A", "B"), ("right", "B", "C")):
            bodies[body], points[f"M_{body}"] = _flexible(places, one, other, body, damping, sublinks)
        pin("O", "ground", "left")
        pin("A", "left", "middle")
        pin("B", "middle", "right")
        pin("C", "ground", "right")
    else:
        bent, last = ("rod", "block") if name == "slider_crank" else ("coupler", "rocker")
        bodies["crank"] = _rod(places, "O", "A")
        bodies[bent], points[f"M_{bent}"] = _flexible(places, "A", "B", bent, damping, sublinks)
        pin("O", "ground", "crank")
        pin("A", "crank", bent)
        pin("B", bent, last)
        if name == "slider_crank":
            bodies["block"] = Body(points=("B",), mass=BLOCK, com=points["B"], inertia=(1e-4, 1e-4, 1e-4))
            made["guide"] = joints.Prismatic(bodies=("ground", "block"), point="B", axis=(1.0, 0.0, 0.0))
        else:
            bodies["rocker"] = _rod(places, "B", "C")
            pin("C", "ground", "rocker")
        drive["motor"] = Coordinate(joint="O", motion=Linear(rate=RATE))
    still = {b: (0.0,) * (len(CUBICS) * sublinks) for b in BENDING[name]}
    return Mechanism(
        name=name.replace("_", " "),
        gravity=gravity,
        points=points,
        bodies=bodies,
        joints=made,
        drivers=drive,
        initial=Initial(modes=still, mode_rates=still),
    )


def _read(sublinks):
    """Return the shipped model with some number of sub-links."""
    model = load(SIMEON)
    still = {"rod": (0.0,) * (len(CUBICS) * sublinks)}
    rod = replace(model.bodies["rod"], sublinks=sublinks)
    return replace(model, bodies={**model.bodies, "rod": rod}, initial=Initial(modes=still, mode_rates=still))


def deflections(result, name):
    """Return how far the middle of each bending body is to the left of its chord, by body, (K,)."""
    ends = {body: result.mechanism.bodies[body].points for body in BENDING[name]}
    return {body: to_the_left(result[one], result[other], result[at]) for body, (one, other, at) in ends.items()}


def main():
    """Make the file of references, and say how they converge."""
    kept = {}
    for name in BEAMS:
        found = {degree: references(name, degree=degree, rtol=1e-9)[1] for degree in (7, 8, DEGREE)}
        kept[name] = {body: np.round(d, 12).tolist() for body, d in found[DEGREE].items()}
        for body, d in found[DEGREE].items():
            away = {k: np.abs(found[k][body] - d).max() / np.abs(d).max() for k in (7, 8)}
            told = f"largest {np.abs(d).max():.2e} m; degree 7 {away[7]:.0e}, 8 {away[8]:.0e}"
            print(f"{name}, {body}: {told}", flush=True)
    STORED.write_text("{\n" + ",\n".join(f'"{name}": {json.dumps(d)}' for name, d in kept.items()) + "\n}\n")


if __name__ == "__main__":
    main()
