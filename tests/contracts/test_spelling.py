"""A secret is found however it is spelled, and replaced where it stands in the original text."""

from __future__ import annotations

import base64
import html
import json
import random
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from remit.contracts.spelling import derive_spellings, length_of_beginning, read_views, replace_spellings

VALUE = 'sk_live-51Hx/QqZ\\+9a=L "é'
MARK = "[secret]"
REPLACEMENTS = tuple((spelling, MARK) for spelling in derive_spellings(VALUE))


def percent(text: str, template: str = "%%%02X") -> str:
    return "".join(template % each for each in text.encode())


def in_base64(before: str) -> Callable[[str], str]:
    return lambda value: base64.b64encode(f"{before}{value}".encode()).decode()


SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "JSON": lambda value: json.dumps(value)[1:-1],
    "JSON that keeps letters": lambda value: json.dumps(value, ensure_ascii=False)[1:-1],
    "JSON with all letters as escapes": lambda value: "".join(f"\\u{ord(each):04x}" for each in value),
    "JSON with some letters as escapes": lambda value: json.dumps(value)[1:-1].replace("-", "\\u002D"),
    "JSON with escaped slashes": lambda value: json.dumps(value)[1:-1].replace("/", "\\/"),
    "JSON in JSON": lambda value: json.dumps(json.dumps(value))[3:-3],
    "escapes in JSON": lambda value: "".join(f"\\\\u{ord(each):04X}" for each in value),
    "JSON in JSON in JSON": lambda value: json.dumps(json.dumps(json.dumps(value)))[7:-7],
    "repr": lambda value: repr(value)[1:-1],
    "repr in ASCII": lambda value: ascii(value + "'\"")[1:-4],
    "percent": lambda value: quote(value, safe=""),
    "percent of what must be": quote,
    "percent of a form": quote_plus,
    "percent in lower case": lambda value: percent(value, "%%%02x"),
    "percent of everything": percent,
    "percent in JSON": lambda value: percent(value).replace("%", "\\u0025"),
    "percent twice": lambda value: quote(quote(value, safe=""), safe=""),
    "HTML": html.escape,
    "HTML by numbers": lambda value: "".join(f"&#{ord(each)};" for each in value),
    "HTML by hexadecimal numbers": lambda value: "".join(f"&#x{ord(each):x};" for each in value),
    "hexadecimal": lambda value: value.encode().hex(),
    "hexadecimal in upper case": lambda value: value.encode().hex().upper(),
}


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_a_spelling_is_replaced_as_a_whole_and_nothing_else_is(spell: Callable[[str], str]) -> None:
    text = f'a %41 \\u0042 & "{spell(VALUE)}" \\n%0A b'
    assert replace_spellings(text, REPLACEMENTS) == f'a %41 \\u0042 & "{MARK}" \\n%0A b'


@pytest.mark.parametrize("before", ["", "a", "ab", "user:"])
@pytest.mark.parametrize("after", ["", "a", "ab"])
def test_base64_is_found_at_every_offset_and_in_both_alphabets(before: str, after: str) -> None:
    value = "sk?live>51Hx~~~~"
    found = [(spelling, MARK) for spelling in derive_spellings(value)]
    encoded = base64.b64encode(f"{before}{value}{after}".encode()).decode()
    for text in (encoded, encoded.replace("+", "-").replace("/", "_"), quote(encoded, safe="")):
        left = replace_spellings(text, found).split(MARK)
        assert len(left) == 2
        assert len("".join(left)) <= 8 + 4 * (len(before) + len(after)) // 3 + 3 * text.count("%")


def test_a_value_is_found_though_only_some_of_its_characters_are_escapes() -> None:
    rng = random.Random(1)  # noqa: S311 - not for cryptography
    for _ in range(200):
        text = "".join(rng.choice([each, percent(each), f"\\u{ord(each):04x}"]) for each in VALUE if each != "\\")
        assert replace_spellings(f"x{text}y", [(VALUE.replace("\\", ""), MARK)]) == f"x{MARK}y"


def test_overlapping_spellings_leave_nothing_of_either() -> None:
    assert replace_spellings("abcabcabcab", [("abcab", "[1]")]) == "[1]"
    assert replace_spellings("--abcdef--", [("abcd", "[1]"), ("cdef", "[2]")]) == "--[1]--"


def test_text_without_escapes_is_read_once() -> None:
    assert [*read_views("plain, 100 % & more, C:\\x")] == ["plain, 100 % & more, C:\\x"]
    assert [*read_views("\\\\u0041")] == ["\\\\u0041", "\\u0041", "A"]
    assert len([*read_views("\\" * 64)]) == 4


def test_escapes_that_stand_for_no_character_hide_nothing() -> None:
    for escape in ("%C0%80", "&#1114112;", "&#xD800;", "\\ud83d\\ude00", "\\U000fffff", "\\'"):
        assert replace_spellings(f"{escape}{VALUE}", REPLACEMENTS) == f"{escape}{MARK}"


def test_the_memory_of_escapes_is_bounded() -> None:
    for number in range(11_000):
        assert [*read_views(f"\\u{number + 0x1000:04x}")][-1] == chr(number + 0x1000)
    assert [*read_views("\\u1000")][-1] == "\u1000"


BEGUN = SPELLINGS | {f"Base64 after {before!r}": in_base64(before) for before in ("", "a", "ab")}


@pytest.mark.parametrize("spell", BEGUN.values(), ids=BEGUN)
def test_every_beginning_of_a_spelling_is_held_back(spell: Callable[[str], str]) -> None:
    value = "sk_live-51Hx/QqZ+9a"
    replacements = [(spelling, MARK) for spelling in derive_spellings(value)]
    whole = f"the key: {spell(value)}"
    start = whole.index(" ") + 6
    for end in range(start + 4, len(whole) + 1):
        if replace_spellings(whole[:end], replacements) != whole[:end]:
            break
        assert end - length_of_beginning(whole[:end], replacements) <= start + 4, whole[:end]
    else:
        pytest.fail("the value was never found")


def test_text_that_begins_no_spelling_is_not_held_back() -> None:
    assert length_of_beginning("nothing of it", REPLACEMENTS) == 0
    assert length_of_beginning("100 % ", ()) == 2
    assert length_of_beginning(f"no {VALUE[:5]}", REPLACEMENTS) == 5
