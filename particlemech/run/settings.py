"""Settings of IDA: tolerances and softness of rows, as the pose needs them.

The usual settings hold everything as tightly as rtol asks for. Where steps fail, the pose tells why:

    near a singular pose          rows give way more easily, eps SOFTER times as large                         (1)
    where rounding, magnified     velocities are held less tightly                                             (2)
    by the pose, beats rtol
    where neither does            the work is held less tightly                                                (3)

Velocities v of a pose whose smallest singular value is s carry rounding errors of about epsilon |v|/s^2. The rate of
the work has the errors of reactions in it, those of speeds over a step, so that shorter steps are no better. (1) ends
when the pose is left, (2) and (3) with the leg: steps after a restart are so small that they would see nothing but
noise. Settings change at restarts only: between them nothing jumps, for BDF remembers five steps.
"""

from __future__ import annotations

import math

import numpy as np

from particlemech.engine.system import Array, System, owned, regularisation
from particlemech.run import ends
from particlemech.run.start import least_step

# of rtol: IDA holds the error of one step, and these add up along a run (four-bars with transmission angles from 60 to
# 1 degree, 2 s: errors of 200 to 600 rtol; 400 to 1200 with 0.1)
MARGIN = 0.03
FLOOR = 3e-13  # below it no margin: rounding
NOISE = 3e-10  # the same near singular poses, where a step is no better but costs (seen: 6 times the residuals)
# of rtol: no smaller margin than this in space. With 1 Bennett's linkage, 0.5 s at 1e-10, loses 1300 rtol of its energy
# in 6200 steps, with 0.3 230 rtol in 7000; six other models 60 to 490 rtol, and 10 to 110
BELOW = 0.3
UNCONTROLLED = 1e40  # absolute tolerance of what takes no part in error control
# times rtol: energy error from which a run is in doubt that had to hold velocities loosely all the time, or to soften
# rows. Errors of places are up to nine times as large there (four-bars with transmission angles down to 1 degree, 2 s),
# and up to 7000 rtol where heavy bodies pull at light ones (the N-four-bar, which passes well, loses 7 to 26 rtol)
DOUBTFUL = 100.0
# (1), eps = 1e-11 then. N-four-bar, N = 10, rtol 1e-10: with 1e-13 14 times the residuals, with 1e-12 four times and
# ten times the error; from 1e-10 on Andrews' velocities close no better than 100 rtol
SOFTER = 1e4
SHORT = 1e-3  # of what is ahead: the longest first step
NEAR = 3e-3  # smallest singular value of the rows below which a pose in which steps fail is nearly singular
# vibrations of a run that a million steps could not follow, about 50 for each. Steps of an order above two cannot pass
# over them either: they amplify what vibrates without damping. A beam with EI = 1e9 N m^2, bent by a ramp, 78 000
# vibrations, rtol 1e-8: 5000 steps of second order, 900 000 up to fifth; with 2500 vibrations 9800 and 30 000, both
# right; a crank whose rod vibrates 5200 times: 610 000 and 130 000
SWARM = 2e4
AUDIBLE = 1.0 / 60.0  # of the tolerance: noise that keeps Newton's method from converging
LOOSEST = 1e4  # times the tolerance of velocities, and of the work
# (3): a planetary train whose sun turns at 100 rad/s, 0.05 s at rtol 1e-9: 4.5e5 residuals and 1e4 times the energy
# error where the work stays as it is, 1900 with 3 to 100 times its tolerance
HEAVY = 10.0
# looks in a row at failing steps before (3): Bennett's linkage has up to 9, and restarts cost it twice its energy error
LASTING = 20
WAIT = 4  # looks before the usual settings are tried again; doubled each time they fail at once


class Settings:
    """What IDA is told at a restart."""

    def __init__(self, system: System, rtol: float, margin: float) -> None:
        self.system, self.rtol, self.margin = system, rtol, margin
        self.redundant = system.n_row  # rows that depend on others everywhere
        self.loosest = 1.0  # of the whole run, away from singular poses
        self.softened = False  # whether rows were, at any time
        self.usual()

    def usual(self) -> None:
        """Take the usual settings, where a leg begins."""
        self.soft, self.loose, self.work = False, 1.0, 1.0  # (1) to (3)
        self.wait, self.lasting = WAIT, 0  # for how many looks at least; looks in a row at failing steps

    @property
    def eps(self) -> float:
        """Return the softness of rows, in units of the usual one."""
        return SOFTER if self.soft else 1.0

    @property
    def swarms(self) -> bool:
        """Return whether more vibrations come than can be followed."""
        return self.system.scale.vibrations > SWARM

    @property
    def order(self) -> int:
        """Return the highest order of steps."""
        return 2 if self.swarms else 5

    def tolerances(self) -> tuple[float, Array]:
        """Return the relative and the absolute tolerances (n,) of one step."""
        system, lay, scale, rtol = self.system, self.system.layout, self.system.scale, self.rtol
        # the error norm averages over all unknowns; only q, v and the work are controlled, so weigh as if there were
        # no others. Without the work a fully driven mechanism is too easy: its motion is known, its efforts are not
        # (seen: an energy error of 6e-4 of its scale at rtol 1e-8). A tenth, because its errors add up along the run.
        own = owned(system)
        share = math.sqrt((system.n_q + system.n_v + len(own) + 1) / system.n)
        if self.soft:
            step = share * max(min(0.1, 3.0 * self.margin) * rtol, min(rtol, NOISE))
        else:
            floor = min(rtol, FLOOR) if self.margin >= MARGIN else min(BELOW * rtol, NOISE)
            step = share * max(self.margin * rtol, floor)
        atol = np.full(system.n, UNCONTROLLED)
        atol[lay.q] = step * scale.deflection * system.size_q
        atol[lay.v] = self.loose * step * scale.pace * system.size_v
        atol[lay.x.stop - 1 - len(own) : lay.x.stop - 1] = step * own
        atol[lay.x.stop - 1] = self.work * 0.1 * step * scale.energy
        return step, atol

    def first_step(self, stretch: float) -> float:
        """Return the first step over a stretch of time, s: its error, about h^2/T^2 of everything, is that of a step.

        IDA would begin with the tolerance beside the rates, a hundred to 1e5 times less; rounding errors of velocities
        divided by such a step are accelerations out of nothing, which no later step gets rid of.
        """
        return min(math.sqrt(self.tolerances()[0]) * self.system.scale.time, SHORT * stretch)

    def _strain(self, t: float, y: Array) -> tuple[float, float]:
        """Return the smallest singular value of the rows, and the noise of velocities beside their tolerance."""
        lay = self.system.layout
        s = ends.singular_values(self.system, t, y[lay.q])
        self.redundant = min(self.redundant, int(np.sum(s < ends.NULL)))
        least = float(s[-1 - self.redundant]) if len(s) > self.redundant else 1.0
        step, atol = self.tolerances()
        tolerance = step * np.abs(y[lay.v]) + atol[lay.v] / self.loose
        # rows that give way spread what they cannot resolve
        spread = max(least, 1e-4 if self.soft else 1e-6) ** 2
        return least, float(np.max(2.2e-16 * np.max(np.abs(y[lay.v])) / spread / tolerance)) / AUDIBLE

    def reset(self, t: float, y: Array, failing: bool, looks: int) -> bool:
        """Choose (1) to (3) anew; return whether they are others now. `looks` counts since the last restart."""
        self.lasting = self.lasting + 1 if failing else 0
        if not failing and not self.soft:
            if looks == 2 * self.wait:
                self.wait = WAIT
            return False
        if not failing and (looks < self.wait or looks % 2):
            return False
        least, noise = self._strain(t, y)
        if failing:
            return self._eased(least, noise, self.lasting >= LASTING)
        if least < 2.0 * NEAR:
            return False
        self.soft, self.loose, self.work, self.wait = False, 1.0, 1.0, 2 * self.wait
        return True

    def doubt(self, lost: float, loosely: float) -> str | None:
        """Return what is to be said of a run that lost a share of its energy, and took a share of its steps loosely."""
        if self.softened and lost > DOUBTFUL * self.rtol:
            return (
                f"joints had to give way more easily for IDA to go on, and {lost:.1g} of the energy was lost, more "
                f'than {DOUBTFUL:g} rtol; take integrator "auto"'
            )
        if self.loosest > 1.0 and lost * loosely > DOUBTFUL * self.rtol:
            return (
                f"rounding, magnified by poses near singular ones, kept velocities {self.loosest:.1g} times as loose "
                f"as rtol = {self.rtol:g} asks for, and {lost:.1g} of the energy was lost; loosen rtol, or take "
                'integrator "auto"'
            )
        return None

    def relieved(self, t: float, y: Array) -> bool:
        """Choose (1) to (3) where no step could be made; return whether there was anything left to choose."""
        if not self.soft:
            self.soft = self.softened = True
            return True
        return self._eased(*self._strain(t, y))

    def _eased(self, least: float, noise: float, lasts: bool = True) -> bool:
        """Take (1), or else (2), or else, if trouble lasts, (3); return whether there was anything left to take."""
        if not self.soft and least < NEAR:
            self.soft = self.softened = True
        elif noise > 0.1 * self.loose and self.loose < LOOSEST:
            self.loose = min(LOOSEST, 10.0 * self.loose)
            if not self.soft:
                self.loosest = max(self.loosest, self.loose)
        elif lasts and not self.soft and self.work < LOOSEST:
            self.work, self.lasting = HEAVY * self.work, 0
        else:
            return False
        return True


def yielding(system: System, t: float, y: Array, yp: Array, eps: float) -> tuple[Array, Array]:
    """Return the state with loaded rows giving way, phi_q v = -eps eps_v lam, so that a run starts in balance."""
    lay, y, yp = system.layout, y.copy(), yp.copy()
    if system.n_row:
        eps_v, _ = regularisation(system.scale, lay.rows)
        lam = np.array([y[lay.lam][row.lam] if row.lam >= 0 else 0.0 for row in lay.rows])
        y[lay.v] -= least_step(system, t, y[lay.q], eps * eps_v * lam)
        yp[lay.q] = system.kinematics(t, y[lay.q], y[lay.v])
    return y, yp
