"""From the name of a model to the model: those that PydanticAI knows, and those that Remit has itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, get_args

from remit.agent.model import Model as Port
from remit.agent.model import NamedModel
from remit.errors import SetupError, as_no_model_error
from remit.models.lazy import LazyModel
from remit.models.scripted import Scripted
from remit.models.weights import KNOWN_WEIGHTS, find_gguf
from remit.schemas.suggestions import suggest

if TYPE_CHECKING:
    from pydantic_ai.models import Model

MODEL_VARIABLE: Final = "REMIT_MODEL"
"""The variable that names the model where neither the call nor the file does."""

AnyModel: TypeAlias = "Model | Port | str"
"""A model of PydanticAI, one of Remit's own port, or the name of either."""

_OPENAI_CHAT: Final = "openai-chat"
"""PydanticAI's word for chat completions, which every compatible endpoint has; its ``openai`` is another interface."""


BUILTIN_KINDS: Final = ("scripted", "local")
"""The kinds of models that are Remit's own, by the first part of their names."""


def resolve_model(name: str) -> Model | Port:
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
        return _infer_pydantic_ai_model(name)
    except SetupError as error:
        raise as_no_model_error(error) from error


def pydantic_ai_name(name: str) -> str:
    """The name by which PydanticAI knows the model of a name."""
    kind, _, rest = name.partition(":")
    return f"{_OPENAI_CHAT}:{rest}" if kind == "openai" else name.removeprefix("pydantic-ai:")


def explain_unknown_model(name: str) -> str:
    """How to mend the name of a model that there is nowhere; empty for one that there is.

    That its key, its package or its weights are missing here is not told, and nobody is asked.
    """
    kind, _, rest = name.partition(":")
    if kind == "scripted":
        return _check_script(Path(rest))
    if kind == "local":
        there = rest in KNOWN_WEIGHTS or Path(rest).expanduser().is_file()
        return (
            ""
            if there
            else suggest(rest, KNOWN_WEIGHTS, f"write local:{' or local:'.join(KNOWN_WEIGHTS)}, or name a GGUF file")
        )
    from pydantic_ai.models import KnownModelName  # noqa: PLC0415 - PydanticAI takes its time, and only models need it
    from pydantic_ai.providers import infer_provider_class  # noqa: PLC0415 - as above

    provider = pydantic_ai_name(name).partition(":")[0]
    try:
        infer_provider_class(provider)
    except ImportError:
        return ""
    except ValueError:
        providers = {each.partition(":")[0] for each in get_args(KnownModelName.__value__)} | {*BUILTIN_KINDS}
        return suggest(provider, providers, fallback="write provider:name, like openai:gpt-5-mini or local:base")
    return ""


def _check_script(path: Path) -> str:
    try:
        Scripted.load(path)
    except SetupError as error:
        return error.message
    return ""


def _infer_pydantic_ai_model(name: str) -> Model:
    from pydantic_ai.exceptions import UserError  # noqa: PLC0415 - PydanticAI takes its time, and only running needs it
    from pydantic_ai.models import infer_model  # noqa: PLC0415 - as above

    try:
        return infer_model(pydantic_ai_name(name))
    except (UserError, ImportError, ValueError) as error:
        raise SetupError(f"the model {name!r} cannot be had: {error}") from error


def get_model_name(model: AnyModel) -> str:
    """The name of a model as patterns match it, like ``openai:gpt-4o``; empty for one that does not say."""
    from pydantic_ai.models import Model  # noqa: PLC0415 - as above

    if isinstance(model, str):
        return model
    if isinstance(model, Model):
        return f"{model.system}:{model.model_name}"
    return f"{model.vendor}:{model.model}" if isinstance(model, NamedModel) else ""


class ModelResolver:
    """From names to models, each found once: a model that runs here is started once for all who name it."""

    def __init__(self) -> None:
        self._models_by_name: dict[str, Model | Port] = {}

    def __call__(self, name: str) -> Model | Port:
        """The model of a name; see `model_named`."""
        if name not in self._models_by_name:
            self._models_by_name[name] = resolve_model(name)
        return self._models_by_name[name]


class LocalModel(LazyModel):
    """A model on this machine, started when it is first asked, and named to who asks."""

    vendor: Final = "local"

    def __init__(self, name_or_path: str) -> None:
        super().__init__(lambda: _open_local_model(name_or_path))
        self.model = name_or_path

    def check_available(self) -> None:
        """See to it that it is here.

        Raises:
            SetupError: it is not; the message says how to get it.
        """
        find_gguf(self.model)


@asynccontextmanager
async def _open_local_model(name_or_path: str) -> AsyncGenerator[Port]:
    try:
        from remit.models.local import open_local_model  # noqa: PLC0415 - of the extra `local`
    except ModuleNotFoundError as error:
        extra = "pip install 'remit[local]'"
        raise SetupError(f"local:{name_or_path} needs {error.name}; install it with: {extra}") from error
    async with open_local_model(name_or_path) as model:
        yield model
