"""Random mechanisms: one sample of every registered kind, and whole mechanisms with trees, loops, springs and loads.

A kind is sampled through the fields of its own spec: FILL knows how to make a value for a key, whatever kind asks for
it. So a new kind needs a line here only if it has a key that no other kind has.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from particlemech import drivers, forces, joints, signals
from particlemech.engine.absolute.equations import system as absolute_system
from particlemech.errors import ModelError
from particlemech.model.cams.curves import around
from particlemech.model.cams.lift import Contact
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Body, Initial, Mechanism
from particlemech.run.start import weights

Rng = np.random.Generator
JOINTS, DRIVERS = joints.KINDS, drivers.KINDS
OWNING = {forces.CurveMotor, forces.Pid}  # motors and controllers, whose laws test_control.py holds
FORCES = tuple(kind for kind in forces.KINDS if kind not in OWNING)
SECTION = {**dict.fromkeys(JOINTS, "joints"), **dict.fromkeys(DRIVERS, "drivers"), **dict.fromkeys(FORCES, "forces")}
FREE = (joints.Revolute, joints.Prismatic, joints.Slot)  # kinds that leave coordinates
LINES = tuple(kind for kind in JOINTS if "axis" in {f.name for f in dataclasses.fields(kind)})
# kinds that need their bodies in certain places
GEARED = (joints.Gear, joints.Rack, joints.Rolling, joints.Belt, joints.Cam, joints.Contact)
# a cam asks too much of what is drawn already; what holds for a while ends as its tolerances say, see test_stops.py
LOOPS = tuple(kind for kind in JOINTS if kind not in (joints.Cam, joints.Stop, joints.Contact))
TAKEN = {joints.Gear: 2, joints.Rack: 2, joints.Belt: 2}  # freedoms, together with what holds their centres
RATE = 3.0  # rad/s, largest of the random initial speeds
GRAVITY = (0.0, -9.81)
TALLY: dict[str, Counter[str]] = {}  # test -> what it kept and what it discarded, for the summary of the run


class Drawing:
    """A mechanism while it is being drawn."""

    def __init__(self, rng: Rng, gravity: tuple[float, float] = (0.0, 0.0)) -> None:
        self.rng, self.gravity = rng, gravity
        self.whole = False  # a mechanism of many parts: what acts on joints acts on those that are there
        self.points: dict[str, tuple[float, float]] = {}
        self.on: dict[str, list[str]] = {}
        self.middle: dict[str, np.ndarray] = {}
        self.parts: dict[str, dict[str, Any]] = {"joints": {}, "drivers": {}, "forces": {}}

    def body(self, near: Iterable[float] | None = None) -> str:
        """Add a body and return its name."""
        name = f"b{len(self.on)}"
        self.on[name] = []
        self.middle[name] = self.rng.uniform(-1.0, 1.0, 2) if near is None else np.array(near, float)
        return name

    def place(self, *bodies: str) -> tuple[float, float]:
        """Return a random place between bodies."""
        moving = [self.middle[b] for b in bodies if b != GROUND]
        centre = np.mean(moving, axis=0) if moving else np.zeros(2)
        x, y = centre + self.rng.uniform(-0.5, 0.5, 2)
        return float(x), float(y)

    def point(self, *bodies: str, at: tuple[float, float] | None = None) -> str:
        """Add a point to bodies and return its name."""
        name = f"P{len(self.points)}"
        self.points[name] = self.place(*bodies) if at is None else at
        for b in bodies:
            if b != GROUND:
                self.on[b].append(name)
        return name

    def add(self, kind: type, bodies: tuple[str, ...], name: str | None = None, **given: Any) -> str:
        """Add a part of a kind, its keys filled at random but for the given ones, and return its name."""
        section, made = SECTION[kind], kind(**filled(self, kind, bodies, **given))  # which may add parts of its own
        name = name or f"{section[0]}{len(self.parts[section])}"
        self.parts[section][name] = made
        return name

    def mechanism(self, **more: Any) -> Mechanism:
        """Return what has been drawn; bodies without places get one."""
        bodies = {}
        for name, points in self.on.items():
            if not points:
                self.point(name)
            mass = float(self.rng.uniform(0.5, 2.0))
            rod = len(points) == 2 and math.dist(*(self.points[p] for p in points)) > 0.3
            if rod and self.rng.random() < 0.5:
                bodies[name] = Body(points=points, mass=mass)
                continue
            centre = np.mean([self.points[p] for p in points], axis=0) + self.rng.uniform(-0.2, 0.2, 2)
            inertia = mass * float(self.rng.uniform(0.15, 0.5)) ** 2
            bodies[name] = Body(points=points, mass=mass, com=tuple(centre), inertia=inertia)
        return Mechanism(gravity=self.gravity, points=self.points, bodies=bodies, **self.parts, **more)


# -- keys ------------------------------------------------------------------------------------------------------------


def _unit(rng: Rng) -> tuple[float, float]:
    angle = rng.uniform(0.0, 2.0 * math.pi)
    return math.cos(angle), math.sin(angle)


def motion(rng: Rng) -> signals.SignalSpec:
    """Return a smooth signal that starts from 0."""
    a, f = float(rng.uniform(-0.2, 0.2)), float(rng.uniform(0.2, 1.0))
    return (
        signals.Sine(amplitude=a, frequency=f),
        signals.Linear(rate=a),
        signals.Cycloid(end=a, duration=float(rng.uniform(0.6, 2.0))),
        signals.Table(t=(-1.0, 0.0, 0.5, 2.0, 3.0), value=(a, 0.0, 0.2 * f, a, 0.1), interpolation="smooth"),
    )[rng.integers(4)]


def effort(rng: Rng) -> signals.SignalSpec:
    """Return a force in N or a couple in N m, constant or swinging."""
    size = float(rng.uniform(-3.0, 3.0))
    if rng.random() < 0.5:
        return signals.Constant(value=size)
    return signals.Sine(amplitude=size, frequency=float(rng.uniform(0.2, 1.0)), phase=1.0, offset=0.5)


def _custom(drawing: Drawing, body: str) -> Callable[..., Any]:
    """Return a force that looks only at what turns and shifts with the drawing."""
    point = drawing.point(body)
    other = drawing.point(next(iter(drawing.on)))
    c, k = drawing.rng.uniform(0.1, 0.5, 2)

    def function(t: float, state: Any) -> Any:
        v, reach = state.velocity(point), state[other] - state[point]
        return k * reach - c * v * math.hypot(*v), state[point], -c * state.omega(body) + 0.1 * state.angle(body)

    return function


def _point(drawing: Drawing, kind: type, bodies: tuple[str, ...]) -> str | tuple[float, float]:
    on = bodies[1:] if kind in LINES else bodies
    if kind in DRIVERS or kind in FORCES:
        on = bodies[-1:]
    return _place(drawing, *on)


def _place(drawing: Drawing, *on: str) -> str | tuple[float, float]:
    """Return a place by its name or by its numbers."""
    return drawing.place(*on) if drawing.rng.random() < 0.5 else drawing.point(*on)


def _centres(drawing: Drawing, kind: type, bodies: tuple[str, ...], made: dict[str, Any]) -> Any:
    """Return the two places of a gear, a rack, a belt or what rolls, with what holds them."""
    bodies = bodies[:2]
    places = tuple(_place(drawing, b) for b in bodies)
    if kind is joints.Cam:
        made.update(_contour(drawing, places))
    if kind in (joints.Gear, joints.Rack):
        carrier = drawing.body(drawing.place(*bodies))
        for b, p in zip(bodies, places, strict=True):
            if kind is joints.Rack and b == bodies[0]:
                made["axis"] = _unit(drawing.rng)
                drawing.add(joints.Prismatic, (carrier, b), axis=made["axis"])
            else:
                if isinstance(p, str):
                    drawing.on[carrier].append(p)
                drawing.add(joints.Revolute, (carrier, b), point=p)
    return places


def _contour(drawing: Drawing, places: Any) -> dict[str, Any]:
    """Return a random cam about the first place whose follower touches it at the second, between its points."""
    rng, follower = drawing.rng, ("roller", "flat", "knife")[drawing.rng.integers(3)]
    P, Q = (np.array(drawing.points[p] if isinstance(p, str) else p) for p in places)
    d, lean = Q - P, float(rng.uniform(-0.3, 0.3)) if follower == "flat" else 0.0
    normal = turned(lean, d / np.hypot(*d))
    shape, phase = rng.uniform(-0.06, 0.06, 2), math.atan2(normal[1], normal[0]) + math.pi / 24.0
    phi = [phase + 2.0 * math.pi * k / 24.0 for k in range(24)]
    unit = tuple(turned(a, (1.0 + shape[0] * math.cos(a) + shape[1] * math.sin(2.0 * a), 0.0)) for a in phi)
    S = around(unit, 0.2 if follower == "roller" else 0.0, follower == "flat")
    reach, _, _ = Contact(follower == "flat", 0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, S).lift(phase - math.pi / 24.0)
    size = float(d @ np.array(normal)) / reach
    return {
        "follower": follower,
        "radius": 0.2 * size if follower == "roller" else None,
        "face": turned(math.pi / 2.0, normal) if follower == "flat" else None,
        "curve": tuple((P[0] + size * x, P[1] + size * y) for x, y in unit),
        "clockwise": False,
        "closure": ("form", "force")[rng.integers(2)],
        "restitution": 0.0,
        "law": ("cycloidal",),
        **dict.fromkeys(("axis", "pivot", "angles", "lift", "swing")),
    }


def _radii(drawing: Drawing, kind: type, made: dict[str, Any]) -> Any:
    """Return the radii that fit the places, on a line none."""
    rng = drawing.rng
    one, other = (drawing.points[p] if isinstance(p, str) else p for p in made["points"])
    d, share = math.dist(one, other), float(rng.uniform(0.2, 0.8))
    if kind is joints.Belt:
        made["form"] = ("closed", "open")[rng.integers(2)]
        made["crossed"] = (False, True, (made["pulleys"][0],), made["pulleys"])[rng.integers(4)]
        return 0.4 * d * share, 0.4 * d * (1.0 - share) if made["form"] == "closed" else 0.0
    made["internal"] = bool(rng.random() < 0.4)
    if kind in (joints.Rolling, joints.Contact):
        made["axis"] = None if made["internal"] or rng.random() < 0.5 else _unit(rng)
        if made["axis"] is not None:
            return None
    if not made["internal"]:
        return share * d, (1.0 - share) * d
    return ((1.0 + share) * d, share * d)[:: rng.choice([-1, 1])]


def _radius(drawing: Drawing, kind: type, made: dict[str, Any]) -> float | None:
    """Return the radius of a circle that touches a line as drawn; of what takes it from the drawing none."""
    if kind is not joints.Contact or made["axis"] is None:
        return 0.0 if kind is joints.Contact else None
    (ax, ay), (bx, by) = (drawing.points[p] if isinstance(p, str) else p for p in made["points"])
    u, v = made["axis"]
    return abs(u * (by - ay) - v * (bx - ax))


def _joint(drawing: Drawing, bodies: tuple[str, ...]) -> str:
    """Return a joint that leaves coordinates: a new one between two bodies, or one of a whole mechanism."""
    known = [name for name, joint in drawing.parts["joints"].items() if joint.freedoms]
    if drawing.whole and known:
        return known[drawing.rng.integers(len(known))]
    return drawing.add(FREE[drawing.rng.integers(len(FREE))], bodies)


def _joints(drawing: Drawing, bodies: tuple[str, ...]) -> tuple[str, str]:
    """Return two joints that leave coordinates, one of them new where there are not many."""
    known = [name for name, joint in drawing.parts["joints"].items() if joint.freedoms]
    while len(known) < 2:
        known = [*known, drawing.add(FREE[drawing.rng.integers(len(FREE))], bodies)]
    first, second = drawing.rng.permutation(len(known))[:2]
    return known[first], known[second]


def _coordinate(drawing: Drawing, joint: str) -> str:
    names = drawing.parts["joints"][joint].coordinate_names
    return names[drawing.rng.integers(len(names))]


def keys(kind: type) -> set[str]:
    """Return the keys of a kind."""
    return {f.name for f in dataclasses.fields(kind)}


def _travels(drawing: Drawing, made: dict[str, Any]) -> bool:
    """Return whether what is made acts on a travel."""
    return made.get("joint") is not None and not made["coordinate"].startswith("angle")


def _length(drawing: Drawing, kind: type, made: dict[str, Any]) -> float | None:
    if kind in JOINTS or (kind is forces.Spring and drawing.rng.random() < 0.2):
        return None
    return 0.0 if "joint" in keys(kind) and not _travels(drawing, made) else float(drawing.rng.uniform(0.0, 0.5))


CAM = ("follower", "pivot", "face", "angles", "lift", "swing", "law", "clockwise", "curve", "closure", "restitution")
FILL: dict[str, Callable[[Drawing, type, tuple[str, ...], dict[str, Any]], Any]] = {
    "bodies": lambda d, kind, bodies, made: None if "joint" in keys(kind) and d.rng.random() < 0.5 else bodies,
    "body": lambda d, kind, bodies, made: bodies[-1],
    "point": lambda d, kind, bodies, made: _point(d, kind, bodies),
    "points": lambda d, kind, bodies, made: (
        _centres(d, kind, bodies, made) if kind in GEARED else (_place(d, bodies[0]), _place(d, bodies[1]))
    ),
    "pulleys": lambda d, kind, bodies, made: bodies[:2],
    "radii": lambda d, kind, bodies, made: _radii(d, kind, made),
    "pressure_angle": lambda d, kind, bodies, made: float(d.rng.choice([0.0, 0.35])),
    **{name: lambda d, kind, bodies, made, name=name: made[name] for name in ("internal", "crossed", "form")},
    **{name: lambda d, kind, bodies, made, name=name: made[name] for name in CAM},
    **dict.fromkeys(("teeth", "module", "carrier", "pretension", "through"), lambda d, kind, bodies, made: None),
    "area": lambda d, kind, bodies, made: float(d.rng.uniform(0.5, 1.0)) if kind in FORCES else None,
    "rod_area": lambda d, kind, bodies, made: float(d.rng.uniform(0.0, 0.4)),
    **{name: lambda d, kind, bodies, made: effort(d.rng) for name in ("pressure", "rod_pressure")},
    "free": lambda d, kind, bodies, made: False,  # what an event locks is held by tests/run/test_actions.py
    "radius": lambda d, kind, bodies, made: _radius(d, kind, made),
    "axis": lambda d, kind, bodies, made: _unit(d.rng) if kind in JOINTS else "xy"[d.rng.integers(2)],
    "length": lambda d, kind, bodies, made: _length(d, kind, made),
    "joint": lambda d, kind, bodies, made: None if made.get("bodies") or made.get("body") else _joint(d, bodies),
    "coordinate": lambda d, kind, bodies, made: None if made["joint"] is None else _coordinate(d, made["joint"]),
    "joints": lambda d, kind, bodies, made: _joints(d, bodies),
    "coordinates": lambda d, kind, bodies, made: tuple(_coordinate(d, joint) for joint in made["joints"]),
    **dict.fromkeys(("limits", "friction"), lambda d, kind, bodies, made: None),
    "efficiency": lambda d, kind, bodies, made: 1.0,
    "ratio": lambda d, kind, bodies, made: float(d.rng.choice([-1.0, 1.0]) * d.rng.uniform(0.4, 2.0)),
    "motion": lambda d, kind, bodies, made: motion(d.rng),
    "force": lambda d, kind, bodies, made: (effort(d.rng), effort(d.rng)),
    "frame": lambda d, kind, bodies, made: ("global", "body")[d.rng.integers(2)],
    "torque": lambda d, kind, bodies, made: effort(d.rng),
    "stiffness": lambda d, kind, bodies, made: None if kind in JOINTS else float(d.rng.uniform(1.0, 20.0)),
    "damping": lambda d, kind, bodies, made: 0.0 if kind in JOINTS else float(d.rng.uniform(0.1, 0.5)),
    "ends": lambda d, kind, bodies, made: None if made["axis"] is None else (-100.0, 100.0),  # far away
    "lower": lambda d, kind, bodies, made: 0.0,  # as drawn, so that it may hold
    "upper": lambda d, kind, bodies, made: None,
    "restitution": lambda d, kind, bodies, made: float(d.rng.uniform(0.0, 1.0)),
    "angle": lambda d, kind, bodies, made: 0.0 if _travels(d, made) else float(d.rng.uniform(-1.0, 1.0)),
    **{name: lambda d, kind, bodies, made: effort(d.rng) for name in ("effort", "voltage")},
    "resistance": lambda d, kind, bodies, made: float(d.rng.uniform(0.5, 2.0)),
    "inductance": lambda d, kind, bodies, made: 0.0,
    "rotor": lambda d, kind, bodies, made: 0.0,
    "own": lambda d, kind, bodies, made: (),
    "constant": lambda d, kind, bodies, made: float(d.rng.uniform(0.1, 0.4)),
    "reduction": lambda d, kind, bodies, made: float(d.rng.choice([-1.0, 1.0]) * d.rng.uniform(0.5, 2.0)),
    "function": lambda d, kind, bodies, made: _custom(d, bodies[-1]),
}


def filled(drawing: Drawing, kind: type, bodies: tuple[str, ...], **given: Any) -> dict[str, Any]:
    """Return values for all keys of a kind."""
    keys = [f.name for f in dataclasses.fields(kind)]
    unknown = [name for name in keys if name not in FILL and name not in given]
    if unknown:
        raise LookupError(f"{kind.__name__}: no sample for its keys {unknown}; add them to FILL in strategies.py")
    made: dict[str, Any] = dict(given)
    for name in keys:
        if name not in made:
            made[name] = FILL[name](drawing, kind, bodies, made)
    return made


# -- one kind --------------------------------------------------------------------------------------------------------

PARTNERS = {
    "two bodies": ("b0", "b1"),
    "ground first": (GROUND, "b1"),
    "ground second": ("b1", GROUND),
    "three bodies": ("b0", "b1", "b2"),
    "ground among three": ("b1", GROUND, "b2"),
}


def takes(kind: type, bodies: tuple[str, ...]) -> bool:
    """Return whether a kind can stand between these bodies."""
    names = {f.name for f in dataclasses.fields(kind)}
    form = next((f.metadata["form"] for f in dataclasses.fields(kind) if f.name in ("bodies", "pulleys")), None)
    if form is None:
        # the kind acts on one body, or on the two of a joint
        return len(bodies) == 2 and (bodies[1] != GROUND or ("joint" in names and "body" not in names))
    if kind is joints.Belt and len(bodies) > 2:
        return False
    try:
        form(bodies)
    except ModelError:
        return False
    return True


CASES = [
    (kind, who) for kind in (*JOINTS, *DRIVERS, *FORCES) for who, bodies in PARTNERS.items() if takes(kind, bodies)
]


def case_id(case: Any) -> str:
    return f"{case[0].__name__}, {case[1]}" if isinstance(case, tuple) else str(case)


def sample(kind: type, rng: Rng, who: str = "two bodies", **given: Any) -> Mechanism:
    """Return a random mechanism with one part "it" of a kind: b0 hangs on a pin, b1 and b2 hang on nothing else.

    What holds for a while only does hold.
    """
    drawing = Drawing(rng)
    for near in ((0.3, 0.1), (0.9, -0.2), (0.5, 0.8))[: 3 if "three" in who else 2]:
        drawing.body(near)
    drawing.add(joints.Revolute, (GROUND, "b0"), name="pin")
    drawing.add(kind, PARTNERS[who], name="it", **given)
    mechanism = drawing.mechanism()
    return mechanism.in_mode([(name, side.name) for name, side in mechanism.switching])


# -- whole mechanisms ------------------------------------------------------------------------------------------------

TREE_KINDS = tuple(kind for kind in JOINTS if kind.tree is not None)


def _initial(mechanism: Mechanism, rng: Rng) -> Mechanism:
    """Return the mechanism with speeds of some bodies, as many as the joints and drivers leave free."""
    system = absolute_system(mechanism)
    rows = weights(system)[:, None] * system.rows_q(0.0, system.drawing)
    _, s, vt = np.linalg.svd(rows) if len(rows) else (None, np.zeros(0), np.eye(system.n_q))
    free = vt[int(np.sum(s > 1e-8 * max(s[0], 1.0))) if len(s) else 0 :].T
    turns = system.omega_q(system.drawing) @ free
    chosen: list[int] = []
    for b in rng.permutation(len(turns))[:2]:
        least = np.linalg.svd(turns[[*chosen, b]], compute_uv=False)
        if len(least) == len(chosen) + 1 and least[-1] > 0.2:
            chosen.append(int(b))
    names = list(mechanism.bodies)
    omega = {names[b]: float(rng.uniform(-RATE, RATE)) for b in chosen}
    return mechanism.replaced(initial=Initial(omega=omega))


def drawn(
    rng: Rng,
    tree: list[tuple[int, type | None]],
    loops: list[type],
    acting: list[type],
    driven: list[type],
    twice: bool = False,
    gravity: bool = True,
    moving: bool = True,
) -> Mechanism:
    """Return a random mechanism.

    tree: (parent, kind) per body, parent counts from the ground as 0, kind None leaves the body loose; loops: joints
    between random pairs; twice: one joint stands there twice, so that it is redundant in every pose.
    """
    d = Drawing(rng, GRAVITY if gravity else (0.0, 0.0))
    d.whole = True
    for parent, kind in tree:
        above = GROUND if parent == 0 else f"b{parent - 1}"
        near = d.middle[above] if above != GROUND else np.zeros(2)
        name = d.body(near + 0.7 * np.array(_unit(rng)))
        if kind is not None:
            pins = [j for j in d.parts["joints"].values() if above in j.bodies and above != GROUND and kind is type(j)]
            if kind is joints.Revolute and pins and rng.random() < 0.3:
                _joined(d, pins[0], name)
            else:
                d.add(kind, (above, name) if rng.random() < 0.7 else (name, above))
    names = [GROUND, *d.on]
    for kind in loops:
        first, second = (names[k] for k in rng.permutation(len(names))[:2])
        d.add(kind, (first, second))
    if twice and d.parts["joints"]:
        copied = d.parts["joints"][list(d.parts["joints"])[rng.integers(len(d.parts["joints"]))]]
        d.parts["joints"]["again"] = copied
    for kind in acting:
        first, second = (names[k] for k in rng.permutation(len(names))[:2])
        d.add(kind, (first, second) if second != GROUND else (second, first))
    free = d.mechanism()
    kept = free
    for kind in driven:
        first, second = (names[k] for k in rng.permutation(len(names))[:2])
        kept = _driven(d, kept, kind, (first, second) if second != GROUND else (second, first))
    return _initial(kept, rng) if moving else kept


def _joined(d: Drawing, pin: joints.JointSpec, name: str) -> None:
    """Join one more body to a pin."""
    key = next(k for k, j in d.parts["joints"].items() if j is pin)
    if isinstance(pin.point, str):
        d.on[name].append(pin.point)
    d.parts["joints"][key] = dataclasses.replace(pin, bodies=(*pin.bodies, name))


def _driven(d: Drawing, mechanism: Mechanism, kind: type, bodies: tuple[str, ...]) -> Mechanism:
    """Return the mechanism with a driver, if the joints and drivers leave it free, else as it is."""
    made: dict[str, Any] = {}
    if kind is drivers.Coordinate:
        free = [(name, of.name) for name, j in mechanism.joints.items() for of in j.freedoms]
        if not free:
            return mechanism
        made["joint"], made["coordinate"] = free[d.rng.integers(len(free))]
        if any(driver.joint == made["joint"] for driver in mechanism.drivers.values()):
            return mechanism
    elif kind is drivers.Distance:
        made["points"] = tuple(d.place(b) for b in bodies)
    elif kind is drivers.Position:
        listed = [(p, b) for b, body in mechanism.bodies.items() for p in body.points]
        made["point"], made["body"] = listed[d.rng.integers(len(listed))]
    new = mechanism.replaced(drivers={f"d{len(mechanism.drivers)}": kind(**filled(d, kind, bodies, **made))})
    system = absolute_system(new)
    rows = weights(system)[:, None] * system.rows_q(0.0, system.drawing)
    undriven = rows[: len(rows) - 1]
    left = (
        np.linalg.svd(undriven)[2][np.linalg.matrix_rank(undriven, 1e-8) :] if len(undriven) else np.eye(len(rows[0]))
    )
    return new if np.linalg.norm(left @ rows[-1]) > 0.3 else mechanism


def random_mechanism(rng: Rng, most: int = 6, redundant: bool = True, driven: bool = True) -> Mechanism:
    """Return a random mechanism of 1 to `most` bodies."""
    n = int(rng.integers(1, most + 1))
    kinds: list[type | None] = [joints.Revolute, joints.Revolute, joints.Revolute, *TREE_KINDS, None]
    tree = [(int(rng.integers(0, i + 1)), kinds[rng.integers(len(kinds))]) for i in range(n)]
    count = sum(3 if kind is None else kind.dof for _, kind in tree)
    loops: list[type] = []
    for _ in range(int(rng.integers(0, 3))):
        kind = LOOPS[rng.integers(len(LOOPS))]
        if count - TAKEN.get(kind, 3 - kind.dof) >= 1:
            loops.append(kind)
            count -= TAKEN.get(kind, 3 - kind.dof)
    acting = [FORCES[rng.integers(len(FORCES) - 1)] for _ in range(int(rng.integers(0, 4)))]
    motors = [DRIVERS[rng.integers(len(DRIVERS))]] if driven and rng.random() < 0.3 else []
    twice = redundant and rng.random() < 0.1
    return drawn(rng, tree, loops, acting, motors, twice, bool(rng.random() < 0.8), bool(rng.random() < 0.8))


@st.composite
def mechanisms(draw: Any, most: int = 6) -> Mechanism:
    """Random mechanisms; the structure shrinks, the numbers come from a seed."""
    n = draw(st.integers(1, most))
    pin_or_any = st.one_of(st.just(joints.Revolute), st.sampled_from(TREE_KINDS), st.none())
    tree = [(draw(st.integers(0, i)), draw(pin_or_any)) for i in range(n)]
    loops = draw(st.lists(st.sampled_from(LOOPS), max_size=3))
    acting = draw(st.lists(st.sampled_from(FORCES), max_size=3))
    motors = draw(st.lists(st.sampled_from(DRIVERS), max_size=2))
    flags = draw(st.tuples(st.booleans(), st.booleans(), st.integers(0, 9)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return drawn(rng, tree, loops, acting, motors, flags[2] == 9, flags[0], flags[1])


# -- the same mechanism, seen otherwise ------------------------------------------------------------------------------


def turned(angle: float, place: Iterable[float]) -> tuple[float, float]:
    """Return a vector turned by an angle."""
    (x, y), c, s = place, math.cos(angle), math.sin(angle)
    return c * x - s * y, s * x + c * y


def _moved_part(spec: Any, angle: float, shift: tuple[float, float]) -> Any:
    def place(p: Iterable[float]) -> tuple[float, float]:
        x, y = turned(angle, p)
        return x + shift[0], y + shift[1]

    changes: dict[str, Any] = {}
    for field in dataclasses.fields(spec):
        value = getattr(spec, field.name)
        if value is None:
            continue
        if field.name in ("axis", "face") and not isinstance(value, str):
            changes[field.name] = turned(angle, value)
        elif field.name == "com":
            changes["com"] = place(value)
        elif field.name in ("point", "pivot") and not isinstance(value, str):
            changes[field.name] = place(value)
        elif field.name in ("points", "curve"):
            changes[field.name] = tuple(p if isinstance(p, str) else place(p) for p in value)
        elif field.name == "force" and angle:
            # only numbers can be turned: a signal stands for its value at t = 0
            changes["force"] = turned(angle, (signals.values(s, 0.0)[0] for s in value))
    return dataclasses.replace(spec, **changes)


def moved(mechanism: Mechanism, angle: float, shift: tuple[float, float]) -> Mechanism:
    """Return the mechanism with its whole drawing turned about the origin, then shifted."""
    points = {p: tuple(np.add(turned(angle, place), shift)) for p, place in mechanism.points.items()}
    sections = {
        section: {name: _moved_part(spec, angle, shift) for name, spec in getattr(mechanism, section).items()}
        for section in ("bodies", "joints", "drivers", "forces")
    }
    velocity = {p: turned(angle, v) for p, v in mechanism.initial.velocity.items()}
    initial = dataclasses.replace(mechanism.initial, velocity=velocity)
    return dataclasses.replace(
        mechanism, points=points, gravity=turned(angle, mechanism.gravity), initial=initial, **sections
    )


def shuffled(mechanism: Mechanism, rng: Rng) -> Mechanism:
    """Return the mechanism with every section in another order."""
    sections = {}
    for section in ("points", "bodies", "joints", "drivers", "forces"):
        items = list(getattr(mechanism, section).items())
        sections[section] = {items[k][0]: items[k][1] for k in rng.permutation(len(items))}
    return dataclasses.replace(mechanism, **sections)
