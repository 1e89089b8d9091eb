"""A secret is found however it is spelled, and replaced where it stands in the original text."""

from __future__ import annotations

import base64
import html
import json
import random
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from remit.record.spelling import Spellings, derive_spellings

VALUE = 'sk_live-51Hx/QqZ\\+9a=L "é'
MARK = "[secret]"
REPLACEMENTS = tuple((spelling, MARK) for spelling in derive_spellings(VALUE))


def replace_spellings(text: str, replacements: Sequence[tuple[str, str]]) -> str:
    found = Spellings(replacements)
    replaced = found.replace_in(text)
    assert found.is_in(text) == (replaced != text)
    return replaced


def length_of_beginning(text: str, replacements: Sequence[tuple[str, str]]) -> int:
    return Spellings(replacements).length_of_beginning(text)


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
    "repr of bytes": lambda value: repr(value.encode())[2:-1],
    "octal": lambda value: "".join(f"\\{each:03o}" for each in value.encode()),
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


@pytest.mark.parametrize("value", ["pass&word\\new-1", "a\\tb<c>d-secret", "100%25&more-pass", "Tom&amp;Jerry\\n12"])
@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_a_value_that_looks_like_an_escape_of_another_kind_is_found(spell: Callable[[str], str], value: str) -> None:
    found = [(spelling, MARK) for spelling in derive_spellings(value)]
    assert replace_spellings(f"x {spell(value)} y", found) == f"x {MARK} y"


def test_three_layers_of_escapes_are_undone() -> None:
    assert replace_spellings("\\\\\\\\u0041bc", [("Abc", MARK)]) == MARK
    assert replace_spellings("%25253Abc", [(":bc", MARK)]) == MARK
    assert replace_spellings("%2525253Abc", [(":bc", MARK)]) == "%2525253Abc"


def test_escapes_that_stand_for_no_character_hide_nothing() -> None:
    for escape in ("%C0%80", "&#1114112;", "&#xD800;", "\\ud83d\\ude00", "\\U000fffff", "\\'"):
        assert replace_spellings(f"{escape}{VALUE}", REPLACEMENTS) == f"{escape}{MARK}"


def test_the_memory_of_escapes_is_bounded() -> None:
    for number in range(11_000):
        assert replace_spellings(f"\\u{number + 0x1000:04x}", [(chr(number + 0x1000), MARK)]) == MARK


@pytest.mark.parametrize("many", [2, 200])
def test_values_are_found_anywhere_in_a_long_text_with_many_escapes(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remit.record.spelling._WINDOW", 512)
    values = [f"value-{number:04}/x" for number in range(many)] + ["short"]
    found = Spellings((value, f"[{value[:10]}]") for value in values)
    for fill in ("\\", "%41", "plain "):
        for before in range(508, 520):
            text = f"{(fill * before)[:before]} value-0001/x value-0001\\/x short"
            assert found.replace_in(text)[before:] == " [value-0001] [value-0001] [short]"


def test_no_search_takes_more_than_a_part_of_a_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []
    find = Spellings._find  # pyright: ignore[reportPrivateUsage] - what it is given is counted

    def count(spellings: Spellings, view: str) -> Any:
        searched.append(len(view))
        return find(spellings, view)

    monkeypatch.setattr(Spellings, "_find", count)
    shortest = min(len(each) for each, _ in REPLACEMENTS)
    assert not Spellings(REPLACEMENTS).is_in("\\" * (shortest - 1))
    assert not searched
    assert not Spellings(REPLACEMENTS).is_in("\\" * 300_000)
    assert max(searched) < 80_000
    assert sum(searched) < 3 * 300_000


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
