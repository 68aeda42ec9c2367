"""The families of mechanisms, by the key "kind" of their files: the plane, and space."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from particlemech.errors import ModelError, suggestion
from particlemech.model import old_words
from particlemech.model.description import Description
from particlemech.model.spec import IN_SPACE, Spec, fields_of, shown

# where the class Mechanism of each is: imported when one is read
DEFAULT, SPACE = "planar", "spatial"
FAMILIES = {
    DEFAULT: "particlemech.model.mechanism",
    SPACE: "particlemech.model.space.mechanism",
}


def family_of(kind: Any) -> type[Description]:
    """Return the class that describes mechanisms of a kind."""
    if not isinstance(kind, str) or kind not in FAMILIES:
        word = f'"{kind}"' if isinstance(kind, str) else shown(kind)
        old = old_words.renamed(old_words.KINDS, "kind", kind, FAMILIES)
        raise ModelError(old or f'key "kind": {word} unknown{suggestion(kind, FAMILIES)}')
    family: type[Description] = import_module(FAMILIES[kind]).Mechanism
    return family


@contextmanager
def or_of_space(
    table: Mapping[str, Any], here: Any, there: Callable[[type[Description]], type[Spec] | None]
) -> Iterator[None]:
    """Say of a table that is refused which of its words only mechanisms in space know, or the plane, and what to do.

    Parameters
    ----------
    table
        What the file says.
    here
        The spec that refuses it; None: there is no kind of that name.
    there
        Finds what reads such a table in a class that describes mechanisms.
    """
    try:
        yield
    except ModelError as error:
        other = there(family_of(SPACE))
        cure = getattr(there(family_of(DEFAULT)), "in_space", None) if here is None and other is None else None
        if cure is not None:
            raise ModelError(f'type "{table["type"]}" is for mechanisms in the plane; {cure}') from None
        if other is not None and here is None:
            raise ModelError(
                f'type "{table["type"]}" is for mechanisms in space; {IN_SPACE}, or take one of the plane'
            ) from None
        if other is not None:
            known = {f.name for f in fields_of(other)} - {f.name for f in fields_of(here)}
            for word in table:
                if word in known and f'"{word}"' in str(error):
                    raise ModelError(f'key "{word}" is for mechanisms in space; {IN_SPACE}, or leave it out') from None
        raise
