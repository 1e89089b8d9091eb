"""What model endpoints stream, and histories that other programs saved: what is read of each, against what is there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator

from remit.agent import NativeDriver
from remit.errors import RemitError
from remit.workers import PydanticAIDriver
from tests.models.streamed import is_read_whole, read_stream
from tests.runtime.histories import send_history
from tests.strangers.histories import KEPT, REFUSED, TEXTS, say_everywhere
from tests.strangers.streams import SIZES, STREAMS, StrangeStream


def read_streams(step: int) -> Iterator[tuple[str, bool]]:
    """Streams, whose bytes come in pieces of several sizes."""
    for stream in STREAMS.values():
        for size in SIZES[::step] if len(stream.body) < 10_000 else SIZES[-1:]:
            yield "streams", _holds(_is_joined, stream, size)
        yield "streams", _holds(is_read_whole, stream)


def _is_joined(stream: StrangeStream, size: int) -> bool:
    return read_stream(stream.body, size).is_answer(stream)


def _holds(test: Callable[..., bool], *given: object) -> bool:
    """Whether a test holds; not if an exception is raised."""
    try:
        return test(*given)
    except Exception:  # noqa: BLE001 - a violation, whatever it is
        return False


async def read_histories(step: int) -> AsyncIterator[tuple[str, bool]]:
    """Histories that runs are started from, with both drivers; those that are no histories."""
    said = [(say_everywhere(text), say_everywhere(text)) for text in TEXTS[::step]]
    for driver in (NativeDriver(), PydanticAIDriver()):
        for given, sent in (*said, *KEPT.values()):
            try:
                yield "histories", await send_history(given, driver) == sent
            except Exception:  # noqa: BLE001 - as above
                yield "histories", False
    for given, words in REFUSED.values():
        try:
            await send_history(given, NativeDriver())
            yield "histories", False
        except RemitError as error:
            yield "histories", words in error.message and error.message.isprintable()
        except Exception:  # noqa: BLE001 - as above
            yield "histories", False
