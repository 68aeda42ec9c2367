"""Mechanisms as a run changes them: what holds now, what events have locked, what they have taken out."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
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
    def taken(self) -> Mapping[str, Any]:
        """The joints that events have taken out, with what acted on them."""
        if self.whole is None:
            return FrozenMapping()
        return FrozenMapping({name: joint for name, joint in self.whole.joints.items() if name not in self.joints})

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

        With `measured` all do by rows, so that these tell the gaps, and no joint rubs: what would load it there is
        none of the motion.
        """
        joints, forces = dict(self.joints), dict(self.forces)
        for name, joint in self.joints.items():
            sides = joint.sides(self)
            if measured and not sides and joint.friction is not None:
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

    @property
    def opened(self) -> Self:
        """The same mechanism while all sides are open and no lock holds."""
        joined = {}
        for name, joint in self.joints.items():
            joined[name] = copy.copy(joint) if joint.mode else joint
            if joint.mode:
                object.__setattr__(joined[name], "mode", ())
        made = copy.copy(self)
        object.__setattr__(made, "joints", FrozenMapping(joined))
        return made

    @property
    def unchanged(self) -> Self:
        """The same mechanism where a run begins: all sides are open, and locks are there, but do not hold yet."""
        made = self.after({}, ()) if self.events else self
        return made.in_mode(()) if self.switching else made

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

    def lock(self, joint: str, coordinate: str, held: Mapping[str, float]) -> Any:
        """Return what holds a coordinate of a joint where an event has locked it, by name; {}: nothing yet."""
        return self.stop.lock(joint, coordinate, held.get(coordinate))

    def after(self, held: Mapping[str, Mapping[str, float]], gone: Collection[str]) -> Self:
        """Return the same mechanism after events: with locks, event -> coordinate -> value, and joints taken out.

        A lock is there before it holds, so that its effort is a result; so is a joint that starts free. Wheels whose
        centre nothing holds any more are in no mesh.
        """
        joined = {name: joint for name, joint in self.joints.items() if not {name, *_on(joint)} & set(gone)}
        if gone:
            bare = copy.copy(self)
            object.__setattr__(bare, "joints", FrozenMapping(joined))
            joined = {name: joint for name, joint in joined.items() if not _lost(joint, self, bare)}
        locked = {event.joint for name, event in self.events.items() if name in held}
        for name, joint in joined.items():
            if joint.free and name in locked:
                joined[name] = copy.copy(joint)
                object.__setattr__(joined[name], "mode", (LOCK,))
        for name, event in self.events.items():
            if event.do == LOCK and event.joint not in gone and not self.joints[event.joint or ""].free:
                names = self.joints[event.joint or ""].coordinate_names
                for of in names:
                    lock = self.lock(event.joint or "", of, held.get(name, {}))
                    joined[name if len(names) == 1 else f"{name} {of}"] = lock
        made = copy.copy(self)
        for known in [name for name in made.__dict__ if isinstance(getattr(type(self), name, None), cached_property)]:
            del made.__dict__[known]  # which may be said of joints that are not there any more
        for section in ("drivers", "forces"):
            left = {n: one for n, one in getattr(self, section).items() if getattr(one, "joint", None) not in gone}
            object.__setattr__(made, section, FrozenMapping(left))
        object.__setattr__(made, "joints", FrozenMapping(joined))
        if gone:  # states go on from one to the other, which have one origin and one size
            object.__setattr__(made, "whole", self.whole or self)
        return made


def _on(joint: Any) -> tuple[str | None, ...]:
    """Return the other joints whose coordinates a joint holds or ties together."""
    return getattr(joint, "joints", None) or (getattr(joint, "joint", None),)


def _lost(joint: Any, before: Any, after: Any) -> bool:
    """Return whether something holds a place that a joint cannot do without in one mechanism, nothing in the other."""
    pairs = zip(joint.holders(before), joint.holders(after), strict=True)
    return any(one is not None and other is None for one, other in pairs)


def _resting(joint: Any, sense: float = 0.0) -> Any:
    """Return the same joint whose friction has the sense of its slip, or rests."""
    made, friction = copy.copy(joint), copy.copy(joint.friction)
    if "friction" not in vars(made):  # it is what an efficiency says, which loses nothing at rest
        object.__setattr__(made, "efficiency", 1.0)
        return made
    object.__setattr__(friction, "sense", sense)
    object.__setattr__(made, "friction", friction)
    return made
