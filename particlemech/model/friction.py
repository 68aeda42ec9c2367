"""Friction of joints from their own load: keys, checks, and the numbers of the law that every engine computes with.

Where a joint slides with the speed v (of a pin: radius times rate) under the load P, its friction works on its
coordinate c with the effort

    f = -h mu(v) tanh(v/v_s) P - b c'       h = radius of a pin, 1 of a slide                     (1)
    mu(v) = mu + (mu_static - mu) exp(-(v/v_t)^2)                                                 (2)
    P = |R| of a pin and of a pin in a slot;  max(|N|, 2 |M|/length) of a slide                   (3)

(3) is what a guide carries at its two ends that are `length` apart, with N across it at the joint's point and M about
that point. v_s (`velocity`) smooths the jump at rest: what should stick creeps, no faster than v_s. Chosen because
tanh is 1 to the last digit from 20 v_s on, so that what slides obeys Coulomb's law exactly; v/sqrt(v^2 + v_s^2) is
still 5e-5 short of it at 100 v_s. By default v_s is 1e-3 of the speeds of the mechanism (rubbing.py), and 1/50 of the
Stribeck velocity v_t at most: then tanh leaves more than 0.99 of the peak of (2).
With `sticking` nothing is smoothed: rest and slip are events of a run (run/sticking.py).
Reactions are total, friction included, so (1) and (3) are one system of equations; engine/friction.py solves it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, tanh
from typing import Any, ClassVar

from particlemech.errors import ModelError, part
from particlemech.model.spec import Spec, key, not_negative, positive
from particlemech.model.table_forms import flag, spec_of

SHARPER = 1.0 / 50.0  # of v_t: v_s at most
EATEN = 0.05  # of mu_static - mu: what smoothing may take of the peak


@dataclass(frozen=True, kw_only=True)
class Friction(Spec):
    """Friction of a joint from its own load P: the force of a pin, what a guide carries at its two ends.

    effort = -h mu(v) tanh(v/velocity) P - viscous rate      v = radius rate, h = radius of a pin; else v = rate, h = 1
    mu(v) = mu + (mu_static - mu) exp(-(v/stribeck)^2)
    P = |R| of a pin, |N| of a slot, max(|N|, 2 |M|/length) of a guide
    """

    mu: float = key(not_negative, "coefficient of friction while it slides; default 0", None, dimension="number")
    radius: float | None = key(positive, "of a pin, where it slides", None, dimension="length")
    length: float | None = key(
        positive, "of a guide; without it moments in the guide add nothing to its load", None, dimension="length"
    )
    collar: float | None = key(
        positive, "in space: mean radius where thrust along the axis of a pin slides", None, dimension="length"
    )
    mu_static: float | None = key(
        positive, "coefficient at rest; goes with stribeck, or sticking", None, dimension="number"
    )
    stribeck: float | None = key(positive, "speed over which mu_static falls to mu", None, dimension="speed")
    velocity: float | None = key(
        positive, "speed over which friction turns round; default: 1e-3 of the mechanism's", None, dimension="speed"
    )
    viscous: float = key(not_negative, "effort per rate of the coordinate, whatever the load", 0.0, dimension="any")

    sticking: bool = key(flag, "at rest it holds, up to mu_static (or mu) times its load", False)
    sense: ClassVar[float | None] = None  # in a run, of what sticks: of its slip, +-1, or 0 while it holds

    def verify(self) -> None:
        """Check that the peak of (2) is one, and that smoothing leaves it."""
        given: Any = self.mu
        if given is None:
            object.__setattr__(self, "mu", 0.0)
            for size in ("radius", "length", "collar"):
                if getattr(self, size) is not None and self.mu_static is None:
                    raise ModelError(
                        f'key "{size}" says where it rubs, but without a coefficient nothing does; give "mu" (0 for '
                        f'none), or take "{size}" out'
                    )
        if self.sticking and self.mu == 0.0:
            raise ModelError('key "sticking": with mu = 0 nothing rubs while it slides; give a mu')
        if self.sticking and self.velocity is not None:
            raise ModelError('key "velocity" smooths what "sticking" makes sharp; take one of them out')
        if (self.stribeck is not None or not self.sticking) and (self.mu_static is None) != (self.stribeck is None):
            raise ModelError('keys "mu_static" and "stribeck" go together; give both or neither')
        if self.mu_static is None:
            return
        if self.mu_static < self.mu:
            raise ModelError(
                f'key "mu_static": friction at rest, {self.mu_static:g}, is no less than that of sliding, {self.mu:g}'
            )
        if self.velocity is not None and self.stribeck is not None and self.mu_static > self.mu:
            steps = (0.05 * k * self.velocity for k in range(1, 200))
            peak = max(tanh(v / self.velocity) * self._at(v) for v in steps)
            if peak < self.mu_static - EATEN * (self.mu_static - self.mu):
                raise ModelError(
                    f'key "velocity": smoothing over {self.velocity:g} leaves {peak:.6g} of the peak '
                    f"{self.mu_static:g}, which falls over {self.stribeck:g}; take "
                    f"velocity = {SHARPER * self.stribeck:g}, or leave it out"
                )

    def _at(self, v: float) -> float:
        """Return (2)."""
        if self.mu_static is None or self.stribeck is None:
            return self.mu
        return self.mu + (self.mu_static - self.mu) * exp(-((v / self.stribeck) ** 2))

    @property
    def dry(self) -> bool:
        """Whether it depends on the load."""
        return max(self.mu, self.mu_static or 0.0) > 0.0


def dry(mechanism: Any) -> list[str]:
    """Return the joints with friction that depends on their load."""
    return [name for name, joint in mechanism.joints.items() if joint.friction is not None and joint.friction.dry]


def check_frictionless(mechanism: Any, asked: str) -> None:
    """Refuse friction that depends on loads: what asks leaves it out."""
    for name in dry(mechanism):
        raise ModelError(
            f'{asked}: joint "{name}" has friction that depends on its load; run it, and look at reactions and losses '
            "of the result"
        )


friction = spec_of(Friction)


def friction_key(about: str) -> Any:
    """Return the key of joints that have friction."""
    return key(friction, about, None)


def check(of: Friction, fits: str, needs: bool, besides: tuple[str, ...] = ()) -> None:
    """Check that the friction of a joint has the size that fits, "radius", "length" or "" for none, and no others."""
    known = tuple(size for size in (fits, *besides) if size)
    with part('key "friction"'):
        for size in ("radius", "length", "collar"):
            if size not in known and getattr(of, size) is not None:
                other = "; it has " + " and ".join(f'"{one}"' for one in known) if known else ""
                raise ModelError(f'key "{size}" does not belong to this kind of joint{other}; take it out')
        if needs and of.dry and getattr(of, fits) is None:
            raise ModelError(f'key "{fits}" is missing; friction of this kind of joint works at a {fits}: add it')


def check_slipping(of: Friction, size: str = "") -> None:
    """Check the friction of what touches and slips: it has no coordinate of a joint that could rest."""
    check(of, size, False)
    if of.sticking:
        raise ModelError(
            'key "friction": "sticking" is for joints with a coordinate; what slips here creeps: take it out'
        )
