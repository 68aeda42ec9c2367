"""Joints as vectors see them. One file per kind: SPEC, and tie(spec, mechanism)."""

from particlemech.spatial.loops.joints import (
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
