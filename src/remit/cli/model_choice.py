"""Which model: the environment's ``REMIT_MODEL`` alone decides."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remit.agent.model import Model
from remit.errors import SetupError
from remit.models.lazy import LazyModel
from remit.models.scripted import Scripted
from remit.models.weights import KNOWN_WEIGHTS, Weights, find_cached, find_gguf

DEFAULT_MODEL: Final = "local:base"
MODEL_KINDS: Final = ("openai", "pydantic-ai", "local", "scripted")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """A model by its kind and its name there: ``openai:NAME``, ``pydantic-ai:PROVIDER:NAME``, ``local:base``."""

    kind: str
    name: str

    def missing_weights(self) -> Weights | None:
        """The weights that have to be fetched first."""
        weights = KNOWN_WEIGHTS.get(self.name) if self.kind == "local" else None
        return weights if weights is not None and find_cached(weights) is None else None

    @property
    def description(self) -> str:
        """What a person should know of it. A script is never presented as a model."""
        if self.kind == "scripted":
            return f"a script, not a model ({self.name})"
        weights = KNOWN_WEIGHTS.get(self.name) if self.kind == "local" else None
        return f"{self.kind}:{self.name}" + (f" ({weights.description})" if weights else "")


def choose_model(environ: Mapping[str, str]) -> ModelChoice:
    """The choice that ``REMIT_MODEL`` makes; unset or empty means `DEFAULT`.

    Raises:
        SetupError: it says nothing that is known.
    """
    value = environ.get("REMIT_MODEL") or DEFAULT_MODEL
    kind, _, name = value.partition(":")
    if kind not in MODEL_KINDS or not name:
        raise SetupError(
            f"REMIT_MODEL is {value!r}; set it to openai:NAME, local:base, local:small, local:FILE.gguf, "
            "pydantic-ai:PROVIDER:NAME or scripted:FILE"
        )
    return ModelChoice(kind=kind, name=name)


@asynccontextmanager
async def open_model(choice: ModelChoice, environ: Mapping[str, str]) -> AsyncGenerator[Model]:
    """The model itself, for as long as the block lasts.

    Raises:
        SetupError: what it needs is not here; the message says how to get it.
    """
    try:
        match choice.kind:
            case "openai":
                from remit.models.openai import from_environment

                model = from_environment(choice.name, environ)
            case "pydantic-ai":
                from remit.models.pydantic_ai import PydanticAIModel

                model = PydanticAIModel(choice.name)
            case "local":
                from remit.models.local import open_local_model

                model = open_local_model(choice.name)
            case _:
                yield Scripted.load(Path(choice.name))
                return
    except ModuleNotFoundError as error:
        extra = f"pip install 'remit[{choice.kind}]'"
        raise SetupError(f"{choice.kind}:{choice.name} needs {error.name}; install it with: {extra}") from error
    async with model as ready:
        yield ready


class EnvironmentModel(LazyModel):
    """The model that the environment names, chosen and started when it is first asked: a run of tools needs none."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__(lambda: open_model(self.choice, environ))
        self._environ = environ

    @property
    def choice(self) -> ModelChoice:
        """What the environment says now."""
        return choose_model(self._environ)

    def check(self) -> ModelChoice:
        """The choice, if nothing has to be fetched for it.

        Raises:
            SetupError: the weights are not here, or the choice makes no sense.
        """
        choice = self.choice
        if choice.kind == "local":
            find_gguf(choice.name)
        return choice
