"""What the systems of both formulations in the plane have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, cast

import numpy as np

from particlemech.engine import elements
from particlemech.engine.dry_friction import NONE, DryPlaces
from particlemech.engine.friction import jammed
from particlemech.engine.holding import carried
from particlemech.engine.jamming import second
from particlemech.engine.plane import SOME, Motion, PlanarInstant, PlanarLayout, Pose, Reactions, Sight, State, rate_row
from particlemech.engine.system import Array, Row, Scale
from particlemech.model.changing import HOLDS
from particlemech.model.freedom import Freedom
from particlemech.model.mechanism import Mechanism
from particlemech.model.rubbing import Rubbing, rubbing
from particlemech.run.jumps import struck

SEEN = 1e-9  # of the largest reaction: by less none is said to change


def acting(seen: Sight, of: Freedom, effort: Array) -> Array:
    """Return the wrenches of efforts (K,) on a coordinate about the centres of mass of all bodies, (K, n_body, 3)."""
    m = seen.mechanism
    names, found = list(m.bodies), np.zeros((len(seen.t), len(m.bodies), 3))
    for body, sign in ((of.second, 1.0), (of.first, -1.0)):
        if body not in m.bodies:
            continue
        b, push = names.index(body), sign * effort
        if of.turn:
            found[:, b, 2] += push
            continue
        force = push[:, None] * seen.along(of)
        arm = seen.place_on(of.second, m.place(of.point, of.second)) - seen.place_on(body, m.centre(body))
        found[:, b, :2] += force
        found[:, b, 2] += arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0] + seen.rolls(of) * push
    return found


def directions(rub: Rubbing, seen: Sight) -> Array:
    """Return what makes the load of a place of a reaction, force x, y and moment: (K, 2, 3), see Rubbing.norm."""
    found = np.zeros((len(seen.t), 2, 3))
    if rub.pin:
        found[:, 0, 0] = found[:, 1, 1] = 1.0
        return found
    u = seen.along(rub.of)
    found[:, 0, 0], found[:, 0, 1], found[:, 1, 2] = -u[:, 1], u[:, 0], 1.0
    return found


def loaded(rub: Rubbing, seen: Sight, value: Array) -> Array:
    """Return the load of a place, (K,), of reactions (K, 3)."""
    return rub.norm(np.einsum("kij,kj->ik", directions(rub, seen), value))


def layout(m: Mechanism, rows: Sequence[Row], sizes: Sequence[int]) -> PlanarLayout:
    """Return names <-> places of y = (q, v, lam, mu, x), whose parts have these sizes."""
    q, v, lam, mu, x = (slice(a, b) for a, b in pairwise(accumulate([0, *sizes])))
    joints = [(j, spec.bodies, spec.moment) for j, spec in m.joints.items()]
    rubbed = [j for j, spec in m.joints.items() if spec.rubs_at == "radius" and spec.friction]
    return PlanarLayout(
        points=tuple(m.points),
        bodies=tuple(m.bodies),
        point_body=tuple([m.carrier(p) for p in m.points]),
        joints=tuple(m.joints),
        reactions=tuple([(j, b) for j, bodies, _ in joints for b in bodies]),
        moments=tuple([j for j, _, moment in joints if moment or j in rubbed]),
        firsts=tuple([(j, bodies[0]) for j, bodies, _ in joints if bodies]),
        drivers=m.exerting,
        efforts=m.efforts,
        rows=tuple(rows),
        q=q,
        v=v,
        lam=lam,
        mu=mu,
        x=x,
    )


class InPlane:
    """Members of system.System that all formulations in the plane have in common."""

    dense = False
    n_q: int
    scale: Scale
    motion: Any
    mechanism: Mechanism
    layout: PlanarLayout
    levels: Any
    accelerations_of: Any
    energy: Any
    reactions_under: Any  # reactions with further wrenches on all bodies, see particles/instant.py
    balance: Any
    missing: Any
    _rates: Any  # at which joints rub, (n_rub,), of q and v
    rubbing_columns: Any  # unit efforts of dry friction as columns of b of `dynamics`, (n, n_rub)
    _resolved: Any  # friction.Rubbed in a state
    friction_of: Any  # efforts of dry friction at K samples, (K, n_rub)
    home: Pose | None

    @property
    def turned(self) -> Any:
        """Return how far assembly turned the bodies away from their drawn points, (n_body,), rad; 0.0 for all."""
        return 0.0 if self.home is None else self.home.angle

    @property
    def n_v(self) -> int:
        """Return the number of speeds: one for each coordinate."""
        return self.n_q

    @property
    def size_q(self) -> Array:
        """Return L for every coordinate, (n_q,)."""
        return np.full(self.n_q, self.scale.length)

    @property
    def size_v(self) -> Array:
        """Return L for every speed, (n_q,)."""
        return self.size_q

    def seen(self, what: str, k: int, q: Array, v: Array, a: Array | None, x: Array) -> Array:
        """Return a field of Motion for one point or body at K samples, (K, 2) or (K,)."""
        parts = [slice(first, first + SOME) for first in range(0, max(len(q), 1), SOME)]
        still = np.zeros((min(len(q), SOME), self.n_q))
        found: list[Motion] = [self.motion(q[p], v[p], still[: len(q[p])] if a is None else a[p], x[p]) for p in parts]
        return np.concatenate([getattr(motion, what)[:, k] for motion in found])

    def kinematics(self, t: float, q: Array, v: Array) -> Array:
        """Return the rates of the coordinates, (n_q,): the speeds."""
        return v

    def sight(self, t: float, q: Array, v: Array, x: Array) -> Sight:
        """Return the motion at one instant as the laws of forces ask for it."""
        motion = self.motion(q[None], v[None], np.zeros_like(v)[None], x[None])
        return Sight(self.mechanism, self.layout, self.home, np.array([t]), motion)

    def rows(self, t: float, q: Array, x: Array | None = None) -> Array:
        """Return phi, (n_row,)."""
        return self.levels(t, q, np.zeros(self.n_q), x).phi

    def rows_q(self, t: float, q: Array) -> Array:
        """Return phi_q, (n_row, n_q)."""
        return self.levels(t, q, np.zeros(self.n_q)).phi_q

    def rows_t(self, t: float, q: Array) -> Array:
        """Return phi_t, (n_row,)."""
        return self.levels(t, q, np.zeros(self.n_q)).phi_t

    def gamma(self, t: float, q: Array, v: Array) -> Array:
        """Return phi_ddot - phi_q a, (n_row,)."""
        return self.levels(t, q, v).gamma

    def slipping_of(self, t: Array, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return the same as forces and speeds, also on cams, whose line has a length that is none."""
        efforts, rates = self.rubbing_of(t, q, v, x)
        for k, rub in enumerate(rubbing(self.mechanism)):
            if rub.of.profile is not None:
                seen = Sight(self.mechanism, self.layout, self.home, t, self.motion(q, v, np.zeros_like(v), x))
                size = np.linalg.norm(seen.along(rub.of), axis=1)
                efforts[:, k], rates[:, k] = efforts[:, k] * size, rates[:, k] / size
        return efforts, rates

    def rubbing_of(self, t: Array, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return efforts of friction and rates at K samples, (K, n) each, of all places where joints rub."""
        m, rubs = self.mechanism, rubbing(self.mechanism)
        if not rubs:
            return np.zeros((len(t), 0)), np.zeros((len(t), 0))
        seen = Sight(m, self.layout, self.home, t, self.motion(q, v, np.zeros_like(v), x))
        rates = np.stack([seen.rate(rub.of) for rub in rubs], axis=1)
        efforts = -rates * [rub.viscous for rub in rubs]
        efforts[:, [k for k, rub in enumerate(rubs) if rub.dry]] += self.friction_of(t, q, v, x)
        held = [k for k, rub in enumerate(rubs) if rub.rests]
        if held:
            efforts[:, held] += self.holding_of(t, q, v, x)[0]
        return efforts, rates

    @cached_property
    def dry(self) -> tuple[Rubbing, ...]:
        """The places where joints rub by their loads; what is asked of them is told in dry_friction.py."""
        return tuple(rub for rub in rubbing(self.mechanism) if rub.dry)

    def slid(self, rub: Rubbing, t: float, q: Array, v: Array, x: Array) -> tuple[float, float]:
        """Return the coordinate of a place and its rate."""
        seen = self.sight(t, q, v, x)
        return float(seen.counted(rub.of)[0]), float(seen.rate(rub.of)[0])

    def slipping(self, rub: Rubbing, t: float, q: Array, v: Array, x: Array) -> float:
        """Return the rate of the coordinate of a place."""
        return float(self._rates(q, v)[self._numbers[rub.place]])

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        return {rub.place: k for k, rub in enumerate(self.dry)}

    def dry_places(self, t: float, q: Array, v: Array, x: Array, a: Array, which: list[int]) -> DryPlaces:
        """Return some places where joints rub, at accelerations a (n_v,)."""
        seen, columns = self._moving(t, q, v, x, a), self.rubbing_columns(q)[:, which]
        seconds = np.array([float(seen.second_rate(self.dry[k].of)[0]) for k in which])
        freedoms = [self.dry[k].of for k in which]
        rows = np.array([rate_row(cast(PlanarInstant, self), q, of) for of in freedoms]).reshape(-1, self.n_v)
        return DryPlaces(rows, columns, rows @ v, seconds)

    def _moving(self, t: float, q: Array, v: Array, x: Array, a: Array) -> Sight:
        return Sight(
            self.mechanism, self.layout, self.home, np.array([t]), self.motion(*(of[None] for of in (q, v, a, x)))
        )

    def pressed(
        self, t: float, q: Array, v: Array, x: Array, a: Array, lam: Array, f: Array, which: list[int]
    ) -> Array:
        """Return what makes the loads of some places, (n, 2, m): see directions."""
        m, (balance, rest) = self.mechanism, (self.balance(t, q, v, a[:, 0], x), self.missing(t, q, v, 0.0 * v, x))
        seen, per = self._moving(t, q, v, x, 0.0 * v), np.tile([1.0, 1.0, 1.0 / self.scale.length], len(m.bodies))
        missing = np.column_stack([balance.missing, *(self.missing(t, q, v, one, x) - rest for one in a[:, 1:].T)])
        left_out: list[int] = []  # what has been decided already: who presses
        for name, n in Counter(name for name, _ in m.switching).items():
            columns = [k for k, of in enumerate(balance.joint_columns) if of == name][:n]
            rows = [row.lam for row in self.layout.rows if row.part == f'joint "{name}"'][:n]
            missing -= balance.wrench[:, columns] @ lam[rows]
            left_out += columns
        for rub, efforts in zip(self.dry, f, strict=True):
            if efforts.any():
                missing -= np.outer(acting(seen, rub.of, np.ones(1))[0].ravel() * per, efforts)
        keep = np.delete(np.arange(len(balance.unit)), left_out)
        unit = balance.unit[keep]
        r = unit[:, None] * np.linalg.lstsq(balance.wrench[:, keep] * unit, missing, rcond=1e-10)[0]
        rubs = [self.dry[k] for k in which]
        value = (
            balance.report[[self.layout.reactions.index((rub.joint, rub.of.second)) for rub in rubs]][:, :, keep] @ r
        )
        ways = [directions(rub, seen)[0] for rub in rubs]
        return np.array([way @ one for way, one in zip(ways, value, strict=True)]).reshape(len(rubs), 2, r.shape[1])

    def holding_of(self, t: Array, q: Array, v: Array, x: Array) -> tuple[Array, Array]:
        """Return efforts and loads at K samples, (K, n) each, of all joints that stick and rest; see holding.py."""
        m, lay = self.mechanism, self.layout
        rubs = [rub for rub in self.dry if rub.rests]
        a = self.accelerations_of(t, q, v, x)
        seen = Sight(m, lay, self.home, t, self.motion(q, v, a, x))
        alone = [k for k, rub in enumerate(rubs) if HOLDS.format(rub.joint) in m.joints]
        others = [k for k in range(len(rubs)) if k not in alone]
        locks = [lay.efforts.index((HOLDS.format(rubs[k].joint), 0)) for k in alone]
        under = [None, *(acting(seen, rubs[k].of, np.ones(len(t))) for k in others)]
        found: list[Reactions] = [self.reactions_under(t, q, v, a, x, idle) for idle in under]
        # efforts of the locks, (K, r), and what a unit effort of each joint that follows changes
        held, *more = (one.effort[:, locks] for one in found)
        at = [lay.reactions.index((rub.joint, rub.of.second)) for rub in rubs]
        first, *rest = (one.value[:, at] for one in found)
        if not others:
            return held, np.stack([loaded(rub, seen, first[:, k]) for k, rub in enumerate(rubs)], axis=1)
        efforts, load = np.zeros((2, len(t), len(rubs)))
        most = np.array([rub.arm * rub.hold for rub in rubs])
        units = [directions(rub, seen) for rub in rubs]
        for i in range(len(t)):
            D, changed = np.zeros((len(rubs), len(alone))), np.zeros((len(rubs), *first[i].shape))
            D[alone] = np.eye(len(alone))
            for k, by, to in zip(others, more, rest, strict=True):
                D[k], changed[k] = held[i] - by[i], to[i] - first[i]
            D[np.abs(D) < NONE] = 0.0

            def loads(f: Array, i: int = i, changed: Array = changed) -> Array:
                value = first[i] + np.tensordot(f, changed, 1)
                return np.array([rub.norm(u[i] @ value[k]) for k, (rub, u) in enumerate(zip(rubs, units, strict=True))])

            efforts[i], load[i] = carried(D, held[i], most, loads)
        return efforts, load

    def _following(self, t: Array, q: Array, v: Array, a: Array, x: Array) -> Array | None:
        """Return the wrenches of joints that rest because others hold, (K, n_body, 3), for `reactions_under`."""
        rubs = [rub for rub in self.dry if rub.rests]
        others = [k for k, rub in enumerate(rubs) if HOLDS.format(rub.joint) not in self.mechanism.joints]
        if not others:
            return None
        seen = Sight(self.mechanism, self.layout, self.home, t, self.motion(q, v, a, x))
        efforts = self.holding_of(t, q, v, x)[0]
        return np.asarray(sum(acting(seen, rubs[k].of, efforts[:, k]) for k in others))

    def jammed(self, t: float, y: Array) -> str | None:
        """Return what jams, or is about to, in a state (n,); None if nothing does."""
        if not self.dry:
            return None
        lay = self.layout
        return jammed(self.mechanism, self._resolved(t, y[lay.q], y[lay.v], y[lay.x]), t)

    def seconds(self, t: float, q: Array, v: Array, x: Array) -> dict[str, tuple[float, float]]:
        """Return the loads of joints for which friction has two solutions: the one taken, and the larger."""
        found = second(self._resolved(t, q, v, x).press) if self.dry else {}
        return {self.dry[k].joint: both for k, both in found.items()}

    def reactions_of(self, t: Array, q: Array, v: Array, a: Array, x: Array) -> Reactions:
        """Return the reactions at K samples, total: with friction, which works on what joints leave free."""
        found, rubs = self._smooth_reactions(t, q, v, a, x), rubbing(self.mechanism)
        if not rubs:
            return found
        seen = Sight(self.mechanism, self.layout, self.home, t, self.motion(q, v, a, x))
        at = {pair: k for k, pair in enumerate(self.layout.reactions)}
        for rub, effort in zip(rubs, self.rubbing_of(t, q, v, x)[0].T, strict=True):
            if not {rub.of.first, rub.of.second} <= {*self.mechanism.joints[rub.joint].bodies}:
                continue  # what teeth lose works beside their force, between a gear and the carrier
            for body, force, couple in seen.worked(rub.of):
                found.value[:, at[rub.joint, body], :2] += effort[:, None] * force
                found.value[:, at[rub.joint, body], 2] += effort * couple
        return found

    def _smooth_reactions(self, t: Array, q: Array, v: Array, a: Array, x: Array) -> Reactions:
        """Return the reactions at K samples, with forces that follow from them and do no work (joints' `idle`).

        These change no motion and no force from which they follow. Where one of those is not determined, neither is
        what they change.
        """
        held = self._following(t, q, v, a, x)
        found: Reactions = self.reactions_under(t, q, v, a, x, held)
        m, lay = self.mechanism, self.layout
        own = {name: [k for k, (part, _) in enumerate(lay.efforts) if part == name] for name in m.joints}
        seen = Sight(m, lay, self.home, t, self.motion(q, v, a, x))
        at, pushed = {pair: k for k, pair in enumerate(lay.reactions)}, np.zeros((len(t), len(m.bodies), 3))
        value, sure = np.zeros_like(found.value), np.ones(len(t), dtype=bool)
        bodies = list(m.bodies)
        for name, joint in m.joints.items():
            pushes = joint.idle(seen, found.effort[:, own[name]]) if own[name] else []
            sure &= np.all(found.effort_known[:, own[name]], axis=1) if pushes else True
            for body, force, place in pushes:
                value[:, at[name, body], :2] += force
                if body in m.bodies:
                    b = bodies.index(body)
                    arm = place - seen.place_on(body, m.centre(body))
                    pushed[:, b, :2] += force
                    pushed[:, b, 2] += arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0]
        if not np.any(value) and np.all(sure):
            return found
        under: Reactions = self.reactions_under(t, q, v, a, x, pushed if held is None else pushed + held)
        value += under.value
        changed = np.abs(value - found.value) > SEEN * np.max(np.abs(value), axis=(1, 2), keepdims=True)
        return under._replace(value=value, known=under.known & (sure[:, None, None] | ~changed))

    def energies(self, t: Array, y: Array) -> tuple[Array, Array]:
        """Return kinetic and potential energy at K states, (K,) each."""
        lay = self.layout
        return cast(tuple[Array, Array], self.energy(y[:, lay.q], y[:, lay.v], y[:, lay.x]))

    def struck(self, t: float, y: Array) -> Array:
        """Return the state just after the impulses at time t, (n,)."""
        return elements.struck(self, t, struck(cast(PlanarInstant, self), t, y))

    def state(self, t: float, y: Array) -> State:
        """Return the motion at one instant by name."""
        lay = self.layout
        return self.state_of(t, y[lay.q], y[lay.v], y[lay.x])

    def state_of(self, t: float, q: Array, v: Array, x: Array) -> State:
        """Return the motion at one instant by name, from coordinates, speeds and extra states."""
        return State(cast(PlanarInstant, self), t, q, v, x)
