"""The URDF file as it stands: links and joints with the numbers of the file, in the frames of the file.

lxml parses the XML, and what it means is read here: yourdfpy and urchin bring 15 to 30 packages and invent an inertia
where one is missing, yourdfpy and pytransform3d load what is left of a broken file, urdf_parser_py has no wheel; and a
tag that is not read must be reported, not passed over.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from particlemech.errors import ModelError, part
from particlemech.model.readers.urdf.report import Array, Finding, Frame, Limits
from particlemech.model.spec import Vector3, number, shown

READ: Mapping[str, tuple[set[str], set[str]]] = {  # tag -> attributes and tags inside it that are read
    "robot": ({"name", "version"}, {"link", "joint"}),
    "link": ({"name"}, {"inertial"}),
    "inertial": (set(), {"origin", "mass", "inertia"}),
    "mass": ({"value"}, set()),
    "inertia": ({"ixx", "iyy", "izz", "ixy", "ixz", "iyz"}, set()),
    "joint": ({"name", "type"}, {"parent", "child", "origin", "axis", "dynamics", "limit", "mimic"}),
    "parent": ({"link"}, set()),
    "child": ({"link"}, set()),
    "origin": ({"xyz", "rpy"}, set()),
    "axis": ({"xyz"}, set()),
    "dynamics": ({"damping"}, set()),
    "limit": ({"lower", "upper"}, set()),
    "mimic": ({"joint", "multiplier", "offset"}, set()),
}
SHAPES = {"visual", "collision", "material"}
MANY = {"link", "joint"}  # tags that may stand several times side by side
XACRO = "xacro"


class Link(NamedTuple):
    """A link."""

    mass: float  # kg
    inertial: Frame  # of the inertia, in the link's frame; its origin is the centre of mass
    inertia: Array  # (3, 3) kg m^2


class Mimic(NamedTuple):
    """What a joint follows: its coordinate is multiplier times that of the other, plus an offset."""

    joint: str
    multiplier: float
    offset: float


class Joint(NamedTuple):
    """A joint; its frame is that of the child where the coordinates are zero."""

    type: str
    parent: str
    child: str
    origin: Frame  # of the child, in the parent's frame
    axis: Vector3  # in the child's frame
    damping: float
    limits: Limits | None  # None: the file has none
    mimics: Mimic | None  # the joint that it follows


class Robot(NamedTuple):
    """What a file says."""

    name: str
    links: dict[str, Link]
    joints: dict[str, Joint]
    findings: list[Finding]  # all that is not read
    shapes: int  # <visual>, <collision>, <material>


def read(path: str | PathLike[str]) -> Robot:
    """Return the robot of a file."""
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError(f"cannot be read ({reason}); check the name of the file") from None
    root = _parsed(content)
    if root.tag != "robot":
        raise ModelError(f"the outermost tag is <{_local(root)}>, not <robot>; this is no URDF file")
    robot = Robot(root.get("name") or Path(path).stem, {}, {}, [], sum(1 for _ in root.iter(*SHAPES)))
    _sift(root, "the robot", robot.findings)
    for e in root.iterchildren("link"):
        _add(robot.links, e, _link)
    for e in root.iterchildren("joint"):
        _add(robot.joints, e, _joint)
    return robot


# -- XML -----------------------------------------------------------------------------------------------------------


class _NoDoctype:
    """Sees the tags go by, and stops at a document type before any entity is declared."""

    def doctype(self, *_: Any) -> None:
        raise ModelError("the file declares a document type (<!DOCTYPE ...>), which URDF has no use for; take it out")

    def start(self, *_: Any) -> None:
        pass

    end = data = start

    def close(self) -> None:
        pass


def _parsed(content: bytes) -> Any:
    """Return the outermost element; nothing is expanded, fetched or repaired."""
    try:
        from lxml import etree
    except ImportError:
        raise ModelError('URDF files need lxml; install it with: pip install "particlemech[urdf]"') from None
    safe = {"resolve_entities": False, "no_network": True, "remove_comments": True, "remove_pis": True}
    try:
        etree.fromstring(content, etree.XMLParser(target=_NoDoctype(), **safe))
        root = etree.fromstring(content, etree.XMLParser(**safe))
    except etree.XMLSyntaxError as error:
        reason = " ".join(str(error.msg).split())
        raise ModelError(f"is not well-formed XML ({reason}); mend it there") from None
    own = etree.QName(root).namespace  # some files put all tags into one
    for e in root.iter():
        space = etree.QName(e).namespace
        if space == own:
            e.tag = _local(e)
        elif XACRO in str(space):
            raise ModelError(
                f"line {e.sourceline}: <{XACRO}:{_local(e)}> is a macro; expand them first: "
                f"{XACRO} robot.urdf.{XACRO} > robot.urdf"
            )
    return root


def _local(e: Any) -> str:
    """Return a tag without its namespace."""
    return str(e.tag).rpartition("}")[2]


def _sift(e: Any, owner: str, findings: list[Finding]) -> None:
    """Go through all that is read, and collect what is not."""
    attributes, inside = READ[e.tag]
    for name, value in e.attrib.items():
        if name not in attributes and value.strip() not in ("", "0", "0.0"):
            findings.append(Finding(name, owner, value))
    seen: set[str] = set()
    for child in e:
        if child.tag in SHAPES:
            continue
        if child.tag not in inside:
            where = f"the robot (line {child.sourceline})" if e.tag == "robot" else owner
            says = " ".join(f'{k}="{v}"' for k, v in child.attrib.items())
            findings.append(Finding(_local(child), where, says))
            continue
        if child.tag in seen and child.tag not in MANY:
            raise ModelError(f"{owner}: has two <{child.tag}>; keep one")
        seen.add(child.tag)
        _sift(child, f'{child.tag} "{child.get("name")}"' if child.tag in MANY else owner, findings)


# -- links and joints ----------------------------------------------------------------------------------------------


def _add(parts: dict[str, Any], e: Any, form: Any) -> None:
    """Add a link or a joint under its name."""
    name = e.get("name")
    if not name:
        raise ModelError(f'line {e.sourceline}: a {e.tag} has no name; write <{e.tag} name="...">')
    if name in parts:
        raise ModelError(f'line {e.sourceline}: there are two {e.tag}s "{name}"; rename one of them')
    with part(f'{e.tag} "{name}"'):
        parts[name] = form(e)


def _link(e: Any) -> Link:
    inertial = e.find("inertial")
    if inertial is None:
        return Link(0.0, Frame(np.eye(3), np.zeros(3)), np.zeros((3, 3)))
    mass, inertia = _inner(inertial, "mass"), _inner(inertial, "inertia")
    xx, yy, zz = (_number(inertia, k) for k in ("ixx", "iyy", "izz"))
    xy, xz, yz = (_number(inertia, k, "0") for k in ("ixy", "ixz", "iyz"))
    return Link(_number(mass, "value"), _origin(inertial), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))


def _joint(e: Any) -> Joint:
    axis, dynamics = e.find("axis"), e.find("dynamics")
    return Joint(
        type=_text(e, "type"),
        parent=_text(_inner(e, "parent"), "link"),
        child=_text(_inner(e, "child"), "link"),
        origin=_origin(e),
        axis=(1.0, 0.0, 0.0) if axis is None else _vector(axis, "xyz", "1 0 0"),
        damping=0.0 if dynamics is None else _number(dynamics, "damping", "0"),
        limits=_limits(e.find("limit")),
        mimics=_mimic(e.find("mimic")),
    )


def _mimic(e: Any) -> Mimic | None:
    if e is None:
        return None
    return Mimic(_text(e, "joint"), _number(e, "multiplier", "1"), _number(e, "offset", "0"))


def _limits(e: Any) -> Limits | None:
    """Return the bounds of a joint; what is no number is no bound, for no motion depends on it."""
    if e is None:
        return None
    bounds: list[float | None] = []
    for name in Limits._fields:
        try:
            bound = float(e.get(name, "nan"))
        except ValueError:
            bound = math.nan
        bounds.append(bound if math.isfinite(bound) else None)
    return Limits(*bounds)


def _origin(e: Any) -> Frame:
    """Return the frame of <origin>: turned about the fixed axes x, y, z in this order."""
    origin = e.find("origin")
    if origin is None:
        return Frame(np.eye(3), np.zeros(3))
    if "quat_xyzw" in origin.attrib:
        raise ModelError('<origin> gives a quaternion, which is not read; write the angles rpy="..." instead')
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(a), math.cos(a)) for a in _vector(origin, "rpy", "0 0 0"))
    x, y, z = (
        np.array([[1.0, 0.0, 0.0], [0.0, cr, -sr], [0.0, sr, cr]]),
        np.array([[cp, 0.0, sp], [0.0, 1.0, 0.0], [-sp, 0.0, cp]]),
        np.array([[cy, -sy, 0.0], [sy, cy, 0.0], [0.0, 0.0, 1.0]]),
    )
    return Frame(z @ y @ x, np.array(_vector(origin, "xyz", "0 0 0")))


def _inner(e: Any, tag: str) -> Any:
    found = e.find(tag)
    if found is None:
        raise ModelError(f"<{e.tag}> has no <{tag}>; add it")
    return found


def _text(e: Any, name: str, default: str | None = None) -> str:
    value = e.get(name, default)
    if value is None:
        raise ModelError(f'<{e.tag}> has no attribute {name}; write <{e.tag} {name}="...">')
    return str(value)


def _number(e: Any, name: str, default: str | None = None) -> float:
    text = _text(e, name, default)
    with part(f"<{e.tag}> {name}"):
        return _float(text)


def _vector(e: Any, name: str, default: str) -> Vector3:
    text = _text(e, name, default)
    with part(f"<{e.tag}> {name}"):
        numbers = [_float(word) for word in text.split()]
        if len(numbers) != 3:
            raise ModelError(f'expected three numbers "x y z", got {shown(text)}')
        return numbers[0], numbers[1], numbers[2]


def _float(text: str) -> float:
    try:
        value = float(text.replace("_", "?"))  # Python's own way to write 1_000 is not XML's
    except ValueError:
        raise ModelError(
            f"expected a number, got {shown(text)}; numbers have a point and spaces between them"
        ) from None
    return number(value)
