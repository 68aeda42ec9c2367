"""What machine elements add to a run: a four-bar with gears and friction in all pins beside the bare one."""

import statistics

import particlemech as pm
from particlemech import joints as kinds
from particlemech.model.drivers import Coordinate
from particlemech.model.mechanism import Body, Initial
from particlemech.model.signals import Linear
from tests.bench.measure import cpu

REPEATS = 9
LASTS, SAMPLES = 10.0, 51  # s; the crank makes 20 turns, one way
BAR = 3.0  # times the CPU time of the bare four-bar, explicit steps
FRICTION = {"mu": 0.1, "radius": 0.01, "velocity": 0.01}
PINS = ("O", "A", "B", "C")


def geared(m, gears):
    """Return a four-bar with a train of gears before its crank, and friction in all pins."""
    radius, at, points, bodies, joints = 0.06, 0.0, {}, {}, {}
    before, place = "crank", "O"
    for k in range(gears):
        at -= 2.0 * radius
        name, point = f"wheel{k}", f"G{k}"
        points[point] = (at, 0.0)
        bodies[name] = Body(points=(point,), mass=0.3, com=(at, 0.0), inertia=5e-4)
        joints[f"bearing{k}"] = kinds.Revolute(point=point, bodies=("ground", name), friction=FRICTION)
        joints[f"mesh{k}"] = kinds.Gear(bodies=(before, name), points=(place, point), radii=(radius, radius))
        before, place = name, point
    rub = {pin: {"friction": FRICTION} for pin in PINS}
    return m.replaced(points=points, bodies=bodies, joints=joints | rub)


def four_bars():
    """Return the shipped four-bar, spun and left to itself, and with its crank driven."""
    m = pm.models.load("four_bar")
    motor = Coordinate(joint="O", motion=Linear(rate=m.initial.omega["crank"]))
    spun = m.replaced(run={"duration": LASTS, "samples": SAMPLES})
    return {"spun": spun, "driven": spun.replaced(drivers={"motor": motor}, initial=Initial())}


# crank, and wheels on the ground beside the one on it
RIGS = {"crank spun, a pair of gears": ("spun", 1), "the same with one more": ("spun", 2)}
RIGS |= {"crank driven, a pair of gears": ("driven", 1)}


def elements(quick):
    """Return rows {what, bare, seconds, ratio, bar}: CPU times, s, in turns so that a busy machine slows both."""
    rows, bares = [], four_bars()
    for what, (crank, gears) in RIGS.items():
        bare, times = bares[crank], ([], [])
        other = geared(bare, gears)
        for k in range(1 + (3 if quick else REPEATS)):
            for own, m in zip(times, (bare, other), strict=True):
                _, seconds = cpu(lambda m=m: pm.simulate(m, integrator="explicit"))
                if k:  # kernels are read from the disk in the first
                    own.append(seconds)
        ratio = statistics.median(b / a for a, b in zip(*times, strict=True))
        row = {"what": what, "bare": statistics.median(times[0]), "seconds": statistics.median(times[1])}
        rows.append({**row, "ratio": ratio, "bar": BAR})
    return rows


def missed(rows):
    """Return what is above its bar, in words."""
    return [
        f"{row['what']}: {row['ratio']:.3g} times the bare four-bar, bar {BAR:g}" for row in rows if row["ratio"] > BAR
    ]
