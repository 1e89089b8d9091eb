"""Runs a step for each element of a list, side by side."""

from __future__ import annotations

from functools import partial

from pydantic import JsonValue

from remit.contracts.callee import Frame
from remit.contracts.parallel import run_parallel
from remit.contracts.reply import Reply
from remit.errors import CallError, InvalidArgumentsError, InvalidOutputError, Suspended, error_from_reply
from remit.pipeline.references import Reference
from remit.pipeline.state import PipelineState
from remit.pipeline.step import Step
from remit.schemas.jsontext import compact_json


async def run_elements(step: Step, each: Reference, state: PipelineState, frame: Frame) -> list[JsonValue]:
    """Call the step's callee for each element, and return the results of those that succeed, in their order.

    Which elements of a stopped step were called depends on their timing. So a later execution calls those that the
    journal records before it judges whether others may start.

    Raises:
        CallError: the step failed, with the error of its first failing element.
        Suspended: elements wait for decisions, after all others have ended.
    """
    elements = state.resolve(each)
    if not isinstance(elements, list):
        raise InvalidArgumentsError(f"{each!r} is not a list")
    stops = step.on_element_failure == "stop"
    results: dict[int, JsonValue] = {}
    errors: dict[int, CallError] = {}
    arguments: dict[int, str] = {}
    for index, element in enumerate(elements):
        try:
            arguments[index] = compact_json(state.resolve_arguments(step.takes, element))
        except InvalidArgumentsError as error:
            if stops:
                raise
            errors[index] = error
    prepared = {index: frame.prepare_call(step.callee, text) for index, text in arguments.items()}

    async def run(index: int, *, may_stop: bool) -> None:
        if may_stop and errors:
            return
        try:
            results[index] = load_result(step, await prepared[index]())
        except CallError as error:
            errors[index] = error

    recorded = [index for index, call in prepared.items() if frame.ledger.items_for(call.id)]
    limit = len(elements) if frame.ledger.is_stopping else step.concurrency
    questions: list[str] = []
    for indexes, may_stop in ((recorded, False), (prepared.keys() - recorded, stops)):
        try:
            await run_parallel([partial(run, index, may_stop=may_stop) for index in sorted(indexes)], limit)
        except Suspended as signal:
            questions += signal.questions
    if questions:
        raise Suspended(*questions)
    ordered = [results[index] for index in sorted(results)]
    if errors:
        state.record_elements(step.name, ordered, errors)
        if stops or not results:
            raise errors[min(errors)]
    return ordered


def load_result(step: Step, reply: Reply) -> JsonValue:
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
