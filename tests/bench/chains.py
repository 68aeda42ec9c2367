"""What chains of bending bodies cost, and how well they keep their energy: the step response of the arm, and others."""

import time

import numpy as np

from particlemech import models, simulate
from tests.bench.measure import REPEATS

NAMES = ("rms_flexible", "two_link_flexible", "space_slew", "cantilever", "cantilever of 8")
METHODS = (("explicit", 1e-6), ("explicit", 1e-8), ("ida", 1e-6))
ARM = 2.0  # s of CPU time for 2 s of the arm at rtol 1e-6: its bar is real time
ENERGY = 1e-5  # of its scale: the bar of all


def model(name):
    """Return a shipped model, or one with more sub-links; none of the cantilevers is damped."""
    shipped, _, parts = name.partition(" of ")
    mechanism = models.load(shipped)
    return mechanism.replaced(bodies={"beam": {"sublinks": int(parts)}}) if parts else mechanism


def chains(quick):
    """Return rows {what, rtol, unknowns, steps, seconds, energy}: CPU time of a run, the least of some."""
    rows = []
    for name in NAMES[:1] if quick else NAMES:
        mechanism = model(name)
        for method, rtol in METHODS:
            options = {"samples": 101, "rtol": rtol, "integrator": method}
            simulate(mechanism, **options)
            times = []
            for _ in range(1 if quick else REPEATS):
                began = time.process_time()
                run = simulate(mechanism, **options)
                times.append(time.process_time() - began)
            energy = float(np.abs(run.energy.error).max() / run.energy.scale)
            size = {"unknowns": run.system.n, "steps": run.stats["steps"]}
            rows.append({"what": f"{name}, {method}", "rtol": rtol, **size, "seconds": min(times), "energy": energy})
    return rows


def missed(rows):
    """Return what is above its bar, in words."""
    lost = [row for row in rows if row["energy"] > ENERGY]
    wrong = [f"{row['what']} at rtol {row['rtol']:g} loses {row['energy']:.1e} of its energy" for row in lost]
    arm = [row for row in rows if row["what"] == "rms_flexible, explicit" and row["rtol"] == 1e-6]
    return wrong + [f"the arm takes {row['seconds']:.2f} s, bar {ARM:g} s" for row in arm if row["seconds"] > ARM]
