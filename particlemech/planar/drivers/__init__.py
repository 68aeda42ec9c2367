"""The drivers of the particle formulation, one file each: `spec` and `rows(at)`."""

from particlemech.planar.drivers import position, rotation, translation

KINDS = (rotation, translation, position)
BY_SPEC = {kind.spec: kind for kind in KINDS}
