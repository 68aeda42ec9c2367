"""Joints: which relative motions they hold. One file per kind: SPEC, and rows(spec, at)."""

from particlemech.spatial.quaternions.joints import (
    cylindrical,
    distance,
    prismatic,
    revolute,
    screw,
    spherical,
    universal,
    weld,
)

KINDS = (revolute, prismatic, cylindrical, spherical, universal, screw, weld, distance)
OF_SPEC = {kind.SPEC: kind for kind in KINDS}
