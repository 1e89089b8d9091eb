"""PydanticAI's models of Anthropic's API, whose answers have a list of blocks, as the API documents.

Some gateways send no content, a text instead of blocks, or null among the blocks. PydanticAI reads such answers only
after they are rewritten as documented.
"""

from __future__ import annotations

import copy
from functools import cache
from typing import Any, TypeVar, cast

from anthropic.types.beta import BetaMessage, BetaTextBlock
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel

M = TypeVar("M", bound=Model)


def keep_as_received(model: M) -> M:
    """A copy of a model of Anthropic's API that reads such answers; any other model unchanged."""
    if not isinstance(model, AnthropicModel) or isinstance(model, _StatedBlocks):
        return model
    kept = copy.copy(model)
    object.__setattr__(kept, "__class__", _stating_class(type(model)))
    return kept


@cache
def _stating_class(kind: type[AnthropicModel]) -> type[AnthropicModel]:
    return cast("type[AnthropicModel]", type(f"Stated{kind.__name__}", (_StatedBlocks, kind), {}))


class _StatedBlocks(AnthropicModel):
    """Reads answers whose blocks have undocumented forms."""

    def _process_response(self, response: BetaMessage, *given: Any, **options: Any) -> ModelResponse:
        if isinstance(cast("object", response), BetaMessage):
            response.content = _to_blocks(response.content)
        return super()._process_response(response, *given, **options)


def _to_blocks(content: object) -> list[Any]:
    """The blocks of a content: texts as blocks, and nothing for null."""
    items = cast("list[object]", content) if isinstance(content, list) else [content]
    return [
        BetaTextBlock(type="text", text=each, citations=None) if isinstance(each, str) else each
        for each in items
        if each is not None
    ]
