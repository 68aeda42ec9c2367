"""Influence coefficients and Lagrange's equations, [G88] (2.2), (2.3), against the sweeps.

The two share no equation beyond the shapes of bodies, so where they agree both are likely right; and each coefficient
is held against differences of what it is the derivative of.
"""

import numpy as np
import pytest

import particlemech as pm
from particlemech import models
from particlemech.analyses.influence import rows
from particlemech.analyses.influence.lagrange import Influences, compared, solved
from particlemech.analyses.influence.matrices import influences
from particlemech.engine.recursive.equations import system
from particlemech.engine.recursive.start import start_state
from particlemech.errors import ModelError
from tests.support.bending_trees import EVERY, LOOPS, branched, geared, rssr, slotted
from tests.support.flexible_chains import bent_chain

ROUNDING = 1e-13  # seen: 4e-15
FREE = {
    "chain, fixed": lambda: bent_chain(np.random.default_rng(1)),
    "chain, free": lambda: bent_chain(np.random.default_rng(1), "free"),
    "branches": lambda: branched(driven=False),
    "branches by angles": lambda: branched(quaternion=False, driven=False),
    "rssr": rssr,
    "slotted": slotted,
}


class Moving:
    """A mechanism that nothing drives, in motion, and its influence coefficients."""

    def __init__(self, mechanism):
        self.made = system(mechanism)
        self.y = start_state(self.made)
        self.influences = Influences(self.made.compiled)
        self.q, self.v = self.y[self.made.layout.q], self.y[self.made.layout.v]
        self.now = self.instant(self.q)
        self.at = self.now.influence

    def instant(self, q):
        state = np.concatenate([q, self.v, [0.0]])
        return self.influences.sample(self.made.observed(np.zeros(1), state[None]), 0)

    def along(self, speeds):
        """Return how an instant changes along speeds, as a function of the way."""
        return lambda h: self.instant(self.made.moved(self.q, h * speeds))


@pytest.fixture(params=FREE, scope="module")
def moving(request):
    return Moving(FREE[request.param]())


def difference(f, h):
    """Return the derivative of f at 0, of fourth order."""
    return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)


def test_the_inertia_matrix_is_that_of_the_sweeps_where_loops_need_no_copies(moving):
    by_sweeps = moving.made.mass(moving.q)
    assert np.abs(moving.at.I - by_sweeps).max() < ROUNDING * np.abs(by_sweeps).max()


def test_first_order_coefficients_are_derivatives_of_places(moving):
    for k, unit in enumerate(np.eye(moving.made.n_v)):

        def origins(h, unit=unit):
            return np.array([of.O for of in moving.along(unit)(h).pose.moved[1:]])

        assert np.abs(difference(origins, 1e-3) - moving.at.G[:, 3:, k]).max() < 1e-10  # seen: 5e-12


def test_second_order_coefficients_are_derivatives_of_the_first(moving):
    for k, unit in enumerate(np.eye(moving.made.n_v)):

        def first(h, unit=unit):
            return moving.along(unit)(h).influence.G

        assert np.abs(difference(first, 1e-3) - moving.at.H[:, :, k]).max() < 1e-9  # seen: 4e-11


def test_the_inertia_matrix_changes_along_a_motion_as_its_derivatives_say(moving):
    rate = np.einsum("k,klc->lc", moving.v, moving.at.dI)
    found = difference(lambda h: moving.along(moving.v)(h).influence.I, 2e-4)
    assert np.abs(found - rate).max() < 1e-8 * np.abs(rate).max()  # seen: 3e-10


def test_power_of_the_products_of_speeds_is_half_the_change_of_inertia(moving):
    rate = np.einsum("k,klc->lc", moving.v, moving.at.dI)
    power = moving.v @ moving.at.bias(moving.v)
    assert abs(power - 0.5 * moving.v @ rate @ moving.v) < 1e-12 * np.abs(moving.v) @ np.abs(rate) @ np.abs(moving.v)


@pytest.mark.parametrize("make", [rssr, geared, slotted], ids=lambda make: make.__name__)
def test_rows_hold_at_the_start_and_change_as_their_derivatives_say(make):
    moving = Moving(make())
    held = rows.every(moving.now.pose, moving.now.state.x, 0.0)
    assert max(abs(row.value) for row in held) < 1e-9
    assert max(abs(row.G @ moving.v) for row in held) < 1e-9
    for k, unit in enumerate(np.eye(moving.made.n_v)):

        def values(h, unit=unit):
            now = moving.along(unit)(h)
            return np.array([row.value for row in rows.every(now.pose, now.state.x, 0.0)])

        assert difference(values, 1e-3) == pytest.approx(np.array([row.G[k] for row in held]), abs=1e-10)

    def rates(h):
        now = moving.along(moving.v)(h)
        return np.array([row.G @ moving.v for row in rows.every(now.pose, now.state.x, 0.0)])

    gamma = np.array([row.gamma for row in held])
    assert difference(rates, 1e-4) == pytest.approx(gamma, abs=1e-8 * max(1.0, np.abs(gamma).max()))


def test_a_straight_arm_has_no_second_order_influence_but_that_of_turning():
    at = influences(models.load("rms_flexible"))
    # of the report's straight shapes: torsion of a link turns all that its bending outboard moves, (2.2-11a)
    k, l = at.motions.index("link2.q5"), at.motions.index("link3.q1")
    tool = at.frames.index("link6")
    assert np.allclose(at.H[tool, 3:, k, l], np.cross(at.G[tool, :3, k], at.G[tool, 3:, l]), atol=1e-12)
    assert np.allclose(at.H[tool, 3:], np.swapaxes(at.H[tool, 3:], 1, 2), atol=1e-12)


@pytest.mark.parametrize("name", EVERY)
def test_lagrange_gives_accelerations_and_efforts_of_drivers(name):
    run = pm.simulate(EVERY[name](), duration=0.05, samples=3, rtol=1e-9)
    found = compared(run, 3)
    assert found[0][0] == "accelerations by Lagrange"
    assert len(found) == 1 + len(run.mechanism.drivers)
    # loops of several parts: stiff modes magnify how far the rows of the sweeps are from being satisfied; seen: 4e-10
    allowed = 1e-8 if name in LOOPS else 1e-11
    for what, largest, size, *_ in found:
        assert size > 0.0
        assert largest < allowed * size, what


def test_lagrange_finds_what_is_wrong_with_a_run():
    run = pm.simulate(branched(), duration=0.02, samples=2)
    spoilt = run._sampled._replace(x=run._sampled.x.copy())
    e = [c.label for c in run.system.compiled.coordinates].index("sail.q2")
    spoilt.x[1, e, 2] *= 1.0 + 1e-5
    run.__dict__["_sampled"] = spoilt
    what, largest, _, where, t = compared(run, 2)[0]
    assert (what, where, t) == ("accelerations by Lagrange", "sail.q2", run.t[1])
    size = run.system.compiled.tables.stage["size"][e]
    assert largest == pytest.approx(1e-5 * abs(spoilt.x[1, e, 2]) / size, rel=1e-3)


def test_lagrange_takes_what_functions_give():
    def wind(t, state):
        return -0.4 * state.velocity("T") + (0.0, 1.0, t), state["T"], -0.2 * state.omega("tool")

    acting = {
        "wind": pm.space.forces.Custom(body="tool", function=wind),
        "hold": pm.space.forces.Custom(joint="root", function=lambda t, s: -2.0 * s.rate("root")),
    }
    with_functions = branched(forces=acting)
    run = pm.simulate(with_functions, duration=0.05, samples=3)
    for what, largest, size, *_ in compared(run, 3):
        assert largest < 1e-11 * size, what
    bare = Influences(run.system.compiled)
    now = bare.at(float(run.t[1]), bare.state(run, 1), np.zeros((2, 9)))
    assert np.abs(solved(bare, now).a - run._sampled.x[1, :, 2]).max() > 1e-3  # without them the motion is another


def test_matrices_of_a_mechanism_and_of_its_run_have_the_same_motions():
    slew = models.load("space_slew")
    run = pm.simulate(slew, duration=0.5, samples=5, rtol=1e-8, integrator="auto")
    first, last = influences(slew), influences(run)
    driven = {f"{driver.joint}.angle" for driver in slew.drivers.values()}
    assert driven <= set(first.motions) and first.motions == last.motions
    # the kinetic energy of the run is u.I* u/2, driven speeds included
    u = run._sampled.x[-1, :, 1]
    assert 0.5 * u @ last.I @ u == pytest.approx(run.kinetic[-1], rel=1e-12)
    with pytest.raises(ModelError, match="influences: sample 5: the run has 5 of them"):
        influences(run, sample=5)
