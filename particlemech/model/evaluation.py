"""Expressions of a mechanism: parts with texts for numbers become parts with numbers that keep their texts.

    names -> values       parameters and coordinates of points, each evaluated when first asked for; cycles are named
    texts -> Quantity     in every key, its dimension checked, in the units of the model                          (1)
    other parameters      every Quantity is evaluated again; parts without any stay the same objects             (2)

Values may be columns, one row per variant: then a whole sweep is evaluated at once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from particlemech.errors import ModelError, part, suggestion
from particlemech.model.columns import dimension
from particlemech.model.dimensions import LENGTH, Powers, fits, label, powers_of, refused
from particlemech.model.expressions import Expression, parsed, reserved
from particlemech.model.parameters import Parameter, parameter
from particlemech.model.quantity import Quantity, quantities
from particlemech.model.scope import Scope
from particlemech.model.spec import (
    FrozenMapping,
    Spec,
    direction,
    direction3,
    number,
    place,
    place3,
    vector,
    vector3,
)

if TYPE_CHECKING:
    from particlemech.model.description import Description

VECTORS = (vector, vector3, direction, direction3)


# -- parts that wait, (1) ------------------------------------------------------------------------------------------


class Settling:
    """Gives numbers to the expressions of the parts of one mechanism."""

    def __init__(self, mechanism: Any, scope: Scope) -> None:
        self.mechanism, self.scope = mechanism, scope

    def part(self, spec: Any, value: Powers | None = None) -> Any:
        """Return a part with numbers; `value` is what its signal is for, where it is one."""
        if not spec.unsettled:
            return spec
        bind = getattr(spec, "bound", None)
        if bind is not None:  # a function of time
            return bind(self.scope, value)
        fields = {f.name: f for f in dataclasses.fields(spec)}
        new = {}
        for name in spec.unsettled:
            metadata = fields[name].metadata
            with part(f'key "{name}"'):
                wanted = Wanted(metadata["dimension"], spec, self.mechanism, value)
                new[name] = self.value(getattr(spec, name), metadata["form"], wanted)
                _check_kept(metadata["form"], new[name])
        return dataclasses.replace(spec, **new)

    def value(self, given: Any, form: Any, wanted: Wanted, path: tuple[Any, ...] = ()) -> Any:
        """Return a value of a key with its texts evaluated."""
        if isinstance(given, Spec):
            return self.part(given, wanted.at(path))
        if form in (place, place3) and isinstance(given, str) and given in self.mechanism.points:
            return given
        if form in (place, place3) and isinstance(given, str) and "(" not in given:
            return given
        if isinstance(given, str):
            return self.text(given, form, wanted.at(path))
        if isinstance(given, Mapping):
            kind = getattr(form, "kind", None)
            if kind is not None:
                return self.part(kind(**given), wanted.at(path))
            return {name: self.value(one, None, wanted, (*path, name)) for name, one in given.items()}
        if isinstance(given, (list, tuple)):
            each = getattr(form, "each", None)
            signal = getattr(form, "of_signals", None)
            return tuple(self.value(one, each or signal, wanted, (*path, k)) for k, one in enumerate(given))
        return given

    def text(self, text: str, form: Any, wanted: Powers | None) -> Any:
        """Return the number, place or function of time that an expression is."""
        said = parsed(text)
        if said.vector:
            return tuple(Quantity.of(_finite(x), said, LENGTH, k) for k, x in enumerate(self.scope.construct(said)))
        if form in VECTORS:
            try:
                form(text)
            except ModelError as error:
                raise ModelError(f"{error}; or a construction, such as mid(A, B)") from None
        if said.of_time and getattr(form, "takes_time", None) is not None:
            return form.takes_time(value=text).bound(self.scope, wanted)
        value, _ = self.scope.quantity(said, wanted)
        return Quantity.of(_finite(value), said, wanted)


def _finite(value: Any) -> float:
    return float(value)


def _check_kept(form: Any, value: Any) -> None:
    """Check that a form keeps what expressions gave: one that computes with it would hide what depends on them."""
    shaped = form(value)
    if len(list(quantities(shaped))) < len(list(quantities(value))):
        raise ModelError("takes numbers only, no expressions; write the numbers themselves")


class Wanted:
    """The dimension that a key asks for, which may depend on the part and on the mechanism."""

    def __init__(self, text: str, spec: Any, mechanism: Any, value: Powers | None) -> None:
        self.text_, self.spec, self.mechanism, self.value = text, spec, mechanism, value

    def at(self, path: tuple[Any, ...]) -> Powers | None:
        """Return the dimension of a number of the key, by its path within it; None: any."""
        text = self.text_
        if text in ("", "any"):
            return None
        if text == "followed":
            followed = self.spec.followed(self.mechanism)
            return Wanted(followed.dimension, followed.spec, self.mechanism, None).at(path)
        if text == "column":
            return dimension(self.mechanism, str(path[0]))
        if "value" in text:
            if self.value is None:
                return None
            return tuple(a + b for a, b in zip(self.value, powers_of(text.replace("value", "number")), strict=True))  # type: ignore[return-value]
        if "freedom" in text or "effort" in text:
            turn = self._turn(path)
            if turn is None:
                return None
            text = text.replace("freedom", "angle" if turn else "length")
            text = text.replace("effort", "moment" if turn else "force")
        return powers_of(text)

    def _turn(self, path: tuple[Any, ...]) -> bool | None:
        """Return whether the coordinate that is meant is an angle; None: it is not known."""
        spec = self.spec
        if getattr(spec, "coordinate_names", ()):  # of the joint itself
            known = spec.coordinate_names
            word = path[0] if path and isinstance(path[0], str) else next(iter(known), "")
            return str(word).startswith("angle")
        if path and isinstance(path[0], str):  # of joints by name
            joint, *rest = path
            self.mechanism.known_joint(joint)
            known = self.mechanism.joints[joint].coordinate_names
            word = rest[0] if rest else 0
            if isinstance(word, int):
                return known[word].startswith("angle") if word < len(known) else None
            return self.mechanism.known_coordinate(joint, word).startswith("angle")
        joint = getattr(spec, "joint", None)
        if joint is None:
            return True if getattr(spec, "bodies", None) is not None else None
        return str(self.mechanism.known_coordinate(joint, getattr(spec, "coordinate", None))).startswith("angle")


def settled(mechanism: Any) -> dict[str, Any]:
    """Return the sections of a mechanism that hold expressions, with numbers in their place."""
    waiting = mechanism.unsettled
    for name in mechanism.parameters:
        why = reserved(name)
        if why is not None:
            raise ModelError(f'section "parameters": {why}')
    given = {name: _as_parameter(name, one) for name, one in mechanism.parameters.items()}
    scope = Scope(given, mechanism.points, mechanism.units)
    settling = Settling(mechanism, scope)
    new: dict[str, Any] = {}
    if "parameters" in waiting:
        new["parameters"] = FrozenMapping({name: _settled_parameter(name, given[name], scope) for name in given})
    for name in waiting:
        value = getattr(mechanism, name)
        if name == "parameters":
            continue
        if name in mechanism.sections:
            new[name] = FrozenMapping(_settled_parts(mechanism.sections[name], value, settling))
        elif isinstance(value, Spec):
            with part(f'section "{name}"'):
                new[name] = settling.part(value)
        else:
            new[name] = _whole(mechanism, name, value, settling)
    return new


def _settled_parts(section: Any, given: Mapping[str, Any], settling: Settling) -> dict[str, Any]:
    """Return the parts of a section, or its points, with numbers."""
    found = {}
    for name, one in given.items():
        with part(f'{section.part} "{name}"'):
            if section.form:
                wanted = Wanted("length", None, None, None)
                found[name] = section.form(settling.value(one, section.form, wanted))
            else:
                found[name] = settling.part(one)
    return found


def _whole(mechanism: Any, name: str, value: Any, settling: Settling) -> Any:
    field = next(f for f in dataclasses.fields(mechanism) if f.name == name)
    with part(f'key "{name}"'):
        wanted = Wanted(field.metadata["dimension"], mechanism, mechanism, None)
        return settling.value(value, field.metadata["form"], wanted)


def _as_parameter(name: str, given: Any) -> Parameter:
    with part(f'parameter "{name}"'):
        return parameter(given)


def _settled_parameter(name: str, given: Parameter, scope: Scope) -> Parameter:
    """Return a parameter with numbers for its value and bounds, which keep their texts."""
    with part(f'parameter "{name}"'):
        value, dimension = scope.parameter(name)
        wanted = None if isinstance(dimension, str) else dimension
        new: dict[str, Any] = {"value": Quantity.of(float(value), _said(given.value), wanted)}
        for bound in ("min", "max"):
            said = _said(getattr(given, bound))
            if said is not None:
                with part(f'key "{bound}"'):
                    new[bound] = Quantity.of(scope.quantity(said, wanted)[0], said, wanted)
        return dataclasses.replace(given, **new)


def _said(value: Any) -> Expression | None:
    if isinstance(value, Quantity):
        return value.said
    return parsed(value) if isinstance(value, str) else None


# -- other parameters, (2) -------------------------------------------------------------------------------------------


def anew(value: Any, scope: Scope) -> Any:
    """Return a value with its expressions evaluated again; the same object where nothing has changed."""
    if type(value) is float:
        return value
    if isinstance(value, Quantity):
        if value.said is None:
            return value
        if value.component is not None:
            found = scope.construct(value.said)[value.component]
        else:
            found = scope.quantity(value.said, value.wanted)[0]
        return value if found == value else Quantity.of(float(found), value.said, value.wanted, value.component)
    if isinstance(value, tuple):
        made = tuple([anew(one, scope) for one in value])
        return value if all(map(_same, made, value)) else made
    if isinstance(value, FrozenMapping):
        table = {name: anew(one, scope) for name, one in value.items()}
        return value if all(map(_same, table.values(), value.values())) else FrozenMapping(table)
    if isinstance(value, Spec):
        bind = getattr(value, "bound", None)
        if bind is not None:
            return bind(scope, value.wanted)  # type: ignore[attr-defined]
        new = {}
        for field in dataclasses.fields(value):  # type: ignore[arg-type]
            old = getattr(value, field.name)
            if not isinstance(old, str) and old is not None:
                found = anew(old, scope)
                if found is not old:
                    new[field.name] = found
        return dataclasses.replace(value, **new) if new else value  # type: ignore[type-var]
    return value


def _same(one: Any, other: Any) -> bool:
    return one is other


def anew_all(mechanism: Any, given: Mapping[str, Parameter] | None = None) -> dict[str, Any]:
    """Return what changes in a mechanism whose expressions are evaluated again, by key; with other parameters."""
    changed = mechanism.parameters if given is None else given
    scope = Scope(changed, mechanism.points, mechanism.units)
    new: dict[str, Any] = {}
    if changed:
        found = {name: _settled_parameter(name, one, scope) for name, one in changed.items()}
        if given is not None or any(found[n].value != one.value for n, one in changed.items()):
            new["parameters"] = FrozenMapping(found)
    for field in dataclasses.fields(mechanism):
        old = getattr(mechanism, field.name)
        if isinstance(old, FrozenMapping) and field.name != "parameters":
            table = {}
            for name, one in old.items():
                with part(f'{mechanism.sections[field.name].part} "{name}"'):
                    table[name] = anew(one, scope)
            if not all(map(_same, table.values(), old.values())):
                new[field.name] = FrozenMapping(table)
        elif isinstance(old, (Spec, tuple)):
            with part(f'section "{field.name}"'):
                made = anew(old, scope)
            if made is not old:
                new[field.name] = made
    return new


def with_parameters(mechanism: Description, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what changes in a mechanism with other values of parameters, by key."""
    known = mechanism.parameters
    if not known:
        raise ModelError("the mechanism has no parameters; name its numbers in [parameters]")
    changed = dict(known)
    for name, value in given.items():
        if name not in known:
            raise ModelError(f'parameter "{name}" unknown{suggestion(name, known)}')
        with part(f'parameter "{name}"'):
            changed[name] = parameter(_changed(known[name], value, mechanism.units))
    scope = Scope(changed, mechanism.points, mechanism.units)
    for name in given:
        wanted = getattr(known[name].value, "wanted", None)
        with part(f'parameter "{name}"'):
            found = scope.parameter(name)[1]
            if wanted is not None and not fits(found, wanted):
                raise ModelError(refused(found, wanted))
    new = anew_all(mechanism, changed)
    check = new.get("check", mechanism.check)
    if check.end and any(one.value != known[name].value for name, one in new["parameters"].items()):
        # numbers that came out of the old values say nothing of the new ones
        follow = {name: one for name, one in check.end.items() if isinstance(one, Quantity) and one.said.names}
        new["check"] = dataclasses.replace(check, end=follow)
    return new


def revalued(mechanism: Description, change: Mapping[str, Any]) -> dict[str, Any]:
    """Return changes of parameters in which plain values keep the bounds and the dimension of those they replace."""
    known = mechanism.parameters
    return {
        name: value if value is None or name not in known else _changed(known[name], value, mechanism.units)
        for name, value in change.items()
    }


def _changed(old: Parameter, value: Any, system: str) -> Parameter:
    """Return a parameter with another value: a plain number is in the units of the model and keeps the dimension."""
    if isinstance(value, (Mapping, Parameter)):
        return value  # type: ignore[return-value]
    wanted = getattr(old.value, "wanted", None)
    if not isinstance(value, str) and hasattr(value, "__float__") and wanted is not None:
        unit = label(wanted, system)
        plain = number(value)
        value = f"{plain!r} {unit}" if unit and plain >= 0.0 else f"-({-plain!r} {unit})" if unit else plain
    return dataclasses.replace(old, value=value)


def units_of(mechanism: Description) -> dict[str, str]:
    """Return the unit of each parameter in the model's system; "" where it has none."""
    known = {name: getattr(one.value, "wanted", None) for name, one in mechanism.parameters.items()}
    return {name: "" if wanted is None else label(wanted, mechanism.units) for name, wanted in known.items()}
