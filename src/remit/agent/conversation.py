"""Runs an agent and its successors by handoff, from the first messages to the result."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel

from remit.agent.attachments import load_attachments
from remit.agent.carried_call import make_carried_call
from remit.agent.definition import AgentDefinition
from remit.agent.driver import AgentService, AgentTask
from remit.agent.first_messages import given_messages, record_first_message
from remit.agent.found_tools import record_found_tools
from remit.agent.loop import AgentRun
from remit.agent.model import AnyModel
from remit.agent.run_instructions import record_run_instructions
from remit.agent.tool_search import SearchTools
from remit.agent.working_memory import record_working_memory
from remit.call.callee import AgentLike, Callee, Frame
from remit.call.reply import Reply
from remit.chat.chat import History, completion_from_message, decode_message, message_text
from remit.record.items import Message


class BoundAgent(AgentDefinition):
    """An agent with its model, its tools, and the service that its driver made."""

    model: AnyModel | None
    service: AgentService
    """Runs its model and its tools on one task."""

    @property
    @abc.abstractmethod
    def tools(self) -> tuple[Callee[..., Any], ...]:
        """The callees that its model may call."""


def _as_callee(agent: BoundAgent) -> AgentLike[Any, Any]:
    """The agent as a callee; types have no intersection of a class and a protocol."""
    return cast("AgentLike[Any, Any]", agent)


async def run_conversation(
    agent: BoundAgent, peers: Mapping[str, BoundAgent], payload: BaseModel, frame: Frame
) -> Reply | str:
    """Run the agent, and each agent to which the last one hands over, until one of them has a result."""
    if limit := agent.limits.usage_limit(agent.name):
        frame.ledger.meter.add_limit(frame.id, limit)
    attachments = await load_attachments(agent.get_attachments(payload))
    prior = () if frame.caller.call else [*frame.ledger.prior_messages, *given_messages(frame)]
    system = record_first_message(frame, 0, "system", agent.render_instructions(payload))
    run_instructions = await _record_run_instructions(frame, agent, 0)
    memory = await _record_memory(frame, agent, peers, prior)
    message = agent.render_message(payload)
    found_tools = await _record_found_tools(frame, agent, message)
    user = record_first_message(frame, 1, "user", message)
    carried, reply = await make_carried_call(frame)
    if reply is not None and reply.is_final:
        return _final_result(reply)
    used_call_ids = _collect_call_ids([*prior, *carried])
    history = History([system, *prior, *run_instructions, *memory, *found_tools, user, *carried])
    task = AgentTask(history=history, frame=frame, attachments=attachments, used_call_ids=used_call_ids)
    turns, handoffs = 0, 0
    run = await agent.service(task)
    while run.handoff_target and run.final is None:
        agent, turns, handoffs = peers[run.handoff_target], turns + run.turns, handoffs + 1
        instructions = agent.render_instructions(_payload_for(agent, payload, user))
        run_instructions = await _record_run_instructions(frame, agent, handoffs)
        system = record_first_message(frame, 1 + handoffs, "system", instructions)
        history = History([system, *list(run.messages)[1:], *run_instructions])
        task = AgentTask(
            history=history,
            frame=frame.hand_over_to(_as_callee(agent)),
            first_turn=1 + turns,
            used_call_ids=used_call_ids,
        )
        run = await agent.service(task)
    return _to_result(run)


async def _record_run_instructions(frame: Frame, definition: AgentDefinition, handoffs: int) -> list[str]:
    """The message with the run instructions of an agent, which is recorded before the next first message."""
    if not definition.run_instructions:
        return []
    number, is_decided = handoffs, _has_first_messages(frame, 1 + handoffs)
    return await record_run_instructions(
        frame, definition.name, definition.run_instructions, number, is_decided=is_decided
    )


async def _record_memory(
    frame: Frame, agent: BoundAgent, peers: Mapping[str, BoundAgent], prior: Sequence[str]
) -> list[str]:
    """The message with the agent's memory of earlier runs of its conversation."""
    memory = agent.memory
    if memory is None or frame.caller.call:
        return []
    agents, is_decided = [_as_callee(each) for each in (agent, *peers.values())], _has_first_messages(frame, 1)
    return await record_working_memory(frame, memory, agents, prior, is_decided=is_decided)


async def _record_found_tools(frame: Frame, agent: BoundAgent, message: str) -> list[str]:
    """The message with the tools that the message to the agent finds, if it has a search."""
    search = next((each for each in agent.tools if isinstance(each, SearchTools)), None)
    if search is None:
        return []
    caller = frame.caller.enter_agent(agent.name, None, agent.narrowed_permissions)
    return await record_found_tools(
        frame, search, caller, agent.model, message, is_decided=_has_first_messages(frame, 1)
    )


def _has_first_messages(frame: Frame, count: int) -> bool:
    """Whether the journal has more than ``count`` of the first messages of a call."""
    return sum(isinstance(item, Message) for item in frame.ledger.items_for(frame.id)) > count


def last_message_text(messages: Sequence[str] | History) -> str:
    """The text of the last message."""
    return message_text(decode_message(messages[len(messages) - 1]))


def _to_result(run: AgentRun) -> Reply | str:
    """Convert the end of an agent's run to its result. Text is checked when it is recorded."""
    if run.final is not None:
        return _final_result(run.final)
    if run.result is not None:
        return run.result
    return last_message_text(run.messages)


def _final_result(reply: Reply) -> Reply:
    return Reply(reply.content, "ok", reply.content, is_final=True)


def _payload_for(definition: AgentDefinition, payload: BaseModel, user: str) -> BaseModel:
    """The payload from which the target of a handoff renders its instructions."""
    if isinstance(payload, definition.input):
        return payload
    return definition.input(prompt=message_text(decode_message(user)))


def _collect_call_ids(texts: Iterable[str]) -> set[str]:
    """Collect the ids of the tool calls in wire texts."""
    return {each.id for text in texts if '"tool_calls"' in text for each in completion_from_message(text).tool_calls}
