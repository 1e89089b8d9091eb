"""Agent files of other programs, and the worker files made of them.

Coding assistants describe their sub-agents in files: Claude Code, OpenCode, GitHub Copilot and Gemini CLI as Markdown
with keys above it, Codex as TOML. What a worker file has too is carried over; everything else is named.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from msgspec import Struct

from remit.schemas.finding import InventoryError, display_path
from remit.schemas.yaml_lines import read_text, read_yaml
from remit.workers.source import WorkerFileError, make_file_error

_SUFFIXES: Final = (".agent.md", ".chatmode.md", ".md", ".toml")
_TURNS: Final = ("maxTurns", "max_turns", "maxSteps", "steps")
_SETTINGS: Final = ("temperature", "top_p")
_READ_KEYS: Final = frozenset({"name", "description", "model", "tools", "developer_instructions", *_TURNS, *_SETTINGS})
_MODEL: Final = re.compile(r"[a-z0-9][a-z0-9_-]*[/:]\S+")
_KEY: Final = re.compile(r"(?P<key>[A-Za-z][\w-]*):(?:[ \t]+(?P<text>.*))?")
_TAG: Final = re.compile(r"\{[{%#]")
_END: Final = re.compile(r"\{%[-+]?\s*endraw\b")
_MAX_NAME: Final = 64
REMEDIES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("permission", "permissions", "permissionMode"), "let the policy of the application decide"),
    **dict.fromkeys(("mcpServers", "mcp-servers", "mcp_servers"), "give the application their tools"),
    "disallowedTools": "a worker has only the tools that it names",
    "handoffs": "name workers in `handoffs`",
    "hooks": "attach layers",
    "memory": "see the key `memory` of worker files",
    "sandbox_mode": "a worker has only the tools that it names",
    "skills": "include their texts in the prompt",
}
"""What to do in place of a key that a worker file does not have."""


class ForeignAgent(Struct, frozen=True):
    """An agent file of another program: its name, its keys, its instructions, and why keys were read as plain text."""

    name: str
    keys: dict[str, Any]
    instructions: str
    plain: str = ""


class MadeWorker(Struct, frozen=True):
    """The ``text`` of a worker file, and a line for each thing that it does not have."""

    name: str
    text: str
    left_out: tuple[str, ...]


def read_foreign_agent(path: Path) -> ForeignAgent:
    """Read an agent file: Markdown with keys between two lines ``---``, or TOML.

    Keys that are not valid YAML, as other programs accept them, are read line by line as text.

    Raises:
        WorkerFileError: the file cannot be read, or has no instructions.
    """
    file = display_path(path)
    suffix = next((each for each in _SUFFIXES if path.name.endswith(each)), "")
    if not suffix:
        raise make_file_error("no-agent-file", file, "it is no agent file", "name a file that ends in .md or .toml")
    try:
        text = read_text(path)
    except InventoryError as error:
        raise WorkerFileError(error.findings) from error
    found = _read_toml(text, file) if suffix == ".toml" else _read_markdown(text, file)
    if not found.instructions.strip():
        raise make_file_error("no-prompt", file, "it has no instructions", "write the task of the agent below its keys")
    named = found.keys.get("name")
    name = _to_name(named if isinstance(named, str) else path.name.removesuffix(suffix))
    if not name:
        raise make_file_error("no-name", file, "its name has no letters or digits", "rename the file")
    return ForeignAgent(name, found.keys, found.instructions.strip("\n"), found.plain)


def make_worker(agent: ForeignAgent, tools: Collection[str]) -> MadeWorker:
    """Make a worker file of an agent, whose application has the ``tools``.

    Raises:
        WorkerFileError: its instructions contain a tag of templates that cannot be kept as text.
    """
    left_out: list[str] = []
    keys = agent.keys
    front: dict[str, Any] = {}
    if description := keys.get("description"):
        front["description"] = str(description).replace("\\n", "\n").strip()
    model = keys.get("model")
    if isinstance(model, str) and _MODEL.fullmatch(model):
        front["model"] = model.replace("/", ":", 1) if ":" not in model.partition("/")[0] else model
    elif model:
        left_out.append(f"model {json.dumps(model)}: write `model: provider:name`, or use the default model")
    named = list(dict.fromkeys(_tool_names(keys.get("tools"))))
    front["tools"] = [each for each in named if each in tools]
    if missing := [each for each in named if each not in tools]:
        left_out.append(f"tools {', '.join(missing)}: name tools of your application in their place")
    for key in _TURNS:
        if isinstance(keys.get(key), int):
            front["limits"] = {"turns": keys[key]}
    if settings := {key: keys[key] for key in _SETTINGS if isinstance(keys.get(key), int | float)}:
        front["settings"] = settings
    for key in keys.keys() - _READ_KEYS:
        remedy = f": {REMEDIES[key]}" if key in REMEDIES else ""
        left_out.append(f"{key}{remedy}")
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in front.items()]
    text = "\n".join(["---", *lines, "---", "", _as_literal(agent), ""])
    plain = (agent.plain,) if agent.plain else ()
    return MadeWorker(agent.name, text, (*plain, *sorted(left_out)))


def _read_toml(text: str, file: str) -> ForeignAgent:
    try:
        keys = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise make_file_error("no-toml", file, f"it is not valid TOML: {error}", "correct it") from error
    return ForeignAgent("", keys, str(keys.get("developer_instructions", "")))


def _read_markdown(text: str, file: str) -> ForeignAgent:
    lines = text.split("\n")
    marks = [index for index, line in enumerate(lines) if line.rstrip() == "---"][:2]
    if len(marks) < 2 or marks[0] != 0:
        return ForeignAgent("", {}, text)
    above, below = lines[1 : marks[1]], "\n".join(lines[marks[1] + 1 :])
    if not any(line.strip() for line in above):
        return ForeignAgent("", {}, below)
    try:
        document = read_yaml("\n".join(["---", *above]), file)
    except InventoryError as error:
        problem = error.findings[0]
    else:
        if not document.findings:
            return ForeignAgent("", document.value, below)
        problem = document.findings[0]
    plain = f"{problem.where}: {problem.what}: the keys were read line by line, as text"
    return ForeignAgent("", dict(_read_lines(above)), below, plain)


def _read_lines(lines: list[str]) -> Iterator[tuple[str, Any]]:
    """The keys at the margin with the text beside them; what stands below a key belongs to it."""
    key, texts = "", list[str]()
    for line in [*lines, "end:"]:
        found = _KEY.fullmatch(line.rstrip())
        if found is None:
            texts.append(line.strip())
            continue
        if key:
            yield key, _as_value("\n".join(texts).strip())
        key, texts = found["key"], [found["text"] or ""]


def _as_value(text: str) -> object:
    if re.fullmatch("[0-9]+", text):
        return int(text)
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _tool_names(given: object) -> Iterator[str]:
    """The tools that a list, a text with commas or lines, or a map of tools to whether they are enabled names."""
    if isinstance(given, Mapping):
        yield from (name for name, enabled in cast("Mapping[str, object]", given).items() if enabled is not False)
    elif isinstance(given, list):
        yield from (str(each) for each in cast("list[object]", given))
    elif isinstance(given, str):
        # A comma within parentheses belongs to the tool, as in `Bash(git add, git commit)`.
        parts = re.split(r"[,\n](?![^()]*\))", given.strip("[]"))
        yield from (name for part in parts if (name := part.strip(" \t-\"'")))


def _to_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-")[:_MAX_NAME]


def _as_literal(agent: ForeignAgent) -> str:
    """The instructions as a template that renders them unchanged, but for a line end."""
    if not _TAG.search(agent.instructions):
        return agent.instructions
    if _END.search(agent.instructions):
        what, fix = "its instructions contain the tag `endraw`", "write it in another way"
        raise make_file_error("bad-prompt", agent.name, what, fix)
    return f"{{% raw %}}\n{agent.instructions}\n{{% endraw %}}"
