"""Recorded answers of a model, stored next to each task, so that tasks run without a model.

A recording holds the model's answers and its input: digests of its instructions and of its tools' definitions, and the
tools' replies. If the instructions or the definition of a called tool differ today, the model's answer would be
unknown: the recording is stale, and the task fails until it is recorded again. If the definition of another tool
differs, a note says so. An id in a recorded reply stands for the id in the same place of today's reply.

A script has the same format with ``"model": "script"``, and was written by a person to test the grading of a task that
no recorded model has passed. It has no digests. ``{{path}}`` in it is looked up in the replies, the newest first.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, cast

import msgspec
from msgspec import Struct, field

from remit.agent.model import Model, model_name
from remit.chat.chat import ChatRequest, Completion, completion_from_message, encode_message
from remit.chat.wire import plain_message
from remit.errors import ModelError, SetupError
from remit.evals.task import read_json
from remit.schemas.finding import display_path
from remit.schemas.jsontext import compact_json

SCRIPT: Final = "script"
"""The model of a recording that a person wrote."""

_ID: Final = re.compile(r"[^\s{}\[\]\"]{6,}")
_PLACEHOLDER: Final = re.compile(r"\{\{([\w.]+)\}\}")


class Answer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer: its message, its finish reason, the tokens of prompt and answer, and the latest tool replies."""

    message: dict[str, Any]
    finish_reason: str = ""
    tokens: tuple[int, int] = (0, 0)
    replies: tuple[str, ...] = ()


class RecordedCall(Struct, frozen=True, kw_only=True):
    """A call of a recorded run, and its reply. ``arguments`` is canonical JSON."""

    tool: str
    arguments: str
    outcome: str
    content: str


class Recording(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answers of a model in one task, with the digests of its input. A case also has the replies of tools."""

    model: str
    recorded: str = ""
    instructions: tuple[str, ...] = ()
    tools: dict[str, str] = field(default_factory=dict[str, str])
    answers: tuple[Answer, ...] = ()
    calls: tuple[RecordedCall, ...] = ()

    @property
    def is_script(self) -> bool:
        """Whether a person wrote the recording."""
        return self.model == SCRIPT


def recording_path(task_file: Path) -> Path:
    """The file of a task's recording."""
    return task_file.parent / "recorded" / f"{task_file.stem}.json"


def load_recording(file: Path) -> Recording:
    """Read a recording.

    Raises:
        SetupError: the file is missing or not a recording.
    """
    value = read_json(file)
    try:
        return msgspec.convert(value, Recording)
    except msgspec.ValidationError as error:
        raise SetupError(f"{display_path(file)}: not a recording: {error}") from error


def save_recording(file: Path, recording: Recording) -> None:
    """Write a recording."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(msgspec.to_builtins(recording), ensure_ascii=False, indent=1)
    file.write_text(f"{text}\n", encoding="utf-8")


class Recorder:
    """Asks ``model`` and records its answers. It has the model's name, which determines the price."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.vendor, _, self.model = model_name(model).rpartition(":")
        self._instructions: dict[str, None] = {}
        self._tools: dict[str, str] = {}
        self.answers: list[Answer] = []

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """Ask the model once."""
        completion = await self._model(request)
        self._instructions.update(dict.fromkeys(digest_instructions(request)))
        self._tools |= digest_tools(request)
        self.answers.append(
            Answer(
                message=plain_message(json.loads(completion.message)),
                finish_reason=completion.finish_reason,
                tokens=(completion.prompt_tokens, completion.completion_tokens),
                replies=tuple(last_replies(request)),
            )
        )
        return completion

    def to_recording(self, model: str, date: str) -> Recording:
        """The recording of all answers so far."""
        return Recording(
            model=model,
            recorded=date,
            instructions=tuple(self._instructions),
            tools=self._tools,
            answers=tuple(self.answers),
        )


class RecordedModel:
    """Gives the answers of a recording in order, under the name of the model that gave them.

    Its ``problem`` says why an answer could not be given.
    """

    def __init__(self, recording: Recording) -> None:
        self.vendor, _, self.model = recording.model.rpartition(":")
        self._recording = recording
        self._given = 0
        self._ids: dict[str, str] = {}
        self._replies: list[str] = []
        self._changed: dict[str, None] = {}
        self.problem = ""

    @property
    def changed_tools(self) -> list[str]:
        """The tools that the recorded model was shown, did not call, and whose definitions differ today."""
        return list(self._changed)

    @property
    def unconsumed_count(self) -> int:
        """The number of unused answers."""
        return len(self._recording.answers) - self._given

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """The next answer.

        Raises:
            ModelError: there are no more answers, or the recording is stale.
        """
        self.problem = self.problem or self._find_problem(request)
        if self.problem:
            raise ModelError(self.problem)
        answer = self._recording.answers[self._given]
        self._given += 1
        today = last_replies(request)
        self._replies += today
        for before, now in zip(answer.replies, today, strict=False):
            self._ids |= dict(_changed_ids(_parse(before), _parse(now)))
        message = {"role": "assistant", **cast("dict[str, Any]", self._translate(answer.message))}
        has_calls = bool(message.get("tool_calls"))
        return completion_from_message(
            encode_message(message),
            model=self._recording.model,
            finish_reason=answer.finish_reason or ("tool_calls" if has_calls else "stop"),
            prompt_tokens=answer.tokens[0],
            completion_tokens=answer.tokens[1],
        )

    def _find_problem(self, request: ChatRequest) -> str:
        recording = self._recording
        if self._given >= len(recording.answers):
            return f"the recording has {len(recording.answers)} answers, and the agent asks for another one"
        if recording.is_script:
            return ""
        again = "record it again with --model NAME --record"
        if not set(digest_instructions(request)) <= set(recording.instructions):
            return f"the instructions are not those that the recorded model read; {again}"
        today = digest_tools(request)
        self._changed |= dict.fromkeys(
            name for name, known in recording.tools.items() if today.get(name) not in (known, None)
        )
        for name in _called_tools(recording.answers[self._given]):
            if name in recording.tools and today.get(name) != recording.tools[name]:
                return f"the definition of {name} is not the one that the recorded model read; {again}"
        return ""

    def _translate(self, value: object) -> object:
        """The value with today's ids instead of recorded ones, and placeholders filled in."""
        if isinstance(value, dict):
            return {key: self._translate(each) for key, each in cast("dict[str, object]", value).items()}
        if isinstance(value, list):
            return [self._translate(each) for each in cast("list[object]", value)]
        if not isinstance(value, str):
            return value
        text = _PLACEHOLDER.sub(lambda match: self._look_up(match[1]), value) if self._recording.is_script else value
        for before, now in self._ids.items():
            text = text.replace(before, now)
        return text

    def _look_up(self, path: str) -> str:
        for reply in reversed(self._replies):
            found: Any = _parse(reply)
            for part in path.split("."):
                if isinstance(found, list):
                    rows = cast("list[Any]", found)
                    found = rows[int(part)] if part.isdecimal() and int(part) < len(rows) else None
                else:
                    found = cast("dict[str, Any]", found).get(part) if isinstance(found, dict) else None
            if isinstance(found, str):
                return found
        raise ModelError(f"the script names {{{{{path}}}}}, which no reply contains")


def digest_instructions(request: ChatRequest) -> list[str]:
    """The digest of the instructions, which are the first message, without text that is added per run or later."""
    return [digest(text) for text in [*request.history][:1] if text.startswith('{"role":"system"')]


def digest_tools(request: ChatRequest) -> dict[str, str]:
    """Digests of the definitions of the tools of a request, by name."""
    listed = cast("list[dict[str, Any]]", json.loads(request.tools.text))
    return {str(each["function"]["name"]): digest(compact_json(each)) for each in listed}


def last_replies(request: ChatRequest) -> list[str]:
    """The contents of the replies of tools after the last answer of a request's history."""
    replies: list[str] = []
    for text in reversed([*request.history]):
        message = cast("dict[str, Any]", json.loads(text))
        if message.get("role") == "assistant":
            break
        if message.get("role") == "tool":
            replies.append(str(message.get("content")))
    return replies[::-1]


def _called_tools(answer: Answer) -> list[str]:
    return [str(each["function"]["name"]) for each in answer.message.get("tool_calls") or ()]


def _changed_ids(before: object, now: object) -> Iterator[tuple[str, str]]:
    """The ids that differ between two replies of one shape. An id is a word of six characters or more with a digit."""
    if isinstance(before, dict) and isinstance(now, dict):
        there = cast("dict[str, object]", now)
        for key, value in cast("dict[str, object]", before).items():
            yield from _changed_ids(value, there.get(key))
    elif isinstance(before, list) and isinstance(now, list):
        for one, other in zip(cast("list[object]", before), cast("Sequence[object]", now), strict=False):
            yield from _changed_ids(one, other)
    elif isinstance(before, str) and isinstance(now, str) and before != now and _is_id(before) and _is_id(now):
        yield before, now


def _is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None and any(character.isdigit() for character in text)


def _parse(content: str) -> object:
    try:
        return cast("object", json.loads(content))
    except ValueError:
        return content


def digest(text: str) -> str:
    """A short digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
