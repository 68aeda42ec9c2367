"""The rows of joints and drivers in space, one file each.

Each file offers `spec` and `rows(at)`. A joint's has also `readings(spec)`, how its coordinates are read, in their order,
`hands`, what it hands over to the body it carries in the spanning tree, and `kept(at)`, the rows that are left there; a
driver's `edge(spec, mechanism)`: what it acts between.
Reactions are booked from all rows: what row k does to a body is lam_k times its derivative by that body's coordinates.
"""

from particlemech.engine.natural.rows import (
    coordinate,
    coupling,
    cylindrical,
    distance,
    driven_distance,
    free,
    position,
    prismatic,
    revolute,
    screw,
    spherical,
    universal,
    weld,
)

JOINTS = (revolute, prismatic, cylindrical, spherical, universal, screw, free, weld, distance, coupling)
DRIVERS = (coordinate, driven_distance, position)
BY_SPEC = {kind.spec: kind for kind in JOINTS}
DRIVER_BY_SPEC = {kind.spec: kind for kind in DRIVERS}
