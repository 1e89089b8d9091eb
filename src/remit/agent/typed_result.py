"""Results of a type other than text: the model gives them by calling ``final_result``.

PydanticAI uses the same tool by default, so a script or a model works with both drivers. ``final_result`` is not a tool
of the application: it runs nothing, and no layer sees it.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from msgspec import Struct

from remit.call.reply import Reply
from remit.call.schema import Output
from remit.chat.chat import ChatRequest, encode_message
from remit.errors import InvalidOutputError
from remit.journal.codec import RESULT_TOOL
from remit.record.items import Message
from remit.record.run_artifacts import check_given_artifacts

ACCEPTED: Final = "The result is accepted."
NOT_USED: Final = "Another result was accepted before this one."
CALL_REQUIRED: Final = f"Give your result by calling {RESULT_TOOL}; a text alone is not a result."
_WRAPPER: Final = "response"
"""The one argument of ``final_result`` if the result is not an object."""


class InvalidResult(str):
    """Explains to the model why its arguments are not a valid result."""

    __slots__ = ()


Judge: TypeAlias = Callable[[str], Awaitable[Reply | InvalidResult]]
"""Validates the arguments of a call, or the JSON, by which a model gives its result."""


class TypedResults(Struct, frozen=True, kw_only=True):
    """Validates the results of one agent. The model may correct an invalid one ``retries`` times."""

    agent: str
    output: Output[Any]
    retries: int = 1
    is_native: bool = False
    """Whether the model answers with JSON instead of calling ``final_result``."""

    def tool_definition(self) -> dict[str, Any]:
        """The tool ``final_result``, as a chat request carries it."""
        function = {
            "name": RESULT_TOOL,
            "description": "The final response which ends this conversation",
            "parameters": self._parameters(),
        }
        return {"type": "function", "function": function}

    def response_format(self) -> dict[str, Any]:
        """The schema of an answer, as a chat request carries it."""
        return {"type": "json_schema", "json_schema": {"name": RESULT_TOOL, "schema": self._parameters()}}

    async def validate(self, arguments: str) -> Reply | InvalidResult:
        """Validate the arguments of a call and return the result. The run must know the files that it refers to."""
        text = arguments or "{}"
        reader = self.output.as_argument(_WRAPPER) if self._is_wrapped else self.output
        try:
            result: Any = reader.read(text)
            await check_given_artifacts(result := getattr(result, _WRAPPER) if self._is_wrapped else result)
            return Reply.from_value(result)
        except InvalidOutputError as error:
            why = error.message
        except (ValueError, RecursionError) as error:
            why = reader.explain(error)
            if self._is_wrapped and not _is_object(text, _WRAPPER):
                why = f'give {{"{_WRAPPER}": RESULT}}'
        return self.refuse(why)

    def refuse(self, reason: str) -> InvalidResult:
        """The explanation of a result that is not valid for that reason."""
        return InvalidResult(f"the result is not valid: {reason}; {self._again}")

    def check_retries(self, invalid_results: int, reason: str) -> None:
        """Stop an agent whose model gave too many invalid results.

        Raises:
            InvalidOutputError: the message gives the last reason.
        """
        if invalid_results > self.retries:
            raise InvalidOutputError(f"agent {self.agent} returned no valid result: {reason}")

    @property
    def _again(self) -> str:
        return "answer with JSON again" if self.is_native else f"call {RESULT_TOOL} again"

    @property
    def _is_wrapped(self) -> bool:
        return self.output.json_schema.get("type") != "object"

    def _parameters(self) -> dict[str, Any]:
        schema = dict(self.output.json_schema)
        if not self._is_wrapped:
            return schema
        definitions = schema.pop("$defs", None)
        wrapped: dict[str, Any] = {"type": "object", "properties": {_WRAPPER: schema}, "required": [_WRAPPER]}
        return wrapped if definitions is None else {"$defs": definitions, **wrapped}


def _is_object(text: str, key: str) -> bool:
    """Whether a text is a JSON object with this key."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and key in value


def error_content(reason: InvalidResult) -> str:
    """The reply to a call with an invalid result."""
    return Reply.from_error(InvalidOutputError(str(reason))).content


def record_reply(chat: ChatRequest, text: str) -> str:
    """Journal the reply to the model's result, a wire text, once."""
    known = chat.ledger.items_for(chat.call_id)
    if chat.ledger.execution.is_replaying or not any(isinstance(item, Message) and item.text == text for item in known):
        chat.ledger.add(Message(call=chat.call_id, agent=chat.agent_call_id, text=text, by="loop"))
    return text


def correction_message(reason: str) -> str:
    """The message to a model whose text is not a result, as a wire text."""
    return encode_message({"role": "user", "content": reason})
