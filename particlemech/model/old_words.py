"""Words that model files and options once used, or use elsewhere, and what they are called here and now.

Asked only for a word that is unknown where it stands, and answered only where the new word is known there: so one table
serves the plane and space, and a word that is still in use somewhere is never refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple


class Word(NamedTuple):
    """What an old word is called now."""

    now: tuple[str, ...]  # the first of these that is known where the old word stands
    cure: str = ""  # or what to write instead


KEYS: Mapping[str, Word] = {
    "direction": Word(("axis",)),
    "at": Word(("point", "points")),
    "rest": Word(("angle", "length")),
    "links": Word(("bodies",)),
    "link": Word(("body", "bodies")),
    "parent": Word(("bodies",), 'write bodies = [the parent, the child]; the key "parent" is gone'),
    "child": Word(("bodies",), 'write bodies = [the parent, the child]; the key "child" is gone'),
    "locked": Word(("bodies",), 'join the bodies by a "weld", or hold the joint by a driver with motion = 0'),
    **dict.fromkeys(("geometry", "stiffening"), Word(("bending",), 'it stands in the table "bending"')),
    "free": Word(
        ("axis",), 'only a "slot" of the plane begins free, and holds from where an event locks it; take it out'
    ),
    "friction": Word(("efficiency",), 'what it loses is its "efficiency"; friction is that of the pins of its bodies'),
    "rotor": Word(
        ("reduction",),
        "in space it is that of the drive of its joint, reduction^2 times its inertia: drive = { rotor = ... } there",
    ),
    "base": Word(("bodies",), 'the base is a body on a "free" joint, or the ground'),
    **dict.fromkeys(
        ("end", "alpha", "theta"), Word(("com", "axis"), "all is drawn in global axes: places by points, lines by axes")
    ),
}
TYPES: Mapping[str, Word] = {
    "hinge": Word(("revolute",)),
    "slider": Word(("prismatic",)),
    "ball": Word(("spherical",)),
    "joint_spring": Word(("torsion",)),
    "controller": Word(("custom",)),
    **dict.fromkeys(
        ("translation", "rotation"), Word(("position",), "leave the type out and write { joint, coordinate, motion }")
    ),
}
KINDS: Mapping[str, Word] = {"tree": Word(("spatial",)), "flexible": Word(("spatial",))}
FORMULATIONS: Mapping[str, Word] = {"planar": Word(("particles",))}


def renamed(table: Mapping[str, Word], what: str, word: object, known: Collection[str]) -> str | None:
    """Return the sentence that names the new word, such as 'key "direction" is called "axis"'; None if there is none.

    Parameters
    ----------
    table
        KEYS, TYPES, KINDS or FORMULATIONS.
    what
        What the word is: "key", "type", "kind", "formulation".
    word
        The unknown word.
    known
        The words that are known where it stands.
    """
    old = table.get(word) if isinstance(word, str) else None
    now = next((new for new in old.now if new in known), None) if old is not None else None
    if old is None or now is None:
        return None
    return f'{what} "{word}": {old.cure}' if old.cure else f'{what} "{word}" is called "{now}"'
