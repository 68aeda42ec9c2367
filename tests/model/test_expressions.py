"""Expressions: what they are, what they are not, and that they can do nothing but arithmetic."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

import particlemech as pm
from particlemech.model import toml
from particlemech.model.dimensions import FREE, UNITS
from particlemech.model.expressions import evaluated, parsed
from particlemech.model.parameters import Parameter
from particlemech.model.scope import Scope
from tests.support.hostile_expressions import ALL

KNOWN = {
    "crank": Parameter(value="50 mm"),
    "rod": Parameter(value="3 * crank"),
    "phi": Parameter(value="30 deg"),
    "speed": Parameter(value="1200 rpm"),
    "ratio": Parameter(value=2.5),
}
PLACES = {"A": (0.0, 0.0), "B": (0.3, 0.0), "C": ("B.x + 20 mm", "2*C.x"), "D": "mid(A, B)"}


def value(text: str, system: str = "SI"):
    return evaluated(parsed(text), Scope(KNOWN, PLACES, system))[0]


MODEL = """
[parameters]
crank = "50 mm"
rod = "3 * crank"
phi = "30 deg"
speed = "1200 rpm"
round1 = "2 * round2"
round2 = "round1 / 2"
[points]
A = [0, 0]
B = ["rod", 0]
D = ["B.x", "D.y"]
[bodies]
bar = {{ points = ["A", "B"], mass = 1, length = {text} }}
"""


ROUND = {"round1": "2 * round2", "round2": "round1 / 2"}
CIRCLE = {"D": ("D.x", 0)}


def with_length(text: str):
    places = {"A": (0, 0), "B": (0.3, 0), "C": (0, 1)} | (CIRCLE if "D." in text else {})
    parameters = KNOWN | (ROUND if "round" in text else {})
    return pm.Mechanism(
        parameters=parameters, points=places, bodies={"rod": pm.Body(points=("A", "B"), mass=1.0, length=text)}
    )


def test_what_is_no_hostile_text_is_taken():
    assert with_length("rod + 1 mm").bodies["rod"].length == pytest.approx(0.151, rel=1e-15)


def test_there_are_three_hundred_hostile_texts():
    assert len(set(ALL)) >= 300


@pytest.mark.parametrize("text", ALL, ids=range(len(ALL)))
def test_a_hostile_text_is_refused_in_one_line_at_once(text):
    took = []
    for _ in range(2):  # once is not enough on a busy machine
        parsed.cache_clear()
        began = time.process_time()
        with pytest.raises(pm.ModelError) as caught:
            with_length(text)
        took.append(time.process_time() - began)
    assert min(took) < 0.1
    said = str(caught.value)
    assert said.isprintable() and len(said) < 500


@pytest.mark.parametrize("text", [t for t in ALL if t.isprintable() and '"' not in t and "\\" not in t][::9])
def test_a_hostile_text_in_a_file_is_refused_alike(text):
    with pytest.raises(pm.ModelError, match=r"parameter|bar|point"):
        toml.loads(MODEL.format(text=f'"{text}"').replace("round", "round_"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50 mm", 0.05),
        ("35mm", 0.035),
        ("1e3 mm", 1.0),
        ("0.1 um", 1e-7),
        ("1 µm", 1e-6),
        ("2 \u03bcm", 2e-6),  # with the Greek letter
        ("3 in", 0.0762),
        ("3 ft", 0.9144),
        ("90 deg", math.pi / 2),
        ("0.5 rev", math.pi),
        ("60 rpm", 2 * math.pi),
        ("9 lbf", 9 * 0.45359237 * 9.80665),
        ("2 N/mm", 2000.0),
        ("5 kg*m^2", 5.0),
        ("5 kg m**2", 5.0),
        ("10 N m", 10.0),
        ("3 m/s^2", 3.0),
        ("1 g0", 9.80665),
        ("2 lbf/in", 2 * 0.45359237 * 9.80665 / 0.0254),
        ("1 bar * 2 mm^2", 0.2),
        ("7850 kg/m^3", 7850.0),
        ("crank + 5 mm", 0.055),
        ("-crank", -0.05),
        ("2^3", 8.0),
        ("-2**2", -4.0),
        ("2 - -2", 4.0),
        ("rod * cos(phi)", 0.15 * math.cos(math.pi / 6)),
        ("hypot(3 mm, 4 mm)", 0.005),
        ("max(1, 2, 3)", 3.0),
        ("atan2(1 mm, 1 mm)", math.pi / 4),
        ("B.x + 20 mm", 0.32),
        ("C.y", 0.64),
        ("D.x", 0.15),
        ("speed * crank", 125.66370614359172 * 0.05),
        ("ratio * crank", 0.125),
        ("exp(log(2))", 2.0),
        ("2*pi", 2 * math.pi),
    ],
)
def test_an_expression_has_the_value_of_its_arithmetic(text, expected):
    assert value(text) == pytest.approx(expected, rel=4e-16)


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_is_the_same_quantity_in_every_system(name):
    # of a quantity q = n u, n differs by the sizes of the units of length and mass alone
    unit = UNITS[name]
    si = value(f"3 {name}")
    for system, metres, kilograms in (("kg-mm", 1e-3, 1.0), ("g-cm", 1e-2, 1e-3), ("lb-inch", 0.0254, 0.45359237)):
        expected = si / (metres ** unit.powers[0] * kilograms ** unit.powers[1])
        assert value(f"3 {name}", system) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("millimetres", range(1, 200, 7))
def test_a_length_in_millimetres_is_the_nearest_number(millimetres):
    assert value(f"{millimetres} mm") == float(f"{millimetres}e-3")


def test_an_angular_rate_in_hertz_is_refused_with_a_cure():
    with pytest.raises(pm.ModelError, match=r"60 rpm, or 2\*pi\*1 rad/s"):
        pm.load(pm.models.path("four_bar")).replaced(
            drivers={"motor": pm.drivers.Coordinate(joint="O", motion=pm.signals.Linear(rate="20 Hz"))}
        )


@pytest.mark.parametrize(
    ("motion", "words"),
    [("20 mm", "got a length where an angle is wanted"), ("20 deg + 1 mm + 0.1*t", "added"), ("abs(t)", "jumps")],
)
def test_a_motion_of_a_pin_is_an_angle(motion, words):
    with pytest.raises(pm.ModelError, match=words):
        pm.models.load("stephenson_six_bar").replaced(drivers={"motor": {"motion": motion}})


def test_a_parameter_without_unit_goes_wherever_a_number_goes():
    assert evaluated(parsed("ratio * 2 mm"), Scope(KNOWN, PLACES, "SI"))[1] == FREE


def test_columns_give_every_row_the_digits_that_it_has_alone():
    cranks = np.linspace(0.03, 0.08, 50)
    text = parsed("crank * cos(phi) + sqrt(rod**2 - (crank*sin(phi))**2) / 2")
    many = evaluated(text, Scope(KNOWN, PLACES, "SI", {"crank": (cranks, (1.0, 0.0, 0.0, 0.0))}))[0]
    for crank, found in zip(cranks, many, strict=True):
        known = {"crank": (float(crank), (1.0, 0.0, 0.0, 0.0))}
        assert evaluated(text, Scope(KNOWN, PLACES, "SI", known))[0] == found


def test_a_number_taken_from_an_expression_elsewhere_is_a_number():
    linkage = pm.models.load("four_bar")
    held = linkage.replaced(points={"D": linkage.points["B"]}).with_parameters(crank="120 mm")
    assert held.points["D"] == linkage.points["B"] != held.points["B"]
    kept = linkage.replaced(points=dict(linkage.points)).with_parameters(crank="120 mm")
    assert kept.points["B"] == held.points["B"]


def test_replaced_parameters_keep_their_bounds_and_what_they_are():
    four_bar = pm.models.load("four_bar")
    changed = four_bar.replaced(parameters={"crank": 0.06})
    assert changed == four_bar.with_parameters(crank=0.06)
    assert changed.parameters["crank"].max == 0.22 and changed.parameters["crank"].about == "length of the crank"
    with pytest.raises(pm.ModelError, match="above its max"):
        four_bar.replaced(parameters={"crank": "1 m"})
    assert four_bar.replaced(parameters={"crank": {"max": "300 mm"}}).parameters["crank"].max == 0.3


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, 'parameter "crank": key "value": expected a number, got None'),
        (math.nan, 'parameter "crank": expected a finite number, got nan'),
        (-math.inf, 'parameter "crank": expected a finite number, got -inf'),
        (True, 'parameter "crank": expected a number, got True'),
        ([1, 2], 'parameter "crank": key "value": expected a number, got'),
        (np.array([0.1, 0.2]), 'parameter "crank": expected a number, got'),
    ],
)
def test_a_value_that_is_no_number_is_refused_with_the_name_of_its_parameter(given, expected):
    with pytest.raises(pm.ModelError) as error:
        pm.models.load("four_bar").with_parameters(crank=given)
    assert str(error.value).startswith(expected)


def test_a_turn_without_its_unit_is_refused_with_a_cure():
    text = """
parameters = {{ speed = "1200 rpm" }}
points = {{ O = [0, 0], P = [1, 0] }}
bodies.rod = {{ points = ["O", "P"], mass = 2 }}
run.duration = "{} / speed"
"""
    with pytest.raises(pm.ModelError, match=r"got time/angle where a time is wanted; .* 360 deg for a turn"):
        toml.loads(text.format("2 * pi"))
    assert toml.loads(text.format("360 deg")).run.duration == pytest.approx(0.05, rel=1e-15)
    with pytest.raises(pm.ModelError) as error:
        toml.loads(text.format("1 mm"))
    assert "360" not in str(error.value)
