"""Digests of model requests: everything that can change the answer, without PydanticAI's timestamps and ids.

PydanticAI creates those anew each time a run is executed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition
from pydantic_core import to_jsonable_python

from remit.schemas.jsontext import canonical_text

_REQUEST_ADAPTER: Final = TypeAdapter(ModelRequest)
_RESPONSE_ADAPTER: Final = TypeAdapter(ModelResponse)
_TIMESTAMP_FIELDS: Final = ("timestamp",)
"""The fields of a part that hold its creation time."""


class RequestDigester:
    """Digests the requests of one conversation. Messages that it has serialised before are not serialised again."""

    def __init__(self) -> None:
        self._messages: list[ModelMessage] = []
        self._message_digests: list[bytes] = []
        self._schema_texts: dict[int, tuple[object, str]] = {}

    def compute_digest(
        self, messages: Sequence[ModelMessage], settings: Mapping[str, object], parameters: ModelRequestParameters
    ) -> str:
        """sha256 (hex) over messages, settings and parameters."""
        whole = hashlib.sha256()
        for index, message in enumerate(messages):
            if index < len(self._messages) and self._messages[index] is message:
                continue
            del self._messages[index:], self._message_digests[index:]
            self._messages.append(message)
            self._message_digests.append(
                hashlib.sha256(_serialize_message(message).encode("utf-8", "surrogatepass")).digest()
            )
        for digest in self._message_digests[: len(messages)]:
            whole.update(digest)
        knobs = canonical_text(to_jsonable_python(dict(settings), fallback=repr, inf_nan_mode="strings"))
        whole.update(f"|{knobs}|{self._serialize_parameters(parameters)}".encode("utf-8", "surrogatepass"))
        return whole.hexdigest()

    def texts(self, messages: Sequence[ModelMessage], parameters: ModelRequestParameters) -> list[str]:
        """Messages and parameters as text."""
        return [*map(_serialize_message, messages), self._serialize_parameters(parameters)]

    def _serialize_parameters(self, parameters: ModelRequestParameters) -> str:
        output = parameters.output_object
        return canonical_text(
            {
                "functions": [self._describe_tool(each) for each in parameters.function_tools],
                "outputs": [self._describe_tool(each) for each in parameters.output_tools],
                "native": [to_jsonable_python(each, fallback=repr) for each in parameters.native_tools],
                "mode": parameters.output_mode,
                "object": None if output is None else to_jsonable_python(output, fallback=repr),
                "text": parameters.allow_text_output,
                "instructions": [part.content for part in parameters.instruction_parts or ()],
            }
        )

    def _describe_tool(self, tool: ToolDefinition) -> list[str | None]:
        schema: object = tool.parameters_json_schema
        known = self._schema_texts.get(id(schema))
        if known is None or known[0] is not schema:
            known = self._schema_texts[id(schema)] = (schema, canonical_text(schema))
        return [tool.name, tool.description, known[1]]


def _serialize_message(message: ModelMessage) -> str:
    if isinstance(message, ModelRequest):
        plain: dict[str, Any] = _REQUEST_ADAPTER.dump_python(
            message, mode="json", include={"kind", "parts", "instructions"}
        )
    else:
        plain = _RESPONSE_ADAPTER.dump_python(message, mode="json", include={"kind", "parts"})
    plain["parts"] = [
        {key: value for key, value in part.items() if key not in _TIMESTAMP_FIELDS} for part in plain["parts"]
    ]
    return canonical_text(plain)
