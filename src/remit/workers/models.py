"""From the name of a model to the model: those that PydanticAI knows, and those that Remit has itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, get_args

from remit.agent.model import Model as Port
from remit.agent.model import NamedModel
from remit.errors import SetupError, no_model
from remit.models.late import Late
from remit.models.scripted import Scripted
from remit.models.weights import KNOWN, gguf_of
from remit.schemas.suggestions import near

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


def unknown(name: str) -> str:
    """How to mend the name of a model that there is nowhere; empty for one that there is.

    That its key, its package or its weights are missing here is not told, and nobody is asked.
    """
    kind, _, rest = name.partition(":")
    if kind == "scripted":
        return _no_script(Path(rest))
    if kind == "local":
        there = rest in KNOWN or Path(rest).expanduser().is_file()
        return "" if there else near(rest, KNOWN, f"write local:{' or local:'.join(KNOWN)}, or name a GGUF file")
    from pydantic_ai.models import KnownModelName  # noqa: PLC0415 - PydanticAI takes its time, and only models need it
    from pydantic_ai.providers import infer_provider_class  # noqa: PLC0415 - as above

    provider = known_as(name).partition(":")[0]
    try:
        infer_provider_class(provider)
    except ImportError:
        return ""
    except ValueError:
        providers = {each.partition(":")[0] for each in get_args(KnownModelName.__value__)} | {*OWN}
        return near(provider, providers, otherwise="write provider:name, like openai:gpt-5-mini or local:base")
    return ""


def _no_script(path: Path) -> str:
    try:
        Scripted.load(path)
    except SetupError as error:
        return error.message
    return ""


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


class LocalModel(Late):
    """A model on this machine, started when it is first asked, and named to who asks."""

    vendor: Final = "local"

    def __init__(self, which: str) -> None:
        super().__init__(lambda: _local(which))
        self.model = which

    def check(self) -> None:
        """See to it that it is here.

        Raises:
            SetupError: it is not; the message says how to get it.
        """
        gguf_of(self.model)


@asynccontextmanager
async def _local(which: str) -> AsyncGenerator[Port]:
    try:
        from remit.models.local import local_model  # noqa: PLC0415 - of the extra `local`
    except ModuleNotFoundError as error:
        extra = "pip install 'remit[local]'"
        raise SetupError(f"local:{which} needs {error.name}; install it with: {extra}") from error
    async with local_model(which) as model:
        yield model
