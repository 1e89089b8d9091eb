"""Where the answers of PydanticAI's models come from, what they use, and which files they read."""

from __future__ import annotations

from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.usage import RequestUsage

from remit.chat.wire import kept_details, received_message
from remit.record.estimate import PDF, Reads
from remit.record.usage import are_tokens


def model_origin(model: Model) -> str:
    """The model and the host of its endpoint, in the form of `remit.agent.model.HasOrigin`."""
    host = urlsplit(model.base_url).hostname if model.base_url else ""
    return f"{model.model_name} at {host or model.system}"


def reads_of(model: Model) -> Reads:
    """The files that neither the model nor one of its fallbacks is known to refuse."""
    if isinstance(model, FallbackModel):
        found = [reads_of(each) for each in model.models]
        return Reads(all(each.images for each in found), all(each.pdfs for each in found), others=True)
    profile = model.profile
    documents = profile.get("supported_document_media_types", {PDF})
    has_pdfs = bool(profile.get("supports_document_input", True)) and PDF in documents
    return Reads(bool(profile.get("supports_image_input", True)), has_pdfs, others=True)


def mark_response(response: ModelResponse, model: Model) -> ModelResponse:
    """Mark an answer with its model, so that the vendor's additions are not sent to other vendors."""
    details = response.provider_details or {}
    if received_message(details)[1] or not any(map(_has_vendor_fields, response.parts)):
        return response
    return replace(response, provider_details={**details, **kept_details("", model_origin(model))})


def _has_vendor_fields(part: object) -> bool:
    if not isinstance(part, (TextPart, ToolCallPart)):
        return True
    return bool(part.id or part.provider_name or part.provider_details)


_REASONING_COUNTS: Final = ("reasoning_tokens", "thoughts_tokens", "thinking_tokens")


def drop_impossible_usage(response: ModelResponse) -> ModelResponse:
    """The response without its usage if the usage has an impossible number, such as a negative one."""
    usage = response.usage
    counts = (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, count_reasoning_tokens(response))
    is_possible = are_tokens(*counts)
    return response if is_possible else replace(response, usage=RequestUsage())


def count_reasoning_tokens(response: ModelResponse) -> int:
    """The fields for reasoning tokens, as providers name them."""
    details = response.usage.details
    return next((details[name] for name in _REASONING_COUNTS if details.get(name)), 0)
