"""Gears, racks, belts and what rolls: joints that hold how far bodies turn, by forces where they touch.

With u from the centre A of the first to the centre B of the second, psi the angle of u, K u across it, and radii that
are negative where the other wheel goes round inside (s1 + s2 = |B - A|), two pitch circles do not slip if

    |B - A| psi - s1 theta1 - s2 theta2 = 0        all angles since the drawing                           (1)

Its derivatives by the places of the centres make its multiplier the force on the second body along K u at the pitch
point, not a couple. A line along u of the first body and a circle at the distance h of it, positive to the left, obey

    u.(B - A) + h (theta2 - theta1) = 0                                                                   (2)

and the strand of a belt that leaves one circle and meets the next, s positive where it goes round counter-clockwise,

    L - (s2 - s1) phi + s2 theta2 - s1 theta1 = 0      L its length, phi its angle since the drawing      (3)
"""

from particlemech.model.gearing.belts import Belt, Strand
from particlemech.model.gearing.gears import Gear, Rack
from particlemech.model.gearing.rolling import Rolling

__all__ = ["Belt", "Gear", "Rack", "Rolling", "Strand"]
