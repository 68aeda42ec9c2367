"""Motions of mechanisms that bend: those of the same mechanism, straight and stiff, as drawn."""

from __future__ import annotations

import numpy as np
import pytest

import particlemech as pm
from particlemech import models
from particlemech.analyses.kinematics.rigid import rigid
from particlemech.errors import ModelError

BENDING = ("cantilever", "flexible_slider_crank", "rms_flexible", "space_slew", "two_link_flexible")


def test_a_cycle_of_a_slider_crank_with_a_bending_rod_is_its_closed_form():
    crank, rod, rate = 0.15, 0.3, 150.0
    m = models.load("flexible_slider_crank")
    found = pm.cycle(m, driver="O", samples=73)
    angle = found.coordinate("O")
    assert found["B"][:, 0] == pytest.approx(crank * np.cos(angle) + np.sqrt(rod**2 - (crank * np.sin(angle)) ** 2))
    assert found.rate("O") == pytest.approx(np.full(73, rate))
    assert found.message == 'completed; as drawn, straight and stiff: body "rod"'
    # with the efforts of the same mechanism with a rigid rod
    mass = float(found.system.mechanism.bodies["rod"].mass)
    straight = pm.space.Body(points=("A", "B"), mass=mass)
    plain = m.replaced(bodies={"rod": straight}, points={"M_rod": None}, initial=type(m.initial)())
    assert found.effort("motor") == pytest.approx(pm.cycle(plain, driver="O", samples=73).effort("motor"), abs=1e-9)


@pytest.mark.parametrize("name", BENDING)
def test_what_is_straight_and_stiff_has_the_mass_centre_and_momenta_of_what_bends(name):
    m = models.load(name)
    driven = {d.joint for d in m.drivers.values()}
    alone = [joint for joint, spec in m.joints.items() if len(spec.coordinate_names) == 1 and joint not in driven]
    start = type(m.initial)(rate={joint: 0.3 for joint in alone if name != "flexible_slider_crank"})
    every = (of.replaced(initial=start, check=type(m.check)()) for of in (m, rigid(m, "test")))
    one, other = (pm.simulate(of, duration=1e-7, samples=2) for of in every)
    assert one.centre[0] == pytest.approx(other.centre[0], abs=1e-12)
    assert one.momentum.linear[0] == pytest.approx(other.momentum.linear[0], rel=1e-12, abs=1e-12)
    size = max(np.abs(one.momentum.angular[0]).max(), 1e-9)
    assert one.momentum.angular[0] == pytest.approx(other.momentum.angular[0], rel=1e-9, abs=1e-9 * size)
    assert one.energy.kinetic[0] == pytest.approx(other.energy.kinetic[0], rel=1e-9, abs=1e-12)


def test_what_is_spread_along_a_body_that_counts_as_rigid_is_refused_in_one_line():
    m = models.load("flexible_slider_crank")
    load = pm.space.forces.Distributed(body="rod", force=(0.0, 1.0, 0.0))
    with pytest.raises(ModelError, match='cycle: body "rod" counts as rigid, as drawn, and force "wind" is spread'):
        pm.cycle(m.replaced(forces={"wind": load}), driver="O")
