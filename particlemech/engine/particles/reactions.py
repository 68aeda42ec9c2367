"""Samples of particle systems -> their reactions: the tables of equilibrium.py, and the few samples it leaves in doubt.

The reactions to release are found where the first plan fails, and again where the rank changes.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import ArgumentBlock, ArgumentGroup, described, fresh, table
from particlemech._tape import filled
from particlemech.engine.particles import equilibrium as eq
from particlemech.engine.particles.compiled import Compiled
from particlemech.engine.particles.observed import Observed
from particlemech.engine.particles.stresses import Pair, plan, released
from particlemech.engine.plane import Reactions
from particlemech.engine.statics import conditions, effort_places, no_reactions
from particlemech.engine.system import Array
from particlemech.model.description import GROUND

MOST = 4  # plans to try before samples are decomposed one by one
CHUNK = 4096  # samples at once: what they need besides their results stays small


class States(NamedTuple):
    """K samples of a motion."""

    t: Array  # (K,)
    q: Array  # (K, n_q)
    v: Array
    a: Array
    theta: Array  # (K, n_body)
    extra: Array  # (K, n_body, 3) wrenches of custom forces; (0, ...) without

    def at(self, which: Any) -> States:
        """Return some of the samples."""
        t, q, v, a, theta = (np.ascontiguousarray(of[which]) for of in self[:-1])
        return States(t, q, v, a, theta, self.extra[which] if len(self.extra) else self.extra)


class Equilibrium:
    """The equilibrium of a mechanism at any number of samples."""

    def __init__(self, compiled: Compiled, observed: Observed) -> None:
        c = self.compiled = compiled
        body = {GROUND: -1} | dict(c.index)
        tied = {name: c.mechanism.joints[name].tied(c.mechanism) for name in c.mechanism.couplings}
        ends = [
            [b for of in tied.get(name, (edge,)) for b in (of.first, of.second)] for name, edge, _ in c.reaction_rows
        ]
        self.pairs = tuple(tuple(dict.fromkeys(body[b] for b in every)) for every in ends)
        cells = c.reaction_tables[1]
        at = list(zip(cells["row"].tolist(), (cells["z"] // 4).tolist(), strict=True))
        self.meet: tuple[Pair, ...] = tuple(sorted(set(at)))
        number = {pair: e for e, pair in enumerate(self.meet)}
        self._met = np.array([number[pair] for pair in at], dtype=np.int64)
        self.places = {
            (j, b): k for k, (j, b) in enumerate((j, b) for j, spec in c.mechanism.joints.items() for b in spec.bodies)
        }
        self._seats, self._efforts = observed.seats, c.mechanism.efforts
        self._plan: tuple[int, ...] = ()

    @cached_property
    def _tables(self) -> ArgumentGroup:
        return described(self.joints)

    @cached_property
    def joints(self) -> eq.Joints:
        """Return what the kernels read of a mechanism; its numbers may be those of a tape."""
        c, number = self.compiled, {pair: e for e, pair in enumerate(self.meet)}
        reported = []
        for r, ((name, edge, _), seat) in enumerate(zip(c.reaction_rows, self._seats, strict=True)):
            if (name, edge.second) in self.places:
                # the wrench on the second body; on the ground it is minus that on the first
                sign, body = (1.0, edge.second) if edge.second != GROUND else (-1.0, edge.first)
                ends = self.places[name, edge.first], self.places[name, edge.second]
                meet = number.get((r, c.index[body]))
                if meet is not None:
                    turns = float(c.mechanism.joints[name].moment)
                    reported.append((r, meet, *ends, seat.body, sign, seat.a, seat.b, seat.x, seat.y, turns))
        L, force = c.scale.length, dict(zip(("loads", "torques", "springs", "motors"), c.force, strict=True))
        return eq.Joints(
            body=c.body,
            coord=c.coord,
            entry=c.entry,
            term=c.reaction_tables[0],
            cell=c.reaction_tables[1],
            turn=c.reaction_tables[2][0],
            arm=c.reaction_tables[2][1],
            spot=c.reaction_tables[2][2],
            met=self._met,
            meet=table(list(self.meet), eq.MEET),
            unit=filled([L if angle else 1.0 for _, _, angle in c.reaction_rows]),
            driver=np.array(effort_places([name for name, _, _ in c.reaction_rows], self._efforts), dtype=np.int64),
            reported=table(reported, eq.REPORTED),
            length=filled([L]),
            gravity=c.gravity,
            segment=c.segment,
            signal=c.signal,
            **force,
        )

    def sheet(self) -> ArgumentGroup:
        """Return work arrays of one equilibrium."""
        c, n_body, n_meet = self.compiled, len(self.compiled.body), len(self.meet)
        shapes = (len(c.signal), 3), (3, 4 * n_body), (2, len(c.reaction_rows)), (len(self._met),), (n_body, 3)
        return fresh(eq.Sheet, *shapes, (n_meet, 3), (n_meet, 3), (3 * n_body,))

    def bench(self, of: eq.Plan) -> ArgumentGroup:
        """Return work arrays of a plan."""
        n, n_re = len(of.place), len(self.compiled.reaction_rows)
        reported, driven = (3, len(self.places), 3), (3, len(self._efforts))
        sizes = (len(of.row),), (len(of.column) - 1,), (len(of.column) - 1,), (n,), (n,), (n,)
        return fresh(eq.Bench, *sizes, (1 + len(of.released), n_re), reported, driven)

    # -- reactions ---------------------------------------------------------------------------------------------------

    def reactions(self, states: States) -> tuple[Reactions, NDArray[np.int64]]:
        """Return the reactions of all samples, and the samples at which the rank leaves a doubt, to be decomposed."""
        n_report, n_driver = len(self.places), len(self._efforts)
        found = no_reactions(len(states.t), n_report, n_driver)
        todo = np.arange(len(states.t))
        tried: list[tuple[int, ...]] = []
        without = self._plan
        while len(todo) and len(tried) < MOST and without not in tried:
            tried.append(without)
            sure = [self._some(states, todo[k : k + CHUNK], without, found) for k in range(0, len(todo), CHUNK)]
            before, todo = len(todo), todo[~np.concatenate(sure)]
            if len(todo) < before:
                self._plan = without
            if len(todo):
                middle = todo[len(todo) // 2]
                own = self.unit_wrenches(states.t[[middle]], states.q[[middle]])[0]
                without = released(own, self.meet, self.pairs)
        return found, todo

    def _some(
        self, states: States, which: NDArray[np.int64], without: tuple[int, ...], found: Reactions
    ) -> NDArray[np.bool_]:
        """Fill in the reactions of some samples; return at which of them they hold."""
        of = plan(len(self.compiled.body), self.meet, len(self.pairs), without)
        K, some = len(which), states.at(which)
        value, effort = np.zeros((K, *found.value.shape[1:])), np.zeros((K, *found.effort.shape[1:]))
        known, effort_known = (np.zeros(a.shape if without else (0, *a.shape[1:])) for a in (value, effort))
        reported = eq.Reported(*some, np.zeros((0, 0, 3)), value, known, effort, effort_known, np.zeros(K))
        argument_block = ArgumentBlock(self._tables, self.sheet(), reported, of, self.bench(of))
        eq.balance(eq.REACTIONS, argument_block.address)
        sure = reported.sure > 0.0
        at = which[sure]
        found.value[at], found.effort[at] = value[sure], effort[sure]
        if without:
            found.known[at], found.effort_known[at] = known[sure] > 0.0, effort_known[sure] > 0.0
        return np.asarray(sure)

    # -- the matrix --------------------------------------------------------------------------------------------------

    def unit_wrenches(self, t: Array, q: Array) -> Array:
        """Return the entries of B at K samples, (K, n_meet, 3), in the order of `meet`."""
        K, n_body = len(t), len(self.compiled.body)
        none = np.zeros((0, n_body))
        own = np.zeros((K, len(self.meet), 3))
        found = np.zeros((0, 0, 3)), np.zeros((0, 0, 3)), np.zeros((0, 0)), np.zeros((0, 0)), np.zeros(0)
        given = np.ascontiguousarray(t), np.ascontiguousarray(q), none, none, none, np.zeros((0, n_body, 3))
        argument_block = ArgumentBlock(self._tables, self.sheet(), eq.Reported(*given, own, *found))
        eq.balance(eq.UNITS, argument_block.address)
        return own

    def conditions(self, t: Array, q: Array) -> Array:
        """Return the condition number of equilibrium at K samples, (K,), self-stresses left out."""
        n_body, n_re = len(self.compiled.body), len(self.pairs)
        if not n_re or not len(t):
            return np.ones(len(t))
        at = np.array(self.meet, dtype=int).reshape(-1, 2)
        some = max(1, CHUNK * CHUNK // (n_body * n_re))
        result = []
        for k in range(0, len(t), some):
            own = self.unit_wrenches(t[k : k + some], q[k : k + some])
            B = np.zeros((len(own), n_body, 3, n_re))
            B[:, at[:, 1], :, at[:, 0]] = own.transpose(1, 0, 2)
            result.append(conditions(np.linalg.svd(B.reshape(len(own), -1, n_re), compute_uv=False)))
        return np.concatenate(result)
