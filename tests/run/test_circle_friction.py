"""Friction of circles on circles and inside them: rolling off, rolling to and fro, spinning up; closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import particlemech as pm
from particlemech.model.toml import dumps, loads

WAYS = ({"integrator": "explicit"}, {"integrator": "ida"}, {"integrator": "ida", "formulation": "absolute"})
WAY = pytest.mark.parametrize("way", WAYS, ids=["explicit", "ida", "absolute"])
G = 9.81
R, r, M = 1.0, 0.25, 2.0

DOME = """
gravity = [0, -9.81]
points = { O = [0, 0], C = [SX, SY] }
bodies.ball = { points = ["C"], mass = 2, com = [SX, SY], inertia = INERTIA }
joints.dome = { type = "contact", bodies = ["ground", "ball"], points = ["O", "C"], radii = [1, 0.25], \
friction = { mu = MU, velocity = SMOOTH } }
run = { duration = 1.2, samples = 121, rtol = 1e-9 }
"""


def dome(share: float, mu: float, start: float) -> pm.Mechanism:
    """Return a wheel of inertia share M r^2 that starts from rest on a dome, at an angle from its top."""
    x, y = (R + r) * math.sin(start), (R + r) * math.cos(start)
    text = DOME.replace("INERTIA", repr(share * M * r * r)).replace("SMOOTH", "1e-2" if mu > 1.0 else "1e-4")
    return loads(text.replace("SX", repr(x)).replace("SY", repr(y)).replace("MU", repr(mu)))


@WAY
@pytest.mark.parametrize(("share", "mu"), [(0.4, 1e4), (0.5, 1e4), (0.4, 0.0)])
def test_a_ball_rolls_off_a_dome_where_the_closed_form_says(way: dict[str, str], share: float, mu: float) -> None:
    """From m g (R + r)(cos a - cos q) = m (1 + k) v^2/2 and m g cos q = m v^2/(R + r): cos q = 2 cos a/(3 + k).

    k = 2/5 of a sphere: 10/17; without friction nothing turns, k = 0: 2/3.
    """
    start, k = 0.3, share if mu else 0.0
    stiff = mu > 0.0 and way["integrator"] == "explicit"  # it is as good as no slip at all
    result = pm.simulate(dome(share, mu, start), **({"integrator": "auto"} if stiff else way))
    leaves = next(s for s in result.switches if s.what == "opens")
    wanted = 2.0 * math.cos(start) / (3.0 + k)
    assert result.events["dome"]["C"][-1, 1] / (R + r) == pytest.approx(wanted, rel=2e-4)  # at last it slips
    on = (result.t < leaves.t) & (result.t > 0.1) & (result.force("dome") > 0.05 * M * G)
    cosine = result["C"][on, 1] / (R + r)
    v2 = np.sum(result.velocity("C")[on] ** 2, axis=1)
    np.testing.assert_allclose(v2, 2.0 * G * (R + r) * (math.cos(start) - cosine) / (1.0 + k), rtol=1e-4)
    np.testing.assert_allclose(result.force("dome")[on], M * (G * cosine - v2 / (R + r)), rtol=1e-4, atol=1e-6)
    sine = result["C"][on, 0] / (R + r)
    # uphill, to the left of the line from centre to centre
    np.testing.assert_allclose(result.friction("dome")[on], M * G * sine * k / (1.0 + k), rtol=1e-3, atol=1e-9)
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


@WAY
def test_a_ball_on_a_dome_slips_from_the_angle_of_the_closed_form_on(way: dict[str, str]) -> None:
    """It rolls while k sin q <= mu ((3 + k) cos q - 2 cos a), k = 2/5; then it slides, as a run of its own says."""
    mu, k, start = 0.3, 0.4, 0.3
    result = pm.simulate(dome(k, mu, start), **way)
    angle = np.arctan2(result["C"][:, 0], result["C"][:, 1])
    speed = np.hypot(*result.velocity("C").T)
    on = result.t < next(s.t for s in result.switches if s.what == "opens")
    slip = np.abs(speed - r * np.abs(result.omega("ball")))
    enough = k * np.sin(angle) <= mu * ((3.0 + k) * np.cos(angle) - 2.0 * math.cos(start))
    near = np.abs(k * np.sin(angle) - mu * ((3.0 + k) * np.cos(angle) - 2.0 * math.cos(start))) < 0.03
    assert np.sum(enough & on & ~near) > 20
    assert np.sum(~enough & on & ~near) > 3
    assert slip[enough & on & ~near].max() < 5e-4
    assert slip[~enough & on & ~near].min() > 5e-3
    # a ball that slides from there: q, v, w
    begins = start
    for _ in range(60):
        begins += (mu * ((3.0 + k) * math.cos(begins) - 2.0 * math.cos(start)) - k * math.sin(begins)) * 0.3
    v0 = math.sqrt(2.0 * G * (R + r) * (math.cos(start) - math.cos(begins)) / (1.0 + k))

    def rates(t: float, y: np.ndarray) -> list[float]:
        q, v, _ = y
        N = G * math.cos(q) - v * v / (R + r)
        return [v / (R + r), G * math.sin(q) - mu * N, mu * N / (k * r)]

    def pressed(t: float, y: np.ndarray) -> float:
        return float(G * math.cos(y[0]) - y[1] ** 2 / (R + r))

    pressed.terminal = True  # type: ignore[attr-defined]
    slides = solve_ivp(rates, (0.0, 2.0), [begins, v0, v0 / r], rtol=1e-11, atol=1e-12, events=pressed)
    leaves = result.events["dome"]
    assert math.atan2(*leaves["C"][-1]) == pytest.approx(slides.y[0, -1], abs=3e-5)  # it creeps
    assert np.hypot(*leaves.velocity("C")[-1]) == pytest.approx(slides.y[1, -1], rel=1e-4)
    assert abs(leaves.omega("ball")[-1]) == pytest.approx(slides.y[2, -1], rel=2e-4)
    lost = 0.5 * M * k * (speed[on] ** 2 - (r * result.omega("ball")[on]) ** 2)
    assert np.all(lost > -1e-3)
    assert np.all(result.loss("dome")[on] >= 0.0)
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


BOWL = """
gravity = [0, -9.81]
points = { O = [0, 0], C = [SX, SY] }
bodies.ball = { points = ["C"], mass = 2, com = [SX, SY], inertia = 0.0625 }
joints.bowl = { type = "contact", bodies = BODIES, points = PLACES, radii = RADII, internal = true, \
friction = { mu = 0.8, velocity = 1e-3 } }
run = { duration = 5.5, samples = 6, rtol = 1e-10 }
"""


@WAY
@pytest.mark.parametrize("turned", [False, True], ids=["", "turned"])
def test_a_roller_in_a_hollow_cylinder_swings_as_a_pendulum(way: dict[str, str], turned: bool) -> None:
    """Its length is (R - r)(1 + I/(m r^2)): T = 2 pi sqrt(length/g) K(sin^2(a/2))/(pi/2), from which small ones follow.

    Whether the bowl or the roller is the first body must not matter.
    """
    a, length = 0.4, (R - r) * 1.5
    period = 4.0 * math.sqrt(length / G) * ellipk(math.sin(0.5 * a) ** 2)
    text = BOWL.replace("SX", repr((R - r) * math.sin(a))).replace("SY", repr(-(R - r) * math.cos(a)))
    sides = [['"ground"', '"ball"'], ['"O"', '"C"'], ["1", "0.25"]]
    sides = [f"[{', '.join(pair[::-1] if turned else pair)}]" for pair in sides]
    for word, value in zip(("BODIES", "PLACES", "RADII"), sides, strict=True):
        text = text.replace(word, value)
    result = pm.simulate(loads(text), events={"turns": pm.Event(lambda t, s: s.velocity("C")[0], False, 1)}, **way)
    times = np.array(result.events["turns"].t)
    np.testing.assert_allclose(times, period * (0.5 + np.arange(len(times))), rtol=4e-5)  # it creeps
    assert len(times) == 3
    np.testing.assert_allclose(result.force("bowl")[0], M * G * math.cos(a), rtol=1e-6)
    assert np.abs(result.energy.error).max() < 1e-6 * result.energy.scale


WHEELS = """
points = { A = [0, 0], B = [0, 0.6], S = [1, 0.6] }
bodies.a = { points = ["A"], mass = 3, com = [0, 0], inertia = 0.2 }
bodies.b = { points = ["B"], mass = 1, com = [0, 0.6], inertia = 0.03 }
bodies.slide = { points = ["S", "B"], mass = 1, com = [1, 0.6], inertia = 0.1 }
joints.A = { type = "revolute", point = "A", bodies = ["ground", "a"] }
joints.guide = { type = "prismatic", point = "S", bodies = ["ground", "slide"], axis = [0, 1] }
joints.B = { type = "revolute", point = "B", bodies = ["slide", "b"] }
joints.rub = { type = "contact", bodies = ["a", "b"], points = ["A", "B"], radii = [0.4, 0.2], \
friction = { mu = 0.5, velocity = 1e-4 } }
forces.press = { type = "load", body = "slide", point = "S", force = [0, -30] }
initial = { omega = { a = 10 } }
run = { duration = 1.2, samples = 13, rtol = 1e-9 }
"""


@WAY
def test_a_wheel_drives_another_by_friction_until_they_roll(way: dict[str, str]) -> None:
    """mu N = 15 N turns both evenly; from t = slip/(F (r1^2/I1 + r2^2/I2)) on they roll."""
    result = pm.simulate(loads(WHEELS), **way)
    F, t = 15.0, result.t
    gather = F * (0.4**2 / 0.2 + 0.2**2 / 0.03)
    ends = 4.0 / gather
    on = np.minimum(t, ends)
    np.testing.assert_allclose(result.omega("a"), 10.0 - F * 0.4 / 0.2 * on, atol=2e-3)
    np.testing.assert_allclose(result.omega("b"), -F * 0.2 / 0.03 * on, atol=2e-3)
    np.testing.assert_allclose(result.force("rub"), 30.0, rtol=1e-6)
    slides = t < 0.9 * ends
    np.testing.assert_allclose(result.loss("rub")[slides], F * (4.0 - gather * t[slides]), rtol=1e-6)
    # the first drags the second along, to the left of the line from centre to centre for a positive turn
    np.testing.assert_allclose(result.friction("rub")[slides], F, rtol=1e-6)
    for axis, wanted in enumerate((-F, 30.0)):
        np.testing.assert_allclose(result.reaction("A", "a")[slides, axis], wanted, rtol=1e-6)
    slip = 0.4 * result.omega("a") + 0.2 * result.omega("b")
    np.testing.assert_allclose(slip[t > 1.1 * ends], 0.0, atol=1e-7)


@pytest.mark.parametrize("formulation", ["particles", "absolute"])
@pytest.mark.parametrize("internal", [False, True])
def test_the_jacobian_of_a_slip_on_a_circle_is_that_of_differences(formulation: str, internal: bool) -> None:
    from particlemech.run.preparing import FORMULATIONS
    from tests.support.oracles import central

    text = """
gravity = [0.3, -9.81]
points = { O = [0, 0], A = [1, 0.1], C = [0.4, 0.5], D = [0.5, 0.6] }
bodies.arm = { points = ["O", "A"], mass = 3 }
bodies.disc = { points = ["C", "D"], mass = 2, com = [0.41, 0.52], inertia = 0.04 }
joints.pin = { type = "revolute", point = "O", bodies = ["ground", "arm"] }
joints.rub = { type = "contact", bodies = ["arm", "disc"], points = [[0.2, 0.1], "C"], radii = RADII, \
internal = INSIDE, friction = { mu = 0.3, mu_static = 0.5, stribeck = 50, velocity = 0.5 } }
"""
    apart = math.hypot(0.2, 0.4)
    radii = [apart + 0.1, 0.1] if internal else [apart - 0.1, 0.1]
    model = loads(text.replace("RADII", repr(radii)).replace("INSIDE", repr(internal).lower()))
    system = FORMULATIONS[formulation](model.in_mode([("rub", "touch")]), ())
    random = np.random.default_rng(3)
    y = random.normal(size=system.n)
    y[system.layout.q] = system.drawing + 0.01 * random.normal(size=system.n_q)
    yp, cj = random.normal(size=system.n), 2.5
    residual, jacobian = system.callbacks(False)

    def at(z: np.ndarray) -> np.ndarray:
        out = np.empty(system.n)
        residual(0.0, np.ascontiguousarray(z), np.ascontiguousarray(yp + cj * (z - y)), out)
        return out

    J = np.zeros((system.n, system.n))
    jacobian(0.0, y, yp, np.zeros(system.n), cj, J)
    assert np.abs(J - central(at, y)).max() <= 1e-7 * np.abs(J).max()


def test_friction_of_circles_is_written_and_read_and_agrees_with_the_second_opinion() -> None:
    model = dome(0.4, 0.3, 0.3)
    assert loads(dumps(model)) == model
    found = pm.validate(model.replaced(joints={"dome": {"friction": {"mu": 0.3}}}, run={"duration": 0.3}))
    assert found.agreed, str(found)
