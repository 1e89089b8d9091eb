"""Resolves names of models, for Python code, worker files, the environment and commands alike.

| name | model |
| --- | --- |
| `openai:NAME` | chat completions at `OPENAI_BASE_URL`, or at OpenAI |
| `local:base`, `local:small`, `local:FILE.gguf` | weights served on this machine |
| `scripted:FILE` | a script for tests and rehearsals |
| `PROVIDER:NAME`, `gateway/PROVIDER:NAME` | any model of PydanticAI, also as `pydantic-ai:PROVIDER:NAME` |

Resolving a name imports no vendor and opens nothing. `ResolvedModel.check` tells whether the model can be used here;
the first request opens it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import urlsplit

from remit.agent.model import Model, NamedModel, ask_or_stream, window_of
from remit.chat.chat import ChatRequest, Completion
from remit.chat.provider_tool import ProviderTool, as_provider_tools
from remit.chat.settings import ModelSettings
from remit.core.background_import import import_in_background
from remit.core.checks import check_name
from remit.errors import NoModelError, SetupError
from remit.lazy_exports import install_hint
from remit.models.key_variable import key_variables
from remit.models.local import LOCAL_CONTEXT_TOKENS, LocalModel, explain_unknown_weights, find_local_models
from remit.models.rehearsal import load_script
from remit.models.scripted import SCRIPTED_MODEL_NAME
from remit.models.secret_key import hide_key
from remit.record.estimate import Reads

if TYPE_CHECKING:
    from pydantic_ai.models import Model as PydanticModel

    from remit.models.openai import OpenAI

AnyModel: TypeAlias = "PydanticModel | Model | str"
"""A model of PydanticAI, a `Model`, or a name."""

NAME_HINT: Final = "write PROVIDER:NAME, like openai:gpt-5-mini, anthropic:claude-sonnet-5-5 or local:base"
_PYDANTIC_AI: Final = "pydantic-ai"
_BUILTIN_KINDS: Final = ("openai", "local", "scripted")


class ResolvedModel:
    """A named model, opened by its first request and shared by all its users until `close`.

    Args:
        name: as in the table above.
        environ: the environment variables with key and address for `openai:NAME`.
        key: the API key; by default, the environment has it.
    """

    def __init__(self, name: str, environ: Mapping[str, str] = os.environ, *, key: str = "") -> None:
        check_name("the name of a model", name)
        self.name = name
        kind, _, rest = name.partition(":")
        self.kind = kind if kind in _BUILTIN_KINDS else _PYDANTIC_AI
        if kind == _PYDANTIC_AI:
            kind, _, rest = rest.partition(":")
        self.vendor = kind
        self.model = SCRIPTED_MODEL_NAME if self.kind == "scripted" else rest or kind
        self._rest = rest
        self._environ = {**environ, "OPENAI_API_KEY": key} if key else environ
        self._key = key
        self._start_lock = asyncio.Lock()
        self._exit_stack = AsyncExitStack()
        self._opened: Model | None = None
        self._pydantic_model: PydanticModel | None = None

    @property
    def origin(self) -> str:
        """The model and the host of its endpoint; see `remit.agent.model.HasOrigin`."""
        with suppress(SetupError, ImportError):
            match self.kind:
                case "openai":
                    from remit.models.openai import read_endpoint  # noqa: PLC0415 - imports the vendor

                    base_url = read_endpoint(self._environ)[0] or "https://api.openai.com"
                    return f"{self.model} at {urlsplit(base_url).hostname}"
                case kind if kind == _PYDANTIC_AI:
                    from remit.models.model_origin import model_origin  # noqa: PLC0415 - imports the vendor

                    return model_origin(self._infer_pydantic_model())
                case _:
                    pass
        return f"{self.model} at {self.vendor}"

    @property
    def reads_images(self) -> bool:
        """Whether the model is not known to refuse images. Local models are served without their image encoder."""
        return self._reads.images

    @property
    def reads_pdfs(self) -> bool:
        """Whether the model is sent PDFs."""
        return self._reads.pdfs

    @property
    def reads_others(self) -> bool:
        """Whether the model is sent files of other kinds, which its API may refuse."""
        return self._reads.others

    @property
    def _reads(self) -> Reads:
        with suppress(SetupError, ImportError):
            if self.kind == _PYDANTIC_AI:
                from remit.models.model_origin import reads_of  # noqa: PLC0415 - imports the vendor

                return reads_of(self._infer_pydantic_model())
            if self.kind == "openai":
                return Reads(pdfs=self._make_openai_without_key().reads_pdfs)
        return Reads(images=self.kind != "local")

    @property
    def context_tokens(self) -> int | None:
        """The most tokens of a request, if that is known to be few."""
        return LOCAL_CONTEXT_TOKENS if self.kind == "local" else window_of(self._opened)

    @property
    def pydantic_ai_name(self) -> str:
        """The name by which PydanticAI finds the model; empty if it has none."""
        if self.kind == "openai":
            return f"openai-chat:{self._rest}"  # PydanticAI's `openai` is the Responses API
        return self.name.removeprefix(f"{_PYDANTIC_AI}:") if self.kind == _PYDANTIC_AI else ""

    @property
    def description(self) -> str:
        """A phrase for messages. A script is always described as a script."""
        if self.kind == "scripted":
            return f"a script, not a model ({self._rest})"
        try:
            weights = self.find_weights()
        except NoModelError:
            weights = None
        return f"{self.name} ({weights.description})" if weights else self.name

    def find_weights(self) -> LocalModel | None:
        """The downloadable weights of the named model; None for a file and for models that are not local.

        Raises:
            NoModelError: local models are not installed.
        """
        if self.kind != "local":
            return None
        with self._explain_errors():
            return next((each for each in find_local_models().downloadable() if each.name == self._rest), None)

    def check(self) -> None:
        """Check, without a request, that the model can be used.

        Raises:
            NoModelError: its provider, package, key or file is missing. One line, with the remedy.
        """
        with self._explain_errors():
            match self.kind:
                case "openai":
                    self._check_endpoint()
                case "local":
                    find_local_models().check(self._rest)
                case "scripted":
                    load_script(Path(self._rest))
                case _:
                    self._infer_pydantic_model()

    def as_pydantic_ai(self) -> PydanticModel | None:
        """The corresponding model of PydanticAI, which supports provider tools; None if there is none.

        Raises:
            NoModelError: see `check`.
        """
        if not self.pydantic_ai_name:
            return None
        self.check()
        with self._explain_errors():
            return self._infer_pydantic_model()

    async def start(self) -> Model:
        """Open the model and return it. Concurrent callers wait until it is open.

        Raises:
            NoModelError: see `check`.
        """
        async with self._start_lock:
            with self._explain_errors():
                opened = self._opened = self._opened or await self._exit_stack.enter_async_context(self._open())
        _OPENED[self] = asyncio.get_running_loop()
        return opened

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Send one request.

        Raises:
            NoModelError: see `check`. ModelError: as the model raises it.
        """
        opened = self._opened or await self.start()
        with hide_key(self._key or self._find_environment_key()):
            return await ask_or_stream(self._with_provider_tools() if request.provider_tools else opened, request)

    def _find_environment_key(self) -> str:
        """The key that the provider takes from the environment; empty for none."""
        return next(filter(None, (self._environ.get(each, "") for each in key_variables(self.name))), "")

    def _with_provider_tools(self) -> Model:
        """The model through PydanticAI, which supports provider tools."""
        from remit.models.pydantic_ai import PydanticAIModel  # noqa: PLC0415 - imports the vendor

        found = self.as_pydantic_ai()
        assert found is not None  # noqa: S101 - `unsupported_tools` has refused the request to another
        return PydanticAIModel(found)

    async def close(self) -> None:
        """Close connections and stop servers. A later request opens the model again."""
        self._opened = None
        _OPENED.pop(self, None)
        await self._exit_stack.aclose()

    def explain_unknown(self) -> str:
        """How to correct a name that no installation could resolve; empty for a valid name."""
        match self.kind:
            case "scripted":
                try:
                    load_script(Path(self._rest))
                except SetupError as error:
                    return error.message
                return ""
            case "local":
                return explain_unknown_weights(self._rest)
            case _ if not self._is_complete:
                return NAME_HINT
            case _:
                from remit.models.pydantic_names import explain_unknown_provider  # noqa: PLC0415 - imports the vendor

                return explain_unknown_provider(self.pydantic_ai_name, _BUILTIN_KINDS, fallback=NAME_HINT)

    def unsupported_tools(self, tools: Sequence[str | ProviderTool]) -> dict[str, str]:
        """The provider tools that the model's API does not support, at all or with their options, and the reasons.

        Empty if that is not known, for example without the provider's package.
        """
        known = as_provider_tools("unsupported_tools", tools)
        if not known or not self.pydantic_ai_name:
            return {each.name: f"has no tool {each.name!r}" for each in known}
        from remit.models.provider_tools import find_unsupported  # noqa: PLC0415 - imports the vendor
        from remit.models.pydantic_names import infer_model_without_key  # noqa: PLC0415 - imports the vendor

        model = infer_model_without_key(self.pydantic_ai_name)
        return {} if model is None else dict(find_unsupported(model, known))

    def list_unsupported(self, settings: ModelSettings, /) -> list[str]:
        """The settings that the model cannot take, if that is known without a key."""
        if self.kind == "openai":
            return self._make_openai_without_key().list_unsupported(settings)
        if self.kind != _PYDANTIC_AI:
            return []
        from remit.models.pydantic_names import infer_model_without_key  # noqa: PLC0415 - imports the vendor
        from remit.models.pydantic_settings import unsupported_settings  # noqa: PLC0415 - imports the vendor

        model = infer_model_without_key(self.pydantic_ai_name)
        return [] if model is None else unsupported_settings(model, settings)

    async def supports_json_schema(self) -> bool:
        """Whether the model's API takes the JSON schema of an answer, if that is known without a key."""
        if self.kind == "openai":
            await import_in_background("remit.models.openai")
            return await self._make_openai_without_key().supports_json_schema()
        if self.kind != _PYDANTIC_AI:
            return False
        await import_in_background("remit.models.pydantic_ai")
        from remit.models.pydantic_names import infer_model_without_key  # noqa: PLC0415 - imports the vendor

        model = infer_model_without_key(self.pydantic_ai_name)
        return model is not None and bool(model.profile.get("supports_json_schema_output", False))

    def _make_openai_without_key(self) -> OpenAI:
        from remit.models.openai import OpenAI  # noqa: PLC0415 - imports the vendor

        return OpenAI(self._rest, base_url=self._environ.get("OPENAI_BASE_URL") or None, api_key="absent")

    @property
    def _is_complete(self) -> bool:
        """Whether the name has a provider and a model; ``test`` is PydanticAI's test model."""
        return bool(self._rest) or self.pydantic_ai_name == "test"

    @asynccontextmanager
    async def _open(self) -> AsyncGenerator[Model]:
        match self.kind:
            case "openai":
                from remit.models.openai import from_environment  # noqa: PLC0415 - imports the vendor

                self._check_endpoint()
                model = from_environment(self._rest, self._environ)
            case "local":
                model = find_local_models().open(self._rest)
            case "scripted":
                yield load_script(Path(self._rest))
                return
            case _:
                from remit.models.pydantic_ai import PydanticAIModel  # noqa: PLC0415 - imports the vendor

                model = PydanticAIModel(self._infer_pydantic_model())
        async with model as opened:
            yield opened

    def _check_endpoint(self) -> None:
        from remit.models.openai import read_endpoint  # noqa: PLC0415 - imports the vendor

        if not self._is_complete:
            raise SetupError(NAME_HINT)
        read_endpoint(self._environ)

    def _infer_pydantic_model(self) -> PydanticModel:
        if not self._is_complete:
            raise SetupError(NAME_HINT)
        from remit.models.pydantic_names import explain_unknown_provider, infer_named_model  # noqa: PLC0415 - as above

        if self._pydantic_model is None:
            name = self.pydantic_ai_name
            unknown = explain_unknown_provider(name, _BUILTIN_KINDS, fallback=NAME_HINT)
            if unknown:
                raise SetupError(f"there is no such provider; {unknown}")
            self._pydantic_model = infer_named_model(name, self._key, self._environ.get("OPENAI_BASE_URL", ""))
        return self._pydantic_model

    @contextmanager
    def _explain_errors(self) -> Generator[None]:
        """Convert errors about missing parts to one line about this name."""
        try:
            yield
        except SetupError as error:
            raise NoModelError(f"the model {self.name!r} cannot be used: {error.message}") from error
        except ModuleNotFoundError as error:
            remedy = f"{error.name} is not installed; {install_hint(self.kind)}"
            raise NoModelError(f"the model {self.name!r} cannot be used: {remedy}") from error

    def __repr__(self) -> str:
        return f"ResolvedModel({self.name!r})"


def resolve_model(name: str, environ: Mapping[str, str] = os.environ, *, key: str = "") -> ResolvedModel:
    """Resolve a name, without opening or checking the model. See the table at the top of this module."""
    return ResolvedModel(name, environ, key=key)


_OPENED: Final[dict[ResolvedModel, asyncio.AbstractEventLoop]] = {}
"""The models that are open, with the event loops that they were opened in."""


async def close_opened_models() -> None:
    """Close all models that were opened in this event loop. A program does this last."""
    loop = asyncio.get_running_loop()
    for model in [model for model, opened_in in _OPENED.items() if opened_in is loop]:
        await model.close()


class ModelResolver:
    """Resolves each name once, so that all users of a name share its connections or its server."""

    def __init__(self) -> None:
        self._models: dict[str, ResolvedModel] = {}

    def __call__(self, name: str) -> ResolvedModel:
        """Resolve a name; see `resolve_model`."""
        if name not in self._models:
            self._models[name] = resolve_model(name)
        return self._models[name]

    async def close(self) -> None:
        """Close all models that were resolved here."""
        for model in self._models.values():
            await model.close()


def get_model_name(model: AnyModel) -> str:
    """The name of a model as patterns match it, like ``openai:gpt-4o``; empty for a model without a name."""
    if isinstance(model, str):
        return model
    if isinstance(model, ResolvedModel):
        return model.name
    if isinstance(model, NamedModel):
        return f"{model.vendor}:{model.model}"
    from pydantic_ai.models import Model as PydanticModel  # noqa: PLC0415 - imports the vendor

    return f"{model.system}:{model.model_name}" if isinstance(model, PydanticModel) else ""
