"""Report: what of a URDF file the mechanism does not do, and where its parts went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SHOWN = 3  # parts that a summary names
MIMIC = "mimic"
CONSEQUENCES = {
    "effort": "efforts are not bounded",
    "velocity": "speeds are not bounded",
    MIMIC: "the joint moves freely, on its own; prescribe it by a driver where it must follow",
    "friction": "the joint moves without it",
    "safety_controller": "nothing holds the joint back",
    "transmission": "motors act on the joints themselves",
    "motion without mass": "the link alone does not resist it; give the link an <inertial>, or let it not float",
}


class Frame(NamedTuple):
    """A frame within another."""

    rotation: Array  # (3, 3) its axes in the columns
    place: Array  # (3,) of its origin, m

    def of(self, inner: Frame) -> Frame:
        """Return a frame that is given in this one, as seen from outside."""
        return Frame(self.rotation @ inner.rotation, self.rotation @ inner.place + self.place)


class Limits(NamedTuple):
    """The bounds of a joint as the file gives them, rad or m, N m or N, rad/s or m/s; None: not given."""

    lower: float | None
    upper: float | None
    effort: float | None
    velocity: float | None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Lower and upper bound of the coordinate, where the file has both and they leave room."""
        if self.lower is None or self.upper is None or not self.lower < self.upper:
            return None
        return self.lower, self.upper


class Finding(NamedTuple):
    """Something in the file that the mechanism does not do."""

    what: str  # a tag or an attribute of the file
    part: str  # which it belongs to
    says: str  # as it stands there

    def __str__(self) -> str:
        reported = f"{self.part}: {self.what}" + (f" ({self.says})" if self.says else "")
        return f"{reported}: {CONSEQUENCES[self.what]}" if self.what in CONSEQUENCES else reported


@dataclass(frozen=True, eq=False)
class Report:
    """What became of a URDF file.

    The axes of a link of the file, where its body has the orientation S, are the columns of S @ frames[body].rotation.
    """

    path: str
    not_modelled: tuple[Finding, ...]
    changed: tuple[str, ...]  # joints that are welded and inertias that no body has: link, joint, and what was done
    renamed: Mapping[str, str]  # link or joint of the file -> its name in the mechanism, where it differs
    notes: tuple[str, ...]  # what was added
    shapes: int  # <visual>, <collision> and <material>: not for dynamics
    frames: Mapping[str, Frame]  # body -> frame of its link in the drawing
    limits: Mapping[str, Limits]  # joint of the mechanism -> its bounds in the file; a run warns where it leaves them

    @property
    def summary(self) -> str:
        """What was not modelled, and what was renamed, in one line; empty where there is nothing to tell."""
        groups: dict[str, list[str]] = {}
        for found in self.not_modelled:
            if found.what != MIMIC:  # which has a warning of its own
                groups.setdefault(found.what, []).append(found.part)
        left_out = "; ".join(f"{what} of {some(parts)}" for what, parts in groups.items())
        renamed = some(f'{part} -> "{name}"' for part, name in self.renamed.items())
        reported = (("not modelled", left_out), ("renamed", renamed))
        return "; ".join(f"{word}: {text}" for word, text in reported if text)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a user must know, one line each: what was changed, what becomes of mimic joints, and the summary."""
        mimics = some(found.part for found in self.not_modelled if found.what == MIMIC)
        reported = [*self.changed]
        if mimics:
            reported.append(f"{MIMIC} of {mimics} is not modelled: {CONSEQUENCES[MIMIC]}")
        if self.summary:
            reported.append(f"{self.summary}; particlemech.read_urdf tells the rest")
        return tuple(reported)

    def __str__(self) -> str:
        lines = [self.path]
        lines += [f"not modelled: {found}" for found in self.not_modelled]
        lines += [f"changed: {change}" for change in self.changed]
        lines += [f'renamed: {part} -> "{name}"' for part, name in self.renamed.items()]
        lines += self.notes
        if self.shapes:
            lines.append(f"{self.shapes} visual(s), collision(s) and material(s): shapes play no part in the dynamics")
        return "\n".join(lines)


def some(parts: Iterable[str]) -> str:
    """Return the first few of a list, and how many more there are."""
    every = list(dict.fromkeys(parts))
    more = len(every) - SHOWN
    return ", ".join(every[:SHOWN]) + (f" and {more} more" if more > 0 else "")
