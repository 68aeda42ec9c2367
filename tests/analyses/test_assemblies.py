"""Assemblies by closed forms against multi-start, counts of the theory of dyads, lengths, and toggles."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.analyses.kinematics import assemblies as search
from particlemech.analyses.kinematics import plane
from particlemech.analyses.kinematics.dyads import solved
from particlemech.errors import ModelError
from particlemech.model.signals import Linear


def made(points, bodies, drive, **joints):
    """Return a mechanism without masses: points and bodies by letters, joints by what they are, a motion at rest."""
    kinds = {"pin": pm.joints.Revolute, "slide": pm.joints.Prismatic, "slot": pm.joints.Slot}
    found = {}
    for name, (kind, point, of, *axis) in joints.items():
        more = {"axis": axis[0]} if axis else {}
        found[name] = kinds[kind](point=point, bodies=tuple(of.split()), **more)
    return pm.Mechanism(
        points=points,
        bodies={name: pm.Body(points=tuple(letters)) for name, letters in bodies.items()},
        joints=found,
        drivers=drive,
    )


def turning(joint, value=0.3, **more):
    """Return a driver at rest."""
    return {"motor": pm.drivers.Coordinate(joint=joint, motion=value, **more)}


CRANK = {"O": (0.0, 0.0), "A": (0.0, 0.1)}
PINNED = {"O": ("pin", "O", "ground crank")}


def crank_rocker(**more):
    """Return a four-bar whose crank goes round."""
    return made(
        CRANK | {"B": (0.35, 0.3), "C": (0.3, 0.0)},
        {"crank": "OA", "coupler": "AB", "rocker": "BC"},
        turning("O"),
        **PINNED,
        A=("pin", "A", "crank coupler"),
        B=("pin", "B", "coupler rocker"),
        C=("pin", "C", "ground rocker"),
    ).replaced(**more)


def slider_crank():
    """Return an offset slider-crank, RRP."""
    return made(
        CRANK | {"B": (0.3, -0.03)},
        {"crank": "OA", "rod": "AB", "slider": "B"},
        turning("O"),
        **PINNED,
        A=("pin", "A", "crank rod"),
        B=("pin", "B", "rod slider"),
        guide=("slide", "B", "ground slider", (1.0, 0.2)),
    )


def inverted(offset=0.0):
    """Return an inverted slider-crank: a block on the crank pin slides along a lever, RPR."""
    return made(
        CRANK | {"C": (offset, -0.25), "D": (offset, 0.3)},
        {"crank": "OA", "block": "A", "lever": "CD"},
        turning("O"),
        **PINNED,
        A=("pin", "A", "crank block"),
        C=("pin", "C", "ground lever"),
        slide=("slide", "A", "lever block", (0.0, 1.0)),
    )


def yoke():
    """Return a Scotch yoke with a block, RPP."""
    return made(
        CRANK | {"B": (0.2, 0.1)},
        {"crank": "OA", "block": "A", "yoke": "B"},
        turning("O"),
        **PINNED,
        A=("pin", "A", "crank block"),
        slit=("slide", "A", "yoke block", (0.1, 1.0)),
        guide=("slide", "B", "ground yoke", (1.0, 0.0)),
    )


def crossed():
    """Return two slides, one in the crank and one on the ground, pinned to each other: PRP."""
    return made(
        CRANK | {"B": (0.2, 0.1)},
        {"crank": "OA", "one": "B", "other": "B"},
        turning("O"),
        **PINNED,
        spoke=("slide", "B", "crank one", (1.0, 0.2)),
        B=("pin", "B", "one other"),
        guide=("slide", "B", "ground other", (0.0, 1.0)),
    )


def trammel():
    """Return a trammel of Archimedes: two points of a rod on two lines, the travel of one driven."""
    return made(
        {"A": (0.3, 0.0), "B": (0.0, 0.4), "P": (0.5, -0.1)},
        {"rod": "ABP"},
        turning("x", -0.1, coordinate="travel"),
        x=("slot", "A", "ground rod", (1.0, 0.0)),
        y=("slot", "B", "ground rod", (0.0, 1.0)),
    )


def cylinder():
    """Return an arm lifted by a cylinder of two bodies, whose travel is driven."""
    return made(
        {"O": (0.0, 0.0), "C": (0.1, -0.3), "D": (0.25, -0.1), "E": (0.4, 0.1), "F": (0.9, 0.3)},
        {"arm": "OEF", "barrel": "C", "piston": "DE"},
        turning("stroke", 0.05),
        O=("pin", "O", "ground arm"),
        C=("pin", "C", "ground barrel"),
        E=("pin", "E", "arm piston"),
        stroke=("slide", "D", "barrel piston", (3.0, 4.0)),
    )


def lifted():
    """Return an arm lifted by a driver along the line of two points."""
    m = made({"O": (0.0, 0.0), "C": (0.1, -0.3), "E": (0.4, 0.1)}, {"arm": "OE"}, {}, O=("pin", "O", "ground arm"))
    return m.replaced(drivers={"motor": pm.drivers.Distance(points=("C", "E"), motion=0.05)})


def barred():
    """Return a four-bar whose coupler is a massless bar of its own length."""
    bar = pm.joints.Distance(points=("A", "B"), bodies=("crank", "rocker"), length=0.41)
    m = crank_rocker()
    gone = dict.fromkeys("AB")
    return m.replaced(bodies={"coupler": None}, joints=gone | {"bar": bar})


def welded():
    """Return a four-bar whose rocker is welded of two bodies, with a coupler that is not as drawn."""
    m = crank_rocker(points={"B2": (0.5, 0.5), "E": (0.6, 0.1)}, bodies={"coupler": {"length": 0.4}})
    return m.replaced(
        bodies={"rocker": pm.Body(points=("B2", "C")), "arm": pm.Body(points=("B", "E"))},
        joints={
            "B": pm.joints.Revolute(point="B", bodies=("coupler", "arm")),
            "seam": pm.joints.Weld(bodies=("arm", "rocker")),
        },
    )


def pushed():
    """Return a body that two drivers carry by a point, and a bar holds."""
    m = pm.Mechanism(
        points={"A": (0.2, 0.1), "B": (0.5, 0.2), "C": (0.4, -0.3)},
        bodies={"plate": pm.Body(points=("A", "B"))},
        joints={"bar": pm.joints.Distance(points=("C", "B"), bodies=("ground", "plate"))},
        drivers={"x": pm.drivers.Position(point="A", axis="x", motion=0.05)},
    )
    return m.replaced(drivers={"y": pm.drivers.Position(point="A", axis="y", motion=-0.02)})


def parallel():
    """Return a coupler that a driver keeps from turning between a turning pin and a swinging rocker."""
    m = crank_rocker()
    return m.replaced(drivers={"motor": pm.drivers.Rotation(bodies=("coupler", "rocker"), motion=0.1)})


def jansen():
    """Return a leg of Jansen: three dyads of pins behind the crank."""
    # crank pin Z; upper triangle Y B D, lower triangle C E F, which meet the rods in C
    a, low, m = 38.0, 7.8, 15.0
    Y, Z = (-a, -low), (m * math.cos(0.4), m * math.sin(0.4))
    B = _crossing(Y, 41.5, Z, 50.0, 1.0)
    D = _crossing(Y, 40.1, B, 55.8, -1.0)
    C = _crossing(Y, 39.3, Z, 61.9, -1.0)
    E = _crossing(D, 39.4, C, 36.7, -1.0)
    F = _crossing(E, 65.7, C, 49.0, 1.0)
    return made(
        {"O": (0.0, 0.0), "Y": Y, "Z": Z, "B": B, "C": C, "D": D, "E": E, "F": F},
        {"crank": "OZ", "j": "ZB", "upper": "YBD", "k": "ZC", "c": "YC", "f": "DE", "lower": "CEF"},
        turning("O", 0.2),
        O=("pin", "O", "ground crank"),
        Y=("pin", "Y", "ground upper c"),
        Z=("pin", "Z", "crank j k"),
        B=("pin", "B", "j upper"),
        C=("pin", "C", "k c lower"),
        D=("pin", "D", "upper f"),
        E=("pin", "E", "f lower"),
    )


def _crossing(P, p, Q, q, side):
    """Return the place at p from P and q from Q, to the left of P -> Q for side 1."""
    P, d = complex(*P), complex(*Q) - complex(*P)
    x = (p * p - q * q + abs(d) ** 2) / (2.0 * abs(d))
    at = P + d / abs(d) * complex(x, side * math.sqrt(p * p - x * x))
    return at.real, at.imag


WAYS = {  # what is asked, and how many there are
    "crank-rocker": (crank_rocker, {}, 2),
    "offset slider-crank": (slider_crank, {}, 2),
    "quick return": (lambda: pm.models.load("quick_return"), {"at": 0.4}, 2),
    "inverted slider-crank": (inverted, {}, 2),
    "inverted slider-crank, offset": (lambda: inverted(0.04), {}, 2),
    "Scotch yoke": (yoke, {}, 1),
    "crossed slides": (crossed, {}, 1),
    "trammel": (trammel, {}, 2),
    "cylinder of bodies": (cylinder, {}, 2),
    "cylinder as a driver": (lifted, {}, 2),
    "massless bar": (barred, {}, 2),
    "welded rocker": (welded, {}, 2),
    "two coordinates of a point": (pushed, {}, 2),
    "rocker held to the coupler": (parallel, {}, 2),
    "six-bar": (lambda: pm.models.load("stephenson_six_bar"), {"at": 0.7}, 4),
    "squeezer": (lambda: pm.models.load("andrews_squeezer"), {"driver": "O", "at": 0.1}, 4),
    "leg of Jansen": (jansen, {}, 8),
}


# not one of 2000 random poses leads to where lever and block are turned over together; see the next test but one
MISSED = {"inverted slider-crank": 1, "inverted slider-crank, offset": 1}


def seen(found):
    """Return the places of all points and the directions of all bodies, one row for each way."""
    m = found[0].system.mechanism
    L = found[0].system.scale.length
    rows = []
    for one in found:
        angles = np.array([one.angle(b)[0] for b in m.bodies])
        places = [one[p][0] / L for p in m.points] + [one.com(b)[0] / L for b in m.bodies if not m.massless]
        rows.append(np.concatenate([np.ravel(places), np.cos(angles), np.sin(angles)]))
    return np.array(rows)


@pytest.mark.parametrize("name", WAYS)
def test_closed_forms_give_all_ways_and_the_one_in_which_it_stands_first(name, monkeypatch):
    build, asked, count = WAYS[name]
    model = build()
    found = pm.assemblies(model, **asked)
    assert found.complete and found.counts == () and len(found) == count and "complete" in repr(found)
    monkeypatch.setattr(search, "_solved", lambda *of: None)
    others = pm.assemblies(model, **asked)
    assert not others.complete and len(others) == count - MISSED.get(name, 0)
    one, other = seen(found), seen(others)
    apart = np.abs(one[:, None] - other[None]).max(axis=2)
    assert np.all(apart.min(axis=0) < 1e-10) and len(set(apart.argmin(axis=0))) == len(others)
    assert apart[0, 0] < 1e-10
    assert all(max(way.closure[0]) < 1e-12 * way.system.scale.length for way in found)


@pytest.mark.parametrize("name", WAYS)
def test_bodies_keep_their_lengths_in_all_ways(name):
    build, asked, _ = WAYS[name]
    model = build()
    for way in pm.assemblies(model, **asked):
        for b, body in model.bodies.items():
            for p in body.points:
                for q in body.points:
                    wanted = math.dist(model.place(p, b), model.place(q, b))
                    size = way.system.scale.length
                    assert abs(np.linalg.norm(way[p][0] - way[q][0]) - wanted) < 1e-12 * size


@pytest.mark.parametrize("offset", [0.0, 0.04])
def test_a_lever_points_from_its_pin_past_a_block_or_away_from_it(offset):
    found = pm.assemblies(inverted(offset))
    A = 0.1 * np.array([-math.sin(0.3), math.cos(0.3)])
    x, y = A - [offset, -0.25]
    # in the lever the block lies at (-offset, h) from the pin, h of either sign
    h = math.sqrt(x * x + y * y - offset**2)
    wanted = [math.atan2(y, x) - math.atan2(side * h, -offset) for side in (1.0, -1.0)]
    for way, angle in zip(found, wanted, strict=True):
        assert abs(math.remainder(way.angle("lever")[0] - angle, 2.0 * math.pi)) < 1e-13
        assert abs(math.remainder(way.angle("block")[0] - angle, 2.0 * math.pi)) < 1e-13


def test_a_six_bar_that_is_driven_elsewhere_is_searched_and_says_so():
    model = pm.models.load("stephenson_six_bar")
    found = pm.assemblies(model, driver="F", at=0.0)
    assert solved(found[0].system.mechanism, 0.0) is None
    assert not found.complete and len(found) == len(found.counts) and min(found.counts) > 1
    assert "there may be others" in repr(found)


@pytest.mark.parametrize(
    "fault", [lambda poses: poses[1:], lambda poses: [p._replace(com=p.com + 1e-6) for p in poses]]
)
def test_closed_forms_that_miss_the_rows_or_where_it_stands_are_not_believed(fault, monkeypatch):
    assert pm.assemblies(crank_rocker()).complete
    monkeypatch.setattr(plane, "solved", lambda *of: fault(solved(*of)))
    found = pm.assemblies(crank_rocker())
    assert not found.complete and len(found) == 2


def test_gears_are_searched():
    gear = pm.joints.Coupling(joints=("O", "C"), ratio=-2.0)
    gone = dict.fromkeys("AB")
    model = crank_rocker(bodies={"coupler": None}, joints=gone | {"gear": gear})
    found = pm.assemblies(model)
    assert not found.complete and found[0].angle("rocker")[0] == pytest.approx(-0.6, abs=1e-12)


def test_a_toggle_is_one_way():
    model = pm.models.load("slider_crank")
    assert len(pm.assemblies(model, driver="guide", at=-0.05)) == 2
    at_it = pm.assemblies(model, driver="guide", at=0.0)
    assert at_it.complete and len(at_it) == 1


def test_a_double_way_counts_once_among_others():
    # N-four-bar: where the first loop crosses, its crank lies flat, and the second loop has but one way, a toggle
    found = pm.assemblies(pm.models.load("n_four_bar"), driver="A0", at=-0.3)
    assert found.complete and len(found) == 3
    cranks = [[way.angle(f"crank{k}")[0] for k in range(3)] for way in found]
    flat = math.pi / 2.0
    for wanted in ([-0.3, -0.3, -0.3], [-0.3, flat, flat], [-0.3, -0.3, flat]):
        assert min(np.abs(np.array(one) - wanted).max() for one in cranks) < 1e-12


def test_out_of_reach_is_said_in_one_line():
    model = pm.models.load("slider_crank")
    with pytest.raises(ModelError, match=r"^assemblies: it does not fit together at 0.01: .* reach where it must$"):
        pm.assemblies(model, driver="guide", at=0.01)


def test_a_body_that_is_free_in_one_of_the_ways_is_not_passed_over():
    # four links of one length, the crank turned onto the ground link
    model = made(
        {"O": (0.0, 0.0), "A": (0.0, 0.2), "B": (0.2, 0.2), "C": (0.2, 0.0)},
        {"crank": "OA", "coupler": "AB", "rocker": "BC"},
        turning("O", -math.pi / 2.0),
        O=("pin", "O", "ground crank"),
        A=("pin", "A", "crank coupler"),
        B=("pin", "B", "coupler rocker"),
        C=("pin", "C", "ground rocker"),
    )
    assert solved(model, 0.0) is None  # A lies in C: coupler and rocker turn together about it
    assert len(solved(model.replaced(drivers=turning("O", -1.0)), 0.0)) == 2


@pytest.mark.parametrize("value", [0.2, 3.0])
def test_a_driver_that_rests_or_goes_back_is_not_half_a_turn_off(value, monkeypatch):
    monkeypatch.setattr(search, "_solved", lambda *of: None)
    for rate in (0.0, -1.0):
        model = crank_rocker(drivers={"motor": {"motion": Linear(rate=rate, offset=value)}})
        found = pm.assemblies(model)
        assert len(found) == 2
        assert all(abs(math.remainder(way.angle("crank")[0] - value, 2.0 * math.pi)) < 1e-12 for way in found)


# -- where ways merge --------------------------------------------------------------------------------------------------


def test_a_six_bar_folds_where_two_of_its_ways_merge():
    # links to the output that are too short for the crank to go round
    model = pm.models.load("stephenson_six_bar").replaced(points={"E": (0.45, 0.3)})
    folds = [toggle.value for toggle in pm.toggles(model).toggles]
    assert len(folds) == 2

    def ways(s):
        return solved(model.replaced(drivers={"motor": {"motion": s}}), 0.0)

    every = np.linspace(-math.pi, math.pi, 361)
    counts = [len(ways(s)) for s in every]
    assert set(counts) <= {0, 2, 4} and max(counts) == 4
    merging = []
    for a, b, m, n in zip(every, every[1:], counts, counts[1:], strict=False):
        many, few = (a, b) if m > n else (b, a)
        while m != n and abs(few - many) > 1e-13:
            middle = 0.5 * (many + few)
            many, few = (middle, few) if len(ways(middle)) == max(m, n) else (many, middle)
        if m != n:
            merging.append(many)
            angles = np.array([way.angle for way in ways(many)])
            apart = [
                np.abs(np.exp(1j * one) - np.exp(1j * other)).max()
                for k, one in enumerate(angles)
                for other in angles[:k]
            ]
            assert min(apart, default=0.0) < 1e-5  # as the root of what is left of the bisection, or already one
    for fold in folds:
        assert min(abs(math.remainder(fold - s, 2.0 * math.pi)) for s in merging) < 1e-8


def test_full_turns_of_a_driver_lead_to_the_same_ways():
    linkage = pm.models.load("rssr")
    here, later = (pm.assemblies(linkage, at=0.3 + turns * 2.0 * math.pi, driver="O") for turns in (0, 2))
    assert len(here) == len(later) == 2
    for one, other in zip(here, later, strict=True):
        assert one["B"] == pytest.approx(other["B"], abs=1e-9)
