"""Names to numbers: what the files of joints, drivers and forces see of a mechanism while it is tabulated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from particlemech import _tape
from particlemech.engine.particles.frames import Affine, At, Frame, Place, Sides
from particlemech.engine.particles.topology import Edge
from particlemech.engine.polynomials import Poly
from particlemech.engine.signal_tables import FORMS, Signals
from particlemech.model.description import GROUND
from particlemech.model.mechanism import Mechanism
from particlemech.model.signals import SignalSpec

FIXED = Frame(-1, ((0.0, 0.0), (1.0, 0.0)))  # the ground


class View:
    """Makes the view (At) that the file of a joint or driver has of its two bodies, and answers the force files."""

    def __init__(
        self, mechanism: Mechanism, frames: list[Frame], index: Mapping[str, int], origin: Place, signals: Signals
    ) -> None:
        self.mechanism, self.frames, self.index, self.origin, self.signals = mechanism, frames, index, origin, signals

    def _from_origin(self, place: Place) -> Place:
        return place[0] - self.origin[0], place[1] - self.origin[1]

    def frame(self, name: str) -> Frame:
        """Return the frame of a body or of the ground."""
        return self.frames[self.index[name]] if name != GROUND else FIXED

    def __call__(self, edge: Edge, spec: Any = None, motion: SignalSpec | None = None) -> At:
        """Return the view of one edge."""
        bodies = (edge.first, edge.second)

        def place(point: str | Place, on_second: bool) -> Place:
            return self._from_origin(self.mechanism.place(point, bodies[on_second]))

        def signal(form: str, offset: float = 0.0) -> Poly:
            if motion is None:
                raise TypeError("a joint has no motion")
            return Poly.signal(self.signals.add(motion, FORMS.index(form), offset))

        def drawn(point: str | Place) -> Place:
            return self._from_origin(self.mechanism.drawn(point))

        pair = edge.spec.bodies if edge.spec is not None else bodies
        middle = self._from_origin(self.mechanism.centre(pair[1] if pair[1] != GROUND else pair[0]))
        frames = self.frame(edge.first), self.frame(edge.second)
        return At(*frames, spec or edge.spec, place, drawn, middle, self.body, signal, self.signals.curve)

    def sides(self, name: str, spec: Any) -> Sides:
        """Return the view of a joint that ties coordinates of other joints."""
        first, second = (self(Edge(name, None, of.first, of.second), of) for of in spec.tied(self.mechanism))
        return Sides(spec, first, second)

    # -- for the force files ---------------------------------------------------------------------------------------

    def body(self, name: str) -> int:
        """Return the index of a body, -1 for the ground."""
        return -1 if name == GROUND else self.index[name]

    def coordinates(self, body: int) -> list[int]:
        """Return the indices of the four coordinates of a body, -1 for those of the ground."""
        return [-1] * 4 if body < 0 else [4 * body + k for k in range(4)]

    def length(self, body: int) -> float:
        """Return the distance of a body's particles, m."""
        return 1.0 if body < 0 else _tape.dist(*self.frames[body].drawn)

    def angle(self, body: int) -> float:
        """Return the direction of a body's particles as drawn, rad."""
        if body < 0:
            return 0.0
        (x1, y1), (x2, y2) = self.frames[body].drawn
        return _tape.atan2(y2 - y1, x2 - x1)

    def end(self, body: str, point: str | Place | None) -> Affine:
        """Return a place on a body: by name, by global place in the drawing, or its centre of mass."""
        return self.frame(body).at(self._from_origin(self.mechanism.place(point, body)))

    def drawn(self, body: str, point: str | Place) -> Affine:
        """Return the place on a body at which a point is drawn, whether or not the body carries it."""
        return self.frame(body).at(self._from_origin(self.mechanism.drawn(point)))

    def direction(self, body: str, u: Place) -> Affine:
        """Return a unit direction fixed on a body."""
        length = _tape.hypot(*u)
        return self.frame(body).along((u[0] / length, u[1] / length))

    def signal(self, spec: SignalSpec) -> int:
        """Return the index of a signal."""
        return self.signals.add(spec)
