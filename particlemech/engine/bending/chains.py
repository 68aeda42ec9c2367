"""Chain: a mechanism in space whose bodies form one chain, some of them bending, as numbers.

Bodies follow each other from the ground outward. A joint is one link per motion that it leaves, those between without
mass; a body is one link, or one per sub-link. Axes of links, [G88] Table 3.1-1: z_i along the motion that carries link
i, x_i across that and the next one,

    x_i = z_i x z_{i+1},    alpha_i = angle from z_i to z_{i+1} about x_i,    theta_{i+1} that from x_i to x_{i+1}   (1)

about z_{i+1}. Where both are parallel, x_i stays as near to x_{i-1} as it can. The origin of a link is the first point
of a body that bends, the second point of one that bends and carries it, else the point of its joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from particlemech import rotations
from particlemech.engine.bending import local_inertia, quadrature
from particlemech.engine.bending.acting import Acting, OnJoint
from particlemech.engine.bending.links import (
    DRIVEN,
    FIXED,
    FLOATS,
    FREE,
    LOCKED,
    PRISMATIC,
    REVOLUTE,
    TRANSLATES,
    BaseNumbers,
    Chain,
    JointNumbers,
    LinkNumbers,
    PointNumbers,
    Shapes,
    Speeds,
)
from particlemech.engine.bending.members import member
from particlemech.engine.bending.places import Axes, Places, turned_shapes
from particlemech.engine.system import Array
from particlemech.errors import ModelError, part
from particlemech.model.description import GROUND
from particlemech.model.signals import Constant
from particlemech.model.space.drivers import Coordinate
from particlemech.model.space.engines import Branch, branches
from particlemech.model.space.joints import Stage
from particlemech.model.space.joints.base import on_line
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import kind_name

PARALLEL = 1e-12  # sine of the angle between two axes below which they are parallel
SAME = 1e-9  # of the length of a body: how near its end a joint is
BUILT = "where bodies bend or joints have drives, a mechanism is one chain yet"
UP = np.array([0.0, 0.0, 1.0])
WELDED = Stage(True, (0.0, 0.0, 1.0), "")  # a joint that leaves nothing, as a rotation that is locked
MOTIONS = {FIXED: "fixed", TRANSLATES: "translates", FLOATS: "free"}  # of the base, in words


def chain(mechanism: Mechanism) -> Chain:
    """Return a mechanism as numbers, or say why it is no chain."""
    order = serial(mechanism)
    floats = bool(order) and mechanism.joints[order[0].joint].dof == FLOATING
    base, carried = (order[0], order[1:]) if floats else (None, order)
    steps = _steps(mechanism, base, carried)
    origin = np.array(mechanism.joints[base.joint].place(mechanism)) if base else np.zeros(3)
    axes = _axes([UP, *(step.z for step in steps)])
    numbers = {b.child: _numbers(mechanism, b.child, s.origin) for b, s in zip(carried, _last(steps), strict=True)}
    places = Places(mechanism, base.child if base else GROUND, Axes(origin, axes[0]))
    links: list[LinkNumbers] = []
    joints: list[JointNumbers] = []
    acting = Acting(mechanism, places)
    for i, (step, B) in enumerate(zip(steps, axes[1:], strict=True)):
        parts = numbers[step.branch.child] if step.last else (_frame(),)
        if step.last:
            places.add(step.branch.child, len(links), Axes(step.origin, B))
        joints += [_joint(mechanism, step, B, axes[i]), *(_weld() for _ in parts[1:])]
        after = steps[i + 1].origin - step.origin if i + 1 < len(steps) else None
        links += _turned(parts, B, axes[i + 2] if i + 2 < len(axes) else None, after)
    for name in mechanism.forces:
        with part(f'force "{name}"'):
            acting.add(name)
    return Chain(
        base=_base(mechanism, base, axes, origin, steps),
        links=tuple(links),
        joints=tuple(_acted(joint, acting.on_joint) for joint in joints),
        loads=tuple(acting.loads),
        points=_points(mechanism, places),
        gravity=np.array(mechanism.gravity),
        fixed=tuple((p, np.array(at)) for p, at in mechanism.points.items() if mechanism.carrier(p) == GROUND),
        speeds=_speeds(mechanism, base),
        places=places,
    )


# -- what is a chain -----------------------------------------------------------------------------------------------

FLOATING = 6  # freedoms of a free joint
POSSIBLE = ("revolute", "prismatic", "cylindrical", "universal", "weld")


def serial(m: Mechanism) -> tuple[Branch, ...]:
    """Return the joints of a chain from the ground outward, or say why a mechanism is none."""
    for name, driver in m.drivers.items():
        if not isinstance(driver, Coordinate):
            raise ModelError(f'driver "{name}": {BUILT}, whose drivers prescribe coordinates of joints; drive a joint')
    if m.impulses:
        name = next(iter(m.impulses))
        raise ModelError(f'impulse "{name}": {BUILT}, which knows no impulses; give a short load, or start with speeds')
    if m.run.cut:
        raise ModelError(f'section "run": key "cut": {BUILT}, which has no loop to cut; take it out')
    for name, joint in m.joints.items():
        if joint.stages is None:
            kind = kind_name(type(joint))
            raise ModelError(f'joint "{name}": is a {kind}; {BUILT}, of {", ".join(POSSIBLE)} joints; take it out')
    carried = branches(m)
    for name in m.bodies:
        if name not in carried:
            raise ModelError(f'body "{name}": no joint leads from it to the ground; add one, such as "free"')
    used = {branch.joint for branch in carried.values()}
    for name in m.joints:
        if name not in used:
            raise ModelError(f'joint "{name}": closes a loop; {BUILT}; take it out')
    before: dict[str, str] = {}
    for branch in carried.values():
        other = before.setdefault(branch.parent, branch.child)
        if other != branch.child:
            raise ModelError(
                f'joint "{branch.joint}": branches off "{branch.parent}", which carries "{other}" already; {BUILT}; '
                "make one chain of them, or take one out"
            )
    order: list[Branch] = []
    while len(order) < len(carried):
        order.append(carried[before[order[-1].child if order else GROUND]])
    for k, branch in enumerate(order):
        with part(f'joint "{branch.joint}"'):
            _check_joint(m, branch, first=k == 0)
    return tuple(order)


def _check_joint(m: Mechanism, branch: Branch, first: bool) -> None:
    """Check that a joint is one of a chain."""
    joint, body = m.joints[branch.joint], m.bodies[branch.child]
    if joint.dof == FLOATING:
        if not first:
            raise ModelError(
                f'is a free joint between bodies; {BUILT}, which floats as a whole: its bodies are "ground"'
            )
        if branch.turned:
            raise ModelError(f'leads from "{branch.child}" to the ground; write bodies = ["ground", "{branch.child}"]')
        if body.bends:
            raise ModelError(
                f'lets body "{branch.child}" float, which bends; {BUILT}, which floats by a rigid body: weld one of '
                "mass 0 to it, and let that float"
            )
        return
    if joint.spherical and m.as_quaternion(branch.joint):
        kind = kind_name(type(joint))
        raise ModelError(
            f"is a {kind} integrated as a quaternion; {BUILT}, of {', '.join(POSSIBLE)} joints; give it "
            'coordinates = "angles"'
        )
    drive = getattr(joint, "drive", None)
    if drive is None or drive.stiffness is None or drive.rotor > 0.0:
        return
    if (branch.joint, joint.coordinate_names[0]) not in m.driven:
        raise ModelError(
            f"has a drive of stiffness {drive.stiffness:g} without a rotor and is not driven, so its coordinate moves "
            'no mass before the deflection; give the drive a "rotor", drive the joint, or take "drive" out'
        )


# -- frames --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Step:
    """One motion of a joint, and the link that it carries."""

    branch: Branch
    stage: Stage
    z: Array  # (3,) its axis in the drawing
    origin: Array  # (3,) of the link, in the drawing
    last: bool  # the link is the body, otherwise it is between two motions of the joint


def _steps(m: Mechanism, base: Branch | None, carried: Sequence[Branch]) -> list[Step]:
    """Return the motions of all joints, outward."""
    result: list[Step] = []
    z, parent = UP, base.child if base else GROUND
    for branch in carried:
        with part(f'joint "{branch.joint}"'):
            origin = _origin(m, branch, parent)
        stages = branch.stages or (WELDED,)
        for k, stage in enumerate(stages):
            z = np.array(stage.axis) if stage.name else z
            result.append(Step(branch, stage, z, origin, k + 1 == len(stages)))
        parent = branch.child
    return result


def _last(steps: list[Step]) -> list[Step]:
    return [step for step in steps if step.last]


def _origin(m: Mechanism, branch: Branch, parent: str) -> Array:
    """Return the origin of the body that a joint carries, in the drawing."""
    joint = m.joints[branch.joint]
    ends = []
    if m.bodies[branch.child].bends:
        ends.append((branch.child, "first", m.line(branch.child)[0]))
    if parent != GROUND and m.bodies[parent].bends:
        ends.append((parent, "second", m.line(parent)[1]))
    if not ends:
        return np.array(joint.place(m))
    place = joint.place(m)
    for body, word, end in ends:
        size = SAME * float(np.linalg.norm(np.subtract(*m.line(body))))
        off = any(stage.turn and not _meets(end, place, stage, size) for stage in branch.stages)
        if off or np.linalg.norm(np.subtract(end, ends[0][2])) > size:
            point = m.bodies[body].points[0 if word == "first" else 1]
            does = "is carried" if word == "first" else "carries the next"
            raise ModelError(
                f'is at {[round(c, 9) for c in place]}, but body "{body}" bends and {does} at its {word} point, '
                f'"{point}" at {[round(c, 9) for c in end]}; put the joint there, or weld a rigid body between'
            )
    return np.array(ends[0][2])


def _meets(end: Sequence[float], place: Sequence[float], stage: Stage, size: float) -> bool:
    """Return whether a place is on the axis of a rotation through another."""
    near = float(np.linalg.norm(np.subtract(end, place))) <= size
    return near or on_line(tuple(end), tuple(place), stage.axis)  # type: ignore[arg-type]


def _axes(zs: Sequence[Array]) -> list[Array]:
    """Return the axes of all links in the drawing, (3, 3) each, in the columns: (1)."""
    result = []
    before = np.array([1.0, 0.0, 0.0])
    for i, z in enumerate(zs):
        x = np.cross(z, zs[i + 1]) if i + 1 < len(zs) else np.zeros(3)
        if np.linalg.norm(x) <= PARALLEL:
            x = before - z * (before @ z)
            if np.linalg.norm(x) < 0.1:  # the axis itself was x: another one across it
                other = np.eye(3)[int(np.argmin(np.abs(z)))]
                x = other - z * (other @ z)
        x = x / np.linalg.norm(x)
        x = x - z * (x @ z)
        x = x / np.linalg.norm(x)
        result.append(np.column_stack([x, np.cross(z, x), z]))
        before = x
    return result


def _angles(B: Array, after: Array) -> tuple[float, float]:
    """Return alpha of a link with axes B and theta of the next with axes `after`: (1)."""
    x, z, along, up = B[:, 0], B[:, 2], after[:, 0], after[:, 2]
    alpha = float(np.arctan2(x @ np.cross(z, up), z @ up))
    theta = float(np.arctan2(along @ np.cross(up, x), along @ x))
    return alpha, theta


# -- numbers -------------------------------------------------------------------------------------------------------


def _numbers(m: Mechanism, body: str, origin: Array) -> tuple[LinkNumbers, ...]:
    """Return the links of a body in axes of the drawing, from its origin, with their start."""
    if not m.bodies[body].bends:
        mass, com = m.mass(body), np.array(m.centre(body)) - origin
        inertia = quadrature.about_origin(mass, com, quadrature.tensor(m.inertia(body)))
        return (replace(_frame(), name=body, mass=mass, moment=mass * com, inertia=inertia),)
    consistent = m.bending.geometry == "consistent"
    with part(f'body "{body}"'):
        of = member(m, body)
        if of.body.sublinks > 1 and not consistent:
            raise ModelError(
                'key "sublinks": with geometry = "report" in [bending] bending does not turn what comes next, so '
                'sub-links would shear off; set geometry = "consistent"'
            )
        made = quadrature.numbers(body, of, consistent, m.bending.stiffening)
        for one in made:
            local_inertia.check(of, one)
    every = (0.0,) * (made[0].m * len(made))
    q = np.array(m.initial.modes.get(body, every)).reshape(len(made), -1)
    q_dot = np.array(m.initial.mode_rates.get(body, every)).reshape(len(made), -1)
    return tuple(replace(one, q=q[k], q_dot=q_dot[k]) for k, one in enumerate(made))


def _frame() -> LinkNumbers:
    """Return a rigid link without mass and length."""
    none = Shapes(np.zeros((0, 3)), np.zeros((0, 3, 0)), np.zeros((0, 3, 0)), np.zeros((0, 0, 0)))
    zero, nothing = np.zeros(3), np.zeros((0, 0))
    return LinkNumbers(
        name="",
        part=0,
        names=(),
        axes=np.eye(3),
        end=zero,
        alpha=0.0,
        along=zero,
        mass=0.0,
        moment=zero,
        inertia=np.zeros((3, 3)),
        stations=none,
        station_mass=np.zeros(0),
        station_inertia=np.zeros((0, 3, 3)),
        end_delta=np.zeros((3, 0)),
        end_psi=np.zeros((3, 0)),
        end_short=nothing,
        K=nothing,
        C=nothing,
        q=np.zeros(0),
        q_dot=np.zeros(0),
    )


def _turned(parts: tuple[LinkNumbers, ...], B: Array, after: Array | None, end: Array | None) -> list[LinkNumbers]:
    """Return the links of a body in link axes B; `after` are the axes of the next, `end` leads to it in the drawing."""
    result = []
    for k, link in enumerate(parts):
        last = k + 1 == len(parts)
        made = replace(
            link,
            axes=B,
            end=(end if end is not None and not link.m else link.end) @ B,
            alpha=_angles(B, after)[0] if last and after is not None else 0.0,
            along=link.along @ B,
            moment=link.moment @ B,
            inertia=B.T @ link.inertia @ B,
            stations=turned_shapes(link.stations, B),
            station_inertia=np.einsum("ji,sjk,kl->sil", B, link.station_inertia, B),
            end_delta=B.T @ link.end_delta,
            end_psi=B.T @ link.end_psi,
        )
        result.append(made)
    return result


def _weld() -> JointNumbers:
    """Return a joint that leaves nothing and has no name: between two sub-links."""
    return JointNumbers(
        name="",
        coordinate="",
        does=REVOLUTE,
        state=LOCKED,
        theta=0.0,
        flexible=False,
        stiffness=0.0,
        damping=0.0,
        rotor=0.0,
        spring=0.0,
        pull=0.0,
        stored=0.0,
        damper=0.0,
        position=0.0,
        rate=0.0,
        deflection=0.0,
        deflection_rate=0.0,
        driver="",
        motion=None,
        efforts=(),
        motors=(),
        controllers=(),
        at=np.zeros(3),
        second=True,
        bodies=(),
    )


def _joint(m: Mechanism, step: Step, B: Array, before: Array) -> JointNumbers:
    """Return one motion of a joint, which carries a link with axes B."""
    name, coordinate = step.branch.joint, step.stage.name
    joint = m.joints[name]
    made = replace(
        _weld(),
        name=name,
        coordinate=coordinate,
        does=REVOLUTE if step.stage.turn else PRISMATIC,
        theta=_angles(before, B)[1],
        at=(np.array(joint.place(m)) - step.origin) @ B,
        second=not step.branch.turned,
        bodies=tuple(joint.bodies),
    )
    if not coordinate:
        return made
    driver, drive = m.driven.get((name, coordinate), ""), getattr(joint, "drive", None)
    return replace(
        made,
        state=DRIVEN if driver else FREE,
        flexible=drive is not None and drive.stiffness is not None,
        stiffness=(drive.stiffness or 0.0) if drive else 0.0,
        damping=drive.damping if drive else 0.0,
        rotor=drive.rotor if drive else 0.0,
        position=m.position(name).get(coordinate, 0.0),
        rate=m.rate(name).get(coordinate, 0.0),
        deflection=m.initial.deflection.get(name, 0.0),
        deflection_rate=m.initial.deflection_rate.get(name, 0.0),
        driver=driver,
        motion=m.drivers[driver].motion if driver else None,
    )


def _acted(joint: JointNumbers, on: dict[tuple[str, str], OnJoint]) -> JointNumbers:
    """Return a joint with the forces that act on its coordinate."""
    it = on.get((joint.name, joint.coordinate))
    if it is None:
        return joint
    return replace(
        joint,
        spring=it.spring,
        pull=it.pull,
        stored=it.stored,
        damper=it.damper,
        efforts=tuple(effort for _, effort in it.motors),
        motors=tuple(name for name, _ in it.motors),
        controllers=tuple(it.controllers),
    )


def _base(m: Mechanism, base: Branch | None, axes: list[Array], origin: Array, steps: list[Step]) -> BaseNumbers:
    """Return link 0: the ground, or the body on a free joint."""
    B = axes[0]
    made = BaseNumbers(
        name=GROUND,
        joint="",
        state=FIXED,
        axes=B,
        origin=origin,
        mass=0.0,
        moment=np.zeros(3),
        inertia=np.zeros((3, 3)),
        end=(steps[0].origin - origin) @ B if steps else np.zeros(3),
        alpha=_angles(B, axes[1])[0] if steps else 0.0,
        place=origin,
        turn=B,
        velocity=np.zeros(3),
        omega=np.zeros(3),
        held=(),
    )
    if base is None:
        return made
    body, joint = base.child, base.joint
    names = m.joints[joint].coordinate_names
    said, rate = m.position(joint), m.rate(joint)
    at, speed = (np.array([given.get(name, 0.0) for name in names]) for given in (said, rate))
    mass, com = m.mass(body), np.array(m.centre(body)) - origin
    inertia = quadrature.about_origin(mass, com, quadrature.tensor(m.inertia(body)))
    return replace(
        made,
        name=body,
        joint=joint,
        state=_held(m, joint, names),
        mass=mass,
        moment=mass * com @ B,
        inertia=B.T @ inertia @ B,
        place=origin + at[:3],
        turn=rotations.matrix(at[3:]) @ B,
        velocity=speed[:3],
        omega=speed[3:] @ rotations.axes(at[3:]),
        held=tuple((name, m.driven[joint, name]) for name in names if (joint, name) in m.driven),
    )


def _held(m: Mechanism, joint: str, names: tuple[str, ...]) -> int:
    """Return how a free joint lets the base move: in any way, or without turning, or not at all."""
    driven = {name: m.driven[joint, name] for name in names if (joint, name) in m.driven}
    for name, driver in driven.items():
        if not isinstance(m.drivers[driver].motion, Constant):
            raise ModelError(
                f'driver "{driver}": moves {name} of "{joint}", on which a chain floats; {BUILT}, whose free joint is '
                "held only: give a constant motion, or carry the chain by a prismatic or revolute joint that is driven"
            )
    states: dict[frozenset[str], int] = {
        frozenset(): FLOATS,
        frozenset(names[3:]): TRANSLATES,
        frozenset(names): FIXED,
    }
    state = states.get(frozenset(driven))
    if state is None:
        raise ModelError(
            f'joint "{joint}": {", ".join(driven)} are held; {BUILT}, whose free joint is free, or has all of '
            f"{', '.join(names[3:])} held, or all coordinates"
        )
    return state


def _points(m: Mechanism, places: Places) -> tuple[PointNumbers, ...]:
    """Return the named points of all bodies."""
    result = []
    for name, at in m.points.items():
        body = m.carrier(name)
        if body != GROUND:
            with part(f'point "{name}"'):
                result.append(PointNumbers(name, *places.on(body, at)))
    return tuple(result)


def _speeds(m: Mechanism, base: Branch | None) -> Speeds:
    """Return what is said of the speeds at the start."""
    floating = base.joint if base else ""
    known = tuple((j, c) for j in m.joints if j != floating for c in m.rate(j))
    travels: list[tuple[int, float]] = []
    turns: list[tuple[int, float]] = []
    angles = np.zeros(3)
    if base:
        names = m.joints[floating].coordinate_names
        for name, rate in m.rate(floating).items():
            k = names.index(name)
            (travels if k < 3 else turns).append((k % 3, rate))
        said = m.position(floating)
        angles = np.array([said.get(name, 0.0) for name in names[3:]])
    return Speeds(
        known=known,
        travels=tuple(travels),
        turns=tuple(turns),
        angles=angles,
        omega=tuple((b, np.array(w)) for b, w in m.initial.omega.items()),
        velocity=tuple((p, np.array(v)) for p, v in m.initial.velocity.items() if m.carrier(p) != GROUND),
    )
