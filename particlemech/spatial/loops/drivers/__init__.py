"""Drivers as vectors see them. One file per kind: SPEC, and drive(spec, mechanism)."""

from particlemech.spatial.loops.drivers import position, rotation, translation

KINDS = (rotation, translation, position)
OF_SPEC = {kind.SPEC: kind for kind in KINDS}
