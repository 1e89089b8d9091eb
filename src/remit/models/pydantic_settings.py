"""Converts the settings of a request to PydanticAI's, and lists those that a model cannot take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings as PydanticSettings

from remit.chat.settings import ModelSettings
from remit.errors import ModelAccessError
from remit.models.headers import resolve_headers

_NAMES: Final[Mapping[str, str]] = {
    "max_completion_tokens": "max_tokens",
    "reasoning_effort": "thinking",
    "stop": "stop_sequences",
}
"""The settings to which PydanticAI gives another name."""


async def to_pydantic_settings(
    settings: ModelSettings, model: Model, base: PydanticSettings | None = None
) -> PydanticSettings | None:
    """The settings for one request to ``model``, on top of ``base``, with the values of the headers.

    Raises:
        ModelAccessError: the model cannot take one of them. NoModelError: the value of a header is missing.
    """
    refused = unsupported_settings(model, settings)
    if refused:
        raise ModelAccessError(explain_unsupported(f"{model.system}:{model.model_name}", refused))
    values: dict[str, Any] = {_NAMES.get(name, name): value for name, value in settings.values.items()}
    if "max_retries" not in model.unsupported_settings:
        values["max_retries"] = 0  # a layer retries, and each attempt is on record
    if settings.reasoning_effort == "none":
        values["thinking"] = False
    if settings.forced_tool:
        values["tool_choice"] = [settings.forced_tool]
    body: dict[str, Any] = {**settings.extra_body}
    if settings.response_format is not None:
        body["response_format"] = values.pop("response_format")
    known: dict[str, Any] = {**(base or {})}
    merged = known | values
    for name, own in (("extra_body", body), ("extra_headers", await resolve_headers(settings))):
        if own:
            merged[name] = {**(known.get(name) or {}), **own}
    return PydanticSettings(**merged) or None


def unsupported_settings(model: Model, settings: ModelSettings) -> list[str]:
    """The names of the settings that PydanticAI would not send to this model or to one of its fallbacks."""
    while isinstance(model, WrapperModel):
        model = model.wrapped
    if isinstance(model, FallbackModel):
        return sorted({name for each in model.models for name in unsupported_settings(each, settings)})
    profile: Mapping[str, Any] = {**model.profile}
    ignored = {*model.unsupported_settings, *profile.get("openai_unsupported_model_settings", ())}
    refused = [name for name in settings.values if _NAMES.get(name, name) in ignored]
    if settings.reasoning_effort is not None and not profile.get("supports_thinking", False):
        refused.append("reasoning_effort")
    if profile.get("openai_supports_reasoning") and _is_reasoning(profile, settings.reasoning_effort):
        refused += [name for name in ("temperature", "top_p") if name in settings.values]
    if settings.response_format is not None and not isinstance(model, OpenAIChatModel):
        refused.append("response_format")
    is_forced = settings.tool_choice is not None and settings.tool_choice not in ("auto", "none")
    if is_forced and profile.get("supports_forced_tool_choice", True) is False:
        refused.append("tool_choice")
    return sorted({*refused})


def _is_reasoning(profile: Mapping[str, Any], effort: str | None) -> bool:
    """Whether a model of OpenAI reasons, for which PydanticAI leaves out the sampling settings."""
    if effort is None:
        return bool(profile.get("thinking_enabled_by_default"))
    return effort != "none" or bool(profile.get("thinking_always_enabled"))


def schema_of(settings: ModelSettings) -> dict[str, Any] | None:
    """Name and JSON schema of the answer, if the request asks for one."""
    wanted: dict[str, Any] = settings.response_format or {}
    return wanted["json_schema"] if wanted.get("type") == "json_schema" else None


def without_schema(settings: ModelSettings) -> ModelSettings:
    """The settings without the schema of the answer, which PydanticAI takes separately."""
    return settings if schema_of(settings) is None else settings.update(response_format=None)


def explain_unsupported(model: str, names: list[str]) -> str:
    """One line on settings that a model cannot take."""
    what = "setting" if len(names) == 1 else "settings"
    return f"the model {model} cannot take the {what} {', '.join(names)}; remove it, or name another model"
