"""Mechanisms from link tables: the numbers of each link in its own axes become a drawing.

    standard   T_i = Rz(theta_i) Tz(d_i) Tx(a_i) Rx(alpha_i)      Denavit and Hartenberg; joint i is z_{i-1}    (1)
    modified   T_i = Rx(alpha_i) Tx(a_i) Rz(theta_i) Tz(d_i)      after Craig; joint i is z_i                   (2)
    report     R_{i+1} = R_i Rx(alpha_i) Rz(theta_{i+1}),  O_{i+1} = O_i + R_i end_i      [G88] (2.1-1..10)     (3)

The axes of link i are those after T_1 ... T_i, or R_i at O_i. A joint adds its coordinate to theta, a prismatic one to
d or along its axis; where the coordinates are zero, the table itself is the drawing. Masses, centres, tensors and
bending shapes are in axes of their link, with tensors about its origin or its centre of mass.
"""

from __future__ import annotations

import csv
import dataclasses
import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from particlemech.errors import ModelError, part, suggestion
from particlemech.model import inertia as tensors
from particlemech.model.applied import Array
from particlemech.model.description import GROUND
from particlemech.model.space import joints
from particlemech.model.space.joints import JointSpec
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import Spec, check_keys, fields_of, number, shown, vector3
from particlemech.model.toml import from_dict

__all__ = ["frames", "from_link_table", "read_link_table"]

Row = Mapping[str, Any]
GEOMETRY = {  # keys of a row, by form
    "standard": ("a", "alpha", "d", "theta"),
    "modified": ("a", "alpha", "d", "theta"),
    "report": ("end", "alpha", "theta"),
}
MASS = ("mass", "com", "inertia", "inertia_about", "inertia_rule")
PLAIN = ("density", "EA", "K", "section", "E", "G", "nu", "rho", "damping", "damping_ratio", "sublinks", "keep")
BENDING = (*PLAIN, "rotary", "lumps", "modes", "shapes", "EI", "GJ", "up")
OWN = ("name", "joint", "type", "limits", "drive")
BASE = ("name", "motion", "end", "alpha", "place", *MASS)
DRAWN = {"bodies", "point", "axis"}  # keys of a joint that a table can say
TYPES = {
    name: kind
    for name, kind in joints.NAMES.items()
    if kind.dof <= 1 and {f.name for f in fields_of(kind) if f.default is dataclasses.MISSING} <= DRAWN
}
DEFAULT = next(iter(TYPES))
MOTIONS = ("fixed", "translates", "free")
ABOUT = ("com", "origin")
ROUNDED = 1e-15  # sines and cosines this near to 0 and 1 are those of right angles
DIGITS = 15  # that coordinates of places keep: what is beyond is rounding of sums


def from_link_table(
    rows: Sequence[Row], form: str = "standard", *, base: Row | None = None, inertia_about: str = "com", **sections: Any
) -> Mechanism:
    """Return the mechanism of a link table, drawn where all its joint coordinates are zero.

    Parameters
    ----------
    rows
        One mapping per link, from the base outward: `a`, `alpha`, `d`, `theta`, or `end`, `alpha`, `theta` of the
        report; `name`, `joint` (names; default link1, joint1 ...), `type` ("revolute", "prismatic" or "weld"),
        `limits`, `drive`; `mass`, `com`, `inertia`, and all keys of bending bodies, in link axes.
    form
        "standard" (1), "modified" (2) or "report" (3).
    base
        What carries the first joint: `motion` "fixed" (the ground), "translates" or "free" (a body `name` with mass,
        com, inertia), `place` [x, y, z]; of the report also `end` and `alpha`, which lead to the first joint.
    inertia_about
        What tensors are about, unless a row says so itself: "com", or "origin" of the link axes.
    **sections
        Other keys of the mechanism: name, units, gravity, drivers, forces, initial, run ...

    Returns
    -------
    Mechanism
        With a point at the origin of each link, "O1", "O2" ..., and "tip" where the last one ends.

    Raises
    ------
    ModelError
        If a row misses a key or has one that is unknown, or what it describes cannot be.

    Examples
    --------
    >>> arm = from_link_table([{"a": 1.0, "mass": 2.0, "com": (-0.5, 0, 0), "inertia": (0, 0.2, 0.2)}] * 2)
    >>> arm.points["tip"], arm.joints["joint2"].point
    ((2.0, 0.0, 0.0), 'O1')
    """
    table = [dict(row) for row in rows]
    _check(table, form, base, inertia_about)
    origins, axes = frames(table, form, base)
    drawing = _Drawing(table, form, dict(base or {}), inertia_about)
    drawing.carry(origins, axes)
    tables: dict[str, Any] = {"kind": "spatial"} | {k: v for k, v in sections.items() if not isinstance(v, Spec)}
    specs: dict[str, Any] = {k: v for k, v in sections.items() if isinstance(v, Spec)}
    for section in Mechanism.sections:
        given = {**getattr(drawing, section, {}), **dict(sections.get(section, {}))}
        specs[section] = {name: it for name, it in given.items() if isinstance(it, Spec)}
        tables[section] = {name: it for name, it in given.items() if not isinstance(it, Spec)}
    made = from_dict(tables)
    assert isinstance(made, Mechanism)
    return made.replaced(**{section: these for section, these in specs.items() if these})


def frames(rows: Sequence[Row], form: str = "standard", base: Row | None = None) -> tuple[Array, Array]:
    """Return origins (n + 1, 3) and axes (n + 1, 3, 3), in the columns, of the base and all links, coordinates zero."""
    base = dict(base or {})
    O, R = np.array(base.get("place", (0.0, 0.0, 0.0)), dtype=float), np.eye(3)
    origins, axes = [O], [R]
    end, alpha = np.array(base.get("end", (0.0, 0.0, 0.0)), dtype=float), float(base.get("alpha", 0.0))
    for row in rows:
        a, d, theta = (float(row.get(word, 0.0)) for word in ("a", "d", "theta"))
        turn = _about("x", float(row.get("alpha", 0.0)))
        if form == "standard":  # (1)
            R = R @ _about("z", theta)
            O = O + R @ np.array([a, 0.0, d])
            R = R @ turn
        elif form == "modified":  # (2)
            O, R = O + R @ np.array([a, 0.0, 0.0]), R @ turn @ _about("z", theta)
            O = O + R @ np.array([0.0, 0.0, d])
        else:  # (3)
            O, R = O + R @ end, R @ _about("x", alpha) @ _about("z", theta)
            end, alpha = np.array(row.get("end", (0.0, 0.0, 0.0)), dtype=float), float(row.get("alpha", 0.0))
        origins.append(O)
        axes.append(R)
    return np.array(origins), np.array(axes)


def read_link_table(path: str | Path, **options: Any) -> Mechanism:
    """Return the mechanism of a file with a link table, CSV or TOML; options as of `from_link_table`.

    A CSV file has one line per link below a line of names: those of a row, with com_x, com_y, com_z and xx, yy, zz, xy,
    xz, yz for centre and tensor; what is empty is left out. A TOML file has [[links]], and options at its top.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{path}: cannot be read ({getattr(error, 'strerror', None) or 'not text in UTF-8'})"
        ) from None
    with part(str(path)):
        if path.suffix == ".csv":
            lines = (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
            return from_link_table([_row(line) for line in csv.DictReader(lines)], **options)
        try:
            said = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ModelError(f"not TOML: {error}") from None
        return from_link_table(said.pop("links", ()), **{**said, **options})


def _row(line: Mapping[str, str]) -> Row:
    """Return one line of a CSV file as a row."""
    given = {key.strip(): value.strip() for key, value in line.items() if key and value and value.strip()}
    row: dict[str, Any] = {}
    for key, value in given.items():
        with part(f'column "{key}"'):
            row[key] = value if key in ("name", "joint", "type", "inertia_about", "inertia_rule") else _number(value)
    for word, parts in (("com", [f"com_{axis}" for axis in "xyz"]), ("inertia", ["xx", "yy", "zz", "xy", "xz", "yz"])):
        if any(p in row for p in parts):
            row[word] = tuple(row.pop(p, 0.0) for p in parts)
    return row


def _number(word: str) -> float:
    try:
        return number(float(word))
    except ValueError:
        raise ModelError(f"expected a number, got {shown(word)}") from None


# -- checks ----------------------------------------------------------------------------------------------------------


def _check(rows: list[dict[str, Any]], form: str, base: Row | None, about: str) -> None:
    if form not in GEOMETRY:
        raise ModelError(f'form "{form}" unknown{suggestion(form, GEOMETRY)}; it is one of {", ".join(GEOMETRY)}')
    if about not in ABOUT:
        raise ModelError(f'inertia_about "{about}" unknown{suggestion(about, ABOUT)}')
    if not rows:
        raise ModelError("a link table needs at least one row")
    for n, row in enumerate(rows, start=1):
        with part(f"row {n}"):
            check_keys(row, (), (*OWN, *GEOMETRY[form], *MASS, *BENDING))
            for word in ("a", "alpha", "d", "theta"):
                if word in row:
                    with part(f'key "{word}"'):
                        row[word] = number(row[word])
            if "end" in row:
                with part('key "end"'):
                    row["end"] = vector3(row["end"])
    with part("base"):
        known = BASE if form == "report" else tuple(k for k in BASE if k not in ("end", "alpha"))
        check_keys(base or {}, (), known)
        motion = (base or {}).get("motion", "fixed")
        if motion not in MOTIONS:
            raise ModelError(f'motion "{motion}" unknown{suggestion(motion, MOTIONS)}')


# -- the drawing -----------------------------------------------------------------------------------------------------


class _Drawing:
    """Collects points, bodies, joints and drivers."""

    def __init__(self, rows: list[dict[str, Any]], form: str, base: dict[str, Any], about: str) -> None:
        self.rows, self.form, self.base, self.about = rows, form, base, about
        self.points: dict[str, Any] = {}
        self.bodies: dict[str, Any] = {}
        self.joints: dict[str, Any] = {}
        self.drivers: dict[str, Any] = {}

    def carry(self, origins: Array, axes: Array) -> None:
        """Draw all links."""
        before, motion = GROUND, self.base.get("motion", "fixed")
        if motion != "fixed":
            before = self.base.get("name", "base")
            with part("base"):
                self.bodies[before] = self._mass(self.base, origins[0], axes[0])
            self.joints["float"] = {"type": "free", "bodies": (GROUND, before), "point": _place(origins[0])}
        if motion == "translates":
            for k in (1, 2, 3):
                self.drivers[f"hold_angle{k}"] = {"joint": "float", "coordinate": f"angle{k}", "motion": 0.0}
        # the joint of a link is at the origin before it (1), or at its own
        first = 0 if self.form == "standard" else 1
        for k in range(len(self.rows)):
            self.points[f"O{k + first}"] = _place(origins[k + first])
        end = origins[-1]
        if self.form == "report":
            end = end + axes[-1] @ np.array(self.rows[-1].get("end", (0.0, 0.0, 0.0)))
        self.points["tip"] = _place(end)
        for n, row in enumerate(self.rows, start=1):
            name, joint = row.get("name", f"link{n}"), row.get("joint", f"joint{n}")
            at = f"O{n - 1 + first}"
            if "travel" in TYPES.get(row.get("type", DEFAULT), JointSpec).coordinate_names:
                # the bodies of a slide share no point
                at = f"{at}_{name}"
                self.points[at] = _place(origins[n - 1 + first])
            after = "tip" if n == len(self.rows) else f"O{n + first}"
            with part(f'row {n}, "{name}"'):
                body = {"points": (at, after), **self._mass(row, origins[n], axes[n])}
                self.bodies[name] = body | self._bending(row, axes[n])
                self.joints[joint] = self._joint(row, (before, name), at, axes[n - 1 + first][:, 2])
            before = name

    def _joint(self, row: Row, bodies: tuple[str, str], at: str, z: Array) -> dict[str, Any]:
        kind = row.get("type", DEFAULT)
        if kind not in TYPES:
            raise ModelError(f'type "{kind}" unknown{suggestion(str(kind), TYPES)}')
        made: dict[str, Any] = {"type": kind, "bodies": bodies, "point": at}
        if TYPES[kind].dof:
            made |= {"axis": tuple(z.tolist())} | {k: row[k] for k in ("limits", "drive") if k in row}
        return made

    def _mass(self, row: Row, O: Array, R: Array) -> dict[str, Any]:
        """Return mass, centre and tensor in the drawing."""
        result = {k: row[k] for k in ("mass", "inertia_rule") if k in row}
        if "mass" not in row and not any(row.get(k) for k in BENDING):
            result["mass"] = 0.0
        com = np.array(row.get("com", (0.0, 0.0, 0.0)), dtype=float)
        if "com" in row or ("inertia" in row and "modes" not in row) or not row.get("mass"):
            result["com"] = _place(O + R @ com)
        if not row.get("mass") and not row.get("com"):
            result.pop("com")
        if "inertia" in row:
            about = row.get("inertia_about", self.about)
            if about not in ABOUT:
                raise ModelError(f'inertia_about "{about}" unknown{suggestion(about, ABOUT)}')
            I = _tensor(row["inertia"])
            if about == "origin":
                I = I - float(row.get("mass", 0.0)) * (com @ com * np.eye(3) - np.outer(com, com))
            result["inertia"] = _entries(R @ I @ R.T)
        elif result.get("mass") and not any(k in row for k in ("modes", "shapes")):
            raise ModelError('key "inertia" is missing; add the tensor in link axes, [xx, yy, zz]')
        return result

    def _bending(self, row: Row, R: Array) -> dict[str, Any]:
        """Return what makes a body bend, in the drawing."""
        result = {k: row[k] for k in PLAIN if k in row}
        if "up" in row:
            result["up"] = _direction(row["up"], R)
        if "rotary" in row:
            result["rotary"] = _entries(R @ _tensor(row["rotary"]) @ R.T)
        if "lumps" in row:
            result["lumps"] = [
                lump | {"inertia": _entries(R @ _tensor(lump["inertia"]) @ R.T)} if "inertia" in lump else lump
                for lump in map(dict, row["lumps"])
            ]
        if "modes" in row:
            result["modes"] = [_mode(dict(mode), R) for mode in row["modes"]]
        if "shapes" in row:
            raise ModelError('key "shapes": a table of modes is in axes of the drawing; give "modes", or draw the body')
        for word in ("EI", "GJ"):
            if word in row:
                given = row[word]
                named = isinstance(given, Mapping) and set(given) <= set("xyz")
                result[word] = {_renamed(axis, R): one for axis, one in given.items()} if named else given
        return result


def _mode(mode: dict[str, Any], R: Array) -> dict[str, Any]:
    """Return a mode with its direction in the drawing."""
    for word in ("along", "about"):
        if word in mode:
            mode[word] = _direction(mode[word], R)
    return mode


def _direction(axis: Any, R: Array) -> tuple[float, ...]:
    """Return a direction of a link in the drawing."""
    vector = np.eye(3)["xyz".index(axis)] if axis in ("x", "y", "z") else np.array(axis, dtype=float)
    return tuple((R @ vector).tolist())


def _renamed(axis: str, R: Array) -> str:
    """Return the axis of the drawing along which an axis of a link lies."""
    along = np.abs(R[:, "xyz".index(axis)])
    k = int(np.argmax(along))
    if along[k] < 1.0 - 1e-9:
        raise ModelError(
            f"a stiffness by axes: {axis} of the link is along no axis of the drawing; give one for all, or K"
        )
    return "xyz"[k]


def _about(axis: str, angle: float) -> Array:
    """Return the rotation about x or z, exact at right angles."""
    c, s = (float(round(v)) if abs(v - round(v)) < ROUNDED else v for v in (math.cos(angle), math.sin(angle)))
    if axis == "x":
        return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _place(at: Array) -> tuple[float, ...]:
    """Return a place without the rounding of sums."""
    size = float(np.max(np.abs(at))) or 1.0
    digits = DIGITS - math.ceil(math.log10(size))
    return tuple(round(c, digits) + 0.0 for c in at.tolist())


def _tensor(given: Any) -> Array:
    xx, yy, zz, xy, xz, yz = tensors.tensor(tensors.inertia(given))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _entries(I: Array) -> tuple[float, ...]:
    """Return xx, yy, zz, and xy, xz, yz where they are not zero."""
    I = 0.5 * (I + I.T)
    entries = [*np.diag(I).tolist(), I[0, 1], I[0, 2], I[1, 2]]
    return tuple(float(e) + 0.0 for e in (entries if any(entries[3:]) else entries[:3]))
