"""A worker file says when its agent is done, and what it keeps and finds."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from remit.agent import CalledTool, Compaction, CostUsed, HasText, NoCalls, ToolSearch, TurnsUsed, WorkingMemory
from remit.workers import build_agent
from remit.workers.agent_sections import CompactionSection, MemorySection, ToolSearchSection, ValueSection
from remit.workers.definition import WorkerDefinition
from remit.workers.reader import ReadResult, inspect_file


def inspect(folder: Path, *lines: str) -> ReadResult:
    path = folder / "sort.worker"
    path.write_text("\n".join(["---", *lines, "---", "Sort."]))
    return inspect_file(path)


def read(folder: Path, *lines: str) -> WorkerDefinition:
    worker = inspect(folder, *lines).worker
    assert worker is not None
    return worker


def test_a_file_says_when_its_agent_is_done_and_what_it_keeps_and_finds(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        *("tools: [publish]", "stop:", "  called_tool: publish", "  turns_used: 8", "  cost_used: 1"),
        *("  all: {no_calls: true, has_text: 'DONE:'}", "memory: true", "tool_search: 12"),
        "compaction: {tokens: 9000, model: 'openai:gpt-5-mini'}",
    )
    assert found.stop == CalledTool("publish") | TurnsUsed(8) | CostUsed(1) | (NoCalls() & HasText("DONE:"))
    assert (found.memory, found.tool_search) == (WorkingMemory(), ToolSearch(above=12))
    assert found.compaction == Compaction(tokens=9000, model="openai:gpt-5-mini")
    agent = build_agent(found, tools=[])
    given = (found.stop, found.compaction, found.memory, found.tool_search)
    assert (agent.stop, agent.compaction, agent.memory, agent.tool_search) == given
    plain = read(tmp_path, "memory: {size: 3}", "tool_search: {above: 0, always: [a], phrases: {a: [tidy up]}}")
    assert plain.memory == WorkingMemory(size=3)
    assert plain.tool_search is not None
    assert (plain.tool_search.always, dict(plain.tool_search.phrases)) == (("a",), {"a": ("tidy up",)})
    assert plain.stop is plain.compaction is None


@pytest.mark.parametrize(
    ("section", "value", "left_out"),
    [
        (CompactionSection, Compaction(), set[str]()),
        (MemorySection, WorkingMemory(), set[str]()),
        (ToolSearchSection, ToolSearch(), {"rankers", "names"}),
    ],
)
def test_a_section_has_the_fields_of_its_value_with_their_defaults_and_meanings(
    section: type[ValueSection], value: Compaction | WorkingMemory | ToolSearch, left_out: set[str]
) -> None:
    names = [each.name for each in fields(value) if each.name not in left_out]
    assert list(section.model_fields) == names
    for name, key in section.model_fields.items():
        assert key.get_default(call_default_factory=True) == getattr(value, name)
        assert key.description
    assert section().to_value() == value


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("stop: {}", "stop: it has no condition; give one, like turns_used: 8"),
        ("stop: {all: {}}", "stop: it has no condition"),
        ("stop: {turns_used: 0}", "stop.turns_used: Input should be greater than 0"),
        ("stop: {turn_used: 3}", "stop.turn_used: no such key; did you mean turns_used?"),
        ("stop: {all: {has_txt: x}}", "stop.all.has_txt: no such key; did you mean has_text?"),
        ("stop: {no_calls: false}", "stop.no_calls: Input should be True"),
        ("stop: soon", "stop: Input should be an object"),
        (
            "compaction: {tokens: 10, keep: 10}",
            "compaction: Compaction(tokens=10, keep=10, model=None): keep",
        ),
        ("compaction: {model: gpt}", "compaction.model: 'gpt' is not a model name; "),
        ("memory: {size: none}", "memory.size: Input should be a valid integer"),
        ("memory: false", "memory: Input should be an object; write keys with their values below"),
        ("tool_search: -1", "tool_search.above: Input should be greater than or equal to 0"),
        ("tool_search: true", "tool_search: Input should be an object"),
        (
            "tool_search: {above: 2, phrases: {a: tidy}}",
            "tool_search.phrases.a: Input should be a valid array; write a list",
        ),
    ],
)
def test_what_is_wrong_in_these_sections_is_told(tmp_path: Path, line: str, said: str) -> None:
    (found,) = inspect(tmp_path, line).findings
    assert f"sort.worker:2: {said}" in str(found)
