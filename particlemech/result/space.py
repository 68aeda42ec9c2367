"""Results in space: what runs in joint coordinates and in natural ones leave behind alike, and the columns of files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from particlemech.engine.system import Array
from particlemech.model.applied import Exerting, Pressed
from particlemech.model.space.friction import Rubbing, rubbing
from particlemech.result.base import Result, chained, vector_columns
from particlemech.result.losses import Losses
from particlemech.run.start import Start
from particlemech.run.trajectory import Course


class SpaceResult(Losses, Result, Exerting):
    """The part of a result in space that asks for quantities by name, wherever they come from."""

    mechanism: Any
    reaction: Any
    moment: Any
    effort: Any
    _rubbing_loads: Any  # (K, n) what surfaces with dry friction carry, in order

    def __init__(self, system: Any, start: Start, course: Course, provenance: Callable[[], Mapping[str, Any]]) -> None:
        super().__init__(system, start, course, provenance)
        self.mechanism, self._compiled = system.mechanism, system.compiled

    @property
    def _forces(self) -> Mapping[str, Any]:
        m = self.mechanism
        joints = ((name, joint) for name, joint in m.joints.items() if joint.pushes(m))
        return {**m.forces, **{name: Pressed(joint, self._pressing(name)) for name, joint in joints}}

    def _pressing(self, joint: str) -> Array:
        """Return the forces of the rows of a stop, (K, n); nan where they are not determined."""
        raise TypeError(f"{type(self).__name__} does not say what stops exert")

    def _columns(self) -> dict[str, Array]:
        """Return the columns of points, bodies, joints, drivers, forces and momenta, in order."""
        seen: Any = self
        result = moving_columns(self) | self._bending_columns()
        for name, joint in self.mechanism.joints.items():
            for coordinate in joint.coordinate_names:
                result[f"{name}.{coordinate}"] = seen.coordinate(name, coordinate)
                result[f"{name}.{coordinate}_rate"] = seen.rate(name, coordinate)
            if getattr(getattr(joint, "drive", None), "stiffness", None) is not None:
                result[f"{name}.deflection"] = seen.deflection(name)
                result[f"{name}.deflection_rate"] = seen.deflection_rate(name)
        result |= self.reaction_columns() | self.force_columns() | self.loss_columns()
        return result | vector_columns("momentum", ("p", seen.momentum.linear), ("h", seen.momentum.angular))

    def _gone(self, joint: str) -> Array:
        """Return at which samples a joint is taken out, (K,)."""
        return chained([np.full(len(of.t), joint in of.system.mechanism.taken) for of in self._states])

    def _loaded_by(self, loads: list[Array], systems: list[Any]) -> Array:
        """Return what surfaces carry at all samples, (K, n), from that of parts with systems of their own."""
        every, found = [rub.joint for rub in rubbing(self.mechanism) if rub.dry], []
        for part, system in zip(loads, systems, strict=True):
            there = [rub.joint for rub in rubbing(system.mechanism) if rub.dry]
            found.append(np.zeros((len(part), len(every))))
            found[-1][:, [k for k, joint in enumerate(every) if joint in there]] = part
        return chained(found)

    # -- friction ------------------------------------------------------------------------------------------------

    @cached_property
    def _sliding(self) -> list[tuple[str, Array, Array]]:
        """The joint of each surface, its efforts and rates along coordinates, (K, n); of a ball in global axes."""
        found, dry = [], 0
        for rub in rubbing(self.mechanism):
            load = np.zeros(len(self.t))
            if rub.dry:
                load, dry = self._rubbing_loads[:, dry], dry + 1
            found.append((rub.joint, *self._slid(rub, load)))
        return found

    def _slid(self, rub: Rubbing, load: Array) -> tuple[Array, Array]:
        seen: Any = self
        spec = self.mechanism.joints[rub.joint]
        if rub.surface.form == "ball":
            rate = seen._side(rub.joint, 1, 1) - seen._side(rub.joint, 0, 1)
            c = np.full(3, rub.radius**2)
        else:
            gone = self._gone(rub.joint)
            by_name = {x: np.where(gone, 0.0, seen.rate(rub.joint, x)) for x in spec.coordinate_names}
            if rub.surface.form == "thread":
                by_name["travel"] = spec.pitch * by_name["angle"]
            rate = np.stack([by_name[x] for x in rub.surface.stages], axis=1)
            turns = {stage.name: stage.turn for stage in spec.stages or ()}
            c = np.array([rub.radius**2 if turns[x] else 1.0 for x in rub.surface.stages])
        if rub.hold > 0.0:
            (sense, held), rate = self._stuck(rub.joint), rate[:, -1:]
            effort = (held - sense * rub.arm * load * rub.coefficient(rub.arm * np.abs(rate[:, 0])))[:, None]
            return effort - rub.viscous * rate, rate
        effort = -(load * rub.slope(np.sqrt(rate**2 @ c)))[:, None] * c * rate
        if rub.surface.form == "thread":  # along its coordinate
            effort, rate = spec.pitch * effort[:, :1] + effort[:, 1:], rate[:, 1:]
        return effort - rub.viscous * rate, rate

    def _stuck(self, joint: str) -> tuple[Array, Array]:
        """Return the sense of the slip of a joint that sticks, and the effort that holds it, (K,) each."""
        senses, efforts = [], []
        for states in self._states:
            every, system = {rub.joint: rub for rub in rubbing(states.system.mechanism)}, states.system
            if joint not in every:
                senses.append(np.zeros(len(states.t)))
                efforts.append(np.zeros(len(states.t)))
                continue
            senses.append(np.full(len(states.t), every[joint].sense))
            efforts.append(np.zeros(len(states.t)))
            if every[joint].rests:
                at = [name for name, rub in every.items() if rub.rests].index(joint)
                efforts[-1] = system.holding_of(states.t, *states.projected, states.x)[0][:, at]
        return chained(senses), chained(efforts)

    @cached_property
    def _rubbing(self) -> tuple[Array, Array]:
        nothing = np.zeros((len(self.t), 0))
        each = [(nothing, nothing), *(of[1:] for of in self._sliding)]
        return np.hstack([effort for effort, _ in each]), np.hstack([rate for _, rate in each])

    @property
    def _rubbed(self) -> tuple[str, ...]:
        return tuple(name for name, effort, _ in self._sliding for _ in range(effort.shape[1]))

    def _bending_columns(self) -> dict[str, Array]:
        """Return the columns of bodies that bend, in order."""
        return {}

    def reaction_columns(self) -> dict[str, Array]:
        """Return the columns of joints, couplings and drivers, in order; nan where they are not determined."""
        result: dict[str, Array] = {}
        joints = self.mechanism.joints
        for name, joint in joints.items():
            if joint.bodies:
                forces = ("f", self.reaction(name, joint.second)), ("m", self.moment(name, joint.second))
                result |= vector_columns(f"{name}.{joint.second}", *forces)
        for name in (*self.mechanism.couplings, *self.mechanism.drivers):
            result[f"{name}.effort"] = self.effort(name)
        return result | self.pressure_columns()


def moving_columns(seen: Any) -> dict[str, Array]:
    """Return the columns of points and bodies in space, in order."""
    result: dict[str, Array] = {}
    for name in seen.mechanism.points:
        places = ("", seen[name]), ("v", seen.velocity(name)), ("a", seen.acceleration(name))
        result |= vector_columns(name, *places)
    for name in seen.mechanism.bodies:
        places = ("", seen.com(name)), ("v", seen.com_velocity(name)), ("a", seen.com_acceleration(name))
        result |= vector_columns(name, *places)
        result |= dict(zip((f"{name}.q{part}" for part in "wxyz"), seen.quaternion(name).T, strict=True))
        result |= vector_columns(name, ("omega_", seen.omega(name)), ("alpha_", seen.alpha(name)))
    return result
