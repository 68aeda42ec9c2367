"""From a URDF robot to the drawing of a tree: all coordinates zero, all directions and tensors in global axes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from particlemech.errors import ModelError, part, suggestion
from particlemech.model.description import GROUND, NAME
from particlemech.model.readers.urdf.file import Joint, Robot
from particlemech.model.readers.urdf.mending import Mass, mended, motionless
from particlemech.model.readers.urdf.report import MIMIC, Array, Finding, Frame, Limits
from particlemech.model.space import forces, joints
from particlemech.model.space.forces import ForceSpec
from particlemech.model.space.joints import JointSpec
from particlemech.model.spec import direction3, not_negative, vector3

ROOT = "root"  # the joint of the first link
LISTED = 12  # links in a message


class Step(NamedTuple):
    """One of the joints by which a tree does what a joint of the file does."""

    kind: str
    along: int | None = None  # column of `_triad` that is its direction; None: it needs none
    suffix: str = ""  # of its name


STEPS: Mapping[str, tuple[Step, ...]] = {
    "revolute": (Step("revolute", 2),),
    "continuous": (Step("revolute", 2),),
    "prismatic": (Step("prismatic", 2),),
    "fixed": (Step("weld"),),
    "floating": (Step("free"),),
    "planar": (Step("prismatic", 0, "_x"), Step("prismatic", 1, "_y"), Step("revolute", 2, "_turn")),
}


class Origin(NamedTuple):
    """What a joint of the tree comes from."""

    joint: str  # of the file
    parent: str  # "the ground", or the link in words
    child: str  # link


class Drawing:
    """The parts of a tree."""

    def __init__(self, robot: Robot, floating_base: bool) -> None:
        self.robot = robot
        self.joints: dict[str, JointSpec] = {}
        self.forces: dict[str, ForceSpec] = {}
        self.frames: dict[str, Frame] = {}  # of the links, by body
        self.findings = list(robot.findings)
        self.renamed: dict[str, str] = {}
        self.notes: list[str] = []
        self.changed: list[str] = []
        self.limits: dict[str, Limits] = {}  # by joint
        self._masses: dict[str, Mass] = {}  # by body
        self._origin_of: dict[str, Origin] = {}  # by joint
        root, order = _outward(robot)
        # links choose their names first, then joints, and parts that the file does not have take what is left
        self._taken = {GROUND}
        self._body_of = self._named(robot.links, "link")
        self._joint_of = self._named(robot.joints, "joint")
        self._root(root, floating_base)
        for name in order:
            with part(f'joint "{name}"'):
                self._hang(name, robot.joints[name])
        self._hold_still()
        self.bodies, mended_inertias = mended(self._masses, self.joints, {b: n for n, b in self._body_of.items()})
        self.changed += mended_inertias
        self._find_massless()
        for name in order:
            with part(f'joint "{name}"'):
                self._couple(name, robot.joints[name])

    # -- names -----------------------------------------------------------------------------------------------------

    def _named(self, names: Iterable[str], word: str) -> dict[str, str]:
        """Return the names that the tree uses for links or joints, and note where they are others."""
        clean = {name: "".join(c if NAME(c) and c.isprintable() else "_" for c in name).strip() for name in names}
        found: dict[str, str] = {}
        for name in sorted(clean, key=lambda n: clean[n] != n):  # a name that can stay goes before one that cannot
            found[name] = self._unique(clean[name] or word, word)
            if found[name] != name:
                self.renamed[f'{word} "{name}"'] = found[name]
        return found

    def _unique(self, name: str, word: str) -> str:
        """Return a name that is not taken, and take it."""
        others = (f"{name}_{word}_{k}" for k in itertools.count(2))
        new = next(n for n in itertools.chain((name, f"{name}_{word}"), others) if n not in self._taken)
        self._taken.add(new)
        return new

    # -- parts -----------------------------------------------------------------------------------------------------

    def _root(self, link: str, floats: bool) -> None:
        self._body(link, Frame(np.eye(3), np.zeros(3)))
        body, name = self._body_of[link], self._unique(ROOT, "joint")
        self.joints[name] = _joint(Step("free") if floats else Step("weld"), (GROUND, body), np.zeros(3))
        self._origin_of[name] = Origin(name, "the ground", link)
        self.notes.append(f'body "{body}" {"floats" if floats else "is fixed to the ground"} by joint "{name}"')

    def _body(self, name: str, frame: Frame) -> None:
        """Draw a link whose frame is known."""
        link = self.robot.links[name]
        inertial = frame.of(link.inertial)
        tensor = inertial.rotation @ link.inertia @ inertial.rotation.T
        with part(f'link "{name}": key "mass"'):
            self._masses[self._body_of[name]] = Mass(not_negative(link.mass), inertial.place, tensor)
        self.frames[self._body_of[name]] = frame

    def _hang(self, name: str, joint: Joint) -> None:
        """Draw a joint of the file and the link that it carries."""
        if joint.type not in STEPS:
            raise ModelError(f'type "{joint.type}" unknown{suggestion(joint.type, STEPS)}')
        steps, own, parent = STEPS[joint.type], self._joint_of[name], self._body_of[joint.parent]
        frame = self.frames[parent].of(joint.origin)
        directions = None if steps[-1].along is None else frame.rotation @ _triad(joint)
        self._body(joint.child, frame)
        made: list[str] = []
        for step in steps:
            made.append(self._unique(own + step.suffix, "joint") if step.suffix else own)
            if step is steps[-1]:
                body = self._body_of[joint.child]
            else:
                body = self._unique(f"{made[-1]}_frame", "link")
                self._masses[body] = Mass(0.0, frame.place, np.zeros((3, 3)))
            along = None if directions is None or step.along is None else directions[:, step.along]
            # of several coordinates the format does not say which it limits
            bounds = joint.limits.bounds if joint.limits is not None and len(steps) == 1 and along is not None else None
            self.joints[made[-1]] = _joint(step, (parent, body), frame.place, along, bounds)
            self._origin_of[made[-1]] = Origin(name, f'link "{joint.parent}"', joint.child)
            if joint.limits is not None and len(steps) == 1:
                self.limits[own] = joint.limits
            parent = body
        if len(steps) > 1:
            named = ", ".join(f'"{j}"' for j in made)
            self.notes.append(f'joint "{name}" is {joint.type}: here joints {named}, one after the other')
        if joint.damping != 0.0:
            self._dampen(name, joint, steps)

    def _dampen(self, name: str, joint: Joint, steps: tuple[Step, ...]) -> None:
        if len(steps) > 1 or steps[0].along is None:  # the format does not say which coordinates it means
            self.findings.append(Finding("damping", f'joint "{name}"', f"{joint.damping:g}, {joint.type}"))
            return
        spring: Any = forces.NAMES["torsion"]
        self.forces[f"{self._joint_of[name]}_damping"] = spring(joint=self._joint_of[name], damping=joint.damping)

    def _couple(self, name: str, joint: Joint) -> None:
        """Let a joint follow the one that it mimics."""
        lead = joint.mimics
        if lead is None:
            return
        own, other = self._joint_of[name], self._joint_of.get(lead.joint)
        able = other is not None and all(self.joints[j].dof == 1 for j in (own, other))  # files name joints they lack
        if lead.offset != 0.0 or lead.multiplier == 0.0 or not able:
            says = f'joint="{lead.joint}" multiplier="{lead.multiplier:g}" offset="{lead.offset:g}"'
            self.findings.append(Finding(MIMIC, f'joint "{name}"', says))
            return
        coupling: Any = joints.NAMES["coupling"]
        self.joints[self._unique(f"{own}_mimic", "joint")] = coupling(joints=(other, own), ratio=lead.multiplier)

    def _hold_still(self) -> None:
        """Weld the joints whose motion nothing determines, at zero, and tell it once for each joint of the file."""
        still = motionless(self._masses, self.joints)
        for name in still:
            joint: Any = self.joints[name]
            self.joints[name] = _joint(Step("weld"), joint.bodies, np.array(joint.point))
            self.forces.pop(f"{name}_damping", None)
        for origin in dict.fromkeys(self._origin_of[name] for name in still):
            self.changed.append(
                f'joint "{origin.joint}": nothing beyond it resists its motion, so it is welded at zero and link '
                f'"{origin.child}" is fixed to {origin.parent}; give "{origin.child}" an <inertial> to let it move'
            )

    def _find_massless(self) -> None:
        """Note the joints that let a link float which, with all that is welded on, has no mass."""
        rigid = {name: body.mass or 0.0 for name, body in self.bodies.items()}
        for joint in reversed(self.joints.values()):  # children stand behind their parents
            if joint.first != GROUND and not joint.dof:
                rigid[joint.first] += rigid[joint.second]
        for name, joint in self.joints.items():
            if joint.dof == 6 and rigid[joint.second] == 0.0:
                self.findings.append(Finding("motion without mass", f'joint "{name}"', f'on body "{joint.second}"'))


def _joint(
    step: Step,
    bodies: tuple[str, ...],
    place: Array,
    along: Array | None = None,
    bounds: tuple[float, float] | None = None,
) -> JointSpec:
    """Return a joint of a kind."""
    kind: Any = joints.NAMES[step.kind]
    keys: dict[str, Any] = {} if along is None else {"axis": vector3(along)}
    if bounds is not None:
        keys["limits"] = bounds
    made: JointSpec = kind(bodies=bodies, point=vector3(place), **keys)
    return made


def _triad(joint: Joint) -> Array:
    """Return, in the columns, two directions across the axis of a joint and the axis, (3, 3), in the child's frame.

    The first is as near as can be to the frame's axis that lies most across, so an axis along z gives x, y, z.
    """
    with part("<axis> xyz"):
        axis = np.array(direction3(joint.axis))
    axis /= np.max(np.abs(axis))  # first, so that no square overflows or vanishes
    axis /= np.linalg.norm(axis)
    first = np.eye(3)[np.argmin(np.abs(axis))]
    first -= (first @ axis) * axis
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(axis, first), axis])


def _outward(robot: Robot) -> tuple[str, list[str]]:
    """Return the link that all others hang on, and the joints, each behind those that lead to it."""
    if not robot.links:
        raise ModelError('the robot has no link; add <link name="...">')
    leading: dict[str, str] = {}
    hanging: dict[str, list[str]] = {link: [] for link in robot.links}
    for name, joint in robot.joints.items():
        for word, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in robot.links:
                raise ModelError(f'joint "{name}": {word} link "{link}" unknown{suggestion(link, robot.links)}')
        first = leading.setdefault(joint.child, name)
        if first != name:
            raise ModelError(
                f'link "{joint.child}": joints "{first}" and "{name}" both lead to it, and a URDF robot has no loops; '
                "take one of them out"
            )
        hanging[joint.parent].append(name)
    roots = [link for link in robot.links if link not in leading]
    if len(roots) > 1:
        raise ModelError(
            f"links {_listed(roots)} have no parent, but a robot has one root; join the others to it, or take them out"
        )
    order = list(hanging[roots[0]]) if roots else []
    for name in order:  # which grows meanwhile
        order += hanging[robot.joints[name].child]
    reached = set(order)
    lost = [joint.child for name, joint in robot.joints.items() if name not in reached]
    if lost:
        raise ModelError(f"links {_listed(lost)} hang on each other in a circle; let one of them hang on the rest")
    return roots[0], order


def _listed(links: list[str]) -> str:
    return ", ".join(f'"{link}"' for link in links[:LISTED]) + (", ..." if len(links) > LISTED else "")
