"""Tasks as YAML: a person's prompts, and the conditions that must hold afterwards. Each error in a file is one line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    field_validator,
    model_validator,
)

from remit.core.checks import as_path, as_tuple
from remit.core.names import show_hidden
from remit.engine.given_history import read_history
from remit.errors import RequestError, SetupError
from remit.record.arguments import Limits
from remit.record.principal import Principal
from remit.schemas.finding import InventoryError, display_path
from remit.schemas.mistakes import explain_mistake
from remit.schemas.suggestions import suggest
from remit.schemas.yaml_lines import YamlDocument, read_text, read_yaml

Matching = Literal["strict", "in-order", "by-tool"]
"""How the calls of a run must match the recorded ones of a case: see `remit.evals.case`."""

Verdict = Literal["approve", "deny"]
_Text = Annotated[str, Field(min_length=1)]


def _as_list(value: object) -> object:
    return cast("list[object]", value) if isinstance(value, list) else [value]


def _check_pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from error
    return value


def _check_history(messages: list[dict[str, JsonValue]]) -> list[dict[str, JsonValue]]:
    try:
        read_history(messages, Limits())
    except RequestError as error:
        raise ValueError(error.message) from error
    return messages


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class SetupCall(_Part):
    """A call that prepares the state before the first message, made by the eval itself.

    ``files``: paths beside the task, by the parameter that takes the file. ``target`` replaces the task's target.
    """

    call: _Text
    arguments: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    files: dict[str, _Text] = Field(default_factory=dict[str, str])
    target: str | None = None


class Expectation(_Part):
    """A query of the application's database and its result: a value, a column as a list, or rows as lists."""

    query: _Text
    equals: JsonValue


class ForbiddenEffect(_Part):
    """An effect that must not happen. It has happened if the query returns a row."""

    effect: _Text
    query: _Text


class Change(_Part):
    """Rows that may differ afterwards: ``TABLE``, or ``TABLE WHERE condition``, read before and after.

    With ``columns``, only these columns of them may, and none may be added or removed.
    """

    rows: _Text
    columns: list[_Text] = Field(default_factory=list[str])


class AnswerRules(_Part):
    """Rules for the agent's last message. ``matches`` is a regular expression that ignores case."""

    contains: list[_Text] = Field(default_factory=list[str])
    excludes: list[_Text] = Field(default_factory=list[str])
    matches: str = ""

    _pattern = field_validator("matches")(_check_pattern)


class Questions(_Part):
    """The answers to the agent's requests for approval in order, the last for all further ones, and their number."""

    answers: Annotated[list[Verdict], BeforeValidator(_as_list), Field(min_length=1)] = ["deny"]
    at_least: int = Field(default=0, ge=0)
    at_most: int | None = Field(default=None, ge=0)


class User(_Part):
    """The person who asks."""

    tenant: _Text = "local-site"
    permissions: list[str] = Field(default_factory=lambda: ["*"])

    @model_validator(mode="after")
    def _check(self) -> User:
        try:
            Principal("user", self.tenant, frozenset(self.permissions))
        except SetupError as error:
            raise ValueError(error.message) from error
        return self


class Task(_Part):
    """One task. Several prompts make a conversation, which starts from ``messages``; see `Runtime.run`."""

    name: str = ""
    file: str = ""
    about: str = ""
    prompt: Annotated[list[_Text], BeforeValidator(_as_list), Field(min_length=1)]
    messages: Annotated[list[dict[str, JsonValue]], AfterValidator(_check_history)] = Field(
        default_factory=list[dict[str, JsonValue]]
    )
    agent: str = ""
    target: str = ""
    user: User = User()
    setup: list[SetupCall] = Field(default_factory=list[SetupCall])
    questions: Questions = Questions()
    expect: list[Expectation] = Field(default_factory=list[Expectation])
    unchanged: list[_Text] = Field(default_factory=list[str], description="Queries with the same result afterwards.")
    forbidden: list[ForbiddenEffect] = Field(default_factory=list[ForbiddenEffect])
    changes: list[Change] = Field(default_factory=list[Change], description="The rows that may differ afterwards.")
    derived: list[Change] = Field(default_factory=list[Change], description="Rows that follow from other data.")
    nothing_else: bool = Field(default=True, description="Whether all other rows must be as they were.")
    answer: AnswerRules = AnswerRules()
    matching: Matching | None = None
    seconds: float = Field(default=180, gt=0)
    cost: float | None = Field(default=None, gt=0, description="US dollars for all prompts together; stops the run.")

    @property
    def queries(self) -> bool:
        """Whether the task queries the application's database."""
        return bool(self.expect or self.unchanged or self.forbidden)


_OWN_FIELDS: Final = ("name", "file")
_FOLDER_FILE: Final = "_folder.yaml"
"""Keys that all tasks of its folder have, unless they have these keys themselves. It is no task."""


def load_tasks(paths: Iterable[Path]) -> list[Task]:
    """Load the tasks of files and of folders of ``*.yaml``.

    Raises:
        SetupError: a file is missing or invalid, or there is no task; one line with file, line and key.
    """
    given = [as_path("load_tasks: an item of paths", each) for each in as_tuple("load_tasks: paths", paths)]
    if not given:
        raise SetupError("load_tasks: paths is empty; give files or folders of tasks")
    files: list[Path] = []
    for path in given:
        try:
            listed = path.glob("*.yaml") if path.is_dir() else [path]
            found = sorted(file for file in listed if file.name != _FOLDER_FILE)
        except (OSError, ValueError) as error:
            raise SetupError(f"{display_path(path)}: cannot be read: {error}") from error
        if not found:
            raise SetupError(f"{display_path(path)}: no task found: no file matches *.yaml; create one")
        files += found
    tasks = [_load_task(file) for file in files]
    names = [task.name for task in tasks]
    for task in tasks:
        if names.count(task.name) > 1:
            raise SetupError(f"{task.file}: two tasks are named {task.name!r}; rename one of the files")
    return tasks


def _load_task(file: Path) -> Task:
    document = _read(file)
    common = _read_common(file.with_name(_FOLDER_FILE))
    task = _validate(document, {**common, **document.value, "name": file.stem, "file": str(file)})
    if not task.queries and task.answer == AnswerRules() and task.matching is None:
        raise SetupError(f"{document.file}:1: nothing is graded; add expect, unchanged, forbidden or answer")
    return task


def _read_common(file: Path) -> Mapping[str, Any]:
    """The keys that all tasks of a folder have, checked as those of a task; none without such a file."""
    if not file.exists():
        return {}
    document = _read(file)
    if document.value:
        _validate(document, {"prompt": ["none"], **document.value})
    return document.value


def _validate(document: YamlDocument, values: Mapping[str, Any]) -> Task:
    try:
        return Task.model_validate(values)
    except ValidationError as error:
        raise SetupError(_explain(document, error)) from error


def _read(file: Path) -> YamlDocument:
    try:
        document = read_yaml(read_text(file), display_path(file), is_stored=False)  # a recorded output may have NUL
    except InventoryError as error:
        raise SetupError(str(error.findings[0])) from error
    except ValueError as error:  # no path of a file
        raise SetupError(f"{display_path(file)}: cannot be read: {error}") from error
    if document.findings:
        raise SetupError(str(document.findings[0]))
    for key in _OWN_FIELDS:
        if key in document.value:
            raise SetupError(f"{document.locate((key,))}: {key}: remove it; the file's name is the name of the task")
    return document


def locate(task: Task, *key: str | int) -> str:
    """The place of a key in the task's file, as ``FILE:LINE: KEY``."""
    file = Path(task.file)
    document = read_yaml(read_text(file), display_path(file), is_stored=False)
    return f"{document.locate(key)}: {'.'.join(map(str, key))}"


def _explain(document: YamlDocument, error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    loc = tuple(part for part in first["loc"] if isinstance(part, int) or not part.startswith("function-"))
    key = show_hidden(".".join(map(str, loc)), "")
    if first["type"] == "extra_forbidden":
        known = _fields_at(loc[:-1])
        return f"{document.locate(loc)}: {key}: there is no such key; {suggest(str(loc[-1]), known)}"
    return f"{document.locate(loc)}: {key}: {explain_mistake(first['msg'])}"


def _fields_at(loc: tuple[str | int, ...]) -> list[str]:
    """The keys that the mapping at ``loc`` may have."""
    parts: dict[str, type[BaseModel]] = {
        "user": User,
        "setup": SetupCall,
        "questions": Questions,
        "expect": Expectation,
        "forbidden": ForbiddenEffect,
        "changes": Change,
        "derived": Change,
        "answer": AnswerRules,
    }
    model = parts.get(str(loc[0]), Task) if loc else Task
    return [name for name in model.model_fields if name not in _OWN_FIELDS]


def read_json(file: Path) -> dict[str, Any]:
    """Read a JSON object next to a task.

    Raises:
        SetupError: the file does not hold a JSON object.
    """
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SetupError(f"{display_path(file)}: cannot be read as JSON: {error}") from error
    if not isinstance(value, dict):
        raise SetupError(f"{display_path(file)}: must hold one JSON object")
    return cast("dict[str, Any]", value)
