"""Rules in order: the first that has a verdict on a call counts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import pytest

from remit import Allow, Ask, Block, Effect, LeafContext, Policy, Risk, Tool, When, tool
from remit.approvals.lifetime import MAX_LIFETIME, check_lifetime
from remit.errors import PolicyError, RateLimitedError, SetupError
from remit.layers import Call
from remit.policies import DEFAULT_POLICY, ConfirmationFlag, Egress, HighRisk, Undeclared
from remit.testing import make_call

ASK, BLOCK = Ask(reason="look first"), Block(reason="never")


def tool_of(effect: Effect = Effect.KEYED, risk: Risk = Risk.MODERATE, *, egress: bool = False) -> Tool[..., Any]:
    @tool(effect=effect, risk=risk, egress=egress)
    async def send(_ctx: LeafContext, text: str) -> str:
        """Send a text."""
        return text

    return send


async def call_of(callee: Tool[..., Any]) -> Call:
    call = await make_call(callee, '{"text":"hello"}')
    return call.with_payload(callee.schema_in.bind(call.arguments))


def always(name: str, verdict: Allow | Ask | Block) -> When:
    return When(name, lambda _call: True, verdict)


def never(name: str) -> When:
    return When(name, lambda _call: False, BLOCK)


async def test_the_first_rule_with_a_verdict_counts_and_is_named() -> None:
    call = await call_of(tool_of())
    assert Policy.only(never("one"), always("two", ASK), always("three", BLOCK)).verdict(call) == (ASK, "two")
    assert Policy.only(never("one"), always("three", BLOCK), always("two", ASK)).verdict(call) == (BLOCK, "three")


async def test_an_exception_stands_before_the_rule_that_it_is_an_exception_to() -> None:
    call = await call_of(tool_of(risk=Risk.HIGH))
    assert Policy.only(always("ours", Allow()), HighRisk()).verdict(call) == (Allow(), "ours")


async def test_a_call_that_no_rule_is_about_is_allowed() -> None:
    call = await call_of(tool_of())
    assert Policy.only(never("one")).verdict(call) == (Allow(), "")
    assert Policy.only().verdict(call) == (Allow(), "")


@pytest.mark.parametrize("risk", Risk)
async def test_high_risk_is_asked_about_and_no_other(risk: Risk) -> None:
    verdict = HighRisk()(await call_of(tool_of(risk=risk)))
    assert verdict == (Ask(reason="send is high-risk") if risk is Risk.HIGH else None)


@pytest.mark.parametrize("egress", [False, True])
@pytest.mark.parametrize("effect", [Effect.PURE, Effect.KEYED, Effect.UNSAFE, Effect.COMPOSED])
async def test_what_sends_data_out_is_asked_about_even_if_it_only_reads(effect: Effect, egress: bool) -> None:
    verdict = Egress()(await call_of(tool_of(effect, egress=egress)))
    asked = Ask(reason="send sends data out of the system")
    assert verdict == (asked if egress and effect is not Effect.COMPOSED else None)


@pytest.mark.parametrize(
    "facts",
    [{}, {"timeout": 5}, {"tags": ["mail"]}, {"permissions": ["mail:send"]}, {"rate": "1/hour"}, {"repeatable": True}],
    ids=str,
)
async def test_a_tool_without_effect_and_risk_is_asked_about_whatever_else_it_declares(facts: Any) -> None:
    async def send(text: str) -> str:
        """Send a text."""
        return text

    asked = Ask(reason="send declares neither effect nor risk; write @tool(effect=…)")
    assert Undeclared()(await call_of(tool(**facts)(send))) == asked
    assert Undeclared()(await call_of(tool(effect=Effect.UNSAFE, **facts)(send))) is None
    assert Undeclared()(await call_of(tool(risk=Risk.SAFE, **facts)(send))) is None


async def test_the_default_policy_asks_about_high_risk_egress_and_what_is_not_declared() -> None:
    risky, leaking = tool_of(risk=Risk.HIGH), tool_of(Effect.PURE, egress=True)
    rules = [DEFAULT_POLICY.verdict(await call_of(each))[1] for each in (risky, leaking, tool_of(Effect.UNSAFE))]
    assert rules == ["high risk", "egress", ""]


async def test_a_confirmation_flag_asks_the_acting_person_for_a_confirmation_and_nothing_else_does() -> None:
    async def drop(confirmed: bool = False) -> str:
        """Drop it."""
        return str(confirmed)

    policy = Policy(ConfirmationFlag())
    flagged = await call_of(tool(effect=Effect.UNSAFE, risk=Risk.HIGH, confirm="confirmed")(drop))
    ask = Ask(reason="drop asks for a confirmation", kind="confirm")
    assert policy.verdict(flagged) == (ask, "confirmation flag")
    assert policy.verdict(await call_of(tool_of(risk=Risk.HIGH)))[1] == "high risk"
    assert policy.own_rules == ()
    with pytest.raises(SetupError, match="under four_eyes another person approves"):
        Policy(ConfirmationFlag(), four_eyes=True)


async def _coroutine() -> bool:
    return True


@pytest.mark.parametrize("answer", [1, "yes", None, [True], re.match("a", "a"), {"office"}, bool])
@pytest.mark.parametrize("verdict", [Allow(), ASK, BLOCK], ids=["allow", "ask", "block"])
async def test_a_test_that_returns_something_else_than_true_or_false_denies_the_call(answer: Any, verdict: Any) -> None:
    call = await call_of(tool_of())
    with pytest.raises(PolicyError, match=r"the test of the rule 'rule' returned .*; return True or False"):
        Policy.only(When("rule", lambda _call: answer, verdict)).verdict(call)


async def test_a_test_that_returns_a_coroutine_denies_the_call_and_says_why() -> None:
    def test(_call: Call) -> Any:
        return _coroutine()

    with pytest.raises(PolicyError, match="returned a coroutine: write it as a plain `def`"):
        Policy.only(When("rule", test, BLOCK)).verdict(await call_of(tool_of()))


@dataclass(frozen=True)
class Fixed:
    """A rule that returns the same value for all calls."""

    verdict: Any
    name: str = "fixed"

    def __call__(self, _call: Call, /) -> Any:
        """Return or raise the value."""
        if isinstance(self.verdict, Exception):
            raise self.verdict
        return self.verdict


@pytest.mark.parametrize(
    ("verdict", "described"),
    [
        (Block, "the class Block"),
        ("block", "a value of type str"),
        (True, "a value of type bool"),
        (0, "a value of type int"),
        ((BLOCK, "rule"), "a value of type tuple"),
    ],
)
async def test_a_rule_that_returns_something_else_than_a_verdict_denies_the_call(verdict: Any, described: str) -> None:
    with pytest.raises(PolicyError, match=f"the rule 'fixed' returned {described}; return Allow"):
        Policy.only(Fixed(verdict), always("ours", Allow())).verdict(await call_of(tool_of()))


async def test_a_rule_that_fails_denies_the_call_and_is_named() -> None:
    with pytest.raises(PolicyError, match="the rule 'fixed' failed, so send is denied: KeyError: 'office'"):
        Policy.only(Fixed(KeyError("office"))).verdict(await call_of(tool_of()))
    with pytest.raises(RateLimitedError):
        Policy.only(Fixed(RateLimitedError("later"))).verdict(await call_of(tool_of()))


async def test_an_async_rule_or_test_is_refused_when_the_policy_is_built() -> None:
    async def test(_call: Call) -> bool:
        return True

    class Late:
        name = "late"

        async def __call__(self, _call: Call, /) -> None:
            """Give no verdict."""

    with pytest.raises(SetupError, match=r"give a function that is not async, such as `def test\(call\)`"):
        When("rule", cast("Any", test), BLOCK)
    with pytest.raises(SetupError, match="is async; write it as a plain `def`"):
        Policy.only(cast("Any", Late()))


async def test_a_rule_for_tools_matches_their_calls_alone_and_needs_no_test() -> None:
    send = tool_of()
    call, other = await call_of(send), await call_of(send.with_name("post"))
    every = When("every", tools={"send"}, verdict=BLOCK)
    loud = When("loud", lambda call: "!" in call.canonical_arguments, ASK, tools="send")
    assert Policy.only(every).verdict(call) == (BLOCK, "every")
    assert Policy.only(every).verdict(other) == (Allow(), "")
    assert Policy.only(loud, every).verdict(call) == (BLOCK, "every")
    shout = (await make_call(send, '{"text":"hello!"}')).with_payload(call.payload or pytest.fail("no payload"))
    assert Policy.only(loud, every).verdict(shout.replace(canonical_arguments='{"text":"hello!"}')) == (ASK, "loud")


def test_a_rule_for_tools_covers_these_tools_and_runs_code_only_if_it_has_a_test() -> None:
    declared, tested = When("declared", tools=["send"], verdict=ASK), When("tested", bool, ASK, tools=["send"])
    assert Policy(declared, tested, never("anywhere")).own_rules == ("tested", "anywhere")
    for rule in (declared, tested):
        assert [Policy.only(rule).covers(HighRisk, name) for name in ("send", "post")] == [True, False]
    assert Policy.only(never("anywhere")).covers(HighRisk, "post")
    assert [Policy.only(Egress()).covers(kind, "post") for kind in (Egress, HighRisk)] == [True, False]


def test_a_policy_is_asked_about_a_class_of_rules() -> None:
    with pytest.raises(SetupError, match=r"covers: kind is 'high risk'; give a class of rules, such as HighRisk$"):
        Policy.only().covers(cast("Any", "high risk"), "send")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: When("", bool, BLOCK), "When: name is empty"),
        (lambda: Policy.only(Fixed(BLOCK, name=cast("Any", 5))), "the name of a rule is 5; give a string"),
        (lambda: When("odd", bool, BLOCK, version=cast("Any", 1)), "When: version is 1; give a string"),
        (lambda: When("odd"), "When 'odd' selects nothing; give tools or a test"),
        (lambda: When("odd", tools="send"), "When 'odd': verdict is None; give an Allow, an Ask or a Block"),
        (lambda: When("odd", tools=cast("Any", 5), verdict=BLOCK), "When: tools is 5; give a list"),
        (lambda: When("odd", tools=cast("Any", [5]), verdict=BLOCK), "When: an item of tools is 5; give a str"),
    ],
)
def test_a_rule_without_a_name_a_version_a_choice_or_a_verdict_is_refused(
    build: Callable[[], object], message: str
) -> None:
    with pytest.raises(SetupError, match=f"^{re.escape(message)}"):
        build()


async def test_four_eyes_of_a_policy_are_added_to_whatever_asks_and_to_nothing_else() -> None:
    call = await call_of(tool_of())
    asks, blocks = (Policy.only(always("rule", verdict), four_eyes=True) for verdict in (ASK, BLOCK))
    assert asks.verdict(call) == (Ask(reason="look first", four_eyes=True), "rule")
    assert blocks.verdict(call) == (BLOCK, "rule")
    assert Policy.only(four_eyes=True).verdict(call) == (Allow(), "")


def test_two_rules_of_one_name_are_refused() -> None:
    with pytest.raises(SetupError, match="two rules are named 'high risk'"):
        Policy.only(HighRisk(), never("other"), never("high risk"))


def test_rules_are_added_before_the_default_ones() -> None:
    one = never("one")
    assert Policy(one).rules == (one, HighRisk(), Egress(), Undeclared())
    assert Policy().version == DEFAULT_POLICY.version
    assert Policy.only(one).rules == (one,)
    with pytest.raises(SetupError, match="two rules are named 'egress'"):
        Policy(never("egress"))


def test_a_default_rule_that_is_given_stands_where_it_is_given() -> None:
    one, risky = never("one"), HighRisk("risky")
    assert Policy(Egress(), one).rules == (Egress(), one, HighRisk(), Undeclared())
    assert Policy(one, risky).rules == (one, risky, Egress(), Undeclared())


def test_a_policy_prints_its_rules_in_order() -> None:
    assert repr(Policy.only(never("one"), HighRisk())) == "Policy(one, high risk)"
    assert repr(Policy.only(HighRisk(), four_eyes=True)) == "Policy(high risk, four eyes)"


def test_a_version_is_that_of_the_same_rules_in_the_same_order() -> None:
    def policy() -> Policy:
        return Policy.only(never("one"), HighRisk(), always("two", ASK))

    assert policy().version == policy().version


@pytest.mark.parametrize(
    "build",
    [
        pytest.param(lambda: Policy.only(HighRisk(), never("one")), id="order"),
        pytest.param(lambda: Policy.only(never("one")), id="fewer rules"),
        pytest.param(lambda: Policy.only(never("one"), HighRisk("risky")), id="name"),
        pytest.param(lambda: Policy.only(always("one", BLOCK), HighRisk()), id="test"),
        pytest.param(lambda: Policy.only(When("one", lambda _call: False, ASK), HighRisk()), id="verdict"),
        pytest.param(lambda: Policy.only(never("one"), HighRisk(), four_eyes=True), id="four eyes"),
    ],
)
def test_a_policy_that_says_something_else_has_another_version(build: Callable[[], Policy]) -> None:
    assert build().version != Policy.only(never("one"), HighRisk()).version


def test_a_version_of_a_rule_stands_for_its_test_but_not_for_its_verdict() -> None:
    first = When("rule", lambda _call: True, ASK, version="1")
    assert Policy.only(first).version == Policy.only(When("rule", lambda _call: False, ASK, version="1")).version
    assert Policy.only(first).version != Policy.only(When("rule", lambda _call: True, ASK, version="2")).version
    assert Policy.only(first).version != Policy.only(When("rule", lambda _call: True, BLOCK, version="1")).version
    narrower = When("rule", lambda _call: True, ASK, version="1", tools={"send"})
    assert Policy.only(first).version != Policy.only(narrower).version


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.inf, math.nan, MAX_LIFETIME + 1024])
def test_a_lifetime_that_is_not_positive_and_finite_is_refused(seconds: float) -> None:
    with pytest.raises(SetupError, match=r"^expires_in is .* seconds; give a positive number, at most 3153600000"):
        check_lifetime(seconds, "expires_in")


def test_a_lifetime_that_no_float_holds_is_refused_without_being_printed() -> None:
    with pytest.raises(SetupError, match=r"^expires_in: seconds is larger than any float; give a smaller number$"):
        check_lifetime(10**5000, "expires_in")


@pytest.mark.parametrize("seconds", [1e-9, 1.0, MAX_LIFETIME])
def test_a_lifetime_of_up_to_a_hundred_years_is_accepted(seconds: float) -> None:
    check_lifetime(seconds, "expires_in")
    assert Ask(reason="look", expires_in=seconds).expires_in == seconds
