"""Units in the plane: models may be written in any system, results are in that system, and nothing else changes."""

import dataclasses
import re
from itertools import product

import numpy as np
import pytest

import particlemech as pm
from particlemech import ModelError, forces, signals
from particlemech.analyses import report
from particlemech.model import columns, toml
from particlemech.model.units import SYSTEMS
from particlemech.run.preparing import prepared
from particlemech.view.families import scene
from tests.fuzz_mechanisms import scaled
from tests.support.problems import driven_slider_crank

SI = SYSTEMS["SI"]
RUNS = [("particles", "explicit", 1e-12), ("particles", "ida", 1e-6), ("absolute", "ida", 1e-6)]


def slider_crank(base=None):
    """Return a slider-crank with a motor, a load, a spring and gravity."""
    push = forces.Load(body="slider", force=(signals.Sine(amplitude=30.0, frequency=2.0), 5.0), frame="body")
    coil = forces.Spring(
        bodies=("ground", "slider"), points=((0.9, 0.1), "B"), stiffness=200.0, damping=3.0, length=0.4
    )
    return (base or pm.models.load("slider_crank")).replaced(gravity=(0.0, -9.81), forces={"push": push, "coil": coil})


def written_in(mechanism, units):
    """Return the same mechanism in another system of units, its numbers plain."""
    of = SYSTEMS[units]
    there = scaled(mechanism, 1.0 / of.metres, 1.0 / of.kilograms, 1.0)
    return dataclasses.replace(there, units=units, parameters={})


def factor(quantity, of):
    """Return the SI value of one unit of a quantity."""
    lengths = dict.fromkeys(("position", "velocity", "acceleration"), of.metres)
    forces = dict.fromkeys(("force", "momentum"), of.newtons)
    works = dict.fromkeys(("moment", "energy", "angular momentum"), of.joules)
    return {**lengths, **forces, **works}.get(quantity, 1.0)


@pytest.mark.parametrize(("formulation", "integrator", "bound"), RUNS)
@pytest.mark.parametrize("units", [name for name in SYSTEMS if name != "SI"])
def test_a_mechanism_moves_the_same_in_all_units(units, formulation, integrator, bound):
    """Explicit steps to rounding; steps of IDA depend on rounding, so there to the error of the integrator."""
    options = {"duration": 0.5, "samples": 26, "formulation": formulation, "integrator": integrator}
    here = slider_crank()
    one, other = (pm.simulate(m, **options).columns() for m in (here, written_in(here, units)))
    quantities = {name: "time" if name == "t" else columns.quantity(here, name) for name in one}
    sizes = dict.fromkeys(quantities.values(), 0.0)
    for name, values in one.items():
        sizes[quantities[name]] = max(sizes[quantities[name]], float(np.nanmax(np.abs(values))))
    for name, values in one.items():
        size = sizes[quantities[name]]
        in_si = factor(quantities[name], SYSTEMS[units]) * other[name]
        assert in_si == pytest.approx(values, abs=bound * size, nan_ok=True), name


def test_explicit_steps_are_the_same_to_the_last_bit_where_units_differ_by_powers_of_two():
    """Not one number that any decision is held against is in metres, kilograms or newtons."""
    here = slider_crank()
    one = pm.simulate(here, duration=0.5, samples=26, integrator="explicit")
    for length, mass in product((2.0**-20, 1.0, 2.0**20), repeat=2):
        other = pm.simulate(scaled(here, length, mass, 1.0), duration=0.5, samples=26, integrator="explicit")
        assert np.array_equal(other["B"] / length, one["B"]) and np.array_equal(other.alpha("rod"), one.alpha("rod"))
        assert np.array_equal(other.reaction("A", "rod") / (mass * length), one.reaction("A", "rod"))


def test_labels_of_columns_axes_pages_and_summaries_are_in_the_units_of_the_model():
    mechanism = written_in(slider_crank(driven_slider_crank()), "g-cm")
    result = pm.simulate(mechanism, duration=0.1, samples=3)
    said = dict(zip(result.columns(), result.units(), strict=True))
    assert (said["B.x"], said["B.vx"], said["A.rod.fx"]) == ("cm", "cm/s", "dyn")
    assert (said["motor.effort"], said["energy.kinetic"], said["rod.angle"]) == ("dyn cm", "erg", "rad")
    assert scene(result).unit == "cm" and scene(mechanism).arrows["load"]["push"].unit == "dyn"
    summary = dict(report.summary(mechanism, result, 1, 0.0))
    assert summary["gravity"].endswith("cm/s²") and summary["closure, position"].endswith(" cm")
    assert summary["energy error"].endswith("erg")
    assert dict(pm.check(mechanism).rows)["units"] == "g-cm: cm, g, s; force in dyn"
    page = str(pm.explain(mechanism))
    assert "units g-cm;" in page and "mass, g " in page and "dyn, dyn cm" in page and " N m" not in page


def test_files_say_the_units_and_read_back_in_them(tmp_path):
    mechanism = written_in(slider_crank(driven_slider_crank()), "kg-mm")
    result = pm.simulate(mechanism, duration=0.1, samples=3)
    result.to_csv(tmp_path / "r.csv")
    again = pm.read_result(tmp_path / "r.csv")
    assert again.units() == result.units() and again.system.mechanism.units == "kg-mm"
    head = [line for line in (tmp_path / "r.csv").read_text().splitlines() if line.startswith("#")]
    assert any("mm/s" in line for line in head)
    assert toml.loads(toml.dumps(mechanism)) == mechanism
    assert again["A"][0] == pytest.approx(mechanism.points["A"], abs=1e-9)


def test_units_are_si_unless_named_and_are_left_out_of_files():
    mechanism = pm.models.load("four_bar")
    assert mechanism.unit is SI and "units" not in toml.to_dict(mechanism)
    with pytest.raises(ModelError, match=r'key "units": .cgs. unknown'):
        mechanism.replaced(units="cgs")


def test_messages_are_in_the_units_of_the_model():
    open_loop = written_in(pm.models.load("four_bar"), "kg-mm").replaced(bodies={"coupler": {"length": 2000.0}})
    with pytest.raises(ModelError, match=r"length 2000 mm cannot be reached from the drawn 360.\d+ mm"):
        pm.simulate(open_loop, duration=0.1)
    both = written_in(pm.models.load("pendulum"), "kg-mm").replaced(initial={"velocity": {"P": (1000.0, 0.0)}})
    with pytest.raises(ModelError, match=r"up to 1e\+03 mm/s"):
        pm.simulate(both, duration=0.1)


def test_a_dataset_is_in_one_system_of_units():
    pytest.importorskip("xarray")
    mechanism = written_in(slider_crank(driven_slider_crank()), "g-cm")
    cases = {k: {"bodies": {"crank": {"mass": k}}} for k in (500.0, 600.0)}
    wanted = ("position", "omega", "motor.effort", "energy.kinetic", "closure.position")
    data = pm.simulate_many(cases, of=mechanism, duration=0.05, samples=3, quantities=wanted)
    assert [data[name].attrs["units"] for name in wanted] == ["cm", "rad/s", "dyn cm", "erg", "cm"]
    with pytest.raises(ModelError, match=r"case 1 is in units 'SI', others in 'g-cm'"):
        pm.simulate_many([mechanism, slider_crank()], duration=0.05, samples=3)


def test_the_length_of_a_lone_wheel_is_its_radius_of_gyration_in_any_units():
    wheel = pm.Mechanism(bodies={"wheel": pm.Body(mass=2.0, com=(0.3, 0.1), inertia=0.08)})
    for name, of in SYSTEMS.items():
        system, _ = prepared(written_in(wheel, name))
        assert system.scale.length * of.metres == pytest.approx(0.2, rel=1e-12)


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ({"A.x": "3 kg"}, '"3 kg": got a mass where a length is wanted'),
        ({"crank.angle": "30 mm"}, '"30 mm": got a length where an angle is wanted'),
        ({"motor.effort": 1.0}, 'column "motor.effort" unknown: no part is called "motor"'),
        ({"A.zz": 1.0}, 'column "A.zz" unknown: "A" has no "zz"'),
        ({"A": 1.0}, 'column "A" unknown'),
    ],
)
def test_what_must_come_out_is_a_column_and_of_its_dimension(end, said):
    tables = {"points": {"O": [0, 0], "A": [1, 0]}, "bodies": {"crank": {"points": ["O", "A"], "mass": 1.0}}}
    with pytest.raises(pm.ModelError, match=re.escape(said)):
        toml.from_dict({**tables, "check": {"end": end}})
    made = toml.from_dict({**tables, "check": {"end": {"A.x": "3 mm", "crank.angle": "90 deg", "energy.total": "2 J"}}})
    assert made.check.end["A.x"] == 3e-3


def test_what_must_come_out_of_a_part_goes_with_it():
    motor = {"motor": pm.drivers.Coordinate(joint="O", motion=1.0)}
    driven = pm.models.load("four_bar").replaced(drivers=motor, check={"end": {"motor.effort": 1.0, "A.x": 0.0}})
    assert dict(driven.replaced(drivers={"motor": None}).check.end) == {"A.x": 0.0}


def test_a_variant_is_held_to_expressions_only_not_to_numbers_of_other_values():
    lift = pm.models.load("scissor_lift")
    assert set(lift.check.end) == {"A2.y", "platform.angle"}
    assert set(lift.with_parameters(arm="1.1 m").check.end) == {"A2.y"}
    assert lift.with_parameters(arm=float(lift.parameters["arm"].value)).check.end == lift.check.end
