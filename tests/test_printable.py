"""Names and texts of a user are shown safely: no control character, no mark that turns text around, one line."""

from __future__ import annotations

import pytest

import particlemech as pm
from particlemech.cli.terminal import say
from particlemech.cli.topics import print_table
from particlemech.errors import ModelError, SimulationError, printable

NASTY = "a\x1b[31mred\x1b[0m\nb\u202eevil\u2028c\u200fd\ud800"
SAFE = "a\\x1b[31mred\\x1b[0m\\nb\\u202eevil\\u2028c\\u200fd\\ud800"


def test_what_is_not_to_be_seen_is_escaped_and_the_rest_stays():
    assert printable(NASTY) == SAFE
    assert printable("Kurbelschwinge, größe 3 мм, 連桿 🙂") == "Kurbelschwinge, größe 3 мм, 連桿 🙂"


@pytest.mark.parametrize("error", [ModelError, SimulationError])
def test_messages_of_errors_are_one_printable_line(error):
    assert str(error(f'body "{NASTY}" unknown')) == f'body "{SAFE}" unknown'


@pytest.mark.parametrize(
    "make",
    [
        lambda: pm.models.load("four_bar").replaced(bodies={NASTY: {"mass": 1.0}}),
        lambda: pm.models.load("four_bar").replaced(**{NASTY: 1}),
        lambda: pm.models.load("four_bar").replaced(points={NASTY: (0.0, 0.0)}),
        lambda: pm.load(NASTY.replace("\ud800", "")),
        lambda: pm.Body(**{NASTY: 1}),
    ],
)
def test_names_in_messages_are_escaped_also_from_python(make):
    with pytest.raises(ModelError) as error:
        make()
    assert "\\x1b[31m" in str(error.value)
    assert not any(c in str(error.value) for c in NASTY if c not in "a[31mred0bevilc")


def test_the_terminal_sees_no_control_characters(capsys):
    say(f"cannot write {NASTY}", 2)
    print_table([("mechanism", NASTY), ("bodies", "3")])
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err
    assert "\u202e" not in shown.out + shown.err
    assert len(shown.out.splitlines()) == 2
