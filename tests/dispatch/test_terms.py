"""What is pinned is missed only where it is gone or wider, and a caused run gets the stricter of both."""

from __future__ import annotations

import pytest

from remit.dispatch.terms import RuleTerm, ScopeTerms, Terms, encode_terms, find_lost, inherit_terms


def agent(*permissions: str) -> Terms:
    return {"agent": ScopeTerms(permissions=permissions)}


@pytest.mark.parametrize(
    ("pinned", "present", "lost"),
    [
        (agent("pages:*"), agent("pages:*", "pages:write"), []),
        (agent("pages:read"), agent("pages:read", "pages:write"), ["agent: permissions"]),
        ({"gone": ScopeTerms(layers=("Redact",), limits={"timeout": 3.0})}, {}, []),
        ({"gone": ScopeTerms(policies=((RuleTerm("two people", 2),),))}, {"": ScopeTerms(layers=("Validate",))}, []),
    ],
    ids=["within a pattern", "one more", "a tool that is gone", "its rule"],
)
def test_only_what_lets_more_happen_is_lost(pinned: Terms, present: Terms, lost: list[str]) -> None:
    assert [each.name for each in find_lost(encode_terms(pinned), present)] == lost


def test_the_layers_of_an_agent_that_is_gone_are_missed_by_the_runs_in_its_name() -> None:
    pinned = encode_terms({"gone": ScopeTerms(layers=("Budget",), limits={"Budget.calls": 3.0, "steps": 5.0})})
    assert [each.name for each in find_lost(pinned, {}, caller="gone")] == ["gone: Budget", "gone: Budget.calls"]


def test_a_callee_without_terms_is_not_pinned() -> None:
    assert encode_terms({"": ScopeTerms(layers=("Budget",)), "tool": ScopeTerms()}) == '[[[""],{"layers":["Budget"]}]]'


def test_equal_terms_are_pinned_once_with_all_that_they_govern() -> None:
    same, other = ScopeTerms(layers=("Budget",)), ScopeTerms(tools=("look",))
    pinned = encode_terms({"b": same, "": other, "a": ScopeTerms(layers=("Budget",))})
    assert pinned == '[[[""],{"tools":["look"]}],[["a","b"],{"layers":["Budget"]}]]'
    lost = find_lost(pinned, {"": other, "a": same, "b": ScopeTerms()})
    assert [each.name for each in lost] == ["b: Budget"]


def test_a_caused_run_gets_present_terms_where_they_are_stricter_and_pinned_ones_where_they_are_less() -> None:
    pinned = {"": ScopeTerms(limits={"calls": 9.0}), "agent": ScopeTerms(limits={"calls": 3.0})}
    present = {"": ScopeTerms(limits={"calls": 5.0}), "agent": ScopeTerms(limits={"calls": 4.0})}
    assert inherit_terms(encode_terms(pinned), present) == encode_terms({"": present[""], "agent": pinned["agent"]})
