"""Joints: which measures stay at their offset. One file per kind: SPEC, and rows(spec, mechanism)."""

from particlemech.engine.absolute.joints import coupling, distance, prismatic, revolute, slot, weld

KINDS = (revolute, prismatic, slot, weld, distance, coupling)
OF_SPEC = {kind.SPEC: kind for kind in KINDS}
