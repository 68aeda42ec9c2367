"""The rows of joints and drivers in space, one file each.

Each file offers `spec` and `rows(at)`. A joint's has also `hands`, what it hands over to the body it carries in the
spanning tree, and `kept(at)`, the rows that are left there; a driver's `edge(spec, mechanism)`: what it acts between.
Reactions are booked from all rows: what row k does to a body is lam_k times its derivative by that body's coordinates.
"""

from particlemech.spatial.rows import (
    cylindrical,
    distance,
    position,
    prismatic,
    revolute,
    rotation,
    screw,
    spherical,
    translation,
    universal,
    weld,
)

JOINTS = (revolute, prismatic, cylindrical, spherical, universal, screw, weld, distance)
DRIVERS = (rotation, translation, position)
BY_SPEC = {kind.spec: kind for kind in JOINTS}
DRIVER_BY_SPEC = {kind.spec: kind for kind in DRIVERS}
