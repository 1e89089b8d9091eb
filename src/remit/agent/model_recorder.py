"""The journal at the wire of the model: a request it knows is answered from it; every other is asked and recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Final

from remit.contracts.call import ModelLayer, ModelService
from remit.contracts.chat import ChatRequest, Completion, completion_from_message, decode_message, encode_message
from remit.contracts.items import Message, Mismatch, ModelFailure, ModelUsage
from remit.contracts.reply import Reply
from remit.core import Place
from remit.errors import (
    CallError,
    CompletionError,
    DivergedError,
    JournalError,
    ModelError,
    SetupError,
    as_no_model_error,
    error_from_reply,
)


class RecordModel(ModelLayer):
    """Stands directly around the model; an agent attaches it by itself."""

    place = Place.RECORD

    def __call__(self, inner: ModelService, /) -> ModelService:
        """The service that asks ``inner`` only what the journal does not know."""
        return _ModelRecorder(inner).__call__

    def __repr__(self) -> str:
        return "Wire()"


class _ModelRecorder:
    __slots__ = ("_inner",)

    def __init__(self, inner: ModelService) -> None:
        self._inner = inner

    async def __call__(self, request: ChatRequest, /) -> Completion:
        digest, call = request.digest(), request.call_id
        items = request.ledger.items_for(call)
        message = next((item for item in items if isinstance(item, Message)), None) if items else None
        if message is not None:
            usage = next((item for item in items if isinstance(item, ModelUsage)), None)
            self._check_digest(request, message.request, digest)
            completion = _rebuild_completion(message, usage)
        else:
            failures = [item for item in items if isinstance(item, ModelFailure)] if items else ()
            completion = _ensure_unique_call_ids(await self._ask(request, digest, failures), request)
            _record_completion(request, call, completion, digest)
        request.used_call_ids.update(wanted.id for wanted in completion.tool_calls)
        return completion

    async def _ask(self, request: ChatRequest, digest: str, failures: Sequence[ModelFailure]) -> Completion:
        """Ask the model; a failure is recorded, so that a replay meets it too, and a resume asks anew."""
        if request.ledger.is_stopping:
            raise asyncio.CancelledError
        if failures and request.ledger.is_replaying:
            self._check_digest(request, failures[-1].request or digest, digest)
            raise error_from_reply(failures[-1].content)
        request.ledger.start_flush()
        try:
            return _check_role(await self._inner(request))
        except (JournalError, DivergedError):
            raise
        except SetupError as error:
            raise as_no_model_error(error) from error
        except Exception as error:
            failed = error if isinstance(error, CallError) else _wrap_unexpected(error)
            request.ledger.add(
                ModelFailure(call=request.call_id, content=Reply.from_error(failed).content, request=digest)
            )
            if failed is error:
                raise
            raise failed from error

    def _check_digest(self, request: ChatRequest, recorded: str, digest: str) -> None:
        if recorded == digest:
            return
        if request.ledger.is_replaying:
            raise DivergedError(
                f"turn {request.turn}: the request to the model is not the recorded one "
                f"(recorded {recorded[:12]}, today {digest[:12]}): the prompt, the tools, a knob or an earlier "
                f"message changed"
            )
        what = f"request of turn {request.turn}"
        known = [item for item in request.ledger.items_for(request.call_id) if isinstance(item, Mismatch)]
        if all(item.today != digest for item in known):
            request.ledger.add(Mismatch(call=request.call_id, what=what, recorded=recorded, today=digest))


def _check_role(completion: Completion) -> Completion:
    """The completion, if its message is one that an assistant may say.

    Raises:
        CompletionError: it speaks for somebody else, which no history may hold.
    """
    role = (
        "assistant" if completion.message.startswith(_ASSISTANT_PREFIX) else decode_message(completion.message)["role"]
    )
    if role != "assistant":
        raise CompletionError(f"the model answered with a message of role {role!r}, not 'assistant'")
    return completion


_ASSISTANT_PREFIX: Final = '{"role":"assistant"'


def _wrap_unexpected(error: Exception) -> ModelError:
    return ModelError(f"the model failed: {type(error).__name__}: {error}"[:_MAX_ERROR_LENGTH])


_MAX_ERROR_LENGTH: Final = 1000


def _rebuild_completion(message: Message, usage: ModelUsage | None) -> Completion:
    if usage is None:
        return completion_from_message(message.text)
    return completion_from_message(
        message.text,
        finish_reason=usage.finish,
        model=usage.model,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        response=usage.response,
    )


def _record_completion(request: ChatRequest, call: str, completion: Completion, digest: str) -> None:
    request.ledger.add(Message(call=call, agent=request.agent_call_id, text=completion.message, request=digest))
    request.ledger.add(
        ModelUsage(
            call=call,
            model=completion.model,
            finish=completion.finish_reason,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            response=completion.response,
        )
    )


def _ensure_unique_call_ids(completion: Completion, request: ChatRequest) -> Completion:
    """The completion with an id of its own and a name for every tool call.

    Some endpoints give no id, or the same one each turn, and some models name no tool: neither may stand in a history.
    """
    ids = [wanted.id for wanted in completion.tool_calls if wanted.id and wanted.name]
    if len(set(ids)) == len(completion.tool_calls) and request.used_call_ids.isdisjoint(ids):
        return completion
    message = decode_message(completion.message)
    if message["role"] == "assistant":  # for the type checker: it is
        numbered = (f"call_{number}_{request.turn}" for number in count(len(request.used_call_ids)))
        fresh = (made for made in numbered if made not in request.used_call_ids)
        for call in message.get("tool_calls") or ():
            call["id"] = next(fresh)
            call["function"]["name"] = call["function"]["name"] or "unnamed"
    renamed = completion_from_message(encode_message(message))
    return replace(completion, message=renamed.message, content=renamed.content, tool_calls=renamed.tool_calls)
