"""Transmission angles in space: how well the wrench that a mechanism hands to its output moves it.

As in the plane (transmission.py), all masses, springs and friction left out, drivers hold still, and a unit effort on
the output is balanced; the joint with the largest wrench counts. Its force is F f with |f| = 1, its moment M about its
place X; an output turns about u through O, a screw with the pitch p, or travels along u:

    P = X + F f x M/F^2,   h = f.M/F                         axis and pitch of the wrench [SR73]                 (1)
    a = (h + p) u + u x (P - O)   of what turns,     a = u   of what travels                                     (2)
    sin mu = |f.a|/|a|                                                                                           (3)

F f.a is the power of the wrench per rate of the output, and F |a| what a wrench of the same size, pitch and place could
give at best: mu is the angle of transmission, from 0 to a quarter turn, and sin mu the index of transmission. Of a pure
force it is the angle against the plane across the way of P; of a pure couple M it is that against the plane across u.
In a plane it is that of the plane, or what this lacks to half a turn. Joints may share the load in many ways, as those
of a linkage of the plane in space do: what self-stresses add to the wrench must be across it, or there is no angle.

[SR73] G. Sutherland and B. Roth, A transmission index for spatial mechanisms, J. Eng. Ind. 95 (1973) 589-597.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from particlemech._threads import one_thread
from particlemech.analyses.kinematics.masses import placed
from particlemech.analyses.loops.equilibrium import Known
from particlemech.analyses.measures.transmission import OPEN, SLACK, Output
from particlemech.engine.natural.readings import gradient
from particlemech.engine.natural.start import Bodies
from particlemech.engine.statics import RANK
from particlemech.engine.system import Array
from particlemech.model.description import GROUND

SHARED = 1e-6  # of the wrench: what unit self-stresses may add along it


@one_thread
def angles(result: Any, driver: str | None, wanted: tuple[Output, ...]) -> dict[str, Array]:
    """Return the transmission angles of outputs, (K,) each, rad; NaN where no wrench is handed over."""
    m = result.mechanism
    at = _still(result)
    joints = {out.label: _handing(m, out.body) for out in wanted}
    found = {out.label: np.full(len(result.t), np.nan) for out in wanted}
    if any(joints.values()):
        for k in range(len(result.t)):
            for out, carried in zip(wanted, _balanced(at, k, driver, wanted, joints), strict=True):
                if carried is not None:
                    found[out.label][k] = _angle(m, out, *carried)
    return found


def _still(result: Any) -> Known:
    """Return the poses of a result in natural coordinates, without forces and at rest."""
    m, K = placed(result.mechanism), len(result.t)
    bare = m.replaced(forces=dict.fromkeys(m.forces), impulses=dict.fromkeys(m.impulses), initial=type(m.initial)())
    every = [(name, x) for name, joint in m.joints.items() for x in joint.coordinate_names]
    near = {end: result.coordinate(*end) for end in every}
    x = np.array([result._placed(b, m.centre(b), 0) for b in m.bodies])
    R = np.array([result.orientation(b) for b in m.bodies])
    none = np.zeros((len(m.bodies), 3))
    poses = [Bodies(x[:, k], R[:, k], none, none, {e: float(c[k]) for e, c in near.items()}) for k in range(K)]
    return Known(bare, result.t, poses)


def _handing(m: Any, body: str) -> list[str]:
    """Return the joints between moving bodies that hand something over to one of them."""
    return [j for j, spec in m.joints.items() if body in spec.bodies and GROUND not in spec.bodies]


def _balanced(
    at: Known, k: int, driver: str | None, wanted: tuple[Output, ...], joints: dict[str, list[str]]
) -> list[tuple[Array, Array, Array] | None]:
    """Return force, moment and place of the joint that hands a unit effort over to each output, at sample k."""
    m, L, z = at.mechanism, at.system.scale.length, at._level(0)[k]
    measures = at._compiled.measures
    every = at._balance(k)
    rows = [row for row in at.system.compiled.every if not row.part.startswith("body")]
    W, unit = every.wrench, every.unit
    if driver is not None and driver not in m.drivers:
        joint, _, of = driver.partition(".")
        end = joint, m.known_coordinate(joint, of or None)
        W = np.column_stack([W, at._wrenches(z, gradient(measures[end], z)[:, None])])
        unit = np.append(unit, L if end[1].startswith("angle") else 1.0)
    U, s, Vt = np.linalg.svd(W * unit)
    rank = int(np.sum(s > RANK * s.max(initial=0.0)))
    stresses = unit[:, None] * Vt[rank:].T
    found: list[tuple[Array, Array, Array] | None] = []
    for out in wanted:
        w = -at._wrenches(z, gradient(measures[out.joint, out.of.name], z)[:, None])[:, 0]
        r = unit * (Vt[:rank].T @ ((U[:, :rank].T @ w) / s[:rank]))
        if not joints[out.label] or np.abs(W @ r - w).max() > OPEN * np.abs(w).max():
            found.append(None)
            continue
        own = {joint: [row.part == f'joint "{joint}"' for row in rows] for joint in joints[out.label]}
        wrenches = np.array([at._report(k, joint, every, of) @ r[: len(rows)] for joint, of in own.items()])
        size = np.hypot(np.linalg.norm(wrenches[:, :3], axis=1), np.linalg.norm(wrenches[:, 3:], axis=1) / L)
        most = int(np.argmax(size))
        wrench, units = wrenches[most], np.repeat([1.0, L], 3)
        shared = at._report(k, joints[out.label][most], every, [*own.values()][most]) @ stresses[: len(rows)]
        sure = np.abs((shared / units[:, None]).T @ (wrench / units)).max(initial=0.0) <= SHARED * size[most]
        spec = m.joints[joints[out.label][most]]
        place = at._placed(spec.second, spec.place(m), 0)[k]
        found.append((wrench[:3], wrench[3:], place) if sure and size[most] > 0.0 else None)
    return found


def _angle(m: Any, out: Output, force: Array, moment: Array, place: Array) -> float:
    """Return (3)."""
    spec: Any = m.joints[out.joint]
    u, size = np.array(spec.direction), float(np.linalg.norm(force))
    if size <= SLACK * float(np.linalg.norm(moment)):  # a couple
        if not out.of.turn:
            return 0.0
        f, a = moment / np.linalg.norm(moment), u
    else:
        f = force / size
        arm = place + np.cross(f, moment) / size - np.array(spec.place(m))
        pitch = float(f @ moment) / size + getattr(spec, "pitch", 0.0)  # (1)
        a = pitch * u + np.cross(u, arm) if out.of.turn else u  # (2)
    # by sine and cosine: near a quarter turn a sine alone keeps half the digits
    return float(np.arctan2(abs(f @ a), np.linalg.norm(np.cross(f, a))))
