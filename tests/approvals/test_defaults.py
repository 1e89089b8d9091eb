"""A question knows which arguments are at their defaults: those need not be read to see what was asked for."""

from __future__ import annotations

import uuid
from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from remit import Effect, LeafContext, Risk, tool
from remit.approvals.defaults import names_at_default
from remit.journal.ports import Store
from remit.policies import Question
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import runtime_of


class Search(BaseModel):
    """Arguments of a search."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)

    query: str
    num_results: int = 5
    exclude_domains: list[str] | None = None
    recent_only: bool = False
    since: date = date(2026, 1, 2)
    key: str = Field(default_factory=lambda: uuid.uuid4().hex)


class Unwritable(BaseModel):
    """A default that JSON cannot hold."""

    value: Annotated[Any, Field(default=object())]


@pytest.mark.parametrize(
    ("canonical", "names"),
    [
        ('{"query":"rye","numResults":5,"excludeDomains":null,"key":"1"}', ("numResults", "excludeDomains")),
        ('{"query":"rye","numResults":6,"recentOnly":false,"since":"2026-01-02"}', ("recentOnly", "since")),
        ('{"query":"rye","recentOnly":0,"excludeDomains":[]}', ()),
    ],
    ids=["given or not", "others given", "equal in Python alone"],
)
def test_the_names_of_what_equals_its_default_are_those_of_the_arguments(
    canonical: str, names: tuple[str, ...]
) -> None:
    assert names_at_default(Search, canonical) == names


def test_a_default_that_cannot_be_compared_counts_as_given() -> None:
    assert names_at_default(Unwritable, '{"value":1}') == ()


@tool(effect=Effect.KEYED, risk=Risk.HIGH)
async def pay(ctx: LeafContext, to: str, euros: int = 20, note: str = "") -> str:
    """Pay an amount."""
    return f"{euros} to {to}: {note}"


async def test_the_question_keeps_all_arguments_and_says_which_are_at_their_defaults(store: Store) -> None:
    asked = await runtime_of(Scripted([calls(("pay", {"to": "carl", "euros": 30}))]), pay, store=store).run(
        "go", by=superuser(name="ada")
    )
    row = await store.find_question(asked.questions[0])
    assert row is not None
    assert (row.question.arguments, row.question.at_default) == ('{"euros":30,"note":"","to":"carl"}', ("note",))
    assert Question.from_json(row.question.to_json()) == row.question
