"""A guided rehearsal: the sentences that a newcomer can send, and a script that answers them in the place of a model.

Each of its messages says that it is a script. To any other sentence it says which ones it knows, so nothing fails.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import msgspec
from msgspec import Struct

from remit.chat.chat import CARRIED_ID, ChatRequest, Completion, decode_message, message_text
from remit.chat.streaming import Delta
from remit.core.argument_types import FilledText
from remit.core.call_checks import check_arguments
from remit.core.checks import as_path, as_tuple_of
from remit.errors import SetupError
from remit.models.scripted import SCRIPTED_MODEL_NAME, Scripted, make_completion, stream_completion

_MARK: Final = "Script: "
_HOW: Final = 'it must hold {"examples": [{"prompt": …, "note": …, "script": [messages]}]}'

ExampleLine = str | dict[str, Any]
"""A text, a raw assistant message, or ``{"ifDone": text, "ifRefused": text}`` by the reply of the last call."""


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Something that people can ask an application for, which the console offers in an empty conversation.

    Args:
        prompt: what is sent. note: what comes of it, in a few words.
        script: the answers of a rehearsal; without any, it is not rehearsed.
    """

    prompt: FilledText
    note: str = ""
    script: tuple[ExampleLine, ...] = ()


class _Written(Struct, frozen=True, forbid_unknown_fields=True):
    """An example as a file has it."""

    prompt: str
    note: str = ""
    script: tuple[ExampleLine, ...] = ()


@check_arguments()
class Rehearsal:
    """A model that answers the prompts of examples with their scripts.

    Raises:
        SetupError: a value is not an example.
    """

    model: Final = SCRIPTED_MODEL_NAME
    vendor: Final = "scripted"
    origin = ""
    """None: its answers are of no vendor."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self._examples = check_examples("Rehearsal: examples", examples)

    async def __call__(self, request: ChatRequest, /) -> Completion:
        """The next line for the last prompt, or the prompts that it knows."""
        history = tuple(request.history)
        prompt, answered = _find_prompt(history)
        rehearsed = [each for each in self._examples if each.script]
        found = next((index for index, each in enumerate(rehearsed) if _plain(each.prompt) == _plain(prompt)), None)
        if found is None or answered >= len(rehearsed[found].script):
            return make_completion(_mark(_explain(rehearsed)))
        line = _mark(_by_outcome(rehearsed[found].script[answered], history))
        if isinstance(line, str) and rehearsed[found + 1 :]:
            line += f"\n\nThe next sentence that I know: {rehearsed[found + 1].prompt}"
        return make_completion(line)

    async def stream(self, request: ChatRequest, on_delta: Callable[[Delta], None], /) -> Completion:
        """The next line, reported in pieces."""
        return await stream_completion(await self(request), on_delta)


def check_examples(what: str, examples: Sequence[Example]) -> tuple[Example, ...]:
    """The examples as a tuple.

    Raises:
        SetupError: a value is not an example.
    """
    return as_tuple_of(Example, what, "examples", examples, "give Example(prompt=…), or load_examples(…)")


def load_examples(path: Path) -> tuple[Example, ...]:
    """Load examples from a JSON file.

    Raises:
        SetupError: the file is missing, or has no examples.
    """
    path = as_path("load_examples: path", path)
    try:
        written = msgspec.json.decode(path.read_bytes(), type=dict[str, tuple[_Written, ...]])["examples"]
        return tuple(Example(prompt=each.prompt, note=each.note, script=each.script) for each in written)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, KeyError, SetupError) as error:
        raise SetupError(f"{path} is not a rehearsal: {error}; {_HOW}") from error


def load_script(path: Path) -> Scripted | Rehearsal:
    """The model of a file: a script, or a rehearsal if it has examples.

    Raises:
        SetupError: the file is missing, or neither.
    """
    try:
        found: object = json.loads(path.read_bytes())
    except (OSError, ValueError):
        found = None
    is_rehearsal = isinstance(found, dict) and "examples" in found
    return Rehearsal(load_examples(path)) if is_rehearsal else Scripted.load(path)


def _explain(rehearsed: Sequence[Example]) -> str:
    known = "\n".join(f"- {each.prompt}" for each in rehearsed)
    return (
        "I am not a model, and know only these sentences. To ask anything else, choose a model under Settings, "
        f"Model.\n\n{known}"
    )


def _find_prompt(history: Sequence[str]) -> tuple[str, int]:
    """The last prompt of a history, and how often it was answered since. The runtime's own messages do not count."""
    answered = 0
    for text in reversed(history):
        if f'"id":"{CARRIED_ID}' in text:
            continue
        message = decode_message(text)
        if message["role"] == "user":
            return message_text(message), answered
        answered += message["role"] == "assistant"
    return "", answered


def _by_outcome(line: ExampleLine, history: Sequence[str]) -> ExampleLine:
    """The text for the outcome of the last call, or the line as it is."""
    if isinstance(line, str) or "ifDone" not in line:
        return line
    last = decode_message(history[-1])
    try:
        reply: object = json.loads(message_text(last)) if last["role"] == "tool" else None
    except ValueError:
        reply = None
    is_refused = isinstance(reply, dict) and cast("dict[str, object]", reply).get("success") is False
    return str(line["ifRefused" if is_refused else "ifDone"])


def _mark(line: ExampleLine) -> ExampleLine:
    """The line, whose text says that it is a script."""
    if isinstance(line, str):
        return _MARK + line
    return {**line, "content": _MARK + str(line["content"])} if line.get("content") else line


def _plain(prompt: str) -> str:
    """A prompt without the differences that a person does not see as such."""
    return " ".join(prompt.split()).rstrip(".!?").casefold()
