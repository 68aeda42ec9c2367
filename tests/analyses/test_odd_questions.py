"""Every verb about mechanisms with which it cannot do what is asked: one line says what can be asked instead."""

from __future__ import annotations

import pytest

import particlemech as pm
from particlemech import models
from particlemech.errors import ModelError, SimulationError
from particlemech.model import joints

CHOICES = "its joints leave nothing to be driven, it is a structure; ask for the forces in it by equilibrium"
NOTHING = "and no joint of it has a coordinate that could be driven"


def structure():
    """Return two bars on three pins, which cannot move."""
    pins = {"O": ("ground", "one"), "A": ("ground", "other"), "B": ("one", "other")}
    return pm.Mechanism(
        points={"O": (0.0, 0.0), "A": (1.0, 0.0), "B": (0.5, 0.8)},
        bodies={"one": pm.Body(points=("O", "B"), mass=1.0), "other": pm.Body(points=("A", "B"), mass=1.0)},
        joints={name: joints.Revolute(point=name, bodies=of) for name, of in pins.items()},
        gravity=(0.0, -9.81),
    )


def bracket():
    """Return a rod that is welded to the ground, in space."""
    rod = pm.space.Body(points=("O", "B"), mass=1.0)
    weld = pm.space.joints.Weld(point="O", bodies=("ground", "rod"))
    points = {"O": (0.0, 0.0, 0.0), "B": (1.0, 0.0, 0.0)}
    return pm.space.Mechanism(points=points, bodies={"rod": rod}, joints={"O": weld}, gravity=(0.0, 0.0, -9.81))


def driven(name, *at):
    """Return a shipped model at rest with drivers of some joints."""
    m = models.load(name)
    plain = type(m).sections["drivers"].plain
    drivers = {f"driver{k}": plain(joint=joint, motion=0.0) for k, joint in enumerate(at)}
    return m.replaced(drivers={**dict.fromkeys(m.drivers), **drivers}, initial=type(m.initial)())


MECHANISMS = {
    "structure": structure,
    "bracket": bracket,
    "plane, none driven": lambda: models.load("four_bar"),
    "space, none driven": lambda: models.load("bennett"),
    "plane, two drive one freedom": lambda: driven("four_bar", "O", "C"),
    "space, two drive one freedom": lambda: driven("bennett", "A", "B"),
    "plane, two drive two freedoms": lambda: driven("double_pendulum", "O", "A"),
}


def one_pendulum():
    """Return a rod in space on a universal joint, each of whose angles is driven."""
    plain = pm.space.drivers.Coordinate
    joint = pm.space.joints.Universal(point="O", bodies=("ground", "rod"), axes=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
    points = {"O": (0.0, 0.0, 0.0), "B": (0.0, 0.0, -1.0)}
    rod = pm.space.Body(points=("O", "B"), mass=1.0, com=(0.0, 0.0, -0.5), inertia=(0.1, 0.1, 0.01))
    return pm.space.Mechanism(
        points=points,
        bodies={"rod": rod},
        joints={"O": joint},
        drivers={f"driver{k}": plain(joint="O", coordinate=f"angle{k + 1}", motion=0.0) for k in (0, 1)},
        gravity=(0.0, 0.0, -9.81),
    )


MECHANISMS["space, two drive two freedoms"] = one_pendulum


def far(m):
    return {"B": (9.0,) * len(m.gravity)}


def first(m):
    return next(iter(m.drivers), None) or next(iter(m.joints))


VERBS = {
    "cycle": lambda m: pm.cycle(m, samples=5),
    "cycle far": lambda m: pm.cycle(m, driver=first(m), range=(0.0, 50.0), samples=5),
    "toggles": pm.toggles,
    "assemblies": pm.assemblies,
    "assemblies far": lambda m: pm.assemblies(m, at=99.0, driver=first(m)),
    "equilibrium": pm.equilibrium,
    "linearised": pm.linearised,
    "modes": pm.modes,
    "modes about rest": lambda m: pm.modes(m, "equilibrium"),
    "response": lambda m: pm.response(m, [1.0], input=("B", (1.0, 0.0, 0.0)[: len(m.gravity)]), output="B"),
    "inverse far": lambda m: pm.inverse(m, far(m)),
    "inverse": lambda m: pm.inverse(m, {}),
    "jacobian": lambda m: pm.jacobian(m, "B.x"),
    "reach": lambda m: pm.reach(m, far(m)),
    "workspace": lambda m: pm.workspace(m, "B", samples=3),
    "measures": lambda m: pm.simulate(m, duration=0.01, samples=3).measures(),
}

SAID = {
    ("structure", "cycle"): CHOICES,
    ("structure", "cycle far"): CHOICES,
    ("structure", "toggles"): CHOICES,
    ("structure", "assemblies"): CHOICES,
    ("structure", "modes"): "nothing moves freely; free a joint, give a body modes, or ask for the forces",
    ("structure", "response"): "response: nothing moves freely",
    ("structure", "inverse"): CHOICES,
    ("structure", "jacobian"): CHOICES,
    ("structure", "workspace"): CHOICES,
    ("bracket", "cycle"): NOTHING,
    ("bracket", "assemblies"): NOTHING,
    ("bracket", "cycle far"): 'joint "O" is a weld, which has no coordinate; name another joint',
    ("bracket", "modes"): "nothing moves freely",
    ("bracket", "jacobian"): NOTHING,
    ("plane, none driven", "cycle"): 'name a joint to be driven, driver = one of "O", "A", "B", "C"',
    ("space, none driven", "toggles"): 'name a joint to be driven, driver = one of "A", "B", "C", "D"',
    ("plane, none driven", "modes"): 'let about = "equilibrium" find it',
    ("plane, none driven", "inverse far"): "on its way there",
    ("plane, none driven", "jacobian"): "nothing drives it; say what does, drivers=[...] of O.angle",
    ("plane, two drive one freedom", "cycle far"): "ask for more than the joints leave free; take one of them out",
    ("space, two drive one freedom", "cycle far"): "ask for more than the joints leave free; take one of them out",
    ("plane, two drive one freedom", "toggles"): 'say which one leads, driver = one of "driver0", "driver1"',
    ("plane, two drive one freedom", "jacobian"): "2 drivers for 1 freedom; name 1 of driver0, driver1",
    ("plane, two drive one freedom", "modes"): "let a driver go, release = ['driver0', 'driver1']",
    ("plane, two drive two freedoms", "toggles"): "the mechanism has 2 drivers; say which one leads",
    ("space, two drive two freedoms", "toggles"): "the mechanism has 2 drivers; say which one leads",
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("which", MECHANISMS)
def test_what_cannot_be_asked_is_answered_in_one_line(which, verb):
    said = SAID.get((which, verb))
    try:
        VERBS[verb](MECHANISMS[which]())
    except (ModelError, SimulationError) as error:
        assert "\n" not in str(error) and len(str(error)) > 20
        assert said is None or said in str(error)
    else:
        assert said is None


def test_targets_out_of_reach_are_answered_by_the_nearest_pose_that_says_so():
    found = pm.reach(models.load("four_bar"), {"B": (9.0, 9.0)})
    assert not found.reached[0] and "beyond its reach" in found.said[0]


def test_what_grows_is_called_unstable():
    assert "unstable, grows e-fold in 0.116 s" in str(pm.modes(models.load("four_bar"), "equilibrium"))
    assert str(pm.linearised(structure())).startswith("no freedoms: nothing moves freely")
