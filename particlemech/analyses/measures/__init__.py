"""The numbers of the trade, from the motion of any result: `result.measures()` is where they are asked for."""

from particlemech.analyses.measures.measures import Measures, measured

__all__ = ["Measures", "measured"]
