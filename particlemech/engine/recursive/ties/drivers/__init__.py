"""The row of a driver, one file per kind: row(driver, where), None where it needs none."""

from particlemech.engine.recursive.ties.drivers import coordinate, distance, position

FILES = (coordinate, distance, position)
ROW = {kind.SPEC: kind.row for kind in FILES}
