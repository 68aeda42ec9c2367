"""Weld: the place is common and the bodies turn as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from particlemech.spatial.joints import Weld
from particlemech.spatial.loops.ties import Tie, tied

if TYPE_CHECKING:
    from particlemech.spatial.mechanism import Mechanism

SPEC = Weld


def tie(spec: Weld, mechanism: Mechanism) -> Tie:
    """Return what it is to vectors."""
    return tied(spec, mechanism)._replace(locked=True)
