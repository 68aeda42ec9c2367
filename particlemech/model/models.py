"""The models that come with the library, by bare name, and builders of families of any size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from particlemech.errors import ModelError, suggestion
from particlemech.model import toml
from particlemech.model.description import Check, Description, Run
from particlemech.model.joints import Revolute
from particlemech.model.mechanism import Body, Initial, Mechanism

if TYPE_CHECKING:
    from particlemech.model import space

GRAVITY = (0.0, -9.81)  # m/s^2


def names() -> tuple[str, ...]:
    """Return the names of the shipped models, in alphabetical order.

    Examples
    --------
    >>> "four_bar" in names()
    True
    """
    return tuple(sorted(file.stem for file in _folder().glob("*.toml")))


def path(name: str) -> Path:
    """Return the file of a shipped model.

    Parameters
    ----------
    name : str
        Bare name, such as "four_bar".

    Returns
    -------
    Path

    Raises
    ------
    ModelError
        If no shipped model has this name; the nearest one is suggested.

    Examples
    --------
    >>> path("four_bar").name
    'four_bar.toml'
    """
    if name not in names():
        raise ModelError(f'model "{name}" unknown{suggestion(name, names())}')
    return _folder() / f"{name}.toml"


def load(name: str) -> Description:
    """Return a shipped model.

    Parameters
    ----------
    name : str
        Bare name, such as "four_bar".

    Returns
    -------
    Description
        A `Mechanism` of the family that its file names.

    Raises
    ------
    ModelError
        If no shipped model has this name.

    Examples
    --------
    >>> load("four_bar").check.dof
    1
    """
    return toml.load(path(name))


def chain(n: int, *, length: float = 1.0, mass: float = 1.0) -> Mechanism:
    """Return a chain of equal uniform rods that starts from rest, stretched out to the right of its pin at the origin.

    Parameters
    ----------
    n : int
        Number of rods, at least 1.
    length, mass : float
        Of the whole chain, m and kg.

    Returns
    -------
    Mechanism
        Points P0 (fixed) to Pn, bodies link1 to linkn, joints P0 to P(n-1).

    Examples
    --------
    >>> chain(3).points["P3"]
    (1.0, 0.0)
    """
    _check_count(n)
    links = [f"link{i}" for i in range(1, n + 1)]
    return Mechanism(
        name=f"Chain of {n} links",
        about="Equal uniform rods, stretched out sideways and let go; data chosen by us (default 1 m, 1 kg in all).",
        gravity=GRAVITY,
        points={f"P{i}": (length * i / n, 0.0) for i in range(n + 1)},
        bodies={link: Body(points=(f"P{i}", f"P{i + 1}"), mass=mass / n) for i, link in enumerate(links)},
        joints={
            f"P{i}": Revolute(point=f"P{i}", bodies=pair)
            for i, pair in enumerate(zip(["ground", *links], links, strict=False))
        },
        run=Run(duration=1.0, samples=201, rtol=1e-9),
        check=Check(dof=n, energy=1e-6),
    )


def hanging_chain(n: int, *, length: float = 1.0, mass: float = 1.0) -> space.Mechanism:
    """Return a chain of equal uniform rods in space that hangs at rest from a universal joint at the origin.

    Parameters
    ----------
    n : int
        Number of rods, at least 1.
    length, mass : float
        Of the whole chain, m and kg.

    Returns
    -------
    space.Mechanism
        Bodies link1 to linkn, universal joints pin1 to pinn (a rod does not spin), point "end" at the free end.

    Examples
    --------
    >>> hanging_chain(4).points["end"]
    (0.0, 0.0, -1.0)
    """
    from particlemech import space  # here: models of the plane need nothing of space

    _check_count(n)
    m = mass / n
    links = [f"link{i}" for i in range(1, n + 1)]
    across = m * (length / n) ** 2 / 12.0
    return space.Mechanism(
        name=f"Hanging chain of {n} links",
        about="Equal uniform rods on universal joints, at rest; data chosen by us (default 1 m, 1 kg in all).",
        gravity=(0.0, 0.0, -9.81),
        points={"end": (0.0, 0.0, -length)},
        bodies={
            link: space.Body(
                mass=m,
                com=(0.0, 0.0, -length * (2 * i + 1) / (2 * n)),
                inertia=(across, across, 0.0),
                points=("end",) if i == n - 1 else (),
            )
            for i, link in enumerate(links)
        },
        joints={
            f"pin{i + 1}": space.joints.Universal(
                bodies=pair, point=(0.0, 0.0, -length * i / n), axes=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
            )
            for i, pair in enumerate(zip(["ground", *links], links, strict=False))
        },
        run=Run(duration=5.0, samples=251, rtol=1e-9, integrator="auto"),
        check=Check(dof=2 * n, energy=1e-6),
    )


def n_four_bar(n: int) -> Mechanism:
    """Return n square four-bars in a row, the N-four-bar mechanism of the IFToMM benchmark library (A02).

    All loops pass through a singular pose, where n + 1 motions are possible at once, each time the cranks lie flat.

    Parameters
    ----------
    n : int
        Number of loops, at least 1.

    Returns
    -------
    Mechanism
        Points A0 to An (fixed) and B0 to Bn, bodies crank0 to crankn and coupler1 to couplern, joints named like
        their points.

    Examples
    --------
    >>> n_four_bar(2).joints["B1"].bodies
    ('crank1', 'coupler1', 'coupler2')
    """
    _check_count(n)
    bodies = {f"crank{i}": Body(points=(f"A{i}", f"B{i}"), mass=1.0) for i in range(n + 1)}
    bodies |= {f"coupler{i}": Body(points=(f"B{i - 1}", f"B{i}"), mass=1.0) for i in range(1, n + 1)}
    pins: dict[str, tuple[str, ...]] = {f"A{i}": ("ground", f"crank{i}") for i in range(n + 1)}
    for i in range(n + 1):
        pins[f"B{i}"] = (f"crank{i}", *(f"coupler{k}" for k in (i, i + 1) if 1 <= k <= n))
    return Mechanism(
        name=f"N-four-bar, N = {n}",
        about="IFToMM benchmark A02: rods of 1 m and 1 kg, B0 starts with 1 m/s; singular when the cranks lie flat.",
        gravity=GRAVITY,
        points={f"{row}{i}": (float(i), y) for row, y in (("A", 0.0), ("B", 1.0)) for i in range(n + 1)},
        bodies=bodies,
        joints={name: Revolute(point=name, bodies=pair) for name, pair in pins.items()},
        initial=Initial(velocity={"B0": (1.0, 0.0)}),
        run=Run(duration=10.0, samples=401, rtol=1e-10),
        check=Check(dof=1, energy=1e-6, end=_N_FOUR_BAR_END.get(n, {}), tolerance=2e-5),
    )


# place of B0 at t = 10 s from theta'' = K sin(theta), K = g ((n+1)/2 + n)/((n+1)/3 + n), B0 = (sin, cos)(theta)
_N_FOUR_BAR_END = {2: {"B0.x": 0.328458111540815, "B0.y": 0.944518538178601}}


def _check_count(n: int) -> None:
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ModelError(f"n must be a whole number, 1 or more, got {n!r}")


def _folder() -> Path:
    """Return where the model files lie: inside an installed package, or beside it in a checkout."""
    here = Path(__file__).resolve().parents[1]
    installed = here / "_models"
    return installed if installed.is_dir() else here.parent / "models"
