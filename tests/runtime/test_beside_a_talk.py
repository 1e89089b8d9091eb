"""What stands beside a talk: its files, and what its agent remembers."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from remit import Agent, App, Effect, Principal, Runtime, tool
from remit.agent import WorkingMemory
from remit.artifacts import Artifact, Artifacts, PromptWithFiles, RunArtifacts
from remit.errors import NotFoundError, RequestNotFoundError
from remit.testing import Scripted, calls
from remit.tools import entity

ADA, BOB = (Principal(name, "bakery") for name in ("ada", "bob"))


@entity("page", name="title")
class Page(BaseModel):
    id: int
    title: str


@tool(effect=Effect.PURE)
async def read_page(number: int) -> Page:
    """Read a page."""
    return Page(id=number, title=f"Page {number}")


class Desk:
    """A tool that writes a file."""

    def __init__(self, artifacts: Artifacts) -> None:
        self.artifacts = artifacts

    async def draft(self) -> Artifact:
        """Write a draft."""
        return await self.artifacts.add(b"draft", name="draft.txt")


def make_runtime(memory: WorkingMemory | None = None) -> Runtime:
    draft = tool(Desk(RunArtifacts()).draft, effect=Effect.IDEMPOTENT)
    script = [calls(("read_page", {"number": 1})), "One.", calls(("read_page", {"number": 2}), ("draft", {})), "Two."]
    clerk = Agent(
        "clerk",
        instructions="Help.",
        tools=[read_page, draft],
        input=PromptWithFiles,
        memory=memory,
        model=Scripted(script),
    )
    return Runtime(App(name="desk", agents=[clerk]))


async def test_the_files_of_a_talk_are_those_of_people_and_of_tools_newest_first() -> None:
    ada = make_runtime().client(ADA)
    menu = await ada.add_artifact(b"menu", name="menu.txt")
    for prompt in ("One", "Two"):
        await ada.run(prompt, conversation="talk", files=[menu])
    found = await ada.conversation_files("talk")
    assert [(each.artifact.name, each.by, bool(each.call)) for each in found] == [
        ("draft.txt", "draft", True),
        ("menu.txt", "ada", False),
    ]


async def test_a_file_of_a_talk_is_read_by_everyone_who_may_read_the_talk_and_by_nobody_else() -> None:
    runtime = make_runtime()
    ada, bob = runtime.client(ADA), runtime.client(BOB)
    menu = await ada.add_artifact(b"menu", name="menu.txt")
    other = await ada.add_artifact(b"other", name="other.txt")
    await ada.run("One", conversation="talk", files=[menu])
    for read in (
        bob.conversation_files("talk"),
        bob.working_memory("talk"),
        bob.read_artifact(menu, conversation="talk"),
    ):
        with pytest.raises(RequestNotFoundError, match="conversation 'talk' does not exist"):
            await read
    await ada.share_conversation("talk", "bob")
    assert await bob.read_artifact(menu, conversation="talk") == b"menu"
    for shared in (menu, other):
        with pytest.raises(NotFoundError):
            await bob.read_artifact(shared, conversation="" if shared is menu else "talk")


async def test_what_the_agent_of_a_talk_remembers_is_what_its_model_is_told_next() -> None:
    ada = make_runtime(WorkingMemory()).client(ADA)
    for prompt in ("One", "Two"):
        await ada.run(prompt, conversation="talk")
    assert [each.name for each in await ada.working_memory("talk")] == ["Page 2", "Page 1"]


async def test_an_agent_without_a_memory_remembers_nothing() -> None:
    ada = make_runtime().client(ADA)
    await ada.run("One", conversation="talk")
    assert await ada.working_memory("talk") == []
