"""What is read of the bytes of a stream, whose pieces come in any size."""

from __future__ import annotations

from typing import NamedTuple

from remit.chat.streaming import Delta
from remit.errors import ModelError
from remit.models.answer_stream import AnswerStream, StreamCutError
from remit.models.chat_response import read_response
from tests.strangers.streams import StrangeStream


class StreamRead(NamedTuple):
    """The answer that was read, or ``says``, what is said of one that is none."""

    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    says: str = ""
    followed: str = ""

    def is_answer(self, stream: StrangeStream) -> bool:
        """Whether this is what the stream is, and a refusal is one line."""
        followed = stream.text if stream.followed is None else stream.followed
        if stream.says:
            said = stream.says in self.says and "\n" not in self.says
            return said and not self.text and followed.startswith(self.followed)
        return self == StreamRead(stream.text, stream.calls, "", followed)


def read_stream(body: bytes, size: int) -> StreamRead:
    """Read a stream as the clients of endpoints do, ``size`` bytes at once."""
    deltas = list[Delta]()
    stream = AnswerStream(deltas.append)
    try:
        for start in range(0, len(body), size):
            stream.add_bytes(body[start : start + size])
            stream.add_bytes(b"")
        answer = read_response(stream.body().encode(errors="surrogatepass"))
    except (ModelError, ValueError, TypeError, LookupError, StreamCutError) as error:
        return StreamRead(says=str(error), followed=_join(deltas))
    calls = tuple((call.name, call.arguments) for call in answer.tool_calls)
    return StreamRead(answer.content or "", calls, followed=_join(deltas))


def is_read_whole(stream: StrangeStream) -> bool:
    """Whether a stream that comes in place of an answer in one piece is what it is, or a model's error."""
    try:
        answer = read_response(stream.body)
    except ModelError as error:
        return bool(stream.says) and "\n" not in str(error)
    calls = tuple((call.name, call.arguments) for call in answer.tool_calls)
    return not stream.says and (answer.content or "", calls) == (stream.text, stream.calls)


def _join(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas if delta.kind == "text")
