"""Names to numbers: what the files of joints and drivers see of a mechanism in space while it is tabulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from particlemech.engine.natural import drivers as of_drivers
from particlemech.engine.natural.coordinates import Coordinates
from particlemech.engine.natural.frames import GROUND_FRAME, At, Edge, Frame, RowPoly, joint_edge
from particlemech.engine.natural.joints import BY_SPEC, counting
from particlemech.engine.natural.readings import Measure, Reading, measured
from particlemech.engine.polynomials import Poly
from particlemech.engine.signal_tables import FORMS, Signals
from particlemech.errors import part
from particlemech.model.description import GROUND
from particlemech.model.space.drivers import DriverSpec
from particlemech.model.space.joints import JointSpec


class NaturalView:
    """Makes the view (At) that the file of a joint or driver has of its two bodies, and asks it for its rows.

    `frames` of all bodies, as they are numbered, say in which coordinates; default the full ones. `counters` are the
    coupled angles that are coordinates besides, by number.
    """

    def __init__(
        self,
        coordinates: Coordinates,
        signals: Signals,
        frames: Sequence[Frame] | None = None,
        counters: Mapping[tuple[str, str], int] | None = None,
    ) -> None:
        self.coordinates, self.mechanism, self.signals = coordinates, coordinates.mechanism, signals
        self.frames = coordinates.frames if frames is None else frames
        self.counters, self._counted = counters or {}, set[tuple[str, str]]()

    def frame(self, name: str) -> Frame:
        """Return the frame of a body or of the ground."""
        return GROUND_FRAME if name == GROUND else self.frames[self.coordinates.index[name]]

    def joint_edge(self, name: str) -> Edge:
        """Return what a joint acts between; a coupling acts between none of its own."""
        return joint_edge(self.mechanism.joints[name], self.mechanism)

    def driver_edge(self, name: str) -> Edge:
        """Return what a driver acts between."""
        driver = self.mechanism.drivers[name]
        return of_drivers.BY_SPEC[type(driver)].edge(driver, self.mechanism)

    def joint_rows(self, name: str, carries: bool = False) -> list[RowPoly]:
        """Return the rows of a joint; where it carries a body, those that hold what it does not hand over."""
        with part(f'joint "{name}"'):
            kind, at = BY_SPEC[type(self.mechanism.joints[name])], self._at(self.joint_edge(name))
            found = kind.kept(at) if carries else kind.rows(at)
            if name not in self.mechanism.sticking:
                return found
            # the turns of what a lock will hold are counted from the start, so that all modes have the same coordinates
            return [*found, *counting(at, (name, self.mechanism.joints[name].slides(self.mechanism)))]

    def driver_rows(self, name: str) -> list[RowPoly]:
        """Return the rows of a driver."""
        driver = self.mechanism.drivers[name]
        return of_drivers.BY_SPEC[type(driver)].rows(self._at(self.driver_edge(name), driver))

    def measure(self, joint: str, coordinate: str) -> Measure:
        """Return a coordinate of a joint in polynomials."""
        return measured(reading(self.mechanism.joints[joint], coordinate), self._at(self.joint_edge(joint)))

    def _at(self, edge: Edge, driver: DriverSpec | None = None) -> At:
        def signal(form: str) -> Poly:
            if driver is None:
                raise TypeError("a joint has no motion")
            return Poly.signal(self.signals.add(driver.motion, FORMS.index(form)))

        first, second = self.frame(edge.first), self.frame(edge.second)
        seen = edge, self.mechanism, self.coordinates.origin, signal, self.measure, driver
        return At(first, second, *seen, self.counters, self._counted)


def reading(joint: JointSpec, coordinate: str) -> Reading:
    """Return how a coordinate of a joint is read."""
    found: Reading = BY_SPEC[type(joint)].readings(joint)[joint.coordinate_names.index(coordinate)]
    return found
