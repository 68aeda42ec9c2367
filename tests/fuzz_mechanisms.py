"""Random mechanisms of the plane that try the integrators: drawn from a seed, one mechanism for each.

Three ways to draw one:

    linkage     a crank or a slide on the ground, then dyads whose transmission angles go down to 1 degree
    any         a random tree with loops of all kinds of joints (strategies.py)
    redundant   more joints than needed in every pose: joints that stand there twice, parallel cranks, double guides

All get drivers, springs up to 1e9 N/m, loads and couples of all kinds of signals; masses of 1e-4 to 1e4 kg in one of
five, and half of them are written in other units, lengths, masses and times each by factors of 1e-6 to 1e6.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from particlemech import drivers, forces, joints, signals
from particlemech.engine.absolute.equations import system as absolute_system
from particlemech.errors import ModelError
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Body, Initial, Mechanism
from particlemech.run.start import weights

Rng = np.random.Generator
LEAST_ANGLE = 1.0  # degree, of transmission
STIFFEST = 9.0  # power of ten of a stiffness, N/m
UNITS = 6.0  # power of ten of a unit
FASTEST = 4.0  # rad/s, of the initial speeds
LINES = (joints.Prismatic, joints.Slot)
LOOPS = (joints.Revolute, joints.Prismatic, joints.Slot, joints.Weld, joints.Distance)
TABLE = (0.0, 0.3, 0.7, 1.2, 4.0)  # s
BETWEEN = ("linear", "monotone", "smooth")  # how a table of a force runs between its points


def drawn(seed: int) -> Mechanism:
    """Return the mechanism of a seed; its run lasts as long as it may, see `fuzz.py`."""
    rng = np.random.default_rng([13, seed])
    for _ in range(20):
        sketch = Sketch(rng)
        way = rng.random()
        if way < 0.5:
            _linkage(sketch)
        elif way < 0.85:
            _any(sketch)
        else:
            _redundant(sketch)
        _loads(sketch)
        try:
            free = sketch.mechanism(seed)
            found = _moving(_driven(free, rng), rng)
        except ModelError:
            continue  # what cannot be written down is none of the integrator's business
        if rng.random() < 0.5:
            found = scaled(found, *(float(10.0 ** rng.uniform(-UNITS, UNITS)) for _ in range(3)))
        return found
    raise LookupError(f"seed {seed} draws no mechanism")


class Sketch:
    """A mechanism while it is being drawn."""

    def __init__(self, rng: Rng) -> None:
        self.rng = rng
        self.points: dict[str, tuple[float, float]] = {}
        self.on: dict[str, list[str]] = {GROUND: []}
        self.parts: dict[str, dict[str, Any]] = {"joints": {}, "forces": {}}
        self.uneven = rng.random() < 0.2  # masses of very different size

    def body(self) -> str:
        """Add a body and return its name."""
        name = f"b{len(self.on) - 1}"
        self.on[name] = []
        return name

    def point(self, at: Any, *bodies: str) -> str:
        """Add a point to bodies and return its name."""
        name = f"P{len(self.points)}"
        self.points[name] = (float(at[0]), float(at[1]))
        for b in bodies:
            self.on[b].append(name)
        return name

    def add(self, spec: Any, section: str = "joints") -> str:
        """Add a part and return its name."""
        name = f"{section[0].upper()}{len(self.parts[section])}"
        self.parts[section][name] = spec
        return name

    def pin(self, at: Any, *bodies: str) -> str:
        """Add a pin between bodies and return its point."""
        point = self.point(at, *bodies)
        self.add(joints.Revolute(bodies=bodies, point=point))
        return point

    def near(self, body: str) -> np.ndarray:
        """Return a random place near the points of a body."""
        places = [self.points[p] for p in self.on[body]]
        return (np.mean(places, axis=0) if places else np.zeros(2)) + self.rng.uniform(-0.6, 0.6, 2)

    def pair(self) -> tuple[str, str]:
        """Return two bodies, the second never the ground."""
        names = list(self.on)
        first, second = (names[k] for k in self.rng.permutation(len(names))[:2])
        return (first, second) if second != GROUND else (second, first)

    def mechanism(self, seed: int) -> Mechanism:
        """Return what has been drawn."""
        rng, bodies = self.rng, {}
        for name, points in self.on.items():
            if name == GROUND:
                continue
            if not points:
                self.point(self.near(name), name)
            mass = float(10.0 ** rng.uniform(-4.0, 4.0)) if self.uneven else float(rng.uniform(0.3, 3.0))
            places = np.array([self.points[p] for p in points])
            reach = max(float(np.ptp(places, axis=0).max()), 0.2)
            if len(points) == 2 and math.dist(*places) > 0.05 and rng.random() < 0.5:
                bodies[name] = Body(points=points, mass=mass)
                continue
            far = 3.0 if rng.random() < 0.05 else 0.3
            centre = places.mean(axis=0) + far * reach * rng.uniform(-1.0, 1.0, 2)
            inertia = mass * (reach * float(rng.uniform(0.15, 0.5))) ** 2
            bodies[name] = Body(points=points, mass=mass, com=tuple(centre), inertia=inertia)
        g = float(rng.choice([0.0, 9.81, 9.81, 9.81, 300.0]))
        return Mechanism(name=f"fuzz {seed}", gravity=(0.0, -g), points=self.points, bodies=bodies, **self.parts)


# -- structures ------------------------------------------------------------------------------------------------------


def _unit(rng: Rng) -> np.ndarray:
    angle = rng.uniform(0.0, 2.0 * math.pi)
    return np.array([math.cos(angle), math.sin(angle)])


def _transmission(rng: Rng) -> float:
    """Return a transmission angle in rad, small ones as often as large ones."""
    return math.radians(float(10.0 ** rng.uniform(math.log10(LEAST_ANGLE), math.log10(90.0))))


def _linkage(s: Sketch) -> None:
    """Draw one or two bodies on the ground and one to three dyads between what is there."""
    rng = s.rng
    for _ in range(int(rng.integers(1, 3))):
        b = s.body()
        at = rng.uniform(-1.0, 1.0, 2)
        if rng.random() < 0.75:
            s.pin(at, GROUND, b)
        else:
            kind = LINES[int(rng.random() < 0.3)]
            s.add(kind(bodies=(GROUND, b), point=s.point(at, b), axis=tuple(_unit(rng))))
        s.point(at + rng.uniform(0.2, 1.0) * _unit(rng), b)
    for _ in range(int(rng.integers(1, 4))):
        names = list(s.on)
        first, second = (names[k] for k in rng.permutation(len(names))[:2])
        start = s.near(first)
        if rng.random() < 0.7:
            _pinned_dyad(s, first, second, start)
        else:
            _sliding_dyad(s, first, second, start)


def _pinned_dyad(s: Sketch, first: str, second: str, start: np.ndarray) -> None:
    """Draw two rods between two bodies; they meet at the transmission angle, folded or stretched."""
    rng, mu = s.rng, _transmission(s.rng)
    end = s.near(second)
    while math.dist(start, end) < 0.1:
        end = end + rng.uniform(-0.5, 0.5, 2)
    ratio = float(rng.uniform(0.3, 0.75)) ** (1 if rng.random() < 0.5 else -1)
    apex = mu if rng.random() < 0.5 else math.pi - mu
    d = math.dist(start, end)
    r1 = d / math.sqrt(1.0 + ratio**2 - 2.0 * ratio * math.cos(apex))
    along = (r1**2 + d**2 - (ratio * r1) ** 2) / (2.0 * d)
    aside = math.sqrt(max(r1**2 - along**2, 0.0)) * (1 if rng.random() < 0.5 else -1)
    e = (end - start) / d
    middle = start + along * e + aside * np.array([-e[1], e[0]])
    one, other = s.body(), s.body()
    s.pin(start, first, one)
    s.pin(middle, one, other)
    s.pin(end, other, second)


def _sliding_dyad(s: Sketch, first: str, second: str, start: np.ndarray) -> None:
    """Draw a rod and a block that slides on the second body; the rod drives it at the transmission angle."""
    rng, mu = s.rng, _transmission(s.rng)
    rod = s.body()
    e = _unit(rng)
    end = start + rng.uniform(0.3, 1.2) * e
    lean = math.pi / 2.0 - mu if rng.random() < 0.5 else mu - math.pi / 2.0
    c, n = math.cos(lean), math.sin(lean)
    direction = (float(c * e[0] - n * e[1]), float(n * e[0] + c * e[1]))
    s.pin(start, first, rod)
    if rng.random() < 0.5:
        s.add(joints.Slot(bodies=(second, rod), point=s.point(end, rod), axis=direction))
        return
    block = s.body()
    at = s.pin(end, rod, block)
    s.add(joints.Prismatic(bodies=(second, block), point=at, axis=direction))


def _any(s: Sketch, most: int = 5) -> None:
    """Draw a tree of all kinds of joints, and close some loops as long as something can move."""
    rng, count = s.rng, 0
    kinds: list[Any] = [joints.Revolute] * 3 + [joints.Prismatic, joints.Slot, joints.Weld, None]
    for _ in range(int(rng.integers(1, most + 1))):
        names = list(s.on)
        above, b = names[int(rng.integers(len(names)))], s.body()
        s.on[b], kind = [], kinds[int(rng.integers(len(kinds)))]
        at = s.near(above) + 0.4 * _unit(rng)
        s.point(at + 0.5 * rng.uniform(-1.0, 1.0, 2), b)
        pins = [j for j in s.parts["joints"].values() if type(j) is joints.Revolute and above in j.bodies]
        if kind is joints.Revolute and pins and above != GROUND and rng.random() < 0.2:
            key = next(k for k, j in s.parts["joints"].items() if j is pins[0])
            s.on[b].append(pins[0].point)
            s.parts["joints"][key] = dataclasses.replace(pins[0], bodies=(*pins[0].bodies, b))
        elif kind is not None:
            _joint(s, kind, above, b, at)
        count += 3 if kind is None else kind.dof
    for _ in range(int(rng.integers(0, 3))):
        kind = LOOPS[int(rng.integers(len(LOOPS)))]
        if len(s.on) > 2 and count - (3 - kind.dof) >= 1:
            first, second = s.pair()
            _joint(s, kind, first, second, 0.5 * (s.near(first) + s.near(second)))
            count -= 3 - kind.dof


def _joint(s: Sketch, kind: Any, first: str, second: str, at: np.ndarray) -> None:
    """Add a joint of a kind between two bodies."""
    rng = s.rng
    pair = (first, second) if rng.random() < 0.7 else (second, first)
    if kind is joints.Revolute:
        s.pin(at, *pair)
    elif kind is joints.Weld:
        s.add(joints.Weld(bodies=pair))
    elif kind is joints.Distance:
        ends = tuple(s.point(s.near(b), b) for b in pair)
        if math.dist(*(s.points[p] for p in ends)) > 0.05:
            s.add(joints.Distance(bodies=pair, points=ends))
    elif pair[1] == GROUND:
        s.add(
            kind(bodies=(second, first), point=s.point(at, first), axis=tuple(_unit(rng)))
            if first != GROUND
            else kind(bodies=(first, second), point=s.point(at, second), axis=tuple(_unit(rng)))
        )
    else:
        s.add(kind(bodies=pair, point=s.point(at, pair[1]), axis=tuple(_unit(rng))))


def _redundant(s: Sketch) -> None:
    """Draw a mechanism with more joints than it needs, whatever its pose."""
    rng, way = s.rng, s.rng.random()
    if way < 0.4:  # three or four parallel cranks on one coupler
        coupler, crank = s.body(), rng.uniform(0.3, 0.8) * _unit(rng)
        for _ in range(int(rng.integers(3, 5))):
            b, foot = s.body(), rng.uniform(-1.0, 1.0, 2)
            s.pin(foot, GROUND, b)
            s.pin(foot + crank, b, coupler)
    elif way < 0.7:  # a slide with two guides along one line, and a chain on it
        b, at, e = s.body(), rng.uniform(-1.0, 1.0, 2), _unit(rng)
        for k in range(2):
            s.add(joints.Prismatic(bodies=(GROUND, b), point=s.point(at + 0.4 * k * e, b), axis=tuple(e)))
        for _ in range(int(rng.integers(1, 4))):
            above, b = b, s.body()
            s.pin(s.near(above), above, b)
            s.point(s.near(b), b)
    else:
        _any(s, 4)
        if s.parts["joints"]:
            names = list(s.parts["joints"])
            s.add(s.parts["joints"][names[int(rng.integers(len(names)))]])


# -- forces, drivers, speeds -----------------------------------------------------------------------------------------


def _effort(rng: Rng, size: float) -> signals.SignalSpec:
    """Return a force or couple of any kind of signal."""
    a, f = float(size * rng.uniform(-1.0, 1.0)), float(rng.uniform(0.3, 4.0))
    step = signals.Step(time=float(rng.uniform(0.02, 0.5)), before=-a, after=a)
    return (
        signals.Constant(value=a),
        signals.Linear(rate=a * f, offset=0.2 * a),
        signals.Sine(amplitude=a, frequency=f, phase=0.4, offset=0.2 * a),
        signals.Cycloid(start=a, end=-a, duration=float(rng.uniform(0.1, 0.6))),
        step,
        signals.Table(t=TABLE, value=(0.0, a, -a, 0.5 * a, 0.0), interpolation=BETWEEN[int(10.0 * f) % 3]),
        signals.Shaped(signal=step, delays=(0.0, 0.1), shares=(0.5, 0.5)),
    )[int(rng.integers(7))]


def _loads(s: Sketch) -> None:
    """Add up to four forces; what a stiff spring stores at the start is of the order of a joule."""
    rng = s.rng
    for _ in range(int(rng.integers(0, 5))):
        first, second = s.pair()
        kind = rng.random()
        if kind < 0.45:
            _spring(s, first, second)
        elif kind < 0.6:
            k = float(10.0 ** rng.uniform(0.0, 6.0 if rng.random() < 0.3 else 2.0))
            angle = float(rng.uniform(-1.0, 1.0) * math.sqrt(2.0 * 10.0 ** rng.uniform(-2.0, 1.0) / k))
            c = float(rng.uniform(0.0, 0.5) * (math.sqrt(k) if rng.random() < 0.7 else k * 0.1))
            s.add(forces.Torsion(bodies=(first, second), stiffness=k, damping=c, angle=angle), "forces")
        elif kind < 0.8:
            effort = (_effort(rng, 8.0), _effort(rng, 8.0))
            frame = "global" if rng.random() < 0.5 else "body"
            at = tuple(s.near(second))
            s.add(forces.Load(body=second, point=at, force=effort, frame=frame), "forces")
        else:
            s.add(forces.Torque(bodies=(first, second), torque=_effort(rng, 4.0)), "forces")


def _spring(s: Sketch, first: str, second: str) -> None:
    rng = s.rng
    places = [s.near(first), s.near(second)]
    if math.dist(*places) < 0.05:
        return
    k = float(10.0 ** rng.uniform(0.0, STIFFEST if rng.random() < 0.4 else 3.0))
    stretched = float(rng.uniform(-1.0, 1.0) * math.sqrt(2.0 * 10.0 ** rng.uniform(-2.0, 1.0) / k))
    # damping from none to overdamped: a tenth of the stiffness is a time constant of 0.1 s
    c = float(rng.choice([0.0, rng.uniform(0.0, 0.2) * math.sqrt(k), 0.1 * k]))
    length = max(math.dist(*places) + stretched, 0.0)
    at = tuple(tuple(map(float, p)) for p in places)
    s.add(forces.Spring(bodies=(first, second), points=at, stiffness=k, damping=c, length=length), "forces")


def _motion(rng: Rng, size: float) -> signals.SignalSpec:
    a, f = float(size * rng.uniform(-1.0, 1.0)), float(rng.uniform(0.3, 2.0))
    return (
        signals.Sine(amplitude=a, frequency=f),
        signals.Linear(rate=a),
        signals.Cycloid(end=a, duration=float(rng.uniform(0.2, 1.0))),
        signals.Table(t=TABLE, value=(0.0, 0.3 * a, a, 0.5 * a, 0.0), interpolation="smooth"),
    )[int(rng.integers(4))]


def _driven(mechanism: Mechanism, rng: Rng) -> Mechanism:
    """Return the mechanism with up to two drivers; most are free to move at the start, and some are locked at once."""
    for k in range(int(rng.choice([0, 0, 0, 1, 1, 2]))):
        lines = [name for name, joint in mechanism.joints.items() if isinstance(joint, LINES)]
        kind, names = rng.random(), list(mechanism.bodies)
        size = float(rng.choice([0.1, 0.5, 2.5]))
        if kind < 0.2 and lines:
            name = lines[int(rng.integers(len(lines)))]
            spec: Any = drivers.Coordinate(joint=name, motion=_motion(rng, size))
        elif kind < 0.4:
            body = names[int(rng.integers(len(names)))]
            own = mechanism.bodies[body].points
            point, axis = own[int(rng.integers(len(own)))], "xy"[int(rng.integers(2))]
            spec = drivers.Position(point=point, body=body, axis=axis, motion=_motion(rng, size))
        else:
            pair = [GROUND, *names]
            first, second = (pair[j] for j in rng.permutation(len(pair))[:2])
            if second == GROUND:
                first, second = second, first
            spec = drivers.Rotation(bodies=(first, second), motion=_motion(rng, size))
        new = mechanism.replaced(drivers={f"D{k}": spec})
        if _free(new) or rng.random() < 0.05:
            mechanism = new
    return mechanism


def _rows(mechanism: Mechanism) -> np.ndarray:
    """Return the rows of the drawing, as lengths by ways."""
    system = absolute_system(mechanism)
    way = np.tile([1.0, 1.0, 1.0 / system.scale.length], len(mechanism.bodies))
    return np.asarray(weights(system)[:, None] * system.rows_q(0.0, system.drawing) * way)


def _free(mechanism: Mechanism) -> bool:
    """Return whether the other rows leave the last driver free in the pose of the drawing."""
    rows = _rows(mechanism)
    s, vt = np.linalg.svd(rows[:-1])[1:] if len(rows) > 1 else (np.zeros(0), np.eye(rows.shape[1]))
    left = vt[int(np.sum(s > 1e-8 * s.max(initial=1.0))) :]
    return float(np.linalg.norm(left @ rows[-1])) > 1e-2 * float(np.linalg.norm(rows[-1]))


def _moving(mechanism: Mechanism, rng: Rng) -> Mechanism:
    """Return the mechanism with speeds of one or two bodies, as far as joints and drivers leave them free."""
    rows = _rows(mechanism)
    s, vt = np.linalg.svd(rows)[1:] if len(rows) else (np.zeros(0), np.eye(3 * len(mechanism.bodies)))
    free = vt[int(np.sum(s > 1e-8 * s.max(initial=1.0))) :]
    turns = free[:, 2::3].T  # of the bodies, per admissible velocity
    names, omega, chosen = list(mechanism.bodies), {}, []
    for b in rng.permutation(len(names))[: int(rng.integers(0, 3))]:
        least = np.linalg.svd(turns[[*chosen, b]], compute_uv=False) if turns.size else np.zeros(0)
        if len(least) == len(chosen) + 1 and least[-1] > 0.1:
            chosen.append(int(b))
            omega[names[b]] = float(rng.uniform(-FASTEST, FASTEST))
    return mechanism.replaced(initial=Initial(omega=omega))


# -- other units -----------------------------------------------------------------------------------------------------

# dimension of each number of a part: powers of length, mass, time
DIMENSIONS: dict[tuple[type, str], tuple[int, int, int]] = {
    (Body, "mass"): (0, 1, 0),
    (Body, "com"): (1, 0, 0),
    (Body, "inertia"): (2, 1, 0),
    **{(kind, "point"): (1, 0, 0) for kind in (*joints.KINDS, drivers.Position)},
    (joints.Distance, "points"): (1, 0, 0),
    (joints.Distance, "length"): (1, 0, 0),
    (forces.Load, "point"): (1, 0, 0),
    (forces.Load, "force"): (1, 1, -2),
    (forces.Torque, "torque"): (2, 1, -2),
    (forces.Spring, "points"): (1, 0, 0),
    (forces.Spring, "stiffness"): (0, 1, -2),
    (forces.Spring, "damping"): (0, 1, -1),
    (forces.Spring, "length"): (1, 0, 0),
    (forces.Torsion, "stiffness"): (2, 1, -2),
    (forces.Torsion, "damping"): (2, 1, -1),
    (drivers.Coordinate, "motion"): (1, 0, 0),
    (drivers.Position, "motion"): (1, 0, 0),
    (drivers.Rotation, "motion"): (0, 0, 0),
}
VALUES = ("value", "offset", "amplitude", "start", "end", "before", "after")
TIMES = ("duration", "time", "t", "delays")


def _times(value: Any, factor: float) -> Any:
    """Return a number, or numbers in tuples, times a factor; names stay."""
    if isinstance(value, str):  # the name of a point
        return value
    return tuple(_times(v, factor) for v in value) if isinstance(value, tuple) else value * factor


def _signal(spec: signals.SignalSpec, by: float, time: float) -> signals.SignalSpec:
    """Return a signal whose values and times are multiplied."""
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(spec):
        value = getattr(spec, field.name)
        if isinstance(value, signals.SignalSpec):
            changes[field.name] = _signal(value, by, time)
        elif field.name in VALUES:
            changes[field.name] = _times(value, by)
        elif field.name in TIMES:
            changes[field.name] = _times(value, time)
        elif field.name in ("rate", "frequency"):
            changes[field.name] = value * (by if field.name == "rate" else 1.0) / time
    return dataclasses.replace(spec, **changes)


def scaled(mechanism: Mechanism, length: float, mass: float, time: float) -> Mechanism:
    """Return the same mechanism in other units: every length, mass and time multiplied by a factor."""

    def part(spec: Any) -> Any:
        changes: dict[str, Any] = {}
        for field in dataclasses.fields(spec):
            value, dimension = getattr(spec, field.name), DIMENSIONS.get((type(spec), field.name))
            if value is None or dimension is None:
                continue
            factor = length ** dimension[0] * mass ** dimension[1] * time ** dimension[2]
            several = value if isinstance(value, tuple) else (value,)
            if isinstance(several[0], signals.SignalSpec):
                made = tuple(_signal(s, factor, time) for s in several)
                changes[field.name] = made if isinstance(value, tuple) else made[0]
            else:
                changes[field.name] = _times(value, factor)
        return dataclasses.replace(spec, **changes)

    sections = {
        section: {name: part(spec) for name, spec in getattr(mechanism, section).items()}
        for section in ("bodies", "joints", "drivers", "forces")
    }
    speeds = Initial(
        omega={b: w / time for b, w in mechanism.initial.omega.items()},
        velocity={p: _times(v, length / time) for p, v in mechanism.initial.velocity.items()},
    )
    return dataclasses.replace(
        mechanism,
        points={p: _times(at, length) for p, at in mechanism.points.items()},
        gravity=_times(mechanism.gravity, length / time**2),
        initial=speeds,
        run=dataclasses.replace(mechanism.run, duration=mechanism.run.duration * time),
        **sections,
    )
