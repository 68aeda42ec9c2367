"""Books of arrays behind one address, and how often kernels are compiled."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import particlemech as pm
from particlemech._jit import Book, _source_hash, attachment, kernel, read, written
from particlemech.absolute import kernels as absolute
from particlemech.planar import kernels as planar


class Given(NamedTuple):
    pair: Annotated[object, read([("k", "i4"), ("c", "f8")])]
    grid: Annotated[object, read("f8", 2)]


class Taken(NamedTuple):
    out: Annotated[object, written()]


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


def test_a_kernel_finds_the_arrays_of_a_book(rng):
    parts = given(rng), Taken(np.zeros(4))
    combined(Book(*parts).address)
    np.testing.assert_array_equal(parts[1].out, 0.5 * parts[0].grid[2] - 3.0 * parts[0].grid[0])


def test_a_book_keeps_its_arrays_alive(rng):
    book = Book(given(rng), Taken(np.zeros(4)))
    expected = 0.5 * book.parts[0].grid[2] - 3.0 * book.parts[0].grid[0]
    _ = [np.full(12, 1e9) for _ in range(100)]
    combined(book.address)
    np.testing.assert_array_equal(book.parts[1].out, expected)


@pytest.mark.parametrize(
    "wrong", [np.zeros(4, "f4"), np.zeros((2, 2)), np.zeros(8)[::2]], ids=["type", "shape", "gaps"]
)
def test_a_book_refuses_an_array_that_a_kernel_would_misread(wrong, rng):
    with pytest.raises(TypeError, match=r"Taken.out: .* expected Member"):
        Book(given(rng), Taken(wrong))


def test_a_book_refuses_to_have_read_only_arrays_written(rng):
    out = np.zeros(4)
    out.setflags(write=False)
    with pytest.raises(TypeError, match=r"Taken.out"):
        Book(given(rng), Taken(out))


@pytest.mark.parametrize("linear_solver", ["dense", "sparse"])
@pytest.mark.parametrize("formulation", ["planar", "absolute"])
def test_kernels_that_python_calls_are_compiled_for_one_kind_of_arguments(formulation, linear_solver):
    mechanism = pm.models.load("four_bar")
    result = pm.simulate(mechanism, duration=0.01, formulation=formulation, linear_solver=linear_solver)
    assert np.all(np.isfinite(result["B"]))
    kernels = {"planar": planar, "absolute": absolute}[formulation]
    assert [len(k.signatures) for k in (kernels.residual, kernels.jacobian)] == [1, 1]


def test_an_edit_of_kernels_or_beside_them_makes_the_cache_a_new_one_and_no_other_edit_does(tmp_path):
    (tmp_path / "planar").mkdir()
    files = {
        "planar/march.py": "@woven\n",
        "planar/numbers.py": "",
        "steps.py": "@kernel\n",
        "_dop853.py": "",
        "cli.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    noticed = []
    for name, text in files.items():
        before = _source_hash(tmp_path)
        (tmp_path / name).write_text(text + "edited = True\n", encoding="utf-8")
        if _source_hash(tmp_path) != before:
            noticed.append(name)
    assert noticed == [name for name in files if name != "cli.py"]
