"""Redact also tells the base what to remove where no dispatcher has done so, such as inside of another layer."""

from __future__ import annotations

from remit import tool
from remit.layers import Redact, Reply
from remit.testing import call_through, make_call
from tests.layers.inner import Inner


@tool
async def find(query: str) -> str:
    """Find pages."""
    return query


async def test_the_base_inside_learns_once_what_a_layer_redacts() -> None:
    layer, inner = Redact(patterns=["secret"]), Inner(Reply.from_value("a secret"))
    call = await make_call(find)
    assert (await call_through(layer, call, inner)).value == "a [redacted]"
    (redacted,) = inner.calls
    assert redacted.redactions == (layer.redaction,)
    assert (await call_through(layer, redacted, inner)).value == "a [redacted]"
    assert inner.calls[1] is redacted
