"""Analyses of mechanisms: what a motion needs, impulses, small vibrations, balance, and cycles without integration.

Not every family offers each of them yet; see `offered`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from particlemech.analyses.offered import answered
from particlemech.model.description import Description

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from particlemech.analyses.impulses.plane import Struck
    from particlemech.analyses.impulses.space import ImpulseResponse
    from particlemech.analyses.kinematics.assemblies import Assemblies
    from particlemech.analyses.kinematics.toggles import Toggles
    from particlemech.analyses.vibration.vibrations import Modes
    from particlemech.engine.recursive.observed import Observed
    from particlemech.model.impulses import Impulse
    from particlemech.model.space.parts import Impulse as SpatialImpulse
    from particlemech.result.base import Result
    from particlemech.result.plane import PlanarResult
    from particlemech.result.recursive import TreeResult
    from particlemech.run.phases import Moment


def inverse(
    mechanism: Description,
    position: Mapping[str, ArrayLike] | None = None,
    rate: Mapping[str, ArrayLike] | None = None,
    acceleration: Mapping[str, ArrayLike] | None = None,
    t: ArrayLike = 0.0,
) -> Observed:
    """Return what a given motion needs, at one instant or at K: inverse dynamics.

    Parameters
    ----------
    mechanism
        A tree; its drivers are left aside, its forces act.
    position, rate, acceleration
        Coordinates of joints, rad or the length of the model, and their first and second derivatives per s, by the
        name of the joint: (dof,) or (K, dof), a number or (K,) where it has one; joints left out stay at 0.
    t
        s, a number or (K,); for signals.

    Returns
    -------
    Observed
        `needed(joint, coordinate)`, (K,), is what a drive would have to give, in the units of the model.

    Examples
    --------
    A chain of 2 kg and 1 m that is held out sideways needs m g L/2, N m:

    >>> import math
    >>> import particlemech as pm
    >>> chain = pm.models.hanging_chain(2, length=1.0, mass=2.0)
    >>> found = pm.inverse(chain, {"pin1": (math.pi / 2, 0.0)})
    >>> round(float(found.needed("pin1", "angle1")[0]), 3)
    9.81
    """
    given = ({} if motion is None else motion for motion in (position, rate, acceleration))
    found: Observed = answered("inverse", mechanism, *given, t)
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


def modes(
    mechanism: Description,
    *,
    base: str | None = None,
    joints: str | Mapping[str, str] | None = None,
    loads: bool | None = None,
    t: float | None = None,
    settle: bool | str | None = None,
) -> Modes:
    """Return frequencies, damping and shapes of small vibrations of a mechanism about its start.

    Parameters
    ----------
    mechanism
        A mechanism in space, of rigid or bending bodies, with or without loops, at rest in equilibrium; driven joints
        may turn at a constant rate.
    base
        "fixed", "translates" or "free": how bodies on free joints of the ground move; default as in the model.
    joints
        "locked" or "free" for all other joints that do not follow a motion, or by name; default as in the model.
    loads
        Whether loads, motors and custom forces act, beside weight, springs and dampers, which always do; default no.
    t
        s; for signals; default 0.
    settle
        What comes into balance first: True or "deflections" (default) those of bending bodies and of drives, while base
        and joints stay; "all" everything that is not driven; False nothing, for small motions about the start as it
        is.

    Returns
    -------
    Modes
        Lowest first: `omega`, rad/s, `frequency`, Hz, and `damping` as part of the critical one, all (n,); `shapes`,
        one per column, in the order of `coordinates`; `linear`, the equations they belong to. The omega and frequency
        of an unstable motion without damping are negative.

    Examples
    --------
    >>> import particlemech as pm
    >>> round(float(pm.modes(pm.models.load("cantilever")).frequency[0]), 3)
    2.799

    The balls of a governor that turns with 14 rad/s swing about where they balance:

    >>> round(float(pm.modes(pm.models.load("flyball_governor"), settle="all").frequency[0]), 3)
    0.929
    """
    options = {"base": base, "joints": joints, "loads": loads, "t": t, "settle": settle}
    found: Modes = answered("modes", mechanism, **options)
    return found


def response(
    mechanism: Description,
    frequency: ArrayLike,
    *,
    point: str,
    force: tuple[str, Sequence[float]] | None = None,
    torque: str | None = None,
    base: str | None = None,
    joints: str | Mapping[str, str] | None = None,
    loads: bool | None = None,
    settle: bool | str | None = None,
) -> NDArray[np.complex128]:
    """Return how a point of a mechanism answers to a harmonic force of size 1.

    Parameters
    ----------
    mechanism, base, joints, loads, settle
        As of `modes`.
    frequency
        Hz, (F,).
    point
        The named point whose displacement is asked for.
    force
        A named point and a direction (3,) in global axes, whose length is the size of the force; or
    torque
        the name of a free joint on whose coordinate an effort of size 1 acts; "joint.coordinate" if it has several.

    Returns
    -------
    array of complex
        Amplitudes of the displacement, (F, 3), in the length of the model, global axes.

    Examples
    --------
    At 0 Hz a cantilever gives way by L^3/(3 EI) = 8/600 m per N:

    >>> import particlemech as pm
    >>> beam = pm.models.load("cantilever")
    >>> found = pm.response(beam, [0.0], point="tip", force=("tip", (0.0, 1.0, 0.0)))
    >>> round(float(found[0, 1].real), 6)
    0.013333
    """
    options = {"force": force, "torque": torque, "base": base, "joints": joints, "loads": loads, "settle": settle}
    found: NDArray[np.complex128] = answered("response", mechanism, frequency, point=point, **options)
    return found


def equilibrium(
    mechanism: Description,
    *,
    base: str | None = None,
    joints: str | Mapping[str, str] | None = None,
    t: float | None = None,
    settle: str | None = None,
) -> Observed:
    """Return a mechanism in balance with its loads and weight.

    Parameters
    ----------
    mechanism, base, joints
        As of `modes`.
    t
        s; for signals; default 0.
    settle
        What comes into balance: "deflections" of bending bodies and drives, while base and joints stay, or "all" that
        is not driven, from where it starts; default the deflections, or all where nothing deflects.

    Returns
    -------
    Observed
        One sample: `found["tip"]`, `found.elastic("tip")`, (1, 3), in the length of the model.

    Examples
    --------
    >>> import particlemech as pm
    >>> round(float(pm.equilibrium(pm.models.load("cantilever")).elastic("tip")[0, 1]), 4)
    0.0133
    """
    found: Observed = answered("equilibrium", mechanism, base=base, joints=joints, t=t, settle=settle)
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
        Driven in all its freedoms, but for spins of bodies about a line of their own: these are none.
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
        As of a run: positions, velocities, accelerations, efforts, reactions, files and pictures.

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
        A tuple of results of one sample each, to be the `start` of a cycle or of a run. `complete` says whether these
        are all; else `counts` says how often each was found from `starts` random poses.

    Examples
    --------
    >>> import particlemech as pm
    >>> len(pm.assemblies(pm.models.load("rssr")))
    2
    """
    found: Assemblies = answered("assemblies", mechanism, t=t, at=at, driver=driver)
    return found
