"""Influence coefficients and model matrices of a chain, for those who want them by themselves."""

from __future__ import annotations

import numpy as np

from particlemech.analyses.influence.lagrange import Influence, Influences
from particlemech.analyses.vibration.bending import Joints, numbers
from particlemech.analyses.vibration.linear import altered
from particlemech.engine.bending.equations import system
from particlemech.engine.bending.links import Chain
from particlemech.engine.bending.start import start_state
from particlemech.errors import ModelError
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.bending import BendingResult


def influences(
    of: Mechanism | Chain | BendingResult, *, base: str | None = None, joints: Joints = None, sample: int = -1
) -> Influence:
    """Return G, H, I*, P*, K* of [G88] at the start of a mechanism, or at a sample of a run.

    Parameters
    ----------
    of
        The mechanism, or the result of a run.
    base, joints
        As of `modes`: to see more motions than the model leaves, or fewer; of a mechanism only.
    sample
        Number of the sample of a run; default the last.

    Returns
    -------
    Influence
        Motions by name, driven ones included; G, H of the links of all bodies, I*, dI*, P*, K*, C*, and tau of loads
        and weight.

    Examples
    --------
    >>> from particlemech.analyses.influence.matrices import influences
    >>> from particlemech import models
    >>> at = influences(models.load("rms_flexible"), base="fixed")
    >>> at.I.shape, at.P.shape
    ((16, 16), (16, 16, 16))
    """
    if isinstance(of, BendingResult):
        if base is not None or joints is not None:
            raise ModelError("influences: base and joints of a run are what they were; ask for those of its mechanism")
        if not -len(of.t) <= sample < len(of.t):
            raise ModelError(f"influences: sample {sample}: the run has {len(of.t)} of them, from 0")
        made, t, y = of.system, float(of.t[sample]), of._y[sample]
    else:
        made = system(altered(numbers(of, "influences"), base, joints))
        t, y = 0.0, start_state(made)
    every = Influences(made.compiled.chain)
    q, *_ = every.whole(made, t, np.asarray(y))
    return every.at(t, q, second=True)
