"""Expressions in CEL are compiled when they are made, and any error in one denies the call."""

from __future__ import annotations

import pytest

from remit import Block, Policy, Principal, When
from remit.errors import PolicyError, SetupError
from remit.rules import Expression
from remit.testing import make_call
from tests.approvals.shop import Shop

PAY = Shop().tools()[3]
ADA = Principal("ada", tenant="north", permissions=frozenset({"pay:make"}), roles=frozenset({"clerk"}))


async def holds(text: str, arguments: str = '{"euros":600.5}', target: str = "") -> bool:
    call = await make_call(PAY, arguments, by=ADA, target=target)
    return Expression(text)(call)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("args.euros > 500.0", True),
        ("args.euros > 601", False),
        ("has(args.to) && args.to.endsWith('@x.org')", False),
        ("tool == 'pay' && effect == 'idempotent' && risk == 'safe' && !egress", True),
        ("principal.name == 'ada' && principal.tenant == 'north'", True),
        ("'clerk' in principal.roles && 'pay:make' in principal.permissions", True),
        ("agent == 'agent' && target == 'bakery/main'", True),
        ("['a', 'b'].all(each, each != tool)", True),
        ("principal.roles.exists(role, role.startsWith('cl'))", True),
    ],
)
async def test_an_expression_reads_the_call_its_tool_and_its_caller(text: str, expected: bool) -> None:
    assert await holds(text, target="bakery/main") is expected


async def test_the_validated_arguments_are_read_with_their_defaults() -> None:
    call = await make_call(PAY, '{"euros":1}')
    assert Expression("args.to == 'x'")(call.with_payload(PAY.schema_in.bind(call.arguments)))


@pytest.mark.parametrize(
    "text", ["args.nothing > 1", "args.euros / 0.0 > 1.0 && args.to > 1", "args.euros", "'yes'", "args.to.size() > 1"]
)
async def test_an_error_or_a_value_that_is_no_truth_denies(text: str) -> None:
    policy = Policy.only(When("odd", Expression(text), Block(reason="no")))
    with pytest.raises(PolicyError, match="the rule 'odd'"):
        policy.verdict(await make_call(PAY, '{"euros":1.5}'))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("args.euros >", "Expression: 'args.euros >' is not CEL: mismatched input '<EOF>' at character"),
        ("argz.euros > 1.0", "Expression: there is no 'argz' in argz.euros > 1.0; did you mean args"),
        ("", "Expression: text"),
    ],
)
def test_what_is_no_expression_is_refused_when_it_is_made(text: str, message: str) -> None:
    with pytest.raises(SetupError, match=message):
        Expression(text)


def test_an_expression_is_its_text() -> None:
    one, same, other = Expression("args.euros > 1.0"), Expression("args.euros > 1.0"), Expression("args.euros > 2.0")
    assert one == same != other
    assert len({one, same}) == 1
    versions = [Policy.only(When("large", each, Block(reason="no"))).version for each in (one, same, other)]
    assert versions[0] == versions[1] != versions[2]
    assert Policy.only(When("large", one, Block(reason="no"))).own_rules == ()
    assert repr(one) == "Expression('args.euros > 1.0')"
