"""The rows of drivers in space, one file each: `spec`, `edge(spec, mechanism)`, `rows(at)`, and `slope(spec, seen)`.

A slope is that of the row by what is driven: the multiplier times it is the effort.
"""

from particlemech.engine.natural.rows.drivers import coordinate, distance, position

KINDS = (coordinate, distance, position)
BY_SPEC = {kind.spec: kind for kind in KINDS}
