"""Efforts that make a motion against friction of joints: those of drivers that prescribe it where actuators are.

Efforts u that make a motion act on reactions, and these on friction: all three are one system of equations, that of a
run whose drivers prescribe this motion where the actuators are,

    c_i(t) = c_i(t_k) + c_i' (t - t_k) + c_i''/2 (t - t_k)^2        from each sample to the next                   (1)

so the efforts of these drivers at the samples are the answer, by the kernels of runs. Their number is that of the
freedoms: more could share the work in many ways, and friction with them.

Not used: rounds of efforts and of the friction that goes with their reactions, which end nowhere near a jam.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from particlemech.analyses.poses.posing import RANK, Path, Posing, null_space, rows_of
from particlemech.analyses.poses.quantities import Quantity
from particlemech.analyses.rubbing import HOLDS, jams, sense, stretches, unstuck
from particlemech.engine.system import Array
from particlemech.errors import ModelError
from particlemech.model.segments import Segment, SignalSpec
from particlemech.model.spec import key
from particlemech.model.stops import anything
from particlemech.run.start import weights


@dataclass(frozen=True, kw_only=True)
class Passing(SignalSpec):
    """A coordinate by (1)."""

    pieces: tuple[Segment, ...] = key(anything, "one from each sample to the next")

    def segments(self) -> list[Segment]:
        """Return one from each sample to the next."""
        return list(self.pieces)


def efforts(posing: Posing, path: Path, actuators: Sequence[Quantity]) -> Array:
    """Return the efforts of actuators that make a motion, (K, n); nan where joints rest that stick."""
    _check(posing, path, actuators)
    of, seen = posing.of, posing.of.seen(*path)
    m = of.mechanism
    kind: Any = type(m).sections["drivers"].plain
    found = np.full((len(path.t), len(actuators)), np.nan)
    moved = {n: [seen.coordinate(n, m.joints[n].slides(m), level) for level in (1, 2)] for n in m.sticking}
    senses = {name: sense(*rates) for name, rates in moved.items()}
    bare = unstuck(m).replaced(initial=type(m.initial)(), impulses=dict.fromkeys(getattr(m, "impulses", {})))
    levels = [np.stack([c.read(seen, level) for c in actuators], axis=1) for level in range(3)]
    names = [f"make {c.name}".replace(".", " ") for c in actuators]
    for part in _parts(path.t):
        drivers = {}
        for k, (c, name) in enumerate(zip(actuators, names, strict=True)):
            assert c.joint is not None
            parts = zip(path.t[part], *(of[part, k] for of in levels), strict=True)
            pieces = tuple((float(t), float(z), float(v), 0.5 * float(a), 0.0, 0.0, 0.0, 0.0) for t, z, v, a in parts)
            drivers[name] = kind(joint=c.joint[0], coordinate=c.joint[1], motion=Passing(pieces=pieces))
        driven, now = bare.replaced(drivers=drivers), {name: of[part] for name, of in senses.items()}
        for some, slipping in stretches(driven, now, part.stop - part.start):
            rests = [name for name, of in now.items() if of[some.start] == 0.0]
            here = slice(part.start + some.start, part.start + some.stop)
            if rests:
                continue
            result = of.made_by(slipping, Path(*(one[here] for one in path)))
            _check_jams(result)
            found[here] = np.stack([result.effort(name) for name in names], axis=1)
    resting = np.all(np.isnan(found), axis=1)
    if resting.all():
        name = next(name for name, of in senses.items() if of[0] == 0.0)
        raise ModelError(f"inverse: {HOLDS.format(name, path.t[0])}")
    return found


def _parts(t: Array) -> list[slice]:
    """Return stretches of increasing times."""
    ends = [0, *(np.flatnonzero(np.diff(t) <= 0.0) + 1).tolist(), len(t)]
    return [slice(first, last) for first, last in pairwise(ends)]


def _check(posing: Posing, path: Path, actuators: Sequence[Quantity]) -> None:
    """Raise where actuators are not as many as the freedoms that friction leaves, or are in no joints."""
    of = posing.of
    outside = next((c.name for c in actuators if c.joint is None), None)
    if outside is not None:
        raise ModelError(
            f'inverse: joints rub, and actuator "{outside}" is not in a joint; name coordinates of joints as actuators'
        )
    for t, q, v in zip(path.t, path.q, path.v, strict=True):
        N = null_space(weights(of.system)[:, None] * of.system.levels(float(t), q, v).phi_q * posing.size)
        M = N.T @ (posing.size[:, None] * rows_of(of, q, actuators).T)
        s = np.linalg.svd(M, compute_uv=False)
        if np.sum(s > RANK * s.max(initial=0.0)) < N.shape[1]:
            names = ", ".join(c.name for c in actuators) or "no actuators"
            raise ModelError(f"{names} cannot make this motion: at t = {t:.6g} s something moves freely; name more")
        if len(actuators) > N.shape[1]:
            raise ModelError(
                f"inverse: joints rub, and {len(actuators)} actuators could share the work of {N.shape[1]} freedom(s) "
                "in many ways, and friction with them; name as many as there are freedoms"
            )


def _check_jams(result: Any) -> None:
    """Raise where joints jam."""
    if (said := jams(result)) is not None:
        raise ModelError(f"inverse: {said[1]}")
