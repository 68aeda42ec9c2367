"""The page of a sweep, from its dataset: see view/swept.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from particlemech.model.description import Description
from particlemech.model.evaluation import units_of
from particlemech.result.export import Target, checked, write_text
from particlemech.view import swept
from particlemech.view.units import conversion

PAGE = ".html"


def save(mechanism: Description, data: Any, path: Target) -> Path:
    """Write one HTML page of a sweep: curves or maps, and beside them the variant under the pointer.

    Parameters
    ----------
    mechanism
        That was swept.
    data
        What `sweep` has returned.
    path
        The file; its name ends in ".html".

    Examples
    --------
    >>> import particlemech as pm
    >>> m = pm.models.load("four_bar")
    >>> found = pm.sweep(m, crank="30 mm : 80 mm : 50", quantities="B.x.max")  # doctest: +SKIP
    >>> save(m, found, "sweep.html")  # doctest: +SKIP
    """
    target = checked(path, (PAGE,))
    dims, own = data.status.dims, units_of(mechanism)
    free = mechanism.replaced(parameters={name: {"min": None, "max": None} for name in mechanism.parameters})
    names = [str(name) for name in data.coords if name in mechanism.parameters]
    axes = [
        swept.Axis(name, of.attrs.get("units", ""), of.attrs.get("long_name", ""), str(of.dims[0]), of.values)
        for name, of in ((name, data[name]) for name in names)
    ]
    shown = [
        swept.Shown(str(name), of.attrs.get("units", ""), of.values.ravel().astype(float))
        for name, of in data.data_vars.items()
        if of.dims == dims and of.dtype.kind in "biuf"
    ]
    factor = {axis.name: conversion(axis.unit, own[axis.name]) if axis.unit != own[axis.name] else 1.0 for axis in axes}
    places = np.indices(data.status.shape).reshape(len(dims), -1)

    def variant(k: int) -> Description:
        at = dict(zip(dims, places[:, k], strict=True))
        values = {axis.name: float(axis.values[at[axis.dim]]) * factor[axis.name] for axis in axes}
        return free.with_parameters(**values)

    ends = list(zip(data.status.values.ravel().tolist(), data.message.values.ravel().tolist(), strict=True))
    text = swept.page(mechanism, axes, shown, {str(d): data.sizes[d] for d in dims}, ends, variant)
    write_text(text, target)
    return target
