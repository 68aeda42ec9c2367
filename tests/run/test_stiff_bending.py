"""Bodies that bend by next to nothing: energies and deflections are judged by what is in play."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import particlemech as pm
from particlemech import signals
from particlemech.engine.recursive.start import prepared
from particlemech.run.certificate import fault
from tests.run.test_space_honest import cantilever, clamp_moment
from tests.support.bending_loops import DURATIONS, mechanism

FORCE, ARM, LENGTH = 5.0, 2.0, 2.0  # N, m
LIMIT = 1e-5  # of the energy in play, at rtol 1e-8: what the certificate allows


def ramped(EI, **options):
    """Return a run of the undamped cantilever that a force bends slowly, 0.1 s, and then holds."""
    ramp = signals.Cycloid(start=0.0, end=FORCE, duration=0.1)
    return pm.simulate(cantilever(EI, force=ramp), duration=0.2, samples=41, rtol=1e-8, throw=False, **options)


@pytest.mark.parametrize("integrator", ["ida", "auto"])
@pytest.mark.parametrize("EI", [1e2, 1e4, 1e6, 1e8, 1e10, 1e12])
def test_a_slow_force_on_a_beam_of_any_stiffness_is_borne_and_its_work_kept(EI, integrator):
    run = ramped(EI, integrator=integrator)
    assert run.status.value == "completed", run.message
    assert np.abs(run.energy.error).max() < LIMIT * run.energy.scale
    # what swings on is of the order of (period/0.1 s)^3; the period is 0.5 s with EI = 1e2
    if EI >= 1e4:
        swings = 10.0 * (2.0 * np.pi / 3.516 * LENGTH**2 * np.sqrt(0.5 / EI) / 0.1) ** 3
        assert abs(clamp_moment(run)[-1] + FORCE * ARM) < swings + 1e-5
        tip = FORCE * ARM**3 / (3.0 * EI)
        assert abs(run.elastic("tip")[-1, 1] - tip) < (swings / 10.0 + 1e-5) * tip


@pytest.mark.parametrize("EI", [1e2, 1e4, 1e6])
def test_explicit_steps_and_ida_agree_on_the_clamp_of_a_stiff_beam(EI):
    one, other = (clamp_moment(ramped(EI, integrator=how)) for how in ("explicit", "ida"))
    assert np.abs(one - other).max() < 1e-5 * np.abs(one).max()  # 3e-7 seen


def test_a_small_energy_error_beside_a_smaller_energy_in_play_is_inaccurate():
    run = ramped(1e10, integrator="ida")
    found = run.certificate._replace(energy_error=1e-3 * run.energy.scale)
    assert fault(found, run.system.scale, 1e-8, 0.2, float(run.energy.work[-1])) is not None
    assert fault(run.certificate, run.system.scale, 1e-8, 0.2, float(run.energy.work[-1])) is None


def test_units_of_a_beam_follow_its_stiffness():
    scales = [prepared(cantilever(EI, force=FORCE), 0.2)[0].scale for EI in (1e6, 1e12)]
    static = [0.5 * FORCE**2 * ARM**3 / (3.0 * EI) for EI in (1e6, 1e12)]
    for scale, energy in zip(scales, static, strict=True):
        assert scale.energy == pytest.approx(energy, rel=1e-6)  # cubics hold the static deflection
    assert scales[0].deflection == pytest.approx(1e6 * scales[1].deflection)


def test_a_very_stiff_rod_in_a_loop_moves_as_a_rigid_one_and_keeps_its_energy():
    bent = mechanism("slider_crank", sublinks=2)
    rod = replace(bent.bodies["rod"], EI=1e12, damping=(0.0, 0.0))
    stiff = bent.replaced(bodies={**bent.bodies, "rod": rod})
    run = pm.simulate(stiff, duration=DURATIONS["slider_crank"], samples=41, rtol=1e-8)
    assert run.status.value == "completed", run.message
    assert np.abs(run.energy.error).max() < LIMIT * run.energy.scale
    # deflections are those of the loads, 1e-12 m and less, and not what joints are open by
    assert np.abs(run.modal("rod")).max() < 1e-11
