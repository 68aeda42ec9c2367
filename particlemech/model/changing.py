"""Mechanisms as a run changes them: what holds now, what events have locked, what they have taken out."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Self

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
    gravity: Any
    stop: ClassVar[Any]  # the kind of joint that holds a coordinate
    whole: ClassVar[Any] = None  # of one that has lost joints: the mechanism with them, whose centroid is its origin

    @property
    def solid(self) -> bool:
        """Whether it is one in space."""
        return len(self.gravity) == 3

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

        With `measured` all do by rows, so that these tell the gaps, and friction feels none of them; where joints
        stick, none rubs.
        """
        joints, forces = dict(self.joints), dict(self.forces)
        for name, joint in self.joints.items():
            sides = joint.sides(self)
            if measured and self.sticking and not sides and joint.friction is not None:
                joints[name] = _resting(joint)
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
        """Return the same mechanism in a mode, whose signals count from the last that was switched."""
        return self.followed(mode.switched).after(mode.held, mode.gone).slipping(mode.slips)

    def followed(self, switched: Sequence[tuple[str, float]], whole: bool = False) -> Self:
        """Return the same mechanism after events have switched signals; `whole`: with what these were before."""
        made: Any = self
        for event, t in switched:
            made = self.events[event].done(made, t, whole)
        changed: Self = made
        return changed

    def slipping(self, slips: Mapping[str, Slip]) -> Self:
        """Return the same mechanism while joints that stick rest, by locks of their own or with others, or slip."""
        if not slips:
            return self
        joined = dict(self.joints)
        for name, slip in slips.items():
            joined[name] = _resting(self.joints[name], slip.sense)
            if slip.at is not None:
                joined[HOLDS.format(name)] = self.stop.lock(name, joined[name].slides(self), slip.at)
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
                    lock = self.stop.lock(event.joint or "", of, held.get(name, {}).get(of))
                    joined[name if len(self.joints[event.joint or ""].coordinate_names) == 1 else f"{name} {of}"] = lock
        made = copy.copy(self)
        for section in ("drivers", "forces"):
            left = {n: one for n, one in getattr(self, section).items() if getattr(one, "joint", None) not in gone}
            object.__setattr__(made, section, FrozenMapping(left))
        object.__setattr__(made, "joints", FrozenMapping(joined))
        if gone:  # states go on from one to the other, which have one origin and one size
            object.__setattr__(made, "whole", self.whole or self)
        return made


def _resting(joint: Any, sense: float = 0.0) -> Any:
    """Return the same joint whose friction has the sense of its slip, or rests."""
    made, friction = copy.copy(joint), copy.copy(joint.friction)
    if "friction" not in vars(made):  # it is what an efficiency says, which loses nothing at rest
        object.__setattr__(made, "efficiency", 1.0)
        return made
    object.__setattr__(friction, "sense", sense)
    object.__setattr__(made, "friction", friction)
    return made
