"""Materials of bending bodies: stiffness and mass along the length, of a section; sections.py (2), (3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from particlemech.errors import ModelError
from particlemech.model.applied import Array
from particlemech.model.spec import Vector3, kind_name, parallel

if TYPE_CHECKING:
    from particlemech.model.space.parts import Body

MATERIAL = ("E", "G", "nu", "rho", "section", "up")  # keys of a body that go together


def check_material(body: Body) -> None:
    """Check that stiffness and mass are said once: by numbers per length, or by a section and its material."""
    words = [k for k in MATERIAL if getattr(body, k) is not None]
    if not words:
        return
    if body.section is None:
        raise ModelError(
            f'key "{words[0]}": means something with a "section" only; add one, such as '
            '{ type = "round", diameter = ... }, or give EI, GJ and density in its place'
        )
    if body.E is None:
        raise ModelError('key "E" is missing; a section needs the modulus of elasticity, force/length^2')
    for k in ("EI", "GJ", "EA", "K"):
        if getattr(body, k) is not None:
            raise ModelError(
                f'keys "{k}" and "E" both give the stiffness; take "{k}" out, or "E" and what goes with it '
                f"({', '.join(words)})"
            )
    for k in ("density", "rotary"):
        if body.rho is not None and getattr(body, k) is not None:
            raise ModelError(f'keys "{k}" and "rho" both give the mass along the length; take one of them out')
    if body.G is not None and body.nu is not None:
        raise ModelError('keys "G" and "nu" both give the shear modulus, G = E/(2 (1 + nu)); take one of them out')
    if body.nu is not None and not -1.0 < body.nu <= 0.5:
        raise ModelError(f'key "nu": {body.nu:g}, but Poisson\'s ratio lies between -1 and 0.5; steel has 0.3')
    if body.up is None and not body.section.round:
        raise ModelError(
            f'key "up" is missing; the section is of type "{kind_name(type(body.section))}", and where its height '
            'points must be said, such as up = "z"'
        )


def check_up(body: Body, line: tuple[Vector3, Vector3]) -> None:
    """Check that the height of a section points off the line of its body."""
    along = tuple(b - a for a, b in zip(*line, strict=True))
    if body.up is not None and parallel(along, body.up):  # type: ignore[arg-type]
        raise ModelError(
            f'key "up": {list(body.up)} points along the body itself, where a section has no height; give a direction '
            "across it"
        )


def principal_axes(body: Body, along: Vector3) -> tuple[Array, Array, Array]:
    """Return x, y, z of the section in the drawing, unit vectors (3,); `along` is that of the body."""
    x = np.array(along)
    up = np.eye(3)[int(np.argmin(np.abs(x)))] if body.up is None else np.array(body.up)  # round: any will do
    z = up - (up @ x) * x
    z /= np.linalg.norm(z)
    return x, np.cross(z, x), z


def stiffness(body: Body, along: Vector3, word: str) -> Array:
    """Return EI, GJ or EA of a section as a tensor in the drawing, (3, 3), by (2).

    EI works on displacements, GJ on rotations, EA on displacements again, each along its directions.
    """
    x, y, z = principal_axes(body, along)
    it = body.section
    assert it is not None
    assert body.E is not None
    if word == "EI":
        return body.E * (it.I_z * np.outer(y, y) + it.I_y * np.outer(z, z))
    if word == "EA":
        return body.E * it.area * np.outer(x, x)
    if body.G is None and body.nu is None:
        raise ModelError('key "G" is missing, and the body twists; add the shear modulus, or Poisson\'s ratio "nu"')
    shear = body.G if body.G is not None else 0.5 * body.E / (1.0 + (body.nu or 0.0))
    return shear * it.J * np.outer(x, x)


def rotary(body: Body, along: Vector3) -> Array:
    """Return the rotary inertia per length of a section in the drawing, (3, 3), by (3)."""
    x, y, z = principal_axes(body, along)
    it, rho = body.section, body.rho or 0.0
    assert it is not None
    return rho * ((it.I_y + it.I_z) * np.outer(x, x) + it.I_y * np.outer(y, y) + it.I_z * np.outer(z, z))
