"""Model files: the only reader of mechanisms, as TOML or as JSON of the same structure; writing.py writes them.

    text  --loads-->  tables  --from_dict-->  Description  --to_dict-->  tables  --dumps-->  text

The key "kind" chooses the class that describes the mechanism. The keys of every table are the fields of its spec, and
the kinds come from the sections of that class, so a new kind or key needs no line here. Whatever a file holds, the only
error that leaves this module is a ModelError of one line that names the file, the part, the key and, where one is near,
the word that was meant.
"""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

from particlemech.errors import PART, Expressed, ModelError, part, printable, suggestion
from particlemech.model import old_words, signals, succession
from particlemech.model.columns import check_column
from particlemech.model.comments import Source, rewritten
from particlemech.model.description import FOLDER, Description, Section
from particlemech.model.families import DEFAULT, family_of, or_of_space
from particlemech.model.spec import Spec, check_keys, fields_of, shown
from particlemech.model.writing import dumps as dumps
from particlemech.model.writing import to_dict as to_dict

LARGEST_FILE = 16 * 2**20  # bytes; a hundred thousand bodies need less
LONGEST_MESSAGE = 500  # characters
DEEPEST_KEY = 64  # parts of a dotted key; the reader's time grows with the square of it

ROBOT, ROBOTS = ".urdf", "particlemech.model.readers.urdf"  # the suffix of files of robots, and where they are read
SUFFIXES = (".toml", ".json", ROBOT)


# -- reading ---------------------------------------------------------------------------------------------------


def load(path: str | PathLike[str]) -> Description:
    """Read a mechanism from a model file.

    Parameters
    ----------
    path : str or path
        A TOML file, a file of JSON with the same structure where the name ends in ".json", or a robot where it ends
        in ".urdf": fixed to the ground, with gravity along -z (`tree.from_urdf` has options for both).

    Returns
    -------
    Description
        A `Mechanism` of the family that the key "kind" names.

    Raises
    ------
    ModelError
        If the file cannot be read or does not describe a mechanism; the message is one line.

    Examples
    --------
    >>> import particlemech as pm
    >>> pm.load(pm.models.path("four_bar")).name
    'Four-bar linkage'
    """
    place = Path(path)
    if place.suffix.lower() == ROBOT:
        robot: Description = import_module(ROBOTS).from_urdf(path)
        return robot
    with _named(str(path)):
        text = _decoded(_content(place))
        with beside(place.parent):
            return from_dict(_json(text)) if place.suffix.lower() == ".json" else _from_text(text, place.parent)


@contextmanager
def beside(folder: Path) -> Iterator[None]:
    """Let what is read inside name files from a folder on."""
    before = FOLDER.set(folder)
    try:
        yield
    finally:
        FOLDER.reset(before)


def loads(text: str) -> Description:
    r"""Read a mechanism from the text of a TOML file.

    Parameters
    ----------
    text : str
        What a model file holds.

    Returns
    -------
    Description
        A `Mechanism` of the family that the key "kind" names.

    Raises
    ------
    ModelError
        If the text does not describe a mechanism.

    Examples
    --------
    >>> rod = loads('points = {O = [0, 0], P = [1, 0]}\nbodies.rod = {points = ["O", "P"], mass = 2}')
    >>> rod.bodies["rod"].mass
    2.0
    """
    with _named(""):
        return _from_text(text, FOLDER.get())


def _from_text(text: str, folder: Path) -> Description:
    """Return the mechanism of a text of TOML, which it remembers."""
    made = from_dict(_toml(text))
    object.__setattr__(made, "source", Source(text, folder))
    return made


def written(mechanism: Description, folder: Path | None = None) -> str:
    """Return the text of a file: that which the mechanism came from, with what has changed; else a new one.

    Comments and spelling of a file are kept if all files that it names are found from the folder it goes to; default:
    the one it came from.
    """
    source = mechanism.source
    if source is not None:
        try:
            with beside(source.folder):
                text = rewritten(source.text, to_dict(loads(source.text)), to_dict(mechanism))
            with beside(folder or source.folder):
                if loads(text) == mechanism:
                    return text
        except ModelError:  # a file that it names is gone, or a name that means something else by now
            pass
    return dumps(mechanism)


def from_dict(tables: Mapping[str, Any]) -> Description:
    """Return the mechanism that nested tables describe, as a TOML or JSON reader delivers them.

    Parameters
    ----------
    tables : mapping
        Keys as in the model file; see `to_dict`.

    Returns
    -------
    Description
        A `Mechanism` of the family that the key "kind" names.

    Raises
    ------
    ModelError
        If a key is unknown or missing, or a value cannot be used.
    """
    with _named(""):
        if not isinstance(tables, Mapping):
            raise ModelError(f"expected a table of sections at the top, got {shown(tables)}")
        family = family_of(tables.get("kind", DEFAULT))
        for word in tables:
            if word in family.reserved:
                raise ModelError(f'key "{word}" is reserved for a later version; take it out')
        fields = {f.name: f for f in fields_of(family)}
        with or_of_space(tables, family, lambda space: space):
            check_keys(tables, fields.values())
        made = family(**{name: _top(family, fields[name], value) for name, value in tables.items()})
        with part('section "check": key "end"'):
            for column in made.check.end:
                check_column(made, column)
        return made


def _top(family: type[Description], field: dataclasses.Field[Any], value: Any) -> Any:
    """Return the value of one top-level key in the shape that the family takes."""
    if field.name in family.sections:
        return _parts(field.name, family.sections[field.name], value)
    if isinstance(field.default, Spec):
        with part(f'section "{field.name}"'):
            table, kind = _table(value, f"[{field.name}]"), type(field.default)
            with or_of_space(table, kind, lambda space: type(getattr(space, field.name))):
                return _spec(kind, table)
    return value


def _parts(name: str, section: Section, value: Any) -> dict[str, Any]:
    """Return the named parts of a section."""
    with part(f'section "{name}"'):
        table = _table(value, f"entries {section.example}")
    result = {}
    for word, content in table.items():
        naming = PART.set(f'{section.part} "{word}"')
        try:
            with part(PART.get()):
                if section.form:
                    result[word] = _plain_part(section.form, content)
                    continue
                content = _table(content, f"[{name}.{word}]")
                result[word] = _part(name, section, content)
        finally:
            PART.reset(naming)
    return result


def _plain_part(form: Callable[..., Any], content: Any) -> Any:
    """Return a part that is a plain value; as it is written, where that is an expression."""
    try:
        return form(content)
    except Expressed:
        return content


def _part(name: str, section: Section, table: Mapping[str, Any]) -> Any:
    """Return the spec of one part of a section."""
    kind = section.spec or (section.plain if "type" not in table else None)
    with or_of_space(table, _kind(section, table), lambda of: _kind(of.sections.get(name, Section("", "")), table)):
        return _spec(kind, table) if kind else _of_kind(section.kinds, table)


def _kind(section: Section, table: Mapping[str, Any]) -> type[Spec] | None:
    """Return the kind of a part; None: the section has no such kind."""
    return section.spec or (section.kinds.get(str(table["type"])) if "type" in table else section.plain)


def _of_kind(kinds: Mapping[str, type[Spec]], table: Mapping[str, Any]) -> Any:
    """Return the spec of the kind that the key "type" names."""
    offered = {name: kind for name, kind in kinds.items() if getattr(kind, "in_file", True)}
    if "type" not in table:
        raise ModelError(f'key "type" is missing; one of {", ".join(offered)}')
    kind = table["type"]
    if isinstance(kind, str) and kind in kinds and kind not in offered:
        raise ModelError(f'type "{kind}" holds a Python function and cannot stand in a file; add it from Python')
    if not isinstance(kind, str) or kind not in offered:
        word = f'"{kind}"' if isinstance(kind, str) else shown(kind)
        old = old_words.renamed(old_words.TYPES, "type", kind, offered)
        raise ModelError(old or f"type {word} unknown{suggestion(kind, offered)}")
    return _spec(offered[kind], {k: v for k, v in table.items() if k != "type"}, extra=("type",))


def _spec(kind: type[Spec], table: Mapping[str, Any], extra: Sequence[str] = ()) -> Any:
    """Return a spec from its table, after unknown and missing keys are named."""
    fields = fields_of(kind)
    check_keys(table, fields, extra)
    forms = {f.name: f.metadata["form"] for f in fields}
    values = {}
    for name, value in table.items():
        with part(f'key "{name}"'):
            values[name] = SHAPED.get(forms[name], _unchanged)(value)
    return kind(**values)


def _table(value: Any, expected: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ModelError(f"expected a table, {expected}, got {shown(value)}")
    return value


def _signal(value: Any) -> Any:
    """Return a table {type = ..., ...} as the signal it describes, anything else as it is."""
    return _of_kind(signals.NAMES, value) if isinstance(value, Mapping) else value


def _signals(value: Any) -> Any:
    return [_signal(v) for v in value] if isinstance(value, (list, tuple)) else value


def _either(value: Any) -> Any:
    return _signals(_signal(value))


def _unchanged(value: Any) -> Any:
    return value


# forms whose values may be tables of a kind of their own
SHAPED: dict[Callable[..., Any], Callable[[Any], Any]] = {
    signals.signal: _signal,
    signals.motion: _signal,
    signals.signal_vector: _signals,
    signals.signal_vector3: _signals,
    signals.signal_list: _signals,
    succession.signals: _either,
}


# -- files and syntax ------------------------------------------------------------------------------------------


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Turn what goes wrong inside into a ModelError of one printable line, with the name of the file before it."""
    try:
        yield
    except RecursionError:
        message = "nested too deeply; a model file needs four levels"
    except ModelError as error:
        message = str(error)
    else:
        return
    head = f"{name}: " if name else ""
    line = printable(head + message)
    raise ModelError(line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 3] + "...") from None


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        near = [p.name for p in path.parent.glob("*.toml")] if path.parent.is_dir() else []
        raise ModelError("no such file" + (suggestion(path.name, near) if near else "; check the name")) from None
    except IsADirectoryError:
        raise ModelError("is a directory; name a model file in it") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelError(f"cannot be read ({reason}); check the path and its permissions") from None
    if len(content) > LARGEST_FILE:
        raise ModelError(f"larger than {LARGEST_FILE // 2**20} MiB, which no model file needs; is this a result file?")
    return content


def _decoded(content: bytes) -> str:
    if b"\0" in content:
        raise ModelError("is a binary file; a model file is text in UTF-8")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ModelError(f"line {line}: is not text in UTF-8; save the file in this encoding") from None


def _json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        raise ModelError(f"line {error.lineno}: not JSON: {error.msg}") from None
    except ValueError as error:
        _unreadable(error)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for name, value in pairs:
        if name in table:
            raise ModelError(f'repeated name "{name}"; each may stand once in its table')
        table[name] = value
    return table


def _toml(text: str) -> dict[str, Any]:
    if not isinstance(text, str):
        raise ModelError(f"expected the text of a model file, got {shown(text)}")
    if not text.strip():
        raise ModelError("is empty; a model needs at least [points] and [bodies.NAME]")
    if re.search(rf"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){{{DEEPEST_KEY}}}""", text):
        raise ModelError("nested too deeply; a model file needs four levels")
    try:
        # the newline gives every error a line, also one at the end
        return tomllib.loads(text + "\n")
    except tomllib.TOMLDecodeError as error:
        raise ModelError(_syntax(str(error), text)) from None
    except ValueError as error:
        _unreadable(error)


def _unreadable(error: ValueError) -> NoReturn:
    if isinstance(error, ModelError):
        raise error
    raise ModelError(f"holds a value that cannot be read ({error})") from None


def _syntax(message: str, text: str) -> str:
    """Return the message of the TOML reader, with the line first and repeated names called so."""
    found = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", message, re.DOTALL)
    reason, number = (found[1], found[2]) if found else (message, None)
    lines = text.replace("\r\n", "\n").split("\n")
    line = min(int(number), len(lines)) if number else len(lines)
    declared = re.match(r"Cannot declare \((.*)\) twice|Duplicate inline table key (.*)", reason)
    if declared:
        name = ".".join(re.findall(r"'([^']*)'", declared[0]))
    elif reason.startswith(("Cannot overwrite", "Cannot mutate")):
        name = lines[line - 1].partition("=")[0].strip().strip("[]")
    else:
        return f"line {line}: not TOML: {reason[:1].lower()}{reason[1:]}; check {shown(lines[line - 1].strip())}"
    return f'line {line}: repeated name "{name}"; each may stand once in its table'
