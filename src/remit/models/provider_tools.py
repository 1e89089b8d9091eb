"""Tools of providers, as PydanticAI passes them on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.native_tools import NATIVE_TOOL_TYPES, AbstractNativeTool

from remit.chat.provider_tool import ProviderTool

_DROPPED_OPTIONS: Final[Mapping[str, frozenset[str]]] = {"groq": frozenset({"max_uses"})}
"""By provider, the options that PydanticAI (2.68) silently omits from a request."""


def make_native_tool(tool: ProviderTool) -> AbstractNativeTool:
    """The provider's tool with its options."""
    return NATIVE_TOOL_TYPES[tool.name](**tool.options)


def find_unsupported(model: Model, tools: Iterable[ProviderTool]) -> Iterator[tuple[str, str]]:
    """The names of the tools that the API of a model, or of one of its fallbacks, does not support, and why."""
    if isinstance(model, FallbackModel):
        found = {name: why for each in model.models for name, why in find_unsupported(each, tools)}
        yield from found.items()
        return
    supported = model.profile.get("supported_native_tools", frozenset())
    for each in tools:
        native = make_native_tool(each)
        if type(native) not in supported:
            yield each.name, f"has no tool {each.name!r}"
            continue
        dropped = _DROPPED_OPTIONS.get(model.system, frozenset()) & each.options.keys()
        options = sorted(model.unsupported_native_tool_settings(native) | dropped)
        if options:
            yield each.name, f"has no {' and no '.join(options)} for the tool {each.name!r}"
