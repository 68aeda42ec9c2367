"""Where the time of a run with IDA goes, found by counting its calls and timing each kind of call alone."""

import time
import warnings

import numba
import numpy as np
from scipy import sparse
from scipy.linalg import lapack
from scipy.sparse.linalg import splu

from particlemech._jit import ArgumentBlock, readonly
from particlemech.engine.particles import kernels
from particlemech.engine.particles.equations import scratch
from particlemech.run import ida
from particlemech.run.events import Watch
from particlemech.run.preparing import prepared

BATCH = 300  # calls that are timed together
ROUNDS = 7


@numba.njit
def _residuals(n, t, y, yp, address, res):
    for _ in range(n):
        kernels.residual(t, y, yp, address, res)


@numba.njit
def _jacobians(n, t, y, yp, cj, address, J):
    for _ in range(n):
        kernels.jacobian(t, y, yp, 1.0, cj, address, J)


def _cpu(function, batch=1):
    """Return the least CPU time of a call, s; the first one does not count."""
    function()
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        function()
        times.append(time.process_time() - began)
    return min(times) / batch


def _repeated(function, *arguments):
    for _ in range(BATCH):
        function(*arguments)


def _wrapper():
    """Return what IDA and its wrapper need around one residual of a single unknown, y' = 0, s."""
    from sksundae.ida import IDA

    def nothing(t, y, yp, res):
        pass

    def slopes(t, y, yp, res, cj, J):
        J[0, 0] = cj

    def run():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solver = IDA(nothing, jacfn=slopes, max_step=1e-3, max_num_steps=10**6)
        solver.init_step(0.0, np.zeros(1), np.zeros(1))
        return solver.step(1.0, "normal", 1.0).nfev

    return _cpu(run) / run()


def _linear_algebra(system, jacobian, y, yp):
    """Return the cost of one factorisation and of one solution with the Jacobian at a state, s: LAPACK or SuperLU."""
    n, b, is_sparse = system.n, np.ones(system.n), system.n >= ida.SPARSE_FROM
    J = np.zeros(len(system.indices)) if is_sparse else np.zeros((n, n))
    jacobian(0.0, y, yp, np.zeros(n), 1e4 / system.scale.time, J)
    if is_sparse:
        matrix = sparse.csc_array((J, system.indices, system.indptr), shape=(n, n))
        factor = splu(matrix)
        return _cpu(lambda: splu(matrix)), _cpu(lambda: factor.solve(b))
    factor, pivots, _ = lapack.dgetrf(J)
    return (
        _cpu(lambda: _repeated(lapack.dgetrf, J), BATCH),
        _cpu(lambda: _repeated(lapack.dgetrs, factor, pivots, b), BATCH),
    )


def profile(mechanism, rtol):
    """Return the CPU seconds of a run in the particle formulation, part by part.

    Keys: "total" of the integration, start and samples not counted; "residual kernels" and "Jacobian kernels", as
    timed inside compiled code; "callbacks", what Python adds to them; "wrapper", arrays that scikit-sundae makes and
    IDA's own work on a system of one unknown; "linear algebra", by timing LAPACK or SuperLU on the same matrix; and
    "remainder", the difference of the total and all these: vectors and step control, and where SUNDIALS' own dense
    solver or its threads are slower than LAPACK or SuperLU. Counts are in "residuals", "jacobians" and "steps".
    """
    system, start = prepared(mechanism)
    times = np.linspace(0.0, mechanism.run.duration, mechanism.run.samples)
    ida.run(system, start, times[:2], rtol)
    began = time.process_time()
    trajectory = ida.run(system, start, times, rtol)
    total, stats = time.process_time() - began, trajectory.stats
    n_residual, n_jacobian = stats["residuals"], stats["jacobians"]

    # the same callbacks as the run's, and what is behind them
    run = ida._Run(system, rtol, "auto", Watch(system, {}), None, ida.MARGIN, ida.STEP_LIMIT)
    run.clamp = np.inf
    residual, jacobian = run._callbacks()
    y, yp, res = readonly(trajectory.y[0]), readonly(np.zeros(system.n)), np.zeros(system.n)
    flat = np.zeros(len(system.indices) if run.sparse else system.n**2)
    J = flat if run.sparse else flat.reshape(system.n, system.n)
    targets = system._sparsity.sparse if run.sparse else system._sparsity.dense
    argument_block = ArgumentBlock(system._tables, scratch(system.compiled, system.places), targets)
    inside = _cpu(lambda: _residuals(BATCH, 0.0, y, yp, argument_block.address, res), BATCH)
    inside_jacobian = _cpu(lambda: _jacobians(BATCH, 0.0, y, yp, 1.0, argument_block.address, flat), BATCH)
    called = _cpu(lambda: _repeated(residual, 0.0, y, yp, res), BATCH)
    called_jacobian = _cpu(lambda: _repeated(jacobian, 0.0, y, yp, res, 1.0, J), BATCH)
    factor, solve = _linear_algebra(system, system.callbacks(run.sparse)[1], y, yp)

    parts = {
        "residual kernels": inside * n_residual,
        "Jacobian kernels": inside_jacobian * n_jacobian,
        "callbacks": (called - inside) * n_residual + (called_jacobian - inside_jacobian) * n_jacobian,
        "wrapper": _wrapper() * n_residual,
        "linear algebra": factor * n_jacobian + solve * n_residual,
    }
    counts = {"residuals": n_residual, "jacobians": n_jacobian, "steps": stats["steps"]}
    return {"total": total, **parts, "remainder": total - sum(parts.values()), **counts}


if __name__ == "__main__":
    import particlemech as pm

    for name in ("four_bar", "andrews_squeezer", "platform_manipulator"):
        found = profile(pm.models.load(name), 1e-6)
        print(
            name,
            *(f"{k} {v * 1e3:.2f} ms" if isinstance(v, float) else f"{k} {v}" for k, v in found.items()),
            sep="\n    ",
        )
