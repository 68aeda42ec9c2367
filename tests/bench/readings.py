"""What reading a result costs beside the run that made it: reactions, paths and energies at many samples."""

import particlemech as pm
from tests.bench.measure import cpu, exponent

SAMPLES = 501
MODELS = ("platform_manipulator", "andrews_squeezer", "four_bar")
CHAINS = (10, 100, 300)
REACTIONS, EACH = 10e-3, 0.02e-3  # s: bars of all reactions of an explicit run, and per sample of one of IDA
LONGEST, GROWTH = 0.5, 1.2  # s: bar of the chain of 300 links; and of the exponent with which chains grow
MANY, MOST = 1_000_000, 4.0  # samples, and the bar of run and one path in all, s
REPEATS = 7


def reactions(result):
    """Read all reactions and efforts of a result."""
    for joint, body in result.system.layout.reactions:
        result.reaction(joint, on=body)
    for driver in result.system.layout.drivers:
        result.effort(driver)


def readings(result):
    """Read all reactions, all paths, and all energies of a result."""
    reactions(result)
    for point in result.system.layout.points:
        result[point]
    return result.energy


def _least(run, read, repeats=REPEATS):
    """Return the least CPU times of a run and of reading a fresh result of it, s."""
    read(run())  # kernels are read from the disk
    times = []
    for _ in range(repeats):
        result, took = cpu(run)
        times.append((took, cpu(lambda result=result: read(result))[1]))
    return tuple(min(of) for of in zip(*times, strict=True))


def _row(what, n, times, bar):
    return {"what": what, "n": n, "run": times[0], "seconds": times[1], "bar": bar}


def results(quick):
    """Return rows {what, n, run, seconds, bar}, CPU times in s."""
    rows = []
    for name in MODELS:
        model = pm.models.load(name)
        for integrator, read in (("explicit", reactions), ("ida", readings)):
            times = _least(lambda m=model, i=integrator: pm.simulate(m, samples=SAMPLES, integrator=i), read)
            bar = min(REACTIONS, times[0]) if integrator == "explicit" else 3 * EACH * SAMPLES
            rows.append(_row(f"{name}, {integrator}", SAMPLES, times, bar))
    for n in CHAINS[: 2 if quick else None]:
        links = pm.models.chain(n)
        times = _least(
            lambda m=links: pm.simulate(m, duration=0.2, samples=101, integrator="explicit"), reactions, repeats=2
        )
        rows.append(_row(f"chain of {n}", n, times, LONGEST))
    if not quick:
        result, run = cpu(lambda: pm.simulate(pm.models.load("four_bar"), samples=MANY, integrator="explicit"))
        rows.append(_row("four_bar, a path", MANY, (run, run + cpu(lambda: result["B"])[1]), MOST))
    return rows


def growth(rows):
    """Return the exponent with which the reactions of chains grow."""
    chains = [row for row in rows if row["what"].startswith("chain")]
    return exponent([row["n"] for row in chains], [row["seconds"] for row in chains])


def missed(rows):
    """Return what is above its bar, in words."""
    wrong = [
        f"{row['what']}: {row['seconds'] * 1e3:.3g} ms to read, bar {row['bar'] * 1e3:.3g} ms"
        for row in rows
        if row["seconds"] > row["bar"]
    ]
    if rows and growth(rows) > GROWTH:
        wrong.append(f"reactions of chains grow as N^{growth(rows):.2f}, bar N^{GROWTH}")
    return wrong
