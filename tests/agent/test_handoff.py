"""An agent hands a conversation over, and the other goes on with it: its own instructions, tools and layers."""

from __future__ import annotations

import json
from typing import cast

import pytest

from remit import Agent, App, Effect, LeafContext, Principal, Risk, Runtime, tool
from remit.agent.handoff import HandoffTool, Reason
from remit.call.callee import UNKNOWN, Frame
from remit.call.classification import Visibility
from remit.call.facts import Facts
from remit.errors import BudgetError, ContractError, DeniedError, SetupError
from remit.layers import Call, CallService, Reply, layer_fn
from remit.record.arguments import parse_arguments
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from remit.tools import Limits
from tests.agent.team import TO_EDITOR, TO_WRITER, editor, erase, handoffs, look, roles, runtime_of, system, writer
from tests.runtime.kit import World, tool_messages


async def test_the_other_agent_goes_on_with_the_same_conversation_under_its_own_instructions() -> None:
    model = Scripted([calls(("look", {})), calls(TO_WRITER, content="one moment"), "written"])
    runtime = runtime_of(model)
    result = await runtime.run("improve it", by=superuser())
    assert result.value() == "written"
    assert [system(model, request) for request in range(3)] == ["You lay out.", "You lay out.", "You write."]
    assert roles(model) == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert [each.tools.names for each in model.requests] == [
        ("look", "handoff_to_writer"),
        ("look", "handoff_to_writer"),
        ("handoff_to_editor",),
    ]
    assert await tool_messages(runtime, result.run) == ["a page", "handed over to writer"]
    assert all(history_errors(request.history) == [] for request in model.requests)
    (item,) = await handoffs(runtime, result.run)
    assert (item.source, item.target, item.reason) == ("editor", "writer", "it is about words")


async def test_a_model_reads_what_the_other_agent_is_for_also_where_it_is_named_only() -> None:
    for known in (["writer"], [writer(handoffs=[])]):
        model = Scripted(["done"])
        agents = (editor(handoffs=known), *([writer(handoffs=[])] if known == ["writer"] else []))
        await runtime_of(model, *agents).run("go", by=superuser())
        assert "goes on with it in your place. Writes well." in model.requests[0].tools.text


async def test_a_handoff_replays_to_the_byte() -> None:
    model = Scripted([calls(TO_WRITER), calls(TO_EDITOR), calls(("look", {})), "done"])
    runtime = runtime_of(model)
    result = await runtime.run("go", by=superuser())
    report = await runtime.replay(result.run)
    assert (report.difference, report.compared_count) == ("", 3 + 1 + 4 + 3 + 1)


async def test_changed_instructions_of_the_agent_that_took_over_are_a_difference_of_the_replay() -> None:
    model = Scripted([calls(TO_WRITER), "done"])
    runtime = runtime_of(model)
    result = await runtime.run("go", by=superuser())
    other = writer(instructions="You write badly.")
    changed = runtime_of(model, editor(), other, store=runtime.store)
    assert "You write badly." in (await changed.replay(result.run)).difference


async def test_agents_may_hand_over_to_and_fro_until_the_run_has_had_its_handoffs() -> None:
    script = [calls(each) for each in (TO_WRITER, TO_EDITOR) * 5]
    model = Scripted([*script, calls(TO_WRITER), "then I answer"])
    runtime = runtime_of(model)
    result = await runtime.run("go", by=superuser())
    assert result.value() == "then I answer"
    assert len(await handoffs(runtime, result.run)) == 10
    contents = await tool_messages(runtime, result.run)
    assert json.loads(contents[-1])["errorCode"] == "BUDGET_EXCEEDED"
    assert "the run has used all of its handoffs (10); answer yourself" in contents[-1]
    assert system(model) == "You lay out.", "who could not hand over goes on"
    assert (await runtime.replay(result.run)).difference == ""


async def test_how_many_handoffs_a_run_may_have_is_a_setting() -> None:
    model = Scripted([calls(TO_WRITER), calls(TO_EDITOR), "mine"])
    runtime = runtime_of(model, limits=Limits(handoffs=1))
    result = await runtime.run("go", by=superuser())
    assert (result.value(), len(await handoffs(runtime, result.run))) == ("mine", 1)


async def test_handoffs_of_nested_agents_count_for_the_whole_run() -> None:
    to_helper = calls(("handoff_to_helper", {"reason": "r"}))
    helper = Agent("helper", instructions="Help.", model=Scripted(["never", "inner is done"]))
    inner = Agent("inner", instructions="In.", handoffs=[helper], model=Scripted([to_helper]))
    outer = Agent("outer", instructions="Out.", tools=[inner], handoffs=[helper])
    script = [calls(("inner", {"prompt": "do"})), to_helper, "I answer"]
    runtime = runtime_of(Scripted(script), outer, limits=Limits(handoffs=1))
    result = await runtime.run("go", by=superuser())
    assert result.value() == "I answer"
    assert await tool_messages(runtime, result.run) == [
        "inner is done",
        Reply.from_error(BudgetError("the run has used all of its handoffs (1); answer yourself")).content,
    ]


async def test_the_other_calls_of_an_answer_end_before_the_handoff() -> None:
    ended: list[str] = []

    @layer_fn
    async def noted(call: Call, inner: CallService) -> Reply:
        reply = await inner(call)
        ended.append(call.callee.name)
        return reply

    for parallel in (1, 8):
        ended.clear()
        model = Scripted([calls(TO_WRITER, ("look", {}), ("look", {})), "done"])
        agent = editor(parallel=parallel).layer(noted())
        runtime = runtime_of(model, agent, writer())
        result = await runtime.run("go", by=superuser())
        assert ended == ["look", "look", "handoff_to_writer"]
        assert await tool_messages(runtime, result.run) == ["handed over to writer", "a page", "a page"]


async def test_of_two_handoffs_in_one_answer_the_first_is_followed_and_the_second_is_an_error_reply() -> None:
    script = [calls(TO_WRITER, ("handoff_to_other", {"reason": "or so"}), TO_WRITER), "written"]
    model = Scripted(script)
    other = Agent("other", instructions="Other.")
    runtime = runtime_of(model, editor(handoffs=["writer", other]), writer())
    result = await runtime.run("go", by=superuser())
    first, second, third = await tool_messages(runtime, result.run)
    assert (result.value(), first, system(model)) == ("written", "handed over to writer", "You write.")
    for content in (second, third):
        assert json.loads(content)["errorCode"] == "CONFLICT"
    assert [each.target for each in await handoffs(runtime, result.run)] == ["writer"]


async def test_a_handoff_that_is_denied_is_not_followed() -> None:
    @layer_fn
    async def deny(call: Call, inner: CallService) -> Reply:
        if call.callee.name == "handoff_to_writer":
            raise DeniedError("not today")
        return await inner(call)

    model = Scripted([calls(TO_WRITER), "I stay"])
    runtime = runtime_of(model, editor().layer(deny()), writer())
    result = await runtime.run("go", by=superuser())
    assert (result.value(), system(model)) == ("I stay", "You lay out.")
    assert await handoffs(runtime, result.run) == []


async def test_a_handoff_with_arguments_that_are_wrong_is_an_error_reply() -> None:
    model = Scripted([calls(("handoff_to_writer", {})), "I stay"])
    runtime = runtime_of(model)
    result = await runtime.run("go", by=superuser())
    (content,) = await tool_messages(runtime, result.run)
    assert (json.loads(content)["errorCode"], result.value()) == ("VALIDATION_ERROR", "I stay")


async def test_the_calls_of_the_agent_that_took_over_are_made_as_it() -> None:
    @layer_fn
    async def mark(call: Call, inner: CallService, name: str) -> Reply:
        reply = await inner(call)
        return reply.map(f"{name}({call.caller.agent}): {reply.content}")

    model = Scripted([calls(("look", {})), calls(TO_WRITER), calls(("look", {})), "done"])
    agents = (editor().layer(mark("E")), writer(tools=[look]).layer(mark("W")))
    runtime = runtime_of(model, *agents)
    result = await runtime.run("go", by=superuser())
    assert await tool_messages(runtime, result.run) == [
        "E(editor): a page",
        "E(editor): handed over to writer",
        "W(writer): a page",
    ]


async def test_an_agent_that_took_over_reaches_no_further_than_whoever_called_the_first() -> None:
    inner = Scripted([calls(("look", {})), calls(TO_WRITER), calls(("erase", {"page": "a"})), "I could not"])
    agents = (editor(model=inner), writer(model=inner, tools=[erase]))
    lead = Agent("lead", instructions="You lead.", tools=agents, tool_scope=["handoff_to_writer", "look"])
    runtime = runtime_of(Scripted([calls(("editor", {"prompt": "erase"})), "done"]), lead)
    result = await runtime.run("go", by=superuser())
    assert result.value() == "done"
    assert json.loads(json.loads(inner.requests[-1].history[-1])["content"])["errorCode"] == "PERMISSION_DENIED"


async def test_a_tool_that_the_agent_that_took_over_does_not_have_is_unknown_to_it() -> None:
    model = Scripted([calls(TO_WRITER), calls(("look", {})), "done"])
    runtime = runtime_of(model)
    result = await runtime.run("go", by=superuser())
    assert json.loads((await tool_messages(runtime, result.run))[-1])["errorCode"] == "UNKNOWN_TOOL"


async def test_equal_calls_before_and_after_a_handoff_are_two_calls() -> None:
    world = World()
    write = world.write()
    model = Scripted([calls(("write", {"text": "a"})), calls(TO_WRITER), calls(("write", {"text": "a"})), "done"])
    runtime = runtime_of(model, editor(tools=[write]), writer(tools=[write]))
    result = await runtime.run("go", by=superuser())
    assert world.texts == ["a", "a"]
    assert (await runtime.replay(result.run)).difference == ""


async def test_a_run_that_a_sibling_ends_is_not_handed_over() -> None:
    @tool(effect=Effect.PURE)
    async def finish() -> str:
        """Finish."""
        return "over"

    @layer_fn
    async def ends(call: Call, inner: CallService) -> Reply:
        return Reply.final("over") if call.callee.name == "finish" else await inner(call)

    model = Scripted([calls(TO_WRITER, ("finish", {}))])
    runtime = runtime_of(model, editor(tools=[finish]).layer(ends()), writer())
    result = await runtime.run("go", by=superuser())
    assert (result.value(), len(model.requests)) == ("over", 1)


async def test_a_handoff_is_for_the_model_of_an_agent_only() -> None:
    runtime = runtime_of(Scripted(["unused"]))
    arguments = parse_arguments('{"reason":"why not"}', Limits())
    result = await runtime.call_by_name("handoff_to_writer", arguments, by=superuser())
    assert '"errorCode":"PERMISSION_DENIED"' in result.text


def test_an_agent_that_nobody_has_is_refused_when_the_runtime_is_built() -> None:
    with pytest.raises(SetupError, match=r"hands over to 'writer', which does not exist; .*: editor"):
        runtime_of(Scripted([]), editor())


@pytest.mark.parametrize(("targets", "how"), [(["editor"], "to itself"), (["writer", writer()], "to writer twice")])
def test_an_agent_hands_over_to_each_other_agent_once(targets: list[Agent | str], how: str) -> None:
    with pytest.raises(SetupError, match=f"agent editor hands over {how}"):
        editor(handoffs=targets)


def test_a_name_with_which_no_tool_can_be_named_is_refused() -> None:
    with pytest.raises(ContractError, match="is not a tool name"):
        editor(handoffs=["w" * 60])


async def test_there_is_nothing_to_find_out_about_a_handoff_that_was_cut_off() -> None:
    seen: list[object] = []

    @tool(effect=Effect.PURE)
    async def ask(ctx: LeafContext) -> str:
        """Ask what became of it."""
        seen.append(await HandoffTool("writer").reconcile(Reason(reason="r"), cast("Frame", ctx)))
        return "asked"

    await Runtime(App(name="test", tools=(ask,))).call(ask, superuser())
    assert seen == [UNKNOWN]


def test_handoff_tools_to_one_agent_are_one_tool() -> None:
    assert HandoffTool("a", target_description="x") == HandoffTool("a", target_description="x")
    assert HandoffTool("a") != HandoffTool("b")
    assert HandoffTool("a", target_description="x") != HandoffTool("a", target_description="y")
    assert len({HandoffTool("a"), HandoffTool("a")}) == 1
    assert repr(HandoffTool("a")) == "HandoffTool(a)"


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"permissions": {"desk:words"}}, "missing permission desk:words"),
        ({"visibility": Visibility.EXPERIMENTAL}, "bob needs the permission tools:experiment"),
        ({"visibility": Visibility.INTERNAL}, "only other operations can call it"),
    ],
)
async def test_a_conversation_is_handed_over_to_whom_its_principal_may_call_only(
    facts: dict[str, object], says: str
) -> None:
    model = Scripted([calls(TO_WRITER), "then I answer"])
    guarded = writer(facts=Facts(effect=Effect.COMPOSED, **facts))  # type: ignore[arg-type]
    runtime = runtime_of(model, editor(), guarded)
    result = await runtime.run("go", by=Principal("bob"))
    assert (result.value(), await handoffs(runtime, result.run)) == ("then I answer", [])
    assert says in (await tool_messages(runtime, result.run))[0]


async def test_a_conversation_is_handed_over_to_an_agent_of_high_risk_after_an_approval() -> None:
    model = Scripted([calls(TO_WRITER), "written"])
    guarded = writer(facts=Facts(effect=Effect.COMPOSED, risk=Risk.HIGH))
    runtime = runtime_of(model, editor(), guarded)
    result = await runtime.run("go", by=superuser())
    assert (len(result.questions), await handoffs(runtime, result.run)) == (1, [])
