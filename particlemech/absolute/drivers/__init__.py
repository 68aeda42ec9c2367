"""Drivers: which measure follows a signal. One file per kind: SPEC, and rows(spec, mechanism)."""

from particlemech.absolute.drivers import position, rotation, translation

KINDS = (rotation, translation, position)
OF_SPEC = {kind.SPEC: kind for kind in KINDS}
