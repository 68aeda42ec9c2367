"""Inverse dynamics: the motion is given, what makes it is asked for.

    F_int = A x_ddot - f - F_ext        [P72] (3.31) (errata)                                           (1)

computed joint by joint from the wrench that each transmits, never from A. All spherical and free joints take the
report's angles, at any pose: nothing is solved for, so gimbal lock does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from particlemech.engine.recursive.equations import TreeSystem, system
from particlemech.engine.recursive.observed import Observed
from particlemech.engine.recursive.topology import checked
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import shown

Motion = Mapping[str, ArrayLike]  # joint -> (dof,), (K, dof), or a number or (K,) where it has one coordinate


def inverse(mechanism: Mechanism, position: Motion, rate: Motion, acceleration: Motion, t: ArrayLike = 0.0) -> Observed:
    """Return what a given motion needs, at one instant or at K.

    Parameters
    ----------
    mechanism
        The tree; its drivers are left aside, its forces act.
    position, rate, acceleration
        Coordinates of joints, and their first and second derivatives, by the name of the joint: (dof,) or (K, dof),
        a number or (K,) where it has one coordinate; joints left out stay at 0.
    t
        s, a number or (K,); for signals.

    Returns
    -------
    Observed
        `needed(joint, coordinate)` is what a drive would have to give; reactions and the wrench on the base by name.

    Examples
    --------
    A rod of 1 m and 2 kg on a revolute joint, held out sideways, needs m g l/2:

    >>> from particlemech import space
    >>> rod = space.Body(mass=2.0, com=(0.5, 0, 0), inertia=(0, 1 / 6, 1 / 6))
    >>> pin = space.joints.Revolute(bodies=("ground", "rod"), point=(0, 0, 0), axis=(0, 1, 0))
    >>> m = space.Mechanism(bodies={"rod": rod}, joints={"pin": pin}, gravity=(0, 0, -10.0))
    >>> float(inverse(m, {}, {}, {}).needed("pin")[0])
    -10.0
    """
    checked(mechanism, "inverse")
    made = system(in_angles(mechanism).replaced(drivers={name: None for name in mechanism.drivers}))
    times = np.atleast_1d(_numbers(t, "t"))
    parts = [_whole(made, of) for of in (position, rate, acceleration)]
    K = max(len(times), *(len(p) for p in parts))
    times, x, x_dot, x_ddot = (_repeated(p, K) for p in (times, *parts))
    states = np.zeros((K, made.n))
    for e, stage in enumerate(made.compiled.tables.stage):
        states[:, stage["q"]], states[:, made.n_q + stage["u"]] = x[:, e], x_dot[:, e]
    return made.observed(times, states, x_ddot)


def in_angles(mechanism: Mechanism) -> Mechanism:
    """Return a tree whose spherical and free joints are integrated in the report's dextral 1-2-3 angles."""
    checked(mechanism, "in_angles")
    spherical = {name: {"coordinates": "angles"} for name, joint in mechanism.joints.items() if joint.spherical}
    return mechanism.replaced(joints=spherical) if spherical else mechanism


def _whole(made: TreeSystem, given: Motion) -> Array:
    """Return values by joint as one array (K or 1, n_stage)."""
    if not isinstance(given, Mapping):
        raise ModelError(f"a motion is given as a mapping of joints to their coordinates, got {shown(given)}")
    parts: dict[str, Array] = {}
    for joint, value in given.items():
        made.mechanism.known_joint(joint)
        dof = made.mechanism.joints[joint].dof
        array = _numbers(value, f'joint "{joint}"')
        if dof == 1 and array.ndim < 2:
            array = array.reshape(-1, 1)
        array = np.atleast_2d(array)
        if array.ndim != 2 or array.shape[1] != dof:
            raise ModelError(f'joint "{joint}" has {dof} coordinate(s), got values of shape {np.shape(value)}')
        parts[joint] = array
    K = max((len(p) for p in parts.values()), default=1)
    result = np.zeros((K, len(made.compiled.coordinates)))
    for joint, array in parts.items():
        names = made.mechanism.joints[joint].coordinate_names
        stages = {made.compiled.coordinates[e].name: e for e in made.compiled.stages_of[joint]}
        result[:, [stages[name] for name in names]] = _repeated(array, K)
    return result


def _numbers(value: ArrayLike, what: str) -> Array:
    """Return an array of finite numbers."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{what}: expected numbers, got {shown(value)}") from None
    if not np.isfinite(array).all():
        raise ModelError(f"{what}: expected finite numbers, got {shown(value)}")
    return array


def _repeated(array: Array, K: int) -> Array:
    if len(array) not in (1, K):
        raise ModelError(f"the parts of a motion need one length, got {len(array)} and {K} samples")
    return np.repeat(array, K, axis=0) if len(array) != K else array
