"""Everything that can be asked of a mechanism in space, of every sort: it works, or says in a line why not.

Six sorts: a tree, a loop, both with a body that bends, a loop whose joints hold more than needed, and a start in a
singular pose. Every question has a witness, or is answered by one line that names a part and a cure.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.analyses.influence.lagrange import compared
from particlemech.errors import ModelError, SimulationError
from particlemech.model.space import Body, Impulse, Initial, Mechanism, drivers, forces, joints
from particlemech.model.toml import dumps, loads

Z = (0.0, 0.0, 1.0)
BENDING = {"density": 1.0, "EI": 40.0, "rotary": (2e-3,) * 3}
SHORT = {"duration": 0.05, "samples": 6}


def bar(a, b, bends):
    """Return a rod, or a body that bends across its line in directions `bends`."""
    if not bends:
        return Body(points=(a, b), mass=1.0)
    return Body(points=(a, b), modes=[{"along": way, "shape": (0.0, 0.0, 1.0)} for way in bends], **BENDING)


def chain(bends):
    """A double pendulum in space: two links, the second on a ball."""
    return Mechanism(
        points={"O": (0.0, 0.0, 0.0), "A": (0.4, 0.0, 0.0), "B": (0.9, 0.0, 0.0)},
        bodies={"one": bar("O", "A", ()), "two": bar("A", "B", bends)},
        joints={
            "O": joints.Revolute(bodies=("ground", "one"), point="O", axis=(0.0, 1.0, 0.0)),
            "A": joints.Revolute(bodies=("one", "two"), point="A", axis=(0.0, 1.0, 0.3)),
        },
        gravity=(0.0, 0.0, -9.81),
        initial=Initial(rate={"O": 1.0}),
    )


def linkage(bends, over=False, points=None):
    """A four-bar, with a ball and a cylinder so that it moves by count, or with hinges only."""
    places = points or {"O": (0.0, 0.0, 0.0), "A": (0.1, 0.0, 0.2), "B": (0.5, 0.0, 0.35), "C": (0.5, 0.0, 0.0)}
    hinge = {"axis": (0.0, 1.0, 0.0)}
    ball = joints.Revolute(bodies=("coupler", "rocker"), point="B", **hinge)
    if not over:
        ball = joints.Spherical(bodies=("coupler", "rocker"), point="B")
    across = joints.Revolute(bodies=("crank", "coupler"), point="A", **hinge)
    if not over:
        across = joints.Universal(bodies=("crank", "coupler"), point="A", axes=((0.0, 1.0, 0.0), (1.0, 0.0, 0.4)))
    return Mechanism(
        points=places,
        bodies={"crank": bar("O", "A", ()), "coupler": bar("A", "B", bends), "rocker": bar("C", "B", ())},
        joints={
            "O": joints.Revolute(bodies=("ground", "crank"), point="O", **hinge),
            "A": across,
            "B": ball,
            "C": joints.Revolute(bodies=("ground", "rocker"), point="C", **hinge),
        },
        gravity=(0.0, 0.0, -9.81),
        initial=Initial(rate={"O": 1.0}),
    )


FLAT = {"O": (0.0, 0.0, 0.0), "A": (0.2, 0.0, 0.0), "B": (0.7, 0.0, 0.0), "C": (0.5, 0.0, 0.0)}  # a change point
SORTS = {
    "tree": chain(()),
    "loop": linkage(()),
    "bending tree": chain(((0.0, 1.0, 0.0), (0.0, 0.0, 1.0))),
    "bending loop": linkage(((0.0, 1.0, 0.0), (-0.15, 0.0, 0.4))),
    "redundant loop": linkage((), over=True),
    "singular start": linkage((), over=True, points=FLAT).replaced(initial={"rate": {"O": 2.0, "C": 2.0}}),
}


def energetic(run, bound=1e-6):
    assert run.status.value == "completed", run.message
    assert np.abs(run.energy.error).max() <= bound * run.energy.scale
    assert run.closure.position.max() < 1e-8


def as_lagrange(run):
    for _, off, size, where, _ in compared(run, 3):
        assert off <= 1e-8 * size, where


def near(one, other, bound=1e-6):
    """Assert that two runs are at the same places at the same times."""
    assert one.t == pytest.approx(other.t, abs=1e-12)
    for point in one.mechanism.points:
        assert np.abs(one[point] - other[point]).max() < bound, point


def link(sort):
    """Return the body that is asked about, with its end at B."""
    return "two" if "tree" in sort else "coupler"


# -- questions: each asserts its own witness -------------------------------------------------------------------------


def explicit(m, sort):
    run = pm.simulate(m, rtol=1e-9, integrator="explicit", **SHORT)
    energetic(run)
    as_lagrange(run)


def ida(m, sort):
    run = pm.simulate(m, rtol=1e-9, integrator="ida", **SHORT)
    energetic(run)
    near(run, pm.simulate(m, rtol=1e-9, **SHORT))


def impulses(m, sort):
    hit = {"hit": Impulse(body=link(sort), point="B", impulse=(0.0, 0.0, 0.3), time=0.02)}
    run = pm.simulate(m.replaced(impulses=hit), rtol=1e-9, **SHORT)
    energetic(run)
    struck = pm.impulse(pm.simulate(m, rtol=1e-9, duration=0.02, samples=3), {"hit": hit["hit"]})
    assert run.energy.work[-1] == pytest.approx(struck.work, rel=1e-6)


def inverse(m, sort):
    moved = pm.simulate(driven(m), rtol=1e-10, duration=0.05, samples=51)
    if "bending" in sort:  # where a tree is said to begin straight, it does
        modes = {link(sort): (0.0,) * moved.modal(link(sort)).shape[1]} if "tree" in sort else {}
        m = m.replaced(initial={"rate": {}, "modes": modes})
    if "tree" in sort:
        every = {"O.angle": moved.coordinate("O"), "A.angle": moved.coordinate("A")}
        found = pm.inverse(m, every, t=moved.t, actuators=["O.angle", "A.angle"])
    else:
        found = pm.inverse(m, {"O.angle": moved.coordinate("O")}, t=moved.t, actuators=["O.angle"])
    middle = slice(5, -5)  # paths are differentiated
    wanted = moved.effort("motor")[middle]
    assert np.abs(found.effort("O.angle")[middle] - wanted).max() < 0.01 * np.abs(wanted).max()


def driven(m):
    motion = pm.signals.Cycloid(start=0.0, end=0.2, duration=0.1)
    return m.replaced(initial={"rate": {}}, drivers={"motor": drivers.Coordinate(joint="O", motion=motion)})


def mixed(m, sort):
    run = pm.simulate(driven(m), rtol=1e-9, **SHORT)
    energetic(run)
    as_lagrange(run)
    wanted = [pm.signals.values(driven(m).drivers["motor"].motion, float(t))[0] for t in run.t]
    assert run.coordinate("O") == pytest.approx(wanted, abs=1e-9)


def custom(m, sort):
    push = (0.1, 0.2, 0.3)
    load = forces.Load(body=link(sort), point="B", force=push)
    hand = forces.Custom(body=link(sort), point="B", function=lambda t, state: (push, state["B"], (0.0, 0.0, 0.0)))
    options = {"rtol": 1e-9, **SHORT}
    near(*(pm.simulate(m.replaced(forces={"f": f}), **options) for f in (load, hand)), 1e-7)


def controller(m, sort):
    k, c = 3.0, 0.2
    servo = forces.Custom(joint="O", function=lambda t, s: -k * s.coordinate("O") - c * s.rate("O"))
    spring = forces.Torsion(joint="O", stiffness=k, damping=c)
    options = {"rtol": 1e-9, **SHORT}
    near(*(pm.simulate(m.replaced(forces={"f": f}), **options) for f in (spring, servo)), 1e-7)


def events(m, sort):
    run = pm.simulate(m, rtol=1e-9, events={"half": lambda t, state: t - 0.025}, **SHORT)
    found = run.events["half"]
    assert found.t == pytest.approx([0.025], abs=1e-9)
    assert found["B"][0] == pytest.approx(pm.simulate(m, rtol=1e-9, duration=0.025, samples=2)["B"][-1], abs=1e-7)


def restart(m, sort):
    whole = pm.simulate(m, rtol=1e-9, **SHORT)
    first = pm.simulate(m, rtol=1e-9, duration=0.03, samples=4)
    later = pm.simulate(m, rtol=1e-9, start=first, duration=0.02, samples=3)
    near(first.joined(later), whole, 1e-7)
    again = pm.simulate(m, rtol=1e-9, start=whole.at(0.03), duration=0.02, samples=3)
    near(again, later, 1e-7)


def many(m, sort):
    cases = {g: {"gravity": (0.0, 0.0, g)} for g in (-9.81, -1.6)}
    data = pm.simulate_many(cases, of=m, workers=1, quantities=["B.z"], rtol=1e-9, **SHORT)
    alone = pm.simulate(m.replaced(gravity=(0.0, 0.0, -1.6)), rtol=1e-9, **SHORT)
    assert data["B.z"].sel(case=-1.6).values == pytest.approx(alone["B"][:, 2], abs=1e-12)


def equilibrium(m, sort):
    rest = pm.equilibrium(m)
    where = {joint: float(rest.coordinate(joint)[0]) for joint in rest.mechanism.joints if joint in ("O", "C")}
    if m.bends:  # what is rigid stays where it is, and what bends comes to rest
        assert abs(where["O"]) < 0.01 and 1e-4 < np.abs(rest.modal(link(sort))).max() < 0.1
        return
    if sort == "tree":
        where["A"] = float(rest.coordinate("A")[0])
    there = m.replaced(initial={"rate": {}, "position": {joint: where[joint] for joint in where if joint != "C"}})
    run = pm.simulate(there, duration=0.01, samples=3, rtol=1e-9)
    assert np.abs(run["B"] - run["B"][0]).max() < 1e-6


def modes(m, sort):
    found = pm.modes(m, "equilibrium")
    assert len(found.frequency) and np.isfinite(found.frequency).all()
    linear = pm.linearised(m, "equilibrium")
    squares = np.linalg.eigvals(np.linalg.solve(linear.M, linear.K)).real
    wanted = np.sqrt(np.abs(squares)).max() / (2.0 * math.pi)
    assert np.abs(found.frequency).max() == pytest.approx(wanted, rel=1e-3)  # those that grow are negative


def cycle(m, sort):
    found = pm.cycle(driven(m), driver="motor")
    assert found.status.value == "completed"
    assert found.closure.position.max() < 1e-8


def explain(m, sort):
    said = str(pm.explain(m))
    wanted = {"tree": "agree", "bending tree": "0 loops, 0 cut joints"}.get(sort, "1 loops, 1 cut joints")
    assert "NOT" not in said and wanted in said, said


def validate(m, sort):
    assert pm.validate(m, **SHORT).verdict.startswith("agreed")


def internal(m, sort):
    run = pm.simulate(m, rtol=1e-9, **SHORT)
    body = link(sort)
    found = run.internal(body, 5)
    if sort in ("redundant loop", "singular start"):  # hinges only: what the joints do is not determined
        assert np.isnan(found.moment).any()
        return
    largest = np.abs(found.moment).max()
    assert largest > 1e-3 and np.abs(found.moment[:, -1]).max() < 1e-6 * largest  # nothing, or a ball, at its end


def files(m, sort):
    assert loads(dumps(m)) == m


QUESTIONS = (
    explicit, ida, impulses, inverse, mixed, custom, controller, events, restart, many, equilibrium, modes, cycle,
    explain, validate, internal, files,
)  # fmt: skip


@pytest.mark.parametrize("sort", [sort for sort in SORTS if sort != "singular start"])
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda f: f.__name__)
def test_every_question_is_answered_with_a_witness(question, sort):
    question(SORTS[sort], sort)


@pytest.mark.parametrize("question", [one for one in QUESTIONS if one is not validate], ids=lambda f: f.__name__)
def test_from_a_singular_start_every_question_is_answered_or_refused_in_a_line(question):
    try:
        question(SORTS["singular start"], "singular start")
    except (ModelError, SimulationError) as error:
        assert "\n" not in str(error) and len(str(error)) > 40
