"""The drivers of the particle formulation, one file each: `spec` and `rows(at)`."""

from particlemech.engine.particles.drivers import coordinate, distance, position, rotation

KINDS = (coordinate, rotation, distance, position)
BY_SPEC = {kind.spec: kind for kind in KINDS}
