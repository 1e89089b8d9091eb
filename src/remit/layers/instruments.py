"""The instruments of metrics, named by OpenTelemetry's conventions for generative AI; those of Remit begin with it."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from opentelemetry.metrics import Counter, Histogram, MeterProvider


class Instruments(NamedTuple):
    """What is measured of requests to models, and of calls."""

    request_seconds: Histogram
    first_piece_seconds: Histogram
    tokens: Histogram
    cached_tokens: Counter
    dollars: Counter
    agent_seconds: Histogram
    tool_seconds: Histogram


@lru_cache(maxsize=8)
def make_instruments(provider: MeterProvider | None) -> Instruments:
    """The instruments of a provider, by default of the program's. They work even if the program sets it later."""
    meter = import_module("opentelemetry.metrics").get_meter("remit", meter_provider=provider)
    return Instruments(
        meter.create_histogram("gen_ai.client.operation.duration", unit="s", description="Duration of model requests"),
        meter.create_histogram(
            "gen_ai.client.operation.time_to_first_chunk",
            unit="s",
            description="Time from a model request to the first piece of its streamed answer",
        ),
        meter.create_histogram("gen_ai.client.token.usage", unit="{token}", description="Tokens of model requests"),
        meter.create_counter(
            "remit.model.cached_tokens", unit="{token}", description="Tokens of requests that the provider had cached"
        ),
        meter.create_counter("remit.model.cost", unit="{USD}", description="Cost of model requests with a known price"),
        meter.create_histogram("gen_ai.invoke_agent.duration", unit="s", description="Duration of calls of agents"),
        meter.create_histogram("gen_ai.execute_tool.duration", unit="s", description="Duration of calls of tools"),
    )
