"""Influence coefficients and Lagrange's equations of flexible chains, [G88] (2.2), (2.3), against the sweeps.

The two share no equation beyond the shapes of a section, so where they agree both are likely right; and each is held
against differences of what it is the derivative of.
"""

import numpy as np
import pytest

import particlemech as pm
from particlemech import models
from particlemech.analyses.influence.lagrange import Influences, solved
from particlemech.analyses.influence.matrices import influences
from particlemech.engine.bending import entry_points
from particlemech.engine.bending.equations import system
from particlemech.engine.bending.links import FIXED, FLOATS, TRANSLATES
from particlemech.engine.bending.start import start_state
from particlemech.engine.bending.workspace import Workspace
from particlemech.errors import ModelError
from tests.support.flexible_chains import bent_chain, report_arm

STATES = {"fixed": FIXED, "translates": TRANSLATES, "free": FLOATS}
ROUNDING = 1e-14  # seen: 4e-16


@pytest.fixture(params=STATES, scope="module")
def moving(request):
    """A chain in motion, its system and its state, and its influence coefficients there."""
    made = system(bent_chain(np.random.default_rng(1), STATES[request.param]))
    y = start_state(made)
    influences = Influences(made.compiled.chain)
    return made, y, influences, influences.at(0.0, y[made.layout.q], second=True)


def along(made, q, v, way):
    """Return coordinates after a small way along speeds, the quaternion still of length 1."""
    from particlemech.analyses.vibration.linear import _rates

    q = q + way * _rates(made, q, v)
    if made.n_q > made.n_v:
        q[3:7] /= np.linalg.norm(q[3:7])
    return q


def difference(f, h):
    """Return the derivative of f at 0, of fourth order."""
    return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)


def test_the_inertia_matrix_is_what_unit_accelerations_need(moving):
    made, y, _, at = moving
    place = Workspace(made.compiled)
    entry_points.columns(0.0, y[made.layout.q], place.address)
    by_sweeps, composite = place.s.A.copy(), made.mass(0.0, y[made.layout.q])
    for A in (composite, at.I):
        assert np.abs(A - by_sweeps).max() < ROUNDING * np.abs(by_sweeps).max()


def test_products_of_speeds_need_what_inverse_dynamics_says_at_zero_acceleration(moving):
    made, y, _, at = moving
    q, v = y[made.layout.q], y[made.layout.v]
    x = np.delete(q, 3) if made.n_q > made.n_v else q.copy()
    x[[c.part == "base" for c in made.compiled.coordinates]] = 0.0
    need = made.needed(0.0, y, np.zeros(made.n_v))
    assert np.abs(at.bias(v) + at.K @ x + at.C @ v - at.tau - need).max() < ROUNDING * np.abs(need).max()


def test_first_and_second_order_coefficients_are_derivatives(moving):
    made, y, influences, at = moving
    q = y[made.layout.q]
    unit = np.eye(made.n_v)
    for k in range(made.n_v):
        states = np.zeros((1, made.n))

        def origins(h, k=k, states=states):
            states[0, made.layout.q] = along(made, q, unit[k], h)
            return made.observed(np.zeros(1), states, moved=False)._sampled.O[0].copy()

        def first(h, k=k):
            return influences.at(0.0, along(made, q, unit[k], h), deep=False).G

        assert np.abs(difference(origins, 1e-3) - at.G[:, 3:, k]).max() < 1e-10  # seen: 9e-13
        assert np.abs(difference(first, 1e-3) - at.H[:, :, k]).max() < 1e-10  # seen: 2e-12


def test_the_inertia_matrix_changes_along_a_motion_as_its_derivatives_say(moving):
    made, y, influences, at = moving
    q, v = y[made.layout.q], y[made.layout.v]

    def inertia(h):
        return influences.at(0.0, along(made, q, v, h), deep=False).I

    rate = np.einsum("k,klc->lc", v, at.dI)
    assert np.abs(difference(inertia, 2e-4) - rate).max() < 1e-9 * np.abs(rate).max()  # seen: 6e-12


def test_power_of_the_products_of_speeds_is_half_the_change_of_inertia(moving):
    made, y, _, at = moving
    v = y[made.layout.v]
    rate = np.einsum("k,klc->lc", v, at.dI)
    power = v @ at.bias(v)
    assert abs(power - 0.5 * v @ rate @ v) < 1e-12 * np.abs(v) @ np.abs(rate) @ np.abs(v)


def test_rigid_chains_have_no_second_order_influence_but_that_of_turning():
    arm = report_arm(TRANSLATES)
    influences = Influences(arm)
    at = influences.at(0.0, np.zeros(influences.compiled.n_v), second=True)
    # of the report's straight shapes: torsion of a link turns all that its bending outboard moves, (2.2-11a)
    k, l = at.motions.index("link2.q5"), at.motions.index("link3.q1")
    tool = len(at.links) - 1
    assert np.allclose(at.H[tool, 3:, k, l], np.cross(at.G[tool, :3, k], at.G[tool, 3:, l]), atol=1e-12)
    assert np.allclose(at.H[tool, 3:], np.swapaxes(at.H[tool, 3:], 1, 2), atol=1e-12)


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_lagrange_gives_accelerations_and_efforts_of_drivers(state):
    made = system(bent_chain(np.random.default_rng(3), state, driven=1))
    y = start_state(made)
    other = solved(Influences(made.compiled.chain), made, 0.0, y)
    a = made.slopes(0.0, y)[1][made.layout.v]
    labels = [c.label for c in made.compiled.coordinates]
    theirs = np.array([other.a[other.motions.index(label)] for label in labels])
    assert np.abs(a - theirs).max() < 1e-11 * np.abs(a).max()
    effort = made.observed(np.zeros(1), y[None]).effort("drive")[0]
    assert abs(effort - other.effort[other.motions.index("j2.travel")]) < 1e-11 * np.abs(effort)


def test_matrices_of_a_manipulator_and_of_its_run_are_those_of_its_chain():
    slew = models.load("space_slew")
    run = pm.simulate(slew, duration=0.5, samples=5, rtol=1e-8, integrator="auto")
    first, last = influences(slew), influences(run)
    driven = {f"{driver.joint}.angle" for driver in slew.drivers.values()}
    assert driven <= set(first.motions) and first.motions == last.motions
    # the kinetic energy of the run is phi'.I* phi'/2, driven speeds included
    speeds = run._y[-1, run.system.layout.v]
    free = [c.label for c in run.system.compiled.coordinates]
    u = np.array([speeds[free.index(m)] if m in free else run.rate(m.removesuffix(".angle"))[-1] for m in last.motions])
    assert 0.5 * u @ last.I @ u == pytest.approx(run.kinetic[-1], rel=1e-12)
    with pytest.raises(ModelError, match="of a run are what they were"):
        influences(run, base="fixed")
