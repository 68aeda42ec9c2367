"""Gears and racks against closed forms: motions, forces at the teeth, and what bearings carry of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Mechanism, drivers, forces, joints, signals

WAYS = [("particles", "ida"), ("particles", "explicit"), ("absolute", "ida")]
PRESSURE = math.radians(20.0)
TAN = math.tan(PRESSURE)
EXACT = 1e-9  # relative; worst observed 3e-12: accelerations and forces follow from places without a run
RUN = 1e-6  # of angles after many turns, rtol 1e-9; worst observed 3e-8

ways = pytest.mark.parametrize(("formulation", "integrator"), WAYS)


def wheel(name, at, mass, inertia):
    """Return a body about a point."""
    return Body(points=(name,), com=at, mass=mass, inertia=inertia)


def moved(mechanism, formulation, integrator, **options):
    """Return a run that completed."""
    result = pm.simulate(mechanism, rtol=1e-9, formulation=formulation, integrator=integrator, **options)
    assert result.status is pm.Status.COMPLETED
    return result


def pinned(name, wheels, on="ground"):
    """Return a pin at a point of that name."""
    return joints.Revolute(point=name, bodies=(on, wheels))


# -- a pair on fixed centres -----------------------------------------------------------------------------------------

R1, R2, I1, I2, TORQUE = 0.1, 0.3, 0.01, 0.2, 5.0


def pair(internal=False, torque=TORQUE, **keys):
    """Return two gears of radii 0.1 and 0.3, the first under a torque; B lies to the right, of a ring to the left."""
    B = (-0.2, 0.0) if internal else (0.4, 0.0)
    keys = {"radii": (R1, R2), "pressure_angle": PRESSURE, **keys}
    return Mechanism(
        name="pair",
        points={"A": (0.0, 0.0), "B": B},
        bodies={"one": wheel("A", (0.0, 0.0), 2.0, I1), "two": wheel("B", B, 3.0, I2)},
        joints={
            "a": pinned("A", "one"),
            "b": pinned("B", "two"),
            "mesh": joints.Gear(bodies=("one", "two"), points=("A", "B"), internal=internal, **keys),
        },
        forces={"motor": forces.Torque(bodies=("ground", "one"), torque=torque)},
    )


@ways
@pytest.mark.parametrize("internal", [False, True])
@pytest.mark.parametrize("torque", [TORQUE, -TORQUE])
def test_a_pair_turns_as_one_inertia_and_its_bearings_carry_the_tooth_force(formulation, integrator, internal, torque):
    """J = I1 + I2 (r1/r2)^2; the tooth force accelerates the second gear alone, F r2 = I2 alpha2.

    Seen from A the teeth meet at x = r1, from the ring's centre too; F points across, the radial part F tan a
    pushes apart whichever flank carries: away from A on an outer gear, and on a ring, which the pinion pushes outward.
    """
    result = moved(pair(internal, torque), formulation, integrator, duration=2.0, samples=9)
    ratio = R1 / R2 if internal else -R1 / R2
    alpha = torque / (I1 + I2 * ratio**2)
    assert result.alpha("one") == pytest.approx(np.full(9, alpha), rel=EXACT)
    assert result.alpha("two") == pytest.approx(np.full(9, ratio * alpha), rel=EXACT)
    assert result.angle("one") == pytest.approx(0.5 * alpha * result.t**2, rel=RUN, abs=RUN)
    assert result.angle("two") == pytest.approx(ratio * result.angle("one"), abs=1e-8)  # 25 turns, no jump
    assert abs(result.angle("one")[-1]) > 40.0 * math.pi
    # on the second gear at (0.1, 0): moment about B is F_y (0.1 - x_B)
    arm = R2 if internal else -R2
    upward = I2 * ratio * alpha / arm
    outward = abs(upward) * TAN
    on_two = np.tile([outward, upward], (9, 1))
    assert result.reaction("mesh", "two") == pytest.approx(on_two, rel=EXACT)
    assert result.reaction("mesh", "one") == pytest.approx(-on_two, rel=EXACT)
    assert result.reaction("b", "two") == pytest.approx(-on_two, rel=EXACT)
    assert result.reaction("a", "one") == pytest.approx(on_two, rel=EXACT)
    # its own results: positive to the left of the line from A to B, which for the ring points to -x
    assert result.force("mesh") == pytest.approx(np.full(9, -upward if internal else upward), rel=EXACT)
    assert result.force("mesh", "radial") == pytest.approx(np.full(9, outward), rel=EXACT)


def test_teeth_and_module_say_the_same_as_radii():
    by_radii = moved(pair(), "particles", "explicit", duration=0.5, samples=3)
    for keys in ({"teeth": (20, 60), "radii": None}, {"teeth": (20, 60), "module": 0.01, "radii": None}):
        by_teeth = moved(pair(**keys), "particles", "explicit", duration=0.5, samples=3)
        assert by_teeth.angle("two") == pytest.approx(by_radii.angle("two"), rel=1e-12)
        assert by_teeth.force("mesh") == pytest.approx(by_radii.force("mesh"), rel=1e-12)


@ways
def test_the_work_of_the_motor_is_the_energy_of_both_gears(formulation, integrator):
    result = moved(pair(), formulation, integrator, duration=2.0, samples=9)
    kinetic = 0.5 * I1 * result.omega("one") ** 2 + 0.5 * I2 * result.omega("two") ** 2
    assert kinetic == pytest.approx(TORQUE * result.angle("one"), abs=RUN * kinetic[-1])


def test_the_pair_asks_its_motor_for_what_the_inertias_need():
    """By inverse dynamics: a prescribed turn, here of t^2, needs the torque J alpha."""
    t = np.linspace(0.0, 9.0, 5)
    course = {"a.angle": t**2}, {"a.angle": 2.0 * t}, {"a.angle": np.full(5, 2.0)}
    found = pm.inverse(pair().replaced(forces={"motor": None}), *course, t=t)
    assert found.needed("a") == pytest.approx(np.full(5, 2.0 * (I1 + I2 * (R1 / R2) ** 2)), rel=EXACT)
    assert found.angle("two") == pytest.approx(-(found.t**2) / 3.0, abs=1e-8)  # four turns


def test_a_gear_on_a_spring_swings_with_the_inertia_of_both():
    spring = forces.Torsion(bodies=("ground", "two"), stiffness=8.0)
    mechanism = pair().replaced(forces={"motor": None, "spring": spring})
    (frequency,) = pm.modes(mechanism).frequency
    assert frequency == pytest.approx(math.sqrt(8.0 / (I2 + I1 * (R2 / R1) ** 2)) / (2.0 * math.pi), rel=1e-7)
    turned = pm.equilibrium(mechanism.replaced(forces={"motor": pair().forces["motor"]}))
    assert turned.angle("two")[-1] == pytest.approx(-TORQUE * R2 / R1 / 8.0, rel=1e-7)


def test_many_pairs_at_once_move_as_each_by_itself():
    torques = (1.0, 2.0, 40.0)
    cases = {torque: {"forces": {"motor": {"torque": torque}}} for torque in torques}
    data = pm.simulate_many(cases, of=pair(), duration=1.0, samples=5, integrator="explicit", workers=1)
    for torque in torques:
        alone = pm.simulate(pair(torque=torque), duration=1.0, samples=5, integrator="explicit")
        assert np.array_equal(data.angle.sel(case=torque, body="two"), alone.angle("two"))


# -- epicyclic trains ------------------------------------------------------------------------------------------------

SUN, PLANET = 0.1, 0.05
RING, ARM = SUN + 2.0 * PLANET, SUN + PLANET
LOAD, SPEED, MASS = 3.0, 30.0, 0.5
RATIO = 1.0 + RING / SUN


def train(planets=1, speed=SPEED, ring="ground"):
    """Return a sun at constant speed, planets on a carrier under a load, and a ring that stands, or is held."""
    points = {"O": (0.0, 0.0)}
    at = [(ARM * math.cos(a), ARM * math.sin(a)) for a in 2.0 * math.pi * np.arange(planets) / planets]
    points |= {f"P{k}": p for k, p in enumerate(at)}
    centre = (0.0, 0.0)
    bodies = {
        "sun": wheel("O", centre, 1.0, 0.01),
        "carrier": Body(points=tuple(points), com=centre, mass=2.0, inertia=0.03),
    }
    made = {"s": pinned("O", "sun"), "c": pinned("O", "carrier")}
    if ring != "ground":
        bodies[ring] = wheel("O", centre, 1.0, 0.02)
        made["r"] = joints.Weld(point="O", bodies=("ground", ring))
    for k, p in enumerate(at):
        planet = f"planet{k}"
        bodies[planet] = wheel(f"P{k}", p, MASS, 0.001)
        made[f"pin{k}"] = pinned(f"P{k}", planet, "carrier")
        keys = {"points": ("O", f"P{k}"), "pressure_angle": PRESSURE}
        made[f"inner{k}"] = joints.Gear(bodies=("sun", planet), radii=(SUN, PLANET), **keys)
        made[f"outer{k}"] = joints.Gear(bodies=(ring, planet), radii=(RING, PLANET), internal=True, **keys)
    return Mechanism(
        name="planetary",
        points=points,
        bodies=bodies,
        joints=made,
        forces={"load": forces.Torque(bodies=("ground", "carrier"), torque=-LOAD)},
        drivers={"sun": drivers.Rotation(bodies=("ground", "sun"), motion=signals.Linear(rate=speed))},
    )


@ways
def test_a_planetary_train_divides_speeds_and_torques(formulation, integrator):
    """1 + R/S turns of the sun make one of the carrier; the torques of sun, ring and carrier stand in the same ratio.

    Each side of the planet carries T/S: its pin twice that, beside what keeps the planet on its circle, m w^2 (S + P);
    a constraint on angles alone would leave the pin of the planet without load.
    """
    result = moved(train(ring="ring"), formulation, integrator, duration=2.0, samples=8)
    turning = SPEED / RATIO
    assert result.omega("carrier") == pytest.approx(np.full(8, turning), rel=1e-8)
    assert result.omega("planet0") == pytest.approx(np.full(8, turning * (1.0 - RING / PLANET)), rel=1e-8)
    assert result.angle("carrier") == pytest.approx(turning * result.t, abs=RUN)
    assert result.effort("sun") == pytest.approx(np.full(8, LOAD / RATIO), rel=1e-8)
    assert result.moment("r", "ring") == pytest.approx(np.full(8, LOAD * (1.0 - 1.0 / RATIO)), rel=1e-8)
    tooth = LOAD / RATIO / SUN
    for mesh in ("inner0", "outer0"):
        assert result.force(mesh) == pytest.approx(np.full(8, tooth), rel=1e-8)
        assert result.force(mesh, "radial") == pytest.approx(np.full(8, tooth * TAN), rel=1e-8)
    out = np.stack([np.cos(turning * result.t), np.sin(turning * result.t)], axis=1)
    across = np.stack([-out[:, 1], out[:, 0]], axis=1)
    pin = -MASS * turning**2 * ARM * out - 2.0 * tooth * across
    assert result.reaction("pin0", "planet0") == pytest.approx(pin, abs=1e-6 * 2.0 * tooth)


@pytest.mark.parametrize("rtol", [1e-8, 1e-9, 1e-10])
def test_a_fast_train_takes_no_more_steps_than_its_turns_ask_for(rtol):
    """At 100 rad/s the planet turns by 10 rad; errors of reactions, which work adds up, must not shorten steps."""
    result = pm.simulate(train(speed=100.0), duration=0.1, samples=3, rtol=rtol, integrator="ida", max_steps=20_000)
    assert result.status is pm.Status.COMPLETED and result.stats["steps"] < 6000  # worst observed 2700
    assert result.omega("carrier") == pytest.approx(np.full(3, 100.0 / RATIO), rel=1e-7)


@ways
def test_a_planetary_train_runs_up_as_one_inertia(formulation, integrator):
    """J = Is + (Ic + m (S + P)^2 + Ip (1 - R/P)^2)/(1 + R/S)^2 as the sun feels it."""
    torque, spin = 2.0, 1.0 - RING / PLANET
    mechanism = train().replaced(
        drivers={"sun": None}, forces={"motor": forces.Torque(bodies=("ground", "sun"), torque=torque)}
    )
    result = moved(mechanism, formulation, integrator, duration=1.0, samples=6)
    J = 0.01 + (0.03 + MASS * ARM**2 + 0.001 * spin**2) / RATIO**2
    alpha = (torque - LOAD / RATIO) / J
    assert result.alpha("sun") == pytest.approx(np.full(6, alpha), rel=EXACT)
    assert result.alpha("planet0") == pytest.approx(np.full(6, spin * alpha / RATIO), rel=EXACT)
    assert result.angle("sun") == pytest.approx(0.5 * alpha * result.t**2, abs=RUN)
    inner, outer = (torque - 0.01 * alpha) / SUN, result.force("outer0")
    assert result.force("inner0") == pytest.approx(np.full(6, inner), rel=EXACT)
    # the difference of both turns the planet against its ends, the sun's side forward
    assert outer - inner == pytest.approx(np.full(6, 0.001 * spin * alpha / RATIO / PLANET), rel=1e-8)


def test_the_share_of_each_of_several_planets_is_undetermined_and_said_so():
    mechanism = train(planets=3)
    result = moved(mechanism, "particles", "explicit", duration=2.0, samples=5)
    assert result.omega("carrier") == pytest.approx(np.full(5, SPEED / RATIO), rel=1e-8)
    assert result.effort("sun") == pytest.approx(np.full(5, LOAD / RATIO), rel=1e-8)
    for k in range(3):
        assert np.isnan(result.force(f"inner{k}")).all() and np.isnan(result.force(f"outer{k}", "radial")).all()
        assert np.isnan(result.reaction(f"pin{k}", f"planet{k}")).any()
    verdict = pm.check(mechanism)
    assert (verdict.dof, verdict.found.redundancy, verdict.found.cause) == (1, 2, "design")
    assert {f"{mesh}{k}" for mesh in ("inner", "outer") for k in range(3)} <= set(verdict.found.redundant)
    assert pm.check(train()).found.redundancy == 0


def test_all_gears_of_a_train_may_turn_and_two_speeds_make_the_third():
    """With the ring driven too: S ws + R wr = (S + R) wc."""
    mechanism = train(ring="ring").replaced(
        joints={"r": pinned("O", "ring")},
        drivers={"ring": drivers.Rotation(bodies=("ground", "ring"), motion=signals.Linear(rate=-9.0))},
    )
    result = moved(mechanism, "particles", "explicit", duration=3.0, samples=4)
    carrier = (SUN * SPEED - RING * 9.0) / (SUN + RING)
    assert result.omega("carrier") == pytest.approx(np.full(4, carrier), rel=1e-8)
    assert result.effort("ring") == pytest.approx(np.full(4, LOAD * (1.0 - 1.0 / RATIO)), rel=1e-8)


@ways
def test_a_planet_on_a_swinging_arm_is_a_pendulum_of_both(formulation, integrator):
    """An arm l with a gear that runs on a standing one of its size turns that gear by twice its own angle.

    J = Ia + m l^2 + 4 I; released level, the arm passes below with w^2 = 2 m g l sin / J.
    """
    l, m, I, g = 0.4, 2.0, 0.03, 9.81
    mechanism = Mechanism(
        name="rolling gear",
        gravity=(0.0, -g),
        points={"O": (0.0, 0.0), "P": (l, 0.0)},
        bodies={
            "arm": Body(points=("O", "P"), mass=1.0, com=(0.0, 0.0), inertia=0.02),
            "gear": wheel("P", (l, 0.0), m, I),
        },
        joints={
            "O": pinned("O", "arm"),
            "P": pinned("P", "gear", "arm"),
            "mesh": joints.Gear(bodies=("ground", "gear"), points=("O", "P"), radii=(0.5 * l, 0.5 * l)),
        },
    )
    result = moved(mechanism, formulation, integrator, duration=2.0, samples=101)
    assert result.angle("gear") == pytest.approx(2.0 * result.angle("arm"), abs=1e-8)
    J = 0.02 + m * l**2 + 4.0 * I
    w2 = 2.0 * m * g * l * -np.sin(result.angle("arm")) / J
    assert result.omega("arm") ** 2 == pytest.approx(w2, abs=1e-6 * w2.max())
    # the tooth force turns the gear alone
    assert result.force("mesh") == pytest.approx(-result.alpha("gear") * I / (0.5 * l), abs=1e-8)
    assert result.certificate.energy_error < 1e-7


# -- rack and pinion ------------------------------------------------------------------------------------------------


def press(direction=(1.0, 0.0), **keys):
    """Return a pinion above a rack, which slides along its axis, turned by a torque."""
    return Mechanism(
        name="rack",
        points={"A": (0.3, 0.0), "B": (0.0, 0.05)},
        bodies={"rack": wheel("A", (0.3, 0.0), 4.0, 0.01), "pinion": wheel("B", (0.0, 0.05), 1.0, 0.002)},
        joints={
            "guide": joints.Prismatic(point="A", bodies=("ground", "rack"), axis=direction),
            "B": pinned("B", "pinion"),
            "mesh": joints.Rack(
                bodies=("rack", "pinion"), points=("A", "B"), axis=direction, pressure_angle=PRESSURE, **keys
            ),
        },
        forces={"motor": forces.Torque(bodies=("ground", "pinion"), torque=3.0)},
    )


@ways
@pytest.mark.parametrize("direction", [(1.0, 0.0), (-2.0, 0.0)])
def test_a_pinion_drives_its_rack(formulation, integrator, direction):
    """m a = F, I alpha = T - F r, a = r alpha; the rack is pressed down by F tan a, the pinion up."""
    r, m, I, T = 0.05, 4.0, 0.002, 3.0
    result = moved(press(direction), formulation, integrator, duration=1.0, samples=6)
    alpha = T / (I + m * r**2)
    F = m * r * alpha  # on the rack, to the right, as its upper side runs with the lower side of the pinion
    assert result.alpha("pinion") == pytest.approx(np.full(6, alpha), rel=EXACT)
    assert result.acceleration("A") == pytest.approx(np.tile([r * alpha, 0.0], (6, 1)), rel=EXACT, abs=1e-9)
    assert result["A"][:, 0] == pytest.approx(0.3 + 0.5 * r * alpha * result.t**2, abs=RUN)
    assert result.angle("pinion")[-1] > 20.0 * math.pi
    assert result.reaction("mesh", "pinion") == pytest.approx(np.tile([-F, F * TAN], (6, 1)), rel=EXACT)
    assert result.reaction("B", "pinion") == pytest.approx(np.tile([F, -F * TAN], (6, 1)), rel=EXACT)
    assert result.reaction("guide", "rack") == pytest.approx(np.tile([0.0, F * TAN], (6, 1)), rel=EXACT, abs=1e-9)
    # the guide also holds the rack level: the pitch point is 0.3 + x away from A, its weight line
    arm = result["A"][:, 0]
    assert result.moment("guide", "rack") == pytest.approx(-arm * F * TAN, rel=1e-8)
    assert result.force("mesh") == pytest.approx(np.full(6, -F * np.sign(direction[0])), rel=EXACT)


def test_a_rack_may_ride_and_the_pinion_roll_on_it():
    """On a rack that is held the pinion carries its carriage: J = I + (M + m) r^2."""
    mechanism = Mechanism(
        name="carriage",
        points={"B": (0.0, 0.05)},
        bodies={"carriage": wheel("B", (0.0, 0.05), 4.0, 0.01), "pinion": wheel("B", (0.0, 0.05), 1.0, 0.002)},
        joints={
            "guide": joints.Prismatic(point="B", bodies=("ground", "carriage"), axis=(1.0, 0.0)),
            "pin": pinned("B", "pinion", "carriage"),
            "mesh": joints.Rack(
                bodies=("ground", "pinion"), points=((0.0, 0.0), "B"), axis=(1.0, 0.0), teeth=20, module=0.005
            ),
        },
        forces={"motor": forces.Torque(bodies=("carriage", "pinion"), torque=-3.0)},
    )
    result = moved(mechanism, "particles", "explicit", duration=1.0, samples=3)
    alpha = -3.0 / (0.002 + 5.0 * 0.05**2)
    assert result.alpha("pinion") == pytest.approx(np.full(3, alpha), rel=EXACT)
    assert result.acceleration("B")[:, 0] == pytest.approx(np.full(3, -0.05 * alpha), rel=EXACT)


# -- what does not fit ----------------------------------------------------------------------------------------------


def free_gear():
    """Return a pair whose second gear is not held."""
    parts = pair()
    return Mechanism(
        name="loose",
        points=parts.points,
        bodies=parts.bodies,
        joints={k: v for k, v in parts.joints.items() if k != "b"},
    )


def loose_rack():
    """Return a rack whose pinion nothing holds beside it."""
    parts = press()
    return Mechanism(
        name="loose",
        points=parts.points,
        bodies=parts.bodies,
        joints={k: v for k, v in parts.joints.items() if k != "guide"},
    )


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (
            lambda: pair(radii=(0.1, 0.25)),
            'joint "mesh": gears do not mesh: their centres are 0.4 apart, the sum of their radii 0.1 and 0.25 is 0.35',
        ),
        (
            lambda: pair(internal=True, radii=(0.1, 0.25)),
            "their centres are 0.2 apart, the difference of their radii 0.1 and 0.25 is 0.15; move a centre or change",
        ),
        (lambda: pair(radii=(-0.1, 0.5)), 'key "radii": must be above zero, got -0.1'),
        (lambda: pair(radii=(0.2, 0.2), internal=True), "internal gears of one size, 0.2: a gear runs inside a larger"),
        (
            lambda: pair(radii=None, teeth=(20, 60), module=0.02),
            "20 and 60 teeth of module 0.02 ask for 0.8; move a centre, or take module 0.01",
        ),
        (lambda: pair(radii=None, teeth=(20, 60), module=(0.01, 0.02)), "modules 0.01 and 0.02 differ"),
        (lambda: pair(radii=None, teeth=(2, 60)), 'key "teeth"'),
        (lambda: pair(teeth=(20, 60)), 'it needs one of the keys "radii" and "teeth"'),
        (lambda: pair(module=0.01), 'key "module" goes with "teeth"'),
        (lambda: pair(pressure_angle=20.0), 'key "pressure_angle": must be at most pi/3, got 20'),
        (lambda: pair(carrier="one"), 'carrier "one" does not hold the centres "A" of "one" and "B" of "two" both'),
        (lambda: pair(carrier="frame"), 'body "frame" unknown'),
        (free_gear, 'no body holds the centres "A" of "one" and "B" of "two" both; pin each gear at its centre'),
        (lambda: press(radius=0.06), 'the centre "B" is 0.05 from the pitch line through "A", the radius is 0.06'),
        (lambda: press(teeth=20, module=0.004), "20 teeth of module 0.004 have the radius 0.04; move one, or take"),
        (loose_rack, 'no body holds "pinion" at its centre "B" and guides the rack "rack"'),
    ],
)
def test_what_does_not_mesh_is_said_in_one_line_with_its_numbers(build, said):
    with pytest.raises(pm.ModelError, match=said) as caught:
        build()
    assert "\n" not in str(caught.value)


# -- variants ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parameter", "values", "body"),
    [
        ("planetary_gear", "size", [f"{1.0 + 0.2 * k} mm" for k in range(9)], "carrier"),
        ("rack_press", "radius", [f"{15 + 2 * k} mm" for k in range(9)], "pinion"),
        ("belt_drive", "small", [f"{45 + 4 * k} mm" for k in range(9)], "fan"),
    ],
)
def test_variants_of_other_radii_go_together_and_move_as_each_alone(name, parameter, values, body):
    model = pm.models.load(name)
    cases = {value: {"parameters": {parameter: value}} for value in values}
    data = pm.simulate_many(cases, of=model, duration=0.3, samples=4, workers=1)
    ends = set()
    for value, change in cases.items():
        alone = pm.simulate(model.replaced(**change), duration=0.3, samples=4).angle(body)
        assert np.array_equal(data.angle.sel(case=value, body=body), alone)
        ends.add(float(alone[-1]))
    assert len(ends) == len(values)
