"""Mechanisms as a run changes them: what holds now, what events have locked, what they have taken out."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from typing import Any, Self

from particlemech.model import joints
from particlemech.model.actions import LOCK
from particlemech.model.modes import Mode, Slip
from particlemech.model.one_sided import OneSided
from particlemech.model.spec import FrozenMapping

HOLDS = "{} sticks"  # the lock of a joint that sticks, by the joint's name


class Changing:
    """Changed copies of a mechanism that nobody writes; they are not checked again."""

    joints: Any
    forces: Any
    events: Any

    @property
    def switching(self) -> tuple[tuple[str, OneSided], ...]:
        """The sides on which joints hold for a while only, in order."""
        return tuple((name, side) for name, joint in self.joints.items() for side in joint.sides(self))

    @property
    def sticking(self) -> tuple[str, ...]:
        """The joints that stick."""
        return tuple(n for n, joint in self.joints.items() if joint.friction is not None and joint.friction.sticking)

    def in_mode(self, closed: Collection[tuple[str, str]], measured: bool = False) -> Self:
        """Return the same mechanism while some sides, (joint, side), hold, by rows or by the laws of what gives way.

        With `measured` all do by rows, so that these tell the gaps, and friction feels none of them.
        """
        joints, forces = dict(self.joints), dict(self.forces)
        for name, joint in self.joints.items():
            sides = joint.sides(self)
            if not sides:
                continue
            on = [side for side in sides if (name, side.name) in closed]
            joints[name] = copy.copy(joint)
            object.__setattr__(joints[name], "mode", tuple(side.name for side in on if measured or side.law is None))
            if measured:
                object.__setattr__(joints[name], "loads", False)
            for side in on:
                if side.law is not None and not measured:
                    forces[name] = joint.pressed(side.name, self)
        made = copy.copy(self)  # checked already
        object.__setattr__(made, "joints", FrozenMapping(joints))
        object.__setattr__(made, "forces", FrozenMapping(forces))
        return made

    def within(self, mode: Mode) -> Self:
        """Return the same mechanism in a mode."""
        made: Any = self
        for event, t in mode.switched:
            made = self.events[event].done(made, t)
        changed: Self = made.after(mode.held, mode.gone).slipping(mode.slips)
        return changed

    def slipping(self, slips: Mapping[str, Slip]) -> Self:
        """Return the same mechanism while joints that stick hold, by locks of their own, or slip."""
        if not slips:
            return self
        joined = dict(self.joints)
        for name, slip in slips.items():
            joined[name] = copy.copy(self.joints[name])
            friction = copy.copy(self.joints[name].friction)
            object.__setattr__(friction, "sense", slip.sense)
            object.__setattr__(joined[name], "friction", friction)
            if slip.sense == 0.0:
                joined[HOLDS.format(name)] = joints.locked(name, joined[name].rubs(self)[0][0].name, slip.at)
        made = copy.copy(self)
        object.__setattr__(made, "joints", FrozenMapping(joined))
        return made

    def after(self, held: Mapping[str, Mapping[str, float]], gone: Collection[str]) -> Self:
        """Return the same mechanism after events: with locks, event -> coordinate -> value, and joints taken out.

        A lock is there before it holds, so that its effort is a result; so is a joint that starts free.
        """
        joined = {name: joint for name, joint in self.joints.items() if name not in gone}
        locked = {event.joint for name, event in self.events.items() if name in held}
        for name, joint in joined.items():
            if joint.free and name in locked:
                joined[name] = copy.copy(joint)
                object.__setattr__(joined[name], "mode", (LOCK,))
        joined = {name: joint for name, joint in joined.items() if getattr(joint, "joint", None) not in gone}
        for name, event in self.events.items():
            if event.do == LOCK and event.joint not in gone and not self.joints[event.joint or ""].free:
                for of in self.joints[event.joint or ""].coordinate_names:
                    lock = joints.locked(event.joint or "", of, held.get(name, {}).get(of))
                    joined[name if len(self.joints[event.joint or ""].coordinate_names) == 1 else f"{name} {of}"] = lock
        made = copy.copy(self)
        for section in ("drivers", "forces"):
            left = {n: one for n, one in getattr(self, section).items() if getattr(one, "joint", None) not in gone}
            object.__setattr__(made, section, FrozenMapping(left))
        object.__setattr__(made, "joints", FrozenMapping(joined))
        return made
