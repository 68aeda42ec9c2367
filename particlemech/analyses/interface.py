"""Analyses of mechanisms: what a motion needs, impulses, small vibrations, balance, and cycles without integration.

Not every family offers each of them yet; see `offered`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from particlemech.analyses.offered import answered
from particlemech.model.description import Description

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from particlemech.analyses.impulses.plane import Struck
    from particlemech.analyses.impulses.space import ImpulseResponse
    from particlemech.analyses.inverse_dynamics import Inverse
    from particlemech.analyses.jacobians import Jacobian
    from particlemech.analyses.kinematics.assemblies import Assemblies
    from particlemech.analyses.kinematics.toggles import Toggles
    from particlemech.analyses.reaching import Reach
    from particlemech.analyses.vibration.linear import Linear
    from particlemech.analyses.vibration.rest import Rest
    from particlemech.analyses.vibration.vibrations import Modes
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
        In the plane or in space, with loops or without; its drivers are left aside, its forces act.
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
        divided by the mechanism's length).

    Returns
    -------
    Inverse
        `effort(name)`, (K,), `needed(joint, coordinate)`, and `null`, efforts that hold each other; motion and
        reactions by the names of a result; `replay`, the mechanism with motors that make the motion by themselves.

    Raises
    ------
    ModelError
        If the mechanism cannot move so, or its actuators cannot make it.

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
        In the plane or in space; in its start, unless `about` says otherwise.
    point
        What moves, by name, or several: "P" for all coordinates of a point, "P.x", "platform.angle", "A.angle".
    drivers
        Drivers of the model, or coordinates of joints, by name; default the drivers of the model. They must say where
        everything is.
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


def linearised(
    mechanism: Description,
    about: str | Result | Moment | None = None,
    inputs: Any = None,
    outputs: str | Sequence[str] | None = None,
    *,
    base: str | None = None,
    joints: str | Mapping[str, str] | None = None,
    loads: bool | None = None,
    hold: str | Sequence[str] | None = None,
    release: str | Sequence[str] | None = None,
    t: float | None = None,
    settle: bool | str | None = None,
) -> Linear:
    """Return the equations of motion of a mechanism, linearised: M z'' + C z' + K z = F u, and as a state space.

    Parameters
    ----------
    mechanism
        Of any kind, rigid or bending, with or without loops.
    about
        Default its start, which must be at rest, or turn steadily with its drivers; "equilibrium": the rest position
        near it; a result, or a sample of one.
    inputs
        Names of motors, torques and loads ("push.fx"), of drivers that are let go, or of coordinates, on which an
        effort acts; a point and a direction; or forces as one writes them. A mapping gives them other names.
    outputs
        Columns of results, by name; default the coordinates z.
    hold, release
        Joints that are locked, by name; drivers that are let go. All others stay exact constraints.
    base, joints, t, settle
        As of `modes`.
    loads
        Whether loads and motors act; default yes.

    Returns
    -------
    Linear
        `M`, `C`, `K`, (f, f), in the order of `freedoms`; `matrices`, A, B, C, D of the state (z, z');
        `state_space()` for scipy, `control()` for the package control; `shape(name)`, how points, bodies and
        coordinates move by each freedom.

    Examples
    --------
    >>> import particlemech as pm
    >>> found = pm.linearised(pm.models.load("double_pendulum"), "equilibrium", inputs="O", outputs="A.x")
    >>> found.freedoms, found.matrices.A.shape, round(float(found.matrices.C[0, 0]), 6)
    (('O.angle', 'A.angle'), (4, 4), 0.5)
    """
    options = {"base": base, "joints": joints, "loads": loads, "hold": hold, "release": release, "t": t}
    found: Linear = answered(
        "linearised", mechanism, about=about, inputs=inputs, outputs=outputs, settle=settle, **options
    )
    return found


def modes(
    mechanism: Description,
    about: str | Result | Moment | None = None,
    *,
    base: str | None = None,
    joints: str | Mapping[str, str] | None = None,
    loads: bool | None = None,
    hold: str | Sequence[str] | None = None,
    release: str | Sequence[str] | None = None,
    t: float | None = None,
    settle: bool | str | None = None,
) -> Modes:
    """Return frequencies, damping and shapes of small vibrations of a mechanism.

    Parameters
    ----------
    mechanism
        Of any kind, rigid or bending, with or without loops.
    about
        Default its start, at rest or turning steadily with its drivers; "equilibrium": the rest position near it; a
        result, or a sample of one.
    base
        In space "fixed", "translates" or "free": how bodies that float move; default as in the model.
    joints
        "locked" or "free" for all other joints that do not follow a motion, or by name; default as in the model.
    loads
        Whether loads, motors and custom forces act, beside weight, springs and dampers, which always do; default no,
        but about what is not the start.
    hold, release
        Joints that are locked besides, by name; drivers that are let go.
    t
        s; for signals; default 0.
    settle
        What comes into balance first: True or "deflections" (default) those of bending bodies and of drives, while base
        and joints stay; "all" everything that is not driven, as about = "equilibrium"; False nothing, for small
        motions about the start as it is.

    Returns
    -------
    Modes
        Lowest first: `omega`, rad/s, `frequency`, Hz, and `damping` as part of the critical one, all (n,); all
        `eigenvalues`, two for each freedom; `shapes`, one per column, in the order of `coordinates`, and `shape(name)`
        of points and bodies; `participation` of the freedoms; `motion(k)`, one swing as a result, and `animate(k,
        path)`; `linear`, the equations they belong to. The omega and frequency of an unstable motion without damping
        are negative.

    Examples
    --------
    >>> import particlemech as pm
    >>> round(float(pm.modes(pm.models.load("cantilever")).frequency[0]), 3)
    2.799
    >>> pm.modes(pm.models.load("double_pendulum"), "equilibrium").frequency.round(4)
    array([0.6365, 1.6693])

    The balls of a governor that turns with 14 rad/s swing about where they balance:

    >>> round(float(pm.modes(pm.models.load("flyball_governor"), settle="all").frequency[0]), 3)
    0.929
    """
    options = {"base": base, "joints": joints, "loads": loads, "hold": hold, "release": release, "t": t}
    found: Modes = answered("modes", mechanism, about=about, settle=settle, **options)
    return found


def response(
    mechanism: Description,
    frequency: ArrayLike,
    *,
    input: Any = None,
    output: str | Sequence[str] | None = None,
    about: str | Result | Moment | None = None,
    point: str | None = None,
    force: tuple[str, Sequence[float]] | None = None,
    torque: str | None = None,
    base: str | None = None,
    joints: str | Mapping[str, str] | None = None,
    loads: bool | None = None,
    hold: str | Sequence[str] | None = None,
    release: str | Sequence[str] | None = None,
    settle: bool | str | None = None,
) -> NDArray[np.complex128]:
    """Return how a mechanism answers to a harmonic input of size 1; `view.bode` draws it.

    Parameters
    ----------
    mechanism, about, base, joints, loads, hold, release, settle
        As of `modes`.
    frequency
        Hz, (F,).
    input, output
        As of `linearised`; an output may also be a point, whose displacement is meant.
    point
        Another word for the output: the named point whose displacement is asked for.
    force
        Another word for the input: a named point and a direction in global axes, whose length is the size of the
        force; or
    torque
        the name of a free joint on whose coordinate an effort of size 1 acts; "joint.coordinate" if it has several.

    Returns
    -------
    array of complex
        Amplitudes: (F,) of a column, (F, 2) or (F, 3) of a point in the length of the model, global axes, (F, n) of
        several columns; with one more axis for several inputs.

    Examples
    --------
    At 0 Hz a cantilever gives way by L^3/(3 EI) = 8/600 m per N:

    >>> import particlemech as pm
    >>> beam = pm.models.load("cantilever")
    >>> found = pm.response(beam, [0.0], point="tip", force=("tip", (0.0, 1.0, 0.0)))
    >>> round(float(found[0, 1].real), 6)
    0.013333
    """
    options: dict[str, Any] = {"force": force, "torque": torque, "base": base, "joints": joints, "loads": loads}
    options |= {
        "settle": settle,
        "input": input,
        "output": output,
        "about": about,
        "point": point,
        "hold": hold,
        "release": release,
    }
    found: NDArray[np.complex128] = answered("response", mechanism, frequency, **options)
    return found


def equilibrium(
    mechanism: Description,
    near: Result | Moment | Mapping[str, Any] | None = None,
    hold: str | Sequence[str] | None = None,
    all: bool = False,
    *,
    base: str | None = None,
    joints: str | Mapping[str, str] | None = None,
    release: str | Sequence[str] | None = None,
    t: float | None = None,
    settle: str | None = None,
) -> Rest:
    """Return a mechanism at rest, in balance with its loads and weight; of a structure, what holds it.

    Parameters
    ----------
    mechanism, base, joints, release
        As of `modes`.
    near
        Where it is looked for: default the start; coordinates of joints by name; a result, or a sample of one.
    hold
        Joints that are locked where they are, by name; `efforts` tells what that takes.
    all
        All rest positions that a search over the freedoms finds, on the assembly that it starts from.
    t
        s; for signals; default 0.
    settle
        What comes into balance: "deflections" of bending bodies and drives, while base and joints are held, or "all"
        that is not driven; default the deflections, or all where nothing deflects.

    Returns
    -------
    Rest
        A result with one sample for each position, so with reactions, efforts and pictures; `stability` ("stable",
        "neutral" or "unstable") and `stiffness` of each, in the order of `freedoms`; `efforts` of drivers and held
        joints; `members`, the axial forces in bars; `searched`, how it was found.

    Examples
    --------
    >>> import particlemech as pm
    >>> round(float(pm.equilibrium(pm.models.load("cantilever")).elastic("tip")[0, 1]), 4)
    0.0133
    >>> pm.equilibrium(pm.models.load("double_pendulum"), all=True).stability
    ('stable', 'unstable', 'unstable', 'unstable')
    """
    options = {"base": base, "joints": joints, "release": release, "t": t, "settle": settle}
    found: Rest = answered("equilibrium", mechanism, near=near, hold=hold, all=all, **options)
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
