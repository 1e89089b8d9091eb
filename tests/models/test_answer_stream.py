"""What is read of streams before a client sees it."""

from __future__ import annotations

import pytest

from remit.models.answer_stream import refuses_streams


@pytest.mark.parametrize(
    ("status", "text", "refuses"),
    [
        (400, "Streaming is not supported", True),
        (422, '{"detail":[{"loc":["body","stream"],"msg":"extra fields not permitted"}]}', True),
        (400, "enable_stream is unknown", True),
        (400, "Upstream request failed", False),
        (503, "the stream was lost", False),
    ],
)
def test_an_endpoint_refuses_streams_in_its_words_and_not_upstream(status: int, text: str, refuses: bool) -> None:
    assert refuses_streams(status, text) is refuses
