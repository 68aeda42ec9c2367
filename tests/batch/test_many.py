"""Many variants at once: the numbers of single runs, each in its place, whatever happens on the way."""

from __future__ import annotations

import concurrent.futures as cf
import math
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import particlemech as pm
from particlemech import drivers, forces, models, signals
from particlemech.batch import pools, working
from particlemech.batch.many import simulate_many
from particlemech.batch.structure import Parametrised
from particlemech.batch.variants import structure_of

ROOT = Path(__file__).parents[2]
xarray = pytest.importorskip("xarray")

PENDULUM = models.load("pendulum")
SHORT = {"duration": 0.1, "samples": 6}
needs_sigkill = pytest.mark.skipif(sys.platform == "win32", reason="a process cannot kill itself like this")


def rods(count, **more):
    """Return changes of the pendulum: rods of different length."""
    return [{"points": {"P": (1.0 + 0.01 * k, 0.0)}, **more} for k in range(count)]


def assert_equal_to_single_runs(data, cases, of=PENDULUM, **options):
    for k, case in enumerate(cases):
        single = pm.simulate(of.replaced(**case), **options)
        one = data.isel(case=k)
        for point in data.point.values:
            assert np.array_equal(one.position.sel(point=point), single[point])
            assert np.array_equal(one.velocity.sel(point=point), single.velocity(point))
        for body in data.body.values:
            assert np.array_equal(one.angle.sel(body=body), single.angle(body))
            assert np.array_equal(one.omega.sel(body=body), single.omega(body))
    assert np.array_equal(data.time, single.t)
    assert set(data.status.values) == {"completed"}


def locking():
    """Return the four-bar with its rocker driven past a dead centre."""
    motor = drivers.Rotation(bodies=("ground", "rocker"), motion=signals.Linear(rate=-2.0))
    return models.load("four_bar").replaced(initial=pm.Initial(), drivers={"motor": motor})


# -- the same numbers, in their places ---------------------------------------------------------------------------


def here(_):
    return {"workers": 1}


def processes(_):
    return {"workers": 2}


def thread_pool(stack):
    return {"executor": stack(cf.ThreadPoolExecutor(2))}


def process_pool(stack):
    return {"executor": stack(cf.ProcessPoolExecutor(2, pools._Context(main=False)))}


@pytest.fixture
def stack():
    opened = []
    yield lambda pool: opened.append(pool) or pool
    for pool in opened:
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("workers", [here, processes, thread_pool, process_pool], ids=lambda workers: workers.__name__)
def test_every_number_is_that_of_a_single_run_to_the_last_bit(workers, stack):
    cases = rods(7)
    data = simulate_many(cases, of=PENDULUM, **SHORT, **workers(stack))
    assert data.position.dims == ("case", "time", "point", "axis")
    assert data.angle.dims == ("case", "time", "body")
    assert list(data.case.values) == list(range(7))
    assert_equal_to_single_runs(data, cases, **SHORT)


@pytest.mark.parametrize(("formulation", "cut"), [("particles", ("B",)), ("absolute", ())])
def test_closed_loops_give_the_numbers_of_single_runs_in_both_formulations(formulation, cut):
    four_bar = models.load("four_bar")
    cases = [{"bodies": {"coupler": {"length": length}}} for length in (0.36, 0.37, 0.38)]
    options = {"duration": 0.05, "samples": 11, "rtol": 1e-6, "formulation": formulation, "cut": cut}
    data = simulate_many(cases, of=four_bar, **options)
    assert_equal_to_single_runs(data, cases, of=four_bar, **options)
    assert data.attrs["formulation"] == formulation
    assert data.attrs["cut"] == "".join(cut)


def test_mechanisms_themselves_are_cases_too():
    mechanisms = [PENDULUM.replaced(**case) for case in rods(3)]
    data = simulate_many(mechanisms, **SHORT)
    assert np.array_equal(data.position, simulate_many(rods(3), of=PENDULUM, **SHORT).position)


def test_names_are_matched_where_their_order_differs():
    points = dict(reversed(list(PENDULUM.points.items())))
    turned = pm.Mechanism(
        points=points,
        bodies=PENDULUM.bodies,
        joints=PENDULUM.joints,
        gravity=PENDULUM.gravity,
    )
    data = simulate_many([PENDULUM, turned], **SHORT)
    assert list(turned.points) == list(reversed(data.point.values))
    assert np.array_equal(data.position.sel(case=1, point="P"), pm.simulate(turned, **SHORT)["P"])


def test_labels_select_cases():
    lengths = [0.5, 0.7, 1.1]
    data = simulate_many({x: {"points": {"P": (x, 0.0)}} for x in lengths}, of=PENDULUM, **SHORT)
    assert np.array_equal(data.position.sel(case=0.7, point="P")[0], [0.7, 0.0])
    named = simulate_many({"short": PENDULUM, "again": PENDULUM}, **SHORT)
    assert list(named.case.values) == ["short", "again"]
    assert list(simulate_many({"a": PENDULUM, 2: PENDULUM}, **SHORT).case.values) == ["a", 2]


def test_units_and_origin_are_said():
    data = simulate_many(rods(2), of=PENDULUM, rtol=1e-7, **SHORT)
    units = {name: data[name].attrs.get("units") for name in (*data.data_vars, "time")}
    assert units == {
        "position": "m",
        "velocity": "m/s",
        "angle": "rad",
        "omega": "rad/s",
        "status": None,
        "message": None,
        "seconds": "s",
        "time": "s",
    }
    parametrised = {"model": PENDULUM.name, "cases": 2, "particlemech": pm.__version__, "rtol": 1e-7, "duration": 0.1}
    assert parametrised.items() <= data.attrs.items()


def test_no_cases_make_an_empty_dataset():
    for data in (simulate_many([]), simulate_many({}, of=PENDULUM, samples=5)):
        assert data.sizes["case"] == 0
        assert "status" in data


def test_few_short_cases_start_no_process(monkeypatch):
    def refused(*_):
        raise AssertionError("a process was started")

    monkeypatch.setattr(pools, "Processes", refused)
    monkeypatch.setattr(working, "HERE", 60.0)
    assert set(simulate_many(rods(3), of=PENDULUM, **SHORT).status.values) == {"completed"}


def test_long_cases_go_on_in_processes_after_a_while(monkeypatch):
    monkeypatch.setattr(working, "HERE", 0.0)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    data = simulate_many(rods(3), of=PENDULUM, quantities=who, **SHORT)
    assert os.getpid() not in data.pid


# -- what is kept ------------------------------------------------------------------------------------------------


def who(result):
    return {"pid": os.getpid(), "end": result["P"][-1]}


def test_columns_are_kept_by_name():
    single = pm.simulate(PENDULUM, **SHORT)
    names = [name for name in single.columns() if name != "t"]
    data = simulate_many([PENDULUM], quantities=names, **SHORT)
    for name in names:
        assert np.array_equal(data[name][0], single.columns()[name], equal_nan=True)
        assert data[name].attrs["units"]
    assert "point" not in data.coords


def test_one_column_may_be_named_alone():
    data = simulate_many([PENDULUM], quantities="rod.angle", **SHORT)
    assert set(data.data_vars) == {"rod.angle", "status", "message", "seconds"}


def test_a_column_that_does_not_exist_is_refused_before_anything_runs():
    with pytest.raises(pm.ModelError, match=r'quantity "P.z" unknown \(did you mean "P.\w+"\?\)'):
        simulate_many(rods(2), of=PENDULUM, quantities=["P.z"], **SHORT)


def test_a_function_keeps_numbers_and_arrays_of_any_shape():
    def kept(result):
        return {"top": result["P"][:, 1].max(), "path": result["P"], "table": np.ones((3, 4)), "count": len(result.t)}

    data = simulate_many(rods(2), of=PENDULUM, quantities=kept, workers=1, **SHORT)
    assert data.top.dims == ("case",)
    assert data["count"].dtype.kind == "i"
    assert data.path.dims == ("case", "time", "axis")
    assert data.table.dims == ("case", "table_0", "table_1")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda result: 3.0, "must return a mapping of names to numbers, got 3.0"),
        (lambda result: {"status": 1.0}, "'status' cannot name a quantity"),
        (lambda result: {"end": "late"}, '"end" must be a number'),
        (lambda result: {"end": 1 / 0}, "ZeroDivisionError: division by zero"),
    ],
)
def test_a_function_that_does_not_deliver_is_told_per_case(function, message):
    data = simulate_many([PENDULUM], quantities=function, **SHORT)
    assert list(data.status.values) == ["error"]
    assert message in data.message.item()


def test_a_shape_that_differs_in_one_case_fails_that_case():
    def kept(result):
        return {"list": np.zeros(3 if result["P"][0, 0] < 1.015 else 4)}

    data = simulate_many(rods(3), of=PENDULUM, quantities=kept, workers=1, **SHORT)
    assert list(data.status.values) == ["completed", "completed", "error"]
    assert 'quantity "list" has the shape (4,) here and (3,) in other cases' in data.message.values[2]
    assert np.isnan(data["list"][2]).all()


def test_durations_may_differ_and_times_are_then_those_of_each_case():
    cases = [{"run": {"duration": d, "samples": 5}} for d in (0.1, 0.2)]
    data = simulate_many(cases, of=PENDULUM)
    assert np.array_equal(data.t, [np.linspace(0.0, d, 5) for d in (0.1, 0.2)])
    assert "duration" not in data.attrs
    assert np.array_equal(data.position.isel(case=1), pm.simulate(PENDULUM, duration=0.2, samples=5)._motion.point)


def test_numbers_of_samples_may_differ_where_only_numbers_are_kept():
    cases = [{"run": {"duration": 0.1, "samples": k}} for k in (5, 6)]
    with pytest.raises(pm.ModelError, match="the cases have 5 to 6 samples; say samples="):
        simulate_many(cases, of=PENDULUM)
    data = simulate_many(cases, of=PENDULUM, quantities=who)
    assert data.end.shape == (2, 2)


# -- cases that fail ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [here, thread_pool], ids=lambda workers: workers.__name__)
def test_a_case_that_cannot_start_fails_alone(workers, stack):
    cases = rods(5)
    cases[2] = {"bodies": {"rod": {"mas": 1.0}}}
    cases[3] = {"colour": "red"}
    data = simulate_many(cases, of=PENDULUM, **SHORT, **workers(stack))
    assert list(data.status.values) == ["completed", "completed", "error", "error", "completed"]
    assert 'bodies "rod": key "mas" unknown (did you mean "mass"?)' in data.message.values[2]
    assert np.isnan(data.position[2:4]).all()
    assert_equal_to_single_runs(data.isel(case=[0, 1, 4]), [cases[0], cases[1], cases[4]], **SHORT)


def test_a_case_that_locks_keeps_its_samples_up_to_there():
    whole = locking().replaced(drivers={"motor": {"motion": signals.Linear(rate=-0.01)}})
    options = {"duration": 1.0, "samples": 101}
    data = simulate_many([whole, locking(), whole], **options)
    single = pm.simulate(locking(), throw=False, **options)
    assert list(data.status.values) == ["completed", "locked", "completed"]
    assert data.message.values[1] == single.message
    K = len(single.t)
    assert 2 < K < 101
    assert np.array_equal(data.position.sel(case=1, point="B")[:K], single["B"])
    assert np.isnan(data.position[1, K:]).all()
    assert np.isfinite(data.position[[0, 2]]).all()


def test_a_function_of_the_result_meets_runs_that_end_early():
    def kept(result):
        return {"x": result["B"][:, 0], "reached": result.t[-1]}

    data = simulate_many([locking(), locking()], quantities=kept, duration=1.0, samples=101, workers=1)
    assert data.x.dims == ("case", "time")
    assert data.x.shape == (2, 101)
    assert np.isnan(data.x[:, -1]).all()


def test_an_error_of_a_users_force_is_told_with_its_kind():
    def broken(t, state):
        raise ZeroDivisionError("no wind today")

    windy = PENDULUM.replaced(forces={"wind": forces.Custom(body="rod", function=broken)})
    data = simulate_many([PENDULUM, windy], workers=1, **SHORT)
    assert list(data.status.values) == ["completed", "error"]
    assert "ZeroDivisionError: no wind today" in data.message.values[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cases": PENDULUM}, "cases must be a list of cases"),
        ({"cases": [PENDULUM, 3]}, "case 1: expected a Mechanism, got 3; or give of="),
        ({"cases": [PENDULUM], "of": PENDULUM}, "case 0: expected a mapping of changes, got "),
        ({"cases": [{}], "of": "pendulum"}, "of must be a Mechanism, got 'pendulum'"),
        ({"cases": {(1, 2): PENDULUM}}, r"labels of cases must be texts or numbers, got \(1, 2\)"),
        ({"cases": [PENDULUM], "rtol": -1.0}, 'key "rtol": must be above zero, got -1.0'),
        (
            {"cases": [PENDULUM], "formulation": "particel"},
            r'formulation "particel" unknown \(did you mean "particles"',
        ),
        ({"cases": [PENDULUM], "workers": 0}, "workers must be a whole number, at least 1, got 0"),
        (
            {"cases": [PENDULUM], "executor": 3},
            "executor must be a concurrent.futures.Executor, got 3; of a Dask client take client.get_executor",
        ),
        ({"cases": [PENDULUM], "quantities": [3]}, "quantities are names or one function, got 3"),
        (
            {"cases": [PENDULUM, models.load("four_bar")]},
            r"case 1: its points are not those of case 0 \(.*\), so their position cannot stand in one array",
        ),
        ({"cases": [PENDULUM] * 10_000, "samples": 1_000_000}, "the dataset would need .* GiB; keep fewer"),
        (
            {"cases": [PENDULUM] * 2, "workers": 2, "quantities": lambda result: {}},
            "of and quantities cannot be sent to other processes .*, or say workers=1",
        ),
    ],
)
def test_what_is_wrong_for_all_is_said_at_once(arguments, message):
    with pytest.raises(pm.ModelError, match=message):
        simulate_many(**arguments)


def test_a_missing_xarray_is_told_with_its_cure(monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(pm.ModelError, match=r'needs xarray; install it with: pip install "particlemech\[many\]"'):
        simulate_many([PENDULUM])


# -- progress and Ctrl-C -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [here, thread_pool], ids=lambda workers: workers.__name__)
def test_progress_rises_by_cases_to_all_of_them(workers, stack):
    seen = []
    simulate_many(rods(9), of=PENDULUM, progress=lambda *said: seen.append(said), **SHORT, **workers(stack))
    assert seen == [(k, 9) for k in range(1, 10)]


def test_a_bar_is_drawn_on_a_terminal_only(monkeypatch, capsys):
    simulate_many(rods(2), of=PENDULUM, progress=True, workers=1, **SHORT)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    simulate_many(rods(2), of=PENDULUM, progress=True, workers=1, **SHORT)
    assert capsys.readouterr().err.endswith(f"\r[{'#' * 40}] 2/2 cases\n")


@pytest.mark.parametrize("workers", [here, thread_pool], ids=lambda workers: workers.__name__)
def test_ctrl_c_cancels_the_rest_and_hands_over_what_is_done(workers, stack):
    def stop(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(pm.SimulationError, match="interrupted after 3 of 40 cases") as error:
        simulate_many(rods(40), of=PENDULUM, progress=stop, **SHORT, **workers(stack))
    data = error.value.result
    assert data.sizes["case"] == 40
    done = data.status == "completed"
    assert done.sum() == 3
    assert set(data.status.values[~done.values]) == {"interrupted"}
    assert np.isfinite(data.position[done.values]).all()
    assert np.isnan(data.position[~done.values]).all()


def asleep(path, result):
    path.touch()
    time.sleep(120.0)
    return {}


def interrupt_when(path):
    while not path.exists():
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)


@needs_sigkill
def test_ctrl_c_ends_workers_that_are_in_the_middle_of_a_case(tmp_path):
    path = tmp_path / "asleep"
    threading.Thread(target=interrupt_when, args=(path,), daemon=True).start()
    with pytest.raises(pm.SimulationError, match="interrupted after 0 of 2 cases"):
        simulate_many(rods(2), of=PENDULUM, workers=2, quantities=partial(asleep, path), **SHORT)
    assert time.time() - path.stat().st_mtime < 60.0


def test_ctrl_c_in_the_probe_is_heard():
    def stopped(t, state):
        raise KeyboardInterrupt

    stopping = PENDULUM.replaced(forces={"wind": forces.Custom(body="rod", function=stopped)})
    with pytest.raises(pm.SimulationError, match="interrupted after 0 of 2 cases"):
        simulate_many([stopping, PENDULUM], workers=1, **SHORT)


# -- workers that die --------------------------------------------------------------------------------------------


def first_time(path):
    """Return whether nobody was here before; workers of all kinds see the same file."""
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def dies_once(path, result):
    """Kill the worker in one case, the first time only."""
    if result["P"][0, 0] == 1.05 and first_time(path):
        os.kill(os.getpid(), signal.SIGKILL)
    return {"end": result["P"][-1]}


def dies_always(result):
    if result["P"][0, 0] == 1.05:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"end": result["P"][-1]}


@needs_sigkill
@pytest.mark.parametrize("workers", [processes, process_pool], ids=lambda workers: workers.__name__)
def test_a_worker_that_dies_loses_no_case(workers, stack, tmp_path):
    once = partial(dies_once, tmp_path / "happened")
    data = simulate_many(rods(12), of=PENDULUM, quantities=once, **SHORT, **workers(stack))
    assert (tmp_path / "happened").exists()
    assert set(data.status.values) == {"completed"}
    ends = [pm.simulate(PENDULUM.replaced(**case), **SHORT)["P"][-1] for case in rods(12)]
    assert np.array_equal(data.end, ends)


@needs_sigkill
def test_a_case_that_kills_its_workers_is_given_up_alone():
    data = simulate_many(rods(12), of=PENDULUM, quantities=dies_always, workers=2, **SHORT)
    assert [k for k, status in enumerate(data.status.values) if status != "completed"] == [5]
    assert data.status.values[5] == "error"
    assert "its worker died in 3 attempts, the last time with BrokenProcessPool" in data.message.values[5]
    assert np.isnan(data.end[5]).all()


def test_an_executor_that_was_shut_down_is_named_as_the_reason():
    pool = cf.ThreadPoolExecutor(1)
    pool.shutdown()
    data = simulate_many(rods(2), of=PENDULUM, executor=pool, **SHORT)
    assert set(data.status.values) == {"error"}
    assert "cannot schedule new futures after shutdown" in data.message.values[0]


def waits_for_its_end(path, result):
    """Say in one case who works on it, the first time only, and wait to be killed."""
    if result["P"][0, 0] == 1.1 and first_time(path):
        path.with_suffix(".part").write_text(str(os.getpid()))
        path.with_suffix(".part").rename(path.with_suffix(".pid"))
        time.sleep(60.0)
    return {"pid": os.getpid(), "path": result["P"], "angle": result.angle("rod")}


def kill_who_waits(path, killed):
    while not path.exists():
        time.sleep(0.05)
    killed.append(int(path.read_text()))
    os.kill(killed[0], signal.SIGKILL)


@needs_sigkill
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of sockets to the worker that was killed
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the same, when collected later
def test_a_dask_cluster_that_loses_a_worker_half_way_loses_no_case(tmp_path):
    distributed = pytest.importorskip("distributed")
    cases, killed, path = rods(20), [], tmp_path / "waiting"
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        workers = set(client.run(os.getpid).values())
        killer = threading.Thread(target=kill_who_waits, args=(path.with_suffix(".pid"), killed), daemon=True)
        killer.start()
        kept = partial(waits_for_its_end, path)
        data = simulate_many(cases, of=PENDULUM, executor=client.get_executor(), workers=2, quantities=kept, **SHORT)
    killer.join(10.0)
    assert len(workers) == 2
    assert killed[0] in workers
    assert data.pid[10] != killed[0]
    assert set(data.status.values) == {"completed"}
    for k, case in enumerate(cases):
        single = pm.simulate(PENDULUM.replaced(**case), **SHORT)
        assert np.array_equal(data.path[k], single["P"])
        assert np.array_equal(data.angle[k], single.angle("rod"))


# -- across processes --------------------------------------------------------------------------------------------


def test_mechanisms_cross_between_processes(model):
    assert pickle.loads(pickle.dumps(model)) == model


SCRIPT = """
    import os
    import particlemech as pm
    print("started")
    {function}
    {guard}
        data = pm.simulate_many([pm.models.load("pendulum")] * 4, workers=2, duration=0.1, samples=3, {options})
        print(*data.status.values)
"""
FUNCTION = "def end(result): return {'end': result['P'][-1]}"
GUARD = 'if __name__ == "__main__":'


def scripted(tmp_path, function, guard, options):
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(SCRIPT.format(function=function, guard=guard, options=options)))
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, path], capture_output=True, text=True, env=environment, timeout=120)


def test_a_script_needs_no_main_guard_for_cases_without_functions(tmp_path):
    run = scripted(tmp_path, "", "if True:", "")
    assert run.returncode == 0, run.stderr
    assert run.stdout.split("\n")[:2] == ["started", "completed completed completed completed"]


def test_functions_of_a_script_with_a_main_guard_reach_the_workers(tmp_path):
    run = scripted(tmp_path, FUNCTION, GUARD, "quantities=end")
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("started") == 3
    assert "completed completed completed completed" in run.stdout


def test_functions_of_a_script_without_a_main_guard_are_told_about_it(tmp_path):
    run = scripted(tmp_path, FUNCTION, "if True:", "quantities=end")
    assert run.returncode == 1
    assert 'put its calls under `if __name__ == "__main__":`' in run.stderr.strip().split("\n")[-1]


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


@needs_sigkill
def test_workers_end_with_a_parent_that_was_killed(tmp_path):
    parametrised = tmp_path / "pid"
    path = tmp_path / "script.py"
    function = f"""def end(result):
        with open({str(parametrised)!r}, "a") as file:
            print(os.getpid(), file=file)
        __import__("time").sleep(60.0)"""
    text = textwrap.dedent(SCRIPT.format(function=function, guard=GUARD, options="quantities=end"))
    path.write_text(text)
    parent = subprocess.Popen([sys.executable, path], env=os.environ | {"PYTHONPATH": str(ROOT)})
    try:
        limit = time.monotonic() + 60.0
        while not (parametrised.exists() and parametrised.read_text().endswith("\n")) and time.monotonic() < limit:
            time.sleep(0.1)
    finally:
        parent.kill()
        parent.wait()
    workers = [int(pid) for pid in parametrised.read_text().split()]
    limit = time.monotonic() + 10.0
    while any(map(alive, workers)) and time.monotonic() < limit:
        time.sleep(0.1)
    assert workers
    assert not any(map(alive, workers))


def test_nothing_of_this_is_loaded_with_the_library():
    code = "import particlemech, sys; print({'xarray', 'dask', 'distributed'} & set(sys.modules))"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert said.stdout.strip() == "set()"


def test_seconds_are_those_of_each_case():
    data = simulate_many(rods(3), of=PENDULUM, workers=1, **SHORT)
    assert all(0.0 < s < 60.0 and not math.isnan(s) for s in data.seconds.values)


# -- variants that differ in numbers only go together ------------------------------------------------------------


def random_four_bars(rng, count):
    """Return changes of the four-bar in all its numbers: drawn closed, so that nothing has to be assembled."""
    cases = []
    for _ in range(count):
        points = {"A": (rng.uniform(-0.02, 0.02), rng.uniform(0.08, 0.1)), "B": tuple(rng.uniform(0.29, 0.33, 2))}
        bodies = {"crank": {"mass": rng.uniform(0.3, 0.7)}, "rocker": {"mass": rng.uniform(0.3, 0.7), "inertia": 0.01}}
        gravity = (rng.uniform(-1.0, 1.0), -9.81)
        spring = {"stiffness": rng.uniform(10.0, 40.0), "length": rng.uniform(0.1, 0.3)}
        cases.append({"points": points, "bodies": bodies, "gravity": gravity, "forces": {"spring": spring}})
    return cases


SPRUNG = models.load("four_bar").replaced(
    bodies={"rocker": {"inertia": 0.01}},
    forces={
        "spring": forces.Spring(
            bodies=("ground", "rocker"), points=((0.5, 0.1), (0.3, 0.2)), stiffness=20.0, length=0.2
        ),
        "load": forces.Load(body="coupler", point="B", force=(1.0, -2.0)),
        "torsion": forces.Torsion(bodies=("crank", "coupler"), stiffness=0.05, damping=0.001),
    },
)


@pytest.mark.parametrize("integrator", ["explicit", "auto"])
def test_variants_in_numbers_go_together_and_are_single_runs_to_the_last_bit(integrator, monkeypatch):
    cases = random_four_bars(np.random.default_rng(3), 24)
    options = {"duration": 0.5, "samples": 7, "rtol": 1e-7, "integrator": integrator}
    monkeypatch.setattr(working, "_case", None)  # who goes alone would fail
    data = simulate_many(cases, of=SPRUNG, quantities=("position", "velocity", "angle", "omega", "B.vy"), **options)
    monkeypatch.undo()
    assert set(data.status.values) == {"completed"}
    for k, case in enumerate(cases):
        single = pm.simulate(SPRUNG.replaced(**case), **options)
        for point in data.point.values:
            assert np.array_equal(data.position.sel(case=k, point=point), single[point])
            assert np.array_equal(data.velocity.sel(case=k, point=point), single.velocity(point))
        for body in data.body.values:
            assert np.array_equal(data.angle.sel(case=k, body=body), single.angle(body))
            assert np.array_equal(data.omega.sel(case=k, body=body), single.omega(body))
        assert np.array_equal(data["B.vy"].sel(case=k), single.velocity("B")[:, 1])


def test_variants_of_driven_slides_are_single_runs_to_the_last_bit():
    slider = models.load("slider_crank").replaced(run={"integrator": "explicit"})
    rng = np.random.default_rng(5)
    cases = []
    for _ in range(16):
        motion = signals.Cycloid(end=rng.uniform(0.5, 1.5), duration=rng.uniform(0.2, 0.4))
        cases.append({"drivers": {"motor": drivers.Rotation(bodies=("ground", "crank"), motion=motion)}})
    cases = [{**case, "initial": pm.Initial()} for case in cases]
    built = [slider.replaced(**case) for case in cases]
    options = {"duration": 0.5, "samples": 5}
    data = simulate_many(built, **options)
    for k, mechanism in enumerate(built):
        single = pm.simulate(mechanism, **options)
        for point in data.point.values:
            assert np.array_equal(data.position.sel(case=k, point=point), single[point])


def test_variants_that_are_no_good_say_why_among_those_that_go_together():
    cases = [{"bodies": {"crank": {"mass": 0.5 + 0.01 * k}}} for k in range(12)]
    cases[3] = {"bodies": {"crank": {"mass": -1.0}}}
    cases[5] = {"points": {"A": (0.0, 0.0)}}
    cases[7] = {"bodies": {"coupler": {"length": 0.35}}}  # drawn open: it is assembled, alone
    mechanism, options = models.load("four_bar"), {"duration": 0.1, "samples": 3, "integrator": "explicit"}
    data = simulate_many(cases, of=mechanism, **options)
    status = data.status.values.tolist()
    assert status[3] == status[5] == "error"
    assert [s for k, s in enumerate(status) if k not in (3, 5)] == ["completed"] * 10
    for k in (3, 5):
        with pytest.raises(pm.ModelError) as said:
            mechanism.replaced(**cases[k])
        assert data.message.values[k] == str(said.value)
    single = pm.simulate(mechanism.replaced(**cases[7]), **options)
    assert np.array_equal(data.position.sel(case=7, point="B"), single["B"])


def test_samples_that_fit_into_no_memory_are_refused_before_any_case_runs():
    for quantities in ("B.x", lambda result: {"end": result["B"][-1]}):
        with pytest.raises(pm.ModelError, match="1000000000 samples of each case need 7 GiB; ask for fewer samples"):
            simulate_many([{}], of=models.load("four_bar"), samples=1_000_000_000, quantities=quantities)


# -- mechanisms in space -------------------------------------------------------------------------------------------


def test_mechanisms_in_space_come_back_with_three_axes_and_quaternions():
    top = pm.models.load("gyroscope")
    masses = {mass: {"bodies": {"disk": {"mass": mass}}} for mass in (0.5, 1.0)}
    found = pm.simulate_many(masses, of=top, duration=0.1, samples=4, workers=1)
    one = pm.simulate(top, duration=0.1, samples=4)
    assert (found.status == "completed").all()
    assert (found.position.sel(case=1.0, point="tip").values == one["tip"]).all()
    assert (found.quaternion.sel(case=1.0, body="disk").values == one.quaternion("disk")).all()
    assert found.omega.sel(case=1.0, body="disk", axis="z").values == pytest.approx(one.omega("disk")[:, 2], abs=0.0)


def test_columns_and_functions_of_results_in_space_are_kept_too():
    top = pm.models.load("gyroscope")
    cases = {0: {}, 1: {"gravity": (0.0, 0.0, 0.0)}}
    heights = pm.simulate_many(cases, of=top, duration=0.1, samples=4, quantities=["tip.z"], workers=1)["tip.z"]
    assert heights.dims == ("case", "time")
    spins = pm.simulate_many(
        cases, of=top, duration=0.1, samples=4, quantities=lambda r: {"h": r.momentum.angular[-1]}, workers=1
    )
    assert spins.h.dims == ("case", "axis")
    free = pm.simulate(top.replaced(gravity=(0.0, 0.0, 0.0)), duration=0.1, samples=2)
    assert spins.h.sel(case=1).values == pytest.approx(free.momentum.angular[0], abs=1e-9)  # nothing turns it


def test_one_dataset_holds_mechanisms_of_one_kind():
    with pytest.raises(pm.ModelError, match="one dataset has one kind"):
        pm.simulate_many([pm.models.load("gyroscope"), pm.models.load("four_bar")])


@pytest.mark.parametrize("name", ["planetary_gear", "rack_press"])
def test_variants_with_gears_go_in_a_batch_and_are_those_of_single_runs_to_the_last_bit(name):
    mechanism = pm.models.load(name)
    assert structure_of(Parametrised(mechanism), mechanism.run.duration) is not None
    body = next(iter(mechanism.bodies))
    cases = [{"bodies": {body: {"mass": mechanism.bodies[body].mass * (1.0 + 0.01 * k)}}} for k in range(9)]
    found = pm.simulate_many(cases, of=mechanism, duration=0.2, samples=5, workers=1)
    one = pm.simulate(mechanism.replaced(**cases[7]), duration=0.2, samples=5)
    for own in mechanism.bodies:
        np.testing.assert_array_equal(found.angle.sel(case=7, body=own), one.angle(own))


@pytest.mark.parametrize(("name", "lasts"), [("door_closer", None), ("geneva", 0.1), ("quick_return_friction", 0.1)])
def test_variants_that_change_on_their_way_or_rub_are_single_runs(name, lasts):
    """A batch knows no stops and no events: it went on through them."""
    mechanism = pm.models.load(name)
    assert structure_of(Parametrised(mechanism), mechanism.run.duration) is None
    body = next(iter(mechanism.bodies))
    cases = [{"bodies": {body: {"mass": mechanism.bodies[body].mass * (1.0 + 0.01 * k)}}} for k in range(9)]
    found = pm.simulate_many(cases, of=mechanism, duration=lasts, samples=5, workers=1)
    one = pm.simulate(mechanism.replaced(**cases[7]), duration=lasts, samples=5)
    np.testing.assert_array_equal(found.angle.sel(case=7, body=body), one.angle(body))
