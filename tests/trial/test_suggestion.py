"""A suggested policy follows from what tools declare and how they were called, says why, and is a policy file."""

from __future__ import annotations

from remit import Allow, App, Ask, Block, Effect, Principal, Risk, Runtime, When, tool
from remit.rules import PolicyFile


@tool(effect=Effect.PURE)
async def read_note(name: str) -> str:
    """Read a note."""
    return name


@tool(effect=Effect.IDEMPOTENT)
async def pay(to: str) -> str:
    """Pay somebody."""
    return to


@tool(effect=Effect.IDEMPOTENT, risk=Risk.HIGH)
async def delete(name: str) -> str:
    """Delete something."""
    return name


@tool(effect=Effect.IDEMPOTENT)
async def never(name: str) -> str:
    """Do what nobody needs."""
    return name


TOOLS = (read_note, pay, delete, never)


async def test_reads_are_allowed_risks_asked_about_and_what_nobody_called_is_blocked() -> None:
    client = Runtime(App(name="notes", tools=TOOLS)).client(Principal("ada"))
    for name, arguments in (("pay", {"to": "a"}), ("pay", {"to": "b"}), ("delete", {"name": "a"})):
        await client.call(name, arguments)
    text = await client.suggest_policy(since=0)
    file = PolicyFile.parse(text, "suggested")
    rules = [rule for rule in file.policy.rules if isinstance(rule, When)]
    assert [rule.name for rule in rules] == ["ask delete", "block never", "allow pay", "allow read_note"]
    assert [each.verdict for each in rules] == [
        Ask(reason="it is high-risk"),
        Block(reason="it has not been needed so far"),
        Allow(),
        Allow(),
    ]
    assert "  # changes something, and is not high-risk; called 2 times\n  - name: allow pay\n" in text
    assert [(each.name, each.calls) for each in file.budget.windows] == [
        ("calls of delete", 2),
        ("calls of pay", 2),
    ]
    trial = await client.try_policy(file.policy, since=0)
    assert trial.groups == []
