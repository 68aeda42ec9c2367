"""Drivers: which relative motions they prescribe. One file per kind: SPEC, and rows(spec, at)."""

from particlemech.spatial.quaternions.drivers import position, rotation, translation

KINDS = (rotation, translation, position)
OF_SPEC = {kind.SPEC: kind for kind in KINDS}
