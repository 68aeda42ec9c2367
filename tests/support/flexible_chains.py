"""Chains of flexible links as bare numbers, made by hand: what tests of kernels need, without any description."""

import math
from dataclasses import replace

import numpy as np
from numpy.polynomial import Polynomial

from particlemech.engine.bending.equations import system
from particlemech.engine.bending.links import (
    DRIVEN,
    FIXED,
    FREE,
    LOCKED,
    PRISMATIC,
    REVOLUTE,
    BaseNumbers,
    Chain,
    JointNumbers,
    LinkNumbers,
    LoadNumbers,
    PointNumbers,
    Shapes,
)
from particlemech.engine.bending.members import Member
from particlemech.engine.bending.start import prepared, start_state
from particlemech.model.signals import Constant, Sine
from particlemech.model.space import joints as of_space
from particlemech.model.space.mechanism import Mechanism
from particlemech.model.space.parts import Body, Initial
from particlemech.result.bending import BendingResult
from particlemech.run import phases

X2, X23 = Polynomial([0, 0, 1]), Polynomial([0, 0, 1, -1.2])  # the two bending shapes of [G88] (3.1-9..12)
TWIST = Polynomial([0, 1])
NO = (Constant(value=0.0),) * 3


def member(end=(1.0, 0.0, 0.0), first=(0.0, 0.0, 0.0), **keys):
    """Return a body that bends along the line from a place to another, by the keys of a body."""
    return Member(Body(points=("root", "end"), **keys), first, end)


class Beam:
    """A straight uniform beam along x: bending by polynomials of x/L in y and z, torsion."""

    def __init__(self, L, mass, EI=1.0, GJ=1.0, y=(), z=(), twist=(), rotary=0.0, consistent=True, stiffening=True):
        self.L, self.mass, self.rotary = L, mass, rotary
        self.consistent, self.stiffening = consistent, stiffening
        self.modes = [*((1, p) for p in y), *((2, p) for p in z), *((0, p) for p in twist)]
        m = len(self.modes)
        self.K = np.zeros((m, m))
        for j, (a, p) in enumerate(self.modes):
            for k, (b, r) in enumerate(self.modes):
                if a != b:
                    continue
                d = 1 if a == 0 else 2
                integral = (p.deriv(d) * r.deriv(d)).integ()
                self.K[j, k] = (integral(1.0) - integral(0.0)) * (GJ / L if a == 0 else EI / L**3)

    def shapes(self, places, sections=True):
        """Return the shapes at places x/L; `sections`: rotations with the slopes of bending."""
        n, m = len(places), len(self.modes)
        delta, psi, short = np.zeros((n, 3, m)), np.zeros((n, 3, m)), np.zeros((n, m, m))
        for j, (a, p) in enumerate(self.modes):
            for i, x in enumerate(places):
                if a == 0:
                    psi[i, 0, j] = p(x)
                else:
                    delta[i, a, j] = p(x)
                    if sections and self.consistent:
                        psi[i, 3 - a, j] = (1 if a == 1 else -1) * p.deriv()(x) / self.L
            for k, (b, r) in enumerate(self.modes):
                if a == b != 0 and self.stiffening:
                    integral = (p.deriv() * r.deriv()).integ()
                    short[:, j, k] = [(integral(x) - integral(0.0)) / self.L for x in places]
        x = np.zeros((n, 3))
        x[:, 0] = np.asarray(places) * self.L
        return Shapes(x, delta, psi, short)

    def link(self, name="link", part=0, points=12, alpha=0.0, a=0.0, b=0.0):
        """Return its numbers."""
        at, weight = np.polynomial.legendre.leggauss(points)
        at, weight = 0.5 * (at + 1.0), 0.5 * weight
        stations = self.shapes(at, sections=False)
        end = self.shapes([1.0])
        m = len(self.modes)
        inertia = np.zeros((points, 3, 3))
        inertia[:, 0, 0] = self.rotary * self.L * weight
        mass = self.mass * weight
        I_qq = np.einsum("s,sij,sik->jk", mass, stations.delta, stations.delta)
        I_qq += np.einsum("sij,sil,slk->jk", stations.psi, inertia, stations.psi)
        return LinkNumbers(
            name=name, part=part, names=tuple(f"q{j + 1}" for j in range(m)), axes=np.eye(3),
            end=np.array([self.L, 0.0, 0.0]), alpha=alpha, along=np.array([1.0, 0.0, 0.0]),
            mass=0.0, moment=np.zeros(3), inertia=np.zeros((3, 3)),
            stations=stations, station_mass=mass, station_inertia=inertia,
            end_delta=end.delta[0], end_psi=end.psi[0], end_short=end.short[0],
            K=self.K, C=a * I_qq + b * self.K, q=np.zeros(m), q_dot=np.zeros(m),
        )  # fmt: skip


def rigid(end=(0, 0, 0), alpha=0.0, mass=0.0, com=(0, 0, 0), inertia=None, about="origin", name="link"):
    """Return a rigid link; the tensor is about its origin, or about its centre."""
    com, tensor = np.array(com, dtype=float), np.zeros((3, 3)) if inertia is None else np.array(inertia, dtype=float)
    if about == "com":
        tensor = tensor + mass * (com @ com * np.eye(3) - np.outer(com, com))
    none = Shapes(np.zeros((0, 3)), np.zeros((0, 3, 0)), np.zeros((0, 3, 0)), np.zeros((0, 0, 0)))
    end = np.array(end, dtype=float)
    size = float(np.linalg.norm(end))
    return LinkNumbers(
        name=name, part=0, names=(), axes=np.eye(3), end=end, alpha=alpha, along=end / size if size else np.zeros(3),
        mass=mass, moment=mass * com, inertia=tensor, stations=none, station_mass=np.zeros(0),
        station_inertia=np.zeros((0, 3, 3)), end_delta=np.zeros((3, 0)), end_psi=np.zeros((3, 0)),
        end_short=np.zeros((0, 0)), K=np.zeros((0, 0)), C=np.zeros((0, 0)), q=np.zeros(0), q_dot=np.zeros(0),
    )  # fmt: skip


def joint(
    name="", state=LOCKED, theta=0.0, does=REVOLUTE, flexible=False, stiffness=0.0, damping=0.0, rotor=0.0, **more
):
    """Return the numbers of a joint; damping is that of its drive, or of its coordinate where it has none."""
    given = dict(
        position=0.0, rate=0.0, deflection=0.0, deflection_rate=0.0, driver="", motion=None, efforts=(), motors=(),
        spring=0.0, pull=0.0, stored=0.0, at=np.zeros(3), second=True, bodies=(),
    )  # fmt: skip
    given |= {"controllers": ()} | more
    coordinate = ("angle" if does == REVOLUTE else "travel") if name else ""
    of_drive, of_joint = (damping, 0.0) if flexible else (0.0, damping)
    return JointNumbers(
        name=name, coordinate=coordinate, does=does, state=state, theta=theta, flexible=flexible, stiffness=stiffness,
        damping=of_drive, damper=of_joint, rotor=rotor, **given,
    )  # fmt: skip


def base(
    state=FIXED, mass=0.0, com=(0, 0, 0), inertia=None, end=(0, 0, 0), alpha=0.0, velocity=(0, 0, 0), omega=(0, 0, 0)
):
    """Return the numbers of a base in the origin."""
    tensor = np.zeros((3, 3)) if inertia is None else np.array(inertia, dtype=float)
    return BaseNumbers(
        name="base", joint="base", axes=np.eye(3), origin=np.zeros(3), held=(), state=state,
        mass=mass, moment=mass * np.array(com, dtype=float), inertia=tensor,
        end=np.array(end, dtype=float), alpha=alpha, place=np.zeros(3), turn=np.eye(3),
        velocity=np.array(velocity, dtype=float), omega=np.array(omega, dtype=float),
    )  # fmt: skip


def chain(the_base, links, joints, loads=(), points=(), gravity=(0.0, 0.0, 0.0)):
    """Return a chain; links and joints that have no name get one from their number."""
    links = [replace(link, name=f"link{i}") if link.name == "link" else link for i, link in enumerate(links, start=1)]
    bodies = zip(["base", *(link.name for link in links)], [link.name for link in links], strict=False)
    joints = [replace(one, bodies=pair) for one, pair in zip(joints, bodies, strict=True)]
    return Chain(
        base=the_base, links=tuple(links), joints=tuple(joints), loads=tuple(loads), points=tuple(points),
        gravity=np.array(gravity, dtype=float),
    )  # fmt: skip


def cantilever(beam, n=1, loads=(), **more):
    """Return a beam of n sub-links held at its root; `more` as of chain."""
    return chain(
        base(),
        [replace(beam.link("beam"), part=k) for k in range(n)],
        [joint("root"), *[joint()] * (n - 1)],
        loads,
        **more,
    )


def tip(beam, link, name="tip"):
    """Return the end of a link as a named point."""
    return PointNumbers(name, link, beam.shapes([1.0]))


def tip_load(beam, link, force=NO, moment=NO, follows=False):
    """Return a load at the end of a link."""
    return LoadNumbers("load", link, beam.shapes([1.0]), np.ones(1), tuple(force), tuple(moment), follows)


def legendre_bending(n):
    """Return n polynomials of degree 2 ... n + 1 that begin flat; orthogonal in their curvature."""
    return [
        np.polynomial.Legendre.basis(k, domain=[0, 1]).convert(kind=Polynomial).integ(lbnd=0).integ(lbnd=0)
        for k in range(n)
    ]


def bent_chain(rng, state, n=3, stiffening=True, gravity=(1.0, 2.0, -9.81), loads=True, driven=None):
    """Return a chain of n flexible links on turning and sliding, stiff and flexible joints, bent and moving, loaded."""
    beam = Beam(
        1.0, 2.0, 50.0, 30.0, y=(X2, X23), z=(X2, X23), twist=(TWIST,), rotary=0.01, stiffening=stiffening
    )  # fmt: skip
    links, joints = [], []
    for i in range(n):
        link = beam.link(alpha=0.7 * i + 0.3, points=6, b=0.002)
        rest = dict(mass=0.3, moment=np.array([0.1, 0.02, 0.03]), inertia=np.diag([0.1, 0.2, 0.25]))
        bent = dict(q=0.05 * rng.normal(size=5), q_dot=0.3 * rng.normal(size=5))
        links.append(replace(link, **rest, **bent))
        more = dict(position=0.2, rate=float(rng.normal()), deflection=0.02, deflection_rate=0.1)
        if i == driven:
            more |= {"driver": "drive", "motion": Sine(amplitude=0.3, frequency=0.4, offset=0.1)}
        elastic = dict(flexible=True, stiffness=80.0, damping=0.1) if i else dict(damping=0.2)
        slides = PRISMATIC if i == 1 else REVOLUTE
        joints.append(joint(f"j{i + 1}", DRIVEN if i == driven else FREE, 0.3, slides, rotor=0.2, **elastic, **more))
    ground = base(
        state, 5.0, (0.1, 0, 0.2), np.diag([1, 2, 2.5]), (0.2, 0.1, 0), 0.4, (0.1, 0.2, 0.3), (0.5, -0.3, 0.8)
    )
    one, two = (tuple(Constant(value=v) for v in three) for three in ((1.0, 2.0, 3.0), (0.1, 0.2, 0.3)))
    pushed = (tip_load(beam, n - 2, one, two, follows=True), tip_load(beam, n - 1, one, two)) if loads else ()
    return chain(ground, links, joints, pushed, [tip(beam, n - 1)], gravity)


def moved(of, duration, samples=101, rtol=1e-9, road="explicit", events=None):
    """Return the result of a run of a chain."""
    made, begin = prepared(system(of), duration)
    times = np.linspace(0.0, duration, samples)
    how = phases.Options(rtol, 1_000_000, events or {}, linear_solver="dense")
    if road == "ida":
        return BendingResult(made, begin, phases.implicitly(made, begin, times, how), dict)
    return BendingResult(made, begin, phases.explicitly(made, begin, times, how), dict)


def as_tree(of, **more):
    """Return a chain whose links do not bend as a tree of rigid bodies, drawn with all its coordinates zero.

    Uniform beams become rods. Joints carry the names they have; locked ones are welds, the base "base" is free or held.
    """
    made = system(replace(of, joints=tuple(replace(j, position=0.0, rate=0.0) for j in of.joints)))
    y = start_state(made)
    y[made.layout.v] = 0.0
    seen = made.observed(np.zeros(1), y[None], moved=False)
    bodies, joints, before = {}, {}, "ground"
    if of.base.state != FIXED:
        bodies["base"] = _body(of.base.mass, of.base.moment, of.base.inertia, np.eye(3), np.zeros(3))
        joints["float"] = of_space.Free(bodies=("ground", "base"), point=(0.0, 0.0, 0.0))
        before = "base"
    for link, hinge in zip(of.links, of.joints, strict=True):
        R, O = seen.orientation(link.name)[0], seen.place(hinge.name)[0]
        at, m = link.stations.x, link.station_mass
        second = sum(mk * (x @ x * np.eye(3) - np.outer(x, x)) for x, mk in zip(at, m, strict=True))
        inertia = link.inertia + second + link.station_inertia.sum(axis=0)
        bodies[link.name] = _body(link.mass + m.sum(), link.moment + m @ at, inertia, R, O)
        kind = of_space.Prismatic if hinge.does == PRISMATIC else of_space.Revolute
        held = {"bodies": (before, link.name), "point": tuple(O)}
        joints[hinge.name] = of_space.Weld(**held) if hinge.state == LOCKED else kind(**held, axis=tuple(R[:, 2]))
        before = link.name
    free = {j.name: j for j in of.joints if j.state == FREE}
    initial = Initial(
        position={n: (j.position,) for n, j in free.items()},
        rate={n: (j.rate,) for n, j in free.items()}
        | ({"float": dict(zip("xyz", of.base.velocity, strict=True))} if "base" in bodies else {}),
        omega={"base": tuple(of.base.omega)} if "base" in bodies else {},
    )
    return Mechanism(bodies=bodies, joints=joints, initial=initial, gravity=tuple(of.gravity), **more)


def _body(mass, moment, inertia, R, O):
    """Return a rigid body of a tree, from its numbers in axes R at O."""
    c = moment / mass
    central = R @ (inertia - mass * (c @ c * np.eye(3) - np.outer(c, c))) @ R.T
    tensor = (*np.diag(central), central[0, 1], central[0, 2], central[1, 2])
    return Body(mass=float(mass), com=tuple(O + R @ c), inertia=tuple(float(v) for v in tensor))


# -- the example of [G88], model R of its errata: ft, slug, lbf ------------------------------------------------------

K2 = np.array([[4.5e3, -3.5e3], [-3.5e3, 7.7e3]])
K3 = np.array([[2.2e3, -1.7e3], [-1.7e3, 3.8e3]])


def _report_link(L, mass, K, torsion, rotary_total, table, name):
    """Return a flexible link of the report: shapes in y and z, torsion; its table as remainder beyond the stations."""
    beam = Beam(
        L, mass, y=(X2, X23), z=(X2, X23), twist=(TWIST,), rotary=rotary_total / L, consistent=False, stiffening=False
    )
    link = beam.link(name)
    stiffness = np.zeros((5, 5))
    stiffness[:2, :2] = stiffness[2:4, 2:4] = K
    stiffness[4, 4] = torsion
    x, m = link.stations.x[:, 0], link.station_mass
    sums = np.diag([rotary_total, m @ x**2, m @ x**2])
    return beam, replace(link, K=stiffness, C=0.0 * stiffness, inertia=np.array(table) - sums)


def report_arm(state, elbow=0.0, joints=LOCKED, loads=(), points=()):
    """Return the arm of [G88] section 3 with the repaired link 3."""
    pi = math.pi
    _, two = _report_link(
        20.92, 9.536, K2, 1.1e6, 2.38, [[2.38, -6.77, 1.423], [-6.77, 1.8e3, -0.223], [1.423, -0.223, 1.8e3]], "link2"
    )
    _, three = _report_link(
        23.18, 5.982, K3, 8.3e5, 1.17, [[1.17, 2.79, -0.592], [2.79, 1.3e3, -0.059], [-0.592, -0.059, 1.3e3]], "link3"
    )
    links = [
        rigid(
            (0, 0, 1.0),
            pi / 2,
            2.198,
            (0, 0, 0),
            [[1.37, 0.014, -0.059], [0.014, 1.595, -0.027], [-0.059, -0.027, 0.439]],
        ),
        two,
        three,
        rigid((1.5, 0, 0), 3 * pi / 2, 0.58, (0.75, 0, 0), np.diag([0.066, 0.622, 0.622])),
        rigid((0, -2.5, 0), pi / 2, 3.144, (0, -1.25, 0), np.diag([8.36, 0.301, 8.36])),
        rigid((0, 0, 2.17), 0.0, 3.094, (0, 0, 1.08), [[5.71, 0.261, -0.712], [0.261, 0.301, 0], [-0.712, 0, 8.63]]),
    ]
    thetas = (pi, 0.0, 0.0, 0.0, pi / 2, 0.0)
    every = [
        joint(f"j{i}", joints, theta, position=elbow if i == 3 else 0.0) for i, theta in enumerate(thetas, start=1)
    ]
    ground = base(
        state, 6.39e3, (0, 0, 0), [[8.9e5, 1.6e4, -2.9e5], [1.6e4, 6.9e6, 3.5e3], [-2.9e5, 3.5e3, 7.3e6]],
        (-35.88, -8.07, 0.8), pi,
    )  # fmt: skip
    return chain(ground, links, every, loads, points)
