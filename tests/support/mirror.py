"""The mirror image of a mechanism in the plane and of its motion.

(x, y) -> (-x, y)         places, velocities, accelerations and forces                                           (1)
a -> -a                   angles, angular velocities and couples; lengths and travels stay                       (2)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from particlemech import joints
from particlemech.engine.system import Array
from particlemech.model import columns
from particlemech.model.mechanism import Mechanism
from particlemech.result.plane import PlanarResult

VALUES = ("value", "rate", "offset", "amplitude", "start", "end", "before", "after")  # keys of signals that are values
TURNING = ("angle", "angular velocity", "angular acceleration", "moment", "angular momentum")


def negated(signal: Any) -> Any:
    """Return a signal whose values are those of another with the opposite sign."""
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(signal):
        value = getattr(signal, field.name)
        if field.name in VALUES:
            changes[field.name] = tuple(-v for v in value) if isinstance(value, tuple) else -value
        elif field.name == "signal":
            changes["signal"] = negated(value)
    return dataclasses.replace(signal, **changes)


def _place(place: Any) -> Any:
    """Return a place by (1), or the name of one."""
    return place if isinstance(place, str) else (-place[0], place[1])


def _opposite(mechanism: Mechanism, spec: Any) -> bool:
    """Return whether an effort or a motion changes its sign: that of an angle, by (2), or of a coordinate x, by (1)."""
    return spec.turns(mechanism) or getattr(spec, "axis", None) == "x"


def _part(mechanism: Mechanism, spec: Any) -> Any:
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(spec):
        key, value = field.name, getattr(spec, field.name)
        if value is None:
            continue
        if key in ("com", "point", "axis", "pivot", "face"):
            changes[key] = _place(value)
        elif key in ("points", "curve"):
            changes[key] = tuple(_place(p) for p in value)
        elif key in ("force", "impulse"):
            changes[key] = (negated(value[0]) if key == "force" else -value[0], value[1])
        elif key == "torque" or (key in ("effort", "motion", "voltage") and _opposite(mechanism, spec)):
            changes[key] = negated(value)
        elif key in ("angle", "moment"):
            changes[key] = -value
        elif key in ("lower", "upper") and spec.turns(mechanism):
            other = "upper" if key == "lower" else "lower"
            changes[other] = -value
            changes.setdefault(key, None)
        elif key == "crossed":  # pulleys run over one way are run over the other way
            back = value if isinstance(value, tuple) else spec.pulleys[1:] if value else ()
            changes[key] = tuple(b for b in spec.pulleys if b not in back) or False
        elif key == "clockwise":
            changes[key] = not value and spec.curve is None
        elif key == "ratio":
            one, other = (of.turn for of in spec.tied(mechanism))
            changes[key] = value if one == other else -value
    made = dataclasses.replace(spec, **changes)
    if getattr(spec, "mode", ()):  # what holds now holds in the mirror, on the other side of an angle
        other_side = {"lower": "upper", "upper": "lower"} if spec.tied(mechanism) and spec.turns(mechanism) else {}
        object.__setattr__(made, "mode", tuple(other_side.get(side, side) for side in spec.mode))
    return made


def _coordinates(mechanism: Mechanism, joint: str, given: Any) -> Any:
    """Return values of the coordinates of a joint, in their order or by name."""
    turns = {of.name: of.turn for of in mechanism.joints[joint].freedoms}
    if isinstance(given, Mapping):
        return {name: -v if turns[name] else v for name, v in given.items()}
    return tuple(-v if turn else v for v, turn in zip(given, turns.values(), strict=False))


def mirrored(mechanism: Mechanism) -> Mechanism:
    """Return the mirror image of a mechanism, by (1) and (2); functions see the mirrored state."""
    sections = {
        section: {name: _part(mechanism, spec) for name, spec in getattr(mechanism, section).items()}
        for section in ("bodies", "joints", "drivers", "forces", "impulses")
    }
    begin = mechanism.initial
    initial = dataclasses.replace(
        begin,
        position={joint: _coordinates(mechanism, joint, given) for joint, given in begin.position.items()},
        rate={joint: _coordinates(mechanism, joint, given) for joint, given in begin.rate.items()},
        omega={b: -v for b, v in begin.omega.items()},
        velocity={p: _place(v) for p, v in begin.velocity.items()},
    )
    points = {name: _place(place) for name, place in mechanism.points.items()}
    return dataclasses.replace(mechanism, points=points, gravity=_place(mechanism.gravity), initial=initial, **sections)


def image(result: PlanarResult) -> dict[str, Array]:
    """Return all columns of a motion as they are in the mirror, by (1) and (2)."""
    m, seen = result.system.mechanism, {}
    for name, values in result.columns().items():
        part, _, field = name.rpartition(".")
        if name == "t":
            continue
        if part in m.joints and isinstance(m.joints[part], joints.Stop) and field == "effort":
            opposite = m.joints[part].turns(m)
        elif part in m.joints and field in m.joints[part].quantities(m):  # to the left of a line of centres
            across = getattr(m.joints[part], "axis", None) is None and field in ("force", "tangential")
            opposite = across and not isinstance(m.joints[part], joints.Belt | joints.Cam)
        elif field == "effort" and part in m.drivers:
            opposite = _opposite(m, m.drivers[part])
        elif field == "current":
            opposite = _opposite(m, m.forces[part])
        else:
            opposite = columns.quantity(m, name) in TURNING or field.endswith("x")
        seen[name] = -values if opposite else values
    return seen
