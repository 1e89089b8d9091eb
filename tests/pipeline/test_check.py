"""Whatever can be seen to be wrong with a pipeline is refused when it is built, naming the step."""

from __future__ import annotations

import re
from typing import Annotated, Any

import pytest
from pydantic import Field

from remit import Effect, tool
from remit.errors import SetupError
from remit.pipeline import From, Given, Item, Pipeline, Reference, Step, Text, Then
from tests.pipeline.mails import File, Mailbox, pipeline

BOX = Mailbox()


def refused(said: str, *steps: Step, **knobs: Any) -> None:
    with pytest.raises(SetupError, match=re.escape(f"pipeline file_mail: {said}")):
        pipeline(*steps, **knobs)


def search(**knobs: Any) -> Step:
    given: dict[str, Any] = {"name": "search", "callee": BOX.search(), "takes": {"query": Given("query")}}
    return Step(**{**given, **knobs})


def read(**knobs: Any) -> Step:
    takes = {"mail_id": From("search", "messages", 0, "id")}
    given: dict[str, Any] = {"name": "read", "callee": BOX.read(), "takes": takes}
    return Step(**{**given, **knobs})


@tool(effect=Effect.PURE)
async def count(number: Annotated[int, Field(ge=0)], share: float = 0.5, on: bool = False) -> dict[str, int]:
    """Count."""
    return {"number": number}


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        (Given("qery"), "step read: there is no 'qery' in Given(); did you mean query?"),
        (Given("zzz"), "step read: there is no 'zzz' in Given(); available: query, casefile, limit, tags"),
        (From("serch", "total"), "step read: there is no step 'serch'; did you mean search?"),
        (From("search", "mesages"), "step read: there is no 'mesages' in From('search'); did you mean messages?"),
        (From("search", "messages", 0, "ix"), "step read: there is no 'ix' in From('search', 'messages', 0)"),
        (
            From("search", "messages", "id"),
            "step read: there is no 'id' in From('search', 'messages'); available: none",
        ),
        (From("search", 0), "step read: there is no 0 in From('search'); available: messages, total"),
        (From("read", "text"), "step read: From('read', 'text') refers to a step that cannot have run before it"),
        (Item("id"), "step read: Item('id') is only for a step with `each`"),
        (From("search", "total"), "step read: 'mail_id' of read cannot take From('search', 'total')"),
        (From("search", "messages"), "step read: 'mail_id' of read cannot take From('search', 'messages')"),
        (
            Text("{n}", n=From("search", "n")),
            "step read: there is no 'n' in From('search'); available: messages, total",
        ),
    ],
    ids=str,
)
def test_a_reference_to_what_cannot_be_there_is_refused(reference: Reference, said: str) -> None:
    refused(said, search(), read(takes={"mail_id": reference}))


def test_a_reference_within_a_list_or_an_object_is_looked_at_too() -> None:
    step = Step(
        name="store", callee=BOX.store(), takes={"casefile": "cf", "mails": [{"id": Given("qery"), "text": ""}]}
    )
    refused("step store: there is no 'qery' in Given(); did you mean query?", step)


def test_a_step_must_have_run_before_the_one_that_refers_to_it() -> None:
    refused(
        "step read: From('search', 'messages', 0, 'id') refers to a step that cannot have run before it",
        read(),
        search(),
    )


def test_a_later_step_may_be_referred_to_where_a_failure_leads_back() -> None:
    steps = (
        search(takes={"query": "x"}, on_success="read"),
        Step(name="again", callee=BOX.read(), takes={"mail_id": From("read", "id")}, on_success=Then.STOP),
        read(on_failure="again"),
    )
    assert [step.name for step in pipeline(*steps).steps] == ["search", "again", "read"]


def test_parameters_are_those_of_the_callee() -> None:
    refused(
        "step search: search has no parameter 'qery'; did you mean query?",
        search(takes={"query": "x", "qery": Given("query")}),
    )
    refused("step search: search needs query", search(takes={"limit": 3}))


@pytest.mark.parametrize(
    ("takes", "said"),
    [
        ({"number": "7", "share": From("first", "number")}, "'number' of count cannot take '7'"),
        ({"number": 7.5, "share": From("first", "number")}, "'number' of count cannot take 7.5"),
        ({"number": 7, "on": From("first", "number")}, "'on' of count cannot take From('first', 'number')"),
        ({"number": 7, "share": True}, "'share' of count cannot take True"),
        ({"number": -7}, "step count: count cannot take {'number': -7}: number: Input should be greater than"),
        ({"number": None}, "'number' of count cannot take None"),
    ],
    ids=str,
)
def test_values_are_of_the_type_of_their_parameters(takes: dict[str, Any], said: str) -> None:
    first = Step(name="first", callee=count, takes={"number": Given("limit")})
    step = Step(name="count", callee=count, takes=takes)
    with pytest.raises(SetupError, match=re.escape(said)):
        Pipeline("p", File, [first, step], description="Count.")


def test_a_whole_number_is_a_number_and_what_an_object_may_hold_may_be_referred_to() -> None:
    first = Step(name="first", callee=count, takes={"number": Given("limit")})
    step = Step(name="count", callee=count, takes={"number": 7, "share": From("first", "whatever")})
    assert len(pipeline(first, step).steps) == 2


def test_each_needs_a_list() -> None:
    refused(
        "step read: From('search', 'total') is not a list; `each` needs one",
        search(),
        read(each=From("search", "total"), takes={"mail_id": Item()}),
    )
    refused(
        "step read: 'mail_id' of read cannot take Item()",
        search(),
        read(each=From("search", "messages"), takes={"mail_id": Item()}),
    )


def test_what_is_kept_must_be_something_that_a_step_can_give() -> None:
    refused(
        "keep n: there is no 'totl' in From('search'); did you mean total?",
        search(),
        keep={"n": From("search", "totl")},
    )
    refused("keep n: Item() is only for a step with `each`", search(), keep={"n": Item()})
