"""Robots in URDF files as trees; they need lxml, which the extra `urdf` brings."""

from __future__ import annotations

import warnings
from os import PathLike, fspath

from particlemech.errors import ModelWarning, part
from particlemech.model.readers.urdf.drawing import Drawing
from particlemech.model.readers.urdf.file import read
from particlemech.model.readers.urdf.report import Report
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.spec import Vector3

__all__ = ["from_urdf", "read_urdf"]

DOWN: Vector3 = (0.0, 0.0, -9.81)  # m/s^2; z is up in URDF


def read_urdf(
    path: str | PathLike[str], *, floating_base: bool = False, gravity: Vector3 = DOWN
) -> tuple[Mechanism, Report]:
    """Read a robot from a URDF file, and report what of the file is not modelled.

    The drawing is the robot with all joints at zero, its root link's frame the global one. Links are bodies of the same
    name, those without <inertial> frames without mass. Joints keep their names: revolute and continuous ones are
    revolute joints, fixed ones welds, floating ones free; a planar one is two prismatic joints and a revolute one. Axes
    are normalised. <dynamics damping> is a damper in the joint.

    A link without mass that hangs on a fixed joint is a frame on its parent. One between heavy links moves, as in a
    universal joint of two revolute ones. A joint beyond which nothing resists its motion is welded at zero. A joint
    that mimics another is coupled to it; limits of a coordinate are limits of its joint. An inertia that breaks the
    triangle inequality is kept as it stands; one with a negative moment is added to that of the link that it is welded
    to, and refused if what comes out still has one and moves. The report says where this was done.

    Parameters
    ----------
    path : str or path
        The file; meshes are not looked for.
    floating_base : bool
        Whether the root link floats, on a free joint; otherwise it is fixed to the ground. That joint is called "root".
    gravity : three numbers
        m/s^2, in the axes of the root link.

    Returns
    -------
    Mechanism, Report
        The tree in SI units, and what became of the file: `print(report)`.

    Raises
    ------
    ModelError
        If the file cannot be read, or does not describe a tree of bodies that can exist; the message is one line.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> inertial = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    >>> arm = f'<link name="arm">{inertial}</link>'
    >>> pin = '<joint name="pin" type="continuous"><parent link="base"/><child link="arm"/></joint>'
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "robot.urdf"
    ...     _ = path.write_text(f'<robot name="r"><link name="base"/>{arm}{pin}</robot>')
    ...     robot, report = read_urdf(path)
    >>> robot.joints["pin"].axis, report.changed
    ((1.0, 0.0, 0.0), ())
    """
    with part(fspath(path)):
        robot = read(path)
        drawing = Drawing(robot, floating_base)
        mechanism = Mechanism(
            name=robot.name,
            gravity=gravity,
            bodies=drawing.bodies,
            joints=drawing.joints,
            forces=drawing.forces,
        )
    report = Report(
        path=fspath(path),
        not_modelled=tuple(drawing.findings),
        changed=tuple(drawing.changed),
        renamed=drawing.renamed,
        notes=tuple(drawing.notes),
        shapes=robot.shapes,
        frames=drawing.frames,
        limits=drawing.limits,
    )
    return mechanism, report


def from_urdf(path: str | PathLike[str], *, floating_base: bool = False, gravity: Vector3 = DOWN) -> Mechanism:
    """Read a robot from a URDF file, and warn of what of the file is changed or not modelled.

    There is one warning for each joint that is welded and each link whose inertia no body has, one for all mimic
    joints, and one that sums up the rest.

    Parameters
    ----------
    path, floating_base, gravity
        As for `read_urdf`, which returns the whole report in place of the warnings.

    Returns
    -------
    Mechanism
        The tree in SI units.

    Raises
    ------
    ModelError
        As `read_urdf` does.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> inertial = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    >>> arm = f'<link name="arm">{inertial}</link>'
    >>> pin = '<joint name="pin" type="continuous"><parent link="base"/><child link="arm"/></joint>'
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "robot.urdf"
    ...     _ = path.write_text(f'<robot name="r"><link name="base"/>{arm}{pin}</robot>')
    ...     from_urdf(path).joints["pin"].dof
    1
    """
    mechanism, report = read_urdf(path, floating_base=floating_base, gravity=gravity)
    for reported in report.warnings:
        warnings.warn(f"{report.path}: {reported}", ModelWarning, stacklevel=2)
    return mechanism
