"""A prompt that is refused for its braces is told how to keep them, and doing what it is told keeps every letter."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.workers.prompt import Template
from tests.strangers.prompts import BRACES, ESCAPED

INLINE = re.compile(
    r"write \{% raw %\} before (?P<first>.+?)(?: number (?P<number>\d+))?(?: in line (?P<line>\d+))? "
    r"and \{% endraw %\} after (?:it|… (?P<last>.+) in line (?P<end>\d+))\Z"
)
LINES = re.compile(
    r"write \{% raw %\} on a line above line (?P<first>\d+) "
    r"and \{% endraw %\} on a line below (?:it|line (?P<last>\d+))\Z"
)
TEMPLATES = ("{% for", "{% set", "{% else", "{% raw")
"""Tags that may be right as they are, and leave no letters behind."""


def obey(text: str, line: int, fix: str) -> str:
    """The text, changed as a person would who reads only the hint."""
    lines = text.split("\n")
    if found := LINES.search(fix):
        first, last = int(found["first"]), int(found["last"] or found["first"])
        return "\n".join([*lines[: first - 1], "{% raw %}", *lines[first - 1 : last], "{% endraw %}", *lines[last:]])
    found = INLINE.search(fix)
    assert found, fix
    line, first = int(found["line"] or line), found["first"].removesuffix(" …")
    starts = [each.start() for each in re.finditer(re.escape(first), lines[line - 1])]
    start = starts[int(found["number"] or 1) - 1]
    lines[line - 1] = f"{lines[line - 1][:start]}\0{lines[line - 1][start:]}"
    last, below = found["last"] or first, int(found["end"] or line)
    end = lines[below - 1].index(last, start if below == line else 0) + len(last)
    lines[below - 1] = f"{lines[below - 1][:end]}{{% endraw %}}{lines[below - 1][end:]}"
    return "\n".join(lines).replace("\0", "{% raw %}")


def mend(text: str) -> str:
    """The text, changed as long as it is refused."""
    for _ in range(100):
        refused = Template(text).check(["prompt"])
        if not refused:
            return text
        text = obey(text, int(refused[0].where.rpartition(":")[2]), refused[0].fix)
    raise AssertionError(f"refused again and again: {text}")


@pytest.mark.parametrize("text", ESCAPED)
def test_a_refused_prompt_that_is_changed_as_told_keeps_every_letter(text: str) -> None:
    assert Template(text).check(["prompt"])
    assert Template(mend(text)).render({"prompt": "{{ prompt }}"}) == text


@given(st.lists(st.sampled_from(BRACES), min_size=1, max_size=12).map("".join))
def test_what_a_refused_prompt_is_told_is_accepted_and_keeps_every_letter_that_is_no_template(text: str) -> None:
    mended = Template(mend(text))
    if not any(tag in text for tag in TEMPLATES):
        assert mended.render({"prompt": "{{ prompt }}"}) == re.sub(r"\A(?:[ \t]*\n)+", "", text).rstrip()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\n{% endraw %} b", "leave out {% endraw %} in line 2, which has no {% raw %} before it"),
        ("a {% raw %}\n{{ x }}", "leave out {% raw %} in line 1, which has no {% endraw %} after it"),
        ("```\n{{ x }}\n{% endraw %}\n```", "leave out {% endraw %} in line 3, which has no {% raw %} before it"),
    ],
)
def test_half_of_a_pair_of_raw_tags_cannot_be_kept_and_is_named(text: str, said: str) -> None:
    (found,) = Template(text).check(["prompt"])
    assert found.fix.endswith(said)


def test_raw_tags_between_raw_tags_are_text() -> None:
    text = "a\n{% raw %}\n```\n  {% raw %}\n{{ x }}\n  {% endraw %}\n```\n{% endraw %}\n{{ prompt }}"
    assert Template(text).check(["prompt"]) == []
    assert Template(text).render({"prompt": "go"}) == "a\n```\n  {% raw %}\n{{ x }}\n  {% endraw %}\n```\ngo"
    assert Template("{% raw %} {% raw %} {% endraw %} {{ prompt }}").render({"prompt": "go"}) == " {% raw %}  go"


def test_a_raw_tag_alone_in_its_line_leaves_no_line_behind() -> None:
    assert Template("a\n  {% raw %}\r\n{{ x }}\n  {% endraw %}\nb").render({}) == "a\n{{ x }}\nb"
    assert Template("a {% raw %}\n{{ x }}{% endraw %}\nb").render({}) == "a \n{{ x }}\nb"


def test_the_indentation_before_a_raw_tag_with_text_in_its_line_stays() -> None:
    assert Template("a\n  {% raw %}{{ x }}{% endraw %}\nb").render({}) == "a\n  {{ x }}\nb"
    assert Template("a\n  {%- raw -%} {{ x }}{% endraw %}\nb").render({}) == "a{{ x }}\nb"


def test_a_mistake_in_a_long_prompt_is_told_with_the_lines_of_all_of_it() -> None:
    (found,) = Template("x" * 40_000 + "\n{{ a b }}\n").check(["prompt"])
    assert found.fix.endswith("write {% raw %} on a line above line 1 and {% endraw %} on a line below line 2")
