"""The library itself, measured like any other tool: one road per integrator.

What is timed as the solution is the integration alone; tabulation and the consistent start are the build.
"""

import inspect
import sys

import numpy as np

import particlemech as pm
from particlemech import integrate
from particlemech.result import Result
from particlemech.simulate import prepared
from tests.bench.peers.serve import serve
from tests.bench.problems import problem

TOLERANCES = tuple(10.0**-k for k in range(3, 13))


def integrators():
    """Return the integrators that a run can be asked for."""
    return ("ida", "explicit") if "integrator" in inspect.signature(pm.simulate).parameters else ("ida",)


def asked(integrator):
    """Return the keyword of a run that asks for an integrator, as far as there is a choice."""
    return {"integrator": integrator} if len(integrators()) > 1 else {}


def roads(model, large):
    """Return the tolerances of each road, warmed up."""
    for name in integrators():  # compiled kernels are read from the disk at the first run
        pm.simulate(pm.models.load("four_bar"), **asked(name))
    names = (*integrators(), "auto") if large and len(integrators()) > 1 else integrators()
    return {name: [{"integrator": name, "rtol": rtol} for rtol in TOLERANCES] for name in names}


def build(model, setting):
    """Return the mechanism, and the tabulated system with its start where a run can be split there."""
    mechanism = problem(model.name).mechanism
    split = prepared(mechanism) if setting["integrator"] == "ida" else None
    return model, mechanism, split


def solve(built, setting):
    """Run from start to end."""
    _, mechanism, split = built
    if split is None:
        return pm.simulate(mechanism, samples=2, rtol=setting["rtol"], integrator=setting["integrator"])
    times = np.array([0.0, mechanism.run.duration])
    return Result(*split, integrate.run(*split, times, setting["rtol"]), {})


def clock(result, setting):
    """Return the wall time of the integration alone, as its result says, for roads that run in one call; s."""
    return None if setting["integrator"] == "ida" else result.stats["seconds"]


def ends(built, result):
    """Return the places at the end and the counts."""
    if result.status is not pm.Status.COMPLETED:
        raise ArithmeticError(result.message)
    stats = result.stats
    counts = {"steps": stats["steps"], "evaluations": stats.get("residuals", stats.get("evaluations"))}
    return np.array([result[p][-1] for p in built[0].moving]), counts


if __name__ == "__main__":
    serve(sys.modules[__name__])
