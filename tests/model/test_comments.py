"""Files keep their comments and their spelling when what was read from them is written again."""

import pytest
import tomlkit

import particlemech as pm
from particlemech.model import models
from particlemech.model.toml import loads, written

TEXT = """\
# a rod on a pin
name = "Rod"
gravity = [0.0, -9.81]  # on Earth

[parameters]
length = { value = "1 m", min = "10 cm", about = "of the rod" }  # the one that matters
mass = 2.0

[points]
O = [0.0, 0.0]
P = ["length", 0.0]     # drawn level

[bodies.rod]            # uniform
points = ["O", "P"]
mass = "mass"

[joints]
O = { type = "revolute", bodies = ["ground", "rod"], point = "O" }

[run]
duration = "500 ms"     # half a second
"""


@pytest.mark.parametrize("name", models.names())
def test_shipped_models_are_written_byte_for_byte(name, tmp_path):
    text = models.path(name).read_text("utf-8")
    assert tomlkit.dumps(tomlkit.parse(text)) == text
    assert pm.save(models.load(name), tmp_path / "same.toml").read_text("utf-8") == text


def lines(text, other):
    """Return the lines of two texts that differ."""
    a, b = text.splitlines(), other.splitlines()
    assert len(a) == len(b)
    return [(x, y) for x, y in zip(a, b, strict=True) if x != y]


def test_a_changed_parameter_is_a_difference_of_one_line():
    changed = written(loads(TEXT).with_parameters(length="60 cm"))
    ((old, new),) = lines(TEXT, changed)
    assert new == old.replace('"1 m"', '"60 cm"')
    assert loads(changed) == loads(TEXT).with_parameters(length="60 cm")


def test_a_changed_coordinate_keeps_the_expressions_and_comments_beside_it():
    changed = written(loads(TEXT).replaced(points={"P": ("length", 0.2)}))
    assert lines(TEXT, changed) == [
        ('P = ["length", 0.0]     # drawn level', 'P = ["length", 0.2]     # drawn level'),
    ]


BOB = pm.Body(points=("P",), mass=1.0, com=(1.0, 0.0), inertia=0.1)
DRIVER = pm.drivers.Coordinate(joint="O", motion=pm.signals.Linear(rate=1.0))


@pytest.mark.parametrize(
    ("change", "kept", "new"),
    [
        ({"bodies": {"rod": {"mass": 3.0}}}, "# uniform", "mass = 3.0"),
        ({"run": {"duration": 2.0}}, "# half a second", "duration = 2.0     # half a second"),
        ({"run": {"samples": 11}}, "# half a second", "samples = 11"),
        ({"gravity": (0.0, -1.62)}, "# on Earth", "gravity = [0.0, -1.62]  # on Earth"),
        ({"name": "Other"}, "# a rod on a pin", 'name = "Other"'),
        ({"joints": {"P": pm.joints.Revolute(point="P", bodies=("rod", "bob"))}, "bodies": {"bob": BOB}}, "# uniform",
         "[bodies.bob]"),
        ({"drivers": {"m": DRIVER}}, "# uniform", "motion ="),
        ({"parameters": {"width": 0.1}}, "# the one that matters", "width = 0.1"),
    ],
)  # fmt: skip
def test_whatever_changes_reads_back_and_the_rest_stays(change, kept, new):
    changed = loads(TEXT).replaced(**change)
    text = written(changed)
    assert loads(text) == changed
    assert text.startswith("# a rod on a pin\n") and kept in text and new in text
    assert all(line in text for line in TEXT.splitlines() if "#" in line and "length" in line)


def test_what_is_taken_out_is_gone_and_the_rest_stays():
    text = TEXT.replace("[run]", '[forces.push]\ntype = "load"\nbody = "rod"\npoint = "P"\nforce = [1.0, 0.0]\n\n[run]')
    changed = loads(text).replaced(forces={"push": None})
    again = written(changed)
    assert loads(again) == changed and "push" not in again and "# half a second" in again


def test_a_second_change_is_of_the_first():
    once = loads(written(loads(TEXT).with_parameters(length="60 cm")))
    twice = written(once.with_parameters(mass=3.0).with_parameters(length="70 cm"))
    assert [new for _, new in lines(TEXT, twice)] == [
        'length = { value = "70 cm", min = "10 cm", about = "of the rod" }  # the one that matters',
        "mass = 3.0",
    ]


def test_mechanisms_know_their_file_but_are_equal_without_it():
    import pickle

    read = loads(TEXT)
    assert read == loads(TEXT.replace("# a rod on a pin", "")) and hash(read) == hash(loads(TEXT))
    assert pickle.loads(pickle.dumps(read)).source == read.source
