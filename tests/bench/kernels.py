"""What one call costs: the residual from Python and from compiled code, the wrapper around IDA, many variants."""

import importlib.util
import os
import time
import warnings

import numba
import numpy as np

import particlemech as pm
from particlemech._jit import readonly
from particlemech.engine.particles import kernels
from particlemech.engine.particles.equations import ArgumentBlock, scratch
from particlemech.run.preparing import prepared
from tests.bench.measure import cpu, median

BATCH = 10_000
VARIANTS = 10_000
ACCURACY = 1e-6  # m


@numba.njit
def _batch(n, t, y, yp, address, res):
    for _ in range(n):
        kernels.residual(t, y, yp, address, res)


def calls():
    """Return rows {what, seconds} of single calls on the four-bar."""
    system, start = prepared(pm.models.load("four_bar"))
    y, yp, res = np.zeros(system.n), np.zeros(system.n), np.zeros(system.n)
    y[system.layout.q], y[system.layout.v], y[system.layout.lam] = start.q, start.v, start.lam
    y, yp = readonly(y), readonly(yp)
    residual, jacobian = system.callbacks(False)
    J = np.zeros((system.n, system.n))
    argument_block = ArgumentBlock(system._tables, scratch(system.compiled, system.places), system._sparsity.dense)
    compiled = median(lambda: _batch(BATCH, 0.0, y, yp, argument_block.address, res)) / BATCH
    timed = {
        "residual, from Python": median(lambda: residual(0.0, y, yp, res)),
        "residual, from compiled code": compiled,
        "Jacobian, from Python": median(lambda: jacobian(0.0, y, yp, res, 1e3, J)),
        "IDA and its wrapper, a residual that does nothing": _wrapper(system.n),
        "description to result, 2 samples, 1 s at rtol 1e-6, explicit": _whole_run(),
    }
    return [{"what": f"four-bar: {what}", "seconds": seconds} for what, seconds in timed.items()]


def _whole_run():
    """Return the cost of one short run with all that surrounds its steps, s."""
    mechanism = pm.models.load("four_bar")
    return median(lambda: pm.simulate(mechanism, duration=1.0, samples=2, rtol=1e-6, integrator="explicit"))


def _wrapper(n):
    """Return the cost of a call of y' = 0 through scikit-sundae, s."""
    from sksundae.ida import IDA

    def nothing(t, y, yp, res):
        res[:] = yp

    def slopes(t, y, yp, res, cj, J):
        np.fill_diagonal(J, cj)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solver = IDA(nothing, jacfn=slopes, max_step=1e-3, max_num_steps=10**6)
    found, seconds = cpu(lambda: solver.solve(np.array([0.0, 10.0]), np.zeros(n), np.zeros(n)))
    return seconds / int(found.nfev)


def variants():
    """Return the row of many four-bars, 1 s each at 1e-6 m, on two workers; or a note why not."""
    if not importlib.util.find_spec("xarray"):
        return {"what": "many variants", "note": "xarray is not installed"}
    from particlemech.batch.many import simulate_many

    mechanism, count = pm.models.load("four_bar"), VARIANTS
    rtol = _tolerance(mechanism)
    options = {"of": mechanism, "workers": 2, "duration": 1.0, "samples": 2, "rtol": rtol, "quantities": "position"}
    cases = [{"bodies": {"crank": {"mass": 0.5 + 0.1 * k / count}}} for k in range(count)]
    said = []
    for integrator in ("explicit", None):
        simulate_many(cases[:50], **options, integrator=integrator)
        began, spent = time.perf_counter(), time.process_time()
        found = simulate_many(cases, **options, integrator=integrator)
        wall, spent = time.perf_counter() - began, time.process_time() - spent
        failed = int((found.status != "completed").sum())
        said.append((count / wall, f"{integrator or 'default'} {count / wall:.0f}/s, {1e3 * spent / count:.2f} ms CPU"))
        if failed:
            said[-1] = (said[-1][0], f"{said[-1][1]}, {failed} failed")
    note = f"{count} four-bars of 1 s, rtol {rtol:.0e}, {os.cpu_count()} cores: {'; '.join(text for _, text in said)}"
    return {"what": "variants a second", "rate": min(rate for rate, _ in said), "note": note}


def _tolerance(mechanism):
    """Return the loosest tolerance that keeps the four-bar within the accuracy."""
    options = {"duration": 1.0, "samples": 2}
    exact = pm.simulate(mechanism, rtol=1e-12, **options)
    for rtol in (10.0**-k for k in range(3, 12)):
        found = pm.simulate(mechanism, rtol=rtol, integrator="explicit", **options)
        if max(np.hypot(*(found[p][-1] - exact[p][-1])) for p in "AB") <= ACCURACY:
            return rtol
    return 1e-12
