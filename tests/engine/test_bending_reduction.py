"""Reduced bending bodies: vibrations and static deflections of all parts, places to the second order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import particlemech as pm
from particlemech import space
from particlemech.engine.bending import quadrature
from particlemech.engine.bending.assembly import carried, clamped, vibrations
from particlemech.engine.bending.local_inertia import check, integrals, local
from particlemech.engine.bending.reduction import field, numbers
from particlemech.engine.recursive.equations import system
from particlemech.engine.recursive.start import start_state
from particlemech.errors import ModelError
from particlemech.model import toml
from particlemech.model.space.parts import Body
from tests.support.flexible_chains import member

TWIST, STRETCH = {"about": "x", "shape": [0, 1]}, {"along": "x", "shape": [0, 1]}


def cubics(along):
    """Return the shapes of one beam element."""
    return [{"along": along, "shape": [0, 0, 1]}, {"along": along, "shape": [0, 0, 0, 1]}]


PLANE = {"density": 1.0, "EI": 1.0, "modes": cubics("y"), "sublinks": 8}
FLAT = {  # another frequency in each direction, tapered, with a lump
    "end": (2.0, 0.0, 0.0),
    "density": [2.0, -0.5],
    "rotary": [0.02, 0.01, 0.01],
    "EI": {"y": [3.0, -1.0], "z": 7.0},
    "GJ": 1.5,
    "EA": 900.0,
    "lumps": [{"x": 1.3, "mass": 0.4, "inertia": [0.01, 0.02, 0.03]}],
    "modes": [*cubics("y"), *cubics("z"), TWIST, STRETCH],
    "sublinks": 5,
}
ROUND = {**PLANE, "modes": [*cubics("y"), *cubics("z")]}
BODIES = {"plane": PLANE, "flat": FLAT, "round": ROUND}


def flexibility(parts) -> np.ndarray:
    """Return what forces and moments at the second point do there, (6, 6)."""
    tip = carried(parts)[-1]
    F = np.concatenate([tip.u, tip.t]).T
    return F.T @ np.linalg.solve(clamped(parts)[1], F)


def slow(parts, n) -> np.ndarray:
    """Return the n lowest frequencies, rad/s."""
    return vibrations(*clamped(parts))[0][:n] ** -0.5


# -- linear ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", [1, 2, 3, 6])
@pytest.mark.parametrize("name", BODIES)
def test_vibrations_that_are_kept_are_those_of_all_parts(name, keep):
    of = member(**BODIES[name], keep=keep)
    whole, made = quadrature.numbers("beam", of), numbers("beam", of)
    assert len(made) == 1
    assert slow(made, keep) == pytest.approx(slow(whole, keep), rel=1e-10)
    check(of, made[0])


@pytest.mark.parametrize("keep", [1, 2, 3, 6])
@pytest.mark.parametrize("name", BODIES)
def test_static_deflections_by_what_acts_at_the_end_are_exact(name, keep):
    of = member(**BODIES[name], keep=keep)
    whole, made = flexibility(quadrature.numbers("beam", of)), flexibility(numbers("beam", of))
    assert made == pytest.approx(whole, rel=1e-10, abs=1e-12 * whole.max())


def test_a_force_at_the_end_of_a_uniform_beam_bends_it_by_the_third_of_its_flexibility():
    (made,) = numbers("beam", member(**PLANE, keep=2))
    q = np.linalg.solve(made.K, 0.3 * made.end_delta[1])
    assert made.end_delta[1] @ q == pytest.approx(0.1, rel=1e-12)
    assert made.end_psi[2] @ q == pytest.approx(0.15, rel=1e-12)
    # without the static shapes it would be 0.5 % too stiff, and 0.2 of the turn by a moment would be lost
    bare = made.end_delta[1, :2] ** 2 @ (1.0 / np.diag(made.K)[:2])
    assert 3.0 * bare == pytest.approx(1.0 - 0.00459, abs=1e-5)


def test_coordinates_are_few_and_stand_alone():
    (made,) = numbers("beam", member(**PLANE, keep=3))
    assert made.names == ("q1", "q2", "q3", "q4", "q5")  # three vibrations, a force, a moment
    M, K = clamped((made,))
    for of in (M, K):
        assert np.abs(of - np.diag(np.diag(of))).max() < 1e-11 * np.abs(of).max()
    omega = slow(numbers("beam", member(**PLANE, keep=3)), 5)
    above = slow(quadrature.numbers("beam", member(**PLANE)), 5)
    assert omega[3:] / above[3:] == pytest.approx([1.143, 3.699], abs=1e-3)  # measured
    assert len(numbers("beam", member(**FLAT, keep=2))[0].names) == 2 + 6
    assert len(numbers("beam", member(**PLANE, keep=16))[0].names) == 16


def test_a_coordinate_is_the_largest_displacement_of_its_shape():
    (made,) = numbers("beam", member(**{**PLANE, "modes": [*cubics("y"), TWIST]}, GJ=2.0, rotary=[0.1, 0, 0], keep=3))
    of = field(member(**{**PLANE, "modes": [*cubics("y"), TWIST]}, GJ=2.0, rotary=[0.1, 0, 0], keep=3))
    at = of.places(np.outer(np.linspace(0.0, 1.0, 801), [1.0, 0.0, 0.0]))
    for j in range(made.m):
        moved, turned = np.abs(at.delta[:, :, j]).max(), np.abs(at.psi[:, :, j]).max()
        assert (moved or turned) == pytest.approx(1.0, abs=2e-3)  # between stations it may be a little more


def test_vibrations_of_a_round_beam_are_told_apart():
    """Each is along y or along z, in this order, though any mixture has the same frequency."""
    (made,) = numbers("beam", member(**ROUND, keep=4))
    y, z = (np.abs(made.end_delta[c]) > 0.0 for c in (1, 2))
    assert (y != z).all()
    assert y[:4].tolist() == [True, False, True, False]


def test_integrals_are_those_of_all_parts():
    of = member(**FLAT, keep=40 - 10)  # all that there are
    whole, (made,) = quadrature.numbers("beam", of), numbers("beam", of)
    it = integrals(made)
    mass = sum(part.station_mass.sum() for part in whole)
    assert it.mass == pytest.approx(mass)
    # a turn of the whole about its first point: no difference between one part and five
    turning = sum(
        (local(part, np.zeros(part.m))[3:6, 3:6] + _moved(part, at.origin))[2, 2]
        for part, at in zip(whole, carried(whole), strict=False)
    )
    assert it.I_LL[2, 2] == pytest.approx(turning)
    M, _ = clamped(whole)
    kept, _ = vibrations(*clamped((made,)))
    assert kept == pytest.approx(vibrations(M, clamped(whole)[1])[0], rel=1e-7)


def _moved(part, origin) -> np.ndarray:
    """Return what an inertia about the first point of a part has more about the first point of the body."""
    it = integrals(part)
    c, r = it.mass * it.centre, origin
    mixed = np.outer(r, c)
    return (it.mass * r @ r + 2.0 * r @ c) * np.eye(3) - it.mass * np.outer(r, r) - mixed - mixed.T


@pytest.mark.parametrize("keys", [{"damping": [0.3, 0.002]}, {"damping_ratio": 0.03}, {"damping_ratio": [0.01, 0.02]}])
def test_damping_of_what_is_kept_is_that_of_all_parts(keys):
    of = member(**PLANE, **keys, keep=3)
    whole, made = quadrature.numbers("beam", of), numbers("beam", of)
    found = []
    for parts in (whole, made):
        mu, V = vibrations(*clamped(parts))
        C = np.concatenate([part.C for part in parts])
        modal = V.T @ C @ V
        found.append(0.5 * np.diag(modal)[:3] / np.sqrt(mu[:3]))
        assert np.abs(modal - np.diag(np.diag(modal))).max() < 1e-8 * modal.max()
    assert found[1] == pytest.approx(found[0], rel=1e-9)


# -- places ----------------------------------------------------------------------------------------------------------


def chain_of_parts(parts, q) -> tuple[np.ndarray, np.ndarray]:
    """Return the stations and the end of a body, (n, 3), and the axes of its end, by finite rotations part by part."""
    R, at, places, first = np.eye(3), np.zeros(3), [], 0
    for part in parts:
        own = q[first : first + part.m]
        s, e = part.stations, part.along
        short = 0.5 * np.einsum("njk,j,k->n", s.short, own, own)
        places += list(at + (s.x + s.delta @ own - np.outer(short, e)) @ R.T)
        at = at + R @ (part.end + part.end_delta @ own - 0.5 * e * (own @ part.end_short @ own))
        R = R @ Rotation.from_rotvec(part.end_psi @ own).as_matrix()
        first += part.m
    return np.array([*places, at]), R


@pytest.mark.parametrize("modes", [cubics("y"), [*cubics("y"), *cubics("z")]], ids=["plane", "space"])
def test_places_are_those_of_the_chain_of_parts_to_the_second_order(modes):
    """Half the deflection leaves an eighth of the difference: it is of the third order, foreshortening included."""
    of = member(**{**FLAT, "modes": modes}, keep=3)
    whole, (made,) = quadrature.numbers("beam", of), numbers("beam", of)
    p = np.random.default_rng(4).normal(size=made.m) * np.abs(made.end_delta).max()
    s = np.concatenate([part.stations.delta.reshape(-1, part.m) for part in (made,)])  # which modal coordinates: by fit
    moved = carried(whole)
    d = np.concatenate([at.d for at in moved]).reshape(-1, moved[0].u.shape[1])
    turned = np.concatenate([d, moved[-1].u, moved[-1].t])
    q = np.linalg.lstsq(turned, np.concatenate([s, made.end_delta, made.end_psi]) @ p, rcond=None)[0]
    differences = []
    for size in (0.02, 0.01, 0.005):
        by_parts, R = chain_of_parts(whole, size * q)
        here = size * p
        short = 0.5 * np.einsum("njk,j,k->n", made.stations.short, here, here)
        one = made.stations.x + made.stations.delta @ here - np.outer(short, made.along)
        end = made.end + made.end_delta @ here - 0.5 * made.along * (here @ made.end_short @ here)
        apart = np.abs(np.array([*one, end]) - by_parts).max()
        bend = np.abs(Rotation.from_matrix(R).as_rotvec() - made.end_psi @ here)[1:].max()
        differences.append((apart, bend))
        shift = np.abs(end - made.end - made.end_delta @ here).max()
        assert apart < 0.2 * shift  # foreshortening itself is not small beside it
    ratios = np.array(differences[:-1]) / np.array(differences[1:])
    assert (ratios[:, 0] > 7.0).all()
    assert (ratios[:, 1] > 3.5).all() or differences[-1][1] < 1e-12


@pytest.mark.parametrize("name", BODIES)
def test_the_field_has_the_shapes_of_stations_and_end(name):
    of = member(**{**BODIES[name], "rotary": [0.01, 0.0, 0.0], "GJ": 1.0}, keep=3)
    (made,), whole = numbers("beam", of), field(of)
    at = whole.places(made.stations.x)
    assert at.delta == pytest.approx(made.stations.delta, abs=1e-11)
    end = whole.places(made.end[None])
    assert end.delta[0] == pytest.approx(made.end_delta, abs=1e-11)
    assert end.psi[0] == pytest.approx(made.end_psi, abs=1e-10)
    # between parts nothing jumps
    knots = np.linspace(0.0, 1.0, of.body.sublinks + 1)[1:-1]
    near = [whole.places(np.outer(knots + h, of.end)) for h in (-1e-9, 1e-9)]
    for word in ("delta", "psi"):
        one, other = (getattr(shapes, word) for shapes in near)
        assert np.abs(one - other).max() < 1e-6 * np.abs(one).max()


def test_without_stiffening_nothing_shortens():
    (made,) = numbers("beam", member(**PLANE, keep=2), True, False)
    assert not made.end_short.any()
    assert not made.stations.short.any()


def test_one_part_of_many_powers_is_reduced_too():
    powers = [{"along": "y", "shape": [0.0] * k + [1.0]} for k in range(2, 11)]
    (made,) = numbers("beam", member(density=1.0, EI=1.0, modes=powers, keep=2))
    assert made.m == 4
    assert slow((made,), 2) == pytest.approx([3.5160152685, 22.034491564], rel=1e-9)


def test_a_rigid_remainder_stays():
    keys = {
        "density": 1.0,
        "EI": 1.0,
        "modes": cubics("y"),
        "mass": 3.0,
        "com": (0.6, 0, 0),
        "inertia": (0.1, 0.4, 0.4),
    }
    one, other = (integrals(member(**keys, **more)) for more in ({}, {"keep": 1}))
    assert other.I_LL == pytest.approx(one.I_LL)
    assert other.mass == pytest.approx(3.0)


def test_a_start_is_that_of_the_vibrations():
    for keep, said, found in ((2, (0.1, 0.2), (0.1, 0.2, 0.0, 0.0)), (None, tuple(range(16)), range(16))):
        body = Body(points=("root", "end"), **PLANE, keep=keep)
        beam = space.Mechanism(
            points={"root": (0, 0, 0), "end": (1, 0, 0)},
            bodies={"beam": body},
            joints={"wall": space.joints.Weld(bodies=("ground", "beam"), point="root")},
            initial={"modes": {"beam": said}},
        )
        made = system(beam)
        assert start_state(made)[made.layout.q] == pytest.approx(found)
        assert not start_state(system(beam.replaced(initial={"modes": {}}))).any()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"keep": 17}, 'key "keep": 17 vibrations, but 8 part.s. of 2 mode.s. have 16; keep fewer'),
        ({"keep": 0}, '"keep": must be at least 1'),
        ({"keep": 1.5}, '"keep": expected a whole number'),
        (
            {"keep": 1, "modes": [], "EI": None, "sublinks": 1, "density": None, "mass": 1.0},
            '"keep": is for bodies that',
        ),
    ],
)
def test_what_cannot_be_kept_is_told(keys, words):
    with pytest.raises(ModelError, match=words):
        Body(**{"points": ("A", "B"), **PLANE} | keys)


# -- through the public words ----------------------------------------------------------------------------------------


def crane(**keys) -> space.Mechanism:
    """Return a driven beam with a load at its end."""
    beam = {"points": ("A", "B"), "density": 1.5, "EI": 4.0e5, "modes": cubics("y")} | keys
    return space.Mechanism(
        points={"A": (0, 0, 0), "B": (4, 0, 0)},
        gravity=(0, 0, 0),
        bodies={
            "beam": space.Body(**beam),
            "load": space.Body(mass=5.0, com=(4.0, 0.0, 0.0), inertia=(0.1, 0.1, 0.1)),
        },
        joints={
            "A": space.joints.Revolute(bodies=("ground", "beam"), point="A", axis=(0, 0, 1)),
            "B": space.joints.Weld(bodies=("beam", "load")),
        },
        drivers={"turn": space.drivers.Coordinate(joint="A", motion=pm.signals.Cycloid(end=1.2, duration=1.0))},
    )


def test_files_keep_it():
    mechanism = crane(sublinks=8, keep=3)
    assert toml.loads(toml.dumps(mechanism)) == mechanism


def test_a_driven_beam_with_a_load_at_its_end_moves_alike():
    """Vibrations of the clamped body know nothing of the load; static shapes let few of them do."""
    whole, made = (pm.simulate(crane(sublinks=8, **keys), duration=1.5) for keys in ({}, {"keep": 2}))
    bent = np.abs(whole.elastic("B")).max()
    assert bent > 0.01
    assert np.abs(whole["B"] - made["B"]).max() < 1e-4 * bent  # 3e-5, of the third order in the deflection
    assert made.modal("beam").shape[1] == 4


def spun(**keys) -> np.ndarray:
    """Return the lowest frequencies of a beam that turns as fast as it vibrates slowest, rad/s."""
    driver = space.drivers.Coordinate(joint="A", motion=pm.signals.Linear(rate=54.0))
    return pm.modes(crane(sublinks=8, **keys).replaced(drivers={"turn": driver})).omega[:2]


def test_a_spinning_beam_stiffens_alike():
    """It takes foreshortening of all parts: with as many vibrations as there are, nothing but rounding is left."""
    still, whole = pm.modes(crane(sublinks=8), joints="locked").omega[:2], spun()
    assert whole[0] > 1.07 * still[0]
    assert spun(keep=14) == pytest.approx(whole, rel=1e-6)
    assert spun(keep=3) == pytest.approx(whole, rel=2e-4)


def test_a_start_in_the_first_vibration_stays_in_it():
    held = space.Mechanism(
        points={"A": (0, 0, 0), "B": (1, 0, 0)},
        bodies={"beam": space.Body(points=("A", "B"), **PLANE, keep=2)},
        joints={"root": space.joints.Weld(bodies=("ground", "beam"))},
        initial={"modes": {"beam": (1e-4, 0.0)}},
    )
    result = pm.simulate(held, duration=2.0)
    q = result.modal("beam")
    assert q[:, 0] == pytest.approx(1e-4 * np.cos(3.5160152685 * result.t), abs=1e-8)
    assert np.abs(q[:, 1:]).max() < 1e-8
    assert result["B"][:, 1] == pytest.approx(q[:, 0], abs=1e-9)  # the largest displacement is that of the end
    with pytest.raises(ModelError, match="has 2 modal coordinates, got 3"):
        held.replaced(initial={"modes": {"beam": (0.0, 0.0, 0.0)}})


def test_a_spread_load_bends_the_end_as_it_should():
    """q L^4/(8 EI), exactly: what a load anywhere does at the end is what a force at the end does there."""
    held = space.Mechanism(
        points={"A": (0, 0, 0), "B": (1, 0, 0)},
        bodies={"beam": space.Body(points=("A", "B"), **PLANE, keep=1)},
        joints={"root": space.joints.Weld(bodies=("ground", "beam"))},
        forces={"wind": space.forces.Distributed(body="beam", force=(0, 0.001, 0))},
    )
    assert pm.equilibrium(held)["B"][0, 1] == pytest.approx(0.001 / 8.0, rel=1e-10)


@pytest.mark.parametrize(
    "keys",
    [
        {"sublinks": 3, "damping": [1.0, 1e-3]},
        {"sublinks": 3, "damping_ratio": 0.05},
        {"sublinks": 4, "keep": 2, "damping_ratio": [0.05, 0.01]},
    ],
)
def test_two_integrators_and_a_second_opinion_agree(keys):
    assert pm.validate(crane(**keys).replaced(run={"duration": 0.2})).agreed
