"""Arms whose beams are known to the last number: the manipulator of [G88], joints locked, and a bent arm of two.

The numbers are tables 3.1-1 and 3.1-2 of [G88] in feet, slugs and pounds as corrected in its errata: links 2 and 3 are
uniform thin beams; EI is the least-squares fit of the printed stiffnesses, GJ the printed one times L; inertias are
about the origins of the links; the inertia of link 6 is that of a slender body along its own z.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tests.support.beam_elements import Frame, Section

STRAIGHT, ELBOW = 0.0, 0.5 * np.pi  # joint 3 in configurations #1 and #2
BASES = {"fixed": "xyzabc", "translates": "abc", "free": ""}  # what is held


class ArmLink(NamedTuple):
    """One link of the arm: geometry of the way to the next joint, and mass."""

    end: tuple[float, float, float]
    alpha: float
    theta: float
    mass: float
    centre: tuple[float, float, float]
    inertia: list[list[float]]  # about the origin; a beam uses the first entry
    stiffness: tuple[float, float] | None = None  # EI, GJ


def diagonal(*entries: float) -> list[list[float]]:
    return np.diag(entries).tolist()


SPACECRAFT = [[8.9e5, 1.6e4, -2.9e5], [1.6e4, 6.9e6, 3.5e3], [-2.9e5, 3.5e3, 7.3e6]]
SHOULDER = [[1.37, 0.014, -0.059], [0.014, 1.595, -0.027], [-0.059, -0.027, 0.439]]
UPPER = (1116.910230 * 20.92**3, 1.1e6 * 20.92)
FORE = (548.886569 * 23.18**3, 8.3e5 * 23.18)
HALF = 0.5 * np.pi
ARM = [
    ArmLink((-35.88, -8.07, 0.8), np.pi, 0.0, 6.39e3, (0.0, 0.0, 0.0), SPACECRAFT),
    ArmLink((0.0, 0.0, 1.0), HALF, np.pi, 2.198, (0.0, 0.0, 0.0), SHOULDER),
    ArmLink((20.92, 0.0, 0.0), 0.0, 0.0, 9.536, (10.46, 0.0, 0.0), diagonal(2.38, 0.0, 0.0), UPPER),
    ArmLink((23.18, 0.0, 0.0), 0.0, 0.0, 5.982, (11.59, 0.0, 0.0), diagonal(1.17, 0.0, 0.0), FORE),
    ArmLink((1.5, 0.0, 0.0), 3.0 * HALF, 0.0, 0.58, (0.75, 0.0, 0.0), diagonal(0.066, 0.622, 0.622)),
    ArmLink((0.0, -2.5, 0.0), HALF, HALF, 3.144, (0.0, -1.25, 0.0), diagonal(8.36, 0.301, 8.36)),
    ArmLink((0.0, 0.0, 2.17), 0.0, 0.0, 3.094, (0.0, 0.0, 1.08), diagonal(8.63, 8.63, 0.301)),
]
PRINTED_LAST = [[5.71, 0.261, -0.712], [0.261, 0.301, 0.0], [-0.712, 0.0, 8.63]]  # as the report has link 6


def turned(axis: int, angle: float) -> np.ndarray:
    """Return the rotation matrix about a coordinate axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i] = R[j, j] = np.cos(angle)
    R[j, i] = np.sin(angle)
    R[i, j] = -R[j, i]
    return R


def report_arm(elbow: float, n: int, base: str = "translates", links=ARM) -> tuple[Frame, int]:
    """Return the arm of [G88] with n elements in each of its two beams, and the node at the end of link 6."""
    frame, R = Frame(), np.eye(3)
    node = frame.node(np.zeros(3))
    frame.hold(node, BASES[base])
    for i, link in enumerate(links):
        if i:
            R = R @ turned(0, links[i - 1].alpha) @ turned(2, link.theta + (elbow if i == 3 else 0.0))
        place = frame.places[node] + R @ np.array(link.end)
        if link.stiffness is not None:
            length = float(np.linalg.norm(link.end))
            section = Section(*link.stiffness, mass=link.mass / length, polar=link.inertia[0][0] / length)
            node = frame.beam(node, place, section, n)[-1]
        else:
            frame.body(node, link.mass, R @ np.array(link.centre), R @ np.array(link.inertia) @ R.T)
            node = frame.rigid(node, place)
    return frame, node


def bent_arm(
    sections: tuple[Section, Section], lengths: tuple[float, float], elbow: float, n: int, spring: float | None = None
) -> tuple[Frame, list[int], list[int]]:
    """Return a clamped arm of two beams in the xy plane, the second turned by `elbow`, and the nodes of both.

    The elbow is stiff, or turns about z against a spring.
    """
    frame = Frame()
    root = frame.node(np.zeros(3))
    frame.hold(root)
    first = frame.beam(root, (lengths[0], 0.0, 0.0), sections[0], n, y=(0.0, 1.0, 0.0))
    way = np.array([np.cos(elbow), np.sin(elbow), 0.0])
    side = (-np.sin(elbow), np.cos(elbow), 0.0)
    start = first[-1] if spring is None else frame.revolute(first[-1], (0.0, 0.0, 1.0), spring)
    second = frame.beam(start, frame.places[first[-1]] + lengths[1] * way, sections[1], n, y=side)
    return frame, first, second
