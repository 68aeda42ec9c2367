"""Bodies that bend inside loops, against beams that bend as they like (elastica, tests/support)."""

from dataclasses import replace

import numpy as np
import pytest

import particlemech as pm
from tests.support.bending_loops import BENDING, DURATIONS, SAMPLES, deflections, mechanism, stored


def missed(name, sublinks, **options):
    """Return the largest error of the deflections, as part of the largest deflection; and the run."""
    made = mechanism(name, sublinks=sublinks)
    run = pm.simulate(made, duration=DURATIONS[name], samples=SAMPLES, rtol=1e-8, **options)
    found, wanted = deflections(run, name), stored(name)[1]
    largest = max(np.abs(wanted[body]).max() for body in BENDING[name])
    return max(np.abs(found[body] - wanted[body]).max() for body in BENDING[name]) / largest, run


@pytest.mark.parametrize("name", ["slider_crank", "four_bar", "let_go"])
def test_deflections_in_loops_converge_to_those_of_beams(name):
    errors = [missed(name, n)[0] for n in (1, 2, 4)]
    # of fourth order in the length of the parts; seen: 3e-1, 2.6e-2, 1.7e-3 and below
    assert errors[1] < 0.12 * errors[0] and errors[2] < 0.09 * errors[1]
    assert errors[2] < 2e-3


def test_the_flexible_slider_crank_at_150_rad_per_second():
    assert missed("simeon", 4)[0] < 7e-3  # 5.6e-3; 4.1e-4 with eight parts


@pytest.mark.parametrize("name", ["slider_crank", "four_bar", "let_go"])
def test_both_integrators_agree_and_energy_is_kept(name):
    runs = [missed(name, 2, integrator=how)[1] for how in ("explicit", "ida")]
    for body in BENDING[name]:
        one, other = (deflections(run, name)[body] for run in runs)
        assert np.abs(one - other).max() < 1e-4 * np.abs(one).max()
    for run in runs:
        assert np.abs(run.energy.error).max() < 1e-6 * run.energy.scale


def test_a_stiff_coupler_moves_as_a_rigid_one():
    bent = mechanism("four_bar", sublinks=1)
    stiff = bent.replaced(bodies={"coupler": replace(bent.bodies["coupler"], EI=5e6, damping=(0.0, 0.0))})
    points = bent.bodies["coupler"].points
    density = 0.5
    rigid = bent.replaced(
        bodies={
            "coupler": pm.space.Body(
                points=points,
                mass=0.4 * density,
                com=tuple(np.mean([bent.points[p] for p in points[:2]], axis=0)),
                inertia=_rod(bent, points[:2], 0.4 * density),
            )
        },
        initial=replace(bent.initial, modes={}, mode_rates={}),
    )
    runs = [pm.simulate(m, duration=0.05, samples=26, rtol=1e-8) for m in (stiff, rigid)]
    for point in points:
        assert np.abs(runs[0][point] - runs[1][point]).max() < 1e-6


def _rod(m, ends, mass):
    one, other = (np.array(m.points[p]) for p in ends)
    d = other - one
    tensor = mass / 12.0 * (d @ d * np.eye(3) - np.outer(d, d))
    return tuple(tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
