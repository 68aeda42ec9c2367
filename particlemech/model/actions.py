"""Actions on the way, when a condition becomes true: joints are locked, freed and taken out, signals are switched.

A run may also end there. The time of a new signal counts from the event; the motion of a driver goes on from where it
is, and changes by what the new one changes from its t = 0 on (succession.py).

A condition compares two expressions in the grammar of parameters, over the time t, points (B.x, B.y, B.vx, B.vy),
coordinates of joints and their rates (A.angle, A.angle_rate, S.travel), and in the plane bodies (rod.angle, rod.omega):

    when = "B.x > 0.3"        it becomes true where B.x - 0.3 rises through zero
    when = "A.angle < -30 deg"

>>> import particlemech as pm
>>> off = pm.Action(when="O.angle < -30 deg", do="switch signal", of="motor", to=0.0)
>>> lifted = pm.models.load("pendulum").replaced(
...     forces={"motor": pm.forces.Motor(joint="O", effort=2.0)}, events={"off": off}, check={"end": {}}
... )
>>> pm.simulate(lifted, samples=3).switches[0].what
'switch signal'
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from particlemech.errors import ModelError, suggestion
from particlemech.errors import part as part_of
from particlemech.model.dimensions import fits, powers_of, refused
from particlemech.model.expressions import TIME, Expression, parsed, value_of
from particlemech.model.scope import Scope
from particlemech.model.spec import Spec, choice, key, name, text
from particlemech.model.succession import Followed, rates, signals, switched
from particlemech.model.table_forms import flag

LOCK, FREE, DETACH, SWITCH, END = "lock joint", "free joint", "detach", "switch signal", "stop"
NEEDS = {LOCK: ("joint",), FREE: ("joint",), DETACH: ("joint",), SWITCH: ("of", "to"), END: ()}  # keys, by what is done
_SIDES = re.compile(r"(<=|>=|<|>)").split
_FIELD = partial(re.sub, r"\b([A-Za-z_]\w*)\.([A-Za-z_]\w*)")
_NESTED = re.compile(r"\b[A-Za-z_]\w*\.[A-Za-z_]\w*\.[A-Za-z_][\w.]*").search
_JOIN = "__of__"  # between the names of a part and of its field, while an expression is read
_OF_POINT = {"x": "length", "y": "length", "z": "length", "vx": "speed", "vy": "speed", "vz": "speed"}
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
        axes = "xyz"[: len(m.gravity)]
        places = {name: of for name, of in _OF_POINT.items() if name[-1] in axes}
        other = places if part in m.points else _OF_BODY if part in m.bodies and len(axes) == 2 else {}
        known = {of + tail: (of, tail) for of in own for tail in ("", "_rate")}
        if not known and not other and part in m.bodies:
            raise ModelError(f'"{part}.{field}": in space bodies have no fields; name a point of it, or a joint')
        if not known and not other:
            raise ModelError(f'"{part}.{field}": "{part}" unknown{suggestion(part, [*m.points, *m.joints, *m.bodies])}')
        if field in known:
            of, rate = known[field]
            per = "/time" if rate else ""
            dimension = powers_of(("angle" if m.is_angle(part, of) else "length") + per)
            if s is None:
                return 1.0, dimension
            return float(s.rate(part, of) if rate else s.coordinate(part, of)), dimension  # nan: it is taken out
        if field not in other:
            raise ModelError(f'"{part}.{field}": it has {", ".join([*known, *other])}')
        if s is None:
            return 1.0, powers_of(other[field])
        if part in m.points:
            value = (s[part] if len(field) == 1 else s.velocity(part))["xyz".index(field[-1])]
        else:
            value = s.angle(part) if field == "angle" else s.omega(part)
        return float(value), powers_of(other[field])


def to_come(mechanism: Any, section: str) -> list[Any]:
    """Return the drivers or forces of a mechanism, and what events make of them."""
    own = getattr(mechanism, section)
    switching = [event for event in mechanism.events.values() if event.do == SWITCH and event.of in own]
    return [*own.values(), *(getattr(event.done(mechanism, 0.0), section)[event.of] for event in switching)]


def check_events(mechanism: Any) -> None:
    """Check the events of a mechanism, and that their names are their own."""
    for called, event in mechanism.events.items():
        with part_of(f'event "{called}"'):
            joint = mechanism.joints.get(called)
            if called in mechanism.drivers or (joint is not None and not getattr(joint, "locks", False)):
                raise ModelError("a joint or driver has the same name; rename one of them")
            event.check(mechanism)


@dataclass(frozen=True, kw_only=True)
class Action(Spec):
    """What happens when a condition becomes true: once, or every time."""

    when: str = key(text, 'the condition, such as "B.x > 0.3"; it acts where it becomes true')
    do: str = key(choice(*NEEDS), "what is done")
    joint: str | None = key(name, "the joint that is locked, freed or detached", None)
    of: str | None = key(name, "the driver or force whose signal is switched", None)
    to: Any = key(signals, "its new signal, whose time counts from the event", None, dimension="followed")
    once: bool = key(flag, "only the first time", True)
    signal: str | None = key(name, "which signal is switched, where it has several", None)

    def verify(self) -> None:
        """Check that it is said what it acts on, and that the condition compares."""
        for word in ("joint", "of", "to", "signal"):
            given, needed = getattr(self, word) is not None, word in NEEDS[self.do]
            if given != needed and (word != "signal" or self.do != SWITCH):
                why = f'takes no key "{word}"; take it out' if given else f'needs the key "{word}"'
                raise ModelError(f'"{self.do}" {why}')
        sides = len(_SIDES(self.when))
        if sides > 3:
            more = "write one, and a second event where another may act too"
            raise ModelError(f'key "when": "{self.when}" compares {sides // 2} times; {more}')
        if sides < 3:
            raise ModelError(f'key "when": "{self.when}" compares nothing; write one of < <= > >= between two values')
        if nested := _NESTED(self.when):
            raise ModelError(
                f'key "when": "{nested[0]}" is nothing that it can compare; known are coordinates and rates of joints, '
                "points and bodies, such as A.angle_rate, B.vx, rod.omega"
            )

    def check(self, mechanism: Any) -> None:
        """Check joint, signal and condition."""
        if self.do == SWITCH:
            self.followed(mechanism).given(self.to)
        if self.joint is not None:
            mechanism.known_joint(self.joint)
            if self.do == LOCK and not mechanism.joints[self.joint].coordinate_names:
                raise ModelError(f'joint "{self.joint}" has no coordinate that could be locked')
            locking = [n for n, a in mechanism.events.items() if a.do == LOCK and a.joint == self.joint]
            if self.do == DETACH and mechanism.solid:
                self._check_left(mechanism, self.joint)
            if self.do == FREE and not locking:
                raise ModelError(f'joint "{self.joint}" is locked by no event, so nothing can be freed')
        try:
            first, second = (value_of(side.tree, _Now(mechanism))[1] for side in self._sides())
        except ModelError as error:
            raise ModelError(f'key "when": {error}') from None
        wanted: Any = first if not isinstance(first, str) else second
        if not isinstance(wanted, str) and not (fits(second, wanted) and fits(first, wanted)):
            raise ModelError(f'key "when": "{self.when}": {refused(second, wanted)}')

    def _check_left(self, mechanism: Any, joint: str) -> None:
        """Check that nothing in space is left that knows the coordinates of a joint which is taken out."""
        if getattr(mechanism.joints[joint], "drive", None) is not None:
            raise ModelError(
                f'joint "{joint}" has a "drive", which would be left hanging; put its rotor on a body of its own, and '
                "the spring into a torsion"
            )
        for called, force in mechanism.forces.items():
            gauge = force.gauge(mechanism) if hasattr(force, "gauge") and force.joint != joint else None
            if gauge is not None and gauge.of == "joint" and gauge.part == joint:
                raise ModelError(
                    f'force "{called}" measures joint "{joint}", which has no coordinate once it is taken out; let it '
                    "measure a point, or another joint"
                )

    def check_run(self, mechanism: Any) -> None:
        """Check what only a run asks for: that nothing moves a joint which it locks."""
        driven = [n for n, driver in mechanism.drivers.items() if driver.joint == self.joint]
        if self.do == LOCK and driven:
            raise ModelError(
                f'joint "{self.joint}" is driven by "{driven[0]}", which would move on; '
                f'switch that: do = "{SWITCH}", of = "{driven[0]}", to = 0'
            )

    def followed(self, mechanism: Any) -> Followed:
        """Return the signal that it switches, as it is now."""
        return Followed.of(mechanism, self.of or "", self.signal)

    def _sides(self) -> tuple[Expression, Expression]:
        left, _, right = _SIDES(self.when)
        one, other = (
            parsed(_FIELD(lambda m: m[0] if m[2] in ("x", "y", "z") else f"{m[1]}{_JOIN}{m[2]}", side).strip())
            for side in (left, right)
        )
        return one, other

    def done(self, mechanism: Any, t: float, whole: bool = False) -> Any:
        """Return a mechanism in which its signal is switched at a time; `whole`: with all that were before."""
        return switched(mechanism, self.followed(mechanism), self.to, t, whole)

    def lasts(self, mechanism: Any) -> float:
        """Return how long its new signal is defined, s."""
        return min(one.until() for one in self.followed(mechanism).given(self.to)) if self.do == SWITCH else math.inf

    def rates(self, mechanism: Any, t: float) -> tuple[float, float]:
        """Return the rates of a driver just before and after it switches its motion; 0 where they do not jump."""
        if self.do != SWITCH or self.of not in mechanism.drivers:
            return 0.0, 0.0
        return rates(self.followed(mechanism), self.to, t)

    @property
    def direction(self) -> int:
        """+1 where the left side rises through the right one, -1 where it falls."""
        return 1 if ">" in _SIDES(self.when)[1] else -1

    def function(self, mechanism: Any) -> Callable[[float, Any], float]:
        """Return the left side less the right one, of time and state."""
        scope, (left, right) = _Now(mechanism), self._sides()

        def value(t: float, state: Any) -> float:
            scope.t, scope.state = t, state
            found = float(value_of(left.tree, scope)[0] - value_of(right.tree, scope)[0])
            return -float(self.direction) if math.isnan(found) else found  # nothing is true of a joint taken out

        return value
