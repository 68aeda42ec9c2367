"""Pictures of mechanisms and motions; they need matplotlib, which the extra `view` brings."""

from particlemech.view.plot import display, mechanism, motion, series, stills

__all__ = ["display", "mechanism", "motion", "series", "stills"]
