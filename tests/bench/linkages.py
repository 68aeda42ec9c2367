"""The closed mechanisms in space of the benchmark, and where their points are along a run.

    rssr          let go at 10 rad/s, no motor, 2 s
    stewart       six legs with a spring each, universal-prismatic-spherical, platform let go, 1 s
    bricard       as shipped, 10 s
    bennett       as shipped, 2 s
    ladder-N      N loops that share their rungs, let go, 0.5 s

References are places of all moving points at SAMPLES times, kept in linkages.json. They were made by centres of mass
and quaternions with DOP853 at 1e-12, a formulation that the library no longer has, so they depend on neither of its
own; `python -m tests.bench.linkages` says how far both of these are away.
"""

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import particlemech as pm
from particlemech.model.space import Body, Initial, Mechanism, joints
from particlemech.model.space.forces import Torsion

FILE = Path(__file__).with_name("linkages.json")
SAMPLES = 41
DURATIONS = {"rssr": 2.0, "stewart": 1.0, "bricard": 10.0, "bennett": 2.0}
LADDER = 0.5  # s
LEG = 2000.0  # N/m of a leg of the platform: 3 Hz in heave
TIGHTEST = 1e-12  # rtol of the references


def linkage(name):
    """Return a mechanism by name and the duration of its run, s."""
    family, _, size = name.partition("-")
    if family == "ladder":
        return ladder(int(size)), LADDER
    return {"rssr": rssr, "stewart": sprung_platform}.get(name, lambda: pm.models.load(name))(), DURATIONS[name]


def rssr():
    """Return the RSSR linkage without its motor, turning at 10 rad/s."""
    return replace(pm.models.load("rssr"), drivers={}, initial=Initial(rate={"O": 10.0}))


def sprung_platform(stiffness=LEG):
    """Return the Stewart platform on six springs that are free of force as drawn, its weight beside its middle."""
    shipped = pm.models.load("stewart_platform")
    legs = {f"spring{k}": Torsion(joint=f"leg{k}", stiffness=stiffness) for k in range(1, 7)}
    bodies = dict(shipped.bodies)
    bodies["platform"] = replace(bodies["platform"], com=(0.04, 0.03, 0.72))
    for k in range(1, 7):  # rods of a finite thickness, for their spin is free in a ball and held by a cross
        bodies |= {name: _thick(shipped, name, 0.02) for name in (f"lower{k}", f"upper{k}")}
    return replace(shipped, name="Sprung platform", bodies=bodies, drivers={}, forces=legs)


def _thick(mechanism, name, radius):
    """Return a rod as a cylinder of some radius."""
    rod = mechanism.bodies[name]
    one, other = (np.array(mechanism.points[p]) for p in rod.points)
    u, length = (other - one) / np.linalg.norm(other - one), float(np.linalg.norm(other - one))
    across, along = rod.mass * (length**2 / 12.0 + radius**2 / 4.0), rod.mass * radius**2 / 2.0
    J = across * np.eye(3) + (along - across) * np.outer(u, u)
    return replace(rod, inertia=tuple(J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist()))


def ladder(n):
    """Return n loops in a row: rungs that hang on one another by two links each, let go under a slanting weight.

    The left link of a loop turns about an axis across it in the upper rung and ends in a ball, the right one hangs on
    a cross and ends in a ball: 18 - 5 - 3 - 4 - 3 = 3 degrees of freedom more for each loop, and no row too many. The
    first rung is the ground. Loop k has the bodies left_k, right_k and rung_k, the joints upper_left_k and so on, and
    the points L_k and R_k at the ends of its rung.
    """
    width, height = 0.4, 0.3
    points, bodies, held = {}, {}, {}
    for k in range(1, n + 1):
        above = "ground" if k == 1 else f"rung_{k - 1}"
        up, down = -height * (k - 1), -height * k
        wide = (0.5 + 0.05 * (-1) ** k) * width  # rungs differ a little, so that nothing is parallel
        before = (0.5 - 0.05 * (-1) ** k) * width
        ends = {"left": ((-before, 0.0, up), (-wide, 0.03, down)), "right": ((before, 0.0, up), (wide, -0.02, down))}
        points |= {f"L_{k}": ends["left"][1], f"R_{k}": ends["right"][1]}
        for side, (top, bottom) in ends.items():
            middle = tuple(0.5 * (a + b) for a, b in zip(top, bottom, strict=True))
            bodies[f"{side}_{k}"] = Body(mass=0.5, com=middle, inertia=(4e-3, 4e-3, 1e-4))
            below = f"{'L' if side == 'left' else 'R'}_{k}"
            held[f"lower_{side}_{k}"] = joints.Spherical(bodies=(f"{side}_{k}", f"rung_{k}"), point=bottom)
            bodies[f"{side}_{k}"] = replace(bodies[f"{side}_{k}"], points=(below,))
        held[f"upper_left_{k}"] = joints.Revolute(
            bodies=(above, f"left_{k}"), point=ends["left"][0], axis=(1.0, 0.3, 0.0)
        )
        held[f"upper_right_{k}"] = joints.Universal(
            bodies=(above, f"right_{k}"), point=ends["right"][0], axes=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
        )
        bodies[f"rung_{k}"] = Body(
            points=(f"L_{k}", f"R_{k}"), mass=1.0, com=(0.0, 0.0, down), inertia=(2e-3, 1.5e-2, 1.5e-2)
        )
    return Mechanism(name=f"Ladder of {n}", gravity=(1.5, 4.0, -8.8), points=points, bodies=bodies, joints=held)


def moving(mechanism):
    """Return the names of the points that bodies carry."""
    return [p for p, on in mechanism.carriers.items() if on]


def places(result):
    """Return the places of all moving points, (points, samples, 3)."""
    return np.stack([result[p] for p in moving(result.mechanism)])


def reference(name):
    """Return the stored places of a problem, (points, SAMPLES, 3)."""
    return np.array(json.loads(FILE.read_text())[name])


def main():
    """Say how far both formulations are from the references, at the tightest tolerance."""
    for name in (*DURATIONS, "ladder-10"):
        mechanism, duration = linkage(name)
        for formulation in ("recursive", "natural"):
            began, options = time.process_time(), {"duration": duration, "samples": SAMPLES, "rtol": TIGHTEST}
            found = places(pm.simulate(mechanism, **options, formulation=formulation, throw=False))
            gap = np.abs(found - reference(name)[:, : found.shape[1]]).max()
            print(f"{name}, {formulation}: {gap:.1e} m, {time.process_time() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()
