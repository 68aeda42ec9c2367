"""Friction of cams: what slips on a profile, and rollers whose pins rub.

What slips along the profile is pushed across the common normal by mu N, N the force along it. A roller that rolls
without slip has no mass of its own, so contact and pin hold it alone: the force F of the contact passes its pin at the
distance mu r, r the radius of the pin, which is where the friction circle of the pin is touched, and the roller's
centre at R sin(delta), R its radius, delta the angle between F and the normal:

    R sin(delta) = mu r,    T = N tan(delta)                                                            (1)

So a roller is dragged as what slips with mu' = tan(delta) does, where its follower would slip on the profile if the
roller were part of it: with the speed R times that of the roller against its follower. The pin slips at r/R of that.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np

from particlemech.contours import sighted, weighed
from particlemech.errors import ModelError, part
from particlemech.model.applied import Array
from particlemech.model.cams.lift import Contact
from particlemech.model.friction import Friction, check_slipping


def check(cam: Any) -> None:
    """Check the keys of the friction of a cam."""
    of: Friction = cam.friction
    roller = cam.radius if cam.follower == "roller" else None
    check_slipping(of, "radius" if roller is not None else "")
    if of.viscous > 0.0:
        raise ModelError('key "friction": "viscous" would act in flight too; take it out, or write a "damper"')
    if of.stribeck is not None and (cam.follower != "flat" or cam.axis is None):
        raise ModelError('key "friction": "stribeck" is for a flat face that slides square to its axis; take it out')
    if roller is None:
        return
    with part('key "friction"'):
        if of.radius is None:
            raise ModelError('key "radius" of the pin is missing; a roller rolls, and its pin rubs: add it')
        if of.radius >= roller:
            raise ModelError(f'key "radius": the pin, {of.radius:g}, is inside its roller of {roller:g}; make it less')
        if of.mu * of.radius >= roller:
            raise ModelError(f"a roller of {roller:g} never turns on a pin of {of.radius:g} with mu = {of.mu:g}")


def slipping(of: Friction, roller: float | None) -> Friction:
    """Return what acts as what slips along the profile does, (1)."""
    if roller is None or of.radius is None:
        return of
    sine = of.mu * of.radius / roller
    slower = None if of.velocity is None else of.velocity * roller / of.radius
    return replace(of, mu=sine / sqrt(1.0 - sine * sine), radius=None, velocity=slower)


def across(contact: Contact, places: Array) -> Array:
    """Return the lines of a slip, (K, 2), for d, n and e of contours.py, (K, 6): across the gradient by d, as long."""
    found = np.empty((len(places), 2))
    for k, (dx, dy, nx, ny, ex, ey) in enumerate(places.tolist()):
        x, phi, by_x, by_phi = sighted(contact.flat, (dx, dy, nx, ny, ex, ey))
        _, gx, gp, *_ = contact.gap(x, phi)
        g = weighed(gx, by_x, gp, by_phi)
        found[k] = g[1], -g[0]
    return found
