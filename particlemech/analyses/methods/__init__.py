"""The same tree by three methods, for those who learn them and as second opinions: [E].

Each method is one file of plain numpy that follows the text, and none shares its equations with another or with the
kernels; these only say where the bodies are, how fast they move and what is applied to them.
"""

from __future__ import annotations

from particlemech.analyses.methods import kane, motion_law, newton_euler
from particlemech.analyses.methods.instant import Instant, Solution, instant
from particlemech.engine.recursive.equations import TreeSystem, system
from particlemech.engine.recursive.start import start_state
from particlemech.engine.system import Array
from particlemech.errors import ModelError, suggestion
from particlemech.model.friction import check_frictionless
from particlemech.model.space.mechanism import Mechanism

__all__ = ["METHODS", "Instant", "Solution", "instant", "solved"]

METHODS = {"newton-euler": newton_euler.solved, "motion-law": motion_law.solved, "kane": kane.solved}


def solved(tree: Mechanism | TreeSystem, method: str, t: float = 0.0, state: Array | None = None) -> Solution:
    """Return what a method finds for a tree at one instant.

    Parameters
    ----------
    tree
        A mechanism, or its system.
    method
        "newton-euler", "motion-law" or "kane".
    t
        Time, s.
    state
        y = (q, v, W), (n,); default that in which the model starts.
    """
    if method not in METHODS:
        raise ModelError(f'method "{method}" unknown{suggestion(method, METHODS)}')
    check_frictionless((tree.mechanism if isinstance(tree, TreeSystem) else tree), method)
    of = tree if isinstance(tree, TreeSystem) else system(tree)
    return METHODS[method](instant(of, t, start_state(of) if state is None else state))
