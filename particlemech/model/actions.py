"""Actions on the way: when a condition becomes true, a joint is locked, freed or taken out, or the run ends.

A condition compares two expressions in the grammar of parameters, over the time t, points (B.x, B.y, B.vx, B.vy),
coordinates of joints and their rates (A.angle, A.angle_rate, S.travel), and bodies (rod.angle, rod.omega):

    when = "B.x > 0.3"        it becomes true where B.x - 0.3 rises through zero
    when = "A.angle < -30 deg"
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from particlemech.errors import ModelError, suggestion
from particlemech.model.dimensions import fits, powers_of, refused
from particlemech.model.expressions import TIME, Expression, parsed, value_of
from particlemech.model.scope import Scope
from particlemech.model.spec import Spec, choice, key, name, text
from particlemech.model.table_forms import flag

if TYPE_CHECKING:
    from particlemech.model.mechanism import Mechanism

LOCK, FREE, DETACH, END = "lock joint", "free joint", "detach", "stop"
_SIDES = re.compile(r"(<=|>=|<|>)").split
_FIELD = partial(re.sub, r"\b([A-Za-z_]\w*)\.([A-Za-z_]\w*)")
_JOIN = "__of__"  # between the names of a part and of its field, while an expression is read
_OF_POINT = {"x": "length", "y": "length", "vx": "speed", "vy": "speed"}
_OF_BODY = {"angle": "angle", "omega": "angular rate"}


class _Now(Scope):
    """The names of a mechanism while it moves."""

    def __init__(self, mechanism: Any) -> None:
        super().__init__(mechanism.parameters, mechanism.points, mechanism.units)
        self.mechanism, self.t = mechanism, 0.0
        self.state: Any = None

    def parameter(self, name: str) -> tuple[Any, Any]:
        """Return the time, a field of a part, or a parameter."""
        if name == TIME:
            return self.t, powers_of("time")
        part, _, field = name.partition(_JOIN)
        return self._field(part, field) if field else super().parameter(name)

    def coordinate(self, point: str, axis: str) -> Any:
        """Return where a point is now."""
        return self._field(point, axis)[0]

    def _field(self, part: str, field: str) -> tuple[float, Any]:
        m, s = self.mechanism, self.state
        own = m.joints[part].coordinate_names if part in m.joints else ()
        other = _OF_POINT if part in m.points else _OF_BODY if part in m.bodies else {}
        known = {of + tail: (of, tail) for of in own for tail in ("", "_rate")}
        if not known and not other:
            raise ModelError(f'"{part}.{field}": "{part}" unknown{suggestion(part, [*m.points, *m.joints, *m.bodies])}')
        if field in known:
            of, rate = known[field]
            per = "/time" if rate else ""
            dimension = powers_of(("angle" if m.is_angle(part, of) else "length") + per)
            if s is None:
                return 1.0, dimension
            return float(s.rate(part, of) if rate else s.coordinate(part, of)), dimension
        if field not in other:
            raise ModelError(f'"{part}.{field}": it has {", ".join([*known, *other])}')
        if s is None:
            return 1.0, powers_of(other[field])
        if part in m.points:
            value = (s[part] if len(field) == 1 else s.velocity(part))[int(field[-1] == "y")]
        else:
            value = s.angle(part) if field == "angle" else s.omega(part)
        return float(value), powers_of(other[field])


@dataclass(frozen=True, kw_only=True)
class Action(Spec):
    """What happens when a condition becomes true: once, or every time."""

    when: str = key(text, 'the condition, such as "B.x > 0.3"; it acts where it becomes true')
    do: str = key(choice(LOCK, FREE, DETACH, END), "what is done")
    joint: str | None = key(name, "the joint, unless the run stops", None)
    once: bool = key(flag, "only the first time", True)

    def verify(self) -> None:
        """Check that it is said what it acts on, and that the condition compares."""
        if (self.joint is None) != (self.do == END):
            raise ModelError(f'"{self.do}" ' + ("needs no joint" if self.joint else 'needs the key "joint"'))
        if len(_SIDES(self.when)) != 3:
            raise ModelError(f'key "when": "{self.when}" compares nothing; write one of < <= > >= between two values')

    def check(self, mechanism: Mechanism) -> None:
        """Check joint and condition."""
        if self.joint is not None:
            mechanism.known_joint(self.joint)
            if self.do == LOCK and not mechanism.joints[self.joint].coordinate_names:
                raise ModelError(f'joint "{self.joint}" has no coordinate that could be locked')
            locking = [n for n, a in mechanism.events.items() if a.do == LOCK and a.joint == self.joint]
            if self.do == FREE and not locking:
                raise ModelError(f'joint "{self.joint}" is locked by no event, so nothing can be freed')
        try:
            first, second = (value_of(side.tree, _Now(mechanism))[1] for side in self._sides())
        except ModelError as error:
            raise ModelError(f'key "when": {error}') from None
        wanted: Any = first if not isinstance(first, str) else second
        if not isinstance(wanted, str) and not (fits(second, wanted) and fits(first, wanted)):
            raise ModelError(f'key "when": "{self.when}": {refused(second, wanted)}')

    def _sides(self) -> tuple[Expression, Expression]:
        left, _, right = _SIDES(self.when)
        one, other = (
            parsed(_FIELD(lambda m: m[0] if m[2] in ("x", "y") else f"{m[1]}{_JOIN}{m[2]}", side).strip())
            for side in (left, right)
        )
        return one, other

    @property
    def direction(self) -> int:
        """+1 where the left side rises through the right one, -1 where it falls."""
        return 1 if ">" in _SIDES(self.when)[1] else -1

    def function(self, mechanism: Mechanism) -> Callable[[float, Any], float]:
        """Return the left side less the right one, of time and state."""
        scope, (left, right) = _Now(mechanism), self._sides()

        def value(t: float, state: Any) -> float:
            scope.t, scope.state = t, state
            return float(value_of(left.tree, scope)[0] - value_of(right.tree, scope)[0])

        return value
