"""What closed mechanisms in space cost, and how well they keep their energy: Bricard's in ten seconds, and others."""

import time

import numpy as np

from particlemech import models, simulate
from tests.bench.measure import REPEATS

NAMES = ("bricard", "bennett", "rssr", "flyball_governor", "universal_shaft")
DURATIONS = {"bricard": 10.0}  # s; the others as their model says
TOLERANCES = (1e-6, 1e-8)
BRICARD = 2.0  # s of CPU time at rtol 1e-6: its bar
ENERGY = 1e-6  # of its scale: the bar of all


def spatial(quick):
    """Return rows {what, rtol, unknowns, steps, seconds, energy}: CPU time of a run, the least of some."""
    rows = []
    for name in NAMES[:2] if quick else NAMES:
        mechanism = models.load(name)
        for rtol in TOLERANCES:
            options = {"duration": DURATIONS.get(name), "samples": 101, "rtol": rtol}
            simulate(mechanism, **options)
            times = []
            for _ in range(1 if quick else REPEATS):
                began = time.process_time()
                run = simulate(mechanism, **options)
                times.append(time.process_time() - began)
            energy = float(np.abs(run.energy.error).max() / run.energy.scale)
            size = {"unknowns": run.system.n, "steps": run.stats["steps"]}
            rows.append({"what": name, "rtol": rtol, **size, "seconds": min(times), "energy": energy})
    return rows


def missed(rows):
    """Return what is above its bar, in words."""
    lost = [row for row in rows if row["energy"] > ENERGY]
    wrong = [f"{row['what']} at rtol {row['rtol']:g} loses {row['energy']:.1e} of its energy" for row in lost]
    slow = [row for row in rows if (row["what"], row["rtol"]) == ("bricard", 1e-6) and row["seconds"] > BRICARD]
    return wrong + [f"bricard takes {row['seconds']:.2f} s, bar {BRICARD:g} s" for row in slow]
