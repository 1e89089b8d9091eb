"""A model on this machine: weights from the cache (or any GGUF file), served on loopback, asked like any endpoint."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final, NoReturn

from remit.contracts.chat import read, write
from remit.models.openai import OpenAI
from remit.models.serving import serve
from remit.models.weights import gguf_of

SLOW: Final = 900.0
"""Seconds that one answer may take: a small machine reads a long prompt for minutes."""


@asynccontextmanager
async def local_model(which: str) -> AsyncGenerator[OpenAI]:
    """The model ``which``, ``base``, ``small`` or the path of a GGUF file, for as long as the block lasts.

    Raises:
        SetupError: there is no such model here; the message says how to get it.
    """
    path = gguf_of(which)
    serving = serve(path)
    served = await asyncio.to_thread(serving.__enter__)
    try:
        async with OpenAI(
            served.model,
            base_url=served.base_url,
            api_key=served.api_key,
            timeout=SLOW,
            proxied=False,
            spelled=readable,
            vendor="llama.cpp",
        ) as model:
            yield model
    finally:
        await asyncio.to_thread(serving.__exit__, None, None, None)


def readable(text: str) -> str:
    """The wire text as llama.cpp can read it: its templates fail on calls whose arguments are not a JSON object.

    Such a call got an error for its reply, and stands in the history with no arguments.
    """
    if '"tool_calls"' not in text:
        return text
    message = read(text)
    if message["role"] != "assistant":
        return text
    broken = [call for call in message.get("tool_calls") or () if not _is_object(call["function"]["arguments"])]
    for call in broken:
        call["function"]["arguments"] = "{}"
    return write(message) if broken else text


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments, parse_constant=_refuse), dict)
    except (ValueError, RecursionError):
        return False


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")
