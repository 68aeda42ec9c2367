"""Drivers as vectors see them. One file per kind: SPEC, and drive(spec, mechanism)."""

from particlemech.analyses.loops.drivers import coordinate, distance, position

KINDS = (coordinate, distance, position)
OF_SPEC = {kind.SPEC: kind for kind in KINDS}
