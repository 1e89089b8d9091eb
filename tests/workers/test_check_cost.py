"""The check of a prompt takes work that grows with the length of the prompt, and not with its square."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import partial

import pytest

from remit.workers import part_ends
from remit.workers.literal_text import find_active_parts, keep_literal_text
from remit.workers.prompt import Template
from remit.workers.prompt_check import find_mistakes

MANY: dict[str, Callable[[int], str]] = {
    "unknown fields of a line": lambda n: " ".join(f"{{{{ f{i} }}}}" for i in range(n)),
    "unknown fields of lines": lambda n: "\n".join(f"{{{{ f{i} }}}}" for i in range(n)),
    "unknown fields of one part": lambda n: "{{ [" + ", ".join(f"f{i}" for i in range(n)) + "] }}",
    "unknown fields in a block of code": lambda n: "```\n" + "\n".join(f"{{{{ f{i} }}}}" for i in range(n)) + "\n```",
    "internal attributes": lambda n: " ".join(f"{{{{ prompt.__a{i} }}}}" for i in range(n)),
    "missing includes": lambda n: " ".join(f"{{% include 'a{i}' %}}" for i in range(n)),
    "names that loops bind": lambda n: "".join(
        f"{{% for f{i} in prompt %}}{{{{ f{i} }}}}{{% endfor %}}" for i in range(n)
    ),
}
ENDLESS = ("{{\\'", '{{\\"', "{%\\'", "{{ {", "{{{", "{{'\"'", "{{ 'a' ", "{{ {a} ", "{% 'a' ", "{{ {{", "{%", "{{%")


def check(text: str) -> None:
    Template(text).check(["prompt"])


def count_calls(function: Callable[[], object]) -> int:
    """How often a function calls functions, directly or not."""
    calls = 0

    def count(_frame: object, event: str, _value: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("kind", MANY)
def test_a_prompt_with_twice_as_many_mistakes_takes_about_twice_as_many_calls(kind: str) -> None:
    find_mistakes.cache_clear()
    check(MANY[kind](5))  # imports
    few, many = (count_calls(partial(check, MANY[kind](n))) for n in (100, 200))
    assert many < 2.2 * few


class CountingPattern:
    """A pattern that counts the characters that it searches."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.searched = 0
        self._pattern = pattern

    def search(self, text: str, position: int) -> re.Match[str] | None:
        found = self._pattern.search(text, position)
        self.searched += (len(text) if found is None else found.end()) - position
        return found


@pytest.mark.parametrize("end", ["", "}", "' }", '" %'])
@pytest.mark.parametrize("piece", ENDLESS)
def test_parts_that_do_not_end_are_searched_a_few_times_at_most(
    monkeypatch: pytest.MonkeyPatch, piece: str, end: str
) -> None:
    patterns = [CountingPattern(part_ends.OUTPUT_MARK), CountingPattern(part_ends.TAG_MARK)]
    monkeypatch.setattr(part_ends, "OUTPUT_MARK", patterns[0])
    monkeypatch.setattr(part_ends, "TAG_MARK", patterns[1])
    text = piece * 2_000 + end
    keep_literal_text(text)
    assert sum(each.searched for each in patterns) <= 4 * len(text)


def test_a_string_that_many_parts_share_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = CountingPattern(part_ends.OUTPUT_MARK)
    monkeypatch.setattr(part_ends, "OUTPUT_MARK", pattern)
    text = "{{\\'" * 1_000 + "'" + "a" * 10_000
    keep_literal_text(text)
    assert pattern.searched <= 4 * len(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("{{ {'a': {'b': x}} }}", ["{{ {'a': {'b': x}} }}"]),
        ("{{ {1: {2: {3: x}}} }}", []),
        ("{{ '}}' ~ x }} }}", ["{{ '}}' ~ x }}"]),
        ("{{ x } }}", []),
        ("{{ '\\'}}' ~ x }}", ["{{ '\\'}}' ~ x }}"]),
        ("{{ ' {{ x }}", ["{{ x }}"]),
        ("{{{ x }}", ["{{ x }}"]),
        ("{{% if x %}", []),
        ("{% if '%}' %}", ["{% if '%}' %}"]),
        ("{% if x {% if y %}", ["{% if y %}"]),
        ("{% if { x %}", ["{% if { x %}"]),
    ],
)
def test_a_part_ends_at_the_first_mark_outside_its_strings_and_braces(text: str, parts: list[str]) -> None:
    assert [text[start:end] for start, end in find_active_parts(text).parts] == parts


def test_the_first_findings_of_a_line_tell_how_to_keep_their_parts() -> None:
    found = Template(" ".join(f"{{{{ f{number} }}}}" for number in range(9)) + "\n{{ f9 }}").check([])
    kept = "write {{% raw %}} before {} and {{% endraw %}} after it"
    assert [each.fix for each in found] == [
        *(f"available: none; or {kept.format(f'{{{{ f{number} }}}}')}" for number in range(8)),
        "available: none",
        f"available: none; or {kept.format('{{ f9 }}')}",
    ]


def test_findings_of_one_part_tell_the_same_way_to_keep_it() -> None:
    names = ", ".join(f"f{number}" for number in range(10, 30))
    found = Template(f"{{{{ [{names}] }}}}").check([])
    assert len(found) == 20
    assert len({each.fix for each in found}) == 1
    assert "write {% raw %}" in found[0].fix
