"""The bodies of a mechanism as one chain: the motions of its joints from the ground outward, and axes for its links.

A joint is one link per motion that it leaves, those between without mass. Axes of links, [G88] Table 3.1-1: z_i along
the motion that carries link i, x_i across that and the next one,

    x_i = z_i x z_{i+1},    alpha_i = angle from z_i to z_{i+1} about x_i,    theta_{i+1} that from x_i to x_{i+1}   (1)

about z_{i+1}. Where both are parallel, x_i stays as near to x_{i-1} as it can. The origin of a link is the first point
of a body that bends, the second point of one that bends and carries it, else the point of its joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from particlemech.engine.system import Array
from particlemech.errors import ModelError, part
from particlemech.model.description import GROUND
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
FLOATING = 6  # freedoms of a free joint
POSSIBLE = ("revolute", "prismatic", "cylindrical", "universal", "weld")


def serial(m: Mechanism) -> tuple[Branch, ...]:
    """Return the joints of a chain from the ground outward, or say why a mechanism is none."""
    for name in m.drivers:
        if name not in m.driven.values():
            raise ModelError(f'driver "{name}": {BUILT}, whose drivers prescribe coordinates of joints; drive a joint')
    if m.impulses:
        name = next(iter(m.impulses))
        raise ModelError(f'impulse "{name}": {BUILT}, which knows no impulses; give a short load, or start with speeds')
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


# -- motions and axes ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Step:
    """One motion of a joint, and the link that it carries."""

    branch: Branch
    stage: Stage
    z: Array  # (3,) its axis in the drawing
    origin: Array  # (3,) of the link, in the drawing
    last: bool  # the link is the body, otherwise it is between two motions of the joint


def motions(m: Mechanism, base: Branch | None, carried: Sequence[Branch]) -> list[Step]:
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


def link_axes(zs: Sequence[Array]) -> list[Array]:
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


def link_angles(B: Array, after: Array) -> tuple[float, float]:
    """Return alpha of a link with axes B and theta of the next with axes `after`: (1)."""
    x, z, along, up = B[:, 0], B[:, 2], after[:, 0], after[:, 2]
    alpha = float(np.arctan2(x @ np.cross(z, up), z @ up))
    theta = float(np.arctan2(along @ np.cross(up, x), along @ x))
    return alpha, theta
