"""Files of sweeps: the whole dataset (.nc), or a table with one row for each case (.csv, .parquet)."""

from __future__ import annotations

import csv
import importlib
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from particlemech.errors import ModelError
from particlemech.result.export import Target, aside, checked


def columns(data: Any) -> dict[str, Any]:
    """Return a dataset as columns with one row for each case: parameters, figures, status and message, (N,) each.

    Raises
    ------
    ModelError
        If a quantity is a curve, for which a row has no room.
    """
    dims = data.status.dims
    for name, of in data.data_vars.items():
        if of.dims != dims:
            raise curve_in_a_row(str(name))
    own = [str(name) for name in (*dims, *data.coords) if name in data.coords and set(data[name].dims) <= set(dims)]
    found = {name: _broadcast(data, name) for name in dict.fromkeys(own)}
    return found | {str(name): of.values.ravel() for name, of in data.data_vars.items()}


def curve_in_a_row(name: str) -> ModelError:
    """Return the error of a table that is asked for curves."""
    return ModelError(
        f'"{name}" is a curve of each case, which no row of a table holds; write .nc, or ask for a figure, such as '
        f'"{name}.max"'
    )


def _broadcast(data: Any, name: str) -> Any:
    """Return a coordinate along all dimensions of the cases, (N,)."""
    dims, of = data.status.dims, data[name]
    shape = [data.sizes[dim] if dim in of.dims else 1 for dim in dims]
    return np.broadcast_to(of.values.reshape(shape), data.status.shape).ravel()


def write_csv(data: Any, path: Target) -> None:
    """Write comment lines `# key: value`, a header, then one row for each case."""
    table = columns(data)
    units = {name: data[name].attrs["units"] for name in table if data[name].attrs.get("units")}
    text = io.StringIO()
    for key, value in {**data.attrs, "units": units}.items():
        text.write(f"# {key}: {json.dumps(_plain(value), ensure_ascii=False)}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))
    with aside(path) as file:
        file.write(text.getvalue().encode())


def _plain(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, Mapping)) or value is None else str(value)


def write_parquet(data: Any, path: Target) -> None:
    """Write a table for data frames; needs pandas and pyarrow."""
    try:
        import pandas

        importlib.import_module("pyarrow")
    except ImportError as error:
        raise ModelError(f"a .parquet file needs {error.name}; install it with: pip install pandas pyarrow") from None
    frame = pandas.DataFrame(columns(data))
    with aside(path) as file:
        frame.to_parquet(file)


def write_netcdf(data: Any, path: Target) -> None:
    """Write the whole dataset; `xarray.open_dataset` reads it."""
    with aside(path) as file:
        file.write(bytes(data.to_netcdf(engine="scipy")))


WRITERS: dict[str, Callable[[Any, Target], None]] = {
    ".nc": write_netcdf,
    ".csv": write_csv,
    ".parquet": write_parquet,
}


def write(data: Any, path: Target) -> Path:
    """Write the dataset of a sweep; the suffix, .nc, .csv or .parquet, chooses the format."""
    target = checked(path, tuple(WRITERS))
    WRITERS[target.suffix.lower()](data, target)
    return target
