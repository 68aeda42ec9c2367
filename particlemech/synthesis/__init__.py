"""Linkages from what they shall do: path, function and motion generation of four-bars and slider-cranks.

found = pm.synthesis.path([(0, 0), (1, 1), (2, 1.4), (3, 1), (4, 0)])
found.best.mechanism, print(found), found.save("folder"), view.candidates(found)

dyads        closed forms: Burmester's pairs of five poses, slider points                (kernels)
linkage      where a linkage is, all derivatives, arcs of its crank, transmission        (kernels)
fitting      Levenberg and Marquardt's method                                            (kernels)
defects      branch, circuit, order and what else can be wrong                           (kernels)
search       from random numbers to linkages, thousands of times                         (kernels)
frames       moved, turned, mirrored and scaled tasks are one
ripple       the least largest error of a function
models       linkages as mechanisms
asked, generation, found         the verbs: what is asked, and what comes out
burmester    the same closed forms by themselves, with their curves
cognates     the other two linkages that trace a coupler curve
"""

from typing import TYPE_CHECKING

from particlemech._lazily import members

if TYPE_CHECKING:
    from particlemech.synthesis.burmester import BurmesterPairs, pairs
    from particlemech.synthesis.cognate import cognates
    from particlemech.synthesis.found import Candidate, Candidates
    from particlemech.synthesis.generation import function, motion, path
    from particlemech.synthesis.models import Linkage

__all__ = ["BurmesterPairs", "Candidate", "Candidates", "Linkage", "cognates", "function", "motion", "pairs", "path"]

_HOMES = {
    **dict.fromkeys(("BurmesterPairs", "pairs"), "burmester"),
    **dict.fromkeys(("Candidate", "Candidates"), "found"),
    **dict.fromkeys(("function", "motion", "path"), "generation"),
    "Linkage": "models",
    "cognates": "cognate",
}

__getattr__, __dir__ = members(__name__, __all__, _HOMES)
