"""Drivers: which measure follows a signal. One file per kind: SPEC, and rows(spec, mechanism)."""

from particlemech.engine.absolute.drivers import coordinate, distance, position, rotation

KINDS = (coordinate, rotation, distance, position)
OF_SPEC = {kind.SPEC: kind for kind in KINDS}
