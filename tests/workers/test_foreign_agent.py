"""Agent files of other programs become worker files; what these do not have is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.workers import WorkerDefinition, WorkerFileError, read_worker
from remit.workers.foreign_agent import make_worker, read_foreign_agent
from remit.workers.prompt import Template

AS_TEXT = "the keys were read line by line, as text"

CLAUDE_CODE = """\
---
name: code-reviewer
description: Use this agent when code was written. Examples: <example>Context: code.\\nuser: "Done"</example>
tools: Read, Grep, Bash(git add, git commit)
model: sonnet
color: red
permissionMode: plan
maxTurns: 12
---

You review code.
"""

OPENCODE = """\
---
description: Writes documents
mode: subagent
model: anthropic/claude-sonnet-4-5
temperature: 0.2
steps: 8
tools:
  write: true
  search: true
  bash: false
permission:
  edit: deny
---
You write documents.
"""

COPILOT = """\
---
name: Code Helper
description: 'Helps with code'
tools: ['search', 'edit']
model: 'Claude Sonnet 4.5'
handoffs:
  - label: Next
    agent: docs
---
# Helper

Help.
"""

GEMINI = """\
---
name: auditor
kind: local
tools:
  - search
max_turns: 10
timeout_mins: 5
---
You audit.
"""

CODEX = '''\
name = "scout"
description = "Looks around"
model = "gpt-5.5"
sandbox_mode = "read-only"
developer_instructions = """
You are a scout.
"""
'''


def convert(folder: Path, name: str, text: str, *tools: str) -> tuple[WorkerDefinition, tuple[str, ...]]:
    """The worker that is made of a file, as it is read, and what is left out."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    made = make_worker(read_foreign_agent(file), tools)
    path = folder / f"{made.name}.worker"
    path.write_text(made.text, encoding="utf-8")
    return read_worker(path), made.left_out


def left_out(folder: Path, name: str, text: str) -> list[str]:
    """The first word of each line about what is left out."""
    return [line.split()[0].rstrip(":") for line in convert(folder, name, text)[1]]


def test_an_agent_of_claude_code_is_read_although_its_keys_are_not_yaml(tmp_path: Path) -> None:
    worker, lines = convert(tmp_path, "code-reviewer.md", CLAUDE_CODE, "Grep")
    assert (worker.name, worker.tools, worker.limits.turns) == ("code-reviewer", ("Grep",), 12)
    assert worker.description.startswith(
        "Use this agent when code was written. Examples: <example>Context: code.\nuser:"
    )
    assert worker.prompt == "You review code."
    assert lines[0].endswith("code-reviewer.md:3: not YAML: mapping values are not allowed in this context: " + AS_TEXT)
    assert lines[1:] == (
        "color",
        'model "sonnet": write `model: provider:name`, or use the default model',
        "permissionMode: let the policy of the application decide",
        "tools Read, Bash(git add, git commit): name tools of your application in their place",
    )


def test_an_agent_of_opencode_keeps_its_model_its_settings_and_its_enabled_tools(tmp_path: Path) -> None:
    worker, lines = convert(tmp_path, "docs.md", OPENCODE, "search", "bash")
    assert (worker.name, worker.model, worker.tools) == ("docs", "anthropic:claude-sonnet-4-5", ("search",))
    assert (worker.limits.turns, worker.settings.temperature) == (8, 0.2)
    assert [line.split(":")[0] for line in lines] == ["mode", "permission", "tools write"]


def test_an_agent_of_copilot_gets_a_name_that_models_can_call(tmp_path: Path) -> None:
    worker, _ = convert(tmp_path, "helper.agent.md", COPILOT, "search")
    assert (worker.name, worker.tools, worker.prompt) == ("Code-Helper", ("search",), "# Helper\n\nHelp.")
    assert left_out(tmp_path, "helper.agent.md", COPILOT) == ["handoffs", "model", "tools"]


def test_an_agent_of_gemini_cli_keeps_its_limit(tmp_path: Path) -> None:
    worker, _ = convert(tmp_path, "auditor.md", GEMINI)
    assert worker.limits.turns == 10
    assert left_out(tmp_path, "auditor.md", GEMINI) == ["kind", "timeout_mins", "tools"]


def test_an_agent_of_codex_is_read_from_toml(tmp_path: Path) -> None:
    worker, _ = convert(tmp_path, "scout.toml", CODEX)
    assert (worker.name, worker.description, worker.prompt) == ("scout", "Looks around", "You are a scout.")
    assert left_out(tmp_path, "scout.toml", CODEX) == ["model", "sandbox_mode"]


def test_a_file_without_keys_is_an_agent_with_the_name_of_the_file(tmp_path: Path) -> None:
    worker, lines = convert(tmp_path, "plain agent.md", "You are plain.\n")
    assert (worker.name, worker.prompt, lines) == ("plain-agent", "You are plain.", ())


@pytest.mark.parametrize(
    "text",
    [
        "Write {{ name }} and {{ name.first }}.",
        "{% if x %} is a tag, and {# this #} a comment.",
        "A block:\n\n```jinja\n{% for each in list %}\n{{ each }}\n{% endfor %}\n```",
        "Open {% raw %} alone.",
        "Braces { and }, {{ unclosed.",
    ],
)
def test_tags_in_the_instructions_stay_text(tmp_path: Path, text: str) -> None:
    worker, _ = convert(tmp_path, "agent.md", f"---\nname: agent\n---\n{text}\n")
    assert Template(worker.prompt).check(()) == []
    assert Template(worker.prompt).render({}).strip() == text


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("agent.md", "---\nname: agent\n---\n", "agent.md:1: it has no instructions"),
        ("agent.txt", "You are an agent.", "agent.txt:1: it is no agent file"),
        ("agent.toml", "name = ", "agent.toml:1: it is not valid TOML"),
        ("....md", "You are.", "....md:1: its name has no letters or digits"),
        ("agent.md", "Write {% endraw %}.", "agent:1: its instructions contain the tag `endraw`"),
    ],
)
def test_a_file_that_cannot_be_imported_is_refused_in_one_line(
    tmp_path: Path, name: str, text: str, error: str
) -> None:
    with pytest.raises(WorkerFileError) as raised:
        convert(tmp_path, name, text)
    assert error in str(raised.value).replace(f"{tmp_path}/", "")
    assert "\n" not in str(raised.value)


def test_a_file_that_is_absent_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorkerFileError, match=r":1: it cannot be read: No such file"):
        read_foreign_agent(tmp_path / "absent.md")
