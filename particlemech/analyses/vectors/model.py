"""A vector model: what the user said, checked as far as no numerics are needed.

    model = VectorModel(
        vectors={
            "R1": Vector(direction=turned((1, 0, 0), (0, 0, 1), angle), length=0.1),
            "R2": Vector(direction=[Unknown(guess=1.0), Unknown(), Unknown()], length=0.35),
            "R3": Vector(direction=[1, 0, 0], length=Unknown(guess=0.4)),
            "R4": Vector(direction=[0, 0, 1]),
        },
        relations={
            "loop": Loop(vectors=["R1", "R2", "-R3"]),
            "rod": Dot(vectors=["R2", "R4"], cosine=0.0),
        },
    )

Every value may also be a table of keys as a TOML reader delivers them, VectorModel(**tomllib.loads(text)).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from particlemech.analyses.vectors import relations
from particlemech.analyses.vectors.parameters import one_of
from particlemech.analyses.vectors.parts import Connection, Element, Vector
from particlemech.analyses.vectors.relations import RelationSpec
from particlemech.analyses.vectors.relations.loop import terms
from particlemech.errors import ModelError, part, suggestion
from particlemech.model.description import GROUND, NAME
from particlemech.model.spec import (
    FrozenMapping,
    Spec,
    Vector3,
    key,
    mapping_of,
    pair_of_names,
    sequence,
    text,
    vector3,
)
from particlemech.model.table_forms import spec_of


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    """A list of pairs of vectors."""
    return tuple(pair_of_names(v) for v in sequence(value))


@dataclass(frozen=True, kw_only=True)
class VectorModel(Spec):
    """Vectors, relations between them, and solid elements with the connections that push them."""

    name: str = key(text, "title", "vector model")
    gravity: Vector3 = key(vector3, "length/s^2", (0.0, 0.0, 0.0))
    vectors: Mapping[str, Vector] = key(mapping_of(spec_of(Vector)), "system vectors")
    relations: Mapping[str, RelationSpec] = key(
        mapping_of(one_of(relations.NAMES, RelationSpec)), "loops, dot products, cross products", FrozenMapping()
    )
    rigid: tuple[tuple[str, str], ...] = key(
        _pairs, "pairs of vectors that turn together; principal and plane vectors of elements do anyway", ()
    )
    elements: Mapping[str, Element] = key(mapping_of(spec_of(Element)), "solid elements", FrozenMapping())
    connections: Mapping[str, Connection] = key(
        mapping_of(spec_of(Connection)), "forces and moments at nodes", FrozenMapping()
    )

    def verify(self) -> None:
        """Check all names."""
        if not self.vectors:
            raise ModelError('section "vectors": a vector model needs at least one vector')
        for name in (*self.vectors, *self.relations, *self.elements, *self.connections):
            if not NAME(name) or name.startswith("-") or not name.isprintable() or name != name.strip():
                raise ModelError(
                    f'the name "{name}" holds a dot, comma, quote or control character, a minus or a space at an end; '
                    "rename it"
                )
        for name, relation in self.relations.items():
            with part(f'relation "{name}"'):
                for v in relation.ties:
                    self.known_vector(v)
        for pair in self.rigid:
            with part('key "rigid"'):
                for v in pair:
                    self.known_vector(v)
        for name, element in self.elements.items():
            with part(f'element "{name}"'):
                for v in (element.principal, element.plane or element.principal, *(v for v, _ in terms(element.path))):
                    self.known_vector(v)
        for name, connection in self.connections.items():
            with part(f'connection "{name}"'):
                for node in connection.nodes:
                    if node != GROUND:
                        self.node(node)
                for axis in connection.axes:
                    if isinstance(axis, str):
                        self.known_vector(axis)

    def known_vector(self, v: str) -> None:
        """Check that a name is that of a vector."""
        if v not in self.vectors:
            raise ModelError(f'vector "{v}" unknown{suggestion(v, self.vectors)}')

    def node(self, node: str) -> tuple[str, str]:
        """Return element and node of "element.node"."""
        element, _, place = node.partition(".")
        if element not in self.elements:
            raise ModelError(f'element "{element}" unknown{suggestion(element, [*self.elements, GROUND])}')
        if place not in self.elements[element].nodes:
            known = suggestion(place, self.elements[element].nodes)
            raise ModelError(f'element "{element}" has no node "{place}"{known}')
        return element, place

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Pairs of vectors that turn together, each once."""
        solid = ((e.principal, e.plane) for e in self.elements.values() if e.plane is not None)
        return tuple(dict.fromkeys((*self.rigid, *solid)))

    def replaced(self, **changes: Any) -> Self:
        """Return a changed copy; in sections of named parts, those that are named are replaced, by None taken out."""
        new: dict[str, Any] = {}
        known = [f.name for f in dataclasses.fields(self)]
        for section, change in changes.items():
            if section not in known:
                raise ModelError(f'key "{section}" unknown{suggestion(section, known)}')
            old = getattr(self, section)
            if isinstance(old, FrozenMapping) and isinstance(change, Mapping):
                merged = {**old, **change}
                new[section] = {name: value for name, value in merged.items() if value is not None}
            else:
                new[section] = change
        return dataclasses.replace(self, **new)
