"""Cross-sections of bending bodies: area, second moments, torsion constant, and the stresses they give.

Axes of a section: x along the body, z its `up`, and y = z x x. Height is along z, width along y. All shapes here are
symmetric about y and z, so that these are principal axes and the shear centre lies on the line of the body.

    A = int dA,   I_y = int z^2 dA,   I_z = int y^2 dA,   J: a torque T twists by T/(G J) per length                 (1)
    EI = E I_y for displacements along z, E I_z along y;   GJ = G J;   EA = E A;   G = E/(2 (1 + nu))                (2)
    density = rho A,   rotary inertia per length rho diag(I_y + I_z, I_y, I_z) about x, y, z                         (3)
    sigma = N/A + M_y z/I_y - M_z y/I_z            normal stress of beams                                            (4)

Torsion of rectangles and of thin walls: S. Timoshenko and J. N. Goodier, Theory of Elasticity, 3rd ed., chapter 10.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from particlemech.errors import ModelError, suggestion
from particlemech.model.applied import Array
from particlemech.model.spec import (
    Spec,
    check_keys,
    fields_of,
    key,
    kind_name,
    not_negative,
    positive,
    shown,
)
from particlemech.model.table_forms import spec_of

SERIES = range(1, 60, 2)  # odd numbers: the series for rectangles has converged to rounding


class Stress(NamedTuple):
    """The largest stresses of a section, force/length^2."""

    normal: Array  # of tension and bending, its size
    shear: Array  # of torsion


class Section(Spec):
    """Base of sections: what (1) to (4) need."""

    says_type: ClassVar[bool] = True
    round: ClassVar[bool] = False  # alike in all directions

    @property
    @abstractmethod
    def area(self) -> float:
        """A, length^2."""

    @property
    @abstractmethod
    def I_y(self) -> float:
        """Second moment of bending along z, length^4."""

    @property
    @abstractmethod
    def I_z(self) -> float:
        """Second moment of bending along y, length^4."""

    @property
    @abstractmethod
    def J(self) -> float:
        """Torsion constant, length^4."""

    @property
    @abstractmethod
    def c_y(self) -> float:
        """Distance of the extreme fibre along y, length."""

    @property
    @abstractmethod
    def c_z(self) -> float:
        """Distance of the extreme fibre along z, length."""

    @property
    @abstractmethod
    def W_t(self) -> float:
        """Torsion modulus, length^3: the largest shear stress of a torque T is T/W_t."""

    def stress(self, N: Any, My: Any, Mz: Any, T: Any) -> Stress:
        """Return the largest stresses of a section.

        Parameters
        ----------
        N : float or array
            Force along the body.
        My, Mz : float or array
            Bending moments about y and z of the section.
        T : float or array
            Torque about x.

        Returns
        -------
        Stress
            `normal`, the largest size of (4) over the section, and `shear`, the largest of torsion. They need not occur
            at the same fibre, and neither shear forces nor an equivalent stress such as that of von Mises are in them.

        Examples
        --------
        >>> Rectangle(width=0.02, height=0.05).stress(N=1000.0, My=10.0, Mz=0.0, T=0.0).normal.round(6)  # 1 + 1.2 MPa
        np.float64(2200000.0)
        """
        N, My, Mz, T = (np.abs(np.asarray(v, dtype=float)) for v in (N, My, Mz, T))
        return Stress(N / self.area + self._bending(My, Mz), T / self.W_t)

    def _bending(self, My: Array, Mz: Array) -> Array:
        """Return the largest part of bending in (4): at a corner, where both extreme fibres meet."""
        return My * self.c_z / self.I_y + Mz * self.c_y / self.I_z


class _Circular(Section):
    """What full and hollow rods share; any direction is a principal one."""

    round: ClassVar[bool] = True

    @property
    @abstractmethod
    def radius(self) -> float:
        """Of the outline, length."""

    @property
    def I_z(self) -> float:
        """Second moment of bending along y, length^4."""
        return self.I_y

    @property
    def J(self) -> float:
        """Torsion constant, length^4; exact: the polar second moment."""
        return 2.0 * self.I_y

    @property
    def c_y(self) -> float:
        """Distance of the extreme fibre along y, length."""
        return self.radius

    @property
    def c_z(self) -> float:
        """Distance of the extreme fibre along z, length."""
        return self.radius

    @property
    def W_t(self) -> float:
        """Torsion modulus, length^3."""
        return self.J / self.radius

    def _bending(self, My: Array, Mz: Array) -> Array:
        """Return the largest part of bending in (4): both moments are one, about their resultant."""
        return np.hypot(My, Mz) * self.radius / self.I_y


@dataclass(frozen=True, kw_only=True)
class Round(_Circular):
    """A full round bar."""

    diameter: float = key(positive, "of the bar, length", dimension="length")

    @property
    def radius(self) -> float:
        """Of the outline, length."""
        return 0.5 * self.diameter

    @property
    def area(self) -> float:
        """pi d^2/4."""
        return math.pi * self.diameter**2 / 4.0

    @property
    def I_y(self) -> float:
        """pi d^4/64."""
        return math.pi * self.diameter**4 / 64.0


@dataclass(frozen=True, kw_only=True)
class Tube(_Circular):
    """A round tube."""

    outer: float = key(positive, "outer diameter, length", dimension="length")
    inner: float = key(not_negative, "inner diameter, length", dimension="length")

    def verify(self) -> None:
        """Check that there is a wall."""
        if self.inner >= self.outer:
            raise ModelError(
                f'key "inner": {self.inner:g} leaves no wall inside outer = {self.outer:g}; make it smaller'
            )

    @property
    def radius(self) -> float:
        """Of the outline, length."""
        return 0.5 * self.outer

    @property
    def area(self) -> float:
        """pi (D^2 - d^2)/4, as a product that thin walls leave exact."""
        return math.pi * (self.outer - self.inner) * (self.outer + self.inner) / 4.0

    @property
    def I_y(self) -> float:
        """pi (D^4 - d^4)/64."""
        return self.area * (self.outer**2 + self.inner**2) / 16.0


@dataclass(frozen=True, kw_only=True)
class Rectangle(Section):
    """A full rectangle."""

    width: float = key(positive, "along y of the section, across `up`, length", dimension="length")
    height: float = key(positive, "along z of the section, its `up`, length", dimension="length")

    @property
    def area(self) -> float:
        """b h."""
        return self.width * self.height

    @property
    def I_y(self) -> float:
        """b h^3/12."""
        return self.width * self.height**3 / 12.0

    @property
    def I_z(self) -> float:
        """h b^3/12."""
        return self.height * self.width**3 / 12.0

    @property
    def J(self) -> float:
        """l s^3 (1/3 - 64/pi^5 (s/l) sum tanh(n pi l/2s)/n^5), n odd; s the short side, l the long one; exact."""
        short, long = sorted((self.width, self.height))
        terms = math.fsum(math.tanh(0.5 * n * math.pi * long / short) / n**5 for n in SERIES)
        return long * short**3 * (1.0 / 3.0 - 64.0 / math.pi**5 * short / long * terms)

    @property
    def c_y(self) -> float:
        """b/2."""
        return 0.5 * self.width

    @property
    def c_z(self) -> float:
        """h/2."""
        return 0.5 * self.height

    @property
    def W_t(self) -> float:
        """J/(s (1 - 8/pi^2 sum 1/(n^2 cosh(n pi l/2s)))), n odd: the stress in the middle of the long side."""
        short, long = sorted((self.width, self.height))
        powers = (0.5 * n * math.pi * long / short for n in SERIES)
        terms = math.fsum(
            2.0 * math.exp(-p) / (1.0 + math.exp(-2.0 * p)) / n**2 for n, p in zip(SERIES, powers, strict=True)
        )
        return self.J / (short * (1.0 - 8.0 / math.pi**2 * terms))


@dataclass(frozen=True, kw_only=True)
class IBeam(Section):
    """An I with two equal flanges, across its `up`; J is that of thin walls, and warping is free."""

    word: ClassVar[str] = "I"

    height: float = key(positive, "over all, along `up`, length", dimension="length")
    width: float = key(positive, "of the flanges, length", dimension="length")
    web: float = key(positive, "thickness of the web, length", dimension="length")
    flange: float = key(positive, "thickness of each flange, length", dimension="length")

    def verify(self) -> None:
        """Check that there is an I."""
        if self.web >= self.width:
            raise ModelError(f'key "web": {self.web:g} is not less than width = {self.width:g}; take a rectangle')
        if 2.0 * self.flange >= self.height:
            raise ModelError(
                f'key "flange": two of {self.flange:g} leave no web in height = {self.height:g}; take a rectangle'
            )

    @property
    def clear(self) -> float:
        """Height of the web between the flanges, length."""
        return self.height - 2.0 * self.flange

    @property
    def area(self) -> float:
        """2 b t_f + h_w t_w."""
        return 2.0 * self.width * self.flange + self.clear * self.web

    @property
    def I_y(self) -> float:
        """(b h^3 - (b - t_w) h_w^3)/12."""
        return (self.width * self.height**3 - (self.width - self.web) * self.clear**3) / 12.0

    @property
    def I_z(self) -> float:
        """(2 t_f b^3 + h_w t_w^3)/12."""
        return (2.0 * self.flange * self.width**3 + self.clear * self.web**3) / 12.0

    @property
    def J(self) -> float:
        """(2 b t_f^3 + h_w t_w^3)/3: the sum over thin walls, right to about the part that t is of the width."""
        return (2.0 * self.width * self.flange**3 + self.clear * self.web**3) / 3.0

    @property
    def c_y(self) -> float:
        """b/2."""
        return 0.5 * self.width

    @property
    def c_z(self) -> float:
        """h/2."""
        return 0.5 * self.height

    @property
    def W_t(self) -> float:
        """J/t of the thickest wall, away from corners."""
        return self.J / max(self.web, self.flange)


KINDS: tuple[type[Section], ...] = (Rectangle, Round, Tube, IBeam)
NAMES = {kind_name(kind): kind for kind in KINDS}


def section(value: Any) -> Section:
    """A table {type = "rectangle", width, height}, or of another kind of section."""
    if isinstance(value, Section):
        return value
    if not isinstance(value, Mapping):
        raise ModelError(f'expected a table such as {{ type = "round", diameter = 0.02 }}, got {shown(value)}')
    word = value.get("type")
    if word is None:
        raise ModelError(f'key "type" is missing; one of {", ".join(NAMES)}')
    if not isinstance(word, str) or word not in NAMES:
        raise ModelError(f"type {shown(word)} unknown{suggestion(word, NAMES)}")
    kind = NAMES[word]
    check_keys(value, fields_of(kind), ("type",))
    made: Section = spec_of(kind)({k: v for k, v in value.items() if k != "type"})
    return made
