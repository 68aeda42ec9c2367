"""Inputs of linear equations by name: forces of size 1, as the model would have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from particlemech.analyses.vibration import shaking
from particlemech.analyses.vibration.conditions import Held, driven_by
from particlemech.errors import ModelError, suggestion
from particlemech.model import forces as planar
from particlemech.model.description import GROUND
from particlemech.model.signals import Constant
from particlemech.model.space import forces as spatial
from particlemech.model.spec import shown

KINDS: dict[str, Any] = {"particles": planar, "recursive": spatial}
AXES = "xyz"
SCALAR = ("effort", "torque", "pressure")  # keys of forces that have one signal
VECTORS = ("force", "torque", "moment")  # of those that have one for each axis


def force_of(held: Held, asked: str, inputs: Any) -> dict[str, Any]:
    """Return a force of size 1 for each input, by name.

    An input is the name of a motor, torque or load of the model ("push.fx" for one component), of a driver that is let
    go, or of a coordinate, on which an effort acts; a pair of a point and a direction; or a force as one writes it. A
    driver that stays is three inputs, and a motor or controller that follows a signal has this one, see shaking.py. A
    mapping gives them names of their own.
    """
    if inputs is None:
        return {}
    if not isinstance(inputs, Mapping):
        every = [inputs] if isinstance(inputs, str) or _is_pair(inputs) or hasattr(inputs, "exerted") else list(inputs)
        inputs = {
            of if isinstance(of, str) else f"{of[0]}" if _is_pair(of) else f"u{k}": of for k, of in enumerate(every)
        }
    found: dict[str, Any] = {}
    for name, of in inputs.items():
        said = str(name).replace(".", " ")
        force = held.forces.get(of) if isinstance(of, str) else None
        if isinstance(of, str) and of in held.after.drivers:
            found |= shaking.inputs(said, of)
        elif force is not None and force.called and force.in_file:
            if of not in held.before.forces:
                raise ModelError(f'{asked}: input "{of}" acts only among loads; ask with loads = True')
            found |= shaking.of_element(said, of, force, held.before.run.duration)
        else:
            found[said] = _one(held, asked, of)
    return found


def _is_pair(of: Any) -> bool:
    return isinstance(of, (tuple, list)) and len(of) == 2 and isinstance(of[0], str) and not isinstance(of[1], str)


def _one(held: Held, asked: str, of: Any) -> Any:
    """Return one force of size 1."""
    m, kinds = held.before, KINDS[held.before.engine]
    if hasattr(of, "exerted"):
        return of
    if _is_pair(of):
        return _at_point(m, kinds, asked, *of)
    if not isinstance(of, str):
        raise ModelError(f"{asked}: expected a name, a force, or a point and a direction, got {shown(of)}")
    if of in m.drivers:
        at = next((at for at, name in driven_by(m).items() if name == of), None)
        if at is None:
            raise ModelError(f'{asked}: driver "{of}" drives no coordinate of a joint; give forces in its place')
        return kinds.Motor(joint=at[0], coordinate=at[1], effort=Constant(value=1.0))
    head, _, tail = of.rpartition(".")
    if of in held.forces or (head in held.forces and head not in m.joints):
        name = of if of in held.forces else head
        return _of_force(held.forces[name], asked, name, "" if name == of else tail, AXES[: len(m.gravity)])
    return _on_coordinate(held, kinds, asked, of)


def _at_point(m: Any, kinds: Any, asked: str, point: str, direction: Any) -> Any:
    """Return a force at a point."""
    size = len(m.gravity)
    numbers = tuple(direction) if isinstance(direction, (tuple, list)) or hasattr(direction, "__len__") else ()
    if point not in m.points:
        raise ModelError(f'{asked}: point "{point}" unknown{suggestion(point, m.points)}')
    if len(numbers) != size or not all(isinstance(x, (int, float)) for x in map(float, numbers)):
        raise ModelError(f"{asked}: direction of the force: expected {size} finite numbers, got {shown(direction)}")
    if m.carrier(point) == GROUND:
        raise ModelError(f'{asked}: point "{point}" is fixed to ground, where a force moves nothing; name another')
    return kinds.Load(body=m.carrier(point), point=point, force=tuple(Constant(value=float(x)) for x in numbers))


def _of_force(spec: Any, asked: str, name: str, component: str, axes: str) -> Any:
    """Return a force of the model with its signal at 1."""
    for word in SCALAR:
        if getattr(spec, word, None) is not None and not isinstance(getattr(spec, word), tuple):
            return replace(spec.alone, **{word: Constant(value=1.0)})
    vector = next((word for word in VECTORS if isinstance(getattr(spec, word, None), tuple)), None)
    if vector is None or not component or component[-1] not in axes:
        known = ", ".join(f'"{name}.f{axis}"' for axis in axes)
        raise ModelError(f'{asked}: force "{name}" is no motor, torque or component of a load, such as {known}')
    return replace(spec, **{vector: tuple(Constant(value=float(axis == component[-1])) for axis in axes)})


def _on_coordinate(held: Held, kinds: Any, asked: str, of: str) -> Any:
    """Return an effort on a coordinate of a joint."""
    m = held.before
    joint, _, name = (of, "", "") if of in m.joints else of.rpartition(".")
    known = [j for j, spec in m.joints.items() if spec.coordinate_names]
    if joint not in known:
        raise ModelError(f'{asked}: joint "{of}" is not free{suggestion(of, [*known, *m.forces, *m.drivers])}')
    if name.startswith("omega"):  # about an axis of the parent
        moment = tuple(Constant(value=float(str(k) == name[-1])) for k in (1, 2, 3))
        return kinds.Motor(joint=joint, moment=moment)
    names = m.joints[joint].coordinate_names
    if not name and len(names) > 1:
        said = ", ".join(f"{joint}.{one}" for one in names)
        raise ModelError(f'{asked}: joint "{joint}" has several coordinates; name one of {said}')
    driver = driven_by(held.after).get((joint, name or names[0]))
    if driver is not None:
        raise ModelError(
            f'{asked}: joint "{joint}" is not free: driver "{driver}" holds it; let it go by release = ["{driver}"]'
        )
    if (joint, name or names[0]) in held.locked:
        raise ModelError(f'{asked}: joint "{joint}" is not free: it is held; leave it out of hold and joints')
    return kinds.Motor(joint=joint, coordinate=name or names[0], effort=Constant(value=1.0))
