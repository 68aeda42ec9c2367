"""Analyses of motions: what they need, impulses, how fast things move, reach, and cycles without integration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from particlemech.analyses.offered import answered
from particlemech.model.description import Description

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from particlemech.analyses.impulses.plane import Struck
    from particlemech.analyses.impulses.space import ImpulseResponse
    from particlemech.analyses.inverse_dynamics import Inverse
    from particlemech.analyses.jacobians import Jacobian
    from particlemech.analyses.kinematics.assemblies import Assemblies
    from particlemech.analyses.kinematics.toggles import Toggles
    from particlemech.analyses.reaching import Reach
    from particlemech.analyses.workspaces import WorkspaceMap
    from particlemech.model.impulses import Impulse
    from particlemech.model.space.parts import Impulse as SpatialImpulse
    from particlemech.result.base import Result
    from particlemech.result.plane import PlanarResult
    from particlemech.result.recursive import TreeResult
    from particlemech.run.phases import Moment


def inverse(
    mechanism: Description,
    motion: Mapping[str, Any] | Result | None = None,
    rate: Mapping[str, ArrayLike] | None = None,
    acceleration: Mapping[str, ArrayLike] | None = None,
    t: ArrayLike | None = None,
    *,
    actuators: Sequence[str] | None = None,
) -> Inverse:
    """Return what a given motion needs, at one instant or at K: inverse dynamics.

    Parameters
    ----------
    mechanism
        In the plane or in space, with loops or without; its drivers are left aside, its forces act. Where bodies bend
        coordinates of joints are given at evenly spaced times from 0 on, and a run finds deflections and efforts; how
        deflections begin is said in the result: as [initial] says, else in balance, in loops straight.
    motion
        Values by name: "A.angle" and "guide.travel" are coordinates of joints, "P.x" of a point, "platform.angle" of a
        body in the plane; "A" and "P" all of a joint or a point. Each is a signal, a number, (K,), or (K, n); rad or
        the length of the model. Joints of a tree that are left out stay as drawn; else what is said must leave no
        freedom. Or a result: its motion.
    rate, acceleration
        First and second derivatives per s, by the same names. Default: those of signals; of values at four and more
        times those of a spline of fifth degree through them; else 0.
    t
        s, a number or (K,); for signals of the model too.
    actuators
        What makes the motion: coordinates of joints, or drivers of the model, by name. Default: the coordinates of
        joints by which the motion is said, or the drivers. With more than freedoms, efforts of least norm (moments
        divided by the mechanism's length); against dry friction as many as freedoms. Joints that stick slip by
        Coulomb's law; where their rate is zero the effort is that just after, where they rest it is nan.

    Returns
    -------
    Inverse
        `effort(name)`, (K,), `needed(joint, coordinate)`, and `null`, efforts that hold each other; motion and
        reactions by the names of a result; `replay`, the mechanism with motors that make the motion by themselves.

    Raises
    ------
    ModelError
        If the mechanism cannot move so, its actuators cannot make it, or joints jam.

    Examples
    --------
    A chain of 2 kg and 1 m that is held out sideways needs m g L/2, N m:

    >>> import math
    >>> import particlemech as pm
    >>> chain = pm.models.hanging_chain(2, length=1.0, mass=2.0)
    >>> found = pm.inverse(chain, {"pin1": (math.pi / 2, 0.0)})
    >>> round(float(found.needed("pin1", "angle1")[0]), 3)
    9.81

    The platform manipulator at rest, held by motors in its three arms:

    >>> platform = pm.models.load("platform_manipulator")
    >>> found = pm.inverse(platform, {"P": (0.6, 0.36), "platform.angle": 0.0}, actuators=["A0", "A1", "A2"])
    >>> list(found.efforts)
    ['A0.angle', 'A1.angle', 'A2.angle']
    """
    options = {"rate": rate, "acceleration": acceleration, "t": t, "actuators": actuators}
    found: Inverse = answered("inverse", mechanism, {} if motion is None else motion, **options)
    return found


def jacobian(
    mechanism: Description,
    point: str | Sequence[str],
    drivers: Sequence[str] | None = None,
    *,
    about: Result | None = None,
) -> Jacobian:
    """Return how fast points and bodies move per unit rate of drivers, and whether the pose is singular.

    Parameters
    ----------
    mechanism
        In the plane or in space; in its start, unless `about` says otherwise. What bends counts as stiff, as drawn.
    point
        What moves, by name, or several: "P" for all coordinates of a point, "P.x", "platform.angle", "A.angle".
    drivers
        Drivers of the model, or coordinates of joints, by name; default the drivers of the model. They must say where
        all is that is asked for.
    about
        A result, in the pose of its last sample: `result.at(0.5)` for another.

    Returns
    -------
    Jacobian
        `matrix`, (m, n), in the units of the model; `kind` of the pose, `locking`, `manipulability`, `dexterity`.

    Examples
    --------
    Two links of 1 m, stretched out: their end moves across, but not along.

    >>> import particlemech as pm
    >>> found = pm.jacobian(pm.models.chain(2, length=2.0), "P2", ["P0", "P1"])
    >>> found.matrix.round(12) + 0.0
    array([[0., 0.],
           [2., 1.]])
    >>> found.kind
    'first kind'
    """
    found: Jacobian = answered("jacobian", mechanism, point, drivers=drivers, about=about)
    return found


def reach(mechanism: Description, targets: Mapping[str, ArrayLike], *, limits: bool | None = None) -> Reach:
    """Return poses in which points and bodies are where they are wanted: inverse kinematics.

    Parameters
    ----------
    mechanism
        In the plane or in space; its drivers are released. Searches begin at its start.
    targets
        Values by name, as in `inverse`: numbers of one target, or (K, ...) of several, each searched from the one
        before. What they leave open moves as little as it can.
    limits
        Whether coordinates of joints stay within their limits; default yes.

    Returns
    -------
    Reach
        `reached` and `missed` of each target; what is out of reach is answered by the nearest pose that searches from
        several others find, and `said` says why. `coordinates` of all joints, and the poses as a `result`.

    Examples
    --------
    >>> import particlemech as pm
    >>> found = pm.reach(pm.models.load("platform_manipulator"), {"P": (0.62, 0.38), "platform.angle": 0.1})
    >>> found.said
    ('reached',)
    """
    found: Reach = answered("reach", mechanism, targets, limits=limits)
    return found


def workspace(
    mechanism: Description,
    point: str,
    drivers: Sequence[str] | None = None,
    *,
    ranges: Mapping[str, Sequence[float]] | None = None,
    samples: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> WorkspaceMap:
    """Return where a point can be while one or two drivers range; `view.workspace` draws it.

    Parameters
    ----------
    mechanism, drivers
        As of `jacobian`; masses are not needed.
    point
        By name.
    ranges
        First and last value of the drivers that range, by name, since the drawing; the others rest as they start.
        Default: all range, within the limits of their joints, else half a turn, or the mechanism's length, either way.
    samples
        Values of each, default 31.
    progress
        Called with the part that is done, from 0 to 1.

    Returns
    -------
    WorkspaceMap
        `place` and `manipulability` on the grid of `values`; `ends`, where drivers come to their limits, and
        `first_kind`, where the point does: singular poses of the second and the first kind. Printed it is a summary.

    Examples
    --------
    A chain of two links reaches a disc; where they are in line its end is at the rim:

    >>> import numpy as np
    >>> import particlemech as pm
    >>> found = pm.workspace(pm.models.chain(2, length=2.0), "P2", ["P0", "P1"], samples=6)
    >>> bool(found.reached.all()), round(float(np.linalg.norm(found.first_kind.place, axis=1).max()), 9)
    (True, 2.0)
    """
    options = {"drivers": drivers, "ranges": ranges, "samples": samples, "progress": progress}
    found: WorkspaceMap = answered("workspace", mechanism, point, **options)
    return found


def impulse(
    mechanism: Description | PlanarResult | TreeResult,
    impulses: Mapping[str, Impulse | SpatialImpulse] | None = None,
    t: float | None = None,
) -> Struck | ImpulseResponse:
    """Return what impulses do to all speeds of a mechanism, and what they leave open.

    Parameters
    ----------
    mechanism
        A mechanism in the plane or a tree, struck in its start, or the result of a run of one.
    impulses
        By name; their `time` does not matter. Default: those of the model at t = 0, or at `t`.
    t
        Time of one of the samples of a result, s; default its last.

    Returns
    -------
    Struck or ImpulseResponse
        `jumps` of all speeds, rad/s or length/s, impulses of drivers as `efforts`, the motion `before` and `after`, and
        `work`. In the plane speeds are those of columns, such as "B.vx" and "rod.omega", and `reaction(joint, on)` and
        `moment(joint, on)` are the impulses in the joints, NaN where they are not determined; of a tree they are rates
        of "joint.coordinate", and `undetermined` says which are open.

    Examples
    --------
    A rod of 1 kg and 1 m that hangs on a pin is struck at its end: its angular velocity jumps by 3/(m L), and the pin
    holds against half of the impulse.

    >>> import particlemech as pm
    >>> hit = pm.Impulse(body="link1", point="P1", impulse=(0.0, 1.0))
    >>> found = pm.impulse(pm.models.chain(1), {"hit": hit})
    >>> round(found.jumps["link1.omega"], 9), found.reaction("P0", on="link1").round(9)
    (3.0, array([0. , 0.5]))
    """
    found: Struck | ImpulseResponse = answered("impulse", mechanism, impulses=impulses, t=t)
    return found


def cycle(
    mechanism: Description,
    driver: str | None = None,
    range: Sequence[float] | None = None,
    samples: int | None = None,
    start: Result | Moment | None = None,
    through: bool = False,
    times: ArrayLike | None = None,
    throw: bool = True,
) -> PlanarResult | TreeResult:
    """Return the motion of a driven mechanism without integration, on the assembly it starts from, and what it takes.

    Parameters
    ----------
    mechanism
        Driven in all its freedoms, but for spins of bodies about a line of their own: these are none. What bends, and
        drives that yield, count as stiff, as drawn: how they give way depends on forces.
    driver
        The driver, or the joint ("joint.coordinate" if it has several), that leads over its range; the others rest
        where they are at t = 0. A joint without a driver gets one, which takes the place of the only driver there is
        where nothing else is left to be driven. Default: all drivers move in time, as their motions say.
    range
        Of the driver, first and last, rad or length since the drawing, at its own rate if that is constant, else at 1
        per s; default one turn of an angle that can make it, else what lies between two toggles.
    samples
        How many; default 361 over a range, in time as in the model's [run].
    start
        One of its `assemblies`, or a result from whose end it goes on; default where it starts.
    through
        Whether to go on where branches cross, at a change point, straight ahead.
    times
        Increasing, s, (K,), for all drivers in time; default those of its [run].
    throw
        Raise SimulationError, which carries the cycle so far, at a toggle or a change point.

    Returns
    -------
    Result
        As of a run: positions, velocities, accelerations, efforts, reactions, files and pictures. A body that drivers
        leave free to spin about a line of its own, as a rod between two balls, is shown without spin, and `message`
        says so: how fast it spins is for forces to decide, see `simulate`.

    Raises
    ------
    ModelError
        If it is not driven in all its freedoms, or its range cannot be reached.
    SimulationError
        At a toggle, unless `throw` is False; the message names the driver and where exactly it turns back.

    Examples
    --------
    >>> import particlemech as pm
    >>> linkage = pm.models.load("four_bar")
    >>> found = pm.cycle(linkage, driver="O", samples=5)
    >>> round(float(found.coordinate("O")[-1]), 9), found["B"].shape
    (6.283185307, (5, 2))
    >>> pm.cycle(pm.models.load("rssr"), times=[0.0, 0.05, 0.1]).effort("motor").shape
    (3,)
    """
    options = {"driver": driver, "range": range, "samples": samples, "start": start, "times": times}
    found: PlanarResult | TreeResult = answered("cycle", mechanism, through=through, throw=throw, **options)
    return found


def toggles(mechanism: Description, driver: str | None = None) -> Toggles:
    """Return where a mechanism locks, where its branches cross, where outputs stand still, and how far joints go.

    Parameters
    ----------
    mechanism, driver
        As of `cycle`; the driver is released, and the whole curve of poses followed from where it stands.

    Returns
    -------
    Toggles
        `toggles`, `change_points`, `dead_points`, each with the exact value of the driver and its pose; `limits` of all
        coordinates of joints; `grashof`, the class of a four-bar in the plane. Printed it is a table.

    Examples
    --------
    >>> import particlemech as pm
    >>> found = pm.toggles(pm.models.load("four_bar"), driver="C")
    >>> [round(one.value, 6) for one in found.toggles]
    [0.672366, -0.179355]
    """
    found: Toggles = answered("toggles", mechanism, driver=driver)
    return found


def assemblies(
    mechanism: Description, t: float | None = None, at: float | None = None, driver: str | None = None
) -> Assemblies:
    """Return all ways in which a driven mechanism fits together; the first is the one in which it stands.

    In the plane, bodies are placed in closed form with the drivers where they are: one after the other, or two at a
    time as dyads. Where all are, the list is complete: each quadratic has all its real roots in it, once if they are
    equal, as at a toggle. Where more than two bodies hold each other, joints are coupled, or a body is left free in one
    of the ways, and in space, Newton's method starts from random poses, and there may be ways that it does not find.

    Parameters
    ----------
    mechanism
        Driven in all its freedoms.
    t
        s, for the motions of its drivers; default 0.
    at, driver
        Or what a driver, or a joint that is driven then, is at: rad or length since the drawing; others are where they
        are at t = 0. As of `cycle`.

    Returns
    -------
    Assemblies
        A tuple of results of one sample each, to be the `start` of a cycle or of a run. `complete` says whether all
        bodies were placed in closed form, so that these are all; else `counts` says how often each was found from
        `starts` random poses.

    Raises
    ------
    ModelError
        If drivers leave freedoms or ask for too much, or if the mechanism does not fit together where they are.

    Examples
    --------
    >>> import particlemech as pm
    >>> len(pm.assemblies(pm.models.load("rssr")))
    2
    >>> pm.assemblies(pm.models.load("stephenson_six_bar"))
    <Assemblies: 4, complete>
    """
    found: Assemblies = answered("assemblies", mechanism, t=t, at=at, driver=driver)
    return found
