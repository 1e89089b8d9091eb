"""The port to a model: a service from a chat request to a completion."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol, TypeAlias, cast, runtime_checkable

from remit.agent.media import with_media
from remit.call.call import ModelService
from remit.call.callee import HasModel
from remit.call.transient import is_transient
from remit.chat.chat import ChatRequest, Completion
from remit.chat.model_status import describe_redirect, find_response, retry_after
from remit.chat.provider_error import ProviderError, classify_error
from remit.chat.provider_tool import ProviderTool
from remit.chat.settings import ModelSettings
from remit.chat.streaming import CURRENT_CHAT, Delta
from remit.chat.wire import mark_origin
from remit.core.call_checks import check_awaitable
from remit.core.checks import wrong_value
from remit.errors import CallError, ModelAccessError, ModelError, ModelUnavailableError, NoModelError, SetupError


class Model(Protocol):
    """A service that answers chat requests: an adapter in `remit.models`, or a fake in a test."""

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Send one request.

        Raises:
            ModelError: the request failed. The run rests after a `ModelUnavailableError`, such as a `CompletionError`
                for an answer that is not a completion; every other error ends it.
        """
        ...


@runtime_checkable
class StreamsAnswers(Protocol):
    """A model that can report its answer while it writes it."""

    async def stream(self, request: ChatRequest, on_delta: Callable[[Delta], None], /) -> Completion:
        """Send one request like `Model`, and report each piece of the answer's text and of its calls' arguments.

        Only the completion counts, and it must be complete: a truncated answer is an error.
        """
        ...


@runtime_checkable
class ChecksModel(HasModel, Protocol):
    """A callee that uses a model and can check in advance whether it is available."""

    def check_model(self) -> None:
        """Check, without a request, that the model can be used.

        Raises:
            NoModelError: the model cannot be used.
        """
        ...


@runtime_checkable
class ModelByName(Model, Protocol):
    """A model that was resolved from a name and can be checked before a run uses it."""

    @property
    def name(self) -> str:
        """The name, like ``openai:gpt-5``."""
        ...

    def check(self) -> None:
        """Check, without a request, that the model can be used.

        Raises:
            NoModelError: the model cannot be used.
        """
        ...


@runtime_checkable
class KnowsSchemaSupport(Protocol):
    """A model that knows, without a request, whether its API takes the JSON schema of an answer."""

    async def supports_json_schema(self) -> bool:
        """Whether the API takes a schema."""
        ...


@runtime_checkable
class ChecksSettings(Protocol):
    """A model that knows, without a request, which settings it cannot take."""

    def list_unsupported(self, settings: ModelSettings, /) -> list[str]:
        """The names of the settings that it cannot take."""
        ...


@runtime_checkable
class RunsProviderTools(Protocol):
    """A model that knows, without a request, which tools its provider has."""

    def unsupported_tools(self, tools: Sequence[ProviderTool], /) -> Mapping[str, str]:
        """The names of the tools that its API does not support, at all or with their options, and the reasons."""
        ...


def check_provider_tools(model: object, tools: Sequence[ProviderTool]) -> None:
    """Refuse tools that a model's provider lacks. A model that is not `RunsProviderTools` has none.

    Raises:
        ModelAccessError: names the first.
    """
    if not tools:
        return
    refused: Mapping[str, str] = {tool.name: f"has no tool {tool.name!r}" for tool in tools}
    if isinstance(model, RunsProviderTools):
        refused = model.unsupported_tools(tools)
    name = _name_of(model) or type(model).__name__
    for why in refused.values():
        raise ModelAccessError(f"the API of the model {name!r} {why}; remove it, or use another model")


async def is_native_output(mode: str, model: object) -> bool:
    """Whether the model gives typed results through the JSON schema of its API, under an agent's ``output_mode``."""
    if mode == "auto" and isinstance(model, KnowsSchemaSupport):
        return await model.supports_json_schema()
    return mode == "native"


def check_settings(agent: str, model: object, settings: ModelSettings) -> None:
    """Refuse settings that a model cannot take, and headers whose value is missing.

    Raises:
        NoModelError: names them.
    """
    if not isinstance(model, ChecksSettings):
        return
    for name, reference in settings.extra_headers.items():
        variable = reference.partition(":")[2]
        if not os.environ.get(variable):
            raise NoModelError(f"agent {agent}: the header {name} needs the environment variable {variable}; set it")
    refused = model.list_unsupported(settings)
    if refused:
        raise NoModelError(
            f"agent {agent}: the model {_name_of(model) or repr(model)} cannot take {', '.join(refused)}; "
            "remove it from the settings, or use another model"
        )


ResolveModel = Callable[[str], Model]
"""Resolves the name of a model. The same name always gives the same model."""

MODEL_VARIABLE: Final = "REMIT_MODEL"
"""The environment variable that names the model if the call, the agent and the runtime name none."""


def is_same_model(one: object, other: object) -> bool:
    """Whether two models are the same object or have the same name."""
    return one is other or (bool(_name_of(one)) and _name_of(one) == _name_of(other))


def _name_of(model: object) -> str:
    """The name of a model that was given by name, resolved or not; otherwise empty."""
    if isinstance(model, str):
        return model
    return model.name if isinstance(model, ModelByName) else ""


@runtime_checkable
class NamedModel(Protocol):
    """A model with a name, which tracing adds to the spans of its requests."""

    @property
    def model(self) -> str:
        """The name of the model, as its provider knows it."""
        ...

    @property
    def vendor(self) -> str:
        """The provider, by its OpenTelemetry name, like ``openai``."""
        ...


@runtime_checkable
class VendorModel(Protocol):
    """A model of a vendor's library, like PydanticAI. Only a driver for that library can use it."""

    @property
    def model_name(self) -> str:
        """The name of the model, as its provider knows it."""
        ...

    @property
    def system(self) -> str:
        """The provider."""
        ...


class HasOrigin(Protocol):
    """A model that says where its answers come from."""

    @property
    def origin(self) -> str:
        """The model and its endpoint, like ``gpt-5 at api.openai.com``; the same however the model was made."""
        ...


AnyModel: TypeAlias = Model | VendorModel | str
"""A model of Remit's port, one of a vendor's library, or the name of either."""


def check_is_model(what: str, model: object) -> None:
    """Refuse a value that is neither a model nor a name.

    Raises:
        SetupError: says what to pass instead.
    """
    if isinstance(model, type) or not (callable(model) or isinstance(model, (str, VendorModel))):
        raise wrong_value(what, model, "give a model, or its name, such as 'openai:gpt-5'")


def model_name(model: AnyModel) -> str:
    """The name to match against patterns, like ``openai:gpt-5``; empty for a model without a name."""
    if isinstance(model, str):
        return model
    if hasattr(model, "name") and isinstance(model, ModelByName):
        return model.name
    if hasattr(model, "vendor") and isinstance(model, NamedModel):
        return f"{model.vendor}:{model.model}"
    return f"{model.system}:{model.model_name}" if hasattr(model, "system") and isinstance(model, VendorModel) else ""


def origin_of(model: object) -> str:
    """Where a model's answers come from; empty for a model without a name."""
    # Read by name, because this is asked with every request, and `isinstance` with a protocol costs as much as a call.
    origin: str | None = getattr(model, "origin", None)
    if origin is not None:
        return origin
    name, vendor = getattr(model, "model", None), getattr(model, "vendor", None)
    return "" if name is None or vendor is None else f"{name} at {vendor}"


def window_of(model: object) -> int | None:
    """The most tokens of a request to a model, by its attribute ``context_tokens``; None if that is not known."""
    window: object = getattr(model, "context_tokens", None)
    return window if isinstance(window, int) and window >= SMALLEST_WINDOW else None


SMALLEST_WINDOW: Final = 1_000
"""An agent could not work in a smaller context."""


class MissingModel:
    """Stands for a model that is not available: recorded turns replay, the first new request raises ``reason``."""

    def __init__(self, reason: NoModelError) -> None:
        self._reason = reason

    def unsupported_tools(self, _tools: Sequence[ProviderTool], /) -> Mapping[str, str]:
        """Empty: the model that it replaces may support them."""
        return {}

    async def __call__(self, _request: ChatRequest, /) -> Completion:
        """Always fails.

        Raises:
            NoModelError: the reason.
        """
        raise self._reason


def find_or_missing(find: Callable[[], Model]) -> Model:
    """The model that ``find`` returns, or one that fails at its first request with the reason why there is none."""
    try:
        return find()
    except NoModelError as error:
        return MissingModel(error)


def as_no_model_error(error: SetupError) -> NoModelError:
    """The setup error of an unavailable model as a `NoModelError`, which leaves the run unchanged."""
    return error if isinstance(error, NoModelError) else NoModelError(error.message)


def to_model_error(error: BaseException) -> CallError:
    """The error for an exception of another library that a model raised, by its HTTP status and words if it has one."""
    if isinstance(error, BaseExceptionGroup):
        return _first_that_ends(cast("BaseExceptionGroup[BaseException]", error))
    message = f"the model failed: {type(error).__name__}: {error}"[:_MAX_ERROR_LENGTH]
    response = find_response(error)
    if isinstance(error, ssl.SSLCertVerificationError):
        return ModelAccessError(message)
    if response is None:
        return ModelUnavailableError(message) if is_transient(error) else ModelError(message)
    if 300 <= response.status < 400:
        message = f"the model answered {response.status}, {describe_redirect(response.headers)}"
    kind = classify_error(ProviderError(response.status, str(error)))
    return kind(message, retry_after=retry_after(response.headers))


def _first_that_ends(group: BaseExceptionGroup[BaseException]) -> CallError:
    """The error for a group of errors: the first that ends the run, or else the first."""
    told = [each if isinstance(each, CallError) else to_model_error(each) for each in group.exceptions]
    return next((each for each in told if not isinstance(each, ModelUnavailableError)), told[0])


_MAX_ERROR_LENGTH: Final = 1000


async def ask_directly(model: ModelService, request: ChatRequest) -> Completion:
    """Ask a model without layers.

    Its own messages are sent back as received, and those of other models without vendor fields.

    The images and PDFs that messages name are sent with them. The answer's message is marked with the model if it has
    fields that only the model's vendor knows.
    """
    if request.provider_tools:
        check_provider_tools(model, request.provider_tools)
    origin = origin_of(model)
    completion = await ask_or_stream(model, await with_media(request.for_model(origin), model))
    if not origin or not isinstance(cast("object", completion), Completion):
        return completion  # anything else is refused by the recorder
    message = mark_origin(completion.message, origin)
    return completion if message is completion.message else replace(completion, message=message)


async def ask_or_stream(model: ModelService, request: ChatRequest) -> Completion:
    """Ask a model. It streams if it can and if the answer is followed."""
    sink = CURRENT_CHAT.get().sink
    if sink is None or not isinstance(model, StreamsAnswers):
        return await check_awaitable(model(request))
    return await model.stream(request, sink)
