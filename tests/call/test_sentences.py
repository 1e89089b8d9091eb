"""What a tool says of its calls: the forms of its sentences, and the names in them."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import BaseModel

from remit.call.facts import FactOptions
from remit.call.sentences import Sentences, Tense, Undo, sentences_of_name
from remit.call.typed_schema import EARLIER_CHECK, EarlierCheck
from remit.errors import ContractError
from remit.tools import Tool, tool


class Page(BaseModel):
    id: str
    title: str
    address: str | None = None


class Found(BaseModel):
    page: Page
    moved: Page | None = None


async def move(page: str, parent: str | None = None) -> Found:
    """Move a page."""
    raise NotImplementedError


async def count(word: str) -> int:
    """Count a word."""
    raise NotImplementedError


def forms(sentences: Sentences) -> list[str]:
    return [sentences.form(tense) for tense in get_args(Tense)]


def make(function: Any = move, **facts: Any) -> Tool[..., Any]:
    options: FactOptions = facts  # pyright: ignore[reportAssignmentType] - some of the facts are wrong on purpose
    return tool(function, **options)


def test_the_other_forms_follow_from_a_known_verb() -> None:
    assert forms(Sentences("Delete the page {page}")) == [
        "Delete the page {page}",
        "Deleting the page {page}",
        "Deleted the page {page}",
        "Did not delete the page {page}",
    ]


def test_a_verb_written_in_three_forms_needs_not_be_known_and_may_stand_anywhere() -> None:
    assert forms(Sentences("Freeze|Freezing|Froze and tarp|tarping|tarped it")) == [
        "Freeze and tarp it",
        "Freezing and tarping it",
        "Froze and tarped it",
        "Did not freeze and tarp it",
    ]


def test_each_form_may_be_written() -> None:
    assert forms(Sentences("A", "B", "C", "D")) == ["A", "B", "C", "D"]


def test_an_acronym_keeps_its_capitals_inside_a_sentence() -> None:
    assert Sentences("GET it", "Getting it", "Got it").form("refused") == "Did not GET it"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "asked is empty"),
        ("Delete it?", "without a mark at its end"),
        ("Delete\nit", "one line"),
        ("Frob {x}", "does not know the forms of 'Frob'; write all three, such as 'Frob|Frobing|Frobed {x}'"),
        ("Delete [it", "'[' is not closed"),
        ("Delete [the [big] one]", "'[' does not fit"),
        ("Delete it]", "']' does not fit; write a value as {name}, or ]] for the character"),
        ("Delete {the page}", "'{the page}' does not fit; write a value as {name}, or {{ for the character"),
        ("Delete {", "'{' does not fit"),
    ],
)
def test_a_sentence_that_is_not_well_formed_is_refused(text: str, error: str) -> None:
    with pytest.raises(ContractError) as refused:
        Sentences(text)
    assert error in refused.value.message


@pytest.mark.parametrize(
    ("name", "asked", "done"),
    [
        ("cms_deletePage", "Delete page", "Deleted page"),
        ("content.page.get_page", "Get page", "Got page"),
        ("pay", "Pay", "Paid"),
        ("fetchURL", "Fetch URL", "Fetched URL"),
        ("weather", "Use weather", "Used weather"),
        ("order_history", "Use order_history", "Used order_history"),
        ("gmail_send", "Use gmail_send", "Used gmail_send"),
        ("a{b}", "Use a{{b}}", "Used a{{b}}"),
        ("", "Use", "Used"),
    ],
)
def test_a_tool_without_sentences_says_what_its_name_says(name: str, asked: str, done: str) -> None:
    found = sentences_of_name(name)
    assert (found.form("asked"), found.form("done")) == (asked, done)


def test_a_tool_says_the_names_of_arguments_and_of_fields_of_the_result() -> None:
    made = make(says="Move the page {page}[ below {parent}][ to {moved.address}]")
    assert made.facts.says == Sentences("Move the page {page}[ below {parent}][ to {moved.address}]")
    assert make(says=Sentences("Move {page}", done="Moved {page.title}")).facts.says is not None
    assert make(count, says="Count {word}[: {result}]").facts.says is not None


@pytest.mark.parametrize(
    ("says", "error"),
    [
        (
            "Move {pge}",
            "move says 'Move {pge}': {pge} is neither an argument nor a field of the result; did you mean page?",
        ),
        ("Move {page}[ to {moved.adress}]", "{moved.adress} is neither"),
        ("Move {page} below {parent}", "{parent} may be missing; put it in brackets, with the words that need it"),
        ("Move {moved.title}", "{moved.title} is known only when the call has ended; put it in brackets"),
        (Sentences("Move {page}", done="Moved {moved.title}"), "{moved.title} is known only when"),
        ("Move {page}[ {result}]", "{result} is neither"),
        (7, "says is 7; give a text"),
    ],
)
def test_a_name_without_a_value_is_refused_when_the_tool_is_built(says: object, error: str) -> None:
    with pytest.raises(ContractError) as refused:
        make(says=says)
    assert error in refused.value.message


def test_contracts_that_were_checked_are_not_checked_again() -> None:
    token = EARLIER_CHECK.set(EarlierCheck(""))
    try:
        assert make(says="Move {pge}").facts.says is not None
    finally:
        EARLIER_CHECK.reset(token)


async def call_it(arguments: dict[str, Any]) -> dict[str, Any]:
    raise NotImplementedError


def test_a_secret_of_a_schema_is_in_no_sentence() -> None:
    key = {"type": "string", "format": "password"}
    schema = {"type": "object", "properties": {"key": key}, "required": ["key"]}
    with pytest.raises(ContractError, match="is a secret, which no sentence may show; leave it out"):
        Tool.from_schema("sign_in", "Sign in.", schema, call_it, says="Start with {key}")


def test_an_undo_names_arguments_and_fields_of_the_result() -> None:
    undo = Undo("move", {"page": "{page.id}", "parent": None, "times": 2})
    assert make(undo=undo).facts.undo == undo
    assert [(name, value and value.path, constant) for name, value, constant in undo.values()] == [
        ("page", ("page", "id"), "{page.id}"),
        ("parent", None, None),
        ("times", None, 2),
    ]
    assert Undo("move", (("page", "{page}"),)) == Undo("move", {"page": "{page}"})


wrong: Any = {"page": [1]}


@pytest.mark.parametrize(
    ("made", "error"),
    [
        (lambda: Undo(""), "Undo: tool"),
        (lambda: Undo("move", {"": 1}), "Undo: an argument"),
        (lambda: Undo("move", wrong), "page is [1]; give '{name}', a text or a number"),
        (lambda: make(undo="move"), "undo is 'move'; give Undo('tool'"),
        (lambda: make(undo=Undo("move", {"page": "{pge}"})), "undo 'move' takes 'page' from {pge}, which is neither"),
    ],
)
def test_an_undo_that_is_not_valid_is_refused(made: Any, error: str) -> None:
    with pytest.raises(ContractError) as refused:
        made()
    assert error in refused.value.message
