"""Mobility: how many freedoms a mechanism has and which joints are redundant, without a run.

One record for all mechanisms; each engine fills it in from its own equations (plane.py, recursive.py, natural.py,
bending.py). What an engine does not have keeps its default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from particlemech.model.actions import DETACH, LOCK


@dataclass(frozen=True, kw_only=True)
class Mobility:
    """What `check` prints; drivers are left out of all counts but `unique`."""

    by_count: int  # freedoms of the bodies minus those that the joints take
    by_rank: int  # velocities that the joints leave in this pose
    drivers: int  # prescribed motions, one freedom each
    redundancy: int = 0  # independent self-stresses in this pose
    redundant: tuple[str, ...] = ()  # joints in their support
    cause: str = "none"  # of the redundancy: "none", "pose", "design" or "cannot tell"
    elsewhere: int | None = None  # redundancy in a second pose, where there is one
    cuts: tuple[str, ...] | None = None  # joints at which loops are cut; None where there can be none
    undetermined: tuple[str, ...] = ()  # reactions that equilibrium leaves open, as column names
    unique: Mapping[tuple[str, str], tuple[bool, ...]] = field(default_factory=dict)  # (joint, body): components
    loose: tuple[str, ...] = ()  # free speeds that meet no inertia in this pose
    condition: float | None = None  # of the mass matrix of the free speeds, in the mechanism's own sizes
    modal: int = 0  # modal coordinates of bodies that bend
    deflecting: int = 0  # joints whose drive deflects

    @property
    def dof(self) -> int:
        """Degrees of freedom in this pose, driven ones included."""
        return self.by_rank


def changing(mechanism: Any, all_open: int) -> dict[str, tuple[int, int]]:
    """Return degrees of freedom by count while one joint is locked, or without it, as events do, and those driven.

    `all_open` is the count of the mechanism as it stands.
    """
    found, drivers = {}, mechanism.drivers.values()
    for event in mechanism.events.values():
        joint = mechanism.joints.get(event.joint or "")
        if joint is not None and event.do == LOCK:
            taken = 1 if joint.free else len(joint.coordinate_names)
            found[f"while {event.joint} {'holds' if joint.free else 'is locked'}"] = all_open - taken, len(drivers)
        elif joint is not None and event.do == DETACH:
            left = sum(getattr(driver, "joint", None) != event.joint for driver in drivers)
            found[f"without {event.joint}"] = all_open + joint.takes(mechanism), left
    return found
