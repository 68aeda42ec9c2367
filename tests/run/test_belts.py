"""Belts and ropes against closed forms: motions, the tension of every strand, and what bearings carry of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Mechanism, drivers, forces, joints, signals

WAYS = [("particles", "ida"), ("particles", "explicit"), ("absolute", "ida")]
EXACT = 1e-9  # relative; worst observed 1e-11: accelerations and forces follow from places without a run
RUN = 1e-6  # of angles after many turns, rtol 1e-9; worst observed 5e-8
R1, R2, APART, I1, I2, TORQUE, PULL = 0.1, 0.25, 0.6, 0.01, 0.2, 4.0, 100.0
G = 9.81

ways = pytest.mark.parametrize(("formulation", "integrator"), WAYS)


def wheel(name, at, inertia, mass=1.0):
    """Return a body about a point."""
    return Body(points=(name,), com=at, mass=mass, inertia=inertia)


def moved(mechanism, formulation, integrator, **options):
    """Return a run that completed."""
    result = pm.simulate(mechanism, rtol=1e-9, formulation=formulation, integrator=integrator, **options)
    assert result.status is pm.Status.COMPLETED
    return result


def pinned(name, body, on="ground"):
    """Return a pin at a point of that name."""
    return joints.Revolute(point=name, bodies=(on, body))


# -- two pulleys on fixed centres ------------------------------------------------------------------------------------


def drive(torque=TORQUE, **keys):
    """Return a small pulley on the left that drives a large one."""
    keys = {"pulleys": ("one", "two"), "points": ("A", "B"), "radii": (R1, R2), **keys}
    A, B = (0.0, 0.0), (APART, 0.0)
    return Mechanism(
        name="belt",
        points={"A": A, "B": B},
        bodies={"one": wheel("A", A, I1), "two": wheel("B", B, I2)},
        joints={"a": pinned("A", "one"), "b": pinned("B", "two"), "belt": joints.Belt(**keys)},
        forces={"motor": forces.Torque(bodies=("ground", "one"), torque=torque)},
    )


@ways
@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("pretension", [PULL, None])
@pytest.mark.parametrize("torque", [TORQUE, -TORQUE])
def test_the_tensions_of_a_belt_turn_the_second_pulley_and_pull_at_both_bearings(
    formulation, integrator, crossed, pretension, torque
):
    """(T2 - T1) r2 = I2 alpha2; both strands are as long, so T1 + T2 is twice the pretension, or one is 0.

    Strand 1 leaves below, where the belt goes round A counter-clockwise; strand 2 comes back above.
    """
    result = moved(
        drive(torque, crossed=crossed, pretension=pretension), formulation, integrator, duration=2.0, samples=7
    )
    ratio = (-1.0 if crossed else 1.0) * R1 / R2
    alpha = torque / (I1 + I2 * ratio**2)
    assert result.alpha("one") == pytest.approx(np.full(7, alpha), rel=EXACT)
    assert result.alpha("two") == pytest.approx(np.full(7, ratio * alpha), rel=EXACT)
    assert result.angle("one") == pytest.approx(0.5 * alpha * result.t**2, rel=RUN, abs=RUN)
    assert result.angle("two") == pytest.approx(ratio * result.angle("one"), abs=1e-8)
    assert abs(result.angle("one")[-1]) > 20.0 * math.pi
    difference = I2 * R1 / R2 * alpha / R2
    mean = abs(difference) / 2.0 if pretension is None else pretension
    strand1, strand2 = mean - difference / 2.0, mean + difference / 2.0
    assert result.force("belt", "strand1") == pytest.approx(np.full(7, strand1), rel=EXACT, abs=1e-9)
    assert result.force("belt", "strand2") == pytest.approx(np.full(7, strand2), rel=EXACT, abs=1e-9)
    sine = (R1 + R2 if crossed else R1 - R2) / APART
    cosine = math.sqrt(1.0 - sine**2)
    on_one = [cosine * (strand1 + strand2), sine * (strand1 - strand2)]
    assert result.reaction("belt", "one") == pytest.approx(np.tile(on_one, (7, 1)), rel=EXACT)
    assert result.reaction("a", "one") == pytest.approx(-np.tile(on_one, (7, 1)), rel=EXACT)
    assert result.reaction("b", "two") == pytest.approx(np.tile(on_one, (7, 1)), rel=EXACT)


@ways
def test_a_belt_over_three_pulleys_holds_its_mean_tension_along_its_length(formulation, integrator):
    """The idler is pressed on from outside and turns the other way; T2 - T1 = I a/r of each, T.L = pretension sum L."""
    at = {"A": (0.0, 0.0), "B": (0.8, 0.0), "C": (0.4, 0.12)}
    radii = {"A": 0.1, "B": 0.2, "C": 0.05}
    inertia = {"A": 0.01, "B": 0.06, "C": 0.002}
    mechanism = Mechanism(
        name="idler",
        points=at,
        bodies={p.lower(): wheel(p, at[p], inertia[p]) for p in at},
        joints={
            **{p: pinned(p, p.lower()) for p in at},
            "belt": joints.Belt(
                pulleys=("a", "b", "c"),
                points=("A", "B", "C"),
                radii=tuple(radii.values()),
                crossed=("c",),
                pretension=80.0,
            ),
        },
        forces={"motor": forces.Torque(bodies=("ground", "a"), torque=3.0)},
    )
    result = moved(mechanism, formulation, integrator, duration=1.0, samples=4)
    speed = {p: sign * 0.1 / radii[p] for p, sign in (("A", 1.0), ("B", 1.0), ("C", -1.0))}
    alpha = 3.0 / sum(inertia[p] * speed[p] ** 2 for p in at)
    tension = [result.force("belt", f"strand{k}") for k in (1, 2, 3)]
    for k, p in enumerate("ABC"):
        assert result.alpha(p.lower()) == pytest.approx(np.full(4, alpha * speed[p]), rel=EXACT)
        outside = 3.0 if p == "A" else 0.0  # torque that is not the belt's
        pull = (inertia[p] * alpha * speed[p] - outside) * math.copysign(1.0, speed[p]) / radii[p]
        assert tension[k] - tension[k - 1] == pytest.approx(np.full(4, pull), rel=1e-8)
    # the lower strand is level with both circles, the upper two cross to the idler
    length = [math.hypot(0.8, 0.0) * math.cos(math.asin(0.1 / 0.8))]
    length += [math.sqrt(0.4**2 + 0.12**2 - (r + 0.05) ** 2) for r in (0.2, 0.1)]
    assert np.tensordot(length, tension, 1) == pytest.approx(np.full(4, 80.0 * sum(length)), rel=EXACT)


@ways
def test_a_pulley_that_is_pulled_determines_both_tensions(formulation, integrator):
    """Equal pulleys on a belt, the second on a slide under a force: T1 + T2 = F, and T2 - T1 = I alpha/r."""
    r, I, F = 0.1, 0.02, 150.0
    A, B = (0.0, 0.0), (0.5, 0.0)
    mechanism = Mechanism(
        name="tensioner",
        points={"A": A, "B": B},
        bodies={"one": wheel("A", A, I), "two": wheel("B", B, I), "block": wheel("B", B, 0.01, mass=3.0)},
        joints={
            "a": pinned("A", "one"),
            "b": pinned("B", "two", "block"),
            "slide": joints.Prismatic(point="B", bodies=("ground", "block"), axis=(1.0, 0.0)),
            "belt": joints.Belt(pulleys=("one", "two"), points=("A", "B"), radii=(r, r)),
        },
        forces={
            "motor": forces.Torque(bodies=("ground", "one"), torque=5.0),
            "pull": forces.Load(body="block", point="B", force=(F, 0.0)),
        },
    )
    result = moved(mechanism, formulation, integrator, duration=1.0, samples=4)
    alpha = 5.0 / (2.0 * I)
    assert result["B"] == pytest.approx(np.tile(B, (4, 1)), abs=1e-9)
    assert result.angle("two") == pytest.approx(0.5 * alpha * result.t**2, abs=RUN)
    half = 0.5 * I * alpha / r
    assert result.force("belt", "strand1") == pytest.approx(np.full(4, F / 2.0 - half), rel=1e-8)
    assert result.force("belt", "strand2") == pytest.approx(np.full(4, F / 2.0 + half), rel=1e-8)


@ways
@pytest.mark.parametrize("crossed", [False, True])
def test_a_belt_on_an_arm_turns_its_pulley_as_a_planet(formulation, integrator, crossed):
    """From a pulley that stands to one on an arm: the belt turns it by 1 -+ r1/r2 of the arm, turn after turn."""
    O, P = (0.0, 0.0), (0.5, 0.0)
    mechanism = Mechanism(
        name="planet",
        points={"O": O, "P": P},
        bodies={
            "arm": Body(points=("O", "P"), com=O, mass=1.0, inertia=0.05),
            "planet": wheel("P", P, 0.002, mass=0.4),
        },
        joints={
            "O": pinned("O", "arm"),
            "P": pinned("P", "planet", "arm"),
            "belt": joints.Belt(pulleys=("ground", "planet"), points=("O", "P"), radii=(0.12, 0.08), crossed=crossed),
        },
        forces={"motor": forces.Torque(bodies=("ground", "arm"), torque=5.0)},
    )
    result = moved(mechanism, formulation, integrator, duration=2.0, samples=9)
    spin = 1.0 + 1.5 if crossed else 1.0 - 1.5
    alpha = 5.0 / (0.05 + 0.4 * 0.25 + 0.002 * spin**2)
    assert result.alpha("arm") == pytest.approx(np.full(9, alpha), rel=EXACT)
    assert result.angle("planet") == pytest.approx(spin * result.angle("arm"), abs=1e-8)
    assert result.angle("arm")[-1] > 18.0 * math.pi
    # the difference of the strands turns the planet alone; the slack one carries nothing
    pull = abs(0.002 * spin * alpha / 0.08)
    both = np.stack([result.force("belt", f"strand{k}") for k in (1, 2)])
    assert both.max(axis=0) == pytest.approx(np.full(9, pull), rel=1e-8)
    assert both.min(axis=0) == pytest.approx(np.zeros(9), abs=1e-8 * pull)


# -- ropes ----------------------------------------------------------------------------------------------------------


@ways
def test_two_weights_on_a_rope_over_a_pulley(formulation, integrator):
    """Atwood: a = (m1 - m2) g/(m1 + m2 + I/r^2), tensions m (g -+ a)."""
    r, I, m1, m2 = 0.2, 0.08, 3.0, 2.0
    at = {"A": (-r, -1.0), "O": (0.0, 0.0), "B": (r, -4.0)}
    mechanism = Mechanism(
        name="weights",
        gravity=(0.0, -G),
        points=at,
        bodies={
            "heavy": wheel("A", at["A"], 0.01, mass=m1),
            "pulley": wheel("O", at["O"], I),
            "light": wheel("B", at["B"], 0.01, mass=m2),
        },
        joints={
            "O": pinned("O", "pulley"),
            "rope": joints.Belt(
                pulleys=("heavy", "pulley", "light"), points=("A", "O", "B"), radii=(0.0, r, 0.0), form="open"
            ),
        },
    )
    result = moved(mechanism, formulation, integrator, duration=1.5, samples=7)
    a = (m1 - m2) * G / (m1 + m2 + I / r**2)
    assert result.acceleration("A")[:, 1] == pytest.approx(np.full(7, -a), rel=EXACT)
    assert result["B"][:, 1] == pytest.approx(-4.0 + 0.5 * a * result.t**2, abs=1e-8)
    assert result.angle("pulley") == pytest.approx(0.5 * a / r * result.t**2, abs=1e-7)
    assert result.force("rope", "strand1") == pytest.approx(np.full(7, m1 * (G - a)), rel=EXACT)
    assert result.force("rope", "strand2") == pytest.approx(np.full(7, m2 * (G + a)), rel=EXACT)
    bearing = m1 * (G - a) + m2 * (G + a) + 1.0 * G
    assert result.reaction("O", "pulley") == pytest.approx(np.tile([0.0, bearing], (7, 1)), rel=EXACT, abs=1e-9)
    assert pm.check(mechanism).dof == 5


def tackle():
    """Return a rope from a hook down round a loose pulley that bears a load, up over a fixed one, down to a weight.

    A third pulley hangs beside: the load runs on three strands.
    """
    r, R = 0.1, 0.15
    at = {"H": (-r, 0.0), "L": (0.0, -2.0), "T": (r + R, 0.0), "W": (r + 2.0 * R, -1.0)}
    return Mechanism(
        name="tackle",
        gravity=(0.0, -G),
        points=at,
        bodies={
            "load": Body(points=("L",), com=(0.0, -2.0), mass=9.0, inertia=0.02),
            "loose": wheel("L", at["L"], 0.002),
            "top": wheel("T", at["T"], 0.01),
            "weight": wheel("W", at["W"], 0.01, mass=4.0),
        },
        joints={
            "L": pinned("L", "loose", "load"),
            "T": pinned("T", "top"),
            "rope": joints.Belt(
                pulleys=("ground", "loose", "top", "weight"),
                points=("H", "L", "T", "W"),
                radii=(0.0, r, R, 0.0),
                form="open",
            ),
        },
    )


@ways
def test_a_tackle_halves_the_force(formulation, integrator):
    """The load moves half as fast as the weight: one inertia, m + (M + m1 + I1/r^2)/4 + I2/R^2."""
    result = moved(tackle(), formulation, integrator, duration=1.0, samples=6)
    M, m, r, R = 9.0 + 1.0, 4.0, 0.1, 0.15
    # the loose pulley rolls on its standing strand
    a = (m - M / 2.0) * G / (m + (M + 0.002 / r**2) / 4.0 + 0.01 / R**2)
    assert result.acceleration("W")[:, 1] == pytest.approx(np.full(6, -a), rel=EXACT)
    assert result.acceleration("L")[:, 1] == pytest.approx(np.full(6, a / 2.0), rel=EXACT)
    assert result.alpha("loose") == pytest.approx(np.full(6, a / 2.0 / r), rel=EXACT)
    assert result.alpha("top") == pytest.approx(np.full(6, -a / R), rel=EXACT)
    last = m * (G - a)
    middle = last - 0.01 * a / R**2
    first = middle - 0.002 * a / 2.0 / r**2
    for k, pull in enumerate((first, middle, last), 1):
        assert result.force("rope", f"strand{k}") == pytest.approx(np.full(6, pull), rel=EXACT)
    assert first + middle == pytest.approx(M * (G + a / 2.0), rel=EXACT)
    assert pm.check(tackle()).found.redundancy == 0


@ways
def test_a_weight_swings_on_a_rope_that_winds_about_a_drum(formulation, integrator):
    """The string of an involute: its end moves across it, v = L w, T = m (L w^2 + g along), and v^2 = 2 g (fall)."""
    R, L, m = 0.1, 1.0, 2.0
    mechanism = Mechanism(
        name="involute",
        gravity=(0.0, -G),
        points={"P": (L, R)},
        bodies={"bob": wheel("P", (L, R), 0.001, mass=m)},
        joints={
            "rope": joints.Belt(
                pulleys=("ground", "bob"), points=((0.0, 0.0), "P"), radii=(R, 0.0), form="open", crossed=("ground",)
            )
        },
    )
    result = moved(mechanism, formulation, integrator, duration=2.0, samples=81)
    P, v = result["P"], result.velocity("P")
    far = np.linalg.norm(P, axis=1)
    length = np.sqrt(far**2 - R**2)
    slope = np.unwrap(np.arctan2(P[:, 1], P[:, 0]) - np.arctan2(R, length))
    # it leaves the drum above, where the string turns clockwise about it: the more it falls, the more is wound
    assert length == pytest.approx(L + R * slope, abs=1e-8)
    assert slope.min() < -1.05 * math.pi  # and back
    along = np.stack([np.cos(slope), np.sin(slope)], axis=1)
    speed = np.linalg.norm(v, axis=1)
    assert np.sum(v * along, axis=1) == pytest.approx(np.zeros(81), abs=1e-8)
    assert 0.5 * speed**2 == pytest.approx(G * (R - P[:, 1]), abs=1e-7)
    tension = m * (speed**2 / length - G * along[:, 1])
    assert result.force("rope", "strand1") == pytest.approx(tension, abs=1e-6 * tension.max())


@ways
def test_a_winch_lets_its_weight_down_by_many_turns(formulation, integrator):
    """m g = (m + I/r^2) a; ten turns of the drum and more."""
    r, I, m = 0.05, 0.01, 5.0
    mechanism = Mechanism(
        name="winch",
        gravity=(0.0, -G),
        points={"O": (0.0, 0.0), "P": (r, -0.3)},
        bodies={"drum": wheel("O", (0.0, 0.0), I), "weight": wheel("P", (r, -0.3), 0.01, mass=m)},
        joints={
            "O": pinned("O", "drum"),
            "rope": joints.Belt(
                pulleys=("drum", "weight"), points=("O", "P"), radii=(r, 0.0), form="open", crossed=("drum",)
            ),
        },
    )
    result = moved(mechanism, formulation, integrator, duration=1.5, samples=4)
    a = m * G / (m + I / r**2)
    assert result["P"][:, 1] == pytest.approx(-0.3 - 0.5 * a * result.t**2, abs=1e-7)
    assert result.angle("drum") == pytest.approx(-0.5 * a / r * result.t**2, abs=1e-6)
    assert abs(result.angle("drum")[-1]) > 20.0 * math.pi
    assert result.force("rope", "strand1") == pytest.approx(np.full(4, m * (G - a)), rel=EXACT)


def test_a_rope_that_would_push_says_from_when_on():
    """Paid out with a = 2 g t/T it carries m (g - a): nothing from t = T/2 on."""
    r, m, T = 0.05, 5.0, 0.4
    fall = signals.Expression(value=f"-{2.0 * G / T / 6.0 / r!r}*t^3")
    mechanism = Mechanism(
        name="winch",
        gravity=(0.0, -G),
        points={"O": (0.0, 0.0), "P": (r, -0.3)},
        bodies={"drum": wheel("O", (0.0, 0.0), 0.01), "weight": wheel("P", (r, -0.3), 0.01, mass=m)},
        joints={
            "O": pinned("O", "drum"),
            "guide": joints.Slot(bodies=("ground", "weight"), point="P", axis=(0.0, 1.0)),
            "rope": joints.Belt(
                pulleys=("drum", "weight"), points=("O", "P"), radii=(r, 0.0), form="open", crossed=("drum",)
            ),
        },
        drivers={"motor": drivers.Coordinate(joint="O", motion=fall)},
    )
    result = pm.simulate(mechanism, duration=T, samples=41)
    assert result.force("rope", "strand1") == pytest.approx(m * G * (1.0 - 2.0 * result.t / T), rel=1e-8, abs=1e-7)
    assert result.warnings == [
        f'joint "rope": strand1 hangs slack at t = 0.2 s; its tension would be {-m * G:.4g} at t = 0.4 s'
    ]
    assert pm.simulate(mechanism, duration=0.45 * T, samples=5).warnings == []


def test_a_belt_with_too_little_pretension_says_so():
    (said,) = pm.simulate(drive(pretension=1.0), duration=0.1, samples=3).warnings
    assert said.startswith('joint "belt": strand1 hangs slack at t = 0 s') and said.endswith("raise the pretension")
    assert pm.simulate(drive(pretension=PULL), duration=0.1, samples=3).warnings == []
    assert pm.simulate(drive(), duration=0.1, samples=3).warnings == []


# -- what is asked besides motions ------------------------------------------------------------------------------------


def test_a_belt_asks_its_motor_for_what_both_pulleys_need():
    mechanism = drive(pretension=PULL).replaced(
        forces={"motor": None},
        drivers={"motor": drivers.Rotation(bodies=("ground", "one"), motion=signals.Linear(rate=6.0))},
    )
    found = pm.cycle(mechanism, times=np.linspace(0.0, 20.0, 9))
    assert found.angle("two") == pytest.approx(6.0 * found.t * R1 / R2, abs=1e-9)  # seven turns
    assert found.force("belt", "strand2") == pytest.approx(np.full(9, PULL), rel=EXACT)
    t = np.linspace(0.0, 9.0, 5)
    course = {"a.angle": t**2}, {"a.angle": 2.0 * t}, {"a.angle": np.full(5, 2.0)}
    needed = pm.inverse(drive().replaced(forces={"motor": None}), *course, t=t)
    assert needed.needed("a") == pytest.approx(np.full(5, 2.0 * (I1 + I2 * (R1 / R2) ** 2)), rel=EXACT)


def test_a_pulley_on_a_spring_swings_with_the_inertia_of_both():
    mechanism = drive().replaced(
        forces={"motor": None, "spring": forces.Torsion(bodies=("ground", "two"), stiffness=8.0)}
    )
    (frequency,) = pm.modes(mechanism).frequency
    assert frequency == pytest.approx(math.sqrt(8.0 / (I2 + I1 * (R2 / R1) ** 2)) / (2.0 * math.pi), rel=1e-7)


# -- what does not fit ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (
            {"radii": (R1, 0.55)},
            'pulleys "one" and "two" overlap: their centres are 0.6 apart, their radii 0.1 and 0.55',
        ),
        ({"radii": ("1 kg", "250 mm")}, 'key "radii": "1 kg": got a mass where a length is wanted'),
        ({"radii": (R1, -R2)}, 'key "radii": must not be negative, got -0.25'),
        ({"radii": (R1, 0.0)}, 'a closed belt runs over no pulley of radius 0; give its radius, or say form = "open"'),
        ({"radii": (R1,)}, 'key "radii": expected 2 or more radii, got 1'),
        ({"radii": (R1, R2, R2)}, "2 pulleys, 2 points and 3 radii; give one of each"),
        ({"crossed": ("three",)}, 'key "crossed": "three" is none of its pulleys'),
        ({"pretension": -1.0}, 'key "pretension": must not be negative, got -1'),
        ({"pretension": 1.0, "form": "open"}, 'key "pretension" is for a closed belt'),
        ({"form": "round"}, 'key "form"'),
        ({"carrier": "two"}, 'carrier "two" does not hold all centres; pin each pulley to it at its centre'),
        ({"pulleys": ("one", "three")}, 'body "three" unknown'),
    ],
)
def test_a_belt_that_cannot_be_is_refused_in_one_line_with_its_numbers(keys, said):
    with pytest.raises(pm.ModelError, match=said) as caught:
        drive(**keys)
    assert "\n" not in str(caught.value)


def test_a_belt_that_would_wind_about_a_pulley_more_than_once_cannot_close():
    at = {"A": (0.0, 0.0), "B": (1.0, 0.0), "C": (0.6, 0.4), "D": (0.5, 1.0)}
    keys = {"pulleys": ("a", "b", "c", "d"), "points": tuple(at), "radii": (0.1, 0.1, 0.1, 0.1)}
    parts = {
        "name": "idler",
        "points": at,
        "bodies": {p.lower(): wheel(p, at[p], 0.01) for p in at},
    }
    pins = {p: pinned(p, p.lower()) for p in at}
    Mechanism(**parts, joints={**pins, "belt": joints.Belt(**keys, crossed=("c",))})
    said = 'joint "belt": the belt cannot close: in this order it would turn by .* rad round "c"; change the order'
    with pytest.raises(pm.ModelError, match=said):
        Mechanism(**parts, joints={**pins, "belt": joints.Belt(**keys)})


# -- what belts lose --------------------------------------------------------------------------------------------------

ETA = 0.95
KAPPA = (1.0 - ETA) / (1.0 + ETA)
HOLD = drivers.Coordinate(joint="a", motion=signals.Linear(rate=20.0))


@ways
@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("drives", ["motor", "load"])
def test_a_belt_passes_on_its_efficiency_whichever_pulley_drives(formulation, integrator, crossed, drives):
    """At a constant speed: T r1/(r2 eta) where the motor drives, T r1 eta/r2 where the load does."""
    T, way = 6.0, -1.0 if crossed else 1.0
    load = -way * T if drives == "motor" else way * T
    mechanism = drive(0.0, crossed=crossed, pretension=PULL, efficiency=ETA).replaced(
        drivers={"motor": HOLD}, forces={"load": forces.Torque(bodies=("ground", "two"), torque=load)}
    )
    result = moved(mechanism, formulation, integrator, duration=1.0, samples=5)
    torque = T * R1 / R2 / ETA if drives == "motor" else -T * R1 / R2 * ETA
    assert result.effort("motor") == pytest.approx(np.full(5, torque), rel=EXACT)
    into = 20.0 * T * R1 / R2 * (1.0 / ETA if drives == "motor" else 1.0)
    assert result.loss("belt") == pytest.approx(np.full(5, (1.0 - ETA) * into), rel=EXACT)
    assert result.efficiency() == pytest.approx(ETA, rel=1e-6)
    # the first pulley turns counter-clockwise, strand 1 leaves it: where it drives it is strand 2 that pulls
    share = 1.0 - KAPPA if drives == "motor" else -(1.0 + KAPPA)
    difference = result.force("belt", "strand2") - result.force("belt", "strand1")
    assert difference == pytest.approx(np.full(5, T / R2 / share), rel=EXACT)
    assert result.force("belt", "strand1") + result.force("belt", "strand2") == pytest.approx(np.full(5, 2.0 * PULL))
    assert np.abs(result.energy.error).max() < 1e-7 * result.energy.scale


@ways
@pytest.mark.parametrize("fixed", [True, False])
def test_a_belt_over_four_pulleys_loses_a_share_of_all_the_power_it_passes(formulation, integrator, fixed):
    """One drives, two take power out, an idler takes none and loses none; also where a tensioner determines all."""
    at = {"A": (0.0, 0.0), "B": (0.8, 0.0), "C": (0.8, 0.5), "D": (0.0, 0.5)}
    radii = {"A": 0.1, "B": 0.2, "C": 0.05, "D": 0.08}
    bodies = {p.lower(): wheel(p, at[p], 0.01) for p in at}
    held = {p: pinned(p, p.lower()) for p in at}
    pull = {}
    if not fixed:
        bodies["block"] = wheel("D", at["D"], 0.01)
        held["D"] = pinned("D", "d", "block")
        held["slide"] = joints.Prismatic(point="D", bodies=("ground", "block"), axis=(1.0, 0.0))
        pull = {"pull": forces.Load(body="block", point="D", force=(-90.0, 0.0))}
    belt = joints.Belt(pulleys=("a", "b", "c", "d"), points=tuple(at), radii=tuple(radii.values()), efficiency=ETA)
    mechanism = Mechanism(
        name="serpentine",
        points=at,
        bodies=bodies,
        joints=held | {"belt": belt},
        drivers={"motor": drivers.Coordinate(joint="A", motion=signals.Linear(rate=1.0))},
        forces={
            "one": forces.Torque(bodies=("ground", "b"), torque=-4.0),
            "two": forces.Torque(bodies=("ground", "c"), torque=-0.6),
            **pull,
        },
    )
    result = moved(mechanism, formulation, integrator, duration=0.5, samples=4)
    out = {"b": 4.0 * 0.1 / 0.2, "c": 0.6 * 0.1 / 0.05}
    assert result.effort("motor") == pytest.approx(np.full(4, sum(out.values()) / ETA), rel=1e-8)
    assert result.loss("belt") == pytest.approx(np.full(4, sum(out.values()) * (1.0 / ETA - 1.0)), rel=1e-8)
    tension = [result.force("belt", f"strand{k}") for k in (1, 2, 3, 4)]
    passed = {p: (tension[k] - tension[k - 1]) * 0.1 for k, p in enumerate("abcd")}
    for p, share in (("b", 1.0 - KAPPA), ("c", 1.0 - KAPPA), ("a", 1.0 + KAPPA)):
        taken = out[p] if p in out else sum(out.values()) / ETA
        assert abs(passed[p]) == pytest.approx(np.full(4, taken / share), rel=1e-8)
    assert passed["d"] == pytest.approx(np.zeros(4), abs=1e-8 * sum(out.values()))
    assert result.friction("belt").shape == (4, 4)
    if not fixed:  # the tensioner carries the strands on either side of the idler
        assert np.all(np.min(tension, axis=0) > 0.0)


def test_what_a_belt_cannot_lose_is_said():
    with pytest.raises(pm.ModelError, match=r'"efficiency": must be above 0 and at most 1, got 1\.2'):
        drive(efficiency=1.2)
    with pytest.raises(pm.ModelError, match='key "efficiency" is for a closed belt'):
        drive(efficiency=0.9, form="open")
    tied = {"b": joints.Distance(bodies=("ground", "two"), points=((APART, 1.0), "B"))}
    with pytest.raises(pm.ModelError, match='losses work against what holds the centre of pulley "two"'):
        drive(efficiency=0.9).replaced(joints=tied)
