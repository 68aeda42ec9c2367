"""Result: a motion by name. Arrays run along the samples; what costs time is computed when first asked for.

Reactions are one least-norm solution over all joints at each sample, see statics.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from particlemech._threads import one_thread
from particlemech.engine.plane import SECOND, Momentum, Motion, PlanarInstant, PlanarLayout, Reactions, Sight
from particlemech.engine.statics import no_reactions
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.applied import Exerting, Pressed
from particlemech.model.freedom import Freedom
from particlemech.result.base import Closure, Result, States, chained, widest
from particlemech.result.losses import Losses
from particlemech.result.planar_sections import PlanarSections
from particlemech.result.sections import LEAST_NORM


def marked(value: Array, known: Array, undetermined: str) -> Array:
    """Return values with those that are not determined as NaN, or filled with the least-norm ones."""
    if undetermined not in ("nan", LEAST_NORM):
        raise ModelError(f'undetermined must be "nan" or "{LEAST_NORM}", got {undetermined!r}')
    return value.copy() if undetermined == LEAST_NORM else np.where(known, value, np.nan)


def fitted(found: Reactions, own: PlanarLayout, lay: PlanarLayout) -> Reactions:
    """Return reactions in the order of another layout; what is not there any more exerts nothing."""
    if own.reactions == lay.reactions and own.efforts == lay.efforts:
        return found
    K = len(found.value)
    value, effort = no_reactions(K, len(lay.reactions), len(lay.efforts))[::2]
    known, effort_known = no_reactions(K, len(lay.reactions), len(lay.efforts))[1::2]
    pairs = [(own.reactions.index(one), k) for k, one in enumerate(lay.reactions) if one in own.reactions]
    for k, at in pairs:
        value[:, at], known[:, at] = found.value[:, k], found.known[:, k]
    for k, at in [(own.efforts.index(one), k) for k, one in enumerate(lay.efforts) if one in own.efforts]:
        effort[:, at], effort_known[:, at] = found.effort[:, k], found.effort_known[:, k]
    return Reactions(value, known, effort, effort_known)


def _joined(parts: list[Motion]) -> Motion:
    """Return the motions of phases one after the other; by name they are the same in all systems."""
    return Motion(*(chained([*of]) for of in zip(*parts, strict=True)))


class PlanarStates(States):
    """The samples of one phase of a motion in the plane; loops over them are those of its system."""

    system: PlanarInstant

    @cached_property
    @one_thread
    def projected(self) -> tuple[Array, Array]:
        """Coordinates (K, n_q) and speeds (K, n_v) that satisfy all rows."""
        lay = self.system.layout
        q, v = self.y[:, lay.q], self.y[:, lay.v]
        done = self.phase.projected or not self.system.n_row
        return (q, v) if done else self.system.projected_of(self.t, q, v, self.x)

    @cached_property
    @one_thread
    def accelerations(self) -> Array:
        """Rates of the speeds, (K, n_v)."""
        return self.system.accelerations_of(self.t, *self.projected, self.x)

    @cached_property
    def closure(self) -> Closure:
        """Worst position and velocity error of all joints, before projection."""
        lay = self.system.layout
        return Closure(*self.system.closure_of(self.t, self.y[:, lay.q], self.y[:, lay.v], self.x))

    @cached_property
    @one_thread
    def reactions(self) -> Reactions:
        """Least-norm reactions, and which of them are determined."""
        return self.system.reactions_of(self.t, *self.projected, self.accelerations, self.x)

    @cached_property
    @one_thread
    def conditions(self) -> Array:
        """Condition numbers of equilibrium, (K,)."""
        return self.system.conditions_of(self.t, self.projected[0])

    @cached_property
    def motion(self) -> Motion:
        """Where points and bodies are and how they move, without accelerations."""
        return self.moving(np.zeros_like(self.projected[1]))

    def moving(self, a: Array) -> Motion:
        """Return the motion with accelerations (K, n_v)."""
        return self.system.motion(*self.projected, a, self.x)

    def pressing(self, joint: str) -> Array:
        """Return the forces of the rows of a joint, (K, n); nan where they are not determined, 0 of none."""
        m, lay = self.system.mechanism, self.system.layout
        own = [k for k, (part, _) in enumerate(lay.efforts) if part == joint]
        if joint in m.joints and m.joints[joint].sides(m) and not m.joints[joint].mode:
            return np.zeros((len(self.t), len(own)))
        return marked(self.reactions.effort[:, own], self.reactions.effort_known[:, own], "nan")

    def seen(self, what: str, k: int) -> Array:
        """Return a field of Motion for one point or body, (K, 2) or (K,)."""
        q, v = self.projected
        return self.system.seen(what, k, q, v, self.accelerations if what in SECOND else None, self.x)


class PlanarResult(Losses, Result, Exerting, PlanarSections):
    """The motion of a mechanism in the plane, at K samples.

    Attributes
    ----------
    t : array, shape (K,)
        Times of the samples, s.
    status, message
        How the run ended, and in words.
    energy, closure, certificate
        How far the run can be trusted: energies and errors of joints at the samples, and the worst along all steps.
    events : dict
        Zeros of the events by name, each a result whose samples are these instants.
    phases, stats, provenance
        The stretches of the run with their integrators; effort; version, hash of the model and options.
    """

    system: PlanarInstant
    _of_phase = PlanarStates
    _states: list[PlanarStates]  # type: ignore[assignment]

    # -- states ------------------------------------------------------------------------------------------------

    @cached_property
    def _motion(self) -> Motion:
        return _joined([states.motion for states in self._states])

    @cached_property
    def _full_motion(self) -> Motion:
        return _joined([states.moving(states.accelerations) for states in self._states])

    # -- by name -----------------------------------------------------------------------------------------------

    def _seen(self, what: str, name: str) -> Array:
        """Return a field of Motion for one point or body: no other is computed."""
        lay = self.system.layout
        points = what.startswith("point")
        k = self._at(lay.points, name, "point") if points else self._at(lay.bodies, name, "body")
        return chained([states.seen(what, k) for states in self._states])

    def __getitem__(self, point: str) -> Array:
        """Return the path of a point, (K, 2), m."""
        return self._seen("point", point)

    def whole(self, what: str, names: tuple[str, ...]) -> Array:
        """Return "position", "velocity" (K, n, 2), "angle" or "omega" (K, n) of several points or bodies at once."""
        m, lay = self._motion, self.system.layout
        points, bodies = (lay.points, "point"), (lay.bodies, "body")
        every = {
            "position": (m.point, *points),
            "velocity": (m.point_v, *points),
            "angle": (m.angle, *bodies),
            "omega": (m.omega, *bodies),
        }
        array, own, kind = every[what]
        return array if names == own else array[:, [self._at(own, name, kind) for name in names]]

    def velocity(self, point: str) -> Array:
        """Return the velocity of a point, (K, 2), m/s."""
        return self._seen("point_v", point)

    def acceleration(self, point: str) -> Array:
        """Return the acceleration of a point, (K, 2), m/s^2."""
        return self._seen("point_a", point)

    def com(self, body: str) -> Array:
        """Return the path of a centre of mass, (K, 2), m."""
        return self._seen("com", body)

    def com_velocity(self, body: str) -> Array:
        """Return the velocity of a centre of mass, (K, 2), m/s."""
        return self._seen("com_v", body)

    def com_acceleration(self, body: str) -> Array:
        """Return the acceleration of a centre of mass, (K, 2), m/s^2."""
        return self._seen("com_a", body)

    def angle(self, body: str) -> Array:
        """Return the angle of a body since the drawing, (K,), rad; it counts turns."""
        return self._seen("angle", body)

    def omega(self, body: str) -> Array:
        """Return the angular velocity of a body, (K,), rad/s."""
        return self._seen("omega", body)

    def alpha(self, body: str) -> Array:
        """Return the angular acceleration of a body, (K,), rad/s^2."""
        return self._seen("alpha", body)

    def coordinate(self, joint: str, name: str | None = None) -> Array:
        """Return a coordinate of a joint since the drawing, (K,), or all of them, (K, dof), rad or m.

        Angles count turns. The name may be left out where a joint has one coordinate.
        """
        return self._coordinates(joint, name, Sight.coordinate)

    def rate(self, joint: str, name: str | None = None) -> Array:
        """Return the rate of a coordinate of a joint, (K,), or all of them, (K, dof), rad/s or m/s."""
        return self._coordinates(joint, name, Sight.rate)

    def _coordinates(self, joint: str, name: str | None, what: Callable[[Sight, Freedom], Array]) -> Array:
        mechanism, seen = self.system.mechanism, self._sight()
        self._at(self.system.layout.joints, joint, "joint")
        every = mechanism.joints[joint].freedoms
        if name is None and len(every) > 1:
            return np.stack([what(seen, freedom) for freedom in every], axis=1)
        return what(seen, mechanism.coordinate(joint, name))

    @cached_property
    def momentum(self) -> Momentum:
        """Linear momentum, and angular about the origin and about the centre of mass of all."""
        m, motion = self.system.mechanism, self._motion
        mass = np.array([body.mass for body in m.bodies.values()])
        inertia = np.array([m.inertia(b) for b in m.bodies])
        linear = np.einsum("b,kbi->ki", mass, motion.com_v)
        angular = (mass * cross(motion.com, motion.com_v) + inertia * motion.omega).sum(axis=1)
        centre = np.einsum("b,kbi->ki", mass, motion.com) / mass.sum()
        return Momentum(linear, angular, angular - cross(centre, linear))

    # -- reactions ---------------------------------------------------------------------------------------------

    @cached_property
    def _reactions(self) -> Reactions:
        lay = self.system.layout
        parts = [fitted(s.reactions, s.system.layout, lay) for s in self._states]
        return Reactions(*(chained([*of]) for of in zip(*parts, strict=True)))

    @property
    def condition(self) -> Array:
        """Condition number of the equilibrium at the samples, (K,): reactions magnify errors of the motion by it."""
        return chained([states.conditions for states in self._states])

    def _reaction(self, joint: str, on: str, undetermined: str) -> Array:
        lay, mechanism = self.system.layout, self.system.mechanism
        self._at(lay.joints, joint, "joint")
        tied = mechanism.joints[joint].tied(mechanism)
        bodies = tuple(b for j, b in lay.reactions if j == joint)
        bodies = bodies or tuple(dict.fromkeys(b for of in tied for b in (of.first, of.second)))
        if on not in bodies:
            raise ModelError(f'joint "{joint}": body "{on}" is not one of its bodies{suggestion(on, bodies)}')
        if tied:
            return self._coupled(joint, on, undetermined)
        k = lay.reactions.index((joint, on))
        value = marked(self._reactions.value[:, k], self._reactions.known[:, k], undetermined)
        for body, push in mechanism.joints[joint].yielding(self._sight(), lambda: self.force(joint)):
            value[:, :2] += push * float(body == on)
        return value

    def _tying(self, joint: str, undetermined: str) -> Array:
        """Return the effort of a coupling, a stop or a lock on its second coordinate, (K,)."""
        m = self.system.mechanism
        return self.force(joint) if m.joints[joint].pushes(m) else self.effort(joint, undetermined)

    def _coupled(self, joint: str, on: str, undetermined: str) -> Array:
        """Return what a coupling exerts on a body, (K, 3): forces, which act at the points of travels, and couples."""
        mechanism, seen = self.system.mechanism, self._sight()
        spec: Any = mechanism.joints[joint]
        total, effort = np.zeros((len(self.t), 3)), self._tying(joint, undetermined)
        for of, factor in zip(spec.tied(mechanism), (-spec.ratio, 1.0), strict=True):
            sign = factor * ((of.second == on) - float(of.first == on))
            if sign and of.turn:
                total[:, 2] += sign * effort
            elif sign:
                total[:, :2] += sign * effort[:, None] * seen.along(of)
        return total

    def reaction(self, joint: str, on: str, undetermined: str = "nan") -> Array:
        """Return the force that a joint exerts on one of its bodies, (K, 2), N, global axes.

        Parameters
        ----------
        joint, on
            The joint, and the body it acts on.
        undetermined
            "nan" marks components that the mechanism does not determine; "least-norm" fills them with the least
            reactions that balance.
        """
        return self._reaction(joint, on, undetermined)[:, :2]

    def moment(self, joint: str, on: str, undetermined: str = "nan") -> Array:
        """Return the moment that a joint exerts on one of its bodies at its place, (K,), N m."""
        lay = self.system.layout
        self._at(lay.joints, joint, "joint")
        if joint not in lay.moments:
            raise ModelError(f'joint "{joint}" carries no moment; joints that do: {", ".join(lay.moments) or "none"}')
        return self._reaction(joint, on, undetermined)[:, 2]

    def effort(self, driver: str, undetermined: str = "nan") -> Array:
        """Return the torque or force of a driver on its second body, (K,), N m or N.

        Of a `distance` driver: the force that pushes its points apart. Of a coupling: the effort on its second
        coordinate; minus the ratio times it works on the first.
        """
        k = self._at(self.system.layout.drivers, driver, "driver")
        return marked(self._reactions.effort[:, k], self._reactions.effort_known[:, k], undetermined)

    # -- forces ------------------------------------------------------------------------------------------------

    @property
    def _forces(self) -> Mapping[str, Any]:
        m = self.system.mechanism
        joints = ((name, joint) for name, joint in m.joints.items() if joint.pushes(m))
        return {**m.forces, **{name: Pressed(joint, self._pressing(name)) for name, joint in joints}}

    @property
    def warnings(self) -> list[str]:
        """What a completed run does not say: coordinates that left their limits, contacts that would open."""
        m, found = self.system.mechanism, super().warnings
        for name, joint in m.joints.items():
            if len(self.t) and joint.one_sided(m):
                opened = [one.t for one in self.switches if one.part == name and one.what == "opens"]
                found += [f'joint "{name}": {said}' for said in joint.warned(self.t, self._quantities(name), opened)]
        return found

    def _pressing(self, joint: str) -> Array:
        """Return the forces of the rows of a joint, (K, n); nan where they are not determined."""
        return widest([states.pressing(joint) for states in self._states])

    def _sight(self) -> Sight:
        system = self.system
        return Sight(system.mechanism, system.layout, system.home, self.t, self._motion)

    # -- files -------------------------------------------------------------------------------------------------

    def _columns(self) -> dict[str, Array]:
        """Return the columns of points, bodies, joints, drivers and forces, by name, in order."""
        lay = self.system.layout
        result: dict[str, Array] = {}
        for name in lay.points:
            for field, array in (("", self[name]), ("v", self.velocity(name)), ("a", self.acceleration(name))):
                result[f"{name}.{field}x"], result[f"{name}.{field}y"] = array[:, 0], array[:, 1]
        for name in lay.bodies:
            result[f"{name}.angle"], result[f"{name}.omega"] = self.angle(name), self.omega(name)
            result[f"{name}.alpha"], centre = self.alpha(name), self.com(name)
            result[f"{name}.x"], result[f"{name}.y"] = centre[:, 0], centre[:, 1]
        for name, spec in self.system.mechanism.joints.items():
            for coordinate in spec.coordinate_names:
                result[f"{name}.{coordinate}"] = self.coordinate(name, coordinate)
                result[f"{name}.{coordinate}_rate"] = self.rate(name, coordinate)
        for joint, body in lay.reactions:
            if (joint, body) in lay.firsts:
                continue
            force = self.reaction(joint, on=body)
            result[f"{joint}.{body}.fx"], result[f"{joint}.{body}.fy"] = force[:, 0], force[:, 1]
            if joint in lay.moments:
                result[f"{joint}.{body}.m"] = self.moment(joint, on=body)
        for name in lay.drivers:
            result[f"{name}.effort"] = self.effort(name)
        result |= self.pressure_columns() | self.force_columns() | self.loss_columns()
        result["momentum.px"], result["momentum.py"] = self.momentum.linear.T
        result["momentum.hz"] = self.momentum.angular
        return result


def cross(a: Array, b: Array) -> Array:
    """Return the cross products of plane vectors (..., 2)."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
