"""Impulses in the plane, loops included: speeds jump as they must, places do not, and runs go on from there."""

import math
from dataclasses import replace

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Impulse, Initial, Mechanism, ModelError, forces, joints, models, signals
from particlemech.engine.absolute.equations import system as absolute_system
from particlemech.engine.particles.equations import system as particle_system
from particlemech.engine.particles.explicit import system as shared_system
from particlemech.engine.plane import Pose
from particlemech.model import space, toml
from particlemech.run import jumps
from particlemech.run.preparing import prepared
from particlemech.run.start import assembled, projected
from tests.fuzz_mechanisms import drawn, scaled
from tests.support.problems import driven_four_bar

FOUR_BAR = models.load("four_bar")
HIT = Impulse(body="coupler", point=(0.1, 0.25), impulse=(0.3, -0.2), moment=0.01)
RUNS = [("particles", "ida"), ("particles", "explicit"), ("particles", "auto"), ("absolute", "ida")]
runs = pytest.mark.parametrize(("formulation", "integrator"), RUNS)


def rod(**parts):
    """Return a free rod of 2 kg and 3 m along x."""
    points = {"A": (0.0, 0.0), "B": (3.0, 0.0)}
    return Mechanism(points=points, bodies={"rod": Body(points=("A", "B"), mass=2.0)}, **parts)


def hit_by(impulse):
    """Return the four-bar with one impulse."""
    return FOUR_BAR.replaced(impulses={"hit": impulse})


# -- closed forms ----------------------------------------------------------------------------------------------------


@runs
def test_a_free_rod_struck_at_its_end_moves_by_P_over_m_and_turns_by_6_P_over_m_L(formulation, integrator):
    struck = rod(impulses={"hit": Impulse(time=0.5, body="rod", point="B", impulse=(0.0, 4.0))})
    result = pm.simulate(struck, duration=1.0, samples=5, formulation=formulation, integrator=integrator)
    assert np.all(result.omega("rod")[:3] == 0.0)  # the sample at 0.5 s is the one before
    assert np.abs(result.com("rod")[:3] - [1.5, 0.0]).max() < 1e-15
    assert result.omega("rod")[3:] == pytest.approx([4.0, 4.0], rel=1e-7)
    assert result.angle("rod")[-1] == pytest.approx(2.0, rel=1e-7)
    assert result.com("rod")[-1] == pytest.approx([1.5, 1.0], rel=1e-7)
    assert result.energy.work[-1] == pytest.approx(0.5 * 2.0 * 2.0**2 + 0.5 * 1.5 * 4.0**2, rel=1e-12)


def test_a_struck_double_pendulum_has_the_speeds_of_lagrange():
    """Two rods in line, struck at the tip: (4/3, 1/2; 1/2, 1/3) m l (w1, w2) = P (1, 1), so w = (-6, 30)/7 P/(m l)."""
    m = l = 0.5  # models.chain: 1 kg and 1 m in all
    found = pm.impulse(models.chain(2), {"hit": Impulse(body="link2", point="P2", impulse=(0.0, 1.0))})
    assert found.jumps["link1.omega"] == pytest.approx(-6.0 / 7.0 / (m * l), rel=1e-12)
    assert found.jumps["link2.omega"] == pytest.approx(30.0 / 7.0 / (m * l), rel=1e-12)
    v1, v2 = -6.0 / 7.0 / m * 0.5, -6.0 / 7.0 / m + 30.0 / 7.0 / m * 0.5  # of the centres of mass
    assert found.reaction("P1", on="link1") == pytest.approx([0.0, 1.0 - m * v2], abs=1e-12)
    assert found.reaction("P0", on="link1") == pytest.approx([0.0, m * v1 - (1.0 - m * v2)], abs=1e-12)


def test_a_rod_on_a_pin_struck_at_its_centre_of_percussion_does_not_feel_it_there():
    hung = rod(joints={"A": joints.Revolute(point="A", bodies=("ground", "rod"))})
    found = pm.impulse(hung, {"hit": Impulse(body="rod", point=(2.0, 0.0), impulse=(0.0, 3.0))})
    assert found.reaction("A", on="rod") == pytest.approx([0.0, 0.0], abs=1e-13)
    assert found.jumps["rod.omega"] == pytest.approx(3.0 * 2.0 / 6.0, rel=1e-13)


def test_a_driver_keeps_its_motion_and_its_impulse_is_that_of_virtual_work():
    """The crank of a four-bar is driven: no speed jumps, and H omega + J.v = 0 for all velocities that it can have."""
    result, P = pm.simulate(driven_four_bar(), duration=0.4, samples=5), np.array([0.7, 0.4])
    found = pm.impulse(result, {"hit": Impulse(body="coupler", point="B", impulse=tuple(P))}, t=0.3)
    assert max(map(abs, found.jumps.values())) < 1e-10 and abs(found.work) < 1e-10
    per_turn = found.before.velocity("B")[0] / found.before.omega("crank")[0]
    assert found.efforts["motor"] == pytest.approx(-float(per_turn @ P), rel=1e-9)


# -- loops -----------------------------------------------------------------------------------------------------------


def left_over(mechanism, found, impulses):
    """Return the largest part of Newton's and Euler's equations that is left on any body, of the largest impulse."""
    left, size = 0.0, 0.0
    for b, body in mechanism.bodies.items():
        angle = found.before.angle(b)[0]
        turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])

        def arm(point, b=b, turn=turn):
            return turn @ np.subtract(mechanism.place(point, b), mechanism.centre(b))

        p, omega = body.points[0], found.jumps[f"{b}.omega"]
        x, y = arm(p)
        jump = np.array([found.jumps[f"{p}.vx"] + omega * y, found.jumps[f"{p}.vy"] - omega * x])
        total = -np.array([*(body.mass * jump), mechanism.inertia(b) * omega])
        acting = [(one.impulse, arm(one.point), one.moment) for one in impulses.values() if one.body == b]
        mine = {name: joint for name, joint in mechanism.joints.items() if b in joint.bodies}
        acting += [(found.reaction(name, on=b), arm(joint.point), 0.0) for name, joint in mine.items()]
        for (fx, fy), (x, y), couple in acting:
            total += [fx, fy, x * fy - y * fx + couple]
            size = max(size, math.hypot(fx, fy))
        left = max(left, float(np.abs(total).max()))
    return left / size


@pytest.mark.parametrize("formulation", ["particles", "absolute"])
def test_a_struck_four_bar_has_the_work_of_the_impulse_and_balanced_bodies(formulation):
    """W = J.(v- + v+)/2 at the place of the impulse, with its couple; and m dv = sum of impulses on every body."""
    whole = {"inertia": FOUR_BAR.inertia("coupler"), "com": FOUR_BAR.centre("coupler"), "points": ("A", "B", "hit")}
    model = FOUR_BAR.replaced(points={"hit": HIT.point}, bodies={"coupler": whole})
    result = pm.simulate(model, duration=0.4, samples=5, formulation=formulation)
    found = pm.impulse(result, {"hit": HIT}, t=0.3)
    mean = found.before.velocity("hit")[0] + 0.5 * np.array([found.jumps["hit.vx"], found.jumps["hit.vy"]])
    turn = found.before.omega("coupler")[0] + 0.5 * found.jumps["coupler.omega"]
    assert found.work == pytest.approx(float(mean @ HIT.impulse) + turn * HIT.moment, rel=1e-9)
    assert found.work == pytest.approx(float(found.after.energy.kinetic[0] - found.before.energy.kinetic[0]), rel=1e-9)
    assert left_over(model, found, {"hit": HIT}) < 1e-9
    assert np.array_equal(found.after["B"], found.before["B"]) and found.after.closure.velocity[0] < 1e-12


@runs
def test_runs_of_a_struck_four_bar_agree_and_keep_their_energy(formulation, integrator):
    """Against IDA in absolute coordinates; the energy balance counts the impulses as work."""
    impulses = {"hit": replace(HIT, time=0.3), "last": Impulse(time=0.45, body="rocker", moment=-0.02)}
    struck, options = FOUR_BAR.replaced(impulses=impulses), {"duration": 0.6, "samples": 13, "rtol": 1e-10}
    result = pm.simulate(struck, formulation=formulation, integrator=integrator, **options)
    other = pm.simulate(struck, formulation="absolute", integrator="ida", **options)
    for body in FOUR_BAR.bodies:
        assert result.angle(body) == pytest.approx(other.angle(body), abs=2e-7)
        assert result.omega(body) == pytest.approx(other.omega(body), abs=5e-6)
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale
    assert result.energy.work[6] == 0.0 and abs(result.energy.work[7]) > 0.1  # the sample at 0.3 s is the one before


def test_an_impulse_is_the_limit_of_a_short_strong_force():
    """A force of P/eps for eps: what is left of the jump falls with eps."""
    jump, errors = pm.impulse(FOUR_BAR, {"hit": HIT}).jumps, []
    for eps in (1e-5, 1e-6):
        push = [signals.Constant(value=c / eps) for c in (*HIT.impulse, HIT.moment)]
        laws = {
            "push": forces.Load(body="coupler", point=HIT.point, force=push[:2]),
            "twist": forces.Torque(bodies=("ground", "coupler"), torque=push[2]),
        }
        end = pm.simulate(FOUR_BAR.replaced(forces=laws), duration=eps, samples=2, rtol=1e-10)
        left = [end.omega(b)[-1] - end.omega(b)[0] - jump[f"{b}.omega"] for b in FOUR_BAR.bodies]
        errors.append(np.abs(left).max() / max(abs(jump[f"{b}.omega"]) for b in FOUR_BAR.bodies))
    assert errors[0] < 1e-3 and errors[1] < 0.2 * errors[0]


def test_impulses_that_redundancy_leaves_open_are_nan_and_the_rest_agrees():
    model, found = models.load("parallel_cranks"), []
    hit = {"hit": Impulse(body=list(model.bodies)[-1], impulse=(0.2, 0.5), moment=0.1)}
    for formulation in ("particles", "absolute"):
        result = pm.simulate(model, duration=0.2, samples=3, formulation=formulation)
        found.append(pm.impulse(result, hit, t=0.1))
    one, other = found
    assert other.jumps == pytest.approx(one.jumps, abs=1e-8)
    for joint, spec in model.joints.items():
        on = spec.bodies[1]
        assert other.reaction(joint, on) == pytest.approx(one.reaction(joint, on), abs=1e-7, nan_ok=True)
        assert np.isfinite(one.reaction(joint, on, undetermined="least-norm")).all()
    assert any(np.isnan(one.reaction(joint, spec.bodies[1])).any() for joint, spec in model.joints.items())


@pytest.mark.parametrize("seed", range(60))
def test_three_systems_have_the_same_jump_in_random_mechanisms(seed):
    """Particles in chains, shared particles and absolute coordinates: velocities of all bodies after an impulse."""
    mechanism, rng = drawn(seed), np.random.default_rng(seed)
    try:
        made, begin = prepared(mechanism, "absolute")
    except ModelError:
        pytest.skip("it does not start")
    M, L, T = made.scale.mass, made.scale.length, mechanism.run.duration
    body = list(mechanism.bodies)[rng.integers(len(mechanism.bodies))]
    place = np.add(mechanism.centre(body), L * rng.uniform(-0.3, 0.3, 2))
    P, H = M * L / T * rng.standard_normal(2), float(M * L * L / T * rng.standard_normal())
    hit = {"hit": Impulse(body=body, point=tuple(place), impulse=tuple(P), moment=H, frame="body")}
    seen = made.motion(begin.q[None], begin.v[None], begin.a[None], begin.x[None])
    pose, found = Pose(seen.com[0], seen.angle[0] + made.turned), []
    for build in (absolute_system, particle_system, shared_system):
        system = build(mechanism)
        y, lay = np.zeros(system.n), system.layout
        y[lay.q] = assembled(system, 0.0, system.posed(pose))
        y[lay.v] = projected(system, 0.0, y[lay.q], y[lay.v])
        jump = jumps.jump_of(system, 0.0, y, hit)
        moved = system.motion(y[lay.q][None], jump.speeds[None], np.zeros_like(jump.speeds)[None], y[lay.x][None])
        found.append(np.concatenate([moved.com_v[0].ravel(), L * moved.omega[0]]))
    size = max(float(np.abs(found[0]).max()), float(np.hypot(*P)) / M)  # some are locked: nothing but rounding
    for v in found[1:]:
        print(f"observed {np.abs(v - found[0]).max() / size:.1e}")
        assert np.abs(v - found[0]).max() <= 1e-7 * size


# -- runs: start, sides, events, restart, files, variants ------------------------------------------------------------


def test_an_impulse_at_0_acts_before_the_run_and_its_work_does_not_count():
    result, found = pm.simulate(hit_by(HIT), duration=0.1, samples=3), pm.impulse(hit_by(HIT))
    plain = pm.simulate(FOUR_BAR, duration=0.1, samples=2)
    assert result.omega("coupler")[0] == pytest.approx(found.after.omega("coupler")[0], rel=1e-12)
    assert found.before.omega("crank")[0] == pytest.approx(plain.omega("crank")[0], rel=1e-12)
    assert result.energy.work[0] == 0.0 and np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


@pytest.mark.parametrize("integrator", ["auto", "ida"])
def test_an_impulse_at_the_end_acts_when_the_run_goes_on_and_the_two_are_one_run(integrator):
    struck = hit_by(Impulse(time=0.3, body="coupler", impulse=(0.3, -0.2)))
    options = {"rtol": 1e-10, "integrator": integrator}
    whole = pm.simulate(struck, duration=0.6, samples=7, **options)
    first = pm.simulate(struck, duration=0.3, samples=4, **options)
    later = pm.simulate(struck, duration=0.3, samples=4, start=first, **options)
    both = first.joined(later)
    assert both.t == pytest.approx(whole.t) and abs(later.omega("crank")[0] - first.omega("crank")[-1]) > 0.1
    assert both.omega("rocker") == pytest.approx(whole.omega("rocker"), abs=1e-6)
    assert both.energy.work == pytest.approx(whole.energy.work, abs=1e-8)
    assert np.abs(both.energy.error).max() < 1e-6 * both.energy.scale


def test_a_tree_struck_where_a_run_ends_goes_on_struck_too():
    hit = space.Impulse(time=0.1, body="link2", point="end", impulse=(0.1, 0.0, 0.0))
    struck = models.hanging_chain(2).replaced(impulses={"hit": hit})
    whole = pm.simulate(struck, duration=0.2, samples=3, rtol=1e-10)
    first = pm.simulate(struck, duration=0.1, samples=2, rtol=1e-10)
    both = first.joined(pm.simulate(struck, duration=0.1, samples=2, rtol=1e-10, start=first))
    assert both["end"] == pytest.approx(whole["end"], abs=1e-8)
    assert both.energy.work == pytest.approx(whole.energy.work, abs=1e-9) and whole.energy.work[-1] > 0.01


@pytest.mark.parametrize("integrator", ["explicit", "ida"])
def test_an_event_that_an_impulse_carries_across_zero_is_found_and_the_run_goes_on_struck_once(integrator):
    down = Initial(velocity={"A": (0.0, -1.0), "B": (0.0, -1.0)})
    struck = rod(impulses={"hit": Impulse(time=0.5, body="rod", impulse=(0.0, 4.0))}, initial=down)
    up = pm.Event(lambda t, state: state.velocity("A")[1], terminal=True)
    first = pm.simulate(struck, duration=1.0, samples=11, events={"up": up}, integrator=integrator)
    assert first.t[-1] == 0.5 and first.velocity("A")[-1] == pytest.approx([0.0, 1.0], abs=1e-9)
    later = pm.simulate(struck, duration=0.5, samples=3, start=first, integrator=integrator)
    assert later.velocity("A")[:, 1] == pytest.approx([1.0, 1.0, 1.0], rel=1e-9)


def test_a_result_of_a_struck_mechanism_reads_back_and_is_struck_at_its_samples(tmp_path):
    struck = hit_by(Impulse(time=0.1, body="coupler", impulse=(0.3, -0.2)))
    result = pm.simulate(struck, duration=0.2, samples=5)
    result.to_csv(tmp_path / "r.csv")
    again = pm.read_result(tmp_path / "r.csv")
    assert again.system.mechanism == struck and toml.loads(toml.dumps(struck)) == struck
    assert pm.impulse(again, t=0.1).jumps == pytest.approx(pm.impulse(result, t=0.1).jumps, abs=1e-9)


def test_variants_of_struck_mechanisms_are_those_of_single_runs():
    pytest.importorskip("xarray")
    struck = hit_by(Impulse(time=0.1, body="coupler", impulse=(0.3, -0.2)))
    cases = {m: {"bodies": {"crank": {"mass": m}}} for m in (0.4, 0.5, 0.6)}
    cases |= {0.0: {"impulses": {"hit": {"impulse": (0.6, -0.4)}}}, -1.0: {"impulses": {"hit": None}}}
    data = pm.simulate_many(cases, of=struck, duration=0.2, samples=5)
    for label, case in cases.items():
        one = pm.simulate(struck.replaced(**case), duration=0.2, samples=5)
        assert data.omega.sel(case=label, body="rocker").values == pytest.approx(one.omega("rocker"), abs=1e-7)
    assert np.abs(data.omega.sel(case=0.5) - data.omega.sel(case=-1.0)).max() > 1.0


@pytest.mark.parametrize("length", [1e-3, 1e3])
def test_jumps_are_the_same_in_other_units(length):
    here = FOUR_BAR.replaced(points={"hit": HIT.point})
    there = scaled(here, length, 1.0, 1.0)
    P, H = tuple(length * c for c in HIT.impulse), length**2 * HIT.moment
    big = Impulse(body="coupler", point=there.points["hit"], impulse=P, moment=H)
    one, other = pm.impulse(here, {"hit": HIT}), pm.impulse(there, {"hit": big})
    assert other.jumps["rocker.omega"] == pytest.approx(one.jumps["rocker.omega"], rel=1e-11)
    assert other.work == pytest.approx(length**2 * one.work, rel=1e-11)
    assert other.reaction("A", "crank") == pytest.approx(length * one.reaction("A", "crank"), rel=1e-11)


def test_an_impulse_in_axes_of_the_body_turns_with_it():
    hit = Impulse(time=1.0, body="rod", impulse=(3.0, 0.0), frame="body")
    turned = rod(initial=Initial(omega={"rod": math.pi / 2}), impulses={"hit": hit})
    result = pm.simulate(turned, duration=2.0, samples=5, rtol=1e-10)
    assert result.com("rod")[-1] - result.com("rod")[2] == pytest.approx([0.0, 1.5], abs=1e-7)


# -- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: pm.impulse(FOUR_BAR), "there is no impulse at t = 0 s; give impulses"),
        (lambda: pm.impulse(FOUR_BAR, {"hit": HIT}, t=0.5), "t = 0.5 s is for the result of a run"),
        (lambda: pm.impulse(FOUR_BAR, {"hit": Impulse(body="copler")}), 'impulse "hit": body "copler" unknown'),
        (lambda: pm.impulse(FOUR_BAR, {"hit": (1.0, 2.0)}), 'impulse "hit": expected pm.Impulse'),
        (lambda: hit_by(Impulse(body="ground")), 'impulse "hit": the ground does not move'),
        (lambda: hit_by(Impulse(body="crank", point="C")), 'impulse "hit": point "C" is not on body "crank"'),
        (lambda: Impulse(body="crank", time=-1.0), 'key "time": must not be negative'),
        (lambda: Impulse(body="crank", impulse=(1.0, 0.0, 0.0)), 'key "impulse": expected two numbers'),
        (lambda: pm.impulse(FOUR_BAR, {"hit": HIT}).reaction("A", on="rocker"), 'joint "A": body "rocker" is not one'),
    ],
)
def test_wrong_impulses_are_named(ask, message):
    with pytest.raises(ModelError, match=message):
        ask()


def test_an_impulse_in_a_change_point_is_refused_where_its_speeds_belong_to_no_branch():
    """Cranks that lie flat: each may go on as a parallelogram or against the other, but not both at once."""
    places = {"O": (0.0, 0.0), "A": (1.0, 0.0), "B": (3.0, 0.0), "C": (2.0, 0.0)}
    ends = {"crank": "OA", "coupler": "AB", "rocker": "CB"}
    pairs = {"O": ("ground", "crank"), "A": ("crank", "coupler"), "B": ("coupler", "rocker"), "C": ("ground", "rocker")}
    flat = Mechanism(
        points=places,
        bodies={name: Body(points=tuple(of), mass=1.0) for name, of in ends.items()},
        joints={name: joints.Revolute(point=name, bodies=bodies) for name, bodies in pairs.items()},
    )
    with pytest.raises(ModelError, match="strikes the mechanism in a singular pose"):
        pm.impulse(flat, {"hit": Impulse(body="crank", point="A", impulse=(0.0, 1.0))})
