"""A setting of an agent stands once: whatever else lists settings derives from that line."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, cast

import pytest
from pydantic import Field

from remit import Agent, Retry
from remit.agent import Compaction, NoCalls, ToolSearch, WorkingMemory
from remit.agent.attachments import AttachmentPolicy, PromptWithAttachments
from remit.agent.governed import Elsewhere, Grants, Noticed, Ungoverned
from remit.agent.setting import NoKey, Setting, declare, settings_of, value
from remit.agent.settings import AgentSettings
from remit.call.facts import Effect, Facts
from remit.core import Stack
from remit.errors import ContractError, SetupError
from remit.inventory.locked_agents import agent_values, locked_settings
from remit.workers.definition import WorkerDefinition
from remit.workers.front_matter import FrontMatter, build_front_matter

ROOT = Path(__file__).parents[2]
SETTINGS = settings_of(Agent)
WHOLE: dict[str, Any] = {
    "input": PromptWithAttachments,
    "attachments": AttachmentPolicy(suffixes=(".png",)),
    "stop": NoCalls(),
    "compaction": Compaction(),
    "memory": WorkingMemory(),
    "tool_search": ToolSearch(),
}
"""Settings that a lock holds where they are given."""


@pytest.mark.parametrize("each", SETTINGS, ids=[each.name for each in SETTINGS])
class TestEachSetting:
    def test_the_constructor_takes_it_and_documents_it(self, each: Setting) -> None:
        parameter = inspect.signature(Agent).parameters[each.name]
        assert parameter.default == each.default
        assert parameter.annotation is not inspect.Parameter.empty
        assert f"\n    {each.name}: {each.meaning}\n" in f"{inspect.getdoc(Agent)}\n"

    def test_a_worker_file_has_a_key_for_it_or_a_reason_why_not(self, each: Setting) -> None:
        if isinstance(each.key, NoKey):
            assert each.key.reason
        else:
            described = FrontMatter.model_fields[str(each.file_key)].description
            assert described
            assert each not in settings_of(AgentSettings) or described.startswith(each.meaning)

    def test_a_lock_holds_it_or_a_reason_says_why_not(self, each: Setting) -> None:
        match each.governed:
            case Elsewhere(where=why) | Ungoverned(reason=why):
                assert why
                assert each not in locked_settings().values()
            case governed:
                field = getattr(governed, "field", "") or each.name
                assert locked_settings()[field] is each
                assert field in agent_values(Agent("clerk", instructions="Work.", **WHOLE))

    def test_the_table_of_settings_has_its_row(self, each: Setting) -> None:
        rows = (ROOT / "docs/reference/agents.md").read_text(encoding="utf-8").splitlines()
        (row,) = (row for row in rows if row.startswith(f"| `{each.name}` |"))
        assert each.meaning.replace("|", "\\|") in row
        assert row.endswith(f"| {each.governed.summary} |")

    def test_a_copy_of_the_agent_keeps_it(self, each: Setting) -> None:
        agent = Agent("clerk", instructions="Work.", **WHOLE)
        if each.name != "agent_layers":
            assert getattr(agent.layer(Retry()), each.attribute) is getattr(agent, each.attribute)
        with pytest.raises(AttributeError, match=f"Agent is immutable: {each.attribute} cannot be changed"):
            setattr(agent, each.attribute, None)


@value
class Moody(WorkerDefinition):
    """A worker with one more setting."""

    mood: Literal["calm", "brisk"] = declare("How it writes.", default="calm", governed=Noticed(str))
    pace: Annotated[int, Field(ge=1)] = declare("Words a minute.", default=100, governed=Ungoverned("it is a test"))


@value
class MoodyAgent(Agent):
    """An agent with one more setting."""

    noun: ClassVar = "agent"
    mood: Literal["calm", "brisk"] = declare("How it writes.", default="calm", governed=Noticed(str))
    marks: tuple[str, ...] = declare("Words that it may use.", default=(), governed=Grants("write"))


def test_a_new_setting_needs_no_other_line_to_be_a_key_of_worker_files() -> None:
    keys = build_front_matter(Moody)
    assert keys.model_fields.keys() - FrontMatter.model_fields.keys() == {"mood", "pace"}
    read = keys.model_validate_json('{"mood":"brisk","retries":2}', strict=True).to_settings()
    assert (read["mood"], read["pace"], read["retries"]) == ("brisk", 100, 2)
    with pytest.raises(ValueError, match="Input should be greater than or equal to 1"):
        keys.model_validate_json('{"pace":0}', strict=True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"mood": "loud"}, r"^worker sort: mood is 'loud'; give one of 'calm', 'brisk'$"),
        ({"pace": 0}, r"^worker sort: pace is 0; give a whole number of at least 1$"),
        ({"pace": "fast"}, r"^worker sort: pace is 'fast'; give a whole number$"),
    ],
)
def test_a_new_setting_is_checked_by_its_type(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SetupError, match=said):
        Moody(name="sort", prompt="Sort.", **given)


def test_a_new_setting_is_in_the_lock_as_it_says() -> None:
    agent = MoodyAgent("clerk", instructions="Work.", mood="brisk", marks=("b", "a"))
    known = agent_values(Agent("clerk", instructions="Work."))
    assert agent_values(agent) == known | {"mood": "brisk", "marks": ["a", "b"]}
    with pytest.raises(SetupError, match=r"^agent clerk: marks is 3; give a list$"):
        MoodyAgent("clerk", instructions="Work.", marks=cast("Any", 3))


def test_an_agent_that_is_not_composed_is_refused() -> None:
    with pytest.raises(ContractError, match="agent clerk is pure; agents are always composed"):
        Agent("clerk", instructions="Work.", facts=Facts(effect=Effect.PURE))


def test_a_copy_with_other_settings_is_checked_and_shares_the_schemas() -> None:
    agent = Agent("clerk", instructions="Work.", agent_layers=Stack())
    changed = agent.with_settings(agent.settings.update(temperature=0))
    assert (changed == agent, changed.settings.temperature, agent.settings.temperature) == (True, 0, None)
    assert changed.schema_in is agent.schema_in
    with pytest.raises(SetupError, match=r"^agent clerk: settings is 3; give ModelSettings\(…\)$"):
        agent.with_settings(cast("Any", 3))


def test_the_constructor_refuses_what_does_not_fit_its_signature() -> None:
    with pytest.raises(SetupError, match="Agent has no parameter 'retires'; did you mean retries"):
        cast("Any", Agent)("clerk", instructions="Work.", retires=2)
    with pytest.raises(SetupError, match="Agent: instructions is missing; write Agent"):
        cast("Any", Agent)("clerk")
