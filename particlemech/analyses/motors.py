"""Motors in place of drivers: the efforts at joints that would make the motion of a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from particlemech._threads import one_thread
from particlemech.analyses.inverse_dynamics import inverse
from particlemech.analyses.kinematics.driving import world
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.friction import dry
from particlemech.result.base import Result


@one_thread
def motors(result: Result, joints: Sequence[str]) -> dict[str, Array]:
    """Return efforts at joints that would make the motion of a result in place of its drivers, (K,) each.

    A motion that is easily said in one way, as that of a platform, may be made in another, as by its legs.

    Parameters
    ----------
    result
        Of a cycle, or of a run.
    joints
        Where motors turn or push: "joint", or "joint.coordinate" where it has several.

    Raises
    ------
    ModelError
        If motors there cannot hold the motion, or if several efforts would do.

    Examples
    --------
    >>> import particlemech as pm
    >>> found = pm.cycle(pm.models.load("slider_crank"), driver="O", range=(0.5, 1.0), samples=3)
    >>> bool(abs(motors(found, ["guide"])["guide"]).max() > 0.0)
    True
    """
    if isinstance(joints, str) or not joints:
        raise ModelError(f"motors: give a list of the joints where they are, got {joints!r}")
    m: Any = result.system.mechanism
    ends = []
    for said in joints:
        joint, _, name = said.partition(".")
        ends.append((joint, m.known_coordinate(joint, name or None)))
    if dry(m):  # which goes with what motors do to the loads
        found = inverse(m, result, actuators=[".".join(end) for end in ends])
        return dict(zip(joints, found.efforts.values(), strict=True))
    efforts: Array = world(m).efforts(result, ends)
    return dict(zip(joints, efforts, strict=True))
