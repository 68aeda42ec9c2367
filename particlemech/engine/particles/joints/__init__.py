"""The joints of the particle formulation, one file each.

Each file offers `spec`, `shares` (particles an outboard body takes over in the tree), `rows(at)`, `free(at)` and
`seat(at)` (where reactions are reported).
"""

from particlemech.engine.particles.joints import coupling, distance, prismatic, revolute, slot, weld

KINDS = (revolute, prismatic, slot, weld, distance, coupling)
BY_SPEC = {kind.spec: kind for kind in KINDS}
