"""What every joint of a flexible manipulator offers: it carries one link, by one coordinate about or along its z."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from particlemech._spec import Spec
from particlemech.errors import ModelError
from particlemech.primitives import Course, Looks, Part

if TYPE_CHECKING:
    from particlemech.flexible.mechanism import Mechanism

LINK = "the link that it carries"
THETA = "constant angle about its z, besides its coordinate, rad"
LOCKED = "its coordinate stays where it starts"
STIFFNESS = "of the drive: the joint is flexible and its deflection a coordinate; default: none, it is stiff"
DAMPING = "of the deflection; of a joint that is stiff: of its coordinate"
ORIGIN, Z = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)  # place and axis of a joint in the link that it carries
ROTOR = "that moves with the coordinate, before the deflection"


class JointSpec(Spec):
    """Base of the joints."""

    does: ClassVar[int]  # as links.py numbers it
    coordinate: ClassVar[str]  # what its coordinate is called
    link: str
    theta: float
    locked: bool
    stiffness: float | None
    damping: float
    rotor: float

    @property
    def flexible(self) -> bool:
        """Whether the drive deflects."""
        return self.stiffness is not None

    def verify(self) -> None:
        """Check that what is said can matter."""
        if self.locked and not self.flexible and self.damping > 0.0:
            raise ModelError(
                f'key "damping": {self.damping:g} acts on nothing, the joint is locked and stiff; take it out, or give '
                '"stiffness"'
            )

    def look(self, part: Part, mechanism: Mechanism, r: float) -> Looks:
        """Return what it looks like; r is half the width of a rod."""
        raise TypeError(f"{type(self).__name__} does not say what it looks like")

    def acted(self, part: Part, value: Course | None) -> Looks:
        """Return the arrow of an effort about or along its axis; None: that of its driver."""
        raise TypeError(f"{type(self).__name__} does not say how an effort acts in it")
