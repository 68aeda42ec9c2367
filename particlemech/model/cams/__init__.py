"""Cams: joints that hold a roller, a flat face or an edge on a profile, by a force along the common normal."""

from particlemech.model.cams.cam import Cam

__all__ = ["Cam"]
