"""The rows of joints in space, one file each; those of drivers are in `drivers`.

Each file offers `spec` and `rows(at)`, `readings(spec)`, how its coordinates are read, in order, `hands`, what it hands
over to the body it carries in the spanning tree, and `kept(at)`, the rows that are left there.
Reactions are booked from all rows: what row k does to a body is lam_k times its derivative by that body's coordinates.
"""

from particlemech.engine.natural.rows import (
    coupling,
    cylindrical,
    distance,
    drivers,
    free,
    prismatic,
    revolute,
    screw,
    slot,
    spherical,
    universal,
    weld,
)

JOINTS = (revolute, prismatic, cylindrical, spherical, universal, screw, slot, free, weld, distance, coupling)
BY_SPEC = {kind.spec: kind for kind in JOINTS}
DRIVER_BY_SPEC = drivers.BY_SPEC
