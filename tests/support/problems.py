"""The table of problems: mechanism, exact solution, limit and observed value; tests take their tolerances from here.

`LIMITS` lists for every measured quantity either a bar that was set beforehand, or nothing, in which case the limit is
ten times the observed value. `hold` compares and prints, so that a limit can be tightened. Errors are relative to the
largest exact value of a column (absolute where that is zero), unless a name says otherwise.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.special import ellipj, ellipk

from particlemech import Body, Initial, Mechanism, drivers, forces, joints, models, signals
from particlemech.model.space.engines import no_tree

G = 9.81
DOWN = (0.0, -G)
FORMULATIONS = ("particles", "absolute")
PLANAR = tuple(name for name in models.names() if models.load(name).kind == "planar")  # the shipped models
IN_SPACE = tuple(name for name in models.names() if models.load(name).engine == "recursive")
RIGID = tuple(name for name in IN_SPACE if not models.load(name).bends)
TREES = tuple(name for name in RIGID if no_tree(models.load(name)) is None)
SPATIAL = tuple(name for name in RIGID if name not in TREES)  # with loops
MARGIN = 10.0


class Limit(NamedTuple):
    """How large a quantity was when last measured, and the bar it must keep; without a bar ten times the observed."""

    observed: float
    bar: float | None = None

    @property
    def value(self) -> float:
        return MARGIN * self.observed if self.bar is None else self.bar


def hold(name: str, value: float) -> None:
    """Print what was observed and hold it to its limit."""
    limit = LIMITS[name].value
    print(f"{name}: {value:.3g} (limit {limit:.3g})")
    assert math.isfinite(value), name
    assert value <= limit, f"{name}: {value:.3g} exceeds {limit:.3g}"


def reference(name: str) -> dict[str, Any]:
    """Return published or high-precision rows that are kept with the tests."""
    return json.loads((Path(__file__).parents[1] / "data" / f"{name}.json").read_text())


def column(data: Mapping[str, Any], name: str, rows: str = "rows") -> np.ndarray:
    """Return one column of reference rows, (K,)."""
    return np.array([row[data["columns"].index(name)] for row in data[rows]])


def pinned(**at: tuple[str, ...]) -> dict[str, joints.JointSpec]:
    """Return one pin per point."""
    return {point: joints.Revolute(point=point, bodies=bodies) for point, bodies in at.items()}


# -- closed forms ------------------------------------------------------------------------------------------------


def swing(t: np.ndarray, w: float, psi0: float) -> tuple[np.ndarray, np.ndarray]:
    """Return angle from the lower vertical and rate of a pendulum psi'' = -w^2 sin(psi) let go at psi0."""
    k = math.sin(psi0 / 2.0)
    sn, cn, _, _ = ellipj(ellipk(k * k) - w * np.asarray(t), k * k)
    return 2.0 * np.arcsin(k * sn), -2.0 * k * w * cn


def flat_cranks(n: int, t: np.ndarray) -> np.ndarray:
    """Return the path of B0 of the N-four-bar, (K, 2), from theta'' = K sin(theta)."""
    K = G * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13, "t_eval": t}
    theta = solve_ivp(lambda _, y: (y[1], K * math.sin(y[0])), (0.0, t[-1]), (0.0, 1.0), **options).y[0]
    return np.column_stack([np.sin(theta), np.cos(theta)])


class Member(NamedTuple):
    """A rigid body in one-coordinate motion: its mass, inertia, and r', r'', phi', phi'' by the coordinate."""

    mass: float
    inertia: float
    r1: np.ndarray  # (K,) complex
    r2: np.ndarray
    phi1: np.ndarray | float
    phi2: np.ndarray | float


def effort(members: list[Member], rate: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    """Return the generalised force of a driver from the power balance d(energy)/dt = force rate.

    With J(s) = sum m |r'|^2 + I phi'^2 the energy is J s_dot^2/2 + V, so the force is J s_ddot + J' s_dot^2/2 + V'.
    """
    J, J1, V1 = 0.0, 0.0, 0.0
    for b in members:
        J = J + b.mass * np.abs(b.r1) ** 2 + b.inertia * b.phi1**2
        J1 = J1 + 2.0 * (b.mass * (np.conj(b.r1) * b.r2).real + b.inertia * b.phi1 * b.phi2)
        V1 = V1 + b.mass * G * b.r1.imag
    return J * acceleration + J1 * rate**2 / 2.0 + V1


def arm(length: float, angle: np.ndarray, first: Any = 1.0, second: Any = 0.0) -> tuple[np.ndarray, ...]:
    """Return the vector length exp(i angle) with its two derivatives, those of the angle given."""
    e = length * np.exp(1j * angle)
    return e, 1j * e * first, 1j * e * second - e * first**2


def slider_crank_members(theta: np.ndarray, r: float, l: float, masses: tuple[float, float, float]) -> list[Member]:
    """Return crank, rod and slider by the crank angle; the guide is the x axis."""
    phi = -np.arcsin(r * np.sin(theta) / l)
    phi1 = -r * np.cos(theta) / (l * np.cos(phi))
    phi2 = (r * np.sin(theta) + l * np.sin(phi) * phi1**2) / (l * np.cos(phi))
    _, a1, a2 = arm(r, theta)
    _, b1, b2 = arm(l, phi, phi1, phi2)
    m1, m2, m3 = masses
    return [
        Member(m1, m1 * r * r / 12.0, a1 / 2, a2 / 2, 1.0, 0.0),
        Member(m2, m2 * l * l / 12.0, a1 + b1 / 2, a2 + b2 / 2, phi1, phi2),
        Member(m3, 0.0, a1 + b1, a2 + b2, 0.0, 0.0),
    ]


def four_bar_members(theta: np.ndarray, size: tuple[float, float, float, float], masses: Any) -> list[Member]:
    """Return crank, coupler and rocker by the crank angle, rocker pin at (d, 0), B left of the line A to C."""
    a, b, c, d = size
    A, a1, a2 = arm(a, theta)
    reach = d - A  # from A to C
    turn = np.arccos((b * b + np.abs(reach) ** 2 - c * c) / (2 * b * np.abs(reach)))
    phi = np.angle(reach) + turn
    psi = np.angle(A + b * np.exp(1j * phi) - d)
    eb, ec = b * np.exp(1j * phi), c * np.exp(1j * psi)

    def solved(right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Solve i eb x - i ec y = right."""
        det = (1j * eb).real * (-1j * ec).imag - (1j * eb).imag * (-1j * ec).real
        x = (right.real * (-1j * ec).imag - right.imag * (-1j * ec).real) / det
        y = ((1j * eb).real * right.imag - (1j * eb).imag * right.real) / det
        return x, y

    phi1, psi1 = solved(-a1)
    phi2, psi2 = solved(-a2 + eb * phi1**2 - ec * psi1**2)
    _, b1, b2 = arm(b, phi, phi1, phi2)
    _, c1, c2 = arm(c, psi, psi1, psi2)
    m1, m2, m3 = masses
    return [
        Member(m1, m1 * a * a / 12.0, a1 / 2, a2 / 2, 1.0, 0.0),
        Member(m2, m2 * b * b / 12.0, a1 + b1 / 2, a2 + b2 / 2, phi1, phi2),
        Member(m3, m3 * c * c / 12.0, c1 / 2, c2 / 2, psi1, psi2),
    ]


# -- mechanisms --------------------------------------------------------------------------------------------------


def point_pendulum(*, rod: bool) -> Mechanism:
    """Return benchmark A01: a point mass on a massless rod, as a body without inertia or on a distance joint."""
    points = {"O": (0.0, 0.0), "P": (-1.0, 0.0)}
    bob = Body(points=("P",) if rod else ("O", "P"), mass=1.0, com=(-1.0, 0.0), inertia=0.3 if rod else 0.0)
    held = {"rod": joints.Distance(bodies=("ground", "bob"), points=("O", "P"))} if rod else pinned(O=("ground", "bob"))
    return Mechanism(gravity=DOWN, points=points, bodies={"bob": bob}, joints=held)


def slider(mass: float = 2.0, **parts: Any) -> Mechanism:
    """Return a block on the x axis."""
    guide = joints.Prismatic(bodies=("ground", "block"), point="P", axis=(1.0, 0.0))
    return Mechanism(
        points={"O": (0.0, 0.0), "P": (1.5, 0.0)},
        bodies={"block": Body(points=("P",), mass=mass, com=(1.5, 0.0), inertia=0.1)},
        joints={"guide": guide},
        **parts,
    )


def rotor(**parts: Any) -> Mechanism:
    """Return a disc on a shaft at its centre; R is a point of its rim."""
    return Mechanism(
        points={"O": (0.2, 0.1), "R": (0.5, 0.1)},
        bodies={"disc": Body(points=("O", "R"), mass=3.0, com=(0.2, 0.1), inertia=0.5)},
        joints=pinned(O=("ground", "disc")),
        **parts,
    )


def floating(**parts: Any) -> Mechanism:
    """Return a body that nothing holds; P is not its centre of mass."""
    body = Body(points=("P",), mass=2.0, com=(1.0, 0.5), inertia=0.3)
    return Mechanism(points={"P": (1.4, 0.8)}, bodies={"body": body}, **parts)


def bead() -> Mechanism:
    """Return a bead in a slot that a motor turns at 3 rad/s; it starts at 0.2 m with no speed along the slot."""
    return Mechanism(
        points={"O": (0.0, 0.0), "E": (1.0, 0.0), "P": (0.2, 0.0)},
        bodies={
            "lever": Body(points=("O", "E"), mass=1.0),
            "bead": Body(points=("P",), mass=0.5, com=(0.2, 0.0), inertia=0.01),
        },
        joints={
            **pinned(O=("ground", "lever")),
            "slot": joints.Slot(bodies=("lever", "bead"), point="P", axis=(1.0, 0.0)),
        },
        drivers={"motor": drivers.Rotation(bodies=("ground", "lever"), motion=signals.Linear(rate=3.0))},
        initial=Initial(velocity={"P": (0.0, 0.6)}),
    )


def driven_slider_crank() -> Mechanism:
    """Return the shipped slider-crank in gravity with a motor, crank at 0.7 rad, that turns unevenly."""
    theta, r, l = 0.7, 0.1, 0.3
    A = (r * math.cos(theta), r * math.sin(theta))
    B = (A[0] + math.sqrt(l * l - A[1] ** 2), 0.0)
    motor = drivers.Rotation(bodies=("ground", "crank"), motion=signals.Sine(amplitude=2.5, frequency=0.8))
    return models.load("slider_crank").replaced(
        gravity=DOWN,
        points={"A": A, "B": B},
        bodies={"slider": {"com": B}},
        forces={"motor": None},
        drivers={"motor": motor},
    )


def driven_four_bar() -> Mechanism:
    """Return the shipped four-bar with a motor that turns unevenly."""
    motor = drivers.Rotation(bodies=("ground", "crank"), motion=signals.Sine(amplitude=4.0, frequency=0.6))
    return models.load("four_bar").replaced(initial=Initial(), drivers={"motor": motor})


# -- the table of exact motions ----------------------------------------------------------------------------------

Exact = Callable[[np.ndarray], dict[str, np.ndarray]]


@dataclass(frozen=True)
class Problem:
    """A mechanism whose motion is known: `exact` returns result columns at given times."""

    name: str
    build: Callable[[], Mechanism]
    exact: Exact
    observed: float  # worst error of all columns and both formulations at rtol 1e-9
    duration: float = 2.0

    @property
    def limit(self) -> float:
        return MARGIN * self.observed


def _rod_pendulum(t):
    psi, rate = swing(t, math.sqrt(1.5 * G), math.pi / 2)
    turn = -1.5 * G * np.sin(psi)
    ax = 0.5 * (turn * np.cos(psi) - rate**2 * np.sin(psi))
    ay = 0.5 * (turn * np.sin(psi) + rate**2 * np.cos(psi))
    return {
        **{"P.x": np.sin(psi), "P.y": -np.cos(psi), "P.vx": rate * np.cos(psi), "P.vy": rate * np.sin(psi)},
        **{"rod.angle": psi - math.pi / 2, "rod.omega": rate, "rod.alpha": turn, "O.rod.fx": ax, "O.rod.fy": ay + G},
        "energy.kinetic": rate**2 / 6.0,
    }


def _bob(t):
    psi, rate = swing(t, math.sqrt(G), -math.pi / 2)
    return {"P.x": np.sin(psi), "P.y": -np.cos(psi), "P.vx": rate * np.cos(psi), "P.vy": rate * np.sin(psi)}


def _bob_on_a_rod(t):
    psi, rate = swing(t, math.sqrt(G), -math.pi / 2)
    pull = rate**2 + G * np.cos(psi)
    still = np.zeros_like(t)
    return {**_bob(t), "bob.angle": still, "rod.bob.fx": -pull * np.sin(psi), "rod.bob.fy": pull * np.cos(psi)}


def _thrown(t):
    w = 40.0
    x, y = 1.0 + 3.0 * t, 0.5 + 4.0 * t - G * t * t / 2
    px, py = 0.4 * np.cos(w * t) - 0.3 * np.sin(w * t), 0.4 * np.sin(w * t) + 0.3 * np.cos(w * t)
    return {
        **{"body.x": x, "body.y": y, "body.angle": w * t, "body.omega": 0 * t + w, "P.x": x + px, "P.y": y + py},
        **{"P.ax": -w * w * px, "P.ay": -w * w * py - G, "body.alpha": 0 * t},
    }


def _spring_mass(t):
    w = math.sqrt(50.0 / 2.0)
    return {"P.x": 1.0 + 0.5 * np.cos(w * t), "P.vx": -0.5 * w * np.sin(w * t), "guide.block.fy": 2 * G + 0 * t}


def _damped(t):
    delta, w0 = 3.0 / 4.0, 5.0
    w = math.sqrt(w0**2 - delta**2)
    x = 0.5 * np.exp(-delta * t) * (np.cos(w * t) + delta / w * np.sin(w * t))
    v = -0.5 * np.exp(-delta * t) * w0**2 / w * np.sin(w * t)
    return {"P.x": 1.0 + x, "P.vx": v, "energy.work": v * v + 25.0 * x * x - 25.0 * 0.25}


def _wound(t):
    w = math.sqrt(2.0 / 0.5)
    return {"disc.angle": 20.0 * (1.0 - np.cos(w * t)), "disc.omega": 20.0 * w * np.sin(w * t)}


def _braked(t):
    return {"disc.angle": 30.0 * 0.5 * (1.0 - np.exp(-t / 0.5)), "disc.omega": 30.0 * np.exp(-t / 0.5)}


def _rocket(t):
    w, a = 2.0, 6.0 / 2.0
    x = 1.0 + a / w**2 * (1.0 - np.cos(w * t))
    y = 0.5 + a / w**2 * (w * t - np.sin(w * t))
    return {"body.x": x, "body.y": y, "body.angle": w * t, "energy.work": (a / w) ** 2 * 2.0 * (1.0 - np.cos(w * t))}


def _pushed(t):
    late = np.maximum(t - 0.7303, 0.0)
    x = 1.5 + 3.0 * t**2 / 4.0 - 8.0 * late**2 / 4.0
    v = 3.0 * t / 2.0 - 8.0 * late / 2.0
    return {"P.x": x, "P.vx": v, "P.ax": np.where(t < 0.7303, 1.5, -2.5), "energy.kinetic": v * v}


def _shaken(t):
    w = 2.0 * math.pi * 1.5
    v = 4.0 / (2.0 * w) * (1.0 - np.cos(w * t))
    return {"P.vx": v, "P.x": 1.5 + 2.0 / w * (t - np.sin(w * t) / w), "energy.work": v * v}


TABLE = signals.Table(t=(0.0, 0.5, 1.0, 1.4, 2.0), value=(0.0, 0.4, 0.1, 0.5, -0.2), interpolation="smooth")


def _by_table(t):
    s = CubicSpline(TABLE.t, TABLE.value)
    return {"P.x": 1.5 + s(t), "P.vx": s(t, 1), "P.ax": s(t, 2), "push.effort": 2.0 * s(t, 2)}


def _by_cycloid(t):
    T, rise, w = 1.3, 7.0, 2 * math.pi / 1.3
    moving = t < T
    angle = np.where(moving, rise * (t / T - np.sin(w * t) / (2 * math.pi)), rise)
    alpha = np.where(moving, rise / T * w * np.sin(w * t), 0.0)
    omega = np.where(moving, rise / T * (1 - np.cos(w * t)), 0.0)
    return {"disc.angle": angle, "disc.omega": omega, "disc.alpha": alpha, "motor.effort": 0.5 * alpha}


def _by_position(t):
    w = 2 * math.pi * 0.7
    x, v, a = 0.6 * np.sin(w * t), 0.6 * w * np.cos(w * t), -0.6 * w * w * np.sin(w * t)
    psi = np.arcsin(x)
    rate = v / np.cos(psi)
    turn = (a + np.sin(psi) * rate**2) / np.cos(psi)
    force = (turn / 3.0 + G / 2.0 * np.sin(psi)) / np.cos(psi)  # of a rod of 1 kg and 1 m
    return {"P.x": x, "rod.angle": psi, "rod.alpha": turn, "hand.effort": force}


def _lifted(t):
    slope, w = 0.5, 2 * math.pi
    s, a = 0.3 * np.sin(w * t), -0.3 * w * w * np.sin(w * t)
    c, d = math.cos(slope), math.sin(slope)
    normal = 2.0 * G * c
    return {
        **{"P.x": 1.5 + s * c, "P.y": s * d, "push.effort": 2.0 * (a + G * d)},
        **{"guide.block.fx": -normal * d + 0 * t, "guide.block.fy": normal * c + 0 * t, "guide.block.m": 0 * t},
    }


def _bead(t):
    r, v = 0.2 * np.cosh(3.0 * t), 0.6 * np.sinh(3.0 * t)
    c, s = np.cos(3.0 * t), np.sin(3.0 * t)
    side = 0.5 * 2.0 * v * 3.0  # the slot gives the Coriolis force
    return {"P.x": r * c, "P.y": r * s, "slot.bead.fx": -side * s, "slot.bead.fy": side * c, "motor.effort": side * r}


def _rod_pendulum_model():
    return models.load("pendulum")


def _sloped():
    slope = (math.cos(0.5), math.sin(0.5))
    push = drivers.Coordinate(joint="guide", motion=signals.Sine(amplitude=0.3, frequency=1.0))
    return slider(gravity=DOWN, drivers={"push": push}).replaced(joints={"guide": {"axis": slope}})


def _spring(**keys):
    return {"spring": forces.Spring(bodies=("ground", "block"), points=("O", "P"), length=1.0, **keys)}


def _load(force):
    return {"push": forces.Load(body="block", point="P", force=(force, 0.0))}


def _hand():
    hanging = _rod_pendulum_model().replaced(points={"P": (0.0, -1.0)})
    sine = signals.Sine(amplitude=0.6, frequency=0.7)
    return hanging.replaced(drivers={"hand": drivers.Position(point="P", axis="x", motion=sine)})


THROWN = Initial(omega={"body": 40.0}, velocity={"P": (3.0 - 40.0 * 0.3, 4.0 + 40.0 * 0.4)})
ROCKET = Initial(omega={"body": 2.0}, velocity={"P": (-2.0 * 0.3, 2.0 * 0.4)})

PROBLEMS = (
    Problem("rod pendulum", _rod_pendulum_model, _rod_pendulum, 3.5e-07),
    Problem("point mass without inertia", lambda: point_pendulum(rod=False), _bob, 1.6e-06, 10.0),
    Problem("point mass on a distance joint", lambda: point_pendulum(rod=True), _bob_on_a_rod, 1.1e-07),
    Problem("thrown and spinning", lambda: floating(gravity=DOWN, initial=THROWN), _thrown, 2.3e-05),
    Problem("spring and mass", lambda: slider(gravity=DOWN, forces=_spring(stiffness=50.0)), _spring_mass, 1.9e-07),
    Problem("spring and damper", lambda: slider(forces=_spring(stiffness=50.0, damping=3.0)), _damped, 4.5e-08),
    Problem(
        "torsion spring over several turns",
        lambda: rotor(forces={"coil": forces.Torsion(bodies=("ground", "disc"), stiffness=2.0, angle=20.0)}),
        _wound,
        5.1e-07,
        4.0,
    ),
    Problem(
        "torsion damper",
        lambda: rotor(
            forces={"oil": forces.Torsion(bodies=("ground", "disc"), damping=1.0)},
            initial=Initial(omega={"disc": 30.0}),
        ),
        _braked,
        4.6e-08,
    ),
    Problem(
        "load in the axes of the body",
        lambda: floating(
            forces={"jet": forces.Load(body="body", point=(1.0, 0.5), force=(6.0, 0.0), frame="body")}, initial=ROCKET
        ),
        _rocket,
        2.0e-07,
        5.0,
    ),
    Problem(
        "force that jumps",
        lambda: slider(forces=_load(signals.Step(time=0.7303, before=3.0, after=-5.0))),
        _pushed,
        3.1e-10,
    ),
    Problem(
        "force that oscillates",
        lambda: slider(forces=_load(signals.Sine(amplitude=4.0, frequency=1.5))),
        _shaken,
        6.8e-08,
    ),
    Problem(
        "travel by a table",
        lambda: slider(drivers={"push": drivers.Coordinate(joint="guide", motion=TABLE)}),
        _by_table,
        1.0e-15,
    ),
    Problem(
        "rotation by a cycloid",
        lambda: rotor(
            drivers={
                "motor": drivers.Rotation(bodies=("ground", "disc"), motion=signals.Cycloid(end=7.0, duration=1.3))
            }
        ),
        _by_cycloid,
        1.0e-15,
    ),
    Problem("position of a pendulum's tip", _hand, _by_position, 8.0e-15),
    Problem("travel up a slope", _sloped, _lifted, 2.0e-15),
    Problem("bead in a turning slot", bead, _bead, 1.6e-07, 1.0),
)

# -- everything else that is measured ----------------------------------------------------------------------------

LIMITS: dict[str, Limit] = {
    "pendulum errors, times the tolerance": Limit(9.5e01),
    "four bar errors, times the tolerance": Limit(1.2e02),
    "dense and sparse": Limit(2.0e-15),
    "few and many samples": Limit(1.2e-14),
    "work of a driver": Limit(1.4e-08),
    "times of events": Limit(2.9e-10, bar=1e-09),
    "time of a terminal event": Limit(2.0e-15, bar=1e-09),
    "other cut, place": Limit(9.5e-09),
    "other cut, reaction": Limit(1.4e-07),
    "signals against formulas": Limit(2.0e-15),
    "signals in the kernels": Limit(2.0e-15),
    "two jumps": Limit(3.2e-02),
    "two jumps, velocity": Limit(1.4e-07),
    "Andrews, turn of the crank at rtol 1e-09": Limit(2.5e-07, bar=1e-05),
    "Andrews, turn of the crank at rtol 1e-11": Limit(1.8e-08, bar=2e-07),
    "Andrews, initial acceleration": Limit(6.8e-15, bar=1e-10),
    "Andrews, closure of positions": Limit(9.8e-02, bar=30),
    "Andrews, closure of velocities": Limit(2.1e00, bar=30),
    "Andrews, angles of all bodies at rtol 1e-11": Limit(1.8e-08),
    "Andrews, rate of the crank at rtol 1e-11": Limit(2.0e-09),
    "Andrews, acceleration of K3 at rtol 1e-11": Limit(5.3e-09),
    "N-four-bar, N = 2, place of B0": Limit(6.4e-06, bar=2e-05),
    "N-four-bar, N = 2, energy": Limit(2.1e-08, bar=1e-06),
    "N-four-bar, N = 10, place of B0": Limit(1.4e-05, bar=2e-05),
    "N-four-bar, N = 10, energy": Limit(3.1e-08, bar=1e-06),
    "N-four-bar, N = 40, place of B0": Limit(1.2e-04, bar=0.002),
    "N-four-bar, N = 40, energy": Limit(3.3e-07, bar=1e-06),
    "N-four-bar, our closed form": Limit(2.5e-11),
    "parallel cranks, reactions at 1e-6 and 1e-9": Limit(2.9e-06),
    "parallel cranks, angle over 10 s": Limit(3.3e-07),
    "A01 place": Limit(3.0e-07),
    "A01 velocity": Limit(1.3e-06),
    "slider-crank acceleration": Limit(3.5e-10, bar=1e-08),
    "slider-crank speed": Limit(3.0e-10),
    "slider-crank forces": Limit(4.6e-09, bar=1e-08),
    "slider-crank angle over 3 s": Limit(8.7e-06),
    "slider-crank energy over 3 s": Limit(1.5e-07),
    "slider-crank with torque off": Limit(5.5e-06),
    "effort by power balance": Limit(5.8e-15, bar=1e-09),
    "welded pair, place": Limit(9.3e-09),
    "welded pair, bearing": Limit(3.8e-08),
    "slide, force": Limit(1.1e-07),
    "slide, moment": Limit(9.6e-15),
    "custom spring, place": Limit(4.8e-09),
    "custom spring, force": Limit(2.8e-07),
    "custom spring, energy": Limit(4.2e-08),
    "free couple": Limit(1.5e-08),
    "two masses on a spring": Limit(5.4e-08),
    "centre of two masses": Limit(2.0e-15),
    "energy at rtol 1e-8, shipped models": Limit(5.3e-07, bar=1e-06),
    "closure of positions at rtol 1e-8": Limit(2.4e-01, bar=30),
    "closure of velocities at rtol 1e-8": Limit(4.3e-01, bar=30),
    "gap of projected samples": Limit(3.3e-15),
    "Newton for the whole mechanism": Limit(3.1e-15),
    "momentum of a floating mechanism": Limit(8.7e-10),
    "angular momentum of a floating mechanism": Limit(6.8e-08),
    "energy of a floating mechanism": Limit(3.6e-08),
    "equivalence of falling and floating": Limit(5.6e-08),
    "equivalence of falling and floating, pin": Limit(2.8e-08),
    "origin far away": Limit(2.3e-08),
    "scaled mechanism": Limit(9.4e-08),
    "rate after 64 turns": Limit(2.6e-06),
    "angle after 64 turns": Limit(1.3e-06),
    "assembly against a search": Limit(2.9e-10),
    "assembled pose of two formulations": Limit(4.4e-14, bar=1e-09),
    "least kinetic energy": Limit(4.0e-15),
    "one pin or two": Limit(2.0e-15),
    "time of locking, before the toggle": Limit(1.0e-03),
    "time of locking, after the toggle": Limit(2.4e-06),
    "closure up to the lock, positions": Limit(4.7e-01, bar=100),
    "closure up to the lock, velocities": Limit(3.9e00, bar=100),
    "gap of samples before a lock": Limit(2.0e-15),
    "gap of explicit samples before a lock": Limit(3.9e-14),  # at rtol 1e-4, after two steps of projection
    "energy of a driver that turns back": Limit(7.7e-08, bar=1e-06),
    "samples before a value that is no number": Limit(2.0e-15),
}

# residuals and Jacobians of a run at rtol 1e-8 as observed, the larger of both formulations; tests allow half more
EFFORT: dict[str, tuple[int, int]] = {
    "pendulum": (2268, 90),
    "double_pendulum": (8741, 348),
    "four_bar": (9935, 348),
    "slider_crank": (5413, 227),
    "andrews_squeezer": (4876, 210),
    "quick_return": (3852, 179),
    "n_four_bar": (15609, 1619),  # a restart before and after every singular pose
}
