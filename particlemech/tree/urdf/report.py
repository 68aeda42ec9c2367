"""Report: what of a URDF file the mechanism does not do, and where its parts went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SHOWN = 3  # parts that a summary names
CONSEQUENCES = {
    "limit": "coordinates, speeds and efforts are not bounded",
    "mimic": "the joint moves freely; prescribe it by a driver where it must follow",
    "friction": "the joint moves without it",
    "safety_controller": "nothing holds the joint back",
    "transmission": "motors act on the joints themselves",
    "motion without mass": "nothing determines it; give the link an <inertial>, or prescribe the joint by a driver",
}


class Frame(NamedTuple):
    """A frame within another."""

    rotation: Array  # (3, 3) its axes in the columns
    place: Array  # (3,) of its origin, m

    def of(self, inner: Frame) -> Frame:
        """Return a frame that is given in this one, as seen from outside."""
        return Frame(self.rotation @ inner.rotation, self.rotation @ inner.place + self.place)


class Finding(NamedTuple):
    """Something in the file that the mechanism does not do."""

    what: str  # a tag or an attribute of the file
    part: str  # which it belongs to
    says: str  # as it stands there

    def __str__(self) -> str:
        told = f"{self.part}: {self.what}" + (f" ({self.says})" if self.says else "")
        return f"{told}: {CONSEQUENCES[self.what]}" if self.what in CONSEQUENCES else told


@dataclass(frozen=True, eq=False)
class Report:
    """What became of a URDF file.

    The axes of a link of the file, where its body has the orientation S, are the columns of S @ frames[body].rotation.
    """

    path: str
    not_modelled: tuple[Finding, ...]
    renamed: Mapping[str, str]  # link or joint of the file -> its name in the mechanism, where it differs
    notes: tuple[str, ...]  # what was added
    shapes: int  # <visual>, <collision> and <material>: not for dynamics
    frames: Mapping[str, Frame]  # body -> frame of its link in the drawing

    @property
    def summary(self) -> str:
        """What was not modelled, and what was renamed, in one line; empty where there is nothing to tell."""
        groups: dict[str, list[str]] = {}
        for found in self.not_modelled:
            groups.setdefault(found.what, []).append(found.part)
        left_out = "; ".join(f"{what} of {_some(parts)}" for what, parts in groups.items())
        renamed = _some(f'{part} -> "{name}"' for part, name in self.renamed.items())
        told = (("not modelled", left_out), ("renamed", renamed))
        return "; ".join(f"{word}: {text}" for word, text in told if text)

    def __str__(self) -> str:
        lines = [self.path]
        lines += [f"not modelled: {found}" for found in self.not_modelled]
        lines += [f'renamed: {part} -> "{name}"' for part, name in self.renamed.items()]
        lines += self.notes
        if self.shapes:
            lines.append(f"{self.shapes} visual(s), collision(s) and material(s): shapes play no part in the dynamics")
        return "\n".join(lines)


def _some(parts: Iterable[str]) -> str:
    """Return the first few of a list, and how many more there are."""
    every = list(dict.fromkeys(parts))
    more = len(every) - SHOWN
    return ", ".join(every[:SHOWN]) + (f" and {more} more" if more > 0 else "")
