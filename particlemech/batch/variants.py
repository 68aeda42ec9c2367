"""Many mechanisms of one structure -> their samples: numbers by a tape, motion as a batch.

Two mechanisms have one structure if they differ in numbers only. Its tables are made once of the numbers of a tape
(_tape.py); replayed with the numbers of all variants it gives the tables of all, which then march as a batch
(engine/particles/variants.py).
"""

from __future__ import annotations

import copy
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlemech._jit import ArgumentBlock, described, readonly
from particlemech._tape import Tape, Untraceable, filled
from particlemech.batch.laid import Laid, marked
from particlemech.batch.parameters import varied_numbers
from particlemech.batch.structure import SECTIONS, Parametrised, given
from particlemech.engine.particles import variants
from particlemech.engine.particles.explicit import SharedSystem, Workspace
from particlemech.engine.particles.explicit import system as explicit_system
from particlemech.engine.particles.observed import cross, energies, turned
from particlemech.engine.system import Array, Scale
from particlemech.errors import ModelError
from particlemech.model.description import Run
from particlemech.model.mechanism import Mechanism
from particlemech.result.base import Energy
from particlemech.result.figures import astray
from particlemech.run.certificate import energy_scale
from particlemech.run.explicit import REACHED
from particlemech.run.steps import OPEN, STEPS, MarchState
from particlemech.run.trajectory import Certificate, stops

FEW = 8  # variants of one structure: for fewer a tape does not pay
FEW_BESIDE = 4  # the same, in all, of those whose numbers are found beside those of another
FORMS = 3  # tapes of one structure, at most


# -- tables of a structure -------------------------------------------------------------------------------------------


class Structure:
    """What all mechanisms of one structure share: the tape of their tables, and where its nodes stand in these."""

    def __init__(self, parametrised: Parametrised, duration: float) -> None:
        self.tape = Tape(parametrised.numbers)
        self._kept: dict[str, Any] = {}
        numbers = iter(self.tape.numbers)
        mechanism = copy.copy(parametrised.mechanism)
        for section in SECTIONS:
            object.__setattr__(mechanism, section, given(getattr(mechanism, section), numbers))
        mechanism.verify()
        if mechanism.switching or mechanism.events:
            raise Untraceable("not for a fleet")  # it changes on its way
        if any(joint.friction is not None for joint in parametrised.mechanism.joints.values()):
            raise Untraceable("not for a fleet")  # its loads are no part of what is marched here
        if any(force.called for force in mechanism.forces.values()) or len(mechanism.initial.omega) > 1:
            raise Untraceable("not for a fleet")
        if mechanism.initial.position or mechanism.initial.rate:
            raise Untraceable("not for a fleet")
        if mechanism.initial.velocity or any(mechanism.inertia(name) == 0.0 for name in mechanism.bodies):
            raise Untraceable("not for a fleet")
        self.system: SharedSystem = explicit_system(mechanism)
        c, seen = self.system.compiled, self.system.observed
        explicit_tables, lam = self.system._way
        self.laid = Laid(explicit_tables)
        self.lam = np.array(lam, dtype=np.int64)
        self.angle = np.array([row.angle for row in c.rows], dtype=np.int64)
        omega = list(mechanism.initial.omega.items())
        self.body = np.array([c.index[body] for body, _ in omega], dtype=np.int64)
        L = c.scale.length
        force = max([0.0, *(f.largest(duration, L) for f in mechanism.forces.values())])
        self.given = marked(filled([L, c.scale.mass, omega[0][1] if omega else 0.0, force]))
        self.drawn = marked(c.drawing)
        self.at = np.array(seen._at, dtype=np.int64)
        self.share = marked(np.concatenate([seen._a, seen._b], axis=1))
        self.breaks = marked(filled(c.breaks))
        self.until = c.until
        self.c, self.start, self.q = marked(seen.T.c), marked(seen.T.start), seen.T.q
        self.fixed, self.origin = marked(seen._fixed), marked(seen.origin)
        self.turned = marked(np.array(c.body["angle"]))
        self.ground, self.user = seen._ground, seen.user_order
        self.points, self.bodies = tuple(mechanism.points), tuple(mechanism.bodies)

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what not every batch needs, made once."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]


_known: dict[Any, Structure | None] = {}
_wanted: Counter[Any] = Counter()  # how many variants of each have been asked for beside another
MOST = 64  # structures to keep in mind


def structure_of(parametrised: Parametrised, duration: float, form: int = 0) -> Structure | None:
    """Return the structure of a mechanism, or None where it leaves no tape; `form` counts tapes of one structure."""
    if parametrised.mechanism.impulses:  # no part of a structure: fleets go on where they strike
        return None
    key = parametrised.structure, duration, form
    if key not in _known:
        if len(_known) >= MOST:
            _known.clear()
            _wanted.clear()
        try:
            _known[key] = Structure(parametrised, duration)
        except (Untraceable, ModelError, ZeroDivisionError, OverflowError, ValueError):
            _known[key] = None
    return _known[key]


# -- the run ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Sailed:
    """What came out of some variants of one structure; what can be seen of it is computed when first asked for."""

    structure: Structure
    run: Run
    fits: NDArray[np.bool_]  # (N,) has the tape of the structure
    arrived: NDArray[np.bool_]  # (N,) went all the way; else it is for a single run
    notes: Array  # (N, n_now) of the march
    given: Array  # (N, 4) what fleets are given of them
    own_time: Array  # (N,) s
    samples: Array  # (N, K, n)
    table: NDArray[np.int64]  # (N, n_word) their explicit tables
    nodes: Sequence[Any]  # of the tape, a column or one number each
    share: Array  # (N, n_spot, 2) a, b of points and centres of mass

    @cached_property
    def _coordinates(self) -> Array:
        """Coordinates of all bodies and their rates, (2, N, K, n_body, 2, 2), as Observed.coordinates has them."""
        structure, count, K = self.structure, *self.samples.shape[:2]
        lay, start = structure.system.layout, structure.start.of(self.nodes, count)
        c = structure.c.of(self.nodes, count)
        rates = np.stack([self.samples[..., lay.q], self.samples[..., lay.v]])  # (2, N, K, n_q)
        z = np.zeros((2, count, K, start.shape[1]))
        for j, at in enumerate(structure.q):
            z = z + c[:, j, None] * rates[..., at] if j else c[:, j, None] * rates[..., at]
        z[0] += start[:, None]
        return z.reshape(2, count, K, -1, 2, 2)

    @cached_property
    def _bodies(self) -> tuple[Array, Array]:
        """Z1 and d of all bodies and their rates, (2, N, K, n_body, 2) each, as Observed.bodies has them for one."""
        z = self._coordinates
        return z[..., 0, :], z[..., 1, :] - z[..., 0, :]

    def energy_error(self, i: int) -> float:
        """Return the largest energy error of variant i beside its scale, as figures.energy_error has it for one."""
        (words, m), samples = self.structure.kept("energy", self.structure.laid.work_arrays), self.samples[i]
        words[:] = self.table[i]
        tables = m.body, m.gravity, readonly(m.springs), readonly(m.motors)
        z, vz = self._coordinates[:, i].reshape(2, len(samples), -1)
        x = samples[:, self.structure.system.layout.x]
        kinetic, potential = energies(*tables, z, vz, x)
        first = sum(float(part[0]) for part in energies(*tables, z[:1], vz[:1], x[:1]))
        total, work = kinetic + potential, x[:, -1] - x[0, -1]
        scale = energy_scale(self.measured(i)[0])
        return astray(Energy(kinetic, potential, total, work, total - first - work, scale))

    @cached_property
    def _spots(self) -> Array:
        """Places of all points and their rates, (2, N, K, n_point, 2), as Observed.motion has them for one."""
        structure, count = self.structure, len(self.samples)
        (z1, d), at = self._bodies, structure.at[: len(structure.points)]
        own, share = d[..., at, :], self.share[:, None, : len(at)]
        spot = z1[..., at, :] + share[..., :1] * own + share[..., 1:] * turned(own)
        if structure.ground:
            spot[..., structure.ground, :] = 0.0
            spot[0][..., structure.ground, :] = structure.fixed.of(self.nodes, count)[:, None]
        spot[0] += structure.origin.of(self.nodes, count)[:, None, None]
        return np.asarray(spot)

    @property
    def position(self) -> Array:
        """Places of all points, (N, K, n_point, 2), m."""
        return np.asarray(self._spots[0])

    @property
    def velocity(self) -> Array:
        """Velocities of all points, (N, K, n_point, 2), m/s."""
        return np.asarray(self._spots[1])

    @cached_property
    def omega(self) -> Array:
        """Angular velocities of all bodies, (N, K, n_body), rad/s, model order."""
        _, d = self._bodies
        with np.errstate(invalid="ignore"):  # cases that did not set out have no bodies yet; they are run alone
            omega = cross(d[0], d[1]) / np.sum(d[0] * d[0], axis=-1)
        return np.asarray(omega[..., self.structure.user])

    @cached_property
    def angle(self) -> Array:
        """Angles of all bodies since the drawing, (N, K, n_body), rad, model order."""
        _, d = self._bodies
        theta = self.samples[..., self.structure.system.layout.x][..., :-1]
        first = self.structure.turned.of(self.nodes, len(self.samples))
        angle = np.arctan2(d[0][..., 1], d[0][..., 0]) - first[:, None] - theta
        angle = theta + angle - 2.0 * np.pi * np.floor(angle / (2.0 * np.pi) + 0.5)
        return np.asarray(angle[..., self.structure.user])

    @property
    def times(self) -> Array:
        """Return the times of the samples, (K,), s."""
        return np.linspace(0.0, self.run.duration, self.run.samples)

    def measured(self, i: int) -> tuple[Certificate, Scale, float]:
        """Return what was measured along all steps of variant i, its own units and the work done on it, J."""
        notes = self.notes[i, OPEN : OPEN + 9].tolist()
        opened, at, opening, opening_at, lost, lost_at, kinetic, low, high = notes
        found = Certificate(opened, opening, lost, kinetic, low, high, at, opening_at, lost_at)
        scale = Scale(
            float(self.given[i, variants.LENGTH]), float(self.given[i, variants.MASS]), float(self.own_time[i])
        )
        return found, scale, float(self.samples[i, -1, -1] - self.samples[i, 0, -1])


def sailed(structure: Structure, numbers: Array, run: Run, steps: Sequence[Sequence[float]] = ()) -> Sailed | None:
    """Return the motions of variants, or None where none can go in a batch.

    Parameters
    ----------
    structure
        Theirs.
    numbers
        (N, n) of each, as `Parametrised` lists them.
    run
        Options of all of them.
    steps
        Of another run, leg by leg, that they take: where they end, as parts of the leg (run/paces.py).
    """
    if run.duration > structure.until:
        return None
    same = (numbers == numbers[0]).all(axis=0)
    columns = [
        float(column[0]) if one else np.ascontiguousarray(column) for one, column in zip(same, numbers.T, strict=True)
    ]
    count = len(numbers)
    try:
        nodes, fits = structure.tape.replayed(columns, count)
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    times = np.linspace(0.0, run.duration, run.samples)
    work_arrays, explicit_tables = structure.laid.work_arrays()
    group = described(explicit_tables)
    place = Workspace(structure.system, times, len(structure.body), group)
    legs, clamps, usual = _legs(structure.breaks.of(nodes, count), times)
    longest = max(map(len, steps), default=0)
    parts = np.array([[*leg, *[1.0] * (longest - len(leg))] for leg in steps or [()]])
    if steps and (len(steps) != legs.shape[1] or any(leg[-1] != 1.0 for leg in steps)):
        return None
    system = structure.system
    n, share = system.n, structure.share.of(nodes, count)
    part = variants.VariantArrays(
        table=structure.laid.tables(nodes, count),
        work_arrays=work_arrays,
        drawn=structure.drawn.of(nodes, count),
        given=structure.given.of(nodes, count),
        share=share,
        at=structure.at,
        body=structure.body,
        lam=structure.lam,
        angle=structure.angle,
        stop=legs,
        clamp=clamps,
        part=parts,
        samples=np.zeros((count, run.samples, n)),
        notes=np.zeros((count, len(place.w.now))),
        own_time=np.zeros(count),
        code=np.where(fits, 0.0, variants.UNUSUAL),
    )
    argument_block = ArgumentBlock(group, *place.groups, described(part))
    argument_block.put(MarchState, "told", np.zeros(longest))
    if not isinstance(argument_block.address, int):  # nothing is compiled
        return None
    variants.march_all(run.rtol, argument_block.address)
    went = (part.code == REACHED) & (part.notes[:, STEPS] <= run.max_steps)
    arrived = fits & usual & went
    return Sailed(
        structure, run, fits, arrived, part.notes, part.given, part.own_time, part.samples, part.table, nodes, share
    )


def _legs(breaks: Array, times: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return stops and clamps of the legs of every variant, (N, n_leg), and which have as many as the first."""
    if not breaks.shape[1]:
        stop = np.full((len(breaks), 1), times[-1])
        return stop, np.full_like(stop, math.inf), np.ones(len(breaks), dtype=bool)
    every = [stops(tuple(sorted(own.tolist())), times)[0] for own in breaks]
    n = len(every[0])
    usual = np.array([len(own) == n for own in every])
    stop = np.array([own if len(own) == n else every[0] for own in every])
    jumps = (stop[:, :, None] == breaks[:, None]).any(axis=2)
    return stop, np.where(jumps, np.nextafter(stop, -np.inf), math.inf), usual


# -- cases -----------------------------------------------------------------------------------------------------------


def beside(
    base: Mechanism,
    variants: Sequence[Mechanism],
    run: Run,
    steps: Sequence[Sequence[float]],
    prepare: Callable[[Structure], Any] | None = None,
) -> Iterator[tuple[list[int], Sailed]]:
    """Give the motions of variants of a mechanism on its steps, as far as they can go in a batch, and which they are.

    Those whose numbers leave another tape, as where a centre of mass is no longer on the line of its body, have that of
    the first of them.
    """
    first = Parametrised(base)
    every = {k: first.beside(one) for k, one in enumerate(variants) if one.run == base.run}
    left = {k: numbers for k, numbers in every.items() if numbers is not None}
    for form in range(FORMS):
        key = first.structure, run.duration, form
        _wanted[key] += len(left)
        if not left or (_wanted[key] < FEW_BESIDE and key not in _known):
            return
        of = first if form == 0 else Parametrised(variants[min(left)])
        structure = structure_of(of, run.duration, form)
        if structure is None:
            return
        if prepare is not None:
            prepare(structure)
        which = list(left)
        found = sailed(structure, np.array([left[k] for k in which], dtype=float), run, steps)
        if found is None:
            return
        yield which, found
        left = {k: left[k] for k, fits in zip(which, found.fits.tolist(), strict=True) if not fits}


Group = tuple[Parametrised, list[int], Any]  # one of them, which they are, their numbers (N, n)


def grouped(cases: Sequence[Any], of: Mechanism | None, varied: Sequence[str] = ()) -> dict[Any, Group]:
    """Return the cases that differ in numbers only, by structure and run: one of them, which they are, their numbers.

    Cases that are wrong are in no group. `varied` are the parameters whose values they are, if they are none other.
    """
    groups: dict[Any, Group] = {}
    base, own = (Parametrised(of) if of is not None else None), None
    if varied and base is not None and (table := varied_numbers(base, varied, cases)) is not None:
        which = np.flatnonzero(np.isfinite(table).all(axis=1))
        return {(base.structure, base.mechanism.run): (base, which.tolist(), table[which])}
    for k, case in enumerate(cases):
        numbers = base.changed(case) if base is not None and not varied else None
        parametrised = base
        if numbers is None:
            try:
                parametrised = Parametrised(_made(case, base, varied))
            except Exception:  # the case itself will tell
                continue
            numbers = parametrised.numbers
        assert parametrised is not None
        group = own if parametrised is base else None  # most are of the structure of `of`: the hash of it is taken once
        if group is None:
            group = groups.setdefault((parametrised.structure, parametrised.mechanism.run), (parametrised, [], []))
            own = group if parametrised is base else own
        group[1].append(k)
        group[2].append(numbers)
    return groups


def _made(case: Any, base: Parametrised | None, varied: Sequence[str]) -> Mechanism:
    if base is None:
        return case
    if varied:
        return base.mechanism.with_parameters(**dict(zip(varied, case, strict=True)))
    return base.mechanism.replaced(**case)


def voyages(
    cases: Sequence[Any],
    of: Mechanism | None,
    options: Mapping[str, Any],
    varied: Sequence[str] = (),
    prepare: Callable[[Structure], Any] | None = None,
) -> Iterator[tuple[list[int], Sailed]]:
    """Give the motions of cases that can go in a batch, group by group, and which they are; `options` of [run].

    `prepare` is called with each structure before its tape is replayed, for what else is to be filled from it.
    """
    for parametrised, which, numbers in grouped(cases, of, varied).values():
        try:
            run = parametrised.mechanism.run_with(options)
        except ModelError:  # the case itself will tell
            continue
        if len(which) < FEW or run.integrator == "ida" or "cut" in options:
            continue
        structure = structure_of(parametrised, run.duration)
        if structure is None:
            continue
        if prepare is not None:
            prepare(structure)
        found = sailed(structure, np.array(numbers, dtype=float), run)
        if found is not None:
            yield which, found
