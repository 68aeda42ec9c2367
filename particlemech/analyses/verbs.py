"""What every mechanism can be asked besides `simulate`: to be saved, checked, validated and explained."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from particlemech.analyses.offered import answered, kind_of
from particlemech.errors import ModelError
from particlemech.model.description import Description
from particlemech.model.spec import shown

if TYPE_CHECKING:
    from particlemech.analyses.report import Verdict
    from particlemech.analyses.validation import Validation


def save(mechanism: Description, path: str | PathLike[str]) -> Path:
    """Write a mechanism to a model file, which `load` reads back equal.

    A mechanism that was loaded from a file, or made of such a one by `replaced` and `with_parameters`, is written as
    that file with what has changed: comments, units and expressions stay. For all others the file is
    written anew, defaults left out.

    The file is written beside its place and renamed: whatever happens, it is whole, or as it was before.

    Parameters
    ----------
    mechanism
        Of any family; without Python functions, which no file can hold.
    path
        The file; its name ends in ".toml".

    Returns
    -------
    Path
        The file that was written.

    Raises
    ------
    ModelError
        If the suffix is another one, the mechanism cannot be said in a file, or the place cannot be written to.

    Examples
    --------
    >>> import tempfile
    >>> import particlemech as pm
    >>> heavy = pm.models.load("four_bar").replaced(bodies={"crank": {"mass": 3.0}})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pm.load(pm.save(heavy, folder + "/heavy.toml")) == heavy
    True
    """
    from particlemech.model import toml
    from particlemech.result import export

    kind_of("save", mechanism)
    if not isinstance(path, (str, PathLike)):
        raise ModelError(f"save: path must be the name of a file, got {shown(path)}")
    target = export.checked(path, (".toml",))
    text = toml.written(mechanism, target.parent)
    with toml.beside(target.parent):
        same = toml.loads(text) == mechanism
    if not same:
        raise ModelError(
            f'cannot write "{target}": it would read back as another mechanism, a fault of ours; report it'
        )
    export.write_text(text, target)
    return target


def check(mechanism: Description) -> Verdict:
    """Return what can be said of a mechanism without running it: degrees of freedom, redundant joints, open reactions.

    Parameters
    ----------
    mechanism
        Of any family, in its start.

    Returns
    -------
    Verdict
        `dof`, the degrees of freedom, driven ones included; `rows`, pairs (what, finding) of text, as `particlemech
        check` prints them; `found`, the same as numbers, of the family. Printed it is a table.

    Examples
    --------
    >>> import particlemech as pm
    >>> found = pm.check(pm.models.load("four_bar"))
    >>> found.dof, found.found.redundant
    (1, ())
    """
    found: Verdict = answered("check", mechanism)
    return found


def validate(
    mechanism: Description,
    *,
    tolerance: float | None = None,
    duration: float | None = None,
    samples: int | None = None,
    rtol: float | None = None,
) -> Validation:
    """Run a mechanism twice, by ways that share as little as possible, and compare every quantity.

    Parameters
    ----------
    mechanism
        Of any family.
    tolerance
        Largest difference that counts as agreement, as a fraction of the range of each quantity; default 1e-5.
    duration, samples, rtol
        s, number of output times, relative tolerance; defaults are those of the model's [run].

    Returns
    -------
    Validation
        `agreed`, `verdict` (one line), `differences` (per quantity), and both results, `first` and `second`.

    Examples
    --------
    >>> import particlemech as pm
    >>> pm.validate(pm.models.load("pendulum"), duration=0.5, samples=6).verdict
    'agreed within 1e-05 of each range'
    """
    options = {"tolerance": tolerance, "duration": duration, "samples": samples, "rtol": rtol}
    found: Validation = answered("validate", mechanism, **options)
    return found


def explain(mechanism: Description, method: str | None = None, t: float = 0.0) -> str:
    """Return a page about the equations of a mechanism: its particles and chains, three methods, or cuts and loops.

    Parameters
    ----------
    mechanism
        In the plane (the method of equivalent particles), a tree (three methods), or in space (cuts and loops).
    method
        Of a tree, "newton-euler", "motion-law" or "kane": the whole table of one; default all three in short.
    t
        The instant, s, in the plane and of a tree; it is simulated up to there.

    Returns
    -------
    str
        Lines of text, to be printed.

    Examples
    --------
    >>> import particlemech as pm
    >>> print(pm.explain(pm.models.load("rssr")).splitlines()[1])
    3 bodies, 4 joints, 1 drivers; 1 loops, 1 cut joints, 0 floating chains; units SI
    """
    found = answered("explain", mechanism, method=method, t=t)
    return "\n".join(getattr(found, "lines", found))
