"""The systems of a mechanism in its modes: which sides hold, and what joints that stick do; each is made once.

Joints that stick come to rest at other places each time: only where their locks are differs then between two systems of
one mode, and they share everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from particlemech.model.changing import HOLDS
from particlemech.model.modes import Mode, Slip
from particlemech.run.start import Start
from particlemech.run.sticking import Sticking
from particlemech.run.touching import Element, Measuring, rubs
from particlemech.run.transitions import Closed, State, Switching

Build = Callable[[Any], Any]  # mechanism in a mode -> its system
SOMEWHERE = 0.7310585786300049  # a place of locks in the systems that others are made of; no drawing has it


class Modes:
    """The systems of one mechanism in its modes, by one formulation."""

    def __init__(self, mechanism: Any, elements: tuple[Element, ...], build: Build) -> None:
        self.mechanism, self.elements, self.build = mechanism, elements, build
        self.known: dict[Any, Any] = {}  # with locks somewhere
        self.last: dict[Any, tuple[dict[str, float], Any]] = {}  # where they were last, and that system
        self.sides: dict[int, tuple[tuple[str, str], ...]] = {}  # (joint, side) that are closed in each

    def __call__(self, closed: Closed, slips: Mapping[str, Slip]) -> Any:
        """Return the system in which these elements are closed, and joints that stick do this."""
        places = {HOLDS.format(name): slip.at for name, slip in slips.items() if slip.at is not None}
        moves = bool(places) and not self.mechanism.solid  # in space rows stay where they were made
        key = closed, tuple((n, slip.sense, slip.at is not None if moves else slip.at) for n, slip in slips.items())
        if key not in self.known:
            sides = tuple((self.elements[e].part, self.elements[e].side.name) for e in sorted(closed))
            resting = [name for name, slip in slips.items() if moves and slip.at is not None]
            there = {**slips, **{name: slips[name]._replace(at=SOMEWHERE) for name in resting}}
            self.known[key] = self.build(self.mechanism.in_mode(sides).slipping(there))
            self.sides[id(self.known[key])] = sides
        if not moves:
            return self.known[key]
        if key not in self.last or self.last[key][0] != places:
            by = {f'joint "{name}"': at - SOMEWHERE for name, at in places.items()}
            self.last[key] = places, self.known[key].with_rows_moved(by)
        return self.last[key][1]


def measuring(mechanism: Any, build: Build) -> Measuring:
    """Return what tells the gaps of all elements."""
    every = build(mechanism.in_mode([(name, side.name) for name, side in mechanism.switching], True))
    return Measuring(every, build(mechanism.in_mode(())) if rubs(mechanism) else None)


class Side(NamedTuple):
    """A mechanism for one integrator: what tells its gaps, and its systems, which all have the same coordinates."""

    of: Measuring
    modes: Modes

    def pressing(self, begin: Start, first: Any) -> list[str]:
        """Return what presses from the start on, as `first` has it; what is violated there is an error."""
        at = State(0.0, begin.q, begin.v, begin.x)
        switching = Switching(self.of, Sticking(first, 0.0, begin))
        return [self.of.elements[e].name for e in sorted(switching.begun(at, first.scale)[1])]


class Sides(Mapping[bool, Side]):
    """Whether by IDA -> a mechanism for that integrator, made when it is asked for."""

    def __init__(self, mechanism: Any, builds: Mapping[bool, Build]) -> None:
        self.mechanism, self.builds = mechanism, builds
        self.made: dict[bool, Side] = {}

    def __getitem__(self, by_ida: bool) -> Side:
        if by_ida not in self.made:
            of = measuring(self.mechanism, self.builds[by_ida])
            self.made[by_ida] = Side(of, Modes(self.mechanism, of.elements, self.builds[by_ida]))
        return self.made[by_ida]

    def __contains__(self, by_ida: object) -> bool:
        return by_ida in self.builds

    def __iter__(self) -> Iterator[bool]:
        return iter(self.builds)

    def __len__(self) -> int:
        return len(self.builds)


World = Mapping[bool, Side]
Worlds = Callable[[Mode], World]
