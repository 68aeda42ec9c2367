"""What joints tie together beside their stages, one file per kind that needs one.

    closing(joint, ends, where)    rows with which it closes a loop in place of a copy of a body, while nothing acts on
                                   its coordinates
    always(joint, name, where)     rows that hold wherever it is
    COST                           as an edge of the spanning tree, default 1: dear ones are cut

Kinds without a file close loops by copies.
"""

from particlemech.engine.recursive.ties.joints import coupling, distance, free, screw, slot, spherical, weld

FILES = (weld, spherical, slot, distance, free, screw, coupling)
CLOSING = {kind.SPEC: kind.closing for kind in FILES if hasattr(kind, "closing")}
ALWAYS = {kind.SPEC: kind.always for kind in FILES if hasattr(kind, "always")}
COST: dict[type, float] = {kind.SPEC: kind.COST for kind in FILES if hasattr(kind, "COST")}
