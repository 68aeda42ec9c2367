"""Influence coefficients of a mechanism in space: how each motion moves each frame, to first and second order.

A motion is a stage of a joint or a modal coordinate, driven ones included. Per unit of its speed, motion l turns a
frame with axes R and origin O by w_l and moves O by v_l; global axes:

    g_l  = (w_l, v_l),    h_kl = d g_l/d phi_k                           [G88] (2.2-3..5), (2.2-11), (2.2-12)    (1)

What the frame carries stands at R d in axes R E, and its own motions turn it by W_l and shift it by D_l, in axes R:

    O'     = O + R d,       R'   = R E                                                                           (2)
    w'_l   = w_l + R W_l,   v'_l = v_l + w_l x R d + R D_l                                                       (3)
    w'_kl  = w_kl + w_k x R W_l + R W_kl                                                                         (4)
    v'_kl  = v_kl + w_kl x R d + w_l x (w_k x R d + R D_k) + w_k x R D_l + R D_kl                                (5)

with W_kl = dW_l/d phi_k, so that (1) follows along the tree by matrix products. Of a joint, a section and a station:

    joint      d = xi + sum a x of its travels,   W_l = a_l turned by those before,   W_kl = W_k x W_l, k before l   (6)
    spherical  W = 1: its three speeds are those of the relative angular velocity, in axes R                         (7)
    bending    d = X + delta x - 1/2 e (x^T S x),   E = exp theta~,   W = Gamma psi,   theta = psi x                 (8)
               Gamma = sum over n of theta~^n/(n + 1)!,   E = 1 + theta~ Gamma,   W_kl by a complex step             (9)

Inertia is constant in axes of each frame, where (1) are R^T w_l + psi_l, R^T v_l and R^T (g_kl - w_k x g_l):

    I*    = sum G^T I G                                                  (2.3-26)                               (10)
    dI*_k = sum H_k^T I G + G^T I H_k                                    (2.3-37)                               (11)

All in plain numpy: nothing here is shared with the sweeps that runs are made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from particlemech import rotations
from particlemech.engine.bending.links import LinkNumbers, Shapes
from particlemech.engine.recursive.compiled import Compiled
from particlemech.engine.recursive.topology import BODY, ROTOR, Frame
from particlemech.engine.system import Array
from particlemech.model.inertia import matrix
from particlemech.model.space.joints.base import ANGLES

TERMS = 40  # of the series (9): |theta| = 3 leaves 1e-30
STEP = 1e-30  # complex: no digit is lost


class State(NamedTuple):
    """Coordinates and speeds of all n motions."""

    x: Array  # (n,) those of spherical joints are not used
    u: Array  # (n,)
    quaternions: Mapping[str, Array]  # joint -> (4,)


class Relative(NamedTuple):
    """How something moves on what carries it, (2) to (5), in axes of that; one place, or several in the second axis."""

    d: Array  # (3, ...)
    D: Array  # (3, ..., n)
    D_k: Array  # (3, ..., n, n)
    E: Array  # (3, 3)
    W: Array  # (3, n)
    W_k: Array  # (3, n, n)


class Moving(NamedTuple):
    """A frame, (1)."""

    R: Array  # (3, 3)
    O: Array  # (3,)
    w: Array  # (3, n)
    v: Array  # (3, n)
    w_k: Array  # (3, n, n) [:, k, l]
    v_k: Array  # (3, n, n)


def cross(a: Array, b: Array) -> Array:
    """Return a x b of vectors along the first axis."""
    x, y, z = a
    u, v, w = b
    return np.stack(np.broadcast_arrays(y * w - z * v, z * u - x * w, x * v - y * u))


def turned(R: Array, a: Array) -> Array:
    """Return R a of vectors along the first axis."""
    return np.tensordot(R, a, 1)


def skew(a: Array) -> Array:
    """Return a~, (3, 3), with a~ b = a x b."""
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def left_jacobian(theta: Any) -> Any:
    """Return Gamma of (9), (3, 3), of a real or complex rotation vector."""
    term = total = np.eye(3, dtype=np.result_type(theta))
    for n in range(2, TERMS):
        term = term @ skew(theta) / n
        total = total + term
    return total


# -- how frames move on each other -----------------------------------------------------------------------------------


def still(n: int, d: Array) -> Relative:
    """Return what does not move on its carrier."""
    every = d.shape[1:]
    zero = np.zeros((3, *every, n)), np.zeros((3, *every, n, n))
    return Relative(d, *zero, np.eye(3), np.zeros((3, n)), np.zeros((3, n, n)))


def jointed(frame: Frame, first: int, xi: Array, spins: bool, state: State) -> Relative:
    """Return the motion of a joint, (6) or (7), whose stages begin at `first`."""
    made, n = still(len(state.x), xi.copy()), len(frame.stages)
    E = np.eye(3)
    for e, stage in enumerate(frame.stages, start=first):
        spinning = spins and e >= first + n - 3
        axis = E @ (ANGLES[e - first - n + 3] if spinning else stage).axis
        if not stage.turn:
            made.d[:] += axis * state.x[e]
            made.D[:, e] = axis
            continue
        made.W[:, e] = axis
        if not spinning:
            made.W_k[:, :, e] = cross(made.W, axis[:, None])  # zero for those after it
            E = rotations.exponential((axis * state.x[e])[None])[0] @ E
    if spins:
        E = rotations.of_quaternion(state.quaternions[frame.joint])
    return made._replace(E=E)


def bent(link: LinkNumbers, at: Shapes, first: int, state: State, turning: bool) -> Relative:
    """Return the motion of places (P,) of a part, (8); with that of the section of one place if `turning`."""
    n, own = len(state.x), slice(first, first + link.m)
    x = state.x[own]
    e = link.along
    d = at.x + at.delta @ x - 0.5 * np.einsum("c,pij,i,j->pc", e, at.short, x, x)
    made = still(n, d.T)
    made.D[:, :, own] = np.moveaxis(at.delta - np.einsum("c,pij,j->pci", e, at.short, x), 1, 0)
    made.D_k[:, :, own, own] = -np.einsum("c,pij->cpij", e, at.short)
    if not turning:
        return made
    psi = at.psi[0]
    theta = psi @ x
    gamma = left_jacobian(theta)
    made.W[:, own] = gamma @ psi
    for k in range(link.m):
        made.W_k[:, first + k, own] = (left_jacobian(theta + 1j * STEP * psi[:, k]) @ psi).imag / STEP
    return Relative(made.d[:, 0], made.D[:, 0], made.D_k[:, 0], np.eye(3) + skew(theta) @ gamma, made.W, made.W_k)


def places(of: Moving, to: Relative) -> tuple[Array, Array, Array]:
    """Return what a frame carries, one place or several: where it is, and v and v_k, by (2), (3), (5)."""
    several = (slice(None),) + (None,) * (to.d.ndim - 1)
    r, D, D_k = (turned(of.R, a) for a in (to.d, to.D, to.D_k))
    w, w_k = of.w[several], of.w_k[several]
    before, after = w[..., :, None], w[..., None, :]  # k, l
    v = of.v[several] + cross(w, r[..., None]) + D
    second = of.v_k[several] + cross(w_k, r[..., None, None]) + D_k
    second = second + cross(after, cross(before, r[..., None, None]) + D[..., :, None]) + cross(before, D[..., None, :])
    return of.O[several] + r, v, second


def carried(of: Moving, to: Relative) -> Moving:
    """Return the frame that another carries, by (2) to (5)."""
    W = turned(of.R, to.W)
    w_k = of.w_k + cross(of.w[:, :, None], W[:, None, :]) + turned(of.R, to.W_k)
    O, v, v_k = places(of, to)
    return Moving(of.R @ to.E, O, of.w + W, v, w_k, v_k)


class Frames:
    """The frames of a mechanism, and which motions are whose."""

    def __init__(self, compiled: Compiled) -> None:
        self.mechanism, self.topology = compiled.mechanism, compiled.topology
        self.coordinates, self.origins = compiled.coordinates, compiled.origins
        self.n = len(compiled.coordinates)
        self.first: list[int] = [0]  # motion of each frame
        self.modes: dict[int, int] = {}  # first modal one of each part
        count = 0
        for i, frame in enumerate(self.topology.frames, start=1):
            self.first.append(count)
            count += len(frame.stages)
            if frame.link is not None:
                self.modes[i] = count
                count += frame.link.m
        self.labels = tuple(c.label for c in self.coordinates)
        spinning = [e for e, c in enumerate(self.coordinates) if c.spins]
        self.triples = tuple(spinning[::3])  # first of three motions that are (7)

    def motion(self, joint: str, coordinate: str) -> int:
        """Return the number of the motion of a joint's coordinate."""
        return self.labels.index(f"{joint}.{coordinate}")

    def moved(self, state: State) -> list[Moving]:
        """Return all frames, number 0 the ground."""
        n = self.n
        zero = (np.zeros((3, n)),) * 2 + (np.zeros((3, n, n)),) * 2
        found = [Moving(np.eye(3), np.zeros(3), *zero)]
        for i, frame in enumerate(self.topology.frames, start=1):
            k = frame.parent
            if frame.shapes is not None:
                link = self.topology.frames[k - 1].link
                assert link is not None
                relative = bent(link, frame.shapes, self.modes[k], state, turning=True)
            else:
                spins = frame.joint in state.quaternions
                relative = jointed(frame, self.first[i], self.origins[i] - self.origins[k], spins, state)
            found.append(carried(found[k], relative))
        return found

    # -- inertia -------------------------------------------------------------------------------------------------------

    def _rigid(self, frame: Frame, i: int) -> Array | None:
        """Return the inertia (6, 6) of a frame for (w, v) of its O, without stations; copies have none."""
        m = self.mechanism
        if frame.link is not None:
            mass, moment, inertia = frame.link.mass, frame.link.moment, frame.link.inertia
        elif frame.role == ROTOR:
            rotor, stage = m.joints[frame.joint].drive.rotor, m.joints[frame.joint].stages[0]  # type: ignore
            mass, moment = (0.0 if stage.turn else rotor), np.zeros(3)
            inertia = rotor * np.outer(stage.axis, stage.axis) if stage.turn else np.zeros((3, 3))
        elif frame.role == BODY:
            mass, r = m.mass(frame.body), np.array(m.centre(frame.body)) - self.origins[i]
            moment, inertia = mass * r, matrix(m.inertia(frame.body)) - mass * skew(r) @ skew(r)
        else:
            return None
        c = skew(moment)
        return np.block([[inertia, c], [c.T, mass * np.eye(3)]])

    def inertia(self, state: State, moved: list[Moving]) -> tuple[Array, Array, Array]:
        """Return I* (10), dI* (11), (n, n, n) with k first, and what weight does along the motions, (n,)."""
        n, gravity = self.n, np.array(self.mechanism.gravity)
        I, half, weight = np.zeros((n, n)), np.zeros((n, n, n)), np.zeros(n)

        def add(of: Moving, own: Array, v: Array, v_k: Array, psi: Array) -> None:
            """Add inertias own (P, 6, 6) whose places move by v (3, P, n) and turn by psi (3, P, n) beside the rest."""
            w_k, v_l = of.w[:, None, :, None], v[:, :, None, :]
            turning = turned(of.R.T, of.w)[:, None] + psi
            g = np.concatenate([turning, turned(of.R.T, v)])
            second = turned(of.R.T, of.w_k - cross(of.w[:, :, None], of.w[:, None, :]))[:, None]
            second = np.broadcast_to(second, (3, *v.shape[1:], n))
            h = np.concatenate([second, turned(of.R.T, v_k - cross(w_k, v_l))])
            Y = np.einsum("pcd,dpl->cpl", own, g)
            I[:] += np.tensordot(g, Y, ((0, 1), (0, 1)))
            half[:] += np.tensordot(h, Y, ((0, 1), (0, 1)))
            weight[:] += np.einsum("cpl,c->l", Y[3:], of.R.T @ gravity)

        for i, frame in enumerate(self.topology.frames, start=1):
            of = moved[i]
            rigid = self._rigid(frame, i)
            if rigid is not None:
                add(of, rigid[None], of.v[:, None], of.v_k[:, None], np.zeros((3, 1, n)))
            if frame.link is not None and len(frame.link.station_mass):
                link, at = frame.link, frame.link.stations
                own = np.zeros((len(link.station_mass), 6, 6))
                own[:, :3, :3] = link.station_inertia
                own[:, 3:, 3:] = link.station_mass[:, None, None] * np.eye(3)
                psi = np.zeros((3, len(own), n))
                psi[:, :, self.modes[i] : self.modes[i] + link.m] = np.moveaxis(at.psi, 1, 0)
                _, v, v_k = places(of, bent(link, at, self.modes[i], state, turning=False))
                add(of, own, v, v_k, psi)
        return I, half + np.swapaxes(half, 1, 2), weight
