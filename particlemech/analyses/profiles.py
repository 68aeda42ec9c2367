"""Profiles of cams, to be looked at and to be made: places round the cam, with pressure angle and curvature."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from math import degrees, nan, pi
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlemech.errors import ModelError, suggestion
from particlemech.model.cams import Cam
from particlemech.model.cams.profile import Spot, pressure, spot
from particlemech.model.description import Description

Array = NDArray[np.float64]
DXF = ".dxf"
INSERTED = {"in": 1, "ft": 2, "mm": 4, "cm": 5, "m": 6}  # $INSUNITS


@dataclass(frozen=True)
class Profile:
    """The profile of a cam at K places round it, in the axes of its drawing, from its centre; printed, what it says.

    Lengths are in the units of the model.
    """

    model: str
    cam: str
    length: str  # unit of lengths
    angle: Array  # (K,) of the cam, rad
    lifted: str  # unit of the lift
    lift: Array  # (K,) of the follower along its way, from the drawing; of a contour of points: the distance x
    place: Array  # (K, 2) where the follower touches
    pitch: Array | None  # (K, 2) centre of the roller, which is that of the tool
    pressure_angle: Array  # (K,) rad; nan where the follower has neither axis nor pivot
    curvature_radius: Array  # (K,) negative where it is hollow
    base: float  # radius of the base circle

    def columns(self) -> dict[str, Array]:
        """Return the columns of a file."""
        found = {"angle": self.angle, "lift": self.lift, "x": self.place[:, 0], "y": self.place[:, 1]}
        if self.pitch is not None:
            found |= {"pitch_x": self.pitch[:, 0], "pitch_y": self.pitch[:, 1]}
        return found | {"pressure_angle": self.pressure_angle, "curvature_radius": self.curvature_radius}

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write it to a file: .dxf a closed polyline about the centre, .csv, .npz or .json all columns."""
        from particlemech.result import export

        target = export.checked(path, (DXF, *export.WRITERS))
        if target.suffix.lower() != DXF:
            said = {"model": self.model, "cam": self.cam, "length": self.length, "base": self.base}
            return export.write(self.columns(), said, target)
        export.write_text("\n".join(self._drawing()) + "\n", target)
        return target

    def _drawing(self) -> Iterator[str]:
        """Give the lines of a DXF file of release 12: pairs of a code and a value."""
        yield from ("0", "SECTION", "2", "HEADER", "9", "$ACADVER", "1", "AC1009")
        yield from ("9", "$INSUNITS", "70", str(INSERTED.get(self.length, 0)), "0", "ENDSEC")
        yield from ("0", "SECTION", "2", "ENTITIES", "0", "POINT", "8", "CENTRE", "10", "0.0", "20", "0.0")
        for layer, places in (("PROFILE", self.place), *([("PITCH", self.pitch)] if self.pitch is not None else [])):
            yield from ("0", "POLYLINE", "8", layer, "66", "1", "70", "1", "10", "0.0", "20", "0.0")
            for x, y in places.tolist():
                yield from ("0", "VERTEX", "8", layer, "10", repr(x), "20", repr(y))
            yield from ("0", "SEQEND", "8", layer)
        yield from ("0", "ENDSEC", "0", "EOF")

    def rows(self) -> list[tuple[str, str]]:
        """Return what it says in short."""
        hollow = self.curvature_radius < 0.0
        curved = np.where(hollow, np.inf, self.curvature_radius)
        sharp = int(np.argmin(curved))
        found = [
            ("base circle", f"{self.base:.6g} {self.length}"),
            ("lift", f"{np.ptp(self.lift):.6g} {self.lifted}"),
            ("least radius", f"{curved[sharp]:.6g} {self.length} at {degrees(self.angle[sharp]):.4g} deg"),
        ]
        if np.any(hollow):
            k = int(np.argmax(np.where(hollow, self.curvature_radius, -np.inf)))
            found.append(
                ("hollow", f"{-self.curvature_radius[k]:.6g} {self.length} at {degrees(self.angle[k]):.4g} deg")
            )
        if not np.any(np.isnan(self.pressure_angle)):
            k = int(np.argmax(self.pressure_angle))
            most = degrees(self.pressure_angle[k])
            said = f"at most {most:.4g} deg at {degrees(self.angle[k]):.4g} deg" if most > 1e-6 else "none"
            found.append(("pressure angle", said))
        return found

    def __str__(self) -> str:
        wide = max(len(label) for label, _ in self.rows())
        return "\n".join(f"{label:<{wide}}  {value}" for label, value in self.rows())


def profile(mechanism: Description, cam: str | None = None, samples: int = 720) -> Profile:
    """Return the profile of a cam, as it is to be made.

    Parameters
    ----------
    mechanism
        In the plane.
    cam
        The joint; default: the only cam.
    samples
        How many places round the cam, at even angles of it.

    Returns
    -------
    Profile
        Places, curvature and pressure angle; `write` makes a file of it.

    Raises
    ------
    ModelError
        If there is no such cam, or several and none is named.

    Examples
    --------
    >>> import particlemech as pm
    >>> print(pm.profile(pm.models.load("cam_flat_follower")))
    base circle     0.03 m
    lift            0.012 m
    least radius    0.0236018 m at 212.5 deg
    pressure angle  none
    """
    joints: Any = mechanism.joints
    cams = [name for name, joint in joints.items() if isinstance(joint, Cam)]
    if cam is None and len(cams) != 1:
        cure = f"name one: {', '.join(cams)}" if cams else 'add a joint of type "cam"'
        raise ModelError(f'profile: "{mechanism.name}" has {len(cams) or "no"} cams; {cure}')
    name = cams[0] if cam is None else cam
    if name not in cams:
        raise ModelError(f'profile: cam "{name}" unknown{suggestion(name, cams)}')
    if not 8 <= samples <= 1_000_000:
        raise ModelError(f"profile: samples must be 8 to 1000000, got {samples}")
    spec: Cam = joints[name]
    contact, radius = spec.contact(mechanism.drawn), spec.radius or 0.0
    spots = [spot(contact, radius, 2.0 * pi * k / samples) for k in range(samples)]
    lifts = np.array([contact.lift(s.u)[0] for s in spots])
    unit = (
        contact.length if spec.swing is not None and not contact.flat else contact.c if spec.swing is not None else 1.0
    )
    pitch = np.array([(s.x * np.cos(s.phi), s.x * np.sin(s.phi)) for s in spots]) if radius else None
    return Profile(
        model=mechanism.name,
        cam=name,
        length=mechanism.unit.length,
        lifted="rad" if spec.swing is not None else mechanism.unit.length,
        angle=np.array([s.u for s in spots]),
        lift=(lifts - (contact.lift(0.0)[0] if spec.curve is None else 0.0)) / unit,
        place=np.array([s.at for s in spots]),
        pitch=pitch,
        pressure_angle=np.array([_pressed(spec, mechanism, contact.sense, s) for s in spots]),
        curvature_radius=np.array([s.radius for s in spots]),
        base=min(float(np.hypot(*s.at)) for s in spots),
    )


def _pressed(spec: Cam, mechanism: Any, sense: float, at: Spot) -> float:
    """Return the pressure angle at a place; the drawing turns the other way about the cam."""
    if spec.curve is not None or (spec.axis is None and spec.pivot is None):
        return nan
    c, s = np.cos(-sense * at.u), np.sin(-sense * at.u)
    if spec.axis is not None:
        x, y = spec.axis
        return pressure(at.normal, (c * x - s * y, s * x + c * y))
    (px, py), (fx, fy) = mechanism.drawn(spec.points[0]), mechanism.drawn(spec.pivot)
    dx, dy = fx - px, fy - py
    touch = at.at if spec.follower == "flat" else (at.x * np.cos(at.phi), at.x * np.sin(at.phi))
    arm = touch[0] - (c * dx - s * dy), touch[1] - (s * dx + c * dy)
    return pressure(at.normal, (-arm[1], arm[0]))
