"""Drivers: which relative motions they prescribe. One file per kind: SPEC, and rows(spec, at)."""

from particlemech.engine.quaternions.drivers import coordinate, distance, position

KINDS = (coordinate, distance, position)
OF_SPEC = {kind.SPEC: kind for kind in KINDS}
