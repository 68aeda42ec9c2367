"""Vector models ready for use: the piston-crank of Figure 2 of [J84], and the RSSR linkage."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech.analyses.vectors.model import VectorModel
from particlemech.analyses.vectors.parameters import Unknown, turned
from particlemech.analyses.vectors.parts import Element
from particlemech.errors import ModelError
from particlemech.model.spec import Vector3

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def piston_crank(
    angle: Any, crank: float = 0.1, rod: float = 0.35, offset: float = 0.0, side: float = 1.0
) -> VectorModel:
    """Return the piston-crank of [J84], Figure 2: crank R1, connecting rod R2, slider R3 along axis 1, normal R4.

    Parameters
    ----------
    angle
        Crank angle from axis 1, a number or a signal, rad.
    crank, rod
        Lengths.
    offset
        Of the line of the slider, along axis 2; a fifth vector R5 stands for it if it is not zero.
    side
        1 for the assembly with the slider on the positive side, -1 for the other.
    """
    vectors: dict[str, Any] = {
        "R1": {"direction": turned(X, Z, angle), "length": crank},
        "R2": {"direction": [Unknown(guess=side), Unknown(), Unknown()], "length": rod},
        "R3": {"direction": X, "length": Unknown(guess=side * rod)},
        "R4": {"direction": Z},
    }
    around = ["R1", "R2", "-R3"]
    if offset:
        vectors["R5"] = {"direction": Y, "length": offset}
        around.append("-R5")
    relations: dict[str, Any] = {
        "loop": {"type": "loop", "vectors": around},
        "crank": {"type": "dot", "vectors": ["R1", "R4"], "cosine": 0.0},
        "rod": {"type": "dot", "vectors": ["R2", "R4"], "cosine": 0.0},
    }
    return VectorModel(name="piston-crank", vectors=vectors, relations=relations)


def rssr(
    angle: Any,
    until: str = "acceleration",
    torque: Any = "unknown",
    coupler_spin: Any = None,
    lengths: Vector3 = (0.1, 0.45, 0.3),
    base: Vector3 = (0.3, 0.2, 0.1),
    crank_axis: Vector3 = (0.0, 0.3, 1.0),
    rocker_axis: Vector3 = (0.6, 1.0, -0.2),
    rocker: Vector3 = (0.0, 0.0, 1.0),
    masses: Vector3 = (0.8, 1.1, 0.9),
    radius: float = 0.02,
    gravity: Vector3 = (0.0, 0.0, -9.81),
) -> VectorModel:
    """Return an RSSR linkage of three uniform round rods: crank R1, coupler R2, rocker R3, base R0, axes A1 and A3.

    The loop is R1 + R2 - R3 - R0 = 0; crank and rocker turn about their axes at right angles to them, the coupler has
    balls at both ends. Its connections are "crank" and "rocker" (to ground, components along the rod, across it, and
    along the axis) and the balls "B" and "C"; the torque of the drive is component 3 of the moment of "crank".

    Parameters
    ----------
    angle
        Crank angle, a number or a signal, rad.
    until
        Highest derivative of the angle that is known: "rate" for forward dynamics.
    torque
        Of the drive: "unknown", or a number or a signal where until = "rate".
    coupler_spin
        Spin of the coupler about itself: None for none, a signal, or Unknown(guess=...) for moments to decide.
    lengths, masses
        Of crank, coupler and rocker.
    base
        From the crank's pivot to the rocker's.
    crank_axis, rocker_axis
        Directions of the axes.
    rocker
        Guess of the rocker's direction; it chooses the assembly.
    radius
        Of all rods.
    gravity
        length/s^2.
    """
    if min(lengths) <= 0.0:
        raise ModelError(f"lengths of crank, coupler and rocker must be above zero, got {list(lengths)}")
    r0 = np.array(base)
    zero = np.cross(crank_axis, (1.0, 0.0, 0.0) if abs(crank_axis[0]) < 0.9 * np.linalg.norm(crank_axis) else Y)
    crank = turned(zero, crank_axis, angle, until)
    R1 = lengths[0] * np.array([p.values(0.0)[0] for p in crank])
    out = np.array(rocker) / np.linalg.norm(rocker)
    along = r0 + lengths[2] * out - R1
    axes = {"A1": np.array(crank_axis), "A3": np.array(rocker_axis), "R0": r0}
    vectors: dict[str, Any] = {
        "R1": {"direction": crank, "length": lengths[0]},
        "R2": {"direction": _guessed(along / np.linalg.norm(along)), "length": lengths[1], "spin": coupler_spin},
        "R3": {"direction": _guessed(out), "length": lengths[2]},
        **{name: {"direction": a / np.linalg.norm(a), "length": np.linalg.norm(a)} for name, a in axes.items()},
        # across the rods, so that joints and drive have axes of their own
        "N1": {"direction": _guessed(np.cross(crank_axis, R1 / lengths[0])), "length": Unknown(guess=1.0)},
        "N3": {"direction": _guessed(np.cross(rocker_axis, out)), "length": Unknown(guess=1.0)},
    }
    relations: dict[str, Any] = {
        "loop": {"type": "loop", "vectors": ["R1", "R2", "-R3", "-R0"]},
        "crank": {"type": "dot", "vectors": ["R1", "A1"], "cosine": 0.0},
        "rocker": {"type": "dot", "vectors": ["R3", "A3"], "cosine": 0.0},
        "N1": {"type": "cross", "vectors": ["A1", "R1"], "result": "N1"},
        "N3": {"type": "cross", "vectors": ["A3", "R3"], "result": "N3"},
    }
    paths = {"crank": ("R1",), "coupler": ("R1", "R2"), "rocker": ("R0", "R3")}
    elements = {
        name: _rod(f"R{k + 1}", masses[k], lengths[k], radius, path) for k, (name, path) in enumerate(paths.items())
    }
    held, ball = ["unknown", "unknown", 0.0], "unknown"
    connections: dict[str, Any] = {
        "crank": {
            "nodes": ["ground", "crank.start"],
            "force": ball,
            "moment": [*held[:2], torque],
            "axes": ["R1", "N1", "A1"],
        },
        "B": {"nodes": ["crank.end", "coupler.start"], "force": ball},
        "C": {"nodes": ["coupler.end", "rocker.end"], "force": ball},
        "rocker": {
            "nodes": ["ground", "rocker.start"],
            "force": ball,
            "moment": held,
            "axes": ["R3", "N3", "A3"],
        },
    }
    return VectorModel(
        name="RSSR", gravity=gravity, vectors=vectors, relations=relations, elements=elements, connections=connections
    )


def _guessed(direction: Any) -> list[Unknown]:
    """Return three unknown cosines with their guesses."""
    return [Unknown(guess=float(p)) for p in direction]


def _rod(principal: str, mass: float, length: float, radius: float, path: tuple[str, ...]) -> Element:
    """Return a uniform round rod along its principal vector; the path leads to its end."""
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    half = 0.5 * length
    return Element(
        principal=principal,
        mass=mass,
        inertia=(0.5 * mass * radius**2, across, across),
        path=path,
        reaches="end",
        nodes={"start": (-half, 0.0, 0.0), "end": (half, 0.0, 0.0)},
    )
