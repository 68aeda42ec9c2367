"""`particlemech explain` in the plane: the method of equivalent particles on one page, every number with a witness."""

from __future__ import annotations

import doctest
import re

import numpy as np
import pytest

import particlemech as pm
from particlemech import models
from particlemech.analyses import text_table
from particlemech.analyses.explain import plane as explanation
from particlemech.analyses.explain.plane import chains, equivalent, opinion
from particlemech.analyses.explain.plane.figure import _now
from particlemech.cli.main import main
from particlemech.engine.absolute.equations import Absolute
from particlemech.engine.particles.topology import cut
from particlemech.errors import ModelError, SimulationError
from particlemech.model.primitives import Rail
from tests import fuzz_mechanisms
from tests.support.problems import PLANAR, driven_four_bar, driven_slider_crank, floating, point_pendulum, slider
from tests.support.strategies import random_mechanism

ROUNDING = 1e-13  # observed 5e-15: relative to the largest beside it
TIMES = (0.0, 0.3)  # of the duration of the model


def made(problem):
    """Return a mechanism: a shipped one by its name, or what a function of problems.py builds."""
    return models.load(problem) if isinstance(problem, str) else problem()


def thrown():
    """Return a body that nothing holds, thrown with a spin: its chain floats."""
    return floating(gravity=(0.0, -9.81), initial=pm.Initial(omega={"body": 3.0}, velocity={"P": (1.0, 2.0)}))


def pulled():
    """Return a block that slides on the ground, pulled aslant: a joint of the tree that is no pin."""
    return slider(gravity=(0.0, -9.81), forces={"pull": pm.forces.Load(body="block", force=(3.0, 1.0))})


MECHANISMS = [*PLANAR, driven_slider_crank, driven_four_bar, thrown, pulled]


@pytest.fixture(params=MECHANISMS, ids=lambda p: p if isinstance(p, str) else p.__name__)
def mechanism(request):
    """Return each shipped model of the plane, then some with drivers, one that floats and one that slides."""
    return made(request.param)


@pytest.fixture(params=TIMES)
def found(mechanism, request):
    """Return the explanation of each mechanism at its start and later."""
    return explanation.explained(mechanism, request.param * mechanism.run.duration)


@pytest.fixture
def page(capsys):
    """Return what the command prints, after a look at its exit code and at the width of its lines."""

    def printed(*arguments, code=0):
        assert main(["explain", *arguments]) == code
        text = capsys.readouterr().out
        assert max(map(len, text.splitlines())) <= 120
        return text

    return printed


def rows(text, title):
    """Return the rows of a table as lists of words."""
    lines = text.splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith(title))
    body = lines[at + 3 :]
    end = body.index("") if "" in body else len(body)
    return [re.split(r"\s{2,}", line.strip()) for line in body[:end]]


def close(one, other, size):
    """Hold arrays to rounding beside a size."""
    assert np.max(np.abs(np.asarray(one) - np.asarray(other)), initial=0.0) <= ROUNDING * size


# -- particles -----------------------------------------------------------------------------------------------------


def test_the_particles_of_a_body_have_its_mass_centre_and_inertia(found):
    of, L = found.breakdown, found.breakdown.system.scale.length
    names = of.system.layout.bodies
    for body in of.bodies:
        spec, b = of.system.mechanism.bodies[body.body], names.index(body.body)
        com = of.motion.com[0, b]
        assert np.all(body.m >= 0.0)
        assert body.m.sum() == pytest.approx(spec.mass, rel=1e-12)
        reach = np.abs(body.r - com).max() + L
        close(body.m @ body.r, spec.mass * com, spec.mass * reach)
        inertia = float(body.m @ np.sum((body.r - com) ** 2, axis=1))
        close(inertia, of.system.mechanism.inertia(body.body), spec.mass * reach**2)


def test_particles_1_and_3_are_the_coordinates_and_keep_their_distances(found):
    of = found.breakdown
    z1, d = of.system.observed.bodies(of.q[None])
    for b, body in enumerate(of.bodies):
        close(body.r[0] - of.system.compiled.origin, z1[0, b], of.system.scale.length)
        close(body.r[2] - body.r[0], d[0, b], of.system.scale.length)


def test_a_body_without_inertia_is_one_particle():
    (body,) = explanation.explained(point_pendulum(rod=False)).breakdown.bodies
    assert list(body.m) == [0.0, body.m.sum(), 0.0]


# -- chains --------------------------------------------------------------------------------------------------------


def test_every_body_is_in_one_chain_and_hangs_on_the_body_before_it(found):
    of = found.breakdown
    every = [body for chain in of.chains for body in chain.bodies]
    assert sorted(every) == sorted(of.system.mechanism.bodies)
    for chain in of.chains:
        on = [chain.base, *chain.bodies[:-1]]
        assert [of.topology.parent[body] for body in chain.bodies] == on
    ends = set(of.topology.order) - set(of.topology.parent.values())
    assert {chain.bodies[-1] for chain in of.chains} == ends
    assert tuple(dict.fromkeys(edge.joint for edge in of.topology.cut)) == of.system.cuts


def test_branches_begin_chains_of_their_own_and_are_handed_to_the_body_they_hang_on():
    chain_of_four = models.load("chain")
    names = list(chain_of_four.bodies)
    branched = pm.Mechanism(
        points={"O": (0, 0), "A": (1, 0), "B": (2, 0), "C": (1, 1), "D": (3, 0)},
        bodies={n: pm.Body(points=tuple(p), mass=1.0) for n, p in zip("abcd", ("OA", "AB", "AC", "BD"), strict=True)},
        joints={
            "O": pm.joints.Revolute(point="O", bodies=("ground", "a")),
            "A": pm.joints.Revolute(point="A", bodies=("a", "b", "c")),
            "B": pm.joints.Revolute(point="B", bodies=("b", "d")),
        },
        gravity=(0.0, -9.81),
    )
    found = chains.chains(cut(branched))
    assert found == (chains.Chain("ground", ("a", "b", "d")), chains.Chain("a", ("c",)))
    own = {name: np.array([10.0**k]) for k, name in enumerate("abcd")}
    sums = chains.outboard(found, own)
    assert {name: float(total[0]) for name, total in sums.items()} == {
        "a": 1111.0,
        "b": 1010.0,
        "c": 100.0,
        "d": 1000.0,
    }
    shown = explanation.explained(branched)
    assert shown.agreed
    assert any(line.startswith("  ... is added to that of a,") for line in shown.lines)
    assert [chain.bodies for chain in chains.chains(cut(chain_of_four))] == [tuple(names)]


# -- momentum ------------------------------------------------------------------------------------------------------


def test_momentum_summed_over_chains_is_that_of_all_bodies(found):
    of, m = found.breakdown, found.breakdown.system.mechanism
    about = np.array(of.system.compiled.origin)
    seen = of.motion
    rate, momentum = np.zeros(3), np.zeros(3)
    for b, (name, body) in enumerate(m.bodies.items()):
        arm = seen.com[0, b] - about
        for total, v, turn in ((rate, seen.com_a, seen.alpha), (momentum, seen.com_v, seen.omega)):
            moment = arm[0] * v[0, b, 1] - arm[1] * v[0, b, 0]
            total += [*(body.mass * v[0, b]), body.mass * moment + m.inertia(name) * turn[0, b]]
    ends = [of.topology.order.index(chain.bodies[0]) for chain in of.chains if chain.base in (None, "ground")]
    of_chains = of.sums.rate[ends].sum(axis=0)
    L, M, T = of.system.scale.length, of.system.scale.mass, of.system.scale.time
    close(of_chains, rate, max(np.abs(of.sums.rate).max(), M * L / T**2))
    of_particles = sum(body.momentum(about) for body in of.bodies)
    close(of_particles, momentum, max(np.abs(momentum).max(), M * L / T))


def test_the_rate_of_momentum_of_three_particles_is_that_of_the_three_constants(found):
    of, s = found.breakdown, found.breakdown.system
    x = np.zeros(len(s.start_x))
    moving, _ = s.wrenches(of.t, of.q, of.v, of.a, np.zeros(s.n_lam), x)
    still, _ = s.wrenches(of.t, of.q, of.v, np.zeros(s.n_q), np.zeros(s.n_lam), x)
    close(of.own.rate, moving - still, max(np.abs(of.own.rate).max(), np.abs(of.own.applied).max()))


def test_the_balance_of_every_joint_is_closed(found):
    assert found.breakdown.unbalanced <= ROUNDING


def test_particles_that_are_not_equivalent_leave_the_chains_unbalanced(monkeypatch, page):
    right = equivalent.three_particles

    def heavier(*of):
        particles = right(*of)
        return particles._replace(m=particles.m * np.array([1.0, 1.0, 1.0 + 1e-6]))

    assert "The balance of the chains is closed" in page("four_bar")
    monkeypatch.setattr(equivalent, "three_particles", heavier)
    assert "The balance of the chains is NOT CLOSED" in page("four_bar", code=1)


# -- rows, sizes, results ------------------------------------------------------------------------------------------


def test_rows_vanish_on_every_level(found):
    of = found.breakdown
    L, largest = of.system.scale.length, max(found.opinion.largest, np.abs(of.motion.omega).max() ** 2)
    speed = max(np.abs(of.v).max(initial=0.0) / L, largest**0.5)
    for row in of.rows:
        unit = 1.0 if row.angle else L
        assert abs(row.value) <= ROUNDING * unit
        assert abs(row.rate) <= ROUNDING * unit * speed
        assert abs(row.second) <= ROUNDING * unit * max(largest, speed**2)


def test_gamma_of_a_distance_row_is_what_the_velocities_ask_for():
    found = explanation.explained(models.load("four_bar"), 0.2).breakdown
    for body in found.bodies:
        row = next(row for row in found.rows if row.part == f'body "{body.body}"')
        r, v = body.r[2] - body.r[0], body.r_dot[2] - body.r_dot[0]
        assert row.gamma == pytest.approx(v @ v / np.linalg.norm(r), rel=1e-9)  # [A00] (6), divided by the length
        assert row.lam is None


def test_sizes_are_those_of_the_system(found):
    of, s = found.breakdown, found.breakdown.sizes
    A, b = of.system.dynamics(of.t, of.q, of.v, np.zeros(len(of.system.start_x)))
    assert A.shape == (s.accelerations + s.multipliers,) * 2
    assert len(b) == s.balances + sum(s.rows.values()) == s.accelerations + s.multipliers
    assert s.integrated == of.system.n
    assert s.multipliers == sum(row.lam is not None for row in of.rows)
    # what particles leave free, absolute coordinates do too: coordinates minus the rank of all joints and drivers
    theirs = np.linalg.matrix_rank(_absolute_rows(of), tol=1e-8)
    assert s.freedom == found.opinion.coordinates - theirs


def _absolute_rows(of):
    """Return phi_q in absolute coordinates, lengths in units of the mechanism."""
    from particlemech.engine.absolute.equations import system
    from particlemech.engine.plane import Pose

    theirs, L = system(of.system.mechanism), of.system.scale.length
    q = theirs.posed(Pose(of.motion.com[0], of.motion.angle[0] + of.system.turned))
    unit = np.array([1.0 if row.angle else L for row in theirs.layout.rows])
    return theirs.rows_q(of.t, q) * theirs.size_q / unit[:, None]


def test_redundant_rows_are_counted_and_said():
    found = explanation.explained(models.load("parallel_cranks"))
    assert found.breakdown.sizes.redundant == 1
    assert found.agreed
    assert any(line.startswith("1 row redundant here") for line in found.lines)
    assert not any("redundant here" in line for line in explanation.explained(models.load("four_bar")).lines)


@pytest.mark.parametrize("integrator", ["auto", "ida"])
def test_accelerations_are_those_of_a_result(mechanism, integrator):
    result = pm.simulate(mechanism, duration=0.2 * mechanism.run.duration, samples=3, integrator=integrator)
    for k in (0, 2):
        found = explanation.explained(mechanism, result.at(result.t[k]))
        seen, largest = found.breakdown.motion, found.opinion.largest
        assert found.agreed
        assert found.breakdown.t == result.t[k]
        for p, name in enumerate(mechanism.points):
            apart = np.abs(seen.point_a[0, p] - result.acceleration(name)[k]).max()
            assert apart <= 1e-8 * result.system.scale.length * largest
        for b, name in enumerate(mechanism.bodies):
            assert abs(seen.alpha[0, b] - result.alpha(name)[k]) <= 1e-8 * largest


def test_multipliers_of_a_cut_pin_are_the_reaction_of_a_result_on_its_second_body():
    mechanism = models.load("platform_manipulator")
    result = pm.simulate(mechanism, duration=0.1, samples=2)
    found = explanation.explained(mechanism).breakdown
    for edge in found.topology.cut:
        lam = [row.lam for row in found.rows if row.part == f'joint "{edge.joint}"']
        assert lam == pytest.approx(result.reaction(edge.joint, on=edge.second)[0], rel=1e-9, abs=1e-9)


def test_the_multiplier_of_a_driver_is_its_effort():
    mechanism = driven_slider_crank()
    (driver,) = mechanism.drivers
    found = explanation.explained(mechanism)
    (lam,) = [row.lam for row in found.breakdown.rows if row.role == "driver"]
    effort = pm.simulate(mechanism, duration=0.01, samples=2).effort(driver)[0]
    assert abs(lam) == pytest.approx(abs(effort), rel=1e-8)


def test_formulations_agree_on_random_mechanisms(rng):
    for k in range(12):
        try:
            found = explanation.explained(fuzz_mechanisms.drawn(k) if k % 2 else random_mechanism(rng))
        except ModelError as error:
            assert "start contradicts itself" in str(error)
            continue
        assert found.agreed
        assert max(map(len, found.lines)) <= 120


def test_an_opinion_that_differs_is_told_and_fails(monkeypatch, page):
    right = opinion.accelerations

    def wrong(system, *state):
        a, lam = right(system, *state)
        return (a * (1.0 + 1e-6), lam) if isinstance(system, Absolute) else (a, lam)

    assert "Absolute coordinates: AGREED" in page("four_bar")
    monkeypatch.setattr(opinion, "accelerations", wrong)
    assert "Absolute coordinates: NOT AGREED" in page("four_bar", code=1)


def test_an_assembled_mechanism_with_a_spring_that_counts_angles_agrees():
    spring = pm.forces.Torsion(bodies=("crank", "coupler"), stiffness=3.0, damping=0.1, angle=0.2)
    longer = models.load("four_bar").replaced(bodies={"crank": {"length": 0.12}}, forces={"spring": spring})
    for at in (0.0, 0.2):
        found = explanation.explained(longer, at)
        assert found.agreed
        assert np.abs(found.breakdown.system.turned).max() > 1e-3  # assembly has turned bodies


def test_what_is_no_number_agrees_with_nothing():
    found = explanation.explained(models.load("pendulum")).opinion
    assert not found._replace(apart=np.array([np.nan])).agreed


# -- the page ------------------------------------------------------------------------------------------------------


def test_the_page_of_a_four_bar_has_all_parts_with_their_numbers(page):
    text = page("four_bar")
    assert text.startswith("Four-bar linkage\n3 bodies, 4 joints, 0 drivers; 2 chains, 1 cut; units SI; t = 0 s\n")
    assert rows(text, "Chains") == [["1", "ground", "O", "crank -A- coupler"], ["2", "ground", "C", "rocker"]]
    assert rows(text, "Cut joints") == [["B", "revolute", "coupler", "rocker", "2", "crank, coupler, rocker"]]
    balances = rows(text, "Momentum equations")
    assert [row[:4] for row in balances] == [
        ["1", "A", "moment about A", "coupler"],
        ["1", "O", "moment about O", "crank, coupler"],
        ["2", "C", "moment about C", "rocker"],
    ]
    for row in balances:
        rate, applied, reactions = map(float, row[4:7])
        assert rate == pytest.approx(applied + reactions, abs=1e-4)
    assert [row[1] for row in rows(text, "Constraint rows")] == ["distance"] * 3 + ["cut joint"] * 2
    sizes = dict(row[:2] for row in rows(text, "Index-reduced system"))
    assert (sizes["unknowns"], sizes["equations"]) == ("8", "8")
    crank = rows(text, "Accelerations")[0]
    assert crank[1:4] == crank[4:7]


def test_a_chain_that_floats_has_three_balances_and_a_slide_one_along_its_line():
    text = "\n".join(explanation.explained(thrown()).lines)
    assert rows(text, "Chains")[0][1] == "nothing: it floats"
    assert "No joint is cut: there are no loops" in text
    assert [row[1:3] for row in rows(text, "Momentum equations")] == [
        ["floats", "force along (1, 0)"],
        ["floats", "force along (0, 1)"],
        ["floats", "moment about its particle 1"],
    ]
    text = "\n".join(explanation.explained(pulled()).lines)
    assert [row[1:3] for row in rows(text, "Momentum equations")] == [["guide", "force along (1, 0)"]]
    assert [row[1] for row in rows(text, "Constraint rows")] == ["distance", "tree joint", "tree joint"]


def test_joints_that_the_model_wants_cut_are_cut_and_the_accelerations_stay():
    four_bar = models.load("four_bar")
    found, other = explanation.explained(four_bar), explanation.explained(four_bar.replaced(run={"cut": ("A",)}))
    assert [edge.joint for edge in found.breakdown.topology.cut] == ["B"]
    assert [edge.joint for edge in other.breakdown.topology.cut] == ["A"]
    assert other.agreed
    close(other.breakdown.motion.alpha, found.breakdown.motion.alpha, found.opinion.largest)


def test_a_time_moves_the_mechanism_there_first(page):
    text = page("quick_return", "--time", "0.25")
    assert "t = 0.25 s" in text
    assert rows(text, "Accelerations") != rows(page("quick_return"), "Accelerations")
    assert "driver" in [row[1] for row in rows(text, "Constraint rows")]


def test_long_tables_are_cut_and_say_by_how_much():
    lines = explanation.explained(models.chain(40)).lines
    assert f"  ... and {40 - text_table.LONGEST} more rows" in lines
    assert len(lines) < 300


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("four_bar", "--method", "kane"), "leave --method out"),
        (("four_bar", "--time=-1"), "must be a time from 0 on"),
        (("four_bar", "-o", "page.txt"), ".png"),
        (("space_manipulator", "-o", "a.png"), "leave -o out"),
        (("rssr", "-o", "a.png"), "leave -o out"),
        (("cantilever",), "some of its bodies bend"),
    ],
)
def test_wrong_requests_are_one_line_with_a_cure(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["explain", *words]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert said in shown.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("at", [-1.0, float("nan"), float("inf"), "soon", True, None])
def test_an_instant_that_is_none_is_refused(at):
    with pytest.raises(ModelError, match="at: must be a time from 0 on, s, or an instant such as"):
        explanation.explained(models.load("four_bar"), at)


def test_other_families_and_formulations_are_refused_by_name():
    with pytest.raises(ModelError, match='is of kind "spatial"; this page is for kind "planar"'):
        explanation.explained(models.load("gyroscope"))
    with pytest.raises(ModelError, match="this page is for kind"):
        explanation.explained("four_bar")
    four_bar = models.load("four_bar")
    absolute = pm.simulate(four_bar, duration=0.01, samples=2, formulation="absolute", integrator="ida")
    with pytest.raises(ModelError, match='at: this instant is of formulation "absolute"'):
        explanation.explained(four_bar, absolute.at())
    with pytest.raises(ModelError, match="other bodies"):
        explanation.explained(models.load("pendulum"), pm.simulate(four_bar, duration=0.01, samples=2).at())
    with pytest.raises(ModelError, match="has 201 bodies; explain is for at most 200"):
        explanation.explained(models.chain(201))


def test_a_time_that_is_not_reached_is_said(monkeypatch, capsys):
    def failing(mechanism, at):
        raise SimulationError(f"t = {at:g} s is not reached: locked", None)

    monkeypatch.setattr(explanation, "_reached", failing)
    assert main(["explain", "four_bar", "--time", "1"]) == 1
    assert "t = 1 s is not reached: locked" in capsys.readouterr().err


def test_the_examples_run_as_printed():
    found = doctest.testmod(explanation)
    assert found.attempted > 0
    assert found.failed == 0


# -- the figure ----------------------------------------------------------------------------------------------------


def test_the_figure_shows_every_particle_with_its_mass_and_every_cut():
    plt = pytest.importorskip("matplotlib.pyplot")
    found = explanation.explained(models.load("platform_manipulator"), 0.1)
    (ax,) = explanation.figure(found).axes
    dots = [d for d in ax.collections if d.get_gid() == "particle"]
    masses = np.sort(np.concatenate([body.m for body in found.breakdown.bodies]))
    areas = np.sort([d.get_sizes()[0] for d in dots])
    assert areas / areas[-1] == pytest.approx(masses / masses[-1])
    places = np.array([d.get_offsets()[0] for d in dots])
    for body in found.breakdown.bodies:
        for r in body.r:
            assert np.min(np.linalg.norm(places - r, axis=1)) < 1e-12
    (crosses,) = [line for line in ax.lines if line.get_gid() == "cut"]
    mechanism = found.breakdown.system.mechanism
    now = pm.simulate(mechanism, duration=0.1, samples=2)
    expected = np.array([now[mechanism.joints[edge.joint].point][-1] for edge in found.breakdown.topology.cut])
    assert np.array(crosses.get_xydata()) == pytest.approx(expected, abs=1e-6)
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words[:3] == [
        "chain 1, on ground: arm0, link0, platform",
        "chain 2, on ground: arm1, link1",
        "chain 3, on ground: arm2, link2",
    ]
    assert words[-1] == "cut: C1, C2"
    colours = {line.get_color() for line in ax.lines if line.get_label().startswith("chain")}
    assert len(colours) == 3
    plt.close("all")


def test_the_figure_of_any_mechanism_can_be_drawn_and_far_particles_do_not_spoil_it(mechanism):
    plt = pytest.importorskip("matplotlib.pyplot")
    figure = explanation.figure(explanation.explained(mechanism).breakdown)
    figure.canvas.draw()
    (ax,) = figure.axes
    assert np.ptp(ax.get_xlim()) < 20.0 * explanation.explained(mechanism).breakdown.system.scale.length
    plt.close("all")


def test_the_rail_of_a_slide_reaches_to_where_its_body_is():
    found = explanation.explained(models.load("quick_return"), 0.3).breakdown
    (rail,) = [p for p in _now(found).primitives if isinstance(p, Rail)]
    ram = found.motion.point[0, found.system.layout.points.index("C")]
    low, high = sorted((rail.a[0], rail.b[0]))
    assert low - 1e-9 <= ram[0] <= high + 1e-9


def test_a_particle_far_outside_is_left_out_and_said():
    plt = pytest.importorskip("matplotlib.pyplot")
    # m3 = m IG/(2 I3) is nearly m rG/r3, so that particle 2 has little to balance, and lies far off
    disc = pm.Mechanism(
        points={"O": (0, 0), "A": (1, 0)},
        bodies={"disc": pm.Body(points=("O", "A"), mass=1.0, com=(1e-4, 0.0), inertia=2.02e-4)},
        joints={"O": pm.joints.Revolute(point="O", bodies=("ground", "disc"))},
    )
    found = explanation.explained(disc)
    assert found.breakdown.bodies[0].r[1, 0] < -50.0
    (ax,) = explanation.figure(found).axes
    assert np.ptp(ax.get_xlim()) < 10.0
    assert any("1 far outside" in text.get_text() for text in ax.get_legend().get_texts())
    plt.close("all")


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_command_writes_the_figure(page, tmp_path, suffix):
    pytest.importorskip("matplotlib")
    target = tmp_path / f"four_bar{suffix}"
    text = page("four_bar", "--time", "0.1", "-o", str(target))
    assert text.endswith(f"written to {target}\n")
    assert target.stat().st_size > 1000
