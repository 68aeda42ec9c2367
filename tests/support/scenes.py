"""Scenes that try a page: names that a careless one would run, and more bodies than anyone draws."""

import numpy as np

import particlemech as pm
from particlemech.model.primitives import (
    Ball,
    Band,
    Buffer,
    Curve,
    Damper,
    Floor,
    Hatch,
    Line,
    Lug,
    Outline,
    Part,
    Pin,
    Plate,
    Rail,
    Ram,
    Rod,
    Rough,
    Slider,
    Slot,
    Spring,
    Strap,
    Tie,
    TorsionSpring,
    Weld,
)
from particlemech.rotations import matrix
from particlemech.view.families import scene
from particlemech.view.scene import Arrow, Frame, Quantity, Scene

TITLE = "</title></script><script>window.hit=1</script>\"' onload='window.hit=1"
HOSTILE = (  # names of parts hold no dots, commas and quotes: columns carry them
    "</script><script>hit=1</script>",
    "<img src=x onerror=hit=1>",
    "` onload=hit=1 ${hit=1}",
    "{{script}}",
    "الذراع ← ذراع",
    "😀 crank & rod &lt;",
    "]]><!--",
)


def hostile():
    """Return a motion in which every name is one that a careless page would run or garble."""
    a, b, c, d, e, f, g = HOSTILE
    m = pm.Mechanism(
        name=TITLE,
        about=b,
        points={b: (0.0, 0.0), e: (0.3, 0.1), f: (0.7, 0.2)},
        bodies={a: pm.Body(points=(b, e), mass=1.0), c: pm.Body(points=(e, f), mass=1.0)},
        joints={
            d: pm.joints.Revolute(point=b, bodies=("ground", a)),
            g: pm.joints.Revolute(point=e, bodies=(a, c)),
        },
        gravity=(0.0, -9.81),
    )
    return pm.simulate(m, duration=0.2, samples=11, rtol=1e-6)


def one_of_each(dimension):
    """Return a scene with every primitive once, carried by a body that turns about the first axis that sticks out."""
    t = np.linspace(0.0, 1.0, 5)

    def at(x, y):
        return (x, y, 0.1)[:dimension]

    def part(name):
        return Part("joint", name)

    turn = t if dimension == 2 else matrix(np.stack([0.0 * t, 0.0 * t, t], axis=1))
    ends = (("ground", at(0.0, 1.0)), ("body", at(1.0, 1.0)))
    bend = np.array([[at(s, 0.1 * k * s * s) for s in np.linspace(0.0, 1.0, 9)] for k in range(5)])
    axis = None if dimension == 2 else at(0.0, 1.0)
    looks = (
        Line(part("line"), "body", (at(0.0, 0.0), at(1.0, 0.0))),
        Plate(part("plate"), "body", outline=(at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0))),
        Curve(part("curve"), bend),
        Pin(part("pin"), "body", at(0.2, 0.2), axis),
        Ball(part("ball"), "body", at(0.4, 0.2)),
        Weld(part("weld"), "body", at(0.6, 0.2)),
        Hatch(part("hatch"), at(-1.0, 0.0), at(0.0, 1.0)),
        Slot(part("slot"), "body", at(0.0, 0.5), at(1.0, 0.5)),
        Rail(part("rail"), "ground", at(0.0, -0.5), at(1.0, -0.5)),
        Floor(part("floor"), at(0.0, -1.5), at(1.0, -1.5), at(0.0, -1.0)),
        Slider(part("slider"), "body", at(0.5, -0.5), at(1.0, 0.0)),
        Rod(part("rod"), ends),
        Ram(part("cylinder"), (("ground", at(0.0, -1.0)), ("body", at(1.0, -1.0))), 0.6, 0.7),
        Rough(part("rough"), "body", at(0.5, 0.35)),
        Tie(part("tie"), ends),
        Outline(part("wheel"), "body", (at(0.1, -0.2), at(0.2, -0.2), at(0.3, -0.2))),
        Strap(part("belt"), (("ground", at(0.0, 1.2)), ("body", at(1.0, 1.2)))),
        Band(
            part("rope"),
            (("ground", at(0.0, 1.6)), ("body", at(1.0, 1.6)), ("ground", at(2.0, 1.2))),
            (0.1, -0.2, 0.0),
            False,
        ),
        Lug(part("lug"), "body", at(0.2, 0.2), (at(0.2, 0.2), at(0.4, 0.2), at(0.4, 0.3), at(0.3, 0.3))),
        Buffer(part("buffer"), "body", at(0.8, -0.5), at(1.0, 0.0), part("slider")),
        Spring(part("spring"), ends),
        Damper(part("damper"), ends),
        TorsionSpring(part("torsion"), ("ground", "body"), at(0.8, 0.2), axis),
        TorsionSpring(part("torsion damper"), ("ground", "body"), at(0.8, 0.6), axis, damper=True),
    )
    still = np.zeros((5, dimension))
    return Scene(dimension, "all", "m", t, {"body": Frame(still[0], still, turn)}, looks, {}, (), 0.05, {})


def many_bodies(n, count):
    """Return a scene of a chain of n swinging rods, with the columns that a result would have."""
    t = np.linspace(0.0, 20.0, count)
    phase = np.arange(n)[:, None]
    angle = 0.8 * np.sin(0.7 * t + 0.13 * phase) + 0.3 * np.sin(3.1 * t + 0.41 * phase**1.3)
    place = np.zeros((n + 1, count, 2))
    step = np.stack([np.sin(angle), -np.cos(angle)], axis=-1)
    place[1:] = np.cumsum(step, axis=0)
    small = scene(pm.models.chain(n))
    frames = {
        b: Frame(f.centre, 0.5 * (place[k] + place[k + 1]), angle[k] - np.pi / 2.0)
        for k, (b, f) in enumerate(small.frames.items())
    }
    points = dict(zip(small.points, place, strict=True))
    rate = {name: np.gradient(path, t, axis=0) for name, path in points.items()}
    change = {name: np.gradient(path, t, axis=0) for name, path in rate.items()}
    # the force in each joint, if every rod weighs 1 kg: what all below it need
    needed = [change[p] + (0.0, 9.81) for p in list(points)[:0:-1]]
    forces = dict(zip(frames, np.cumsum(needed, axis=0)[::-1], strict=True))
    quantities = {}
    for word, what, of in (("", "position", points), ("v", "velocity", rate), ("a", "acceleration", change)):
        for name, path in of.items():
            quantities |= {f"{name}.{word}{letter}": Quantity(path[:, k], what, "m") for k, letter in enumerate("xy")}
    for k, name in enumerate(frames):
        omega = np.gradient(angle[k], t)
        for word, values in (("angle", angle[k]), ("omega", omega), ("alpha", np.gradient(omega, t))):
            quantities[f"{name}.{word}"] = Quantity(values, word, "rad")
        for axis, letter in enumerate("xy"):
            quantities[f"{name}.{letter}"] = Quantity(frames[name].origin[:, axis], "position", "m")
            quantities[f"j{k}.{name}.f{letter}"] = Quantity(forces[name][:, axis], "force", "N")
    arrows = {
        "velocity": {p: Arrow(points[p], rate[p], "m/s") for p in points},
        "acceleration": {p: Arrow(points[p], change[p], "m/s²") for p in points},
        "reaction": {b: Arrow(points[p], forces[b], "N") for b, p in zip(frames, points, strict=False)},
    }
    return Scene(
        **{key: getattr(small, key) for key in ("dimension", "unit", "primitives", "fixed", "r", "table")},
        title=f"{n} bodies",
        t=t,
        frames=frames,
        points=points,
        arrows=arrows,
        _quantities=lambda: quantities,
    )
