"""Element dynamics, [J84] chapters IV and V: Newton's second law for every solid element.

The axes of element k stand in the rows of [E_k], system components: e1 along the principal vector P, e3 along
P x (plane vector), e2 = e3 x e1, so that

    PS = E^T PE                                                                                [J84] (14), (15)
    sum_j f_kj = W_k_dot                                                                       [J84] (16)
    f_kj = [U, 0; PS_4 C(PS)^T, U] F_kj      force, moment about the centre of mass            [J84] (17) (errata)
    W_k_dot = (M_k sum R_n_ddot, H_k_dot)                                                      [J84] (18)
    I_k = E^T IE E,      H_dot = E_dot^T IE E Omega + E^T IE E_dot Omega + I_k Omega_dot       [J84] (19)-(22)
    E_dot = E C(Omega)                                                                         [J84] (23) (errata)

The printed (17) has C in place of C^T, which turns all moments of forces round. Accelerations and forces follow from

    [ A_kin    0 ] [ Omega_n_dot, P_n4_ddot ]   [ b_kin ]
    [ -M_acc   B ] [ F_kj                   ] = [ M_vel ]                                      [J84] (24) (errata)

The upper rows are those of rates.py, M_acc the columns of (18) and (22), M_vel what these hold of velocities, less
given forces. If the upper rows determine all accelerations, the form is *uncoupled*: accelerations first, forces
after. If not, because a spin or a drive is left open, both are found at once: the *coupled* form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from particlemech.analyses.vectors.matrices import C, fitted
from particlemech.analyses.vectors.parts import Connection
from particlemech.analyses.vectors.pose import Pose
from particlemech.analyses.vectors.rank import listed
from particlemech.analyses.vectors.rates import UNMET, Accelerations, Equations, Velocities, blamed, refuse
from particlemech.analyses.vectors.relations.loop import terms
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.description import GROUND

FORMS = ("auto", "uncoupled", "coupled")
COMPONENTS = ("force 1", "force 2", "force 3", "moment 1", "moment 2", "moment 3")
SQUARE = 1e-9  # largest product of axes of a connection that count as at right angles


class Placed(NamedTuple):
    """A solid element in a pose and its velocities."""

    E: Array  # (3, 3) element axes in rows, [J84] (14)
    I: Array  # (3, 3) inertia in system components, [J84] (20)
    com: Array  # (3,)
    com_dot: Array  # (3,)
    omega: Array  # (3,)


def lever(arm: Array) -> Array:
    """Return the block of moments in [J84] (17) (errata), (3, 3): PS_4 C(PS)^T F = r x F."""
    return C(arm).T


def axes(pose: Pose, element: str) -> Array:
    """Return the axes of an element in rows, (3, 3), [J84] (14)."""
    spec = pose.of.model.elements[element]
    e1 = pose.direction(spec.principal)
    if spec.plane is None:  # any axes serve a body of revolution
        side = np.eye(3)[int(np.argmin(np.abs(e1)))]
    else:
        side = pose.direction(spec.plane)
    e3 = C(e1).T @ side
    size = float(np.linalg.norm(e3))
    if size < SQUARE:
        raise ModelError(
            f'element "{element}": vectors "{spec.principal}" and "{spec.plane}" are parallel and leave its axes open; '
            "choose another plane vector"
        )
    e3 = e3 / size
    return np.array([e1, C(e3).T @ e1, e3])


def placed(of: Velocities, element: str) -> Placed:
    """Return an element in its place, with its velocities."""
    if element not in of.pose.of.model.elements:
        raise ModelError(f'element "{element}" unknown{suggestion(element, of.pose.of.model.elements)}')
    spec = of.pose.of.model.elements[element]
    E, Omega = axes(of.pose, element), of.omega(spec.principal)
    xx, yy, zz, xy, xz, yz = spec.tensor
    IE = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])  # [J84] (21); its products are -xy, -xz, -yz
    back = -E.T @ np.array(spec.nodes[spec.reaches]) if spec.reaches is not None else np.zeros(3)
    com, com_dot = back.copy(), C(back) @ Omega
    for v, sign in terms(spec.path):
        com += sign * of.pose.vector(v)
        com_dot += sign * of.vector_dot(v)
    return Placed(E, E.T @ IE @ E, com, com_dot, Omega)


# -- rows of [J84] (24) ----------------------------------------------------------------------------------------------


def _inertia(of: Velocities, element: str) -> tuple[Array, Array]:
    """Return M_acc (6, n) and M_vel (6,) of an element: W_dot = M_acc w_dot + M_vel, [J84] (18), (22)."""
    c, spec, now = of.pose.of, of.pose.of.model.elements[element], placed(of, element)
    M_acc, M_vel = np.zeros((6, c.n)), np.zeros(6)
    own = slice(4 * c.index[spec.principal], 4 * c.index[spec.principal] + 3)
    for v, sign in terms(spec.path):  # [J84] (12)
        n = 4 * c.index[v]
        P, L, Omega = of.pose.direction(v), of.pose.length(v), of.omega(v)
        P_dot = C(P) @ Omega
        M_acc[:3, n : n + 3] += sign * L * C(P)
        M_acc[:3, n + 3] += sign * P
        M_vel[:3] += sign * (L * C(P_dot) @ Omega + 2.0 * of.length_dot(v) * P_dot)
    if spec.reaches is not None:  # an element vector back from the node, of constant length
        back = -now.E.T @ np.array(spec.nodes[spec.reaches])
        M_acc[:3, own] += C(back)
        M_vel[:3] += C(C(back) @ now.omega) @ now.omega
    M_acc[:3] *= spec.mass
    M_vel[:3] *= spec.mass
    E_dot = now.E @ C(now.omega)
    IE = now.E @ now.I @ now.E.T
    M_acc[3:, own] += now.I
    M_vel[3:] = E_dot.T @ IE @ now.E @ now.omega + now.E.T @ IE @ E_dot @ now.omega
    return M_acc, M_vel


def _basis(pose: Pose, name: str, connection: Connection) -> Array:
    """Return the unit vectors in rows along which the components of a connection count, (3, 3)."""
    Q = np.array(
        [pose.direction(a) if isinstance(a, str) else np.array(a) / np.linalg.norm(a) for a in connection.axes]
    )
    if float(np.abs(Q @ Q.T - np.eye(3)).max()) > SQUARE:
        raise ModelError(
            f'connection "{name}": its axes are not at right angles at t = {pose.t:.6g}; choose other ones'
        )
    return Q


class Loads(NamedTuple):
    """B of (24) and given forces."""

    B: Array  # (6 n_element, n_force)
    known: Array  # (6 n_element,)
    names: tuple[tuple[str, int], ...]  # connection and component of each column


def _loads(of: Velocities) -> Loads:
    """Return what connections and gravity do to the elements, [J84] (16), (17)."""
    model, pose = of.pose.of.model, of.pose
    rows = {element: slice(6 * k, 6 * k + 6) for k, element in enumerate(model.elements)}
    known = np.zeros(6 * len(rows))
    columns, names = [], []
    for element, spec in model.elements.items():
        known[rows[element]][:3] += spec.mass * np.array(model.gravity)
    for name, connection in model.connections.items():
        Q = _basis(pose, name, connection)
        effect = np.zeros((len(known), 6))
        for node, sign in zip(connection.nodes, (-1.0, 1.0), strict=True):
            if node == GROUND:
                continue
            element, place = model.node(node)
            arm = axes(pose, element).T @ np.array(model.elements[element].nodes[place])  # [J84] (15)
            block = effect[rows[element]]
            block[:3, :3] += sign * Q.T
            block[3:, :3] += sign * lever(arm) @ Q.T
            block[3:, 3:] += sign * Q.T
        for k, component in enumerate(connection.components):
            if component.unknown:
                columns.append(effect[:, k])
                names.append((name, k))
            else:
                known += component.values(pose.t)[0] * effect[:, k]
    return Loads(np.array(columns).reshape(-1, len(known)).T, known, tuple(names))


# -- solution --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Dynamics:
    """Accelerations, forces and moments at one instant."""

    accelerations: Accelerations
    form: str  # "uncoupled" or "coupled"
    connections: dict[str, Array]  # (6,) force and moment of each, components along its axes
    size: int  # equations solved at once
    condition: float  # of the equations of the forces, or of all at once
    undetermined: tuple[str, ...]  # components that equilibrium leaves open: those of least norm are given
    redundant: int  # equations that follow from others

    def _of(self, name: str) -> Array:
        if name not in self.connections:
            raise ModelError(f'connection "{name}" unknown{suggestion(name, self.connections)}')
        return self.connections[name]

    def force(self, name: str) -> Array:
        """Return the force of a connection on its second node, (3,), along its axes."""
        return self._of(name)[:3]

    def moment(self, name: str) -> Array:
        """Return the moment of a connection on its second node, (3,), along its axes."""
        return self._of(name)[3:]


class _Units(NamedTuple):
    """What counts as 1 among rows and columns of forces."""

    rows: Array  # (6 n_element,)
    columns: Array  # (n_force,)


def _units(of: Velocities, loads: Loads) -> _Units:
    model = of.pose.of.model
    mass = max((e.mass for e in model.elements.values()), default=0.0) or 1.0
    length = float(np.abs(of.pose.L).max())
    force = mass * length
    row = np.tile(np.repeat([force, force * length], 3), len(model.elements))
    return _Units(row, np.array([force if k < 3 else force * length for _, k in loads.names]))


def dynamics(of: Velocities, form: str = "auto") -> Dynamics:
    """Return accelerations, forces and moments.

    Parameters
    ----------
    of
        Velocities of the model in a pose.
    form
        "uncoupled": accelerations first, by kinematics alone; "coupled": all at once, [J84] (24); "auto": uncoupled
        where kinematics determine all accelerations.

    Raises
    ------
    ModelError
        If accelerations are left open, or if no forces can balance an element.
    """
    if form not in FORMS:
        raise ModelError(f'form "{form}" unknown{suggestion(form, FORMS)}')
    model = of.pose.of.model
    if not model.elements:
        raise ModelError(f"{model.name}: no element has a mass, so there are no forces to find; add elements")
    kin, found = of.next_level
    pairs = [_inertia(of, element) for element in model.elements]
    M_acc = np.concatenate([np.zeros((0, of.pose.of.n)), *(a for a, _ in pairs)])
    M_vel = np.concatenate([np.zeros(0), *(v for _, v in pairs)])
    loads = _loads(of)
    if form == "auto":
        form = "uncoupled" if found.rank == of.pose.of.n else "coupled"
    solve = _uncoupled if form == "uncoupled" else _coupled
    return solve(of, kin, M_acc, M_vel, loads)


def _uncoupled(of: Velocities, kin: Equations, M_acc: Array, M_vel: Array, loads: Loads) -> Dynamics:
    """Return accelerations from the upper rows of (24), then forces from the lower ones."""
    found = of.next_level[1]
    refuse(kin, found, f"accelerations at t = {of.pose.t:.6g}", of.pose.of)
    w_dot, unit = found.x * kin.columns, _units(of, loads)
    side = M_acc @ w_dot + M_vel - loads.known
    forces = fitted(loads.B * unit.columns / unit.rows[:, None], side / unit.rows)
    terms_of_balance = np.abs(np.array([M_acc @ w_dot, M_vel, loads.known])) / unit.rows
    _balanced(of, forces.left, float(terms_of_balance.max(initial=0.0)))
    a = Accelerations(of.pose, w_dot, found.condition, len(kin.b) - found.rank, of)
    open_ = tuple(_label(loads, int(k)) for k in np.flatnonzero(forces.loose))
    return Dynamics(
        accelerations=a,
        form="uncoupled",
        connections=_filled(of, loads, forces.x * unit.columns),
        size=len(side),
        condition=forces.condition,
        undetermined=open_,
        redundant=len(side) - forces.rank,
    )


def _coupled(of: Velocities, kin: Equations, M_acc: Array, M_vel: Array, loads: Loads) -> Dynamics:
    """Return the solution of (24) at once."""
    unit, n, c = _units(of, loads), of.pose.of.n, of.pose.of
    upper = np.hstack([kin.A, np.zeros((len(kin.b), len(loads.names)))])
    lower = np.hstack([-M_acc * kin.columns, loads.B * unit.columns]) / unit.rows[:, None]
    A = np.vstack([upper, lower])
    b = np.concatenate([kin.b, (M_vel - loads.known) / unit.rows])
    found = fitted(A, b)
    if found.loose[:n].any():
        raise ModelError(
            f"{c.model.name}: dynamics at t = {of.pose.t:.6g}: accelerations of vectors "
            f"{listed(blamed(c, found.loose))} are left open by kinematics and moments together; give a spin or a "
            "drive, or inertia to the element"
        )
    size = max(float(np.abs(b).max(initial=0.0)), float(np.abs(A * found.x).max(initial=0.0)))
    left = found.left
    kinematic = np.flatnonzero(np.abs(left[: len(kin.b)]) > UNMET * max(1.0, size))
    if len(kinematic):
        rows = listed(kin.labels[k] for k in kinematic)
        raise ModelError(f"{c.model.name}: accelerations at t = {of.pose.t:.6g}: rows {rows} contradict the others")
    _balanced(of, left[len(kin.b) :], size)
    a = Accelerations(of.pose, found.x[:n] * kin.columns, found.condition, len(b) - found.rank, of)
    return Dynamics(
        accelerations=a,
        form="coupled",
        connections=_filled(of, loads, found.x[n:] * unit.columns),
        size=len(b),
        condition=found.condition,
        undetermined=tuple(_label(loads, int(k)) for k in np.flatnonzero(found.loose[n:])),
        redundant=len(b) - found.rank,
    )


def _label(loads: Loads, k: int) -> str:
    name, component = loads.names[k]
    return f"{name}.{COMPONENTS[component]}"


def _filled(of: Velocities, loads: Loads, found: Array) -> dict[str, Array]:
    """Return all components of all connections, those found among those given."""
    model, t = of.pose.of.model, of.pose.t
    every = {name: np.array([p.values(t)[0] for p in c.components]) for name, c in model.connections.items()}
    for (name, k), value in zip(loads.names, found, strict=True):
        every[name][k] = value
    return every


def _balanced(of: Velocities, left: Array, size: float) -> None:
    """Refuse elements that no forces can balance."""
    elements = list(of.pose.of.model.elements)
    failed = np.flatnonzero(np.abs(left) > UNMET * max(size, np.finfo(float).tiny))
    if len(failed):
        named = listed(dict.fromkeys(elements[k // 6] for k in failed))
        raise ModelError(
            f"{of.pose.of.model.name}: dynamics at t = {of.pose.t:.6g}: no forces balance element(s) {named}; let a "
            "component of a connection be unknown, or the spin of the principal vector, so that moments decide it"
        )
