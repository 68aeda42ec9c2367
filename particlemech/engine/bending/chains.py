"""Chain: a mechanism in space whose bodies form one chain, some of them bending, as numbers.

A body is one link, or one per sub-link; its numbers are made in axes of the drawing and turned into those of its link.
"""

from __future__ import annotations

from dataclasses import replace

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
from particlemech.engine.bending.serial import BUILT, FLOATING, UP, Step, link_angles, link_axes, motions, serial
from particlemech.engine.system import Array
from particlemech.errors import ModelError, part
from particlemech.model.description import GROUND
from particlemech.model.signals import Constant
from particlemech.model.space.engines import Branch
from particlemech.model.space.mechanism import Mechanism

MOTIONS = {FIXED: "fixed", TRANSLATES: "translates", FLOATS: "free"}  # of the base, in words


def chain(mechanism: Mechanism) -> Chain:
    """Return a mechanism as numbers, or say why it is no chain."""
    order = serial(mechanism)
    floats = bool(order) and mechanism.joints[order[0].joint].dof == FLOATING
    base, carried = (order[0], order[1:]) if floats else (None, order)
    steps = motions(mechanism, base, carried)
    origin = np.array(mechanism.joints[base.joint].place(mechanism)) if base else np.zeros(3)
    axes = link_axes([UP, *(step.z for step in steps)])
    bodies = [step for step in steps if step.last]
    numbers = {b.child: _numbers(mechanism, b.child, s.origin) for b, s in zip(carried, bodies, strict=True)}
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
        springs=tuple(acting.springs),
        customs=tuple(acting.customs),
        points=_points(mechanism, places),
        gravity=np.array(mechanism.gravity),
        fixed=tuple((p, np.array(at)) for p, at in mechanism.points.items() if mechanism.carrier(p) == GROUND),
        speeds=_speeds(mechanism, base),
        places=places,
    )


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
            alpha=link_angles(B, after)[0] if last and after is not None else 0.0,
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
        theta=link_angles(before, B)[1],
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
        alpha=link_angles(B, axes[1])[0] if steps else 0.0,
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
