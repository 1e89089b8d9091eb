"""References are data: they print as they are written, and a text holds names and nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest

from remit.errors import InvalidArgumentsError, SetupError
from remit.pipeline import From, Given, Item, Text
from remit.pipeline.references import iter_references
from remit.pipeline.state import PipelineState


def test_they_print_as_they_are_written() -> None:
    assert repr(Given("a", 0)) == "Given('a', 0)"
    assert repr(From("search", "messages", 0)) == "From('search', 'messages', 0)"
    assert repr(Item()) == "Item()"
    assert repr(Text("{n} mails", n=Item())) == "Text('{n} mails')"


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{n", "'{n' is not a template: expected '}'"),
        ("{m}", "'{m}' holds ['m'] but gets ['n']; make them equal"),
        ("{n.__class__}", "holds ['n.__class__'] but gets ['n']"),
        ("{n[0]}", "holds ['n[0]'] but gets ['n']"),
        ("{n:>10}", "holds [] but gets ['n']"),
        ("{n!r}", "holds [] but gets ['n']"),
        ("{}", "holds [''] but gets ['n']"),
        ("none", "holds [] but gets ['n']"),
    ],
)
def test_a_text_holds_the_names_it_is_given_and_nothing_else(template: str, said: str) -> None:
    with pytest.raises(SetupError, match=re.escape(said)):
        Text(template, n=Given("n"))


def test_a_text_says_texts_as_they_are_and_all_else_as_json() -> None:
    track = PipelineState({"n": 2, "who": "{ada}", "all": ["é"]})
    text = Text("{{{n}}} of {who}: {all}", n=Given("n"), who=Given("who"), all=Given("all"))
    assert track.resolve(text) == '{2} of {ada}: ["é"]'


def test_every_reference_in_a_value_is_found() -> None:
    a, b, c = Given("a"), From("b"), Item()
    value: Any = {"x": [a, {"y": Text("{b}", b=b)}], "z": c, "plain": 1}
    assert list(iter_references(value)) == [a, b, c]


@pytest.mark.parametrize("reference", [Given("b"), Given("a", 5), Given("a", "x"), Given("n", "x")], ids=str)
def test_a_place_where_nothing_is_today_is_an_error_that_names_it(reference: Given) -> None:
    with pytest.raises(InvalidArgumentsError, match=re.escape(f"{reference!r}: there is no value at this place")):
        PipelineState({"a": [1], "n": None}).resolve(reference)


def test_values_are_found_within_lists_and_objects() -> None:
    track = PipelineState({"a": 1})
    track.record_result("s", {"b": [2]})
    values = track.resolve_arguments({"x": [Given("a"), {"y": From("s", "b", 0)}], "z": Item("c")}, {"c": 3})
    assert values == {"x": [1, {"y": 2}], "z": 3}
