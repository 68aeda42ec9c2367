"""What faulty robots need before they are trees: inertias that no body has, and joints whose motion nothing resists.

Masses are drawn: centre of mass and tensor in global axes, all coordinates zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from particlemech.errors import ModelError, part
from particlemech.model import inertia as tensors
from particlemech.model.description import GROUND
from particlemech.model.readers.urdf.report import Array, some
from particlemech.model.space.joints import JointSpec, Stage
from particlemech.model.space.parts import Body
from particlemech.model.spec import vector3

# squared radii of gyration, m^2. Of 297 outermost hinges of well-known robots 26 meet 0, others 1.1e-5 or more
NOTHING = 1e-18  # it resists no motion
POINT = 1e-12  # a point mass whose zeros are rounded, such as 4e-18 kg m^2 of 2 kg: not worth a word
FAULTY = "which no body has"


class Mass(NamedTuple):
    """Mass, centre of mass and inertia about it."""

    mass: float  # kg
    com: Array  # (3,) m
    tensor: Array  # (3, 3) kg m^2

    def plus(self, other: Mass) -> Mass:
        """Return both as one rigid body."""
        mass = self.mass + other.mass
        com = (self.mass * self.com + other.mass * other.com) / mass if mass > 0.0 else self.com
        return Mass(mass, com, self.about(com) + other.about(com))

    def about(self, place: Array) -> Array:
        """Return the tensor about another place, (3, 3)."""
        d = self.com - place
        return self.tensor + self.mass * (d @ d * np.eye(3) - np.outer(d, d))

    def emptied(self) -> Mass:
        """Return a mere frame at the same place."""
        return Mass(0.0, self.com, np.zeros((3, 3)))

    @property
    def heavy(self) -> bool:
        """Whether it resists any motion."""
        return bool(self.mass > 0.0 or np.any(self.tensor))

    @property
    def moments(self) -> Array:
        """The principal moments, (3,), smallest first."""
        found: Array = np.linalg.eigvalsh(self.tensor).astype(np.float64)
        return found

    @property
    def negative(self) -> bool:
        """Whether turning it in some direction would have a negative energy."""
        least, _, most = self.moments
        return bool(least < -max(tensors.SLACK * abs(most), NOTHING * self.mass))

    def resists(self, stage: Stage, place: Array) -> bool:
        """Return whether a motion of a joint at a place meets mass or inertia."""
        axis = np.array(stage.axis)
        # a negative moment is a fault to be told, not a motion without inertia
        return bool(abs(axis @ self.about(place) @ axis) > NOTHING * self.mass) if stage.turn else self.mass > 0.0

    def body(self) -> tuple[Body, str]:
        """Return it as a body of a tree, and what of its inertia no body has; empty where all is well."""
        (least, middle, most), axes = np.linalg.eigh(self.tensor)
        # moments that rounding has made negative are 0
        tensor = self.tensor if least >= 0.0 else axes @ np.diag(np.maximum((least, middle, most), 0.0)) @ axes.T
        entries = ((tensor + tensor.T) / 2).tolist()
        try:
            return Body(mass=self.mass, com=vector3(self.com), inertia=entries), ""
        except ModelError:
            made = Body(mass=self.mass, com=vector3(self.com), inertia=entries, inertia_rule="positive")
        if most <= POINT * self.mass:
            return made, ""
        if self.mass > 0.0:
            return made, f"principal moments {least:g}, {middle:g} and {most:g}, one above the sum of the two others"
        return made, f"inertia up to {most:g} kg m^2 without mass"


def motionless(masses: Mapping[str, Mass], joints: Mapping[str, Any]) -> list[str]:
    """Return the joints that nothing outboard resists; children stand behind their parents in `joints`.

    Massless links between heavy ones are none of these: what hangs on them resists.
    """
    rigid = dict(masses)  # with all that is welded on
    carries = dict.fromkeys(masses, False)  # whether anything heavy hangs on joints that move
    found: list[str] = []
    for name, joint in reversed(list(joints.items())):
        own, place = rigid[joint.second], np.array(joint.point)
        resisted = carries[joint.second] or any(own.resists(stage, place) for stage in joint.stages or ())
        if joint.dof and not resisted:
            found.append(name)
        if joint.first == GROUND:
            continue
        if joint.dof and resisted:
            carries[joint.first] = True
        else:
            rigid[joint.first] = rigid[joint.first].plus(own)
            carries[joint.first] |= carries[joint.second]
    return found[::-1]


def mended(
    masses: Mapping[str, Mass], joints: dict[str, JointSpec], links: Mapping[str, str]
) -> tuple[dict[str, Body], list[str]]:
    """Return the bodies of a tree, and in words what had to be done to their inertias; links: names in the file."""
    changed: list[str] = []
    known = _without_negative(dict(masses), joints, links, changed)
    bodies: dict[str, Body] = {}
    for name, mass in known.items():
        with part(f'link "{links.get(name, name)}"'):
            bodies[name], fault = mass.body()
        if fault:
            changed.append(f'link "{links.get(name, name)}": {fault}, {FAULTY}; kept as it stands, correct it there')
    return bodies, changed


def _without_negative(
    masses: dict[str, Mass], joints: dict[str, JointSpec], links: Mapping[str, str], changed: list[str]
) -> dict[str, Mass]:
    """Return masses without negative moments: these go to what carries their link rigidly, which moves all the same."""
    for joint in reversed(joints.values()):
        name, moves = joint.second, joint.dof or joint.first == GROUND
        if not masses[name].negative:
            continue
        least = f'link "{links[name]}": the least principal moment is {masses[name].moments[0]:g} kg m^2, {FAULTY}'
        if not moves:
            masses[joint.first] = masses[joint.first].plus(masses[name])
            masses[name] = masses[name].emptied()
            changed.append(f'{least}; lumped with link "{links[joint.first]}", to which it is welded')
            continue
        welded = [b for b in _welded(name, joints) if masses[b].heavy]
        whole = masses[name]
        for b in welded:
            whole = whole.plus(masses[b])
        if not whole.negative:
            masses |= {b: masses[b].emptied() for b in welded} | {name: whole}
            onto = some(f'link "{links[b]}"' for b in welded)
            changed.append(f"{least}; lumped with {onto}, which is welded to it")
        elif not joint.dof:
            masses[name] = masses[name]._replace(tensor=np.zeros((3, 3)))
            changed.append(f"{least}; taken as 0, for the link is fixed to the ground")
        else:
            raise ModelError(f"{least}, also with all that is welded to it; check signs and products of its <inertia>")
    return masses


def _welded(body: str, joints: dict[str, JointSpec]) -> Iterable[str]:
    """Return all that is fixed to a body and to what is fixed to it, without itself."""
    reached = [body]
    for name in reached:  # which grows meanwhile
        reached += [joint.second for joint in joints.values() if joint.first == name and not joint.dof]
    return reached[1:]
