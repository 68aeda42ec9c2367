"""What a system tells of its joints that rub by their loads, at one instant: what decides about rest asks no more.

A system has `dry`, the places where its joints rub by their loads, each a Rubbing of model/rubbing.py or of
model/space/friction.py; `which` are some of these by number. With a coordinate c of each,

    c' = row.v + what is prescribed,    A (a, lam) = b + sum of columns f                                          (1)
    P = N(h),    h = h_0 + sum_k h_k f_k                                                                           (2)

    dry_places(t, q, v, x, a, which)              DryPlaces: (1), and c'' where accelerations are a (n_v,)
    pressed(t, q, v, x, a, lam, f, which)         h (n, k, m) of (2): in the first column of a (n_v, m), lam (n_lam, m)
                                                  and efforts f (n_dry, m) a state, in the others what is added to it
    slid(rub, t, q, v, x)                         a coordinate and its rate
    slipping(rub, t, q, v, x)                     its rate
    holding_of(t, q, v, x)                        efforts and loads at K samples of all that rest, (K, n) each

N is `Rubbing.norm`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from particlemech.engine.holding import carried
from particlemech.engine.system import Array
from particlemech.model.changing import HOLDS
from particlemech.run.start import solved

NONE = 1e-10  # per unit rate: joints at rest that move less do not follow


class DryPlaces(NamedTuple):
    """(1) of some places."""

    rows: Array  # (n, n_v)
    columns: Array  # (n_v + n_lam, n)
    rates: Array  # (n,)
    seconds: Array  # (n,)


def norms(rubs: Any, h: Array) -> Array:
    """Return the loads of places, (n, m), of vectors h (n, k, m)."""
    return np.array([rub.norm(part) for rub, part in zip(rubs, h, strict=True)]).reshape(len(h), -1)


class Held(NamedTuple):
    """What joints that rest carry at K samples."""

    efforts: Array  # (K, n)
    loads: Array  # (K, n)
    lam: Array  # (K, n_lam) what efforts of those that rest because others do change on multipliers


def resting(system: Any, t: Array, q: Array, v: Array, x: Array) -> Held:
    """Return what joints in space carry that rest; see holding.py.

    Each rests by the multiplier of its lock, or because others do; efforts on what others hold go to these.
    """
    which = [k for k, rub in enumerate(system.dry) if rub.rests]
    rubs, n, n_v = [system.dry[k] for k in which], len(which), system.n_v
    found = Held(np.zeros((len(t), n)), np.zeros((len(t), n)), np.zeros((len(t), system.n_lam)))
    alone, at = locked(system, rubs)
    most, others = np.array([rub.arm * rub.hold for rub in rubs]), np.delete(np.arange(n), alone)
    f = np.zeros((len(system.dry), 1 + n))
    f[which, 1 + np.arange(n)] = 1.0
    for i, state in enumerate(zip(t.tolist(), q, v, x, strict=True)):
        A, b = system.dynamics(*state)
        own = system.dry_places(*state, np.zeros(n_v), which)
        answer = solved(A, np.column_stack([b, own.columns]))
        D = -answer[n_v:][at, 1:].T
        D[np.abs(D) < NONE] = 0.0
        D[alone] = np.eye(len(alone))
        h = system.pressed(*state, answer[:n_v], answer[n_v:], f, which)

        def loads(f: Array, h: Array = h) -> Array:
            return norms(rubs, (h @ np.append(1.0, f))[..., None])[:, 0]

        found.efforts[i], found.loads[i] = carried(D, answer[n_v:][at, 0], most, loads)
        found.lam[i] = answer[n_v:, 1 + others] @ found.efforts[i, others]
    return found


def locked(system: Any, rubs: Any) -> tuple[list[int], list[int]]:
    """Return which of those that rest have a lock, and the rows of these."""
    parts = [row.part for row in system.layout.rows]
    locks = [f'joint "{HOLDS.format(rub.joint)}"' for rub in rubs]
    alone = [k for k, lock in enumerate(locks) if lock in parts]
    return alone, [parts.index(locks[k]) for k in alone]


def follows(system: Any) -> bool:
    """Whether something rests because others do."""
    rubs = [rub for rub in system.dry if rub.rests]
    return len(locked(system, rubs)[0]) < len(rubs)
