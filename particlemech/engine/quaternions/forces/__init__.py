"""Forces as wrenches on bodies. One file per kind: SPEC, wrenches(spec, at) and what is stored(spec, at)."""

from particlemech.engine.quaternions.forces import custom, load, motor, spring, torque, torsion

KINDS = (load, torque, spring, torsion, motor, custom)
OF_SPEC = {kind.SPEC: kind for kind in KINDS}
