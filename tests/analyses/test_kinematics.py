"""Cycles, toggles, change points and assemblies against closed forms, vector loops and integrated runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech.analyses import loops
from particlemech.errors import ModelError, SimulationError

ROD = {"mass": 1.0}


def linked(O, A, B, C, **more):
    """Return a four-bar of uniform rods."""
    pins = {"O": ("ground", "crank"), "A": ("crank", "coupler"), "B": ("coupler", "rocker"), "C": ("ground", "rocker")}
    return pm.Mechanism(
        points={"O": tuple(O), "A": tuple(A), "B": tuple(B), "C": tuple(C)},
        bodies={
            "crank": pm.Body(points=("O", "A"), **ROD),
            "coupler": pm.Body(points=("A", "B"), **ROD),
            "rocker": pm.Body(points=("B", "C"), **ROD),
        },
        joints={name: pm.joints.Revolute(point=name, bodies=of) for name, of in pins.items()},
        **more,
    )


def four_bar(g, a, b, c, angle, side=1.0):
    """Return a four-bar with links g, a, b, c on ground, crank, coupler, rocker, its crank at an angle."""
    A = np.array([a * math.cos(angle), a * math.sin(angle)])
    return linked((0.0, 0.0), A, joint_of(A, b, np.array([g, 0.0]), c, side), (g, 0.0))


def joint_of(A, b, C, c, side):
    """Return the point at b from A and c from C, to the left of A -> C for side 1."""
    d = np.linalg.norm(C - A)
    u = (C - A) / d
    x = (b * b - c * c + d * d) / (2.0 * d)
    return A + x * u + side * math.sqrt(b * b - x * x) * np.array([-u[1], u[0]])


# -- cycles in the plane -----------------------------------------------------------------------------------------------

LINKS = (0.4, 0.1, 0.35, 0.3)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_crank_rocker_over_a_turn_is_that_of_freudenstein(side):
    begin = 0.7
    found = pm.cycle(four_bar(*LINKS, begin, side), driver="O", samples=73)
    angle = begin + found.coordinate("O")
    B = np.array([joint_of(A, LINKS[2], np.array([LINKS[0], 0.0]), LINKS[3], side) for A in found["A"]])
    assert np.abs(found["B"] - B).max() < 1e-13
    assert np.abs(found["A"] - LINKS[1] * np.column_stack([np.cos(angle), np.sin(angle)])).max() < 1e-14
    psi = np.arctan2(B[:, 1], B[:, 0] - LINKS[0])
    g, a, b, c = LINKS
    # Freudenstein's equation and its first and second derivatives by time, the crank at 1 rad/s
    K1, K2, K3 = g / a, g / c, (a * a - b * b + c * c + g * g) / (2.0 * a * c)
    w, e = found.omega("rocker"), found.alpha("rocker")
    assert np.abs(K1 * np.cos(psi) - K2 * np.cos(angle) + K3 - np.cos(angle - psi)).max() < 1e-12
    assert np.abs(-K1 * np.sin(psi) * w + K2 * np.sin(angle) + np.sin(angle - psi) * (1.0 - w)).max() < 1e-12
    second = -K1 * (np.cos(psi) * w * w + np.sin(psi) * e) + K2 * np.cos(angle)
    second += np.cos(angle - psi) * (1.0 - w) ** 2 - np.sin(angle - psi) * e
    assert np.abs(second).max() < 1e-11


def test_an_offset_slider_crank_is_its_closed_form():
    r, l, h = 0.1, 0.35, 0.05
    slider = pm.Mechanism(
        points={"O": (0.0, 0.0), "A": (r, 0.0), "B": (r + math.sqrt(l * l - h * h), h)},
        bodies={
            "crank": pm.Body(points=("O", "A"), **ROD),
            "rod": pm.Body(points=("A", "B"), **ROD),
            "slider": pm.Body(points=("B",), com=(r + math.sqrt(l * l - h * h), h), inertia=0.01, **ROD),
        },
        joints={
            "O": pm.joints.Revolute(point="O", bodies=("ground", "crank")),
            "A": pm.joints.Revolute(point="A", bodies=("crank", "rod")),
            "B": pm.joints.Revolute(point="B", bodies=("rod", "slider")),
            "guide": pm.joints.Prismatic(point="B", bodies=("ground", "slider"), axis=(1.0, 0.0)),
        },
        drivers={"motor": pm.drivers.Coordinate(joint="O", motion=pm.signals.Linear(rate=3.0))},
    )
    found = pm.cycle(slider, driver="motor", samples=50)
    s, c = np.sin(found.coordinate("O")), np.cos(found.coordinate("O"))
    root = np.sqrt(l * l - (h - r * s) ** 2)
    assert np.abs(found["B"][:, 0] - (r * c + root)).max() < 1e-14
    assert np.abs(found.velocity("B")[:, 0] - 3.0 * (-r * s + (h - r * s) * r * c / root)).max() < 1e-13
    ends = sorted(one.value for one in pm.toggles(slider, "guide").toggles)
    far = [math.sqrt((l + r) ** 2 - h * h), math.sqrt((l - r) ** 2 - h * h)]
    assert np.allclose(ends, sorted(x - slider.points["B"][0] for x in far), rtol=0.0, atol=1e-12)


def test_a_cycle_is_the_run_of_the_same_mechanism():
    for name in ("stephenson_six_bar", "quick_return"):
        model = pm.models.load(name)
        found, run = pm.cycle(model), pm.simulate(model)
        for p in model.points:
            assert np.abs(found[p] - run[p]).max() < 1e-12
            assert np.abs(found.velocity(p) - run.velocity(p)).max() < 1e-10
            assert np.abs(found.acceleration(p) - run.acceleration(p)).max() < 1e-8
        effort = run.effort("motor")
        assert np.abs(found.effort("motor") - effort).max() < 1e-8 * np.abs(effort).max()


def test_a_range_goes_at_the_drivers_own_rate_and_either_way():
    model = pm.models.load("stephenson_six_bar")
    found = pm.cycle(model, driver="motor", range=(1.0, -0.5), samples=7)
    assert np.allclose(found.coordinate("O"), np.linspace(1.0, -0.5, 7), rtol=0.0, atol=1e-13)
    assert np.allclose(found.rate("O"), -2.0 * math.pi)
    assert math.isclose(found.t[-1], 1.5 / (2.0 * math.pi))


# -- toggles -----------------------------------------------------------------------------------------------------------


def across(a, b):
    return a[0] * b[1] - a[1] * b[0]


def stretched(g, a, b, c):
    """Return the crank angles at which coupler and rocker lie on one line, by the law of cosines."""
    sums = ((a * a + g * g - x * x) / (2.0 * a * g) for x in (b + c, b - c))
    return sorted(sign * math.acos(x) for x in sums if abs(x) <= 1.0 for sign in (1.0, -1.0))


@pytest.mark.parametrize(
    ("links", "kind", "count"),
    [((0.4, 0.3, 0.2, 0.35), "double rocker", 2), ((0.5, 0.3, 0.25, 0.2), "triple rocker", 2)],
)
def test_toggles_of_rockers_are_those_of_the_law_of_cosines(links, kind, count):
    begin = 0.8 if kind == "double rocker" else 0.3
    found = pm.toggles(four_bar(*links, begin), "O")
    every = np.array(stretched(*links)) - begin
    assert found.grashof.kind == kind
    assert len(found.toggles) == count and found.closed
    for one in found.toggles:
        assert np.abs(every - one.value).min() < 1e-10
        assert abs(across(one.pose["B"][0] - one.pose["A"][0], one.pose["C"][0] - one.pose["B"][0])) < 1e-10
    ends = found.limits["O"]
    assert ends == (min(t.value for t in found.toggles), max(t.value for t in found.toggles))


def test_a_cycle_ends_at_its_toggle_with_the_exact_place():
    links, begin = (0.4, 0.3, 0.2, 0.35), 0.8
    exact = min(t - begin for t in stretched(*links) if t > begin)
    with pytest.raises(SimulationError, match=r'locked: driver "O driven" at .* rad turns back there') as stopped:
        pm.cycle(four_bar(*links, begin), driver="O", range=(0.0, 6.0), samples=601)
    found = stopped.value.result
    assert found.status is pm.Status.LOCKED
    assert abs(found.stats["stopped"] - exact) < 1e-10
    assert found.coordinate("O")[-1] <= exact < found.coordinate("O")[-1] + 0.01


def test_without_a_range_a_rocker_goes_between_its_toggles():
    links, begin = (0.4, 0.3, 0.2, 0.35), 0.8
    found = pm.cycle(four_bar(*links, begin), driver="O", samples=10)
    low, high = pm.toggles(four_bar(*links, begin), "O").limits["O"]
    assert np.allclose(found.coordinate("O"), low + (np.arange(10) + 0.5) / 10 * (high - low), rtol=0.0, atol=1e-9)


def test_dead_points_of_an_output_are_extremes_and_no_toggles():
    """A crank-rocker: its rocker turns back where crank and coupler are on one line."""
    _, a, b, _ = LINKS
    found = pm.toggles(four_bar(*LINKS, 0.7), "O")
    assert not found.toggles and not found.change_points
    of_rocker = [one for one in found.dead_points if one.joint == "C"]
    assert len(of_rocker) == 2
    for one in of_rocker:
        O, A, B = (one.pose[p][0] for p in "OAB")
        assert abs(across(A - O, B - A)) < 1e-12
        distance = math.hypot(*(B - O))
        assert min(abs(distance - (b + a)), abs(distance - (b - a))) < 1e-12
    assert found.limits["O"] is None
    assert found.limits["C"] == (min(d.at for d in of_rocker), max(d.at for d in of_rocker))


# -- change points -----------------------------------------------------------------------------------------------------


def test_a_parallelogram_has_two_change_points_with_both_branches():
    g, a, begin = 0.4, 0.2, 1.0
    found = pm.toggles(four_bar(g, a, g, a, begin), "O")
    assert found.grashof.kind == "change point" and not found.toggles
    assert np.allclose([one.value for one in found.change_points], [math.pi - begin, 2.0 * math.pi - begin], atol=1e-10)
    for one, way in zip(found.change_points, (1.0, -1.0), strict=True):
        # with crank and rocker on the line of the ground, both ways carry B at the same height as A or against it:
        # omega_2 = omega_3 of the parallel, omega_3/omega_2 = (g + way a) / (g - way a) of the crossed one
        ratios = sorted(branch["C"] / branch["O"] for branch in one.branches)
        crossed = -(g - way * a) / (g + way * a) if way > 0.0 else -(g + a) / (g - a)
        assert np.allclose(ratios, sorted([1.0, crossed]), atol=1e-7)


def test_a_parallelogram_stays_parallel_through_its_change_points():
    model = four_bar(0.4, 0.2, 0.4, 0.2, 1.0)
    with pytest.raises(SimulationError, match=r"change point: at .* 2\.14159265\d* rad branches cross"):
        pm.cycle(model, driver="O")
    found = pm.cycle(model, driver="O", through=True, range=(0.0, 4.0 * math.pi), samples=721)
    assert np.abs(found.angle("coupler")).max() < 1e-9
    assert np.abs(found.omega("rocker") - 1.0).max() < 1e-7
    exact = pm.cycle(model, driver="O", through=True, range=(0.0, math.pi - 1.0), samples=3)  # a sample upon it
    assert (
        np.abs(exact.omega("coupler")).max() < 1e-9
        and np.abs(exact.angle("rocker") - exact.angle("crank")).max() < 1e-9
    )


def test_a_third_arm_changes_nothing():
    model = pm.models.load("parallel_cranks")
    found = pm.toggles(model, "O1")
    assert np.allclose([one.value for one in found.change_points], [0.5 * math.pi, 1.5 * math.pi], atol=1e-10)
    turned = pm.cycle(model, driver="O1", range=(0.0, 1.0), samples=5)
    assert np.abs(turned.angle("crank3") - turned.coordinate("O1")).max() < 1e-13


def parallelograms(tilt):
    """Return two parallelograms in a row, the ground of the second at an angle to that of the first."""
    arm, ground = 0.2 * np.array([math.cos(1.0), math.sin(1.0)]), [(0.0, 0.0), (0.5, 0.0)]
    ground.append((0.5 + 0.4 * math.cos(tilt), 0.4 * math.sin(tilt)))
    points = {f"O{k}": at for k, at in enumerate(ground)} | {f"A{k}": tuple(at + arm) for k, at in enumerate(ground)}
    bodies = {f"arm{k}": pm.Body(points=(f"O{k}", f"A{k}")) for k in range(3)}
    bodies |= {f"bar{k}": pm.Body(points=(f"A{k}", f"A{k + 1}")) for k in range(2)}
    pin = pm.joints.Revolute
    joints = {f"O{k}": pin(point=f"O{k}", bodies=("ground", f"arm{k}")) for k in range(3)}
    ends = (("arm0", "bar0"), ("arm1", "bar0", "bar1"), ("arm2", "bar1"))
    joints |= {f"A{k}": pin(point=f"A{k}", bodies=on) for k, on in enumerate(ends)}
    return pm.Mechanism(points=points, bodies=bodies, joints=joints)


@pytest.mark.parametrize("tilt", [0.0, 0.01, 0.3])
def test_change_points_of_two_loops_are_told_where_they_come_at_once_too(tilt):
    """Each loop goes on parallel or crossed: at once in four ways, whose ratios are products; a tilt parts them."""
    found = pm.toggles(parallelograms(tilt), "O0")
    crossed = [-(g - 0.2) / (g + 0.2) for g in (0.5, 0.4)]
    ways = [[1.0, crossed[0], crossed[1], crossed[0] * crossed[1]]] if not tilt else [[1.0, c] for c in crossed]
    for k, wanted in enumerate(ways + [[1.0 / ratio for ratio in of] for of in ways]):
        one = found.change_points[k]
        late = tilt if tilt and k % 2 else 0.0
        assert one.value == pytest.approx(math.pi * (1 + k // len(ways)) - 1.0 + late, abs=1e-9)
        of = "O2" if not tilt or k % 2 else "O1"
        assert sorted(b[of] / b["O0"] for b in one.branches) == pytest.approx(sorted(wanted), rel=1e-7)
    assert len(found.change_points) == 2 * len(ways)


def test_a_cycle_ends_where_two_loops_change_at_once_and_goes_through_if_it_is_asked_to():
    model = parallelograms(0.0)
    with pytest.raises(SimulationError, match=r"change point: at .* 2\.14159265\d* rad branches cross"):
        pm.cycle(model, driver="O0", samples=37)
    found = pm.cycle(model, driver="O0", samples=37, through=True)
    assert np.abs(found.angle("bar0")).max() < 1e-9 and np.abs(found.omega("bar1")).max() < 1e-7


# -- space -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rssr", "spatial_slider_crank", "universal_shaft"])
def test_a_cycle_in_space_is_that_of_the_vector_loops(name):
    model, t = pm.models.load(name), np.linspace(0.0, 0.5, 6)
    found, vectors = pm.cycle(model, times=t), loops.cycle(model, t)
    for p in model.points:
        assert np.abs(found[p] - vectors[p]).max() < 1e-12
        assert np.abs(found.velocity(p) - vectors.velocity(p)).max() < 1e-10
        assert np.abs(found.acceleration(p) - vectors.acceleration(p)).max() < 1e-8
    assert np.allclose(found.effort("motor"), vectors.effort("motor"), rtol=1e-8, atol=1e-10)
    of = next(d.joint for d in model.drivers.values())
    assert np.allclose(found.motors([of])[of], found.effort("motor"), rtol=1e-8, atol=1e-10)


def test_an_rssr_has_two_assemblies_and_its_toggle():
    model = pm.models.load("rssr")
    found, vectors = pm.assemblies(model), loops.assemblies(model)
    assert len(found) == len(vectors) == 2 and not found.complete and min(found.counts) > 1
    assert np.abs(np.array([a["B"][0] for a in found]) - [v["B"][0] for v in vectors]).max() < 1e-12
    lower = pm.cycle(model, start=found[1])
    upper = pm.cycle(model)
    assert np.abs(upper["B"] * [1, 1, -1] - lower["B"]).max() < 1e-12
    long = model.replaced(points={"A": (0.3, 0.0, 0.0)})
    exact = math.atan2(0.12, 0.06) + math.acos(0.035 / math.hypot(0.06, 0.12))
    assert min(abs(one.value - exact) for one in pm.toggles(long).toggles) < 1e-10


def test_an_over_constrained_bennett_is_driven_round():
    found = pm.cycle(pm.models.load("bennett"), driver="A", samples=13)
    for p in ("B", "C"):
        assert np.abs(found[p][-1] - found[p][0]).max() < 1e-12
    assert np.ptp(np.linalg.norm(found["C"] - found["B"], axis=1)) < 1e-14
    # Bennett: tan(theta/2) tan(phi/2) is constant, angles of neighbouring hinges from their common zero
    assert pm.toggles(pm.models.load("bennett"), "A").closed


# -- assemblies --------------------------------------------------------------------------------------------------------


def test_a_six_bar_has_four_assemblies_each_of_which_can_be_followed():
    model = pm.models.load("stephenson_six_bar")
    found = pm.assemblies(model)
    assert len(found) == 4
    lengths = {pair: math.dist(model.points[pair[0]], model.points[pair[1]]) for pair in ("AB", "BC", "AD", "DE", "EF")}
    for one in found:
        for (p, q), wanted in lengths.items():
            assert abs(np.linalg.norm(one[p][0] - one[q][0]) - wanted) < 1e-12
    assert np.abs(found[0]["E"][0] - model.points["E"]).max() < 1e-12
    run = pm.simulate(model, start=found[1], duration=0.05, samples=3)
    assert np.abs(run["E"][0] - found[1]["E"][0]).max() < 1e-9
    followed = pm.cycle(model, start=found[1], times=run.t, throw=False)
    assert np.abs(followed["E"] - run["E"]).max() < 1e-8


# -- masses that are not known -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "driver"), [("stephenson_six_bar", "motor"), ("rssr", "motor"), ("bennett", "A")])
def test_motion_needs_no_masses(name, driver):
    whole = pm.models.load(name)
    bare = whole.replaced(bodies={b: {"mass": None, "inertia": None, "com": None} for b in whole.bodies})
    one, other = (pm.cycle(m, driver=driver, samples=13) for m in (whole, bare))
    for p in whole.points:
        for what in ("__getitem__", "velocity"):
            assert np.abs(getattr(one, what)(p) - getattr(other, what)(p)).max() < 1e-12
        size = np.abs(one.acceleration(p)).max() + 1.0
        assert np.abs(one.acceleration(p) - other.acceleration(p)).max() < 1e-9 * size
    assert [t.value for t in pm.toggles(bare, driver).toggles] == pytest.approx(
        [t.value for t in pm.toggles(whole, driver).toggles], abs=1e-10
    )
    body = next(iter(whole.bodies))
    assert f"{body}.alpha" in other.columns() or f"{body}.alpha_x" in other.columns()
    assert not any(name.startswith("energy") or name.endswith(("effort", ".fx")) for name in other.columns())
    joint = next(iter(whole.joints))
    for ask in (
        lambda: other.reaction(joint, on=whole.joints[joint].bodies[1]),
        lambda: other.energy,
        lambda: other.com(body),
        lambda: other.momentum,
    ):
        with pytest.raises(ModelError, match=f'needs masses, and that of "{body}"'):
            ask()
    for verb in (pm.simulate, pm.validate, pm.explain):
        with pytest.raises(ModelError, match=rf'needs masses: give bodies "{body}"'):
            verb(bare)


def test_a_mass_that_is_not_known_is_not_written_down(tmp_path):
    bare = pm.models.load("four_bar").replaced(bodies={"rocker": {"mass": None}})
    with pytest.raises(ModelError, match='simulate needs masses: give body "rocker" a mass'):
        pm.simulate(bare)
    assert pm.load(pm.save(bare, tmp_path / "bare.toml")) == bare
    found = pm.cycle(bare, driver="O", samples=5)
    assert found.system.mechanism.bodies["rocker"].mass is None
    assert "mass = 1.0" not in found.provenance["model_text"]


# -- odd input ---------------------------------------------------------------------------------------------------------

REFUSED = {
    "nothing driven": (lambda: pm.cycle(pm.models.load("four_bar")), 'name a joint to be driven, driver = one of "O"'),
    "a driver that is none": (
        lambda: pm.cycle(pm.models.load("stephenson_six_bar"), driver="motr"),
        'no driver or joint "motr" (did you mean "motor"?)',
    ),
    "two drivers": (
        lambda: pm.toggles(pm.models.load("stewart_platform")),
        "say which one leads, driver = one of",
    ),
    "too few": (
        lambda: pm.cycle(pm.models.load("double_pendulum"), driver="O"),
        "keeps 1 more degree(s) of freedom",
    ),
    "out of reach": (
        lambda: pm.cycle(four_bar(0.4, 0.3, 0.2, 0.35, 0.8), driver="O", range=(3.0, 4.0)),
        "3 cannot be reached: followed from 0, where it stands, the driver turns back at 0.99",
    ),
    "a range that is none": (
        lambda: pm.cycle(pm.models.load("four_bar"), driver="O", range=(1.0, 1.0)),
        "range must be two different numbers",
    ),
    "a start that is none": (lambda: pm.cycle(pm.models.load("rssr"), start=3), "start: one of the mechanism's"),
    "times that decrease": (lambda: pm.cycle(pm.models.load("rssr"), times=[1.0, 0.0]), "increasing finite numbers"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_asked_is_refused_in_one_line(name):
    ask, words = REFUSED[name]
    with pytest.raises(ModelError) as caught:
        ask()
    assert words in str(caught.value) and str(caught.value).isprintable()


def without_masses(m):
    """Return a mechanism whose masses are not known."""
    bodies = {name: {"mass": None, "com": None, "inertia": None} for name in m.bodies}
    return m.replaced(bodies=bodies, check=type(m.check)())


def test_measures_of_motion_need_no_masses():
    known = pm.models.load("four_bar")
    one, other = (pm.cycle(m, driver="O", samples=73).measures() for m in (known, without_masses(known)))
    assert other.transmission("C") == pytest.approx(one.transmission("C"), abs=1e-9)
    assert other.ratio("C") == pytest.approx(one.ratio("C"), abs=1e-12)
    ours, theirs = (of.instant_centre("coupler") for of in (other, one))
    known_there = np.isfinite(theirs).all(axis=1)
    assert ours[known_there] == pytest.approx(theirs[known_there], rel=1e-7, abs=1e-9)
    assert "transmission angles" in str(other) and "efforts" not in str(other)


def test_what_needs_masses_names_them_in_one_line(tmp_path):
    unknown = without_masses(pm.models.load("four_bar"))
    cycle = pm.cycle(unknown, driver="O", samples=5)
    cycle.to_csv(tmp_path / "motion.csv")
    with pytest.raises(
        ModelError, match=r"is a motion in which the masses of .* are not known, and holds columns only"
    ):
        pm.read_result(tmp_path / "motion.csv")
    pytest.importorskip("xarray")
    cases = pm.simulate_many([unknown], duration=0.01, samples=2)
    assert str(cases.message.values[0]).startswith("simulate needs masses: give bodies")


def test_what_spins_freely_is_said():
    found = pm.cycle(pm.models.load("rssr"), driver="O", samples=5)
    assert 'shown without the spin of "coupler" about a line of its own: no driver says it' in found.message
    assert np.abs(np.sum(found.omega("coupler") * (found["B"] - found["A"]), axis=1)).max() < 1e-9
