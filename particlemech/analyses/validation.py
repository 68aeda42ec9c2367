"""Validation: one motion computed twice, and what a model file says must come out.

Two formulations share no equation, so where they agree both are likely right. What counts as a difference, and beside
what, is said in differences.py; what two runs that agree may differ by where friction or impacts magnify differences,
in equal_states.py.

A mechanism in the plane is run as the user would, and by IDA in absolute coordinates. Where they differ by more than
allowed both are run again at a hundredth of `rtol`: what that removes was an error of steps that add up, not of
equations. Two runs that stop alike prove nothing, for their ends are judged by one rule: whether the joints can follow
the drivers is then asked of the positions alone, by a continuation that neither run takes part in.

A tree is run by two integrators, and at some of the samples three methods that share no equation, neither among each
other nor with the kernels, work out its accelerations, efforts and reactions anew. A mechanism with loops in space, or
with friction, stops or events that these methods do not know, is run a second time by IDA in natural coordinates,
vectors without any joint coordinate, at a tenth of `rtol`. A mechanism with bodies that bend, in loops or not, is run
by two integrators, and Lagrange's equations from influence coefficients, which share nothing with the kernels, give its
accelerations and efforts anew at some of the samples before events change its joints. The second integrator is IDA,
whose residual is another form of the equations; where it would take too many steps, and where it ran the first time,
Adams' multistep method.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech._threads import one_thread
from particlemech.analyses.differences import Difference, differences
from particlemech.analyses.equal_states import explained
from particlemech.engine.absolute.equations import system as absolute_system
from particlemech.model.actions import SWITCH
from particlemech.model.mechanism import Mechanism, centroid
from particlemech.result.figures import energy_error
from particlemech.result.plane import PlanarResult
from particlemech.run.simulate import simulate
from particlemech.run.start import weights
from particlemech.run.trajectory import Status

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism as Spatial

TOLERANCE = 1e-5  # of the range of a quantity

# vibrations without damping gather errors of phase over hundreds of periods (1e-3 of angular accelerations at 1e-6)
FINE = 1e-11
# IDA's method is of fifth order: it takes 20 to 50 times as many steps, for vibrations of 16 kHz 300 times, and is no
# witness there: at TIMES as many it stops, and beyond MANY_STEPS of the first run it does not begin
TIMES, MANY_STEPS, FEW_STEPS = 60, 2000, 100
METHODS_AT = 20  # samples at which a tree is worked out by other methods
FINER = 1e-2  # of rtol, where two runs differ by more than allowed
FINEST = 1e-12  # rtol below which there is nothing but rounding
AHEAD = 0.02  # of the run: how far beyond the end of two locked runs the drivers are followed


@dataclass(frozen=True)
class Validation:
    """Two runs of one mechanism and their differences."""

    first: Any  # Result
    second: Any  # Result
    differences: tuple[Difference, ...]
    tolerance: float
    between: str = "particles against absolute"
    remark: str = ""  # what had to be done to compare them, or what their common end is worth

    @property
    def alike(self) -> bool:
        """Whether all differences are within the tolerance, as far as both runs go."""
        return all(d.relative <= self.tolerance for d in self.differences)

    @property
    def together(self) -> bool:
        """Whether both runs have the same end; where they stop early, one sample more or less counts as none."""
        K, L = len(self.first.t), len(self.second.t)
        early = _word(self.first) != "completed"
        return _word(self.first) == _word(self.second) and abs(K - L) <= int(early)

    @property
    def complete(self) -> bool:
        """Whether both runs reached their end."""
        return _word(self.first) == _word(self.second) == "completed"

    @property
    def agreed(self) -> bool:
        """Whether both runs have the same end and all differences are within the tolerance."""
        return self.together and self.alike

    @property
    def warnings(self) -> list[str]:
        """What both runs may agree on and is still doubtful, such as bodies that bend too far for their modes."""
        return list(dict.fromkeys([*self.first.warnings, *getattr(self.second, "warnings", ())]))

    @property
    def verdict(self) -> str:
        """The judgement in one line: how far both agree, and to which end."""
        within = f"within {self.tolerance:g} of each range"
        if not self.alike:
            worst = max(self.differences, key=lambda d: d.relative if math.isfinite(d.relative) else math.inf)
            short = "" if self.complete else ", and not to the end"
            return f"NOT AGREED {within}: {worst.quantity} differ by {worst.relative:.1e}{short}"
        if self.complete:
            return f"agreed {within}"
        t = min((float(run.t[-1]) for run in (self.first, self.second) if len(run.t)), default=0.0)
        if self.together:
            return f"agreed {within} up to t = {t:.6g} s, where both are {_word(self.first)}, but not to the end"
        ends = " and ".join(f"{_word(run)} at t = {float(run.t[-1]):.6g} s" for run in (self.first, self.second))
        return f"ENDS DIFFER: alike {within} up to t = {t:.6g} s, but {ends}"


def _word(result: Any) -> str:
    """Return how a run ended."""
    return str(getattr(result.status, "value", result.status))


@one_thread
def validated(mechanism: Mechanism | Spatial, tolerance: float = TOLERANCE, **options: Any) -> Validation:
    """Run a mechanism twice and compare: two formulations, or of a tree two integrators and three methods.

    Parameters
    ----------
    mechanism : Mechanism
        What to run, in the plane or in space.
    tolerance : float
        Largest difference, as a fraction of the range of each quantity.
    **options
        As of `simulate`, for both runs.

    Returns
    -------
    Validation
        Both results and the largest difference per quantity.
    """
    if isinstance(mechanism, Mechanism):
        return _in_plane(mechanism, tolerance, options)
    from particlemech.model.space.engines import no_tree

    run: Any
    formulation = options.get("formulation") or mechanism.engine
    unknown, changes = _unknown(mechanism), _changes(mechanism)
    springy = any(getattr(joint, "drive", None) is not None for joint in mechanism.joints.values())
    loops = formulation == "natural" or no_tree(mechanism) is not None or ((unknown or changes) and not springy)
    if not mechanism.bends and loops:
        return _with_loops(mechanism, tolerance, {k: v for k, v in options.items() if k != "formulation"})
    if mechanism.bends and options.get("rtol") is None:
        options["rtol"] = FINE
    run = simulate(mechanism, throw=False, **options)
    other = _by_another_integrator(mechanism, run, options)
    between = f"{_ways(run)} against {_ways(other)}"
    found = _explained(Validation(run, other, differences(run, other), tolerance, between))
    if unknown or (changes and not mechanism.bends):
        return found
    anew, by = (_by_lagrange, "Lagrange") if mechanism.bends else (_by_other_methods, "three methods")
    return replace(found, between=f"{between}, and {by}", differences=found.differences + anew(run))


def _unknown(mechanism: Spatial) -> bool:
    """Whether something acts that no method at samples knows: dry friction, signals that events switch."""
    rubs = any(joint.friction is not None and joint.friction.dry for joint in mechanism.joints.values())
    return rubs or any(event.do == SWITCH for event in mechanism.events.values())


def _changes(mechanism: Spatial) -> bool:
    """Whether joints hold for a while only, which the three methods do not know."""
    return bool(mechanism.switching) or any(event.joint is not None for event in mechanism.events.values())


def _by_another_integrator(mechanism: Spatial, first: Any, options: dict[str, Any]) -> Any:
    """Return a run anew: by IDA, or by Adams' method where IDA ran the first or would take too many steps."""
    from particlemech.run.recursive import by_adams

    limit, steps = options.get("max_steps") or mechanism.run.max_steps, first.stats["steps"]
    alone = {phase.integrator for phase in first.phases} == {"ida"}
    if not alone and steps <= MANY_STEPS:
        fewer = {"integrator": "ida", "max_steps": min(limit, TIMES * max(steps, FEW_STEPS))}
        second: Any = simulate(mechanism, throw=False, **options | fewer)
        if second.status is not Status.STEP_LIMIT:
            return second
    return by_adams(first, limit)


def _ways(run: Any) -> str:
    """Return what integrated a run, in order."""
    return " and ".join(dict.fromkeys(phase.integrator for phase in run.phases))


def _with_loops(mechanism: Spatial, tolerance: float, options: dict[str, Any]) -> Validation:
    """Run a mechanism in space by joint coordinates, as the user would, and by IDA in natural ones."""
    rtol = mechanism.run_with({"rtol": options.get("rtol")} if options.get("rtol") else {}).rtol
    first: Any = simulate(mechanism, throw=False, **options)
    finer = options | {"rtol": max(0.1 * rtol, FINEST), "integrator": "ida"}
    second: Any = simulate(mechanism, formulation="natural", throw=False, **finer)
    between = f"recursive by {_ways(first)} against natural by ida"
    return _explained(Validation(first, second, differences(first, second), tolerance, between))


def _explained(found: Validation) -> Validation:
    """Return a validation compared by what is certain, where that makes two runs that differ alike."""
    if found.alike:
        return found
    left, said = explained(found.first, found.second, found.differences, found.tolerance)
    better = replace(found, differences=left, remark="; ".join(filter(None, (found.remark, said))))
    return better if better.alike else found


def _in_plane(mechanism: Mechanism, tolerance: float, options: dict[str, Any]) -> Validation:
    """Run a mechanism in the plane twice, more finely where that is needed, and compare."""
    found = _twice(mechanism, tolerance, options)
    rtol = mechanism.run_with({"rtol": options.get("rtol")} if options.get("rtol") else {}).rtol
    if not found.agreed and rtol * FINER >= FINEST:
        finer = _twice(mechanism, tolerance, options | {"rtol": rtol * FINER})
        before, after = (max((d.relative for d in v.differences), default=0.0) for v in (found, finer))
        if finer.agreed and not found.alike:
            said = f"at rtol {rtol * FINER:g}; at {rtol:g} errors of steps add up to {before:.1e}"
            found = replace(finer, remark=said)
        elif finer.agreed:
            found = replace(finer, remark=f"at rtol {rtol * FINER:g}; at {rtol:g} {found.verdict}")
        elif not finer.alike and (excused := _explained(finer)).agreed:
            found = replace(excused, remark=f"at rtol {rtol * FINER:g}; {excused.remark}")
        elif not found.alike:
            said = (
                "errors of steps add up, equations do not differ" if after < 0.1 * before else "rtol is not the reason"
            )
            found = replace(found, remark=f"at rtol {rtol * FINER:g} the largest difference is {after:.1e}: {said}")
    if found.together and not found.complete:
        found = replace(
            found,
            remark="; ".join(filter(None, (found.remark, _worth(mechanism, found.first, options.get("duration"))))),
        )
    return found


def _twice(mechanism: Mechanism, tolerance: float, options: dict[str, Any]) -> Validation:
    """Run a mechanism in the plane as the user would, and by IDA in absolute coordinates."""
    first = simulate(mechanism, formulation="particles", throw=False, **options)
    common = {name: value for name, value in options.items() if name != "cut"}  # there, no joint is cut
    second = simulate(mechanism, formulation="absolute", throw=False, **common | {"integrator": "ida"})
    between = f"particles by {_ways(first)} against absolute by ida"
    return Validation(first, second, differences(first, second), tolerance, between)


def _worth(mechanism: Mechanism, result: Any, duration: float | None) -> str:
    """Return what it is worth that two runs stop alike."""
    if _word(result) != "locked":
        return f'that both are "{_word(result)}" says nothing about the mechanism'
    ends = float(result.t[-1])
    interval = float(result.t[1] - result.t[0]) if len(result.t) > 1 else 0.0  # the lock is within one after the end
    until = min(ends + interval + AHEAD * (duration or mechanism.run.duration), result.system.until)
    if followed(mechanism, result, until):
        return f"that both are locked is no proof: the positions alone can follow the drivers to t = {until:.6g} s"
    return "the positions alone cannot follow the drivers any further either"


def followed(mechanism: Mechanism, result: PlanarResult, until: float) -> bool:
    """Return whether the joints can follow the drivers from the last sample of a result to a time, s.

    Newton's method on the rows of absolute coordinates, in small steps of time, without speeds and forces: it shares
    nothing with the integrators nor with the judge of their ends.
    """
    system = absolute_system(mechanism)
    L, lay, scale = system.scale.length, result.system.layout, weights(system)
    still, way = np.zeros(system.n_v), np.tile([1.0, 1.0, 1.0 / L], len(lay.bodies))
    origin = np.array(centroid(mechanism))
    turned = np.broadcast_to(result.system.turned, len(lay.bodies))
    ends = zip(lay.bodies, turned, strict=True)
    q = np.concatenate([np.r_[result.com(b)[-1] - origin, result.angle(b)[-1] + by] for b, by in ends])
    t = float(result.t[-1])
    for now in np.linspace(t, max(until, t), 41)[1:]:
        for _ in range(40):
            at = system.levels(float(now), q, still)
            phi = scale * at.phi
            if np.max(np.abs(phi), initial=0.0) <= 1e-9 * L:
                break
            step = -np.linalg.lstsq(scale[:, None] * at.phi_q * way, phi, rcond=1e-7)[0]
            q = q + way * step * min(1.0, 0.05 * L / max(float(np.max(np.abs(step))), 1e-300))
        else:
            return False
    return True


def _by_other_methods(result: Any) -> tuple[Difference, ...]:
    """Return how far the methods of [E] differ from a run, per method: accelerations, efforts; reactions of one."""
    from particlemech.analyses import methods

    some = np.unique(np.linspace(0, len(result.t) - 1, METHODS_AT).astype(int))
    worst: dict[str, tuple[float, float, str, float]] = {}
    for k in some:
        t, y = result.at(float(result.t[k]))[:2]
        for method in methods.METHODS:
            solution = methods.solved(result.system, method, t, y)
            for what, difference, scale, where in result.against(int(k), solution):
                name = f"{what} by {method}"
                before = worst.get(name, (0.0, 0.0, where, t))
                size = max(scale, before[1])
                worst[name] = (
                    (difference, size, where, t) if difference >= before[0] else (before[0], size, *before[2:])
                )
    return tuple(Difference(name, apart, scale, where, t) for name, (apart, scale, where, t) in worst.items() if scale)


def _by_lagrange(result: Any) -> tuple[Difference, ...]:
    """Return how far the equations after Lagrange differ from a run: accelerations, and efforts of drivers."""
    from particlemech.analyses.influence.lagrange import compared
    from particlemech.result.parted import unchanged

    found = compared(result, METHODS_AT) if len((result := unchanged(result)).t) else []
    return tuple(Difference(what, apart, size, where, t) for what, apart, size, where, t in found if size)


@dataclass(frozen=True)
class Finding:
    """One line of a model's [check]."""

    what: str
    expected: str
    found: str
    held: bool


def held(mechanism: Any, result: Any, dof: int) -> tuple[Finding, ...]:
    """Return what the [check] of a model says, against a result."""
    wanted = mechanism.check
    findings = []
    if wanted.dof is not None:
        findings.append(Finding("dof", f"{wanted.dof}", f"{dof}", dof == wanted.dof))
    if wanted.energy is not None:
        loss = energy_error(result)
        findings.append(Finding("energy", f"<= {wanted.energy:g}", f"{loss:.3g}", loss <= wanted.energy))
    columns = result.columns() if wanted.end else {}
    for name, value in wanted.end.items():
        if name not in columns or not len(columns[name]):
            findings.append(Finding(name, f"{value:.10g}", "no such column", False))
            continue
        last = float(columns[name][-1])
        findings.append(Finding(name, f"{value:.10g}", f"{last:.10g}", abs(last - value) <= wanted.tolerance))
    return tuple(findings)
