"""Runs the calls of a step: one, or one for each element of a list, side by side."""

from __future__ import annotations

from functools import partial

from pydantic import JsonValue

from remit.call.callee import Frame
from remit.call.parallel import join_signals, run_parallel
from remit.call.reply import Reply
from remit.errors import CallError, InvalidArgumentsError, InvalidOutputError, Suspended, error_from_reply
from remit.pipeline.state import PipelineState
from remit.pipeline.step import Step
from remit.schemas.jsontext import compact_json


def resolve_calls(step: Step, state: PipelineState) -> tuple[dict[int, str], dict[int, CallError]]:
    """The arguments of each call of a step, and the errors of elements without arguments, by index.

    Raises:
        InvalidArgumentsError: a reference has no value, and the step does not keep the results of other elements.
    """
    if step.each is None:
        return {0: compact_json(state.resolve_arguments(step.takes))}, {}
    elements = state.resolve(step.each)
    if not isinstance(elements, list):
        raise InvalidArgumentsError(f"{step.each!r} is not a list")
    arguments: dict[int, str] = {}
    errors: dict[int, CallError] = {}
    for index, element in enumerate(elements):
        try:
            arguments[index] = compact_json(state.resolve_arguments(step.takes, element))
        except InvalidArgumentsError as error:
            if step.on_element_failure == "stop":
                raise
            errors[index] = error
    return arguments, errors


async def run_step(step: Step, state: PipelineState, frame: Frame) -> JsonValue:
    """Call the step's callee and return its result: for a step over elements, the successful results in order.

    Timing decides which elements of a stopped step were called. A later execution therefore first calls the elements
    that the journal records, and then decides whether others may start.

    Raises:
        CallError: the step failed, with the error of its first failing element.
        Suspended: calls wait for decisions, after all others have ended.
    """
    arguments, errors = resolve_calls(step, state)
    prepared = {index: frame.prepare_call(step.callee, text) for index, text in arguments.items()}
    if step.each is None:
        return _load_result(step, await prepared[0].make())
    stops = step.on_element_failure == "stop"
    results: dict[int, JsonValue] = {}

    async def run(index: int, *, may_stop: bool) -> None:
        if may_stop and errors:
            return
        try:
            results[index] = _load_result(step, await prepared[index].make())
        except CallError as error:
            errors[index] = error

    recorded = [index for index, call in prepared.items() if frame.ledger.items_for(call.id)]
    limit = len(prepared) if frame.ledger.execution.is_stopping else step.concurrency
    signals: list[Suspended] = []
    for indexes, may_stop in ((recorded, False), (prepared.keys() - recorded, stops)):
        try:
            await run_parallel([partial(run, index, may_stop=may_stop) for index in sorted(indexes)], limit)
        except Suspended as signal:
            signals.append(signal)
    if signals:
        raise join_signals(signals)
    ordered = [results[index] for index in sorted(results)]
    if errors:
        state.record_elements(step.name, ordered, errors)
        if stops or not results:
            raise errors[min(errors)]
    return ordered


def _load_result(step: Step, reply: Reply) -> JsonValue:
    """The result of one call, read from its content so that it equals a replayed one.

    Raises:
        CallError: the call failed.
    """
    if reply.outcome != "ok":
        raise error_from_reply(reply.content)
    try:
        return step.callee.schema_out.load_json(reply.content)
    except ValueError as error:
        raise InvalidOutputError(f"the result of {step.callee.name} does not fit its contract") from error
