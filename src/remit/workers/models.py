"""From the name of a model to the model: those that PydanticAI knows, and those that Remit has itself."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from remit.agent.model import Model as Port
from remit.agent.model import NamedModel
from remit.contracts.chat import ChatRequest, Completion
from remit.errors import SetupError, no_model
from remit.models.scripted import Scripted

if TYPE_CHECKING:
    from pydantic_ai.models import Model

ENVIRONMENT: Final = "REMIT_MODEL"
"""The variable that names the model where neither the call nor the file does."""

AnyModel: TypeAlias = "Model | Port | str"
"""A model of PydanticAI, one of Remit's own port, or the name of either."""

_CHAT: Final = "openai-chat"
"""PydanticAI's word for chat completions, which every compatible endpoint has; its ``openai`` is another interface."""


OWN: Final = ("scripted", "local")
"""The kinds of models that are Remit's own, by the first part of their names."""


def model_named(name: str) -> Model | Port:
    """The model of a name: ``scripted:FILE``, ``local:base``, ``openai:NAME`` and whatever PydanticAI knows.

    ``openai:`` asks the endpoint at ``OPENAI_BASE_URL`` by chat completions.

    Raises:
        NoModelError: there is none of that name, or what it needs is missing.
    """
    kind, _, rest = name.partition(":")
    try:
        if kind == "scripted":
            return Scripted.load(Path(rest))
        if kind == "local":
            return LocalModel(rest)
        return _of_pydantic_ai(name)
    except SetupError as error:
        raise no_model(error) from error


def known_as(name: str) -> str:
    """The name by which PydanticAI knows the model of a name."""
    kind, _, rest = name.partition(":")
    return f"{_CHAT}:{rest}" if kind == "openai" else name.removeprefix("pydantic-ai:")


def _of_pydantic_ai(name: str) -> Model:
    from pydantic_ai.exceptions import UserError  # noqa: PLC0415 - PydanticAI takes its time, and only running needs it
    from pydantic_ai.models import infer_model  # noqa: PLC0415 - as above

    try:
        return infer_model(known_as(name))
    except (UserError, ImportError, ValueError) as error:
        raise SetupError(f"the model {name!r} cannot be had: {error}") from error


def name_of(model: AnyModel) -> str:
    """The name of a model as patterns match it, like ``openai:gpt-4o``; empty for one that does not say."""
    from pydantic_ai.models import Model  # noqa: PLC0415 - as above

    if isinstance(model, str):
        return model
    if isinstance(model, Model):
        return f"{model.system}:{model.model_name}"
    return f"{model.vendor}:{model.model}" if isinstance(model, NamedModel) else ""


class Models:
    """From names to models, each found once: a model that runs here is started once for all who name it."""

    def __init__(self) -> None:
        self._found: dict[str, Model | Port] = {}

    def __call__(self, name: str) -> Model | Port:
        """The model of a name; see `model_named`."""
        if name not in self._found:
            self._found[name] = model_named(name)
        return self._found[name]


class LocalModel:
    """A model on this machine, started when it is first asked. It runs until `close`, or as long as this process."""

    vendor: Final = "local"

    def __init__(self, which: str) -> None:
        self.model = which
        self._starting = asyncio.Lock()
        self._open = AsyncExitStack()
        self._started: Port | None = None

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Ask it.

        Raises:
            SetupError: it is not here; the message says how to get it.
        """
        async with self._starting:
            if self._started is None:
                self._started = await self._start()
        return await self._started(request)

    async def close(self) -> None:
        """Stop it; asked again, it starts again."""
        self._started = None
        await self._open.aclose()

    async def _start(self) -> Port:
        try:
            from remit.models.local import local_model  # noqa: PLC0415 - of the extra `local`
        except ModuleNotFoundError as error:
            extra = "pip install 'remit[local]'"
            raise SetupError(f"local:{self.model} needs {error.name}; install it with: {extra}") from error
        return await self._open.enter_async_context(local_model(self.model))
