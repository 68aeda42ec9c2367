"""The parts of a vector model that come in one kind: vectors, solid elements, and the connections between these."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from particlemech.analyses.vectors.parameters import ParameterSpec, components3, parameter, parameters3
from particlemech.analyses.vectors.relations.loop import signed
from particlemech.errors import ModelError
from particlemech.model import inertia as tensors
from particlemech.model.description import GROUND
from particlemech.model.spec import (
    FrozenMapping,
    Spec,
    Vector3,
    direction3,
    key,
    mapping_of,
    name,
    not_negative,
    pair_of_names,
    sequence,
    vector3,
)

ROUND = 1e-12  # what counts as equal among numbers that a user writes
Three = tuple[ParameterSpec, ParameterSpec, ParameterSpec]


@dataclass(frozen=True, kw_only=True)
class Vector(Spec):
    """A system vector R = P_4 (P_1, P_2, P_3), [J84] (1), each parameter known, driven or unknown.

    The spin about its own axis is arbitrary, [J84] (9): by default zero, or that of the element the vector belongs to.
    """

    direction: Three = key(parameters3, "three direction cosines")
    length: ParameterSpec = key(parameter, "length", 1.0)
    spin: ParameterSpec | None = key(
        parameter, "turning about itself, rad/s; unknown: its present value, whose rate the moments decide", None
    )

    @property
    def parameters(self) -> tuple[ParameterSpec, ...]:
        """P_1, P_2, P_3, P_4."""
        return (*self.direction, self.length)


def _axes(value: Any) -> tuple[str | Vector3, ...]:
    """Three directions at right angles, each a vector's name or three numbers."""
    result = tuple(name(v) if isinstance(v, str) else direction3(v) for v in sequence(value))
    if len(result) != 3:
        raise ModelError(f"expected three directions, got {len(result)}")
    return result


@dataclass(frozen=True, kw_only=True)
class Element(Spec):
    """A rigid body that turns with its principal vector; its axes are those of [J84] (14).

    Axis 1 lies along the principal vector, axis 3 along principal x plane vector. A path of system vectors leads from
    the origin to one of its nodes, or to its centre of mass.
    """

    principal: str = key(name, "the vector whose direction and angular velocity it has")
    plane: str | None = key(
        name, "a second vector fixed in it; may be left out for a body of revolution about axis 1", None
    )
    mass: float = key(not_negative, "mass")
    inertia: tuple[float, ...] = key(
        tensors.inertia, "tensor about the centre of mass in element axes, mass length^2; xy = -sum of m x y"
    )
    path: tuple[str, ...] = key(signed, 'vectors from the origin, such as ["R1", "-R2"]; empty: the origin itself', ())
    reaches: str | None = key(name, "the node to which the path leads; default: the centre of mass", None)
    nodes: Mapping[str, Vector3] = key(
        mapping_of(vector3), "places from the centre of mass in element axes, length", FrozenMapping()
    )

    @property
    def tensor(self) -> tensors.Tensor:
        """All six entries of its inertia."""
        return tensors.tensor(self.inertia)

    def verify(self) -> None:
        """Check that some mass can have this inertia, and that the axes are known where they matter."""
        tensors.check(self.mass, self.tensor)
        if self.reaches is not None and self.reaches not in self.nodes:
            raise ModelError(f'key "reaches": no node "{self.reaches}"; add it to the nodes')
        if self.plane == self.principal:
            raise ModelError(f'key "plane": "{self.plane}" is the principal vector; name another, or none')
        if self.plane is not None:
            return
        _, yy, zz, *products = self.tensor
        lateral = [node for node, (_, y, z) in self.nodes.items() if math.hypot(y, z) > 0.0]
        if abs(yy - zz) > ROUND * max(yy, zz) or any(products) or lateral:
            raise ModelError(
                'key "plane" is missing: only a body of revolution about axis 1 with all nodes on that axis may do '
                "without; name a second vector that is fixed in the element"
            )


@dataclass(frozen=True, kw_only=True)
class Connection(Spec):
    """Force and moment between two elements, or the ground and an element; what is given acts on the second.

    Each of the six components is given, or unknown and found. An applied load is a connection to ground whose
    components are all given.
    """

    nodes: tuple[str, str] = key(pair_of_names, '"ground" or "element.node", then "element.node"')
    force: Three = key(components3, 'components, each a number, a signal or "unknown"', (0.0, 0.0, 0.0))
    moment: Three = key(components3, 'components, each a number, a signal or "unknown"', (0.0, 0.0, 0.0))
    axes: tuple[str | Vector3, ...] = key(
        _axes,
        "along which the components count, at right angles; vectors by name, or numbers",
        ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    )

    @property
    def components(self) -> tuple[ParameterSpec, ...]:
        """Those of the force, then those of the moment."""
        return (*self.force, *self.moment)

    def verify(self) -> None:
        """Check that it acts on an element."""
        if self.nodes[1] == GROUND:
            raise ModelError('the ground stands second; write nodes = ["ground", "element.node"]')
        if self.nodes[0] == self.nodes[1]:
            raise ModelError(f'"{self.nodes[0]}" is connected to itself; name two nodes')
