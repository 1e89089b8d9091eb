"""The journal at the wire of the model: a request it knows is answered from it; every other is asked and recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Final

from remit.contracts.call import ModelLayer, ModelService
from remit.contracts.chat import ChatRequest, Completion, completion_of, read, write
from remit.contracts.items import Failure, Message, Mismatch, Usage
from remit.contracts.reply import Reply
from remit.core import Place
from remit.errors import (
    CallError,
    CompletionError,
    DivergedError,
    JournalError,
    ModelError,
    SetupError,
    from_reply,
    no_model,
)


class Wire(ModelLayer):
    """Stands directly around the model; an agent attaches it by itself."""

    place = Place.RECORD

    def __call__(self, inner: ModelService, /) -> ModelService:
        """The service that asks ``inner`` only what the journal does not know."""
        return _Wire(inner).__call__

    def __repr__(self) -> str:
        return "Wire()"


class _Wire:
    __slots__ = ("_inner",)

    def __init__(self, inner: ModelService) -> None:
        self._inner = inner

    async def __call__(self, request: ChatRequest, /) -> Completion:
        digest, call = request.digest(), request.call
        items = request.ledger.known(call)
        message = next((item for item in items if isinstance(item, Message)), None) if items else None
        if message is not None:
            usage = next((item for item in items if isinstance(item, Usage)), None)
            self._compare(request, message.request, digest)
            completion = _recorded(message, usage)
        else:
            failures = [item for item in items if isinstance(item, Failure)] if items else ()
            completion = _named_apart(await self._ask(request, digest, failures), request)
            _record(request, call, completion, digest)
        request.used.update(wanted.id for wanted in completion.wanted)
        return completion

    async def _ask(self, request: ChatRequest, digest: str, failures: Sequence[Failure]) -> Completion:
        """Ask the model; a failure is recorded, so that a replay meets it too, and a resume asks anew."""
        if request.ledger.stopping:
            raise asyncio.CancelledError
        if failures and request.ledger.replaying:
            self._compare(request, failures[-1].request or digest, digest)
            raise from_reply(failures[-1].content)
        request.ledger.store()
        try:
            return _of_assistant(await self._inner(request))
        except (JournalError, DivergedError):
            raise
        except SetupError as error:
            raise no_model(error) from error
        except Exception as error:
            failed = error if isinstance(error, CallError) else _bug(error)
            request.ledger.add(Failure(call=request.call, content=Reply.failed(failed).content, request=digest))
            if failed is error:
                raise
            raise failed from error

    def _compare(self, request: ChatRequest, recorded: str, digest: str) -> None:
        if recorded == digest:
            return
        if request.ledger.replaying:
            raise DivergedError(
                f"turn {request.turn}: the request to the model is not the recorded one "
                f"(recorded {recorded[:12]}, today {digest[:12]}): the prompt, the tools, a knob or an earlier "
                f"message changed"
            )
        what = f"request of turn {request.turn}"
        known = [item for item in request.ledger.known(request.call) if isinstance(item, Mismatch)]
        if all(item.today != digest for item in known):
            request.ledger.add(Mismatch(call=request.call, what=what, recorded=recorded, today=digest))


def _of_assistant(completion: Completion) -> Completion:
    """The completion, if its message is one that an assistant may say.

    Raises:
        CompletionError: it speaks for somebody else, which no history may hold.
    """
    role = "assistant" if completion.message.startswith(_ASSISTANT) else read(completion.message)["role"]
    if role != "assistant":
        raise CompletionError(f"the model answered with a message of role {role!r}, not 'assistant'")
    return completion


_ASSISTANT: Final = '{"role":"assistant"'


def _bug(error: Exception) -> ModelError:
    return ModelError(f"the model failed: {type(error).__name__}: {error}"[:_SHOWN])


_SHOWN: Final = 1000


def _recorded(message: Message, usage: Usage | None) -> Completion:
    if usage is None:
        return completion_of(message.text)
    return completion_of(
        message.text,
        finish=usage.finish,
        model=usage.model,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        response=usage.response,
    )


def _record(request: ChatRequest, call: str, completion: Completion, digest: str) -> None:
    request.ledger.add(Message(call=call, agent=request.agent, text=completion.message, request=digest))
    request.ledger.add(
        Usage(
            call=call,
            model=completion.model,
            finish=completion.finish,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            response=completion.response,
        )
    )


def _named_apart(completion: Completion, request: ChatRequest) -> Completion:
    """The completion with an id of its own and a name for every tool call.

    Some endpoints give no id, or the same one each turn, and some models name no tool: neither may stand in a history.
    """
    ids = [wanted.id for wanted in completion.wanted if wanted.id and wanted.name]
    if len(set(ids)) == len(completion.wanted) and request.used.isdisjoint(ids):
        return completion
    message = read(completion.message)
    if message["role"] == "assistant":  # for the type checker: it is
        numbered = (f"call_{number}_{request.turn}" for number in count(len(request.used)))
        fresh = (made for made in numbered if made not in request.used)
        for call in message.get("tool_calls") or ():
            call["id"] = next(fresh)
            call["function"]["name"] = call["function"]["name"] or "unnamed"
    renamed = completion_of(write(message))
    return replace(completion, message=renamed.message, content=renamed.content, wanted=renamed.wanted)
