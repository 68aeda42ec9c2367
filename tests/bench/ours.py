"""The library itself, measured like any other tool: one method per integrator.

What is timed as the solution is the integration alone; tabulation and the consistent start are the build.
"""

import sys

import numpy as np

import particlemech as pm
from particlemech.result.plane import PlanarResult
from particlemech.run import phases
from particlemech.run.preparing import prepared, prepared_explicit
from tests.bench.peers.serve import serve
from tests.bench.problems import problem

TOLERANCES = tuple(10.0**-k for k in range(3, 13))
INTEGRATORS = {"ida": (prepared, phases.implicitly), "explicit": (prepared_explicit, phases.explicitly)}
AUTO = "auto"


def methods(model, large):
    """Return the tolerances of each method, warmed up."""
    for name in INTEGRATORS:  # compiled kernels are read from the disk at the first run
        pm.simulate(pm.models.load("four_bar"), integrator=name)
    names = (*INTEGRATORS, AUTO) if large else INTEGRATORS
    return {name: [{"integrator": name, "rtol": rtol} for rtol in TOLERANCES] for name in names}


def build(model, setting):
    """Return the mechanism and the system with its start; a run that may change methods is not split there."""
    mechanism = problem(model.name).mechanism
    split = INTEGRATORS[setting["integrator"]][0](mechanism) if setting["integrator"] != AUTO else None
    return model, mechanism, split


def solve(built, setting):
    """Run from start to end."""
    _, mechanism, split = built
    if split is None:
        return pm.simulate(mechanism, samples=2, rtol=setting["rtol"], integrator=AUTO)
    times = np.array([0.0, mechanism.run.duration])
    options = phases.Options(setting["rtol"], mechanism.run.max_steps)
    return PlanarResult(*split, INTEGRATORS[setting["integrator"]][1](*split, times, options), dict)


def clock(result, setting):
    """Return the wall time of the integration alone, as its result says, for a run that is not split; s."""
    if setting["integrator"] != AUTO:
        return None
    return result.stats["seconds"] + result.stats.get("explicit seconds", 0.0)


def ends(built, result):
    """Return the places at the end and the counts."""
    if result.status is not pm.Status.COMPLETED:
        raise ArithmeticError(result.message)
    stats = result.stats
    evaluations = stats.get("residuals", 0) + stats.get("evaluations", 0) + stats.get("explicit evaluations", 0)
    counts = {"steps": stats["steps"] + stats.get("explicit steps", 0), "evaluations": evaluations}
    return np.array([result[p][-1] for p in built[0].moving]), counts


if __name__ == "__main__":
    serve(sys.modules[__name__])
