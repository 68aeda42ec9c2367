"""How runs end: at a toggle, at a value that is no number, by the user's hand; always with the samples so far."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest

import particlemech as pm
from particlemech import Body, Initial, Mechanism, drivers, forces, models, signals
from particlemech.run.start import weights
from tests.support.problems import FORMULATIONS, hold, pinned

# -- drivers that ask for too much -------------------------------------------------------------------------------

ROCKER = {"a": 0.1, "b": math.hypot(0.3, 0.2), "c": 0.3, "d": 0.3}  # the shipped four-bar


def rocker_limit(reach):
    """Return the angle of the rocker from the x axis where crank and coupler span `reach`."""
    c, d = ROCKER["c"], ROCKER["d"]
    return math.acos((reach**2 - c * c - d * d) / (2 * c * d))


def driven_rocker(motion):
    motor = drivers.Rotation(bodies=("ground", "rocker"), motion=motion)
    return models.load("four_bar").replaced(initial=Initial(), drivers={"motor": motor})


def driven_slider(driver):
    """Return the shipped slider-crank with its crank up, its slider driven."""
    B = (0.06 + math.sqrt(0.3**2 - 0.08**2), 0.0)
    return models.load("slider_crank").replaced(
        points={"A": (0.06, 0.08), "B": B},
        bodies={"slider": {"com": B}},
        forces={"motor": None},
        drivers={"motor": driver},
    )


def driven_short_crank():
    """Return a four-bar that is no Grashof linkage: its crank cannot pass the stretched coupler and rocker."""
    ends = {"crank": ("O", "A"), "coupler": ("A", "B"), "rocker": ("B", "C")}
    return Mechanism(
        points={"O": (0.0, 0.0), "A": (0.0, 0.4), "B": (0.35, 0.35), "C": (0.5, 0.0)},
        bodies={n: Body(points=p, mass=1.0) for n, p in ends.items()},
        joints=pinned(O=("ground", "crank"), A=("crank", "coupler"), B=("coupler", "rocker"), C=("ground", "rocker")),
        drivers={"motor": drivers.Rotation(bodies=("ground", "crank"), motion=signals.Linear(rate=1.0))},
    )


def short_crank_time():
    reach = math.hypot(0.35, 0.05) + math.hypot(0.15, 0.35)
    return math.acos((0.4**2 + 0.5**2 - reach**2) / (2 * 0.4 * 0.5)) - math.pi / 2


OUT, IN = rocker_limit(ROCKER["a"] + ROCKER["b"]), rocker_limit(ROCKER["b"] - ROCKER["a"])
SLIDE = 0.06 + math.sqrt(0.3**2 - 0.08**2)
TOGGLES = {
    "rocker outwards": (driven_rocker(signals.Linear(rate=-2.0)), (math.pi / 2 - OUT) / 2.0),
    "rocker inwards": (driven_rocker(signals.Linear(rate=2.0)), (IN - math.pi / 2) / 2.0),
    "rocker by a sine": (
        driven_rocker(signals.Sine(amplitude=1.0, frequency=0.25)),
        math.asin(IN - math.pi / 2) / (math.pi / 2),
    ),
    "point of the rocker": (
        models.load("four_bar").replaced(
            initial=Initial(),
            drivers={"motor": drivers.Position(point="B", axis="x", motion=signals.Linear(rate=0.3))},
        ),
        0.3 * math.cos(OUT) / 0.3,
    ),
    "slider outwards": (
        driven_slider(drivers.Coordinate(joint="guide", motion=signals.Linear(rate=0.2))),
        (0.4 - SLIDE) / 0.2,
    ),
    "slider inwards": (
        driven_slider(drivers.Coordinate(joint="guide", motion=signals.Linear(rate=-0.2))),
        (SLIDE - 0.2) / 0.2,
    ),
    "point of the slider": (
        driven_slider(drivers.Position(point="B", body="slider", axis="x", motion=signals.Linear(rate=0.2))),
        (0.4 - SLIDE) / 0.2,
    ),
    "crank of no Grashof linkage": (driven_short_crank(), short_crank_time()),
}


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize("name", TOGGLES)
def test_driver_past_its_limit_is_locked_at_the_toggle(name, rtol, formulation):
    mechanism, toggle = TOGGLES[name]
    assert toggle > 0.0
    for duration in (1.5 * toggle, toggle):  # well past the limit, and up to it
        result = pm.simulate(mechanism, duration=duration, samples=301, rtol=rtol, formulation=formulation, throw=False)
        assert result.status is pm.Status.LOCKED
        assert 'driver "motor" is locked at t = ' in result.message
        said = float(result.message.split("t = ")[1].split()[0])
        hold("time of locking, before the toggle", max(0.0, 1.0 - said / toggle))
        hold("time of locking, after the toggle", max(0.0, said / toggle - 1.0))
        # all samples up to there are kept, and all are good
        assert 0.0 <= toggle - result.t[-1] <= 3.0 * duration / 300
        scale = result.system.scale
        hold("closure up to the lock, positions", result.closure.position.max() / (rtol * scale.length))
        hold(
            "closure up to the lock, velocities",
            result.closure.velocity.max() / (max(rtol, 1e-9) * scale.length / scale.time),
        )
        places, _ = result._projected
        gaps = [
            np.abs(weights(result.system) * result.system.rows(t, q)).max()
            for t, q in zip(result.t, places, strict=True)
        ]
        projected = result.phases[0].integrator == "explicit"
        hold(f"gap of {'explicit ' if projected else ''}samples before a lock", max(gaps) / scale.length)


def test_locked_run_raises_with_its_samples():
    mechanism, toggle = TOGGLES["rocker outwards"]
    with pytest.raises(pm.SimulationError, match=r'driver "motor" is locked') as error:
        pm.simulate(mechanism, duration=2 * toggle, samples=101)
    assert error.value.result.status is pm.Status.LOCKED
    assert len(error.value.result.t) > 40
    assert error.value.result["B"].shape == (len(error.value.result.t), 2)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("share", [0.9, 0.99])
def test_driver_that_turns_back_before_its_limit_completes(share, formulation):
    sine = signals.Sine(amplitude=share * (math.pi / 2 - OUT), frequency=0.5)
    result = pm.simulate(driven_rocker(sine), duration=2.0, samples=41, rtol=1e-8, formulation=formulation)
    assert result.status is pm.Status.COMPLETED
    hold("energy of a driver that turns back", np.abs(result.energy.error).max() / result.energy.scale)


def test_redundant_drivers_that_agree_complete_and_share_their_effort():
    two = models.load("four_bar").replaced(
        initial=Initial(),
        drivers={
            "one": drivers.Rotation(bodies=("ground", "crank"), motion=signals.Linear(rate=5.0)),
            "other": drivers.Rotation(bodies=("ground", "crank"), motion=signals.Linear(rate=5.0)),
        },
    )
    result = pm.simulate(two, duration=0.5, samples=11)
    assert result.status is pm.Status.COMPLETED
    assert np.all(np.isnan(result.effort("one")))
    shared = [result.effort(d, undetermined="least-norm") for d in ("one", "other")]
    alone = pm.simulate(two.replaced(drivers={"other": None}), duration=0.5, samples=11).effort("one")
    assert np.abs(shared[0] - shared[1]).max() <= 1e-9
    assert np.abs(shared[0] + shared[1] - alone).max() <= 1e-9 * np.abs(alone).max()


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_drivers_that_part_later_are_locked(formulation):
    two = models.load("four_bar").replaced(
        initial=Initial(),
        drivers={
            "one": drivers.Rotation(bodies=("ground", "crank"), motion=signals.Cycloid(end=1.0, duration=1.0)),
            "other": drivers.Rotation(bodies=("ground", "crank"), motion=signals.Cycloid(end=1.1, duration=1.0)),
        },
    )
    result = pm.simulate(two, duration=1.0, samples=101, formulation=formulation, throw=False)
    assert result.status is pm.Status.LOCKED
    assert "driver" in result.message
    assert result.t[-1] < 0.2


# -- values that are no numbers ----------------------------------------------------------------------------------


def pushed(function, name="wind"):
    """Return the pendulum with a custom force."""
    return models.load("pendulum").replaced(forces={name: forces.Custom(body="rod", function=function)})


def late(value):
    """Return a force that behaves until t = 0.5."""

    def function(t, state):
        return (value if t > 0.5 else 0.0, 0.0), state["P"], 0.0

    return function


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_force_that_is_no_number_is_named_and_the_samples_kept(value, formulation):
    result = pm.simulate(pushed(late(value)), samples=101, duration=1.0, formulation=formulation, throw=False)
    assert result.status is pm.Status.NOT_A_NUMBER
    assert 'force "wind"' in result.message
    assert 0.4 <= result.t[-1] <= 0.51
    options = {"samples": 101, "duration": 1.0, "formulation": formulation, "integrator": "ida"}
    clean = pm.simulate(models.load("pendulum"), **options)
    K = len(result.t)
    hold("samples before a value that is no number", np.abs(result["P"] - clean["P"][:K]).max())


def test_force_that_is_no_number_raises_by_default():
    with pytest.raises(pm.SimulationError, match=r'force "wind" gave a value that is not a number') as error:
        pm.simulate(pushed(late(math.nan)), samples=11, duration=1.0)
    assert error.value.result.status is pm.Status.NOT_A_NUMBER


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_force_that_is_no_number_from_the_start_is_an_error_not_a_hang(formulation):
    def nothing(t, state):
        return (math.nan, 0.0), state["P"], 0.0

    with pytest.raises((pm.SimulationError, pm.ModelError), match="wind"):
        pm.simulate(pushed(nothing), samples=3, duration=0.1, formulation=formulation)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_exception_in_a_custom_force_reaches_the_user(formulation):
    def broken(t, state):
        if t > 0.2:
            raise ZeroDivisionError("no wind today")
        return (0.0, 0.0), state["P"], 0.0

    with pytest.raises(ZeroDivisionError, match="no wind today"):
        pm.simulate(pushed(broken), samples=11, duration=1.0, formulation=formulation)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_custom_force_of_the_wrong_form_is_refused_by_name(formulation):
    with pytest.raises(pm.ModelError, match=r'force "wind".*must return \(\(fx, fy\), \(x, y\), couple\)'):
        pm.simulate(pushed(lambda t, state: (1.0, 2.0)), samples=3, duration=0.1, formulation=formulation)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_custom_force_that_misspells_a_name_gets_a_suggestion(formulation):
    with pytest.raises(pm.ModelError, match=r'body "rodd" unknown \(did you mean "rod"\?\)'):
        pm.simulate(
            pushed(lambda t, state: ((0.0, 0.0), state["P"], state.omega("rodd"))),
            samples=3,
            duration=0.1,
            formulation=formulation,
        )


# -- Ctrl-C ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_ctrl_c_in_a_custom_force_keeps_the_samples(formulation):
    def stopped(t, state):
        if t > 0.5:
            raise KeyboardInterrupt
        return (0.0, 0.0), state["P"], 0.0

    result = pm.simulate(pushed(stopped), samples=101, duration=1.0, formulation=formulation, throw=False)
    assert result.status is pm.Status.INTERRUPTED
    assert 0.3 < result.t[-1] <= 0.51
    assert np.all(np.isfinite(result["P"]))
    assert "interrupted at t = " in result.message


def test_ctrl_c_during_a_run_raises_with_the_samples():
    def progress(t):
        if t > 0.4:
            raise KeyboardInterrupt

    model = models.load("four_bar")
    with pytest.raises(pm.SimulationError, match="interrupted") as error:
        pm.simulate(model, duration=1.0, samples=101, progress=progress, integrator="ida")
    result = error.value.result
    assert result.status is pm.Status.INTERRUPTED
    whole = pm.simulate(model, duration=1.0, samples=101, integrator="ida")
    K = len(result.t)
    assert 38 <= K < 60
    assert np.array_equal(result["B"], whole["B"][:K])
    assert result.energy.total.shape == (K,)


def test_ctrl_c_before_the_first_sample_leaves_the_start():
    calls = []

    def stopped(t, state):
        calls.append(t)
        if len(calls) > 60:
            raise KeyboardInterrupt
        return (0.0, 0.0), state["P"], 0.0

    result = pm.simulate(pushed(stopped), samples=2, duration=1.0, throw=False)
    assert result.status is pm.Status.INTERRUPTED
    assert np.array_equal(result["P"], [[1.0, 0.0]])


def test_progress_tells_the_time_reached():
    seen = []
    pm.simulate(models.load("four_bar"), samples=3, progress=seen.append, integrator="ida")
    assert len(seen) > 10
    assert seen == sorted(seen)
    assert 0.0 < seen[0] < seen[-1] <= 1.0


# -- steps -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", ["ida", "explicit", "auto"])
def test_run_that_takes_too_many_steps_says_so_and_keeps_its_samples(integrator):
    how = {"integrator": integrator, "max_steps": 200, "duration": 200.0, "throw": False}
    result = pm.simulate(models.load("pendulum"), samples=10_001, **how)
    assert result.status is pm.Status.STEP_LIMIT
    assert "200 steps at t = " in result.message
    assert "loosen rtol" in result.message and "max_steps" in result.message
    assert 2 < len(result.t) < 10_001


def test_solver_prints_nothing(capfd):
    mechanism, toggle = TOGGLES["rocker outwards"]
    pm.simulate(models.load("pendulum"), samples=3)
    for formulation in FORMULATIONS:
        pm.simulate(mechanism, duration=2 * toggle, samples=11, rtol=1e-10, formulation=formulation, throw=False)
        pm.simulate(pushed(late(math.nan)), samples=3, duration=1.0, formulation=formulation, throw=False)
    out, err = capfd.readouterr()
    assert out == ""
    assert "ERROR" not in err.upper()


def test_what_a_user_function_prints_is_passed_on(capsys):
    def talking(t, state):
        print("blowing")
        return (0.0, 0.0), state["P"], 0.0

    pm.simulate(pushed(talking), samples=2, duration=0.01)
    assert "blowing" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "integrator"),
    [("four_bar", "explicit"), ("four_bar", "ida"), ("gyroscope", None), ("bennett", None), ("cantilever", None)],
)
def test_samples_that_fit_into_no_memory_are_refused_before_any_is_taken(name, integrator):
    mechanism = models.load(name)
    tracemalloc.start()
    try:
        with pytest.raises(pm.ModelError, match=r"1000000000 samples of .* GiB; ask for fewer samples"):
            pm.simulate(mechanism, samples=1_000_000_000, integrator=integrator)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1e9  # bytes; the times alone would be 8e9, and kernels may have been compiled meanwhile
