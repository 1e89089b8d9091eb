"""Inventories, worker files and tasks of evals in which one key has a value of another kind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from remit.agent.attachments import AttachmentPolicy
from remit.agent.limits import AgentLimits
from remit.chat.settings import ModelSettings
from remit.evals.task import AnswerRules, Questions, Task, User
from remit.inventory.governance import BusinessRules
from remit.inventory.schema import ClassificationSpec, MethodSpec, MethodToolSpec, ModelNamesSpec, ToolSpec
from remit.workers.agent_sections import CompactionSection, MemorySection, StopSection, ToolSearchSection
from remit.workers.front_matter import FactsSection, FrontMatter
from tests.strangers.yaml_files import ODD

_CLASSES: Final = {"capability": "read"}
_METHOD: Final[dict[str, Any]] = {"classification": _CLASSES, "business_rules": {"template": "public_access"}}
_SLICE: Final[dict[str, Any]] = {
    "domain": "office",
    "subdomain": "desk",
    "methods": {"find": {**_METHOD, "tools": {"look": {}}}, "keep": _METHOD},
    "tools": {"seek": {"method": "office.desk.find"}},
}
_METHOD_AT: Final = ("methods", "find")
_SLICE_KEYS: Final[dict[tuple[str, ...], tuple[str, ...]]] = {
    (): tuple(_SLICE),
    ("methods",): ("find", "other", "a b", ""),
    _METHOD_AT: (*MethodSpec.model_fields, "business_rules", "tools"),
    (*_METHOD_AT, "classification"): tuple(ClassificationSpec.model_fields),
    (*_METHOD_AT, "business_rules"): (*BusinessRules.model_fields, "template"),
    (*_METHOD_AT, "models"): tuple(ModelNamesSpec.model_fields),
    (*_METHOD_AT, "tools"): ("look", "other"),
    (*_METHOD_AT, "tools", "look"): (*ToolSpec.model_fields, "business_rules"),
    ("tools",): ("seek", "other"),
    ("tools", "seek"): (*MethodToolSpec.model_fields, "business_rules"),
}
_WORKER_KEYS: Final[dict[tuple[str, ...], tuple[str, ...]]] = {
    (): tuple(FrontMatter.model_fields),
    ("attachments",): tuple(AttachmentPolicy.model_fields),
    ("limits",): tuple(AgentLimits.model_fields),
    ("settings",): tuple(ModelSettings.model_fields),
    ("facts",): tuple(FactsSection.model_fields),
    ("stop",): tuple(StopSection.model_fields),
    ("stop", "all"): tuple(StopSection.model_fields),
    ("compaction",): tuple(CompactionSection.model_fields),
    ("memory",): tuple(MemorySection.model_fields),
    ("tool_search",): tuple(ToolSearchSection.model_fields),
}


_TASK: Final[dict[str, Any]] = {"prompt": "x", "answer": {"contains": ["x"]}}
_TASK_KEYS: Final[dict[tuple[str, ...], tuple[str, ...]]] = {
    (): tuple(Task.model_fields),
    ("user",): tuple(User.model_fields),
    ("questions",): tuple(Questions.model_fields),
    ("answer",): tuple(AnswerRules.model_fields),
}


def list_odd_slices() -> Iterator[bytes]:
    """Inventories, each with one value of another kind."""
    yield from _list_odd(_SLICE, _SLICE_KEYS, "{}")


def list_odd_workers() -> Iterator[bytes]:
    """Worker files, each with one value of another kind."""
    yield from _list_odd({}, _WORKER_KEYS, "---\n{}\n---\nWork.\n")


def list_odd_tasks() -> Iterator[bytes]:
    """Tasks of evals, each with one value of another kind."""
    yield from _list_odd(_TASK, _TASK_KEYS, "{}")


def _list_odd(whole: dict[str, Any], keys: dict[tuple[str, ...], tuple[str, ...]], around: str) -> Iterator[bytes]:
    for path, names in keys.items():
        for name in (*names, "no such key"):
            for value in ODD:
                changed: dict[str, Any] = json.loads(json.dumps(whole))
                part = changed
                for key in path:
                    part = part.setdefault(key, {})
                part[name] = value
                yield around.replace("{}", json.dumps(changed, indent=1)).encode()
