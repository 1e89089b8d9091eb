"""The rules of an application as people read them."""

from __future__ import annotations

from remit import Allow, App, Ask, Block, Policy, Runtime, When
from remit.server.documents.policy import PolicyDocument
from tests.server.shop import refund


def test_a_rule_of_an_application_says_its_own_reason_rather_than_what_such_rules_are() -> None:
    rules = (
        When("money", verdict=Ask(reason="money leaves the shop", who="finance:approve"), tools={"refund"}),
        When("nights", lambda call: False, Block(reason="nobody is there"), version="1"),
        When("small", lambda call: False, Allow(), version="1"),
    )
    runtime = Runtime(App(name="shop", tools=[refund], policy=Policy(*rules)))
    document = PolicyDocument.of(runtime)
    meanings = {rule.name: rule.meaning for rule in document.rules}
    assert meanings["money"] == "money leaves the shop"
    assert [rule.tools for rule in document.rules if rule.name in ("money", "nights")] == [("refund",), ()]
    assert [rule.permission for rule in document.rules][:4] == ["finance:approve", "", "", ""]
    assert (meanings["nights"], meanings["small"]) == ("nobody is there", "")
    assert meanings["high risk"] == "Ask before high-risk calls."
