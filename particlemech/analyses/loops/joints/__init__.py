"""Joints as vectors see them. One file per kind: SPEC, and tie(spec, mechanism)."""

from particlemech.analyses.loops.joints import (
    coupling,
    cylindrical,
    distance,
    free,
    prismatic,
    revolute,
    screw,
    slot,
    spherical,
    universal,
    weld,
)

KINDS = (revolute, prismatic, cylindrical, spherical, universal, screw, slot, free, weld, distance, coupling)
OF_SPEC = {kind.SPEC: kind for kind in KINDS}
