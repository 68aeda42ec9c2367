"""What the columns of a result are: the quantity that each shows, and its unit in the units of the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from particlemech.errors import ModelError, suggestion
from particlemech.model.dimensions import Powers, unit_product

_STEMS = {
    "": "position", "v": "velocity", "a": "acceleration", "omega_": "angular velocity", "f": "force", "m": "moment",
    "alpha_": "angular acceleration", "p": "momentum", "h": "angular momentum", "q": "quaternion",
}  # fmt: skip
_ANGLES = ("angle", "angle1", "angle2", "angle3")
_LENGTHS = ("x", "y", "z", "travel")
_QUANTITIES = {
    "omega": "angular velocity", "alpha": "angular acceleration", "m": "moment", "qw": "quaternion",
    "kinetic": "energy", "potential": "energy", "total": "energy", "work": "energy", "loss": "power",
    "position": "position", "velocity": "velocity", "travel": "position",
    "axial_max": "force", "shear_max": "force", "moment_max": "moment", "torsion_max": "moment",
    "stress_max": "stress", "shear_stress_max": "stress", "pressure": "stress",
    **{f"elastic_{axis}": "deflection" for axis in "xyz"},
    **{f"{stem}{axis}": quantity for stem, quantity in _STEMS.items() for axis in "xyz"},
    **dict.fromkeys(_ANGLES, "angle"),
    **{f"{name}_rate": "angular velocity" for name in _ANGLES},
    **{f"{name}_rate": "velocity" for name in _LENGTHS},
}  # fmt: skip

_MEASURED = {
    "transmission": "angle", "power": "power", "inflection_diameter": "position", "screw_pitch": "pitch",
    **{f"{part}_{axis}": "position" for part in ("pole", "centrode", "inflection", "screw") for axis in "xyz"},
}  # fmt: skip


def quantity(m: Any, column: str) -> str:
    """Return what a column of a result shows, such as "velocity"."""
    part, _, field = column.rpartition(".")
    if field.endswith(("_ratio", "_advantage")):
        return _ratio(m, *column.rpartition("_")[::2])
    if field in _MEASURED:
        return _MEASURED[field]
    if part in m.joints and field in m.joints[part].quantities(m):
        return str(m.joints[part].measure(field, m))
    if part in m.forces and (found := _of_force(m, part, field)):
        return found
    if field == "effort":
        exerting = m.drivers[part] if part in m.drivers else m.joints[part]  # couplings have an effort too
        return "moment" if exerting.turns(m) else "force"
    joint, _, coordinate = column.partition(".")
    if joint in m.joints and coordinate.startswith("angle."):  # of a pin with more than two bodies
        return "angle" if coordinate in m.joints[joint].coordinate_names else "angular velocity"
    if field in _QUANTITIES:
        return _QUANTITIES[field]
    name, _, rate = field.partition("_")
    if name == "deflection":  # of the drive of a joint that has one coordinate
        return quantity(m, f"{part}.{m.joints[part].coordinate_names[0]}{'_rate' if rate else ''}")
    return "rate of modes" if rate else "modes"


def _ratio(m: Any, coordinate: str, what: str) -> str:
    """Return what the velocity ratio or the mechanical advantage of a coordinate is: of which kinds of quantities."""
    driver = next(iter(m.drivers.values()), None)
    kinds = [quantity(m, coordinate), "angle" if driver is None or driver.turns(m) else "position"]
    of, to = kinds if what == "ratio" else kinds[::-1]
    return "ratio" if of == to else f"{of} per {to}"


def _of_force(m: Any, name: str, field: str) -> str | None:
    """Return what a column of a force shows, or None if it has no such column."""
    reported = m.forces[name].quantities(m)
    found = next((found for found, tails in reported.items() if field in tails), None)
    if found == "rate":
        return "angular velocity" if "angle" in reported else "velocity"
    if found == "error":
        return quantity(m, m.forces[name].column(m))
    if found in ("effort", "integral"):
        return "moment" if m.forces[name].turns(m) else "force"
    if found is not None and found[:1] == "z":  # that a function owns
        return "state"
    return {"length": "position", "place": "position", "travel": "position"}.get(found or "", found)


def unit(m: Any, of: str) -> str:
    """Return the unit of a quantity in the units of a model."""
    units = m.unit
    label = {
        "position": units.length,
        "deflection": units.length,
        "velocity": f"{units.length}/s",
        "acceleration": f"{units.length}/s^2",
        "angle": "rad",
        "angular velocity": "rad/s",
        "angular acceleration": "rad/s^2",
        "force": units.force,
        "moment": units.moment,
        "flow": f"{units.length}^3/s",
        "current": "A",
        "state": "",
        "stress": f"{units.force}/{units.length}^2",
        "energy": units.energy,
        "power": {"J": "W"}.get(units.energy, f"{units.energy}/s").replace("/s^2/s", "/s^3"),
        "ratio": "1",
        "position per angle": f"{units.length}/rad",
        "angle per position": f"rad/{units.length}",
        "pitch": f"{units.length}/rad",
        "momentum": f"{units.mass} {units.length}/s",
        "angular momentum": f"{units.mass} {units.length}^2/s",
        "quaternion": "1",
        "modes": "1",
        "rate of modes": "1/s",
    }[of]
    return label.replace("^2", "²").replace("^3", "³")


UNMADE = ("", "1", "A")  # no unit of ours is made of these; electricity has its own
_OF_FIGURES = {"t": "s", "duration": "s", "frequency": "Hz", "omega": "rad/s", "energy_error": "1", "damping": "1"}
_SIZES = {"closure": "position"}


def unit_of(m: Any, curve: str) -> str:
    """Return the unit of a curve that a figure is of: a column, the size of a vector, one number; "" if not known."""
    if curve in _OF_FIGURES:
        return _OF_FIGURES[curve]
    vector = curve.rpartition(".")[2] in _STEMS
    try:
        return unit(m, _SIZES.get(curve) or quantity(m, f"{curve}x" if vector else curve))
    except KeyError:
        return ""


def dimension(m: Any, curve: str) -> Powers | None:
    """Return the dimension of a curve that a figure is of; None: it is not known, or of electricity."""
    label = unit_of(m, curve)
    plain = label.replace("²", "^2").replace("³", "^3")
    return None if label in UNMADE else unit_product(plain).powers


WHOLE = ("energy", "closure", "momentum")  # heads of columns that are no part's


def has_column(m: Any, column: str) -> bool:
    """Return whether a mechanism has a column, as far as its parts tell."""
    head, _, field = column.partition(".")
    if not field or not any(head in of for of in (m.points, m.bodies, m.joints, m.drivers, m.forces, WHOLE)):
        return False
    try:
        found = quantity(m, column)
    except KeyError:
        return False
    return not found.endswith("modes") or getattr(m.bodies.get(head), "bends", False)


def check_column(m: Any, column: str) -> None:
    """Raise where a mechanism has no such column."""
    if has_column(m, column):
        return
    head, _, field = column.partition(".")
    heads = [*dict.fromkeys((*m.points, *m.bodies, *m.joints, *m.drivers, *m.forces, *WHOLE))]
    if head not in heads:
        raise ModelError(f'column "{column}" unknown: no part is called "{head}"{suggestion(head, heads)}')
    raise ModelError(f'column "{column}" unknown: "{head}" has no "{field}"; a result written to .csv shows all')


def chosen(names: Iterable[str], columns: Mapping[str, object]) -> list[str]:
    """Return the columns that names stand for: one each, or all components of a vector and all angles of a joint."""
    result: list[str] = []
    for name in names:
        found = [name] if name in columns and name != "t" else _components(name, columns)
        if not found:
            raise ModelError(f'column "{name}" unknown{suggestion(name, columns)}')
        result += found
    return result


def _components(name: str, columns: Mapping[str, object]) -> list[str]:
    for joined, endings in ((".", "xyz"), ("", "xyz"), ("_", "xyz"), ("", "123")):
        found = [f"{name}{joined}{ending}" for ending in endings if f"{name}{joined}{ending}" in columns]
        if len(found) > 1:
            return found
    return []
