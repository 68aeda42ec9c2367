"""Joints: which relative motions they hold. One file per kind: SPEC, and rows(spec, at)."""

from particlemech.engine.quaternions.joints import (
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
