"""What an impact costs: a ball that bounces for good, or nearly, on a stop and on a line, in the plane and in space."""

import math

import particlemech as pm
from particlemech.model.toml import loads
from tests.bench.measure import cpu

FALL = math.sqrt(2.0 / 9.81)  # s
COUNT, REPEATS = 500, 3
BAR = 1e-3  # s per impact: 1000 of them per second of CPU time
PLANE = """
gravity = [0, -9.81]
points = { P = [0, 1] }
bodies.ball = { points = ["P"], mass = 2, com = [0, 1], inertia = 0.1 }
joints.guide = { type = "prismatic", bodies = ["ground", "ball"], point = "P", axis = [0, 1] }
joints.floor = { WHAT, restitution = E }
"""
SPACE = 'kind = "spatial"\n' + PLANE.replace("0, -9.81]", "0, 0, -9.81]").replace("0, 1]", "0, 0, 1]").replace(
    "= 0.1 }", "= [0.1, 0.1, 0.1] }"
)
STOP = 'type = "stop", joint = "guide", lower = -1'
LINE = 'type = "contact", bodies = ["ground", "ball"], points = [[0, 0], "P"], axis = [1, 0]'
RIGS = {"stop in the plane": (PLANE, STOP), "contact in the plane": (PLANE, LINE), "stop in space": (SPACE, STOP)}
PENDULUM = """
kind = "spatial"
gravity = [0, 0, -9.81]
points = { O = [0, 0, 0], P = [1, 0, 0] }
bodies.rod = { points = ["O", "P"], mass = 2 }
joints.hinge = { type = "revolute", bodies = ["ground", "rod"], point = "O", axis = [0, 1, 0] }
joints.wall = { type = "stop", joint = "hinge", lower = -0.1, upper = 0.2, restitution = E }
initial = { rate = { hinge = 3.0 } }
"""
SWINGS = 20.0  # s, of a pendulum between two stops


def impacts(quick):
    """Return rows {what, n, seconds, bar}: CPU time per impact, s, the setting up of the run included."""
    rows, count = [], COUNT // 5 if quick else COUNT
    for name, (text, what) in RIGS.items():
        for e in (1.0, 0.99):
            model = loads(text.replace("WHAT", what).replace("E }", f"{e} }}"))
            lasts = FALL * (2.0 * count if e == 1.0 else 1.0 + 2.0 * e * (1.0 - e**count) / (1.0 - e))
            pm.simulate(model, duration=3.0 * FALL, samples=11)  # kernels are read from the disk
            runs = [cpu(lambda m=model, T=lasts: pm.simulate(m, duration=T, samples=11)) for _ in range(REPEATS)]
            n = len(runs[0][0].switches)
            took = min(seconds for _, seconds in runs) / n
            rows.append({"what": f"{name}, e = {e:g}", "n": n, "seconds": took, "bar": BAR})
    for e in (1.0, 0.99):
        model, lasts = loads(PENDULUM.replace("E }", f"{e} }}")), SWINGS / (5.0 if quick else 1.0)
        pm.simulate(model, duration=0.1, samples=11)
        runs = [cpu(lambda m=model, T=lasts: pm.simulate(m, duration=T, samples=11)) for _ in range(REPEATS)]
        n, took = len(runs[0][0].switches), min(seconds for _, seconds in runs)
        rows.append({"what": f"pendulum in space, e = {e:g}", "n": n, "seconds": took / n, "bar": BAR})
    return rows


def missed(rows):
    """Return what is above its bar, in words."""
    return [
        f"{row['what']}: {row['seconds'] * 1e3:.3g} ms per impact, bar {row['bar'] * 1e3:.3g} ms"
        for row in rows
        if row["seconds"] > row["bar"]
    ]
