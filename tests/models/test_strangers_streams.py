"""Streams of strangers are read as what they are, whatever the lines, or refused in one line: never a part of them."""

from __future__ import annotations

import pytest

from tests.models.streamed import StreamRead, read_stream
from tests.strangers.streams import SIZES, STREAMS


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_is_the_answer_that_it_says_or_none(name: str) -> None:
    stream = STREAMS[name]
    for size in SIZES if len(stream.body) < 10_000 else SIZES[-2:]:
        read = read_stream(stream.body, size)
        if stream.says:
            assert (read.text, "\n" in read.says) == ("", False)
            assert stream.says in read.says
            assert (stream.followed or "").startswith(read.followed)
        else:
            followed = stream.text if stream.followed is None else stream.followed
            assert read == StreamRead(stream.text, stream.calls, "", followed)
        assert read.is_answer(stream)
