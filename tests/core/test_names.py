"""A name is what it looks like, and text of strangers hides nothing on a screen."""

from __future__ import annotations

import json

import pytest

from remit.core.names import as_normalized, as_person_name, check_file_name, check_shown, check_title, show_hidden
from remit.errors import RequestError, SetupError

HIDDEN = {
    "control": "\x1b",
    "end of line": "\n",
    "zero width": "\u200b",
    "soft hyphen": "\u00ad",
    "right to left": "\u202e",
    "isolate": "\u2066",
    "no-break space": "\u00a0",
    "line separator": "\u2028",
    "tag": "\U000e0041",
    "private": "\ue000",
    "Hangul filler": "\u3164",
    "Hangul choseong filler": "\u115f",
    "half-width filler": "\uffa0",
    "grapheme joiner": "\u034f",
    "blank of Braille": "\u2800",
    "Mongolian separator": "\u180e",
    "variation": "\ufe01",
    "further variation": "\U000e0100",
}
LOOK_ALIKES = ["a\u2215b", "a\uff0fb", "a\u2044b", "a\u29f8b", "\uff0e\uff0e", "a\u2024b", "a\uff3cb"]
FLOOD = "a" + "\u0335" * 5
ORDINARY = ["", "main", "Zoë", "学校", "ประเทศ", "שָׁלוֹם", "हिन्दी", "Đặng", "straße", "a" + "\u0335" * 4]


@pytest.mark.parametrize("character", HIDDEN.values(), ids=HIDDEN)
def test_a_character_that_shows_nothing_is_shown_by_its_escape_and_refused_in_a_name(character: str) -> None:
    escape = json.dumps(character)[1:-1]
    text = f"pay é{character}bob"
    assert show_hidden(text, "") == f"pay é{escape}bob"
    assert json.loads(f'"{show_hidden(text, "")}"') == text
    with pytest.raises(
        RequestError, match=rf"^target is .*, in which U\+{ord(character):04X} cannot be seen as itself;"
    ):
        check_shown("target", text, RequestError)
    with pytest.raises(ValueError, match=r"is not a file name: U\+.* cannot be seen as itself; leave it out"):
        check_file_name(text)


def test_what_lays_out_text_may_stay_where_text_is_read() -> None:
    assert show_hidden("one\ntwo\tthree") == "one\ntwo\\tthree"
    assert show_hidden("one\ntwo\tthree", "\n\t") == "one\ntwo\tthree"
    assert show_hidden("plain") == "plain"


def test_the_style_of_an_emoji_stays_in_text_and_nothing_else_of_its_kind() -> None:
    heart = "\u2764\ufe0f"
    assert show_hidden(f"I {heart} it") == f"I {heart} it"
    assert show_hidden(f"I {heart}\ufe0f it") == f"I {heart}\\ufe0f it"
    assert show_hidden("\ufe0fx") == "\\ufe0fx"
    with pytest.raises(SetupError, match=r"U\+FE0F cannot be seen"):
        check_shown("name", heart)


def test_marks_that_bury_a_letter_are_shown_by_their_escapes() -> None:
    assert show_hidden(f"{FLOOD}b") == f"{FLOOD[:-1]}\\u0335b"
    with pytest.raises(SetupError, match=r"U\+0335 cannot be seen"):
        check_shown("name", FLOOD)


@pytest.mark.parametrize("name", ORDINARY)
def test_letters_of_all_languages_are_names_and_shown_as_they_are(name: str) -> None:
    assert show_hidden(name) == name
    assert check_shown("name", name) == name
    assert check_file_name(name) == name
    assert check_shown("name", "Zoe\u0308") == "Zoë"


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_what_looks_like_a_separator_is_no_part_of_a_name(name: str) -> None:
    with pytest.raises(SetupError, match=r"^the name is '.*', in which U\+[0-9A-F]{4} looks like another character;"):
        check_shown("the name", name)
    with pytest.raises(ValueError, match="looks like another character; leave it out"):
        check_file_name(name)


@pytest.mark.parametrize("name", [".bashrc", ".", "..", "report.", "report.pdf ", "con", "NUL.txt", "com1", "Lpt9.log"])
def test_a_file_has_no_name_that_hides_it_or_that_some_system_cannot_keep(name: str) -> None:
    with pytest.raises(ValueError, match=r"is not a portable file name; give one like menu"):
        check_file_name(name)


def test_a_name_has_a_maximal_length() -> None:
    assert check_shown("name", "x" * 200)
    with pytest.raises(SetupError, match="name has 201 characters; give at most 200"):
        check_shown("name", "x" * 201)
    assert check_shown("name", "x" * 1000, max_chars=1000)


def test_a_person_has_one_spelling_and_no_double() -> None:
    assert as_normalized("role", " \uff41dmin ") == "admin"
    assert as_person_name("name", "Zoe\u0308") == "Zoë"
    assert as_person_name("name", "bob") == "bob"
    with pytest.raises(SetupError, match="mixes CYRILLIC and LATIN letters"):
        as_person_name("name", "b\u043eb")
    with pytest.raises(SetupError, match=r"in which U\+1160 cannot be seen"):
        as_person_name("name", "bob\u3164")


@pytest.mark.parametrize("name", ["", " ", "\t"])
def test_a_name_is_never_empty(name: str) -> None:
    for check in (check_title, as_person_name):
        with pytest.raises(SetupError, match=r"^the name is empty; give a name$"):
            check("the name", name)


@pytest.mark.parametrize("name", ["my app!/../x", "a\\b", ".", "..", " shop", "shop ", "/"])
def test_the_name_of_an_application_is_no_path(name: str) -> None:
    with pytest.raises(SetupError, match="give a name without slashes"):
        check_title("App: name", name)
    assert check_title("App: name", "two words") == "two words"
