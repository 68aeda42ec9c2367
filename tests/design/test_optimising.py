"""Optima against closed forms: transmission angles, time ratios, flywheels, balancing springs; what fails meanwhile."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import particlemech as pm
from particlemech import view
from particlemech.errors import ModelError, SimulationError
from particlemech.model import toml

G = 9.81
METHODS = ("auto", "slsqp", "trust-constr", "cobyla", "nelder-mead", "powell", "differential-evolution")


def turn(**options):
    """Return what asks for a cycle over a turn of the crank."""
    return {"what": "cycle", "options": {"driver": "O", **options}}


@pytest.fixture(scope="module")
def linkage():
    return pm.models.load("four_bar").with_parameters(coupler=0.4)


@pytest.fixture(scope="module")
def best(linkage):
    return pm.optimise(linkage, {"rocker": (0.25, 0.5)}, maximise="transmission.min", **turn(samples=49))


BEST_ROCKER = np.sqrt(0.4**2 - 0.2**2)  # the rocker is square to ground minus crank where the angle is least


def test_the_rocker_of_the_best_transmission_angle_is_that_of_the_closed_form(best):
    assert best.parameters["rocker"] == pytest.approx(BEST_ROCKER, rel=1e-5)
    cosine = (0.4**2 + BEST_ROCKER**2 - 0.2**2) / (2.0 * 0.4 * BEST_ROCKER)
    assert best.value == pytest.approx(np.arccos(cosine), rel=1e-8)
    assert best.value > best.first and best.fulfilled and best.unit == "rad"


def test_the_history_has_every_variant_and_the_best_so_far(best):
    assert [one.number for one in best.history] == list(range(len(best.history)))
    assert best.history[0].parameters == {"rocker": 0.3} and best.history[0].aim == best.first
    so_far = np.array([one.best for one in best.history])
    assert so_far == pytest.approx(np.maximum.accumulate([one.aim for one in best.history]))
    assert best.variants > len(best.history)
    assert set(best.columns()) == {"number", "transmission.min", "fulfilled", "best", "rocker"}


def test_the_best_is_a_mechanism_and_a_file(best, linkage, tmp_path):
    assert best.before == linkage
    again = pm.load(best.save(tmp_path / "best.toml"))
    assert again == best.mechanism
    assert float(again.parameters["rocker"].value) == best.parameters["rocker"]
    assert "on_circles(A, coupler, C, rocker, left)" in (tmp_path / "best.toml").read_text()


def test_it_is_told_and_drawn(best, tmp_path):
    assert "rocker" in str(best) and "nothing better nearby" in str(best)
    view.display(view.history(best), tmp_path / "history.png")
    assert (tmp_path / "history.png").stat().st_size > 10_000


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_come_to_the_same_rocker(method, linkage):
    """Without derivatives an optimum is known to the root of the tolerance."""
    found = pm.optimise(
        linkage, {"rocker": (0.25, 0.5)}, maximise="transmission.min", method=method, **turn(samples=19)
    )
    assert found.parameters["rocker"] == pytest.approx(BEST_ROCKER, rel=1e-3)


# -- a crank-rocker with given swing and time ratio -----------------------------------------------------------------

SWING, RATIO = np.radians(60.0), 1.2


def by_dead_centres(part):
    """Return a, b, c, d of the crank-rocker with this swing and time ratio whose (b - a)/(b + a) is `part`.

    At its dead centres the rocker's end is b - a and b + a from the crank's bearing, and these lines are at the angle
    pi (RATIO - 1)/(RATIO + 1); the rocker's bearing sees the two ends under the angle SWING.
    """
    apart = np.pi * (RATIO - 1.0) / (RATIO + 1.0)
    far, near = 1.0 + 0.0j, part * np.exp(1j * apart)
    chord = near - far
    c = 0.5 * abs(chord) / np.sin(0.5 * SWING)
    pivots = [0.5 * (far + near) + side * 1j * chord / abs(chord) * c * np.cos(0.5 * SWING) for side in (1, -1)]
    return [(0.5 * (1.0 - part), 0.5 * (1.0 + part), c, abs(pivot)) for pivot in pivots]


def least_angle(a, b, c, d):
    cosines = [(b * b + c * c - s * s) / (2.0 * b * c) for s in (d - a, d + a)]
    angles = np.arccos(np.clip(cosines, -1.0, 1.0))
    return min(float(angles[0]), np.pi - float(angles[1]), float(angles[1]), np.pi - float(angles[0]))


def test_the_best_crank_rocker_of_given_swing_and_time_ratio_is_that_of_the_dead_centre_construction():
    """One length is free: the construction with dead centres leaves one number, searched by golden section."""
    ways = [
        minimize_scalar(
            lambda part, k=k: -least_angle(*by_dead_centres(part)[k]),
            bounds=(0.05, 0.95),
            method="bounded",
            options={"xatol": 1e-12},
        )
        for k in range(2)
    ]
    wanted, (a, b, c, d) = max((-way.fun, by_dead_centres(way.x)[k]) for k, way in enumerate(ways))
    start = pm.models.load("four_bar").replaced(
        parameters={name: {"min": None, "max": None} for name in ("crank", "coupler", "rocker", "ground")}
    )
    found = pm.optimise(
        start.with_parameters(coupler=0.3, rocker=0.22, ground=0.34),
        {"coupler": (0.15, 0.6), "rocker": (0.12, 0.5), "ground": (0.15, 0.6)},
        maximise="transmission.min",
        subject_to=["C.angle.range = 60 deg", (lambda result: result.measures().time_ratio("C").ratio, RATIO, None)],
        **turn(samples=73),
    )
    assert found.fulfilled
    assert found.value == pytest.approx(wanted, abs=1e-4)
    lengths = found.parameters
    got = [0.1, lengths["coupler"], lengths["rocker"], lengths["ground"]]
    assert np.array(got) == pytest.approx(np.array([a, b, c, d]) * 0.1 / a, rel=2e-2)


# -- a quick return -------------------------------------------------------------------------------------------------

QUICK = """
format = 1
name = "Crank and slotted lever"
[parameters]
a = { value = "30 mm", min = "10 mm", max = "90 mm", about = "length of the crank" }
d = { value = "100 mm", about = "distance of the bearings" }
[points]
L = [0.0, 0.0]
O = [0.0, "d"]
A = [0.0, "d + a"]
B = [0.0, "2 * d"]
[bodies]
crank = { points = ["O", "A"], mass = 1.0 }
lever = { points = ["L", "B"], mass = 1.0 }
[joints]
O = { type = "revolute", point = "O", bodies = ["ground", "crank"] }
L = { type = "revolute", point = "L", bodies = ["ground", "lever"] }
slot = { type = "slot", bodies = ["lever", "crank"], point = "A", axis = [0.0, 1.0] }
"""


def test_the_shortest_crank_of_a_quick_return_with_time_ratio_two_is_half_the_distance():
    """The lever turns back where crank and lever are square: a/d = sin(pi/2 (Q - 1)/(Q + 1)), 1/2 for Q = 2."""
    found = pm.optimise(
        toml.loads(QUICK),
        "a",
        minimise="a",
        subject_to=[(lambda result: result.measures().time_ratio("L").ratio, 2.0, None)],
        **turn(samples=181),
    )
    assert found.parameters["a"] == pytest.approx(0.05, rel=1e-5)


# -- a spring that balances a pendulum ------------------------------------------------------------------------------

BALANCED = """
format = 1
name = "Balanced pendulum"
gravity = [0.0, -9.81]
[parameters]
k = { value = "20 N/m", min = "0 N/m", max = "200 N/m", about = "stiffness of the spring" }
[points]
O = [0.0, 0.0]
P = [0.6, 0.0]
S = [0.2, 0.0]
H = [0.0, 0.3]
[bodies.arm]
points = ["O", "P", "S"]
mass = 1.5
com = [0.3, 0.0]
inertia = 0.05
[joints.O]
type = "revolute"
point = "O"
bodies = ["ground", "arm"]
[forces.spring]
type = "spring"
bodies = ["ground", "arm"]
points = ["H", "S"]
stiffness = "k"
length = 0.0
[drivers.motor]
joint = "O"
motion = { type = "linear", rate = 6.283185307179586 }
[run]
duration = 1.0
samples = 61
"""
STIFFNESS = 1.5 * G * 0.3 / (0.3 * 0.2)  # k h r = m g l


@pytest.mark.parametrize("aim", ["motor.effort.peak", "motor.effort.rms"])
@pytest.mark.parametrize("what", ["cycle", "run"])
def test_a_spring_of_no_length_balances_a_pendulum_in_all_positions(aim, what):
    found = pm.optimise(toml.loads(BALANCED), "k", minimise=aim, what=what)
    assert found.parameters["k"] == pytest.approx(STIFFNESS, rel=1e-5)
    assert found.value < 1e-4 * found.first


# -- a flywheel -----------------------------------------------------------------------------------------------------

WHEEL = """
format = 1
name = "Wheel with a weight"
gravity = [0.0, -9.81]
[parameters]
J0 = { value = "0.5 kg*m^2", min = "0.05 kg*m^2", max = "2 kg*m^2", about = "of the flywheel about its own centre" }
[points]
O = [0.0, 0.0]
W = [0.0, -0.2]
[bodies.wheel]
points = ["O", "W"]
mass = 2.0
com = [0.0, -0.1]
inertia = "J0"
[joints.O]
type = "revolute"
point = "O"
bodies = ["ground", "wheel"]
[initial]
omega = { wheel = 20.0 }
[run]
duration = 0.4
samples = 161
"""


def test_the_least_flywheel_is_that_of_the_energy_it_has_to_keep():
    """Its speed falls by no more than a tenth while the weight rises by 2 e: (J0 + m e^2)(1 - 0.81) w0^2 = 4 m g e."""
    found = pm.optimise(toml.loads(WHEEL), "J0", minimise="J0", subject_to="wheel.omega.min >= 18 rad/s")
    wanted = 4.0 * 2.0 * G * 0.1 / (0.19 * 20.0**2) - 2.0 * 0.1**2
    assert found.parameters["J0"] == pytest.approx(wanted, rel=1e-6)
    assert list(found.conditions) == ["wheel.omega.min >= 18 rad/s"]
    assert abs(found.conditions["wheel.omega.min >= 18 rad/s"]) < 1e-6
    assert "just holds" in str(found)


def test_a_curve_must_fulfil_its_condition_at_every_sample():
    once = pm.optimise(toml.loads(WHEEL), "J0", minimise="J0", subject_to="wheel.omega.min >= 18 rad/s")
    always = pm.optimise(toml.loads(WHEEL), "J0", minimise="J0", subject_to="wheel.omega >= 18 rad/s")
    assert always.parameters["J0"] == pytest.approx(once.parameters["J0"], rel=1e-4)


def test_a_natural_frequency_is_set_by_a_spring():
    """Two conditions, one of them an equality: the frequency is reached with the smallest wheel that may be."""
    text = WHEEL.replace("[initial]\nomega = { wheel = 20.0 }\n", "")
    text += '[parameters.k]\nvalue = "50 Nm/rad"\nmin = "1 Nm/rad"\nmax = "400 Nm/rad"\n'
    text += '[forces]\nspring = { type = "torsion", bodies = ["ground", "wheel"], stiffness = "k" }\n'
    found = pm.optimise(toml.loads(text), ["k", "J0"], minimise="k", subject_to="modes.frequency[0] = 3 Hz")
    least = (2.0 * np.pi * 3.0) ** 2 * (0.05 + 2.0 * 0.01) - 2.0 * G * 0.1
    assert found.parameters["J0"] == 0.05
    assert found.parameters["k"] == pytest.approx(least, rel=1e-6)


# -- variants that are none -----------------------------------------------------------------------------------------


def test_variants_that_cannot_be_assembled_do_not_end_the_search():
    """The crank turns round where a + b <= c + d, if the others are about as long: the best is at this border."""
    start = pm.models.load("four_bar")
    seen = []
    found = pm.optimise(
        start,
        {"rocker": (0.2, 0.5), "ground": (0.15, 0.45)},
        minimise="rocker + ground",
        subject_to="C.angle.range >= 1 deg",
        method="nelder-mead",
        progress=seen.append,
        **turn(range=(0.0, 2.0 * np.pi), samples=25),
    )
    assert found.failed > 3 and found.fulfilled
    lost = [one for one in found.history if one.said]
    assert all(np.isnan(one.aim) and not one.fulfilled for one in lost)
    assert all("\n" not in one.said for one in lost)
    assert seen == found.history
    assert found.value == pytest.approx(0.1 + np.sqrt(0.13), rel=1e-3)


def test_methods_with_derivatives_turn_back_at_what_is_no_mechanism():
    """The rod may become so short that it does not reach: the shortest that turns round is crank + ground - rocker."""
    start = pm.models.load("four_bar").replaced(parameters={"coupler": {"min": 0.05}})
    found = pm.optimise(start, "coupler", minimise="coupler", subject_to="grashof", **turn(samples=25))
    assert found.parameters["coupler"] == pytest.approx(0.1, rel=1e-6)


@pytest.mark.parametrize("method", ["auto", "trust-constr", "cobyla"])
def test_an_optimum_at_the_border_of_what_is_a_mechanism_is_found_from_inside(method):
    """Nothing says where the crank stops turning round but the variants that fail: half of what is looked at."""
    start = pm.models.load("four_bar").replaced(parameters={"coupler": {"min": 0.05}})
    found = pm.optimise(
        start,
        "coupler",
        minimise="coupler",
        subject_to="C.angle.range >= 1 deg",
        method=method,
        **turn(samples=25, range=(0.0, 2.0 * np.pi)),
    )
    assert found.failed > 10 and found.fulfilled
    assert 0.1 < found.parameters["coupler"] < 0.1 + 1e-7


def test_a_mechanism_that_is_none_to_begin_with_is_told():
    with pytest.raises((ModelError, SimulationError), match=r"locked|turns back"):
        pm.optimise(
            pm.models.load("four_bar").with_parameters(crank=0.21, ground=0.3, rocker=0.2),
            "rocker",
            maximise="transmission.min",
            **turn(range=(0.0, 6.28), samples=9),
        )


def test_many_starts_find_what_one_does_not():
    """A slope with waves: from the second valley no search leads back to the first."""
    text = BALANCED.replace('value = "20 N/m", min = "0 N/m", max = "200 N/m"', "value = 3.1, min = 0.0, max = 4.0")
    text = text.replace('stiffness = "k"', "stiffness = 10.0")
    aim = "cos(3 * k) + 0.2 * k"
    one = pm.optimise(toml.loads(text), "k", minimise=aim)
    several = pm.optimise(toml.loads(text), "k", minimise=aim, starts=9)
    valleys = [(np.pi - np.arcsin(0.2 / 3.0) + 2.0 * np.pi * k) / 3.0 for k in range(2)]  # 3 sin 3k = 0.2
    assert one.parameters["k"] == pytest.approx(valleys[1], rel=1e-6)
    assert several.parameters["k"] == pytest.approx(valleys[0], rel=1e-6)


def test_a_limit_of_variants_ends_the_search(linkage):
    found = pm.optimise(linkage, "rocker", maximise="transmission.min", method="nelder-mead", most=5, **turn(samples=9))
    assert len(found.history) == 5 and "5 variants were looked at" in found.said


def test_an_interruption_leaves_the_best_so_far(linkage):
    def stop(entry):
        if entry.number == 3:
            raise KeyboardInterrupt

    found = pm.optimise(
        linkage, "rocker", maximise="transmission.min", method="nelder-mead", progress=stop, **turn(samples=9)
    )
    assert found.said == "interrupted" and len(found.history) == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "say one of minimise and maximise"),
        ({"minimise": 3}, "minimise: expected a figure, an expression or a function, got 3, which does not change"),
        ({"minimise": "B.x.max", "maximise": "B.x.max"}, "say one of minimise and maximise"),
        ({"minimise": "B.x.max", "method": "newton"}, "method 'newton' unknown"),
        ({"minimise": "B.x.max", "subject_to": "B.x.max"}, "has no sign"),
        ({"minimise": "B.x.max", "subject_to": "B.x.max < 3 <"}, "expected two sides"),
        ({"minimise": "B.x.max", "subject_to": "B.x.max < 3 bananas"}, '"B.x.max < 3 bananas"'),
        ({"minimise": "B.x.max", "subject_to": [("B.x.max", None, None)]}, "a condition is a text"),
        ({"minimise": "B.x.max", "subject_to": "B.x.max < 3 kg"}, "got a mass where a length is wanted"),
        ({"minimise": "B.x.max", "subject_to": "C.angle.max < crank"}, "got a length where an angle is wanted"),
        ({"minimise": "B.x.max", "subject_to": "B.x.max < B.vx.max"}, "got a speed where a length is wanted"),
        ({"minimise": "B.q.max"}, 'quantity "B.q" unknown'),
        ({"minimise": "B.x.max", "starts": 0}, "starts must be a whole number"),
        ({"minimise": 3j}, "expected a figure"),
    ],
)
def test_wrong_wishes_are_told(linkage, options, said):
    with pytest.raises(ModelError) as error:
        pm.optimise(linkage, "rocker", **turn(samples=9), **options)
    assert said in str(error.value) and "\n" not in str(error.value)


def test_conditions_that_cannot_be_fulfilled_are_named(linkage):
    found = pm.optimise(linkage, "rocker", minimise="B.x.max", subject_to="rocker <= 100 mm", **turn(samples=9))
    assert not found.fulfilled
    assert found.said.startswith('no variant fulfils "rocker <= 100 mm" (')
    assert found.parameters["rocker"] == pytest.approx(0.2, rel=1e-6)  # as near to it as the bounds allow


@pytest.mark.parametrize(
    "wish", [("C.angle.range", 0.7, None), [("C.angle.range", "0.7 rad", None)], "C.angle.range >= 0.7 rad"]
)
def test_a_condition_is_a_text_or_a_quantity_with_bounds(linkage, wish):
    found = pm.optimise(linkage, "rocker", maximise="rocker", subject_to=wish, **turn(samples=25))
    assert next(iter(found.conditions.values())) == pytest.approx(0.0, abs=1e-6) and found.fulfilled


def test_bounds_that_do_not_hold_the_start_are_told(linkage):
    with pytest.raises(ModelError, match=r'parameter "rocker": 0\.3 is not within 0\.4 and 0\.5'):
        pm.optimise(linkage, {"rocker": (0.4, 0.6)}, minimise="B.x.max", **turn())


# -- fronts ---------------------------------------------------------------------------------------------------------


def test_a_front_of_swing_and_transmission_is_the_curve_of_the_crank(linkage, tmp_path):
    """With one number free every variant is on the front: both aims are known in closed form."""
    front = pm.pareto(
        linkage, {"crank": (0.05, 0.15)}, maximise=("C.angle.range", "transmission.min"), points=5, **turn(samples=49)
    )
    b, c, d = 0.4, 0.3, 0.3
    assert len(front) == 5
    for (swing, angle), numbers in zip(front.values, front.parameters, strict=True):
        a = numbers["crank"]
        far, near = (np.arccos((c * c + d * d - s * s) / (2.0 * c * d)) for s in (b + a, b - a))
        assert swing == pytest.approx(far - near, rel=1e-5)
        assert angle == pytest.approx(least_angle(a, b, c, d), rel=1e-5)
    ends = [front.parameters[k]["crank"] for k in (0, -1)]
    assert ends == pytest.approx([0.15, 0.05], rel=1e-4)  # a millionth of one aim may be lost for the other
    assert np.diff(front.values[:, 1]) == pytest.approx(np.full(4, np.diff(front.values[:, 1]).mean()), rel=1e-4)
    view.display(view.front(front), tmp_path / "front.png")
    assert (tmp_path / "front.png").stat().st_size > 10_000
    assert "transmission.min" in str(front)


def test_a_front_needs_two_aims(linkage):
    with pytest.raises(ModelError, match="say two aims"):
        pm.pareto(linkage, "rocker", minimise="B.x.max", **turn())


def test_a_plain_number_in_a_condition_is_said_to_be_in_units_of_the_model(linkage):
    found = pm.optimise(
        linkage, "rocker", maximise="transmission.min", subject_to="transmission.min >= 40", most=3, **turn(samples=9)
    )
    assert not found.fulfilled and '"transmission.min >= 40 (rad)"' in found.said
    assert "transmission.min >= 40 (rad): broken" in str(found) and "0.3" in str(found)
    assert list(found.conditions) == ["transmission.min >= 40"]


def test_bounds_of_a_figure_may_be_texts_with_units(linkage):
    found = pm.optimise(
        linkage, {"rocker": (0.25, 0.5)}, maximise="transmission.min", subject_to=("C.angle.range", "10 deg", "60 deg"),
        **turn(samples=19),
    )  # fmt: skip
    assert list(found.conditions) == ["C.angle.range >= 10 deg", "C.angle.range <= 60 deg"]
    assert found.fulfilled
