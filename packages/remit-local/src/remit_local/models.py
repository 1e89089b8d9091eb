"""Local models: weights from the cache, or any GGUF file, served on the loopback interface like any endpoint."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Final, NoReturn

from remit import models
from remit.messages import decode_message, encode_message
from remit.models import LocalModel, LocalModels, Model
from remit_local.serving import CONTEXT_TOKENS, serve
from remit_local.weights import KNOWN_WEIGHTS, cache_dir, download_weights, find_cached, find_gguf

ANSWER_TIMEOUT: Final = 900.0
"""Seconds that one answer may take: a small machine reads a long prompt for minutes."""


class LlamaCppModels:
    """Implements Remit's port to local models with llama.cpp."""

    def downloadable(self) -> Sequence[LocalModel]:
        """The known weights, smallest first."""
        return [
            LocalModel(
                name=weights.name,
                description=weights.description,
                size=weights.size,
                path=cache_dir() / weights.filename,
                is_downloaded=find_cached(weights) is not None,
            )
            for weights in KNOWN_WEIGHTS.values()
        ]

    def download(self, name: str, on_progress: Callable[[int], object]) -> Path:
        """Download known weights into the cache; see `download_weights`."""
        return download_weights(KNOWN_WEIGHTS[name], cache_dir(), on_progress)

    def check(self, name: str) -> None:
        """Check that the file exists; see `find_gguf`."""
        find_gguf(name)

    def open(self, name: str) -> AbstractAsyncContextManager[Model]:
        """Serve the model for the duration of the block; see `open_local_model`."""
        return open_local_model(name)


LOCAL_MODELS: Final[LocalModels] = LlamaCppModels()
"""What the entry point of this distribution yields."""


@asynccontextmanager
async def open_local_model(name_or_path: str) -> AsyncGenerator[Model]:
    """Serve a model for the duration of the block: ``base``, ``small``, or the GGUF file at a path.

    Raises:
        SetupError: the model is not on this machine; the message tells how to get it.
    """
    path = find_gguf(name_or_path)
    serving = serve(path)
    served = await asyncio.to_thread(serving.__enter__)
    try:
        async with models.OpenAI(
            served.model,
            base_url=served.base_url,
            api_key=served.api_key,
            timeout=ANSWER_TIMEOUT,
            trust_env=False,
            rewrite_message=replace_invalid_arguments,
            vendor="llama.cpp",
            reads_images=False,
            context_tokens=CONTEXT_TOKENS,
        ) as model:
            yield model
    finally:
        await asyncio.to_thread(serving.__exit__, None, None, None)


def replace_invalid_arguments(text: str) -> str:
    """Rewrite a wire text for llama.cpp, whose templates fail on calls with arguments other than a JSON object.

    Such a call got an error as its reply. It is sent without arguments.
    """
    if '"tool_calls"' not in text:
        return text
    message = decode_message(text)
    if message["role"] != "assistant":
        return text
    functions = [call["function"] for call in message.get("tool_calls") or () if "function" in call]
    broken = [function for function in functions if not _is_json_object(function.get("arguments"))]
    for function in broken:
        function["arguments"] = "{}"
    return encode_message(message) if broken else text


def _is_json_object(arguments: object) -> bool:
    if not isinstance(arguments, str):
        return isinstance(arguments, dict)
    try:
        return isinstance(json.loads(arguments, parse_constant=_reject_constant), dict)
    except (ValueError, RecursionError):
        return False


def _reject_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")
