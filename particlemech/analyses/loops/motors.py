"""Efforts of motors that hold a motion in place of the drivers that prescribe it.

    G^T lam = A u' - f        u' as driven                                                                  (1)

The rows of G are the wrenches of the joints, and those of the motors in place of the drivers' ones: a force along the
axis for a travel, a moment about it for an angle. Notation as in `spatial.quaternions`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from particlemech.engine.quaternions.equations import Balance
from particlemech.engine.system import Array
from particlemech.errors import ModelError

LOOSE = 1e-9  # singular values below this fraction of the largest hold nothing
UNMET = 1e-9  # part of what must be balanced that counts as left over
FREE = 1e-7  # a change of an effort that balances itself and is larger makes it arbitrary


def motors(balance: Balance, coordinates: Mapping[str, str]) -> Array:
    """Return the efforts at joints, (n,), whose coordinates are "angle" or "travel", (1)."""
    rows = [row for word, _, rows in balance.parts if word == "joint" for row in rows]
    rows += [balance.at.along(joint, coordinate) for joint, coordinate in coordinates.items()]
    lengths = np.array([balance.L if row.force.any() else 1.0 for row in rows])
    G = balance.wrenches(rows) * balance.unit / lengths[:, None]
    missing = balance.rates[1]
    U, S, Vt = np.linalg.svd(G)
    rank = int(np.sum(S > LOOSE * S.max(initial=0.0)))
    lam = U[:, :rank] @ ((Vt[:rank] @ missing) / S[:rank])
    where, t = ", ".join(f'"{name}"' for name in coordinates), balance.at.t
    if float(np.abs(G.T @ lam - missing).max(initial=0.0)) > UNMET * float(np.abs(missing).max(initial=0.0)):
        raise ModelError(f"motors at {where} cannot hold the motion at t = {t:.6g}; add one for each freedom")
    count = len(coordinates)
    if float(np.abs(U[len(rows) - count :, rank:]).max(initial=0.0)) > FREE:
        raise ModelError(f"motors at {where} share the work in many ways at t = {t:.6g}; leave one out")
    found: Array = lam[len(rows) - count :] / lengths[len(rows) - count :]
    return found
