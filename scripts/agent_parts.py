"""The generated tables about agents: their settings, the keys of worker files, and the settings of model requests."""

import json
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Final, get_args

from pydantic import BaseModel

from remit import Agent
from remit.agent.setting import NoKey, settings_of
from remit.models import ModelSettings


def markdown_table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def agent_settings() -> str:
    """The settings of an agent: their keys in worker files, and how a lock holds them."""
    rows: list[tuple[str, ...]] = []
    for each in settings_of(Agent):
        default = f"`{json.dumps(each.default)}`" if isinstance(each.default, (int, str)) and each.default else ""
        key = f"no: {each.key.reason}" if isinstance(each.key, NoKey) else f"`{each.file_key}`"
        rows.append((f"`{each.name}`", default, each.meaning.replace("|", "\\|"), key, each.governed.summary))
    return markdown_table(("setting", "default", "meaning", "key in a worker file", "in the lock"), rows)


def worker_keys() -> str:
    """The keys of a worker file; nested keys follow their parent."""
    from remit.workers.front_matter import FrontMatter  # noqa: PLC0415 - the one part that needs the extra `pydantic-ai`

    return markdown_table(("key", "default", "meaning"), _field_rows(FrontMatter, ""))


def _field_rows(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, str, str]]:
    """The fields of a model, each followed by the fields of its own model."""
    for name, field in model.model_fields.items():
        default = "" if field.is_required() else field.get_default(call_default_factory=True)
        plain_default = default.value if isinstance(default, Enum) else default
        is_empty = isinstance(plain_default, BaseModel) or plain_default in (None, "", (), {})
        default_text = "" if is_empty else f"`{json.dumps(plain_default)}`"
        yield f"`{prefix}{name}`", default_text, (field.description or "").replace("|", "\\|")
        for kind in (field.annotation, *get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from _field_rows(kind, f"{prefix}{name}.")


AGENT_PARTS: Final[dict[str, Callable[[], str]]] = {
    "agent-settings": agent_settings,
    "model-settings": lambda: markdown_table(("key", "default", "meaning"), _field_rows(ModelSettings, "")),
    "worker-keys": worker_keys,
}
