"""Analyses of rest: balance, small vibrations about it and about steady motions, and answers to harmonic forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from particlemech.analyses.offered import answered
from particlemech.model.description import Description

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from particlemech.analyses.vibration.linear import Linear
    from particlemech.analyses.vibration.rest import Rest
    from particlemech.analyses.vibration.vibrations import Modes
    from particlemech.result.base import Result
    from particlemech.run.phases import Moment


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
        effort acts; a point and a direction; or forces as one writes them. A driver that stays, as one that shakes the
        frame, is three inputs: its motion "frame", "frame_rate" and "frame_acceleration"; to `response` the three are
        one, a harmonic motion of size 1. A motor is one input, its voltage or throttle, a controller its setpoint. A
        mapping gives them other names.
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
        `M`, `C`, `K`, (f, f), in the order of `freedoms`; `matrices`, A, B, C, D of the state (z, z', w), whose names
        are `states`; w are those that motors and controllers own, such as "motor.current", and `ties` how they act;
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
        `eigenvalues`, two for each freedom and one for each state of a motor or controller; `shapes`, one per column,
        in the order of `coordinates`, and `shape(name)` of points and bodies; `participation` of the freedoms;
        `motion(k)`, one swing as a result, and `animate(k, path)`; `linear`, the equations they belong to. The omega
        and frequency of an unstable motion without damping are negative; `time_constant`, s, of those that do not
        oscillate, else nan. Stops, contacts and cams hold where they press, or act by their stiffness and damping; what
        touches without force is refused.

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
        As of `modes`. Where nothing weighs and drivers rest, as in a truss under loads, masses may be left out.
    near
        Where it is looked for: default the start; coordinates of joints by name; a result, or a sample of one.
    hold
        Joints that are locked where they are, by name; `efforts` tells what that takes.
    all
        All rest positions that a search finds: past those that are known, over the freedoms of the assembly it starts
        on, and from poses at random on any other.
    t
        s; for signals; default 0.
    settle
        What comes into balance: "deflections" of bending bodies and drives, while base and joints are held, or "all"
        that is not driven; default the deflections, or all where nothing deflects. States of motors and controllers
        rest too: an integral has the value that leaves no error.

    Returns
    -------
    Rest
        A result with one sample for each position, so with reactions, efforts and pictures; `stability` ("stable",
        "neutral" or "unstable") and `stiffness` of each, in the order of `freedoms`; `efforts` of drivers and held
        joints; `members`, the axial forces in bars; `searched`, how it was found; `own`, whether on the assembly that
        the search began on. What nothing holds is neutral, and one answer wherever it rests. `presses`: the stops,
        contacts and cams that press there, whose forces are `force(name)`; `grazes`: those that touch without any,
        beside which stability may be "undecided". One that presses and has dry friction is refused.

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
