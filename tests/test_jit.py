"""Argument blocks of arrays behind one address, and how often kernels are compiled."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pytest

from particlemech._jit import (
    EIGHT,
    LEAN,
    ArgumentBlock,
    added,
    attachment,
    eight,
    entry,
    fresh,
    inner,
    kernel,
    probe,
    put,
    read,
    scaled,
    telling,
    written,
)
from particlemech._jit.places import source_hash


class Given(NamedTuple):
    pair: Annotated[object, read([("k", "i4"), ("c", "f8")])]
    grid: Annotated[object, read("f8", 2)]


class Taken(NamedTuple):
    out: Annotated[object, written()]


class Spare(NamedTuple):
    out: Annotated[object, written()]
    rows: Annotated[object, written(2)]


both = attachment(Given, Taken)


@kernel
def combined(address):
    given, taken = both(address)
    for e in range(len(given.pair)):
        for j in range(given.grid.shape[1]):
            taken.out[j] += given.pair[e].c * given.grid[given.pair[e].k, j]


def given(rng):
    pair = np.array([(2, 0.5), (0, -3.0)], dtype=[("k", "i4"), ("c", "f8")])
    return Given(pair, rng.normal(size=(3, 4)))


def test_a_kernel_finds_the_arrays_of_an_argument_block(rng):
    parts = given(rng), Taken(np.zeros(4))
    argument_block = ArgumentBlock(*parts)
    combined(argument_block.address)
    np.testing.assert_array_equal(parts[1].out, 0.5 * parts[0].grid[2] - 3.0 * parts[0].grid[0])


def test_an_argument_block_keeps_its_arrays_alive(rng):
    argument_block = ArgumentBlock(given(rng), Taken(np.zeros(4)))
    expected = 0.5 * argument_block.parts[0].grid[2] - 3.0 * argument_block.parts[0].grid[0]
    _ = [np.full(12, 1e9) for _ in range(100)]
    combined(argument_block.address)
    np.testing.assert_array_equal(argument_block.parts[1].out, expected)


@pytest.mark.parametrize(
    "wrong", [np.zeros(4, "f4"), np.zeros((2, 2)), np.zeros(8)[::2]], ids=["type", "shape", "gaps"]
)
def test_an_argument_block_refuses_an_array_that_a_kernel_would_misread(wrong, rng):
    with pytest.raises(TypeError, match=r"Taken.out: .* expected Member"):
        ArgumentBlock(given(rng), Taken(wrong))


def test_an_argument_block_refuses_to_have_read_only_arrays_written(rng):
    out = np.zeros(4)
    out.setflags(write=False)
    with pytest.raises(TypeError, match=r"Taken.out"):
        ArgumentBlock(given(rng), Taken(out))


OUTSIDE = """
import numpy as np
from particlemech._jit import eight, entry, inner, kernel

@kernel
def pick(a, i):
    return a[i]

@entry
def asked(a, i):
    return pick(a, i)

for i in (2, 3, -1):
    try:
        print(asked(np.arange(3.0), i))
    except IndexError:
        print("outside")

@entry
def row(x, r, a):
    t = eight(x, r, a)
    return inner(t, t)

for r, a in ((1, 8), (2, 0), (1, 9)):
    try:
        print(row(np.ones((2, 16)), r, a))
    except IndexError:
        print("outside")
"""


@pytest.mark.skipif(not LEAN, reason="numba itself counts negative indices from the end")
def test_an_index_that_leaves_its_array_is_found_where_that_is_asked_for(tmp_path):
    script = tmp_path / "outside.py"
    script.write_text(OUTSIDE, encoding="utf-8")
    asked = os.environ | {
        "NUMBA_BOUNDSCHECK": "1",
        "XDG_CACHE_HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=asked)
    assert run.stdout.split() == ["2.0", "outside", "outside", "8.0", "outside", "outside"]


@entry
def in_one_go(x, c, out):
    total = 0.0
    for a in range(0, x.shape[1], EIGHT):
        t = eight(x, 0, a)
        for r in range(1, len(x)):
            t = added(c, eight(x, r, a), t)  # kept from round to round
            total += inner(t, eight(x, r, a))
        put(out, 1, a, scaled(c, t))
    return total


@pytest.mark.parametrize("width", [8, 24])
def test_rows_of_eight_are_to_kernels_what_they_are_to_python(width, rng):
    # x begins anywhere: only fresh arrays begin where a line of the cache does
    x, out, other = rng.normal(size=5 * width + 1)[1:].reshape(5, width), np.zeros((2, width)), np.zeros((2, width))
    total = in_one_go(x, 0.3, out)
    np.testing.assert_allclose(total, in_one_go.py_func(x, 0.3, other), rtol=1e-13)
    np.testing.assert_allclose(out, other, rtol=1e-13)
    np.testing.assert_allclose(out[1], 0.3 * (x[0] + 0.3 * x[1:].sum(axis=0)), rtol=1e-13)
    assert not out[0].any()


def test_fresh_arrays_begin_where_a_line_of_the_cache_does():
    found = fresh(Taken, (3,)), fresh(Spare, (3,), (5, 8))
    assert [array.ctypes.data % 64 for group in found for array in group.part] == [0, 0, 0]


SIGNATURES = """
import particlemech as pm
from particlemech.engine.{formulation} import kernels

options = {{"formulation": "{formulation}", "linear_solver": "{linear_solver}", "integrator": "ida"}}
assert pm.simulate(pm.models.load("four_bar"), duration=0.01, **options).t[-1] == 0.01
print(*(len(k.signatures) for k in (kernels.residual, kernels.jacobian)))
"""


@pytest.mark.parametrize("linear_solver", ["dense", "sparse"])
@pytest.mark.parametrize("formulation", ["particles", "absolute"])
def test_kernels_that_python_calls_are_compiled_for_one_kind_of_arguments(formulation, linear_solver):
    # in a new process: other tests call these kernels with arrays of their own
    code = SIGNATURES.format(formulation=formulation, linear_solver=linear_solver)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["1", "1"]


def test_an_edit_of_kernels_or_of_what_they_import_makes_the_cache_a_new_one_and_no_other_edit_does(tmp_path):
    files = {
        "engine/march.py": "from particlemech.engine import sizes\nfrom particlemech.model.spec import A\n\n@kernel\n",
        "engine/sizes.py": "from particlemech.run.table import (\n    A,\n    B,\n)\n",
        "run/table.py": "",
        "_jit/lean.py": "",
        "engine/beside.py": "from particlemech.engine.march import march\n",
        "model/spec.py": "",
    }
    noted = ["engine/march.py", "engine/sizes.py", "run/table.py", "_jit/lean.py"]
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    noticed = []
    for name, text in files.items():
        before = source_hash(tmp_path)
        (tmp_path / name).write_text(text + "edited = True\n", encoding="utf-8")
        if source_hash(tmp_path) != before:
            noticed.append(name)
    assert noticed == noted


# -- lean or ordinary ------------------------------------------------------------------------------------------------


NUMBERS = """
import json, numpy as np
from particlemech import _jit
from particlemech._jit import trial

given = trial.Given(_jit.table([(2, 0.1), (0, -3.7)], trial.PAIR), np.random.default_rng(3).normal(size=(3, 40)))
block = _jit.ArgumentBlock(given, trial.Taken(np.zeros(40)))
total = trial.once(block.address)
last = trial.often(5, block.address)
loaded = sum(sum(k.stats.cache_hits.values()) for k in _jit.ENTRIES)
print(json.dumps([_jit.LEAN, _jit.CACHE.name, loaded, total, last, [x.hex() for x in block.parts[1].out.tolist()]]))
"""


def numbers(cache: Path, **environment):
    """Return what a new process says: lean, name of its cache, kernels loaded, and numbers."""
    everything = os.environ | {"PARTICLEMECH_CACHE": str(cache)} | environment
    run = subprocess.run([sys.executable, "-c", NUMBERS], env=everything, capture_output=True, text=True, check=True)
    assert run.stderr == ""
    return json.loads(run.stdout)


def test_without_the_tricks_kernels_give_the_same_numbers_and_are_kept_in_a_directory_of_their_own(tmp_path):
    lean = numbers(tmp_path, PARTICLEMECH_KERNELS="lean")
    ordinary = [numbers(tmp_path, PARTICLEMECH_KERNELS="ordinary") for _ in range(2)]
    assert [lean[0], ordinary[0][0], ordinary[1][0]] == [True, False, False]
    assert ordinary[0][1] == lean[1] + "-ordinary"
    assert [lean[2], ordinary[0][2], ordinary[1][2]] == [0, 0, 2]
    assert lean[3:] == ordinary[0][3:] == ordinary[1][3:]
    assert lean[3] == pytest.approx(-3.6, rel=1e-15)


def test_the_verdict_of_the_trial_is_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("PARTICLEMECH_CACHE", str(tmp_path))
    monkeypatch.delenv(probe.SWITCH, raising=False)
    assert probe.lean()
    assert [path.read_text() for path in tmp_path.glob("*.verdict")] == ["lean"]
    monkeypatch.setattr(probe, "tried", lambda: pytest.fail("tried again"))
    assert probe.lean()


@pytest.mark.parametrize(
    ("trial", "why"),
    [
        ("import ctypes; ctypes.string_at(0)", "compiling failed: process ended with code"),
        ("raise AttributeError('no such part of numba')", "compiling failed: process ended with code 1"),
        ('print(\'{"numbers": [7.5, -4.25, 36.5], "loaded": 0}\')', "compiling failed: {'numbers': [7.5, -4.25, 36.5]"),
        ('print(\'{"numbers": [7.5, -4.25, 36.0], "loaded": 0}\')', "loading failed: {'numbers': [7.5, -4.25, 36.0]"),
        ("import time; time.sleep(60)", "compiling failed: TimeoutExpired"),
    ],
    ids=["crash", "error", "wrong number", "nothing loaded", "hangs"],
)
def test_a_trial_that_fails_leads_to_ordinary_kernels(tmp_path, monkeypatch, trial, why):
    monkeypatch.setenv("PARTICLEMECH_CACHE", str(tmp_path))
    monkeypatch.delenv(probe.SWITCH, raising=False)
    monkeypatch.setattr(probe, "CODE", trial)
    if "sleep" in trial:
        monkeypatch.setattr(probe, "PATIENCE", 0.5)
    assert not probe.lean()
    assert probe.verdict().startswith(why)


def test_a_segmentation_fault_while_loading_leads_to_ordinary_kernels(tmp_path, monkeypatch):
    # the accident that the trial is for: references are counted, but a kernel from the disk does not start the counter
    monkeypatch.setenv("PARTICLEMECH_CACHE", str(tmp_path))
    monkeypatch.setattr(probe, "CODE", "from particlemech._jit import lean; lean.OPTIONS['_nrt'] = True; " + probe.CODE)
    assert probe.verdict().startswith("loading failed: process ended with code -")
    assert numbers(tmp_path)[0] is False  # another process believes it


def test_a_switch_with_another_word_is_refused(monkeypatch):
    monkeypatch.setenv(probe.SWITCH, "fast")
    with pytest.raises(ValueError, match="PARTICLEMECH_KERNELS must be lean or ordinary, got 'fast'"):
        probe.lean()


def test_a_cache_that_was_filled_for_all_may_be_read_only(tmp_path):
    numbers(tmp_path, PARTICLEMECH_KERNELS="lean")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    for path in sorted(tmp_path.rglob("*"), reverse=True):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert numbers(tmp_path, PARTICLEMECH_KERNELS="lean")[2] == 2
        assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    finally:
        for path in [p for p in tmp_path.rglob("*") if p.is_dir()]:
            path.chmod(0o755)


# -- telling ---------------------------------------------------------------------------------------------------------


def told(capsys, monkeypatch, terminal, always=False):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    monkeypatch.setattr(telling, "_always", always)
    teller = telling.Teller()
    monkeypatch.setattr(teller, "EVERY", 0.0)
    for _ in range(2):
        teller.begin(probe.verdict, ["first", "second"])
        teller.step("first")
        teller.step("second")
        teller.end()
    return capsys.readouterr().err


def test_a_terminal_is_told_what_is_compiled_and_how_far_and_the_line_goes_away(capsys, monkeypatch):
    said = told(capsys, monkeypatch, terminal=True)
    lines = [line.removesuffix("\x1b[K") for line in said.split("\r")]
    name = "compiling _jit.probe.verdict for this computer, once: "
    assert lines[1:5] == [name + "function 1 of 2", name + "function 2 of 2", name + "machine code", ""]


def test_a_command_that_writes_to_a_file_is_told_once_and_a_script_is_not(capsys, monkeypatch):
    assert told(capsys, monkeypatch, terminal=False) == ""
    assert told(capsys, monkeypatch, terminal=False, always=True).splitlines() == [
        "particlemech: compiling for this computer, once; this takes up to half a minute ..."
    ]
