"""The lock knows the agents of an application, and tells which of their changes loosen governance."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, Field

from figures.notebook import NOTES, Notebook
from remit import Agent, LeafContext, Stack, preset, tool
from remit.agent import (
    AgentLimits,
    AttachmentPolicy,
    Compaction,
    PromptWithAttachments,
    ToolSearch,
    TurnsUsed,
    WorkingMemory,
)
from remit.call.typed_schema import EARLIER_CHECK, EarlierCheck
from remit.inventory import GovernanceChange, InventoryError, Operations, VersionBump, build_lock
from remit.inventory.lock import LockedOperation, digest_governance, lock_path
from remit.inventory.lock_diff import diff_lock
from remit.inventory.running import check_application
from remit.layers import Budget

LOOSER, TIGHTER = GovernanceChange.LOOSER, GovernanceChange.TIGHTER


@tool(effect="pure")
async def look() -> str:
    """Look."""
    return "seen"


@tool(effect="pure")
async def peer() -> str:
    """Peer."""
    return "seen"


def clerk(**parts: Any) -> Agent:
    fields: dict[str, Any] = {"tools": (look,), **parts}
    return Agent("clerk", instructions="Work.", description="Works.", **fields)


def differences(notebook: Notebook, old: Agent, new: Agent) -> list[tuple[str, GovernanceChange]]:
    operations = notebook.operations()
    found = list(diff_lock(build_lock(operations, [old]), operations, [new]))
    assert {each.bump for each in found} <= {VersionBump.MINOR}
    return [(each.what.removeprefix("agent clerk: "), each.governance) for each in found]


@pytest.mark.parametrize(
    ("tight", "loose", "looser", "tighter"),
    [
        ({}, {"tools": (look, peer)}, "it may call peer now", "it may no longer call peer"),
        ({}, {"handoffs": ("boss",)}, "it may hand over to boss now", "it may no longer hand over to boss"),
        (
            {"tool_scope": ()},
            {},
            "it may have others below it call anything now",
            "it may have others below it call nothing now but: look",
        ),
        (
            {"permissions": ("a:b",)},
            {"permissions": ("a:b", "a:c")},
            "it may use the permission a:c now",
            "it may no longer use the permission a:c",
        ),
        (
            {"permissions": ()},
            {},
            "it may use the permission anything now",
            "it may use the permission nothing now but: none",
        ),
        (
            {"compatible_models": ("openai:*",)},
            {},
            "it may use the model anything now",
            "it may use the model nothing now but: openai:*",
        ),
        ({}, {"limits": AgentLimits(turns=99)}, "limits.turns 16 → 99", "limits.turns 99 → 16"),
        ({}, {"limits": AgentLimits(repeats=9)}, "limits.repeats 3 → 9", "limits.repeats 9 → 3"),
        ({"limits": AgentLimits(tokens=500)}, {}, "limits.tokens 500 → none", "limits.tokens none → 500"),
        (
            {"agent_layers": Stack(Budget())},
            {},
            "the layer Budget(calls=256, tokens=None, depth=8) was removed",
            "the layer Budget(calls=256, tokens=None, depth=8) is new",
        ),
    ],
)
def test_a_change_of_an_agent_is_looser_or_tighter(
    notebook: Notebook, tight: dict[str, Any], loose: dict[str, Any], looser: str, tighter: str
) -> None:
    assert differences(notebook, clerk(**tight), clerk(**loose)) == [(looser, LOOSER)]
    assert differences(notebook, clerk(**loose), clerk(**tight)) == [(tighter, TIGHTER)]
    assert differences(notebook, clerk(**loose), clerk(**loose)) == []


def test_layers_in_another_order_are_looser(notebook: Notebook) -> None:
    one, other = Budget(), Budget(calls=3)
    assert differences(notebook, clerk(agent_layers=Stack(one, other)), clerk(agent_layers=Stack(other, one))) == [
        ("its layers are in another order", LOOSER)
    ]


def test_files_that_an_agent_accepts_are_looser(notebook: Notebook) -> None:
    policy = AttachmentPolicy(suffixes=(".txt",))
    operations = notebook.operations()
    with_files = clerk(input=PromptWithAttachments, attachments=policy)
    for old, new, direction in ((clerk(), with_files, LOOSER), (with_files, clerk(), TIGHTER)):
        found = diff_lock(build_lock(operations, [old]), operations, [new])
        assert [each.governance for each in found if each.code == "changed-attachments"] == [direction]


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("stop", TurnsUsed(3), "TurnsUsed(count=3)"),
        ("compaction", Compaction(tokens=9_000), "9000 tokens, 2250 kept"),
        ("memory", WorkingMemory(), "WorkingMemory(size=10, per_kind=3)"),
        ("tool_search", ToolSearch(above=5), "above=5"),
    ],
)
def test_when_an_agent_is_done_and_what_it_keeps_are_noticed(
    notebook: Notebook, name: str, value: object, text: str
) -> None:
    ((what, governance),) = differences(notebook, clerk(), clerk(**{name: value}))
    assert what.startswith(f"its {name.replace('_', ' ')} was none, and is ")
    assert text in what
    assert governance is GovernanceChange.NONE
    ((what, _),) = differences(notebook, clerk(**{name: value}), clerk())
    assert what.endswith(", and is none")


def test_the_model_of_summaries_is_that_of_a_deployment(notebook: Notebook) -> None:
    one, other = (clerk(compaction=Compaction(model=name)) for name in ("openai:a", "openai:b"))
    assert differences(notebook, one, other) == []


def test_other_instructions_are_another_text(notebook: Notebook) -> None:
    operations = notebook.operations()
    lock = build_lock(operations, [clerk()])
    changed = Agent("clerk", instructions="Rest.", description="Works.", tools=(look,))
    (found,) = diff_lock(lock, operations, [changed])
    assert (found.code, found.bump, found.governance) == ("text", VersionBump.PATCH, GovernanceChange.NONE)
    assert [(each.code, each.bump) for each in diff_lock(lock, operations)] == [("removed", VersionBump.MAJOR)]


def test_a_fixed_parameter_that_is_set_free_or_fixed_otherwise_is_looser(notebook: Notebook) -> None:
    lock = build_lock(notebook.operations())
    notebook.write(NOTES.replace("fix: {tags: [quick]}", "fix: {tags: [slow]}"))
    (found,) = diff_lock(lock, notebook.operations())
    assert (found.code, found.governance) == ("changed-fixed", LOOSER)
    notebook.write(NOTES)
    assert list(diff_lock(lock, notebook.operations())) == []


class Part(BaseModel):
    size: int = 1
    marks: list[str] = Field(default_factory=list[str])


class SavePart(BaseModel):
    part: Part


async def save(ctx: LeafContext, payload: SavePart) -> str:
    """Save a part."""
    return "saved"


def changes_of_payload(notebook: Notebook, **said: Any) -> list[tuple[str, str, GovernanceChange]]:
    """What is found if the lock of a tool said something else of its payload."""
    known = notebook.operations()
    operations = Operations(known.inventory, [tool(effect="keyed")(save)], parts=[known])
    lock = build_lock(operations)
    other: LockedOperation = lock.tools["save"].model_copy(update=said)
    contract, governance = other.compute_digests()
    other = other.model_copy(update={"contract": contract, "governance": governance})
    found = diff_lock(lock.model_copy(update={"tools": {**lock.tools, "save": other}}), operations)
    return [(each.code, each.what, each.governance) for each in found]


@pytest.mark.parametrize(
    ("said", "code", "what", "direction"),
    [
        ({"defaults": {"Part.size": 2}}, "changed-default", "the default of 'Part.size' was 2, and is 1", ""),
        ({"functions": ["factory Part.marks set"]}, "changed-default", "'Part.marks' is made in another way", ""),
        (
            {"functions": ["factory Part.marks list", "validator check a"]},
            "removed-validator",
            "the validator check of its payload was removed",
            "looser",
        ),
    ],
)
def test_defaults_and_validators_inside_a_payload_are_noticed(
    notebook: Notebook, said: dict[str, Any], code: str, what: str, direction: str
) -> None:
    ((found, text, governance),) = changes_of_payload(notebook, **said)
    assert (found, governance.value) == (code, direction)
    assert what in text


def check_size(value: int) -> int:
    return value


class Checked(BaseModel):
    size: Annotated[int, AfterValidator(check_size)] = 1


async def weigh(ctx: LeafContext, payload: Checked) -> str:
    """Weigh a part."""
    return "heavy"


@pytest.mark.parametrize(
    ("functions", "code", "direction"),
    [([], "added-validator", TIGHTER), (["validator check_size 0"], "changed-validator", LOOSER)],
)
def test_a_new_validator_is_tighter_and_a_changed_one_looser(
    notebook: Notebook, functions: list[str], code: str, direction: GovernanceChange
) -> None:
    known = notebook.operations()
    operations = Operations(known.inventory, [tool(effect="keyed")(weigh)], parts=[known])
    lock = build_lock(operations)
    old = lock.tools["weigh"].model_copy(update={"functions": functions})
    contract, _ = old.compute_digests()
    tools = {**lock.tools, "weigh": old.model_copy(update={"contract": contract})}
    (found,) = diff_lock(lock.model_copy(update={"tools": tools}), operations)
    assert (found.code, found.bump, found.governance) == (code, VersionBump.MAJOR, direction)


def test_what_is_tighter_or_new_since_the_lock_does_not_keep_an_application_from_starting(notebook: Notebook) -> None:
    operations = notebook.operations()
    path = lock_path(operations)
    layers = preset(notebook.env)
    old, known = clerk(tools=()), operations.callees
    path.write_text(build_lock(operations, [*known, old]).to_text(), encoding="utf-8")
    check_application(operations, [*known, clerk(tools=(), limits=AgentLimits(turns=3))], layers)
    check_application(operations, known, layers)
    with pytest.raises(InventoryError, match=r"limits.turns 16 → 30 \[minor, looser\]; .*--loosen"):
        check_application(operations, [*known, clerk(tools=(), limits=AgentLimits(turns=30))], layers)


def test_what_was_checked_with_the_same_sources_is_compared_again_only_where_governance_differs(
    notebook: Notebook,
) -> None:
    operations = notebook.operations()
    known, layers = [*operations.callees, clerk(tools=(), limits=AgentLimits(turns=30))], preset(notebook.env)
    lock_path(operations).write_text(build_lock(operations, [*operations.callees, clerk(tools=())]).to_text())
    token = EARLIER_CHECK.set(EarlierCheck(digest_governance(operations, known)))
    try:
        check_application(operations, known, layers)  # looser than its lock, which is not read
        with pytest.raises(InventoryError, match=r"limits.turns 16 → 29"):
            check_application(operations, [*known[:-1], clerk(tools=(), limits=AgentLimits(turns=29))], layers)
    finally:
        EARLIER_CHECK.reset(token)
    with pytest.raises(InventoryError, match=r"limits.turns 16 → 30"):
        check_application(operations, known, layers)
