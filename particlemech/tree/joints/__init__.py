"""The joints of a tree, one file each: the spec that users write, and its stages."""

from particlemech._spec import kind_name
from particlemech.tree.joints.ball import Ball
from particlemech.tree.joints.base import JointSpec, Stage
from particlemech.tree.joints.free import Free
from particlemech.tree.joints.hinge import Hinge
from particlemech.tree.joints.slider import Slider
from particlemech.tree.joints.universal import Universal
from particlemech.tree.joints.weld import Weld

__all__ = ["KINDS", "NAMES", "Ball", "Free", "Hinge", "JointSpec", "Slider", "Stage", "Universal", "Weld"]

KINDS: tuple[type[JointSpec], ...] = (Hinge, Slider, Universal, Ball, Free, Weld)
NAMES = {kind_name(kind): kind for kind in KINDS}
