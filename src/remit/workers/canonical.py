"""What identifies a request to a model: everything that can change the answer, and nothing that PydanticAI makes anew.

It stamps its messages with times and ids of its own, which differ each time a run is driven.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_core import PydanticSerializationError, to_jsonable_python

from remit.errors import CompletionError
from remit.schemas.jsontext import canonical_text

_REQUEST: Final = TypeAdapter(ModelRequest)
_RESPONSE: Final = TypeAdapter(ModelResponse)
_STAMPS: Final = ("timestamp",)
"""The fields of a part that say when it was made."""


def response_text(response: ModelResponse) -> str:
    """The whole response as JSON, as the journal keeps it.

    Raises:
        CompletionError: it holds what JSON or UTF-8 cannot hold.
    """
    try:
        return _RESPONSE.dump_json(response).decode()
    except PydanticSerializationError as error:
        raise CompletionError(f"JSON cannot hold the model's answer: {error}") from error


def response_of(text: str) -> ModelResponse:
    """The response that a journal holds."""
    return _RESPONSE.validate_json(text)


class RequestDigest:
    """Digests the requests of one conversation. What it has seen before it does not write again."""

    def __init__(self) -> None:
        self._seen: list[ModelMessage] = []
        self._digests: list[bytes] = []
        self._schemas: dict[int, tuple[object, str]] = {}

    def of(
        self, messages: Sequence[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> str:
        """sha256 (hex) over messages, settings and parameters."""
        whole = hashlib.sha256()
        for index, message in enumerate(messages):
            if index < len(self._seen) and self._seen[index] is message:
                continue
            del self._seen[index:], self._digests[index:]
            self._seen.append(message)
            self._digests.append(hashlib.sha256(_message_text(message).encode("utf-8", "surrogatepass")).digest())
        for digest in self._digests[: len(messages)]:
            whole.update(digest)
        knobs = canonical_text(to_jsonable_python(settings or {}, fallback=repr, inf_nan_mode="strings"))
        whole.update(f"|{knobs}|{self._parameters(parameters)}".encode("utf-8", "surrogatepass"))
        return whole.hexdigest()

    def _parameters(self, parameters: ModelRequestParameters) -> str:
        output = parameters.output_object
        return canonical_text(
            {
                "functions": [self._tool(each) for each in parameters.function_tools],
                "outputs": [self._tool(each) for each in parameters.output_tools],
                "native": [to_jsonable_python(each, fallback=repr) for each in parameters.native_tools],
                "mode": parameters.output_mode,
                "object": None if output is None else to_jsonable_python(output, fallback=repr),
                "text": parameters.allow_text_output,
                "instructions": [part.content for part in parameters.instruction_parts or ()],
            }
        )

    def _tool(self, tool: ToolDefinition) -> list[str | None]:
        schema: object = tool.parameters_json_schema
        known = self._schemas.get(id(schema))
        if known is None or known[0] is not schema:
            known = self._schemas[id(schema)] = (schema, canonical_text(schema))
        return [tool.name, tool.description, known[1]]


def _message_text(message: ModelMessage) -> str:
    if isinstance(message, ModelRequest):
        plain: dict[str, Any] = _REQUEST.dump_python(message, mode="json", include={"kind", "parts", "instructions"})
    else:
        plain = _RESPONSE.dump_python(message, mode="json", include={"kind", "parts"})
    plain["parts"] = [{key: value for key, value in part.items() if key not in _STAMPS} for part in plain["parts"]]
    return canonical_text(plain)
