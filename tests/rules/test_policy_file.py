"""A policy file spells rules, windows and tests as values of Python; each error in it is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit import Allow, Ask, Block, Policy, When
from remit.errors import SetupError
from remit.layers import Budget, Window
from remit.policies import After, AllOf, NotAfter
from remit.rules import Expression, PolicyFile, PolicyTestResult, run_tests
from tests.approvals.shop import Shop

WHOLE = """
rules:
  - name: readers
    tools: [read_secret, read_invoice]
    verdict: allow
  - name: no mail after secrets
    tools: send_mail
    after: {tools: read_secret, per: conversation, within: 3600}
    verdict: block
    reason: a secret was read
  - name: large payments
    tools: pay
    not_after: read_invoice
    if: args.euros > 500.0
    verdict: ask
    reason: it is a large payment
    who: finance:pay
    four_eyes: true
    expires_in: 3600
  - name: sure
    tools: pay
    verdict: confirm
    reason: money leaves
budget: {calls: 50, cost: 2.5, window: 30}
windows:
  - {name: mails, calls: 2, tools: send_mail}
  - {name: a day, field: euros, amount: 1000, tools: pay, per: principal, every: day}
  - {name: a minute, calls: 5, per: tenant, every: 60}
"""


def test_a_file_says_what_the_same_values_of_python_say() -> None:
    read = PolicyFile.parse(WHOLE)
    large = AllOf(NotAfter("read_invoice"), Expression("args.euros > 500.0"))
    policy = Policy(
        When("readers", verdict=Allow(), tools=["read_secret", "read_invoice"]),
        When(
            "no mail after secrets",
            After("read_secret", per="conversation", within=3600),
            Block(reason="a secret was read"),
            tools="send_mail",
        ),
        When(
            "large payments",
            large,
            Ask(reason="it is a large payment", who="finance:pay", four_eyes=True, expires_in=3600),
            tools="pay",
        ),
        When("sure", verdict=Ask(reason="money leaves", kind="confirm"), tools="pay"),
    )
    assert (read.policy.names, read.policy.rule_strictness) == (policy.names, policy.rule_strictness)
    assert read.policy.version == policy.version
    windows = [
        Window("mails", calls=2, tools="send_mail"),
        Window("a day", field="euros", amount=1000, tools="pay", per="principal", every="day"),
        Window("a minute", calls=5, per="tenant", every=60),
    ]
    assert read.budget == Budget(calls=50, cost=2.5, window=30, windows=windows)


def test_the_default_rules_can_be_left_out_and_every_question_can_need_another_person() -> None:
    read = PolicyFile.parse("default_rules: false\nfour_eyes: true\nrules: [{name: a, tools: b, verdict: allow}]")
    assert read.policy.names == ("a", "four eyes")
    assert PolicyFile.parse("").policy.version == Policy().version


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "rules:\n  - name: x\n    verdit: ask",
            "p.yaml:3: rules.0.verdit: there is no such key; did you mean verdict?",
        ),
        ("rules:\n  - name: x\n    tools: y", "p.yaml:2: rules.0.verdict: it is missing; write verdict: …"),
        ("rules:\n  - name: x\n    verdict: maybe", "p.yaml:3: rules.0.verdict: Input should be 'allow'"),
        ("rules:\n  - name: x\n    verdict: ask", "p.yaml:2: x: a rule that says ask needs a reason; write reason: …"),
        (
            "rules:\n  - {name: x, verdict: allow, reason: y}",
            "p.yaml:2: x: a rule that allows has no reason; leave it out",
        ),
        (
            "rules:\n  - {name: x, verdict: block, reason: y, who: a:b}",
            "p.yaml:2: x: a rule that says block asks no person",
        ),
        ("rules:\n  - {name: x, verdict: allow}", "p.yaml:2: x: When 'x' selects nothing; give tools or a test"),
        ("rules:\n  - {name: x, verdict: allow, if: 'args.a >'}", "p.yaml:2: x: Expression: 'args.a >' is not CEL"),
        (
            "rules:\n  - {name: x, verdict: allow, after: {tool: a}}",
            "p.yaml:2: rules.0.after.tool: there is no such key",
        ),
        ("rules:\n  - &a {name: x, verdict: allow, tools: y}\n", "p.yaml:2: the anchor &a names a part"),
        (
            "rules:\n  - {name: x, verdict: allow, tools: y}\n  - {name: x, verdict: allow, tools: y}",
            "p.yaml:1: two rules are named 'x'",
        ),
        ("windows:\n\n  - {name: x, calls: 0}", "p.yaml:3: windows.0.calls: Input should be greater than 0"),
        ("windows:\n  - {name: x, calls: true}", "p.yaml:2: windows.0.calls: Input should be a valid integer"),
        ("windows:\n  - {name: x, calls: 1, per: tenant}", "p.yaml:2: x: Window 'x': give every='day'"),
        ("windows:\n  - {name: x, calls: 1}\n  - {name: x, calls: 1}", "p.yaml:1: Budget: two windows are named 'x'"),
        ("budget: {call: 1}", "p.yaml:1: budget.call: there is no such key; did you mean calls?"),
        ("tests:\n  - name: x\n    calls: []", "p.yaml:3: tests.0.calls: give at least 1 item"),
        (
            "tests:\n  - name: x\n    calls:\n    - {call: a, by: ''}",
            "p.yaml:4: tests.0.calls.0.by: it is empty; give a text",
        ),
        ("- a", "p.yaml:1: no mapping; begin with keys"),
        ("rules: {", "p.yaml:2: not YAML"),
    ],
)
def test_each_error_is_one_line_with_its_place(text: str, line: str) -> None:
    with pytest.raises(SetupError) as caught:
        PolicyFile.parse(text, "p.yaml")
    assert caught.value.message.startswith(line), caught.value.message
    assert "\n" not in caught.value.message


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"policy\.yaml:1: it cannot be read"):
        PolicyFile.load(tmp_path / "policy.yaml")


TESTED = """
rules:
  - {name: the invoice first, tools: pay, not_after: read_invoice, verdict: block, reason: read the invoice first}
  - {name: large, tools: pay, if: args.euros > 500.0, verdict: ask, reason: it is large}
  - {name: secrets, tools: send_mail, after: {tools: read_secret, per: tenant}, verdict: block, reason: secret}
windows:
  - {name: a day, field: euros, amount: 1000, tools: pay, per: principal, every: day}
tests:
  - name: payments
    calls:
      - {call: pay, with: {euros: 1.0}, expect: block, rule: the invoice first}
      - {call: read_invoice}
      - {call: pay, with: {euros: 600.0}, expect: ask, rule: large}
      - {call: pay, with: {euros: 600.0}, expect: over, rule: a day, by: user}
      - {call: pay, with: {euros: 400.0}, by: bob}
      - {call: pay, with: {euros: 601.0}, by: bob, expect: over}
      - {call: pay, with: {euros: 600.0}, later: 86400, expect: ask, approved: true}
  - name: secrets
    calls:
      - {call: read_secret, run: one}
      - {call: send_mail, run: two, by: bob, expect: block, rule: secrets}
      - {call: send_mail, run: two, by: {name: cyd, tenant: other}}
  - name: wrong
    calls:
      - {call: read_secret, expect: ask}
      - {call: send_mail, expect: block, rule: large}
"""


async def test_the_tests_of_a_file_are_run_and_say_what_is_not_as_expected() -> None:
    assert await run_tests(PolicyFile.parse(TESTED)) == [
        PolicyTestResult("payments"),
        PolicyTestResult("secrets"),
        PolicyTestResult(
            "wrong",
            (
                "call 1, read_secret: allow, expected ask",
                "call 2, send_mail: block by 'secrets', expected 'large'",
            ),
        ),
    ]


async def test_with_an_application_the_facts_and_arguments_of_its_tools_count() -> None:
    calls = "[{call: pay, with: {euros: much}}, {call: pey}, {call: pay, with: {euros: 1.0}}]"
    text = f"tests:\n  - name: x\n    calls: {calls}"
    shop = Shop()
    (result,) = await run_tests(PolicyFile.parse(text), shop.tools())
    assert [each.partition(": ")[0] for each in result.problems] == ["call 1, pay", "call 2, pey"]
    assert "did you mean pay" in result.problems[1]
    assert shop.done == []
