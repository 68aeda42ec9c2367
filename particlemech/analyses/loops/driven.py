"""A driven mechanism over its cycle, by name: kinematics by vectors, then efforts and reactions by equilibrium.

Positions, velocities and accelerations come from the vector model of the mechanism, [J84] (6)-(13), on one assembly
from time to time, with no integration and so without drift. Then Newton's second law, [J84] (16)-(22), gives what the
drivers and joints exert; equilibrium.py says in which coordinates. Not used: solid elements and connections of the
vector model, [J84] (24), whose nodes are fixed in their elements, which the place of a sliding joint is not; nor do
they know springs and motors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from particlemech._threads import one_thread
from particlemech.analyses.loops.draft import Draft, draft
from particlemech.analyses.loops.equilibrium import Known
from particlemech.analyses.loops.standing import placed, turning, upright
from particlemech.analyses.vectors import Pose, accelerations, driven, judged, velocities
from particlemech.analyses.vectors import assemblies as vector_assemblies
from particlemech.analyses.vectors.cycle import Cycle as VectorCycle
from particlemech.analyses.vectors.cycle import increasing
from particlemech.analyses.vectors.rank import listed
from particlemech.engine.natural.start import Bodies
from particlemech.engine.space_motion import PlacesInSpace
from particlemech.engine.system import Array
from particlemech.errors import ModelError, SimulationError, suggestion
from particlemech.model import signals
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import Vector3

UNDETERMINED = ("nan", "least-norm")
SPUN = 1e-7  # difference of angular accelerations, beside their size, from which moments would spin a body


class Cycle(PlacesInSpace):
    """A driven mechanism at K times; vectors in global axes, units those of the model."""

    def __init__(self, drawn: Draft, vectors: VectorCycle) -> None:
        self._draft, self.vectors = drawn, vectors
        self.mechanism, self.t = drawn.mechanism, vectors.t
        groups = list(dict.fromkeys(drawn.groups.values()))
        self._turns = [{group.name: turning(group, a) for group in groups} for a in vectors.accelerations]

    def __repr__(self) -> str:
        """Return name, number of times and the last of them."""
        return f"<Cycle: {self.mechanism.name}, {len(self.t)} time(s) to t = {self.t[-1]:g} s>"

    # -- what moves ------------------------------------------------------------------------------------------------

    def _group(self, body: str) -> str:
        self._check_body(body)
        return self._draft.groups[body].name

    def _placed(self, body: str, drawn: Any, level: int) -> Array:
        """Return a place of a body, given as drawn, its velocity (1) or its acceleration (2), (K, 3)."""
        return self._place(body, drawn)[level]

    def _place(self, body: str, drawn: Vector3) -> Array:
        """Return where a drawn place of a body is, its velocity and its acceleration, (3, K, 3)."""
        group = self._draft.groups[body]
        if group.spins:
            arm = np.cross(np.subtract(drawn, self.mechanism.centre(body)), group.drawn[group.basis[0]])
            if float(np.abs(arm).max()) > SPUN * self._draft.model.vectors[group.basis[0]].length.values(0.0)[0]:
                raise ModelError(self._spun(body, f"where its place {list(drawn)} is"))
        route = self._draft.graph.route(body, drawn)
        both = zip(self._turns, self.vectors.accelerations, strict=True)
        return np.array([placed(self._draft, route, turns, a) for turns, a in both]).transpose(1, 0, 2)

    def _spun(self, body: str, what: str) -> str:
        return (
            f'body "{body}": {what} depends on its spin about its own line, which no joint resists; '
            "put a universal joint in place of a spherical one, or simulate the mechanism"
        )

    def _centre(self, body: str, level: int) -> Array:
        self._group(body)
        return self._centres[body][level]

    @cached_property
    def _centres(self) -> dict[str, Array]:
        """Centres of mass, their velocities and accelerations, (3, K, 3) each."""
        return {body: self._place(body, self.mechanism.centre(body)) for body in self.mechanism.bodies}

    def orientation(self, body: str) -> Array:
        """Return the axes of a body in columns, (K, 3, 3); those of the drawing are the global ones."""
        group = self._group(body)
        if self._draft.groups[body].spins:
            raise ModelError(self._spun(body, "how it stands"))
        return np.array([turns[group].R for turns in self._turns])

    def omega(self, body: str) -> Array:
        """Return the angular velocity of a body, (K, 3), rad/s; its spin is 0 where no joint resists it."""
        group = self._group(body)
        return np.array([turns[group].omega for turns in self._turns])

    def alpha(self, body: str) -> Array:
        """Return the angular acceleration of a body, (K, 3), rad/s^2."""
        group = self._group(body)
        return np.array([turns[group].alpha for turns in self._turns])

    def _turned(self, joint: str) -> Array:
        """Return the angle of a joint, (K,), rad, followed over full turns from the first time on."""
        spec = self.mechanism.joints[joint]
        u = np.array(spec.direction)
        m = np.linalg.svd(u[None])[2][1]
        one, other = (self._draft.groups[b].name for b in spec.bodies)
        wrapped = []
        for turns in self._turns:
            axis, start, now = turns[one].R @ u, turns[one].R @ m, turns[other].R @ m
            wrapped.append(np.arctan2(axis @ np.cross(start, now), start @ now))
        return np.unwrap(wrapped)

    # -- what it takes ---------------------------------------------------------------------------------------------

    @cached_property
    @one_thread
    def _held(self) -> Known:
        """Efforts and reactions at each time, in equilibrium with the motion."""
        m, bodies = self.mechanism, list(self.mechanism.bodies)
        angles = {(name, "angle"): self._turned(name) for name, j in m.joints.items() if "angle" in j.coordinate_names}
        for end, driver in m.driven.items():
            angles[end] = np.array([signals.values(m.drivers[driver].motion, t)[0] for t in self.t])
        others = {(name, x): np.zeros(len(self.t)) for name, j in m.joints.items() for x in j.coordinate_names}
        near = others | angles
        x, v, a = (np.array([self._centres[b][level] for b in bodies]) for level in range(3))  # (n_body, K, 3)
        at, alpha = [], np.array([self.alpha(b) for b in bodies])
        for k, turns in enumerate(self._turns):
            now = [turns[self._draft.groups[b].name] for b in bodies]
            R, omega = np.array([turn.R for turn in now]), np.array([turn.omega for turn in now])
            at.append(Bodies(x[:, k], R, v[:, k], omega, {end: float(angle[k]) for end, angle in near.items()}))
        return Known(m, self.t, at, (np.swapaxes(a, 0, 1), np.swapaxes(alpha, 0, 1)))

    @cached_property
    @one_thread
    def _balanced(self) -> Known:
        """The same, after a check that moments do not spin bodies that no joint holds."""
        for body in self.mechanism.bodies:
            if not self._draft.groups[body].spins:
                continue
            xx, yy, zz, *_ = self.mechanism.inertia(body)
            left, alpha, omega = self._held.left_over(body), self.alpha(body), self.omega(body)
            size = np.maximum(np.abs(alpha).max(axis=1), np.sum(omega**2, axis=1))
            # moments would spin the body, though no vector tells
            if np.any(np.abs(left).max(axis=1) > SPUN * size * max(xx, yy, zz)):
                raise ModelError(self._spun(body, "what it takes to move it"))
        return self._held

    def effort(self, driver: str, undetermined: str = "nan") -> Array:
        """Return the moment or force of a driver on its second body, (K,)."""
        if driver not in self.mechanism.drivers:
            raise ModelError(f'driver "{driver}" unknown{suggestion(driver, self.mechanism.drivers)}')
        _check_word(undetermined)
        return self._balanced.effort(driver, undetermined)

    @one_thread
    def motors(self, joints: Sequence[str]) -> dict[str, Array]:
        """Return efforts at joints that would move the mechanism just so in place of its drivers, (K,) each.

        A motion that is easily said in one way, as that of a platform, may be made in another, as by its legs: inverse
        dynamics.

        Parameters
        ----------
        joints
            Where motors turn or push, along the only coordinate of each: revolute or prismatic ones.

        Raises
        ------
        ModelError
            If motors there cannot hold the motion, or if several efforts would do.
        """
        if isinstance(joints, str) or not joints:
            raise ModelError(f"motors: give a list of the joints where they are, got {joints!r}")
        named = {name: self.mechanism.coordinate(name, None) for name in joints}
        return self._held.by_motors(named)

    def reaction(self, joint: str, on: str, undetermined: str = "nan") -> Array:
        """Return the force that a joint exerts on one of its bodies, (K, 3), at its present place on the second body.

        Parameters
        ----------
        joint, on
            The joint, and the body it acts on.
        undetermined
            "nan" marks components that the mechanism does not determine; "least-norm" fills them with the least
            reactions that balance.
        """
        self.mechanism.known_joint(joint)
        return self._balanced.reaction(joint, on, undetermined)

    def moment(self, joint: str, on: str, undetermined: str = "nan") -> Array:
        """Return the moment that a joint exerts on one of its bodies about its place, (K, 3)."""
        self.mechanism.known_joint(joint)
        return self._balanced.moment(joint, on, undetermined)


def _check_word(undetermined: str) -> None:
    if undetermined not in UNDETERMINED:
        raise ModelError(f'undetermined must be "nan" or "least-norm", got {undetermined!r}')


@one_thread
def cycle(mechanism: Mechanism, times: Sequence[float] | Array | None = None, start: Cycle | None = None) -> Cycle:
    """Return the motion of a driven mechanism, always on the assembly it starts from, and what it takes.

    Parameters
    ----------
    mechanism
        A mechanism in space whose drivers leave no freedom but spins of bodies about their own line.
    times
        Increasing, s; default those of its run.
    start
        One of its `assemblies`, at the first time; default the one to which its drivers lead from the drawing.

    Raises
    ------
    ModelError
        If drivers are missing or a joint cannot be written with vectors.
    SimulationError
        At a toggle; the message names time and driven angle, and `result` is the cycle up to there.

    Examples
    --------
    >>> import numpy as np
    >>> import particlemech as pm
    >>> found = cycle(pm.models.load("rssr"), np.linspace(0.0, 0.1, 11))
    >>> found.velocity("B").shape, found.effort("motor").shape
    ((11, 3), (11,))
    """
    drawn = draft(mechanism)
    if times is None:
        times = np.linspace(0.0, mechanism.run.duration, mechanism.run.samples)
    t = increasing(times)
    _check_driven(drawn, float(t[0]))
    begin = _begun(drawn, float(t[0])) if start is None else _carried(drawn, start)
    try:
        found = driven(drawn.model, t, begin)
    except ModelError as error:
        raise _asked_too_much(mechanism, error) from None
    except SimulationError as error:
        if not isinstance(error.result, VectorCycle):
            raise
        raise SimulationError(f"{error}; {_driven_to(mechanism, error.result)}", Cycle(drawn, error.result)) from None
    return Cycle(drawn, found)


@one_thread
def assemblies(mechanism: Mechanism, t: float = 0.0) -> tuple[Cycle, ...]:
    """Return all assemblies of a driven mechanism that a search finds, each as a cycle of one time.

    The first is the one to which its drivers lead from the drawing. Assemblies with a body mirrored, which no joint
    could tell but no workshop could make, are left out.

    Parameters
    ----------
    mechanism
        A mechanism in space, driven in all its freedoms.
    t
        Time, s.
    """
    drawn = draft(mechanism)
    if not math.isfinite(t):
        raise ModelError(f"t must be a finite time, got {t!r}")
    _check_driven(drawn, t)
    found = []
    for pose in vector_assemblies(drawn.model, t, guess=_begun(drawn, t)):
        now = velocities(pose)
        a = accelerations(now)
        one = Cycle(drawn, VectorCycle(drawn.model, np.array([t]), (now,), (a,)))
        if upright(drawn, a, one._turns[0]):
            found.append(one)
    return tuple(found)


def _carried(drawn: Draft, start: Cycle) -> Pose:
    """Return the pose of an assembly, after a check that it is one of this mechanism."""
    if not isinstance(start, Cycle):
        raise ModelError(f"start: expected one of the mechanism's assemblies, got {start!r}; see spatial.assemblies")
    pose: Pose = start.vectors.poses[0]
    if list(pose.of.model.vectors) != list(drawn.model.vectors):
        raise ModelError(f'start: an assembly of another mechanism, "{start.mechanism.name}"; take one of this')
    return pose


def _begun(drawn: Draft, t: float) -> Pose | None:
    """Return the pose to which the drivers lead from the drawing, up to their motions at a time; None: the drawing."""
    m = drawn.mechanism
    led = {name: signals.values(driver.motion, t)[0] for name, driver in m.drivers.items()}
    if not any(led.values()):
        return None
    leading = {name: replace(d, motion=signals.Linear(rate=led[name])) for name, d in m.drivers.items()}  # type: ignore[type-var]
    try:
        return driven(draft(m.replaced(drivers=leading)).model, [0.0, 1.0]).poses[-1]
    except SimulationError as error:
        share = error.result.stopped if isinstance(error.result, VectorCycle) else None
        told = ", ".join(
            f'driver "{name}" to {(share or 0.0) * value:.6g} of {value:.6g}' for name, value in led.items()
        )
        raise ModelError(f"{m.name}: from the drawing its start is not reached, only {told}; draw it nearer") from None


def _check_driven(drawn: Draft, t: float) -> None:
    """Refuse mechanisms that drivers leave open."""
    said = judged(drawn.model, t)
    if said.kind == "too few":
        raise ModelError(
            f"{drawn.mechanism.name}: {len(drawn.mechanism.drivers)} driver(s) leave {said.freedoms} freedom(s) open; "
            f"add as many drivers, or simulate the mechanism ({said})"
        )


def _asked_too_much(mechanism: Mechanism, error: ModelError) -> ModelError:
    """Return an error that names the drivers, where they are more than the joints leave freedoms."""
    free = judged(draft(mechanism.replaced(drivers=dict.fromkeys(mechanism.drivers))).model).freedoms
    if len(mechanism.drivers) <= free:
        return error
    return ModelError(
        f"{mechanism.name}: drivers {listed(mechanism.drivers)} contradict each other, for the joints leave only "
        f"{free} freedom(s); drop {len(mechanism.drivers) - free} of them ({error})"
    )


def _driven_to(mechanism: Mechanism, found: VectorCycle) -> str:
    """Return where the drivers are when a cycle stops."""
    t = found.t[-1] if found.stopped is None else found.stopped
    unit = mechanism.unit
    told = []
    for name, driver in mechanism.drivers.items():
        value = signals.values(driver.motion, float(t))[0]
        told.append(f'driver "{name}" at {value:.9g} {"rad" if driver.turns(mechanism) else unit.length}')
    return ", ".join(told)
