"""Validation: one motion computed twice, and what a model file says must come out.

Two formulations share no equation, so where they agree both are likely right. Differences are compared with
the range of their own quantity over all parts and samples, so that a joint force of 1e-9 N beside others of
100 N is not taken for a disagreement.

Near a singular pose a small difference of the motion is a large one of the reactions: equilibrium magnifies it by its
condition number. Where that number stands out from the rest of the run, it is divided out of their differences (up to
a thousandfold).

A mechanism in the plane is run as the user would, and by IDA in absolute coordinates. Where they differ by more than
allowed both are run again at a hundredth of `rtol`: what that removes was an error of steps that add up, not of
equations. Two runs that stop alike prove nothing, for their ends are judged by one rule: whether the joints can follow
the drivers is then asked of the positions alone, by a continuation that neither run takes part in.

A tree is run by two integrators, and at some of the samples three methods that share no equation, neither among each
other nor with the kernels, work out its accelerations, efforts and reactions anew. A mechanism with loops in space, or
whose joints events change, is run a second time by IDA in natural coordinates, vectors without any joint coordinate, at
a tenth of `rtol`. A mechanism with bodies that bend, in loops or not, is run by two integrators, and Lagrange's
equations from influence coefficients, which share nothing with the kernels, give its accelerations and efforts anew at
some of the samples before events change its joints. The second integrator is IDA, whose residual is another form of the
equations; where it would take too many steps, and where it ran the first time, Adams' multistep method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from particlemech._threads import one_thread
from particlemech.engine.absolute.equations import system as absolute_system
from particlemech.engine.system import Array, Scale
from particlemech.model.actions import END
from particlemech.model.mechanism import Mechanism, centroid
from particlemech.result.base import Result
from particlemech.result.figures import energy_error
from particlemech.result.plane import PlanarResult
from particlemech.run.simulate import simulate
from particlemech.run.start import weights
from particlemech.run.trajectory import Status

if TYPE_CHECKING:
    from particlemech.model.space.mechanism import Mechanism as Spatial

TOLERANCE = 1e-5  # of the range of a quantity

Quantities = dict[str, tuple[tuple[str, ...], Callable[[Scale], float]]]

# quantity -> (endings of its columns, its natural size)
QUANTITIES: Quantities = {
    "points": (("x", "y"), lambda s: s.length),
    "velocities": (("vx", "vy"), lambda s: s.length / s.time),
    "accelerations": (("ax", "ay"), lambda s: s.length / s.time**2),
    "angles": (("angle",), lambda s: 1.0),
    "angular velocities": (("omega",), lambda s: 1.0 / s.time),
    "angular accelerations": (("alpha",), lambda s: 1.0 / s.time**2),
    "reactions": (("fx", "fy"), lambda s: s.mass * s.length / s.time**2),
    "moments": (("m",), lambda s: s.mass * s.length**2 / s.time**2),
    "effort": (("effort",), lambda s: s.mass * s.length**2 / s.time**2),
    "energy": (("kinetic", "potential", "total", "work"), lambda s: s.mass * s.length**2 / s.time**2),
}
IN_SPACE: Quantities = {
    "points": (("x", "y", "z"), lambda s: s.length),
    "velocities": (("vx", "vy", "vz"), lambda s: s.length / s.time),
    "accelerations": (("ax", "ay", "az"), lambda s: s.length / s.time**2),
    "orientations": (("qw", "qx", "qy", "qz"), lambda s: 1.0),
    "angular velocities": (("omega_x", "omega_y", "omega_z"), lambda s: 1.0 / s.time),
    "angular accelerations": (("alpha_x", "alpha_y", "alpha_z"), lambda s: 1.0 / s.time**2),
    "reactions": (("fx", "fy", "fz"), lambda s: s.mass * s.length / s.time**2),
    "moments": (("mx", "my", "mz"), lambda s: s.mass * s.length**2 / s.time**2),
    "effort": QUANTITIES["effort"],
    "energy": QUANTITIES["energy"],
}
# vibrations without damping gather errors of phase over hundreds of periods (1e-3 of angular accelerations at 1e-6)
FINE = 1e-11
# IDA's method is of fifth order: it takes 20 to 50 times as many steps, for vibrations of 16 kHz 300 times, and is no
# witness there: at TIMES as many it stops, and beyond MANY_STEPS of the first run it does not begin
TIMES, MANY_STEPS, FEW_STEPS = 60, 2000, 100
METHODS_AT = 20  # samples at which a tree is worked out by other methods
FINER = 1e-2  # of rtol, where two runs differ by more than allowed
FINEST = 1e-12  # rtol below which there is nothing but rounding
AHEAD = 0.02  # of the run: how far beyond the end of two locked runs the drivers are followed
FROM_EQUILIBRIUM = ("reactions", "moments", "effort")
MOST = 1e3  # what the condition of equilibrium may explain at most
ZERO = 1e-6  # of its natural size: below this a quantity counts as zero all the time


@dataclass(frozen=True)
class Difference:
    """The largest difference of one quantity."""

    quantity: str
    largest: float  # in the unit of the quantity
    scale: float  # its range, in the same unit
    where: str  # column
    t: float  # s
    magnified: float = 1.0  # by the condition of equilibrium

    @property
    def relative(self) -> float:
        """The difference as a fraction of the range, without what the condition of equilibrium explains."""
        return self.largest / self.scale / self.magnified


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
    beyond = _beyond_methods(mechanism)
    springy = any(getattr(joint, "drive", None) is not None for joint in mechanism.joints.values())
    loops = formulation == "natural" or no_tree(mechanism) is not None or (beyond and not springy)
    if not mechanism.bends and loops:
        return _with_loops(mechanism, tolerance, {k: v for k, v in options.items() if k != "formulation"})
    if mechanism.bends and options.get("rtol") is None:
        options["rtol"] = FINE
    run = simulate(mechanism, throw=False, **options)
    other = _by_another_integrator(mechanism, run, options)
    between = f"{_ways(run)} against {_ways(other)}"
    if beyond:
        return Validation(run, other, differences(run, other), tolerance, between)
    anew, by = (_by_lagrange, "Lagrange") if mechanism.bends else (_by_other_methods, "three methods")
    between += f", and {by}"
    return Validation(run, other, differences(run, other) + anew(run), tolerance, between)


def _beyond_methods(mechanism: Spatial) -> bool:
    """Whether something acts that other methods at samples do not know: dry friction, and what events change."""
    changes = any(event.do != END for event in mechanism.events.values())
    return changes or any(joint.friction is not None for joint in mechanism.joints.values())


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
    return Validation(first, second, differences(first, second), tolerance, between)


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


def differences(first: Any, second: Any) -> tuple[Difference, ...]:
    """Return the largest difference per quantity over the samples both have.

    Reactions that one of them leaves undetermined are not compared, but whether the other does too is; quantities that
    the mechanism has not are left out.
    """
    a, b = first.columns(), second.columns()
    in_space = hasattr(first, "quaternion")  # bodies in the plane turn by an angle
    result: list[Difference] = []
    unique: list[str] = []
    for quantity, (endings, natural) in (IN_SPACE if in_space else QUANTITIES).items():
        names = [n for n in a if n.rpartition(".")[2] in endings and n in b]
        # some drivers exert forces and some torques, so each has a range of its own
        groups = [[n] for n in names] if quantity == "effort" else [names]
        for group in groups:
            magnified = np.ones(len(first.t))
            if not in_space and quantity in FROM_EQUILIBRIUM and group:
                magnified = _magnified(first, second)
            found = _largest(group, a, b, magnified)
            if in_space and quantity in FROM_EQUILIBRIUM and group:
                unique += group
            if found is None:
                continue
            largest, values, where, k = found
            scale = max(_range(quantity, values, first), ZERO * natural(first.system.scale))
            if quantity == "moments" and in_space:
                # a moment in space is rarely needed for itself: forces at its length say what is small
                forces = [d.scale for d in result if d.quantity.startswith("reactions")]
                scale = max((scale, *(first.system.scale.length * f for f in forces)))
            name = _how_many(quantity, group, a) if in_space and quantity != "effort" else quantity
            result.append(Difference(name, largest, scale, where, float(first.t[k]), float(magnified[k])))
    return (*result, *_undetermined(unique, a, b))


def _how_many(quantity: str, names: list[str], a: Mapping[str, Array]) -> str:
    """Return the name of a quantity, and how many of its components are known at all samples, if not all are."""
    known = sum(bool(np.isfinite(a[name]).all()) for name in names)
    return quantity if known == len(names) else f"{quantity}, {known} of {len(names)}"


def _undetermined(names: list[str], a: Mapping[str, Array], b: Mapping[str, Array]) -> Iterator[Difference]:
    """Give whether both runs leave the same reactions undetermined, where one of them leaves any."""
    k = min(len(a["t"]), len(b["t"]))
    one, two = (np.array([np.isfinite(run[name][:k]) for name in names]) for run in (a, b))
    if one.all() and two.all():
        return
    i, j = np.unravel_index(int(np.argmax(one != two)), one.shape)
    apart = float((one != two)[i, j])
    yield Difference("which are unique", apart, 1.0, names[i], float(a["t"][j]))


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


def _magnified(first: Any, second: Any) -> Array:
    """Return by how much the condition of equilibrium stands out, per sample of both runs."""
    k = min(len(first.t), len(second.t))
    condition = np.minimum(first.condition[:k], second.condition[:k])
    return np.clip(condition / np.median(condition), 1.0, MOST)


def _range(quantity: str, values: Array, result: Result) -> float:
    """Return how far a quantity ranges: places from each other, energies as booked, the rest from zero."""
    if quantity == "energy":
        return float(result.energy.scale)
    if quantity == "points":
        return max(float(np.ptp(values)), result.system.scale.length)
    if quantity == "angles":  # as lengths are compared with that of the mechanism, so are angles with 1 rad
        return max(float(np.max(np.abs(values))), 1.0)
    return float(np.max(np.abs(values)))


def _largest(
    names: list[str], a: Mapping[str, Array], b: Mapping[str, Array], magnified: Array
) -> tuple[float, Array, str, int] | None:
    """Return the largest difference, the values that were compared, and the column and sample of the largest."""
    k = min(len(a["t"]), len(b["t"]))
    if not names or not k:
        return None
    one, two = np.array([a[n][:k] for n in names]), np.array([b[n][:k] for n in names])
    both = np.isfinite(one) & np.isfinite(two)
    if not both.any():
        return None
    apart = np.abs(np.where(both, one, 0.0) - np.where(both, two, 0.0))
    i, j = np.unravel_index(int(np.argmax(apart / magnified[:k])), apart.shape)
    return float(apart[i, j]), one[both], names[i], int(j)


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
