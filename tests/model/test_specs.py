"""Parts said in Python: missing and unknown keys, and what a part means where keys are left out."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import errors, forces, joints, signals, space
from particlemech.errors import ModelError
from particlemech.model.inertia import inertia
from particlemech.model.space import forms
from tests.support.problems import FORMULATIONS, floating, slider


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: pm.Body(points=["A", "B"], mas=2.0), 'body: key "mas" unknown (did you mean "mass"?)'),
        (lambda: pm.Body(["A", "B"], 2.0), "body: takes its keys by name, such as points = ..."),
        (lambda: pm.Mechanism(points={"A": (0, 0)}), 'mechanism: key "bodies" is missing; add it (the moving bodies)'),
        (lambda: joints.Revolute(point="A"), 'revolute: key "bodies" is missing; add it (two or more bodies)'),
        (lambda: forces.Load(body="a"), 'load: key "force" is missing; add it (N in SI)'),
        (lambda: signals.Cycloid(end=1.0), 'cycloid: key "duration" is missing; add it (s)'),
        (lambda: space.forces.Load(body="a"), 'load: key "force" is missing; add it (force)'),
        (lambda: space.Body(), 'keys "points" and "com" are both missing'),
        (lambda: space.Body(lenght=1.0), 'body: key "lenght" unknown'),
    ],
)
def test_a_key_that_is_missing_or_unknown_in_python_is_named(make, said):
    with pytest.raises(ModelError) as error:
        make()
    assert str(error.value).startswith(said)


def test_an_error_inside_a_form_is_not_mistaken_for_a_wrong_key():
    class Odd(pm.Body):
        def verify(self):
            raise TypeError("something else")

    with pytest.raises(TypeError, match="something else"):
        Odd(points=("A", "B"), mass=1.0)


# -- loads -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("frame", ["global", "body"])
def test_a_load_without_a_place_acts_at_the_centre_of_mass(formulation, frame):
    """A floating body pushed at its centre does not turn, and a = F/m."""
    load = forces.Load(body="body", force=(3.0, -1.0), frame=frame)
    result = pm.simulate(floating(forces={"push": load}), duration=1.0, samples=3, formulation=formulation)
    assert np.abs(result.angle("body")).max() < 1e-13  # observed 1.2e-14, rounding of explicit steps
    moved = result["P"][-1] - result["P"][0]
    assert moved == pytest.approx([0.5 * 3.0 / 2.0, -0.5 / 2.0], abs=1e-9)


def test_a_load_on_the_ground_needs_a_place_because_the_ground_has_no_centre():
    with pytest.raises(ModelError, match=r'^force "push": the ground has no centre of mass; give "point"'):
        floating(forces={"push": forces.Load(body="ground", force=(1, 0))})


# -- springs ---------------------------------------------------------------------------------------------------------

TENTH = 0.1 + 0.2 - 0.3  # what rounding leaves of nothing


@pytest.mark.parametrize(
    "ends", [{"points": ("Q", "P")}, {"points": ((1.5, 0), "P")}, {"points": ((1.5 + TENTH, TENTH), (1.5, 0))}]
)
def test_a_spring_drawn_with_both_ends_at_one_place_is_refused_however_they_are_given(ends):
    spring = forces.Spring(bodies=("ground", "block"), stiffness=10.0, length=0.4, **ends)
    with pytest.raises(ModelError, match=r'^force "s": its ends are drawn at one place.*length 0.4 has no direction'):
        slider().replaced(points={"Q": (1.5, 0.0)}, forces={"s": spring})


@pytest.mark.parametrize("ends", [{"points": ("Q", "P")}, {"points": ((1.5, 0), "P")}])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_spring_of_no_length_may_begin_at_one_place(ends, formulation):
    """From its end, thrown at 2 m/s: x = v/w sin(w t), w^2 = k/m."""
    spring = forces.Spring(bodies=("ground", "block"), stiffness=50.0, length=0.0, **ends)
    thrown = slider(initial=pm.Initial(velocity={"P": (2.0, 0.0)}))
    mechanism = thrown.replaced(points={"Q": (1.5, 0.0)}, forces={"s": spring})
    result = pm.simulate(mechanism, duration=1.0, samples=21, formulation=formulation)
    exact = 1.5 + 2.0 / 5.0 * np.sin(5.0 * result.t)
    assert np.abs(result["P"][:, 0] - exact).max() < 1e-6


# -- inertia tensors -------------------------------------------------------------------------------------------------


def test_products_of_inertia_that_are_rounding_errors_count_as_equal():
    rows = [[2.0, -1.60832e-16, 0.0], [-1.60831e-16, 3.0, 1e-17], [0.0, -1e-17, 4.0]]
    assert inertia(rows) == pytest.approx((2.0, 3.0, 4.0, 0.0, 0.0, 0.0), abs=2e-16)


def test_products_of_inertia_that_differ_are_shown_with_all_their_digits():
    with pytest.raises(ModelError, match=r"xy is 0.1 above the diagonal and 0.1000001 below"):
        inertia([[2.0, 0.1, 0.0], [0.1000001, 3.0, 0.0], [0.0, 0.0, 4.0]])


def test_matrices_of_links_are_symmetric_within_the_size_of_their_diagonal():
    noise = math.ldexp(1.0, -50)
    assert forms.matrix([[4.0, noise], [-noise, 9.0]])[0] == (4.0, noise)
    with pytest.raises(ModelError, match=r"entry \(2, 1\) is 1e-06 and entry \(1, 2\) is 0.0"):
        forms.matrix([[4.0, 0.0], [1e-6, 9.0]])


def test_what_is_known_is_listed_once():
    assert errors.suggestion("zzz", ["O", "A", "O", "rod"]) == " (known: O, A, rod)"
