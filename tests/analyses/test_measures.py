"""The numbers of the trade against closed forms, theorems and second ways to the same number."""

import math
import warnings

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.special import ellipk

import particlemech as pm
from particlemech.analyses.measures import powers
from particlemech.analyses.measures.curves import Span
from particlemech.analyses.measures.rates import Quantity

TURN = math.tau
O, A, B, C = (0.0, 0.0), (0.0, 0.1), (0.3, 0.3), (0.3, 0.0)


def driven(mechanism, joint="O", rate=TURN, **options):
    motor = pm.drivers.Coordinate(joint=joint, motion=pm.signals.Linear(rate=rate))
    options = {"duration": TURN / rate, "samples": 241, "rtol": 1e-11, **options}
    return pm.simulate(mechanism.replaced(drivers={"motor": motor}, initial={"omega": {}}), **options)


@pytest.fixture(scope="module")
def four_bar():
    return driven(pm.models.load("four_bar"))


@pytest.fixture(scope="module")
def engine():
    return driven(slider_crank(), rate=30.0)


def slider_crank(r=0.1, length=0.35, crank=0.8, balance=0.0, rod=1.2, share=0.4, slider=0.5):
    """Return a slider-crank; the rod's centre of mass is at a share of its length, that of the crank at `balance`."""
    return pm.Mechanism(
        points={"O": (0.0, 0.0), "A": (r, 0.0), "B": (r + length, 0.0)},
        bodies={
            "crank": pm.Body(points=("O", "A"), mass=crank, com=(balance, 0.0), inertia=2e-3),
            "rod": pm.Body(points=("A", "B"), mass=rod, com=(r + share * length, 0.0), inertia=0.02),
            "slider": pm.Body(points=("B",), mass=slider, com=(r + length, 0.0), inertia=1e-4),
        },
        joints={
            "O": pm.joints.Revolute(point="O", bodies=("ground", "crank")),
            "A": pm.joints.Revolute(point="A", bodies=("crank", "rod")),
            "B": pm.joints.Revolute(point="B", bodies=("rod", "slider")),
            "guide": pm.joints.Prismatic(point="B", bodies=("ground", "slider"), axis=(1.0, 0.0)),
        },
        gravity=(0.0, -9.81),
    )


def crossing(a, b, c, d):
    """Return where the lines ab and cd meet, (K, 2)."""
    u, w = b - a, d - c
    s = ((c - a)[:, 0] * w[:, 1] - (c - a)[:, 1] * w[:, 0]) / (u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0])
    return a + s[:, None] * u


def near(found, wanted, digits):
    np.testing.assert_allclose(found, wanted, rtol=10.0**-digits, atol=10.0**-digits * float(np.max(np.abs(wanted))))


# -- transmission, ratios, advantage ------------------------------------------------------------------------------


def by_cosines(angle):
    """Return the transmission angle of the four-bar, by the law of cosines, of the angle of crank and frame."""
    a, b, c, d = math.dist(O, A), math.dist(A, B), math.dist(B, C), math.dist(C, O)
    return np.arccos((b**2 + c**2 - a**2 - d**2 + 2.0 * a * d * np.cos(angle)) / (2.0 * b * c))


def test_transmission_angles_of_a_crank_rocker_follow_the_law_of_cosines(four_bar):
    near(four_bar.measures().transmission("C"), by_cosines(math.pi / 2 + four_bar.angle("crank")), 9)


def test_they_are_extreme_with_the_crank_in_line_with_the_frame(four_bar):
    least, largest = four_bar.measures().extremes("C.transmission")
    near([least.value, largest.value], by_cosines(np.array([0.0, math.pi])), 8)
    near([least.t, largest.t], [0.75, 0.25], 7)


def test_the_transmission_angle_of_a_slider_crank_is_that_of_the_rod_and_the_normal_of_the_guide(engine):
    phi = np.arcsin(engine["A"][:, 1] / 0.35)
    found = engine.measures().transmission("guide")
    near(np.minimum(found, math.pi - found), math.pi / 2 - np.abs(phi), 9)


def test_a_pin_in_a_straight_slot_pushes_at_right_angles():
    result = pm.simulate(pm.models.load("quick_return"), samples=41)
    near(result.measures().transmission("L"), np.full(41, math.pi / 2), 9)


def test_a_mechanism_without_drivers_has_a_transmission_angle_once_its_input_is_named():
    result = pm.simulate(pm.models.load("four_bar"), samples=51)
    near(result.measures(driver="O").transmission("C"), by_cosines(math.pi / 2 + result.angle("crank")), 9)
    with pytest.raises(pm.ModelError, match="has no driver; say which moves the others"):
        result.measures().transmission("C")


def test_both_formulations_find_the_same_transmission_angles():
    mechanism = pm.models.load("stephenson_six_bar")
    results = [pm.simulate(mechanism, formulation=f, samples=9) for f in ("particles", "absolute")]
    name = results[0].measures().outputs[-1]
    one, other = (result.measures().transmission(name) for result in results)
    assert np.isfinite(one).all()
    near(one, other, 6)


def test_the_velocity_ratio_of_a_rocker_is_that_of_the_parts_of_the_frame_line(four_bar):
    found = four_bar.measures()
    P = crossing(four_bar["A"], four_bar["B"], np.tile(O, (241, 1)), np.tile(C, (241, 1)))  # Freudenstein
    # where crank and rocker's line of centres is met at infinity both turn alike
    near(found.ratio("C") * (P[:, 0] - C[0]), P[:, 0] - O[0], 7)


def test_ratios_of_points_and_bodies_are_per_rate_of_the_driver(engine):
    found = engine.measures()
    near(found.ratio(point="B"), engine.velocity("B") / 30.0, 12)
    near(found.ratio("rod"), engine.omega("rod") / 30.0, 12)
    near(found.ratio("guide"), found.ratio(point="B")[:, 0], 9)


def test_the_mechanical_advantage_is_what_a_slow_driver_feels_of_a_load():
    press = pm.forces.Torque(bodies=("ground", "rocker"), torque=1e4)  # beside it inertia is nothing
    m = pm.models.load("four_bar").replaced(forces={"press": press}, gravity=(0.0, 0.0))
    slow = driven(m, rate=0.01, rtol=1e-8)
    advantage = slow.measures().advantage("C")
    near(-slow.effort("motor"), 1e4 / advantage, 8)
    near(slow.measures().ratio("C"), 1.0 / advantage, 12)


def test_the_time_ratio_of_a_quick_return_is_that_of_its_angles():
    result = pm.simulate(pm.models.load("quick_return"))
    alpha = 2.0 * math.asin(0.1 / 0.25)
    wanted = (math.pi + alpha) / (math.pi - alpha)
    for output in ("L", "guide"):
        strokes = result.measures().time_ratio(output)
        near(strokes.ratio, wanted, 8)
        near(strokes.rising + strokes.falling, 1.0, 9)


# -- instant centres ----------------------------------------------------------------------------------------------


def test_three_instant_centres_lie_on_one_line(four_bar):
    found = four_bar.measures()
    names = ("ground", "crank", "coupler", "rocker")
    for i in range(4):
        for j in range(i + 1, 4):
            for k in range(j + 1, 4):
                a, b, c = (
                    found.instant_centre(names[second], names[first]) for first, second in ((i, j), (j, k), (i, k))
                )
                u, w = b - a, c - a
                size = np.maximum(np.linalg.norm(u, axis=1), np.linalg.norm(w, axis=1))
                assert np.nanmax(np.abs(u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]) / size**2) < 1e-9


def test_the_instant_centre_of_the_coupler_is_where_crank_and_rocker_meet(four_bar):
    n = len(four_bar.t)
    wanted = crossing(np.tile(O, (n, 1)), four_bar["A"], np.tile(C, (n, 1)), four_bar["B"])
    near_by = np.linalg.norm(wanted, axis=1) < 3.0
    found = four_bar.measures().instant_centre("coupler")
    np.testing.assert_allclose(found[near_by], wanted[near_by], atol=1e-8)


def test_what_only_travels_has_its_instant_centre_at_infinity(engine):
    found = engine.measures()
    assert np.isnan(found.instant_centre("slider")).all()
    near(found.instant_centre("crank") + 1.0, np.ones((241, 2)), 12)


def test_the_inflection_circle_obeys_euler_and_savary(four_bar):
    circle = four_bar.measures().inflection("coupler")
    d = 2.0 * (circle.centre - circle.pole)
    near(np.linalg.norm(d, axis=1)[np.isfinite(d[:, 0])], circle.diameter[np.isfinite(d[:, 0])], 12)
    for pin, centre in (("A", O), ("B", C)):
        ray = four_bar[pin] - circle.pole
        r = np.linalg.norm(ray, axis=1)
        e = ray / r[:, None]
        own, inflection = (np.sum(of * e, axis=1) for of in (np.array(centre) - circle.pole, d))
        kept = r < 1.0
        assert kept.sum() > 50
        np.testing.assert_allclose((r**2)[kept], ((r - own) * (r - inflection))[kept], rtol=1e-8, atol=1e-10)


def trammel():
    """Return a rod of length 1 whose ends slide on the axes, turned evenly."""
    return pm.Mechanism(
        points={"A": (1.0, 0.0), "B": (0.0, 0.0)},
        bodies={
            "rod": pm.Body(points=("A", "B"), mass=1.0),
            "along": pm.Body(points=("A",), mass=0.1, com=(1.0, 0.0), inertia=1e-3),
            "up": pm.Body(points=("B",), mass=0.1, com=(0.0, 0.0), inertia=1e-3),
        },
        joints={
            "A": pm.joints.Revolute(point="A", bodies=("rod", "along")),
            "B": pm.joints.Revolute(point="B", bodies=("rod", "up")),
            "x": pm.joints.Prismatic(point="A", bodies=("ground", "along"), axis=(1.0, 0.0)),
            "y": pm.joints.Prismatic(point="B", bodies=("ground", "up"), axis=(0.0, 1.0)),
        },
        drivers={"motor": pm.drivers.Rotation(bodies=("ground", "rod"), motion=pm.signals.Linear(rate=TURN))},
    )


def test_the_centrodes_of_a_trammel_are_the_circles_of_cardan():
    result = pm.simulate(trammel(), duration=1.0, samples=101, rtol=1e-11)
    found = result.measures()
    fixed, moving = found.centrodes("rod")
    near(np.linalg.norm(fixed, axis=1), np.ones(101), 9)
    near(np.linalg.norm(moving - (0.5, 0.0), axis=1), np.full(101, 0.5), 9)
    circle = found.inflection("rod")  # it is the moving circle: all of its points run straight
    near(circle.diameter, np.ones(101), 8)
    near(circle.centre, 0.5 * fixed, 8)


def test_centrodes_of_moving_bodies_roll_on_each_other(four_bar):
    found = four_bar.measures().centrodes("rocker", "crank")
    small = np.linalg.norm(found.fixed, axis=1) < 2.0
    runs = np.split(np.arange(241), np.flatnonzero(~small))
    longest = max(runs, key=len)[1:]
    assert len(longest) > 40
    ways = [CubicSpline(four_bar.t[longest], of[longest])(four_bar.t[longest[8:-8]], 1) for of in found]
    np.testing.assert_allclose(*(np.linalg.norm(way, axis=1) for way in ways), rtol=1e-4)


def test_a_nut_moves_on_a_screw_whose_axis_and_pitch_are_those_of_its_thread():
    m = pm.space.Mechanism(
        points={"P": (0.2, 0.1, 0.0)},
        bodies={"nut": pm.space.Body(points=("P",), mass=1.0, com=(0.5, 0.1, 0.0), inertia=(1e-2, 1e-2, 1e-2))},
        joints={"thread": pm.space.joints.Screw(bodies=("ground", "nut"), point="P", axis=(0.0, 0.0, 1.0), pitch=0.03)},
        drivers={
            "motor": pm.space.drivers.Coordinate(joint="thread", coordinate="angle", motion=pm.signals.Linear(rate=2.0))
        },
    )
    screw = pm.simulate(m, duration=1.0, samples=11).measures().screw_axis("nut")
    near(screw.pitch, np.full(11, 0.03), 9)
    near(screw.direction, np.tile((0.0, 0.0, 1.0), (11, 1)), 9)
    near(screw.point, np.tile((0.2, 0.1, 0.0), (11, 1)), 9)


# -- shaking ------------------------------------------------------------------------------------------------------


def closed_form(result, crank, balance, rod, share, slider, r=0.1, length=0.35, omega=30.0):
    """Return the shaking force of the slider-crank from its places in closed form, (K, 2)."""
    th = omega * result.t
    s = r / length * np.sin(th)
    c = np.sqrt(1.0 - s**2)
    s1, s2 = omega * r / length * np.cos(th), -(omega**2) * s
    c2 = -(s1**2 + s * s2) / c - (s * s1) ** 2 / c**3
    pin = -(omega**2) * r * np.stack([np.cos(th), np.sin(th)], axis=1)
    end = np.stack([pin[:, 0] + length * c2, np.zeros_like(th)], axis=1)
    arm = pin * balance / r
    return -(crank * arm + rod * ((1.0 - share) * pin + share * end) + slider * end)


SIZES = {"crank": 0.8, "balance": 0.0, "rod": 1.2, "share": 0.4, "slider": 0.5}


def test_the_shaking_force_of_a_slider_crank_is_that_of_its_closed_form(engine):
    near(engine.measures().shaking().force, closed_form(engine, **SIZES), 8)


def test_a_counterweight_takes_the_primary_force_away():
    rotating, going = SIZES["rod"] * 0.6, SIZES["rod"] * 0.4 + SIZES["slider"]
    sizes = SIZES | {"balance": -(rotating + going) * 0.1 / SIZES["crank"]}
    balanced = driven(slider_crank(**sizes), rate=30.0)
    force = balanced.measures().shaking().force
    near(force, closed_form(balanced, **sizes), 8)
    primary = 2.0 * np.fft.rfft(force[:-1], axis=0)[1] / 240.0
    unbalanced = 2.0 * np.fft.rfft(closed_form(balanced, **SIZES)[:-1], axis=0)[1] / 240.0
    near(abs(unbalanced[0]), (rotating + going) * 0.1 * 30.0**2, 9)
    assert abs(primary[0]) < 1e-9 * abs(unbalanced[0])  # along the guide nothing is left of it
    near(abs(primary[1]), going * 0.1 * 30.0**2, 9)  # across it what was too much


@pytest.mark.parametrize("about", [None, "O", "B", (0.2, -0.3)])
def test_with_weights_and_loads_the_frame_feels_the_sum_of_all_its_reactions(about):
    gas = pm.forces.Load(body="slider", point="B", force=(pm.signals.Sine(amplitude=80.0, frequency=3.0), 5.0))
    strut = pm.forces.Spring(bodies=("ground", "rod"), points=((0.1, 0.4), "B"), stiffness=300.0, damping=4.0)
    result = driven(slider_crank().replaced(forces={"gas": gas, "strut": strut}), rate=30.0, samples=61)
    Q = {None: np.zeros((61, 2)), (0.2, -0.3): np.tile((0.2, -0.3), (61, 1))}
    Q = Q[about] if about in Q else result[about]
    pull = result["B"] - (0.1, 0.4)
    pull *= (result.force("strut") / np.linalg.norm(pull, axis=1))[:, None]
    acting = [(np.tile(O, (61, 1)), result.reaction("O", "ground")), (result["B"], result.reaction("guide", "ground"))]
    acting.append((np.tile((0.1, 0.4), (61, 1)), pull))
    force = sum(F for _, F in acting)
    moment = sum((x - Q)[:, 0] * F[:, 1] - (x - Q)[:, 1] * F[:, 0] for x, F in acting)
    moment = moment + result.moment("guide", "ground") - result.effort("motor")
    found = result.measures().shaking(about, gravity=True, loads=True)
    near(found.force, force, 8)
    near(found.moment, moment, 8)


def in_space(mechanism):
    """Return the slider-crank drawn in space."""

    def place(at):
        return (*at, 0.0)

    kinds = pm.space.joints
    return pm.space.Mechanism(
        points={name: place(at) for name, at in mechanism.points.items()},
        bodies={
            name: pm.space.Body(points=b.points, mass=b.mass, com=place(b.com), inertia=(b.inertia,) * 3)
            for name, b in mechanism.bodies.items()
        },
        joints={
            "O": kinds.Revolute(point="O", bodies=("ground", "crank"), axis=(0.0, 0.0, 1.0)),
            "A": kinds.Revolute(point="A", bodies=("crank", "rod"), axis=(0.0, 0.0, 1.0)),
            "B": kinds.Revolute(point="B", bodies=("rod", "slider"), axis=(0.0, 0.0, 1.0)),
            "guide": kinds.Prismatic(point="B", bodies=("ground", "slider"), axis=(1.0, 0.0, 0.0)),
        },
        drivers={"motor": pm.space.drivers.Coordinate(joint="O", motion=pm.signals.Linear(rate=30.0))},
        gravity=(0.0, -9.81, 0.0),
    )


def test_a_planar_mechanism_drawn_in_space_shakes_alike(engine):
    solid = pm.simulate(in_space(slider_crank()), duration=TURN / 30.0, samples=241, rtol=1e-11)
    plane, space = (of.measures(about="B").shaking(gravity=True) for of in (engine, solid))
    near(space.force[:, :2], plane.force, 7)
    near(space.moment[:, 2], plane.moment, 7)
    assert np.abs(space.moment[:, :2]).max() < 1e-9
    near(solid.measures().power("motor"), engine.measures().power("motor"), 6)


def test_what_runs_in_natural_coordinates_shakes_alike_and_shows_itself():
    linkage = pm.models.load("rssr")
    one, other = (pm.simulate(linkage, duration=0.1, samples=5, formulation=way) for way in (None, "natural"))
    shaken, again = (of.measures().shaking("A") for of in (one, other))
    size = np.max(np.abs(shaken.force))
    assert size > 1.0 and np.max(np.abs(shaken.force - again.force)) < 1e-6 * size
    assert "</iframe>" in other._repr_html_()


def test_in_space_a_free_body_shakes_nothing_and_a_gyroscope_its_pivot():
    result = pm.simulate(pm.models.load("spatial_slider_crank"), rtol=1e-11)
    found = result.measures().shaking("O", gravity=True)
    force = result.reaction("O", "ground") + result.reaction("guide", "ground")
    near(found.force, force, 7)
    moment = result.moment("O", "ground") + result.moment("guide", "ground")
    moment += np.cross(result["B"] - result["O"], result.reaction("guide", "ground"))
    moment[:, 0] -= result.effort("motor")
    near(found.moment, moment, 7)


@pytest.mark.parametrize("name", ["cantilever", "flexible_slider_crank", "two_link_flexible", "rms_flexible"])
def test_bodies_that_bend_shake_by_the_rate_of_their_momentum(name):
    result = pm.simulate(pm.models.load(name), duration=0.004, samples=401, rtol=1e-10)
    found, momentum = result.measures().shaking(), result.momentum
    force, moment = (-CubicSpline(result.t, of)(result.t[20:-20], 1) for of in (momentum.linear, momentum.angular))
    for got, wanted in ((found.force, force), (found.moment, moment)):
        np.testing.assert_allclose(got[20:-20], wanted, atol=1e-5 * float(np.abs(got).max()))


# -- powers -------------------------------------------------------------------------------------------------------


def test_the_mean_power_of_a_drive_is_that_of_the_losses(four_bar):
    damper = pm.forces.Torsion(joint="C", damping=0.7)
    spring = pm.forces.Spring(bodies=("ground", "coupler"), points=((0.0, 0.5), "B"), stiffness=80.0)
    result = driven(pm.models.load("four_bar").replaced(forces={"damper": damper, "spring": spring}), rate=10.0)
    found = result.measures()
    lost = found.statistics("damper.power").mean
    near(found.statistics("motor.power").mean, -lost, 8)
    near(-lost, 0.7 * np.mean(result.rate("C")[:-1] ** 2), 8)
    assert abs(found.work("spring")) < 1e-9 * abs(found.work("damper"))
    near(found.work("motor"), found.statistics("motor.power").mean * found.span.period, 10)


def test_the_work_per_cycle_of_a_conservative_mechanism_is_nothing(four_bar):
    found = four_bar.measures()
    assert abs(found.work("motor")) < 1e-9 * found.statistics("motor.power").rms
    assert abs(found.work()) < 1e-7 * found.statistics("motor.power").rms


@pytest.mark.parametrize("name", ["space_manipulator", "spatial_slider_crank", "human_fall", "platform_manipulator"])
def test_all_powers_together_raise_the_energy(name):
    result = pm.simulate(pm.models.load(name), samples=801, rtol=1e-10)
    m, found = result.system.mechanism, result.measures()
    elastic = np.array([0.0] * len(result.t))
    total = sum((found.power(of) for of in (*m.drivers, *m.forces)), start=elastic)
    kept = result.energy.total - result.energy.work
    near(kept + np.concatenate([[0.0], np.cumsum(0.5 * (total[1:] + total[:-1]) * np.diff(result.t))]),
         result.energy.total, 3)  # fmt: skip


def rotor(moment, inertia=2.0, **changes):
    """Return a wheel in bearings, with a moment on it."""
    return pm.Mechanism(
        points={"O": (0.0, 0.0)},
        bodies={"wheel": pm.Body(points=("O",), mass=1.0, com=(0.0, 0.0), inertia=inertia)},
        joints={"O": pm.joints.Revolute(point="O", bodies=("ground", "wheel"))},
        forces={"press": moment},
        **changes,
    )


def test_the_excess_energy_of_a_sine_is_its_amplitude():
    press = pm.forces.Torque(
        bodies=("ground", "wheel"), torque=pm.signals.Sine(offset=-40.0, amplitude=25.0, frequency=2.0)
    )
    found = driven(rotor(press)).measures()  # two swings in a turn
    turning = found.turning_moment()
    near([turning.mean, turning.work, turning.excess], [40.0, 40.0 * TURN, 25.0], 8)
    wheel = found.flywheel(0.02)
    near([wheel.inertia, wheel.speed], [25.0 / (0.02 * TURN**2), TURN], 8)
    assert found.fluctuation("motor") < 1e-12


def test_a_wheel_of_the_inertia_that_was_found_turns_with_the_fluctuation_that_was_wanted():
    inertia = 25.0 / (0.1 * TURN**2)

    def pressed(t, state):
        return -25.0 * math.sin(2.0 * state.coordinate("O"))  # motor and press, without their mean

    m = rotor(pm.forces.Custom(joint="O", function=pressed), inertia, initial=pm.Initial(rate={"O": [TURN * 0.95]}))
    result = pm.simulate(m, duration=2.0, samples=801, rtol=1e-11)
    speed = result.measures(cycle="O")
    low, high = speed.extremes("O.angle_rate")
    near(speed.fluctuation("O"), 25.0 / (inertia * (0.5 * (low.value + high.value)) ** 2), 8)


def test_a_press_takes_its_stroke_from_the_flywheel():
    turns, stroke, peak = np.linspace(0.0, TURN, 3601), 0.6, 900.0  # half a sine over a part of the turn
    moment = np.where(turns < stroke, peak * np.sin(math.pi * np.minimum(turns, stroke) / stroke), 0.0)
    found = powers.turning_moment(
        turns, Quantity("press", turns, np.ones(3601), True), moment, Span(0.0, TURN, 1, TURN)
    )
    mean = 2.0 * peak * stroke / math.pi / TURN
    a = math.asin(mean / peak)
    excess = 2.0 * peak * stroke / math.pi * math.cos(a) - mean * stroke * (1.0 - 2.0 * a / math.pi)
    near([found.mean, found.excess], [mean, excess], 5)  # by samples: the stroke begins and ends with a kink


# -- cycles -------------------------------------------------------------------------------------------------------


def test_only_full_cycles_count():
    damper = {"damper": pm.forces.Torsion(joint="C", damping=0.7)}
    m = pm.models.load("four_bar").replaced(forces=damper)
    two, more = (driven(m, duration=d, samples=n).measures() for d, n in ((2.0, 401), (2.37, 475)))
    assert (two.span.cycles, more.span.cycles) == (2, 2)
    near([more.span.start, more.span.period], [0.37, 1.0], 9)
    near(more.work("motor"), two.work("motor"), 8)
    near(more.statistics("motor.effort").rms, two.statistics("motor.effort").rms, 8)


def test_a_cycle_may_take_several_turns():
    geared = {
        "A": pm.joints.Revolute(point="A", bodies=("ground", "small")),
        "B": pm.joints.Revolute(point="B", bodies=("ground", "large")),
        "teeth": pm.joints.Coupling(joints=("A", "B"), ratio=-2.0 / 3.0),
    }
    bodies = {
        name: pm.Body(points=(p,), mass=1.0, com=(x, 0.1), inertia=0.1)
        for name, p, x in (("small", "A", 0.0), ("large", "B", 1.0))
    }
    m = pm.Mechanism(points={"A": (0.0, 0.0), "B": (1.0, 0.0)}, bodies=bodies, joints=geared)
    span = driven(m, joint="A", duration=7.0, samples=701).measures().span
    assert span.cycles == 2
    near([span.period, span.start], [3.0, 1.0], 9)


def test_a_swinging_pendulum_comes_back_after_its_period():
    span = pm.simulate(pm.models.load("pendulum"), duration=4.0, samples=1001, rtol=1e-11).measures().span
    assert span.cycles >= 2
    near(span.period, 4.0 * math.sqrt(2.0 / 3.0 / 9.81) * ellipk(0.5), 8)  # of a rod let go from the horizontal


def test_what_gathers_speed_has_cycles_only_by_its_turns():
    result = pm.simulate(pm.models.load("slider_crank"))
    with pytest.raises(pm.ModelError, match=r"work: the run from 0 to 1 s holds no full cycle.* run longer"):
        result.measures().work()
    assert result.measures(cycle="O").span.cycles == 2
    assert result.measures().statistics("motor.power").mean > 0.0  # of the whole run


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"driver": "crank"}, 'driver: "crank" is no driver and no joint'),
        ({"driver": 3}, "driver must be the name of a driver or a joint, got 3"),
        ({"cycle": "guide"}, 'cycle: "guide" is no angle'),
        ({"cycle": -1.0}, r"a period or \(start, end\), s, got -1.0"),
        ({"cycle": (0.1, 9.0)}, "from 0.1 to 9 s is no part of the run"),
        ({"cycle": 9.0}, "a period of 9 s does not fit into the run"),
        ({"about": "Q"}, 'point "Q" unknown'),
        ({"about": (1.0,)}, "expected the name of a point or 2 numbers"),
    ],
)
def test_odd_options_get_one_line(engine, asked, said):
    with pytest.raises(pm.ModelError, match=said) as error:
        engine.measures(**asked)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda of: of.ratio("Q"), '"Q" is no joint, coordinate or body'),
        (lambda of: of.ratio(), "name one thing that moves"),
        (lambda of: of.transmission("O"), '"O" is no output, .* outputs here: guide'),
        (lambda of: of.time_ratio("O"), '"O" never turns back within a cycle'),
        (lambda of: of.fluctuation("guide"), "stands still in between"),
        (lambda of: of.instant_centre("rod", "rod"), "does not move against itself"),
        (lambda of: of.instant_centre("rood"), 'body "rood" unknown'),
        (lambda of: of.screw_axis("rod"), "screw axes are those of space"),
        (lambda of: of.power("Q"), '"Q" is no driver and no force'),
        (lambda of: of.flywheel(0.0), "fluctuation must be a number above 0"),
        (lambda of: of.turning_moment("guide"), '"guide" is no driver'),
        (lambda of: of.statistics("Q.x"), 'column "Q.x" unknown'),
    ],
)
def test_odd_questions_get_one_line(engine, ask, said):
    with pytest.raises(pm.ModelError, match=said) as error:
        ask(engine.measures())
    assert "\n" not in str(error.value)


# -- columns and words --------------------------------------------------------------------------------------------


def test_columns_have_units_and_statistics(engine):
    found = engine.measures()
    columns = found.columns()
    assert all(values.shape == (241,) for values in columns.values())
    units = dict(zip(columns, engine.units(columns), strict=True))
    assert units["guide.transmission"] == "rad"
    assert units["guide.travel_ratio"] == "m/rad"
    assert units["guide.travel_advantage"] == "rad/m"
    assert units["motor.power"] == "W"
    assert (units["rod.pole_x"], units["shaking.fx"], units["shaking.m"]) == ("m", "N", "N m")


def test_printed_it_is_a_table(engine):
    text = str(engine.measures(about="O"))
    assert "over 1 full cycle of 0.20944 s" in text
    assert "transmission angles, degrees" in text and "moment about O" in text and "flywheel for 1 %" in text


@pytest.mark.parametrize("name", pm.models.names())
def test_every_model_has_measures_with_units_and_a_page(name):
    m = pm.models.load(name)
    result = pm.simulate(m, duration=min(m.run.duration, 0.1), samples=9, rtol=1e-6)
    found = result.measures()
    columns = found.columns()
    assert len(result.units(columns)) == len(columns)
    assert all(values.shape == (9,) for values in columns.values())
    assert str(found).startswith("over ")


def test_sweeps_and_charts_take_columns_of_measures_by_their_names():
    m = pm.models.load("quick_return")
    data = pm.simulate_many({1: {}, 2: {"bodies": {"ram": {"mass": 6.0}}}}, of=m, samples=21,
                            quantities=("guide.transmission", "shaking.fx", "C.x"))  # fmt: skip
    result = pm.simulate(m, samples=21)
    near(data["guide.transmission"].sel(case=1), result.measures().transmission("guide"), 9)
    assert float(abs(data["shaking.fx"].sel(case=2)).max()) > float(abs(data["shaking.fx"].sel(case=1)).max())


def test_what_stays_where_it_is_has_cycles_too():
    wheel = pm.Body(points=("W",), mass=1.0, com=(0.3, 0.0), inertia=0.02)
    pin = pm.joints.Revolute(point="W", bodies=("ground", "wheel"))
    balance = pm.Mechanism(
        points={"W": (0.3, 0.0)},
        bodies={"wheel": wheel},
        joints={"W": pin},
        forces={"spring": pm.forces.Torsion(joint="W", stiffness=2.0)},
        initial=pm.Initial(omega={"wheel": 3.0}),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = pm.simulate(balance, duration=2.0, samples=401, rtol=1e-11).measures().span
    assert found.period == pytest.approx(TURN * math.sqrt(0.02 / 2.0), rel=1e-6)
