"""The start: assembly from a rough drawing, the motion of least kinetic energy, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import particlemech as pm
from particlemech import Body, Initial, Mechanism, drivers, forces, joints, models, signals
from particlemech.run.preparing import prepared
from tests.support.problems import DOWN, FORMULATIONS, PLANAR, driven_four_bar, hold, pinned


def begun(mechanism, formulation="particles"):
    """Return a result of two samples: its first is the start."""
    return pm.simulate(mechanism, duration=1e-3, samples=2, formulation=formulation)


# -- positions ---------------------------------------------------------------------------------------------------


def rough_four_bar():
    """Return the shipped four-bar with a crank of 0.12 m, drawn as 0.1 m."""
    return models.load("four_bar").replaced(bodies={"crank": {"length": 0.12}})


def travel(theta):
    """Return the integral of |displacement|^2 dm of all rods for a crank angle, and the places of A and B."""
    b, c, C = math.hypot(0.3, 0.2), 0.3, np.array([0.3, 0.0])
    A = 0.12 * np.array([math.cos(theta), math.sin(theta)])
    line = C - A
    far = math.hypot(*line)
    along = (b * b + far * far - c * c) / (2 * far)
    side = np.array([-line[1], line[0]]) / far
    B = A + along * line / far + math.sqrt(b * b - along**2) * side
    drawn = {"O": np.zeros(2), "A": np.array([0.0, 0.12]), "B": np.array([0.3, 0.3]), "C": C}
    # the crank is drawn with its true length, the others as they stand
    rods = [
        (0.5, np.zeros(2), A - drawn["A"]),
        (0.8, A - np.array([0.0, 0.1]), B - drawn["B"]),
        (0.6, B - drawn["B"], np.zeros(2)),
    ]
    return sum(m / 3 * (u @ u + u @ v + v @ v) for m, u, v in rods), A, B


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_rough_drawing_is_assembled_with_the_least_motion_of_mass(formulation):
    result = begun(rough_four_bar(), formulation)
    best = minimize_scalar(lambda a: travel(a)[0], bounds=(1.0, 2.2), method="bounded", options={"xatol": 1e-12})
    _, A, B = travel(best.x)
    hold("assembly against a search", max(np.abs(result["A"][0] - A).max(), np.abs(result["B"][0] - B).max()))


def test_both_formulations_assemble_the_same_pose():
    one, other = (begun(rough_four_bar(), f) for f in FORMULATIONS)
    gap = max(np.abs(one[p][0] - other[p][0]).max() for p in "OABC")
    hold("assembled pose of two formulations", gap / one.system.scale.length)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_assembly_gives_every_body_its_length_and_reports_what_moved(formulation):
    result = begun(rough_four_bar(), formulation)
    for a, b, length in (("O", "A", 0.12), ("A", "B", math.hypot(0.3, 0.2)), ("B", "C", 0.3)):
        assert math.dist(result[a][0], result[b][0]) == pytest.approx(length, abs=1e-14)
    drawing = rough_four_bar().points
    assert set(result.start.moved) == {"crank", "coupler", "rocker"}
    assert result.start.moved["rocker"] == pytest.approx(math.dist(result["B"][0], drawing["B"]), rel=1e-9)
    assert result.start.moved["coupler"] >= result.start.moved["rocker"]


@pytest.mark.parametrize("name", PLANAR)
def test_shipped_models_are_drawn_as_they_stand(name):
    model = models.load(name)
    system, start = prepared(model)
    assert start.moved == {}
    where = system.motion(start.q[None], start.v[None], start.a[None], start.x[None]).point[0]
    drawn = np.array([model.points[p] for p in system.layout.points])
    assert np.abs(where - drawn).max() <= 1e-11 * system.scale.length


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_strut_whose_ends_are_drawn_at_one_place_is_refused(formulation):
    # it has a length but no direction to grow to
    nowhere = Mechanism(
        points={"O": (0.0, 0.0), "P": (1.0, 0.0), "Q": (1.0, 0.0)},
        bodies={"bar": Body(points=("O", "P"), mass=1.0)},
        joints={
            "O": joints.Revolute(bodies=("ground", "bar"), point="O"),
            "strut": joints.Distance(bodies=("ground", "bar"), points=("Q", "P"), length=0.5),
        },
    )
    with pytest.raises(pm.ModelError, match=r'cannot be assembled from this drawing: joint "strut" stay open by 0\.'):
        begun(nowhere, formulation)


# -- velocities --------------------------------------------------------------------------------------------------


def bent_chain():
    """Return four rods in a zigzag whose tip gets a velocity."""
    places = np.array([[0, 0], [0.3, 0.1], [0.5, -0.2], [0.9, -0.1], [1.0, 0.3]])
    points = {f"P{i}": tuple(p) for i, p in enumerate(places)}
    model = models.chain(4).replaced(points=points, initial=Initial(velocity={"P4": (0.7, -1.1)}))
    return model, places


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_start_is_the_motion_of_least_kinetic_energy(formulation):
    model, places = bent_chain()
    # rates of the rods are the coordinates: places of centres and tip are linear in them
    turned = np.column_stack([-np.diff(places, axis=0)[:, 1], np.diff(places, axis=0)[:, 0]])  # d(end)/d(omega)
    M = np.zeros((4, 4))
    for i in range(4):
        J = np.zeros((2, 4))
        J[:, :i] = turned[:i].T
        J[:, i] = turned[i] / 2
        M += 0.25 * J.T @ J
        M[i, i] += 0.25 * turned[i] @ turned[i] / 12
    K = np.block([[M, turned], [turned.T, np.zeros((2, 2))]])
    omega = np.linalg.solve(K, np.array([0, 0, 0, 0, 0.7, -1.1]))[:4]
    result = begun(model, formulation)
    found = np.array([result.omega(f"link{i + 1}")[0] for i in range(4)])
    hold("least kinetic energy", np.abs(found - omega).max())
    assert result.energy.kinetic[0] == pytest.approx(omega @ M @ omega / 2, rel=1e-11)
    assert result.velocity("P4")[0] == pytest.approx([0.7, -1.1], abs=1e-12)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_struck_floating_rod_starts_about_its_centre_of_percussion(formulation):
    """Least kinetic energy for a given velocity of one end is what an impulse there gives: omega = 3v/2L."""
    rod = Mechanism(
        points={"A": (0.0, 0.0), "B": (0.8, 0.0)},
        bodies={"rod": Body(points=("A", "B"), mass=2.0)},
        initial=Initial(velocity={"B": (0.0, 2.0)}),
    )
    result = begun(rod, formulation)
    assert result.omega("rod")[0] == pytest.approx(1.5 * 2.0 / 0.8, rel=1e-12)
    assert result.velocity("A")[0] == pytest.approx([0.0, -1.0], abs=1e-12)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_driver_starts_with_the_speed_of_its_motion(formulation):
    result = begun(driven_four_bar(), formulation)
    assert result.omega("crank")[0] == pytest.approx(4.0 * 2 * math.pi * 0.6, rel=1e-13)
    assert result.alpha("crank")[0] == pytest.approx(0.0, abs=1e-9)
    assert result.closure.velocity[0] <= 1e-12


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"initial": Initial(omega={"crank": 20.0, "rocker": 5.0})}, ["crank", "rocker"]),
        ({"initial": Initial(omega={"crank": 1.0}, velocity={"A": (3.0, 0.0)})}, ["crank", '"A"']),
        ({"initial": Initial(velocity={"A": (0.0, 1.0)})}, ['"A"']),
        (
            {
                "initial": Initial(omega={"crank": 3.0}),
                "drivers": {"motor": drivers.Rotation(bodies=("ground", "crank"), motion=signals.Linear(rate=2.0))},
            },
            ["crank", "motor"],
        ),
    ],
    ids=["two rates", "rate and velocity", "velocity along the rod", "rate and driver"],
)
def test_start_that_contradicts_itself_is_refused_by_name(changes, words, formulation):
    with pytest.raises(pm.ModelError, match="contradicts itself") as error:
        begun(models.load("four_bar").replaced(**changes), formulation)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_demands_that_agree_are_no_contradiction(formulation):
    agreed = models.load("four_bar").replaced(initial=Initial(omega={"crank": 5.0}, velocity={"A": (-0.5, 0.0)}))
    assert begun(agreed, formulation).omega("crank")[0] == pytest.approx(5.0, rel=1e-12)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_body_that_could_turn_without_inertia_is_refused(formulation):
    bob = Body(points=("P",), mass=1.0, com=(1.0, 0.0), inertia=0.0)
    rod = joints.Distance(bodies=("ground", "bob"), points=("O", "P"))
    points = {"O": (0.0, 0.0), "P": (1.0, 0.0)}
    mechanism = Mechanism(gravity=DOWN, points=points, bodies={"bob": bob}, joints={"rod": rod})
    with pytest.raises(pm.ModelError, match=r'body "bob".*inertia'):
        begun(mechanism, formulation)


# -- accelerations -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_start_from_rest_falls_with_the_analytic_acceleration(formulation):
    """A rod let go from the horizontal: alpha = -3g/2L, and its pin carries a quarter of the weight."""
    result = begun(models.load("pendulum"), formulation)
    assert result.alpha("rod")[0] == pytest.approx(-1.5 * 9.81, rel=1e-13)
    assert result.reaction("O", on="rod")[0] == pytest.approx([0.0, 9.81 / 4], abs=1e-12)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_mechanism_in_balance_stays_at_rest(formulation):
    """A beam on two springs, each loaded with half its weight."""
    beam = Mechanism(
        gravity=DOWN,
        points={"A": (-0.5, 0.0), "B": (0.5, 0.0), "P": (-0.5, -1.0), "Q": (0.5, -1.0)},
        bodies={"beam": Body(points=("A", "B"), mass=2.0)},
        forces={
            "left": forces.Spring(bodies=("ground", "beam"), points=("P", "A"), stiffness=9.81, length=2.0),
            "right": forces.Spring(bodies=("ground", "beam"), points=("Q", "B"), stiffness=9.81, length=2.0),
        },
    )
    result = pm.simulate(beam, duration=1.0, samples=3, formulation=formulation)
    assert np.abs(result["A"] - [-0.5, 0.0]).max() <= 1e-12
    assert np.abs(result.acceleration("B")).max() <= 1e-12


def test_pin_of_three_bodies_starts_as_two_pins_do():
    """One pin for three bodies, or two pins of two at the same place: the same start and motion."""
    points = {"O": (0.0, 0.0), "A": (0.5, 0.0), "B": (1.0, 0.1), "C": (0.6, -0.5)}
    ends = {"a": ("O", "A"), "b": ("A", "B"), "c": ("A", "C")}
    bodies = {n: Body(points=p, mass=1.0) for n, p in ends.items()}
    hub = pinned(O=("ground", "a"))
    one = {**hub, "A": joints.Revolute(point="A", bodies=("a", "b", "c"))}
    two = {
        **hub,
        "Ab": joints.Revolute(point="A", bodies=("a", "b")),
        "Ac": joints.Revolute(point="A", bodies=("a", "c")),
    }
    runs = [
        pm.simulate(Mechanism(gravity=DOWN, points=points, bodies=bodies, joints=j), duration=0.5, samples=6)
        for j in (one, two)
    ]
    hold("one pin or two", np.abs(runs[0]["C"] - runs[1]["C"]).max())
    assert runs[0].reaction("A", on="c")[0] == pytest.approx(runs[1].reaction("Ac", on="c")[0], abs=1e-11)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_start_that_only_rounding_contradicts_is_accepted(formulation):
    rod = pm.Mechanism(
        points={"O": (0.0, 0.0), "A": (1.0, 0.0)},
        bodies={"b": pm.Body(points=("O", "A"), mass=3.0)},
        joints={"O": pm.joints.Revolute(point="O", bodies=("ground", "b"))},
        drivers={
            "d": pm.drivers.Rotation(bodies=("ground", "b"), motion=pm.signals.Cycloid(end=0.3, duration=0.7)),
        },
        initial={"omega": {"b": 0.0}},
        run={"duration": 1.0},
    )
    result = pm.simulate(rod, formulation=formulation, samples=5)
    assert result.angle("b")[-1] == pytest.approx(0.3, abs=1e-9)
