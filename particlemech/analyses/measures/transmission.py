"""Transmission angles of the plane: how well the force that a mechanism hands to its output moves it.

An output is a coordinate of a joint on the ground that no driver prescribes, as of a rocker or a slider. All masses,
springs and friction left out, drivers holding still, one unit of effort on the output is balanced by

    W r = -w,      W the unit reactions of all joints and drivers, w the unit effort on the output               (1)

The joint that hands the largest force F to the output body counts; F acts at P, its place, or where a joint that
carries a moment must have it. The output lets P move across n: the arm from its pin, or the normal of its line. Then

    transmission angle = angle of F and n, F as the coupler that hands it over pushes                            (2)

90 degrees are best, at 0 and 180 the output cannot be moved. In a four-bar it is the angle of coupler and rocker at
their pin, in a slider-crank that of the rod and the normal of the guide; a pin in a straight slot always has 90.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from particlemech._threads import one_thread
from particlemech.analyses.measures.poles import across
from particlemech.engine.plane import Sight
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import GROUND
from particlemech.model.freedom import Freedom

OPEN = 1e-7  # of the unit effort: what no reaction balances moves the mechanism
REGULAR = 1e6  # times the unit effort: forces this large are those of a pose that is nearly singular
SLACK = 1e-9  # of the largest force: joints with less carry nothing


class Output(NamedTuple):
    """A coordinate of a joint on the ground that is moved by the others."""

    label: str  # joint, or joint.coordinate where it has several
    joint: str
    of: Freedom
    body: str


def outputs(m: Any, driver: str | None) -> dict[str, Output]:
    """Return the outputs of a mechanism by label; `driver` is a joint that counts as driven."""
    known = [d for d in m.drivers.values() if getattr(d, "joint", None)]
    driven = {(d.joint, d.coordinate or m.joints[d.joint].coordinate_names[0]) for d in known}
    if driver is not None and driver not in m.drivers:
        joint, _, name = driver.partition(".")
        driven.add((joint, name or m.joints[joint].coordinate_names[0]))
    found = {}
    for joint, spec in m.joints.items():
        for of in _freedoms(m, spec):
            if GROUND in (of.first, of.second) and (joint, of.name) not in driven:
                label = joint if len(spec.coordinate_names) == 1 else f"{joint}.{of.name}"
                body = of.second if of.first == GROUND else of.first
                if any(body in other.bodies for name, other in m.joints.items() if name != joint):
                    found[label] = Output(label, joint, of, body)
    return found


def _freedoms(m: Any, spec: Any) -> Sequence[Freedom]:
    """Return the coordinates of a joint that can be outputs; in space those about or along an axis fixed in both."""
    if m.kind == "planar":
        return tuple(spec.freedoms)
    if not hasattr(spec, "direction"):
        return ()
    return [Freedom(name, name == "angle", *spec.bodies) for name in spec.coordinate_names]


def chosen(m: Any, driver: str | None, label: str) -> Output:
    """Return an output by label."""
    found = outputs(m, driver)
    if label not in found:
        raise ModelError(f'transmission: "{label}" is no output, a joint on the ground that is not driven'
                         f"{suggestion(label, found)}; outputs here: {', '.join(found) or 'none'}")  # fmt: skip
    return found[label]


@one_thread
def angles(result: Any, driver: str | None, wanted: tuple[Output, ...]) -> dict[str, Array]:
    """Return the transmission angles of outputs, (K,) each, rad; NaN where nothing hands a force over."""
    m, lay = result.system.mechanism, result.system.layout
    seen, n = result._sight(), len(result.t)
    report = _balanced(result, driver, wanted)  # (K, n_report, 3, n_output)
    at = np.stack([seen.place_on(*m.joints[joint].seat(on, m)) for joint, on in lay.reactions], axis=1)
    found = {}
    for k, output in enumerate(wanted):
        force, moment = report[:, :, :2, k], report[:, :, 2, k]
        size = np.linalg.norm(force, axis=2)
        handing = {j for j, spec in m.joints.items() if spec.bodies and GROUND not in spec.bodies}
        own = [r for r, (j, on) in enumerate(lay.reactions) if on == output.body and j in handing]
        values = np.full(n, np.nan)
        if own:
            most = np.array(own)[np.argmax(size[:, own], axis=1)]
            for r in np.unique(most):
                here = most == r
                values[here] = _angle(result, output, seen, force, moment, at, int(r))[here]
        found[output.label] = values
    return found


def _angle(result: Any, output: Output, seen: Any, force: Array, moment: Array, at: Array, r: int) -> Array:
    """Return the angle of the force of report r with the normal of the way, (K,); (2)."""
    m, lay = result.system.mechanism, result.system.layout
    F, size = force[:, r], np.linalg.norm(force[:, r], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        P = at[:, r] - across(F) * (moment[:, r] / size**2)[:, None]
        F = F * _pushing(m, lay.reactions, force, at, r, F)[:, None] / size[:, None]
        if output.of.turn:
            n = P - seen.place_on(*m.joints[output.joint].seat(output.body, m))
        else:
            n = across(seen.along(output.of))
        n = n / np.linalg.norm(n, axis=1)[:, None]
        # by sine and cosine: near 0 and 180 degrees a cosine alone keeps half the digits
        return np.asarray(np.arctan2(np.abs(F[:, 0] * n[:, 1] - F[:, 1] * n[:, 0]), np.sum(F * n, axis=1)))


def _pushing(m: Any, reactions: Any, force: Array, at: Array, r: int, F: Array) -> Array:
    """Return 1 where a force comes out of the body that hands it over as if pushed, -1 where pulled, (K,)."""
    joint, on = reactions[r]
    size = np.linalg.norm(force, axis=2)
    sign = np.ones(len(F))
    for body in m.joints[joint].bodies:
        others = [s for s, (other, b) in enumerate(reactions) if b == body and other != joint]
        if body == on or not others:
            continue
        far = np.array(others)[np.argmax(size[:, others], axis=1)]
        way = at[:, r] - at[np.arange(len(F)), far]
        along = np.sum(F * way, axis=1)
        straight = np.abs(along) > SLACK * np.linalg.norm(F, axis=1) * max(float(np.abs(at).max()), 1e-300)
        sign = np.where(straight, np.sign(along), sign)
    return sign


def _balanced(result: Any, driver: str | None, wanted: tuple[Output, ...]) -> Array:
    """Return what balances a unit effort on each output, (K, n_report, 3, n_output); (1)."""
    found = []
    for states in result._states:
        system, (q, v) = states.system, states.projected
        m, seen = (
            system.mechanism,
            Sight(
                system.mechanism, system.layout, system.home, states.t, system.motion(q, v, np.zeros_like(v), states.x)
            ),
        )
        w = np.stack([_unit(system, seen, output.of) for output in wanted], axis=2)
        W, report = system.units_of(states.t, q)
        own = W.shape[2]
        if driver is not None and driver not in m.drivers:
            joint, _, of = driver.partition(".")
            W = np.concatenate([W, _unit(system, seen, m.coordinate(joint, of or None))[:, :, None]], axis=2)
        found.append(np.einsum("krcn,kno->krco", report, _solved(W, -w)[:, :own]))
    return np.concatenate(found)


def _solved(W: Array, b: Array) -> Array:
    """Return r of W r = b at K samples, (K, n, n_output): the least where it is not unique, NaN where there is none."""
    r = np.full((len(W), W.shape[2], b.shape[2]), np.nan)
    if W.shape[1] == W.shape[2]:
        with contextlib.suppress(np.linalg.LinAlgError), np.errstate(all="ignore"):
            r = np.linalg.solve(W, b)
    # near a singular pose, or where reactions are not unique, by a decomposition
    size = np.abs(W).max(axis=(1, 2), initial=0.0) * np.abs(r).max(axis=(1, 2), initial=0.0)
    for k in np.flatnonzero(~(size < REGULAR * np.abs(b).max(axis=(1, 2)))):
        r[k] = np.linalg.lstsq(W[k], b[k], rcond=1e-12)[0]
    left = np.abs(W @ r - b).max(axis=1) > OPEN
    return np.where(left[:, None], np.nan, r)


def _unit(system: Any, seen: Sight, of: Freedom) -> Array:
    """Return the wrench of a unit effort on a coordinate, rows as those of the balance, (K, 3 n_body)."""
    lay, L = system.layout, system.scale.length
    w = np.zeros((len(seen.t), len(lay.bodies), 3))
    for body, sign in ((of.first, -1.0), (of.second, 1.0)):
        if body == GROUND:
            continue
        b = lay.bodies.index(body)
        if of.turn:
            w[:, b, 2] += sign / L
            continue
        u = sign * seen.along(of)
        point = seen.place_on(of.second, seen.mechanism.place(of.point, of.second))
        arm = point - seen.place_on(body, seen.mechanism.centre(body))
        w[:, b, :2] += u
        w[:, b, 2] += (arm[:, 0] * u[:, 1] - arm[:, 1] * u[:, 0]) / L
    return w.reshape(len(w), -1)
