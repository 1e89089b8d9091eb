"""Questions and decisions cross the journal as JSON, read strictly: what looks like a yes is none."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from remit.errors import SetupError
from remit.record.arguments import content_digest
from remit.record.question import Decision, Question, as_dict
from tests.call.json_values import text

finite = st.floats(allow_nan=False, allow_infinity=False)
texts = {field.name: text for field in fields(Question) if field.type == "str"}
questions = st.builds(
    Question, **texts, kind=st.sampled_from(["approval", "outcome"]), asked=finite, expires=finite, waits=st.booleans()
)
names = st.text(st.characters(categories=("Ll", "Lu", "Nd"), max_codepoint=0x24F), min_size=1, max_size=50)
storable = text.filter(lambda each: "\0" not in each)
decisions = st.builds(
    Decision, question=storable, approved=st.booleans(), by=names, result=storable, reason=storable, at=finite
)


@given(questions)
def test_a_question_comes_back_from_its_json(question: Question) -> None:
    assert Question.from_json(question.to_json()) == question


@given(decisions)
def test_a_decision_comes_back_from_its_json(decision: Decision) -> None:
    assert Decision.from_json(decision.to_json()) == decision


@pytest.mark.parametrize("approved", ["yes", "true", "True", 1, 0, 1.0, None, [True], {"approved": True}])
def test_what_merely_looks_like_a_yes_or_no_is_no_decision(approved: Any) -> None:
    said = {**as_dict(Decision(question="q", approved=True, by="ada")), "approved": approved}
    with pytest.raises(ValidationError, match="approved"):
        Decision.from_json(json.dumps(said))


@pytest.mark.parametrize("missing", ["question", "approved", "by"])
def test_a_decision_without_one_of_its_parts_is_none(missing: str) -> None:
    said = as_dict(Decision(question="q", approved=True, by="ada"))
    del said[missing]
    with pytest.raises(ValidationError, match=missing):
        Decision.from_json(json.dumps(said))


@pytest.mark.parametrize("approved", ["yes", "true", 1, None])
def test_a_decision_cannot_be_built_of_what_merely_looks_like_a_yes(approved: Any) -> None:
    with pytest.raises((SetupError, ValueError)):
        Decision(question="q", approved=approved, by="ada")


@given(questions)
def test_a_question_of_another_kind_is_refused(question: Question) -> None:
    with pytest.raises(ValidationError, match="kind"):
        Question.from_json(json.dumps({**as_dict(question), "kind": "poll"}))


def test_the_fields_of_a_decision_are_there_by_name() -> None:
    assert as_dict(Decision(question="q", approved=False, by="ada", reason="no", at=2.0)) == {
        "question": "q",
        "approved": False,
        "by": "ada",
        "result": "",
        "reason": "no",
        "at": 2.0,
        "arguments": "",
        "grant": "",
        "kind": "approve",
        "request_key": "",
    }


def test_a_digest_is_32_hex_digits_and_the_same_every_time() -> None:
    assert content_digest("a", "b") == content_digest("a", "b")
    assert len(content_digest()) == 32
    assert int(content_digest("a"), 16) >= 0


@given(st.lists(st.text(max_size=3), max_size=4), st.lists(st.text(max_size=3), max_size=4))
def test_two_lists_of_parts_share_a_digest_only_if_they_are_one(one: list[str], other: list[str]) -> None:
    assert (content_digest(*one) == content_digest(*other)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"), [(("ab", "c"), ("a", "bc")), (("1:a",), ("a",)), (("", ""), ("",)), ((), ("",))]
)
def test_where_one_part_ends_and_the_next_begins_is_in_the_digest(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert content_digest(*one) != content_digest(*other)


def test_half_of_a_surrogate_pair_can_be_digested() -> None:
    assert content_digest("\ud800") != content_digest("\ud801")
