"""Forces: laws of measures, f = s(t) - stiffness (measure - offset) - damping rate.

One file per kind: SPEC, and laws(spec, mechanism); a kind in CALLED also has wrench(...), a Python function.
Gravity is a field of the mechanism and enters with the masses.
"""

from particlemech.engine.absolute.forces import custom, load, motor, spring, torque, torsion

KINDS = (load, torque, spring, torsion, motor, custom)
CALLED = (custom,)
OF_SPEC = {kind.SPEC: kind for kind in KINDS}
