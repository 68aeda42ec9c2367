"""A humanoid in URDF with all frames turned, and recursive Newton-Euler in the frames of the links themselves."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

import numpy as np

# joints, each on the one before
LEG = ("hip_yaw", "hip_roll", "hip_pitch", "knee", "ankle_pitch", "ankle_roll")
ARM = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_yaw", "wrist_pitch", "wrist_roll")
TRUNK = ("waist_yaw", "waist_roll", "waist_pitch")
NECK = ("neck_yaw", "neck_pitch", "neck_roll")


def humanoid(seed=0):
    """Return the text of a robot with 36 joints that move, frames without mass, and parts that are fixed."""
    rng = np.random.default_rng(seed)
    lines = ['<robot name="Humanoid">', _link(rng, "pelvis", 12.0)]
    chain(lines, rng, "pelvis", TRUNK, 4.0)
    chain(lines, rng, "waist_pitch_link", NECK, 1.0)
    for side in ("left", "right"):
        chain(lines, rng, "pelvis", [f"{side}_{j}" for j in LEG], 3.0)
        chain(lines, rng, "waist_pitch_link", [f"{side}_{j}" for j in ARM], 1.5)
        chain(lines, rng, f"{side}_ankle_roll_link", [f"{side}_sole"], 0.7, "fixed")
        for finger in ("thumb", "finger"):
            chain(lines, rng, f"{side}_wrist_roll_link", [f"{side}_{finger}"], 0.1, "prismatic")
        lines.append(f'<link name="{side}_eye"/>')
        lines.append(_joint(rng, f"{side}_gaze", "fixed", "neck_roll_link", f"{side}_eye"))
    return "\n".join([*lines, "</robot>"])


def chain(lines, rng, parent, joints, mass, kind="revolute"):
    for joint in joints:
        lines += [_link(rng, f"{joint}_link", mass), _joint(rng, joint, kind, parent, f"{joint}_link")]
        parent = f"{joint}_link"


def _words(numbers):
    return " ".join(repr(float(x)) for x in numbers)


def _link(rng, name, mass):
    a, b, c = rng.uniform(0.05, 0.3, 3)
    turn = rotation(rng.uniform(-3.0, 3.0, 3))
    I = turn @ np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) @ turn.T * mass / 12
    entries = " ".join(f'i{"xyz"[i]}{"xyz"[k]}="{float(I[i, k])!r}"' for i in range(3) for k in range(i, 3))
    origin = f'<origin xyz="{_words(rng.normal(0, 0.1, 3))}" rpy="{_words(rng.uniform(-3, 3, 3))}"/>'
    return f'<link name="{name}"><inertial>{origin}<mass value="{mass}"/><inertia {entries}/></inertial></link>'


def _joint(rng, name, kind, parent, child):
    axis = rng.normal(size=3)
    limit = "" if kind == "fixed" else '<limit lower="-2" upper="2" effort="100" velocity="5"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{_words(rng.normal(0, 0.2, 3))}" rpy="{_words(rng.uniform(-3, 3, 3))}"/>'
        f'<axis xyz="{_words(axis / np.linalg.norm(axis))}"/>{limit}</joint>'
    )


# -- the second method ---------------------------------------------------------------------------------------------


class Part(NamedTuple):
    """A link and the joint before it, in the link's own frame; the joint of the root is None."""

    link: str
    parent: int
    joint: str | None
    kind: str
    R: np.ndarray  # of the joint's frame in the parent's
    r: np.ndarray
    axis: np.ndarray
    mass: float
    c: np.ndarray  # centre of mass
    I: np.ndarray  # about it


def rotation(rpy):
    r, p, y = rpy
    return about([0, 0, 1], y) @ about([0, 1, 0], p) @ about([1, 0, 0], r)


def about(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def parts(text):
    """Return the links of a robot, parents first."""
    robot = ElementTree.fromstring(text)
    inertial = {e.get("name"): e.find("inertial") for e in robot.findall("link")}
    joints = robot.findall("joint")
    carried = {j.find("child").get("link") for j in joints}
    (root,) = [name for name in inertial if name not in carried]
    nothing = np.zeros(3)
    found = [Part(root, -1, None, "", np.eye(3), nothing, nothing, *_body(inertial[root]))]
    for k, part in enumerate(found):  # which grows meanwhile
        for j in joints:
            if j.find("parent").get("link") == part.link:
                child = j.find("child").get("link")
                axis = np.array([1.0, 0.0, 0.0]) if j.find("axis") is None else _numbers(j.find("axis").get("xyz"))
                R, r = _frame(j.find("origin"))
                axis /= np.linalg.norm(axis)
                found.append(Part(child, k, j.get("name"), j.get("type"), R, r, axis, *_body(inertial[child])))
    return found


def _numbers(text):
    return np.array([float(word) for word in text.split()])


def _frame(origin):
    if origin is None:
        return np.eye(3), np.zeros(3)
    return rotation(_numbers(origin.get("rpy", "0 0 0"))), _numbers(origin.get("xyz", "0 0 0"))


def _body(inertial):
    if inertial is None:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    turn, c = _frame(inertial.find("origin"))
    e = {k: float(v) for k, v in inertial.find("inertia").attrib.items()}
    I = np.array(
        [[e["ixx"], e["ixy"], e["ixz"]], [e["ixy"], e["iyy"], e["iyz"]], [e["ixz"], e["iyz"], e["izz"]]],
    )
    return float(inertial.find("mass").get("value")), c, turn @ I @ turn.T


class Base(NamedTuple):
    """Motion of the root link in global axes."""

    R: np.ndarray
    omega: np.ndarray
    alpha: np.ndarray
    a: np.ndarray


FIXED = Base(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))


def efforts(robot, q, v, a, gravity, base=FIXED):
    """Return forces along the joints by name, and force and moment on the root link at its origin, global axes."""
    step, motion = [], []  # (R, r) of each link in its parent, and (omega, alpha, acceleration less gravity)
    for part in robot:
        if part.joint is None:
            step.append((np.eye(3), np.zeros(3)))
            motion.append([base.R.T @ x for x in (base.omega, base.alpha, base.a - gravity)])
            continue
        turns, slides = part.kind in ("revolute", "continuous"), part.kind == "prismatic"
        x, x_dot, x_ddot = (u.get(part.joint, 0.0) for u in (q, v, a))
        R = part.R @ about(part.axis, x) if turns else part.R
        r = part.r + part.R @ part.axis * x if slides else part.r
        w_p, dw_p, a_p = motion[part.parent]
        w, dw = R.T @ w_p, R.T @ dw_p
        acc = R.T @ (a_p + np.cross(dw_p, r) + np.cross(w_p, np.cross(w_p, r)))
        if slides:
            acc = acc + 2.0 * np.cross(w, part.axis * x_dot) + part.axis * x_ddot
        if turns:
            dw = dw + part.axis * x_ddot + np.cross(w, part.axis * x_dot)
            w = w + part.axis * x_dot
        step.append((R, r))
        motion.append([w, dw, acc])
    f, n = np.zeros((len(robot), 3)), np.zeros((len(robot), 3))
    found = {}
    for k in range(len(robot) - 1, -1, -1):
        part, (w, dw, acc) = robot[k], motion[k]
        F = part.mass * (acc + np.cross(dw, part.c) + np.cross(w, np.cross(w, part.c)))
        f[k] += F
        n[k] += part.I @ dw + np.cross(w, part.I @ w) + np.cross(part.c, F)
        if part.joint is None:
            return found, base.R @ f[k], base.R @ n[k]
        if part.kind != "fixed":
            found[part.joint] = part.axis @ (f[k] if part.kind == "prismatic" else n[k])
        R, r = step[k]
        f[part.parent] += R @ f[k]
        n[part.parent] += R @ n[k] + np.cross(r, R @ f[k])
    raise AssertionError("no root")


def placed(robot, q):
    """Return rotation and origin of all links by name; the root link at the origin."""
    frames = {}
    for part in robot:
        if part.joint is None:
            frames[part.link] = np.eye(3), np.zeros(3)
            continue
        R_p, r_p = frames[robot[part.parent].link]
        x = q.get(part.joint, 0.0)
        R = part.R @ about(part.axis, x) if part.kind in ("revolute", "continuous") else part.R
        r = part.r + part.R @ part.axis * x if part.kind == "prismatic" else part.r
        frames[part.link] = R_p @ R, r_p + R_p @ r
    return frames
