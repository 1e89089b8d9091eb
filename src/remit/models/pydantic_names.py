"""PydanticAI's models by name, and their properties that are known without a key."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, cast, get_args

from remit.lazy_exports import require_extra

with require_extra(__name__, "pydantic-ai"):
    from pydantic_ai import exceptions as foreign
    from pydantic_ai.models import KnownModelName, Model, infer_model
    from pydantic_ai.providers import Provider, infer_provider_class

from remit.errors import SetupError
from remit.schemas.suggestions import suggest

_MAX_ERROR_LENGTH: Final = 200


def infer_named_model(name: str, key: str = "", address: str = "") -> Model:
    """Make PydanticAI's model of that name, with a ``key``, or else with that of the environment.

    ``address`` is that of an OpenAI-compatible endpoint for the key.

    Raises:
        SetupError: the provider is unknown, or its package or key is missing. One line.
    """
    try:
        return infer_model(name, partial(_make_provider, key, address)) if key else infer_model(name)
    except (foreign.UserError, ImportError, ValueError, TypeError) as error:
        raise SetupError(f"PydanticAI cannot build {name!r}: {shorten_line(str(error))}") from error


def explain_unknown_provider(name: str, other_providers: Iterable[str], *, fallback: str) -> str:
    """How to correct a name with a provider unknown to PydanticAI; empty for a valid name.

    A missing package or key does not matter here. ``other_providers`` are suggested too.
    """
    provider = name.partition(":")[0]
    if name == "test":
        return ""
    try:
        infer_provider_class(provider)
    except ImportError:
        return ""
    except ValueError:
        known_providers = {each.partition(":")[0] for each in get_args(KnownModelName.__value__)}
        return suggest(provider, {*known_providers, *other_providers}, fallback)
    return ""


def infer_model_without_key(name: str) -> Model | None:
    """Make the model of that name for everything except requests; None if it cannot be built."""
    try:
        return infer_model(name, _make_provider_without_key)
    except (foreign.UserError, ImportError, ValueError, TypeError):
        return None


def _make_provider_without_key(provider: str) -> Provider[object]:
    return _make_provider("absent", "", provider)


def _make_provider(key: str, address: str, provider: str) -> Provider[object]:
    make = cast("Callable[..., Provider[object]]", infer_provider_class(provider))
    return make(api_key=key, base_url=address) if address and provider.startswith("openai") else make(api_key=key)


def shorten_line(text: str) -> str:
    """A text on one line, cut if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_ERROR_LENGTH else f"{line[:_MAX_ERROR_LENGTH]}…"
