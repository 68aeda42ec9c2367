"""Influence coefficients and model matrices of a mechanism in space, for those who want them by themselves."""

from __future__ import annotations

import numpy as np

from particlemech.analyses.influence.lagrange import Influence, Influences
from particlemech.engine.recursive.equations import system
from particlemech.engine.recursive.observed import Observed
from particlemech.engine.recursive.start import start_state
from particlemech.errors import ModelError
from particlemech.model.space.mechanism import Mechanism
from particlemech.result.recursive import TreeResult


def influences(of: Mechanism | TreeResult, *, sample: int = -1) -> Influence:
    """Return G, H, I*, P*, K* of [G88] at the start of a mechanism, or at a sample of a run.

    Parameters
    ----------
    of
        The mechanism, or the result of a run.
    sample
        Number of the sample of a run; default the last.

    Returns
    -------
    Influence
        Motions by name, driven ones included; G, H of all frames, I*, dI*, P*, K*, C*, and tau of forces and weight.

    Examples
    --------
    >>> from particlemech.analyses.influence.matrices import influences
    >>> from particlemech import models
    >>> at = influences(models.load("rms_flexible"))  # 6 motions of the craft, 6 of joints, 10 of bending
    >>> at.I.shape, at.P.shape
    ((22, 22), (22, 22, 22))
    """
    seen: Observed
    if isinstance(of, TreeResult):
        if not -len(of.t) <= sample < len(of.t):
            raise ModelError(f"influences: sample {sample}: the run has {len(of.t)} of them, from 0")
        seen, made = of, of.system
    else:
        made, sample = system(of), 0
        seen = made.observed(np.zeros(1), start_state(made)[None])
    return Influences(made.compiled).sample(seen, sample).influence
