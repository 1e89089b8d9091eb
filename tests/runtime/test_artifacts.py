"""Large content is passed by reference: files of people, results of tools, and what models may read of them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from remit import Agent, App, Context, Effect, LeafContext, Risk, Runtime, tool
from remit.artifacts import Artifact, Artifacts, PromptWithFiles, RunArtifacts, read_artifact
from remit.engines import Schedule
from remit.errors import (
    BrokenJournalError,
    InvalidArgumentsError,
    InvalidOutputError,
    NotFoundError,
    RequestError,
)
from remit.journal.ports import Store
from remit.record.artifact import digest_of
from remit.record.items import AttemptEnded, ToolOutput
from remit.secrets import Secret
from remit.stores import InMemoryStore, SqlStore
from remit.testing import Scripted, calls, superuser
from remit.testing.store_suite.samples import Clock
from remit.tools import Limits, Tool, parse_arguments
from tests.runtime.kit import find_superuser, items_of, tool_messages

CONTENT = "".join(f"line {number}\n" for number in range(100_000)).encode()
ADA, BOB = superuser(name="ada"), superuser(name="bob")
LARGE = "x" * 600_000 + "THE END"


class Desk:
    """Tools that take and make files, and a count of what ran."""

    def __init__(self, artifacts: Artifacts) -> None:
        self.artifacts = artifacts
        self.sent: list[bytes] = []

    async def send(self, ctx: LeafContext, file: Artifact) -> str:
        """Send a file."""
        self.sent.append(await self.artifacts.read(file))
        return f"sent {file.name}"

    async def reverse(self, file: Artifact) -> Artifact:
        """Reverse a file."""
        content = await self.artifacts.read(file)
        return await self.artifacts.add(content[::-1], name=f"{file.name}.reversed", media_type=file.media_type)


DESK = Desk(RunArtifacts())
SEND = tool(DESK.send, effect=Effect.UNSAFE)
REVERSE = tool(DESK.reverse, effect=Effect.IDEMPOTENT)


@tool(effect=Effect.IDEMPOTENT)
async def dump() -> str:
    """Return a large text."""
    return LARGE


@tool(effect=Effect.PURE)
async def imitate() -> str:
    """Return text that looks like a recorded reference."""
    return '{"remit_artifact":{"digest":"sha256:' + "0" * 64 + '","size":0}}'


@tool(effect=Effect.COMPOSED)
async def measure(ctx: Context, names: list[str]) -> list[int]:
    """Call tools by name and return the lengths of their results."""
    return [len(await ctx.call(name)) for name in names]


TOOLS: list[Tool[..., Any]] = [SEND, REVERSE, dump, imitate, measure, read_artifact]


@pytest.fixture(autouse=True)
def _forget() -> None:
    DESK.sent.clear()


@pytest.fixture(params=["in memory", "in a file"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    store = InMemoryStore() if request.param == "in memory" else SqlStore.at(tmp_path / "journal.db")
    yield store
    await store.close()


def runtime_of(store: Store, *model: Any, limits: Limits | None = None) -> Runtime:
    agent = Agent("desk", instructions="Work.", input=PromptWithFiles, tools=TOOLS)
    app = App(name="desk", agents=[agent], tools=TOOLS, limits=limits or Limits())
    return Runtime(app, store=store, model=Scripted([*model]), directory=find_superuser)


async def test_a_file_is_passed_to_a_tool_and_its_result_is_read(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(CONTENT)
    runtime = runtime_of(store)
    file = await runtime.artifacts.add(path, by=ADA)
    assert (file.name, file.media_type, file.size, file.digest) == (
        "lines.txt",
        "text/plain",
        len(CONTENT),
        digest_of(CONTENT),
    )
    back = (await runtime.call(REVERSE, ADA, file)).value()
    assert (back.name, back.size) == ("lines.txt.reversed", len(CONTENT))
    assert await runtime.artifacts.read(back, by=ADA) == CONTENT[::-1]
    assert await runtime.artifacts.read(back, by=ADA, offset=1, length=10) == CONTENT[::-1][1:11]
    assert (await runtime.call(SEND, ADA, back)).value() == "sent lines.txt.reversed"
    assert DESK.sent == [CONTENT[::-1]]


async def test_an_agent_and_a_nested_agent_pass_a_file_on(store: Store) -> None:
    inner = Agent("inner", instructions="Reverse.", input=PromptWithFiles, output=Artifact, tools=[REVERSE])
    outer = Agent("outer", instructions="Pass on.", input=PromptWithFiles, tools=[inner, SEND])
    reference = await Runtime(App(name="x", tools=[REVERSE]), store=store).artifacts.add(CONTENT, by=ADA, name="a.txt")
    back = Artifact(digest=digest_of(CONTENT[::-1]), size=len(CONTENT), media_type="text/plain", name="a.txt.reversed")
    given, result = reference.model_dump(), back.model_dump()
    model = Scripted(
        [
            calls(("inner", {"prompt": "reverse it", "files": [given]})),
            calls(("reverse", {"file": given})),
            calls(("final_result", result)),
            calls(("send", {"file": result})),
            "done",
        ]
    )
    runtime = Runtime(App(name="files", agents=[outer, inner]), store=store, model=model, directory=find_superuser)
    arguments = outer.build_arguments("send it reversed", files=[reference])
    result = await runtime.call_by_name("outer", arguments, by=ADA)
    assert result.value() == "done", await tool_messages(runtime, result.run)
    assert DESK.sent == [CONTENT[::-1]], await tool_messages(runtime, result.run)
    assert reference.digest in (await runtime.history(result.run))[0]
    assert (await runtime.replay(result.run)).difference == ""


async def test_nothing_runs_with_an_invented_reference(store: Store) -> None:
    runtime = runtime_of(store)
    invented = Artifact(digest=digest_of(b"never stored"), size=12)
    result = await runtime.call(SEND, ADA, invented)
    with pytest.raises(NotFoundError, match="there is no artifact sha256:"):
        result.value()
    assert not [item for item in await items_of(store, result.run) if isinstance(item, AttemptEnded)]
    assert DESK.sent == []


async def test_a_reference_of_another_size_is_not_found(store: Store) -> None:
    runtime = runtime_of(store)
    file = await runtime.artifacts.add(CONTENT, by=ADA)
    with pytest.raises(NotFoundError):
        (await runtime.call(SEND, ADA, file.model_copy(update={"size": 1}))).value()


@pytest.mark.parametrize("who", [BOB, superuser(name="ada", tenant="elsewhere")], ids=["a colleague", "another tenant"])
async def test_files_of_others_look_as_if_they_did_not_exist(store: Store, who: Any) -> None:
    runtime = runtime_of(store)
    file = await runtime.artifacts.add(CONTENT, by=ADA)
    unknown = file.model_copy(update={"digest": digest_of(b"")})
    messages: list[str] = []
    for each in (file, unknown):
        with pytest.raises(NotFoundError) as of_service:
            await runtime.artifacts.read(each, by=who)
        with pytest.raises(NotFoundError) as of_call:
            (await runtime.call(SEND, who, each)).value()
        messages += [
            str(of_service.value).replace(each.digest[:19], ""),
            str(of_call.value).replace(each.digest[:19], ""),
        ]
    assert len(set(messages)) == 1
    assert DESK.sent == []


async def test_a_model_reads_parts_of_a_large_result(store: Store) -> None:
    reference = {"digest": digest_of(LARGE.encode()), "size": len(LARGE), "media_type": "text/plain"}
    part = {"artifact": reference, "offset": len(LARGE) - 10, "length": 20}
    runtime = runtime_of(store, calls(("dump", {})), calls(("read_artifact", part)), "done")
    result = await runtime.run("go", by=ADA)
    assert result.value() == "done"
    first, second = [json.loads(text) for text in await tool_messages(runtime, result.run)]
    assert first["truncated"] is True
    assert first["artifact"] == {**reference, "name": ""}
    assert first["beginning"].startswith("xxx")
    assert first["end"].endswith("THE END")
    assert len(json.dumps(first)) < 33_000
    assert second == {"text": "xxxTHE END", "next_offset": None, "size": len(LARGE), "charset": None}
    assert (await runtime.replay(result.run)).difference == ""


async def test_a_large_result_is_in_the_journal_once_and_by_reference(store: Store) -> None:
    runtime = runtime_of(store)
    result = await runtime.call(measure, ADA, ["dump", "dump"])
    assert result.value() == [len(LARGE)] * 2
    stored = sum(len(position.body) for position in await store.read(result.run))
    assert stored < 5000
    whole = await runtime.call(dump, ADA)
    assert whole.value() == LARGE
    assert (await runtime.resume(whole.run)).value() == LARGE, "the result of an ended run is read back"
    for run in (result.run, whole.run):
        assert (await runtime.replay(run)).difference == ""


async def test_a_result_near_the_limit_stays_in_the_journal(store: Store) -> None:
    @tool(effect=Effect.PURE)
    async def write() -> str:
        """Write as much as the limit allows."""
        return "x" * 998

    runtime = Runtime(App(name="x", tools=[write], limits=Limits(output_bytes=1000)), store=store)
    result = await runtime.call(write, ADA)
    assert result.value() == "x" * 998
    assert any("x" * 998 in position.body for position in await store.read(result.run))


async def test_a_result_that_looks_like_a_reference_stays_what_it_is(store: Store) -> None:
    runtime = runtime_of(store)
    result = await runtime.call(imitate, ADA)
    text = await imitate.function()
    assert result.value() == text
    assert (await runtime.resume(result.run)).value() == text
    assert (await runtime.replay(result.run)).difference == ""


async def test_a_run_resumes_with_the_large_result_that_it_had(store: Store) -> None:
    @tool(effect=Effect.COMPOSED)
    async def measure_then_ask(ctx: Context) -> int:
        """Measure, then do something that a person approves."""
        size = len(await ctx.call(dump))
        await ctx.call(risky)
        return size

    @tool(effect=Effect.IDEMPOTENT, risk=Risk.HIGH)
    async def risky() -> None:
        """Do something risky."""

    app = App(name="asks", tools=[dump, risky, measure_then_ask])
    runtime = Runtime(app, store=store, directory=find_superuser)
    waiting = await runtime.call(measure_then_ask, ADA)
    await runtime.decide(waiting.questions[0], approved=True, by=BOB)
    assert (await Runtime(app, store=store, directory=find_superuser).resume(waiting.run)).value() == len(LARGE)


async def test_content_that_was_changed_or_removed_stops_the_run_until_it_is_restored(tmp_path: Path) -> None:
    store = SqlStore.at(tmp_path / "journal.db")
    runtime = runtime_of(store)
    file = await runtime.artifacts.add(CONTENT, by=ADA)
    name = file.digest.removeprefix("sha256:")
    path = tmp_path / "journal.db.artifacts" / name[:2] / name[2:]
    path.write_bytes(CONTENT[:-1] + b"!")
    with pytest.raises(BrokenJournalError, match="was changed; restore it"):
        await runtime.call(SEND, ADA, file)
    path.unlink()
    (row,) = await store.list_runs()
    with pytest.raises(BrokenJournalError, match="is missing; restore it"):
        await runtime.resume(row.run)
    assert DESK.sent == []
    path.write_bytes(CONTENT)
    assert (await runtime.resume(row.run)).value() == "sent "
    assert DESK.sent == [CONTENT]
    await store.close()


async def test_an_erased_file_is_not_found(store: Store) -> None:
    runtime = runtime_of(store)
    file = await runtime.artifacts.add(CONTENT, by=ADA)
    result = await runtime.call(SEND, ADA, file)
    await store.erase(result.run, range(10))
    with pytest.raises(NotFoundError):
        await runtime.artifacts.read(file, by=ADA)
    with pytest.raises(NotFoundError):
        (await runtime.call(SEND, ADA, file)).value()


async def test_a_run_that_waits_for_its_turn_keeps_its_file_when_another_run_is_erased(store: Store) -> None:
    runtime = runtime_of(store, "ok")
    file = await runtime.artifacts.add(CONTENT, by=ADA)
    queued = await runtime.submit("go", by=ADA, files=[file])
    ended = await runtime.call(SEND, ADA, file)
    await store.erase(ended.run, range(10))
    assert (await runtime.resume(queued)).value() == "ok"
    await store.erase(queued, range(10))
    with pytest.raises(NotFoundError):
        await runtime.artifacts.read(file, by=ADA)


async def test_a_recurring_call_keeps_its_file_when_the_occurrences_before_are_erased(store: Store) -> None:
    start = datetime(2026, 11, 23, 9, tzinfo=UTC)
    clock = Clock(start.timestamp())
    runtime = Runtime(App(name="desk", tools=[SEND]), store=store, directory=find_superuser, clock=clock)
    file = await runtime.artifacts.add(CONTENT, by=ADA)
    arguments = parse_arguments(json.dumps({"file": file.model_dump()}), Limits())
    run = (await runtime.call_by_name("send", arguments, by=ADA, schedule=Schedule(start, "FREQ=DAILY"))).run
    for _ in range(2):
        await store.erase(run, range(20))
        (run,) = [row.run for row in await store.list_runs() if not row.ended]
        clock.pass_by(24 * 3600.0)
        assert (await runtime.resume(run)).status == "done"
    assert len(DESK.sent) == 3


def all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_a_secret_is_never_stored(store: Store, tmp_path: Path) -> None:
    Secret("test:artifact", "canary-of-artifacts")
    runtime = runtime_of(store)
    with pytest.raises(InvalidArgumentsError, match="contains the value of a secret"):
        await runtime.artifacts.add(b"the canary-of-artifacts sings", by=ADA)
    assert b"canary-of-artifacts" not in all_bytes(tmp_path)


async def test_what_is_too_large_for_an_artifact_is_refused(store: Store) -> None:
    runtime = runtime_of(store, limits=Limits(artifact_bytes=1000))
    with pytest.raises(
        InvalidArgumentsError, match=r"1,001 bytes is too large; the limit, Limits\.artifact_bytes, is 1,000"
    ):
        await runtime.artifacts.add(bytes(1001), by=ADA)
    result = await runtime.call(dump, ADA)
    with pytest.raises(InvalidOutputError, match="too large"):
        result.value()
    assert len([item for item in await items_of(store, result.run) if isinstance(item, ToolOutput)]) == 1


async def test_a_file_that_cannot_be_read_is_refused_in_one_line(store: Store, tmp_path: Path) -> None:
    runtime = runtime_of(store)
    with pytest.raises(RequestError, match=r"cannot read .*: No such file"):
        await runtime.artifacts.add(tmp_path / "missing.txt", by=ADA)


@pytest.mark.parametrize(("offset", "length", "wrong"), [(-1, 4, "offset is -1"), (0, -3, "length is -3")])
async def test_a_part_before_the_beginning_is_refused(store: Store, offset: int, length: int, wrong: str) -> None:
    runtime = runtime_of(store)
    file = await runtime.artifacts.add(b"0123456789", by=ADA)
    message = f"read: {wrong}; give a number of bytes, 0 or more"
    with pytest.raises(InvalidArgumentsError, match=message):
        await runtime.artifacts.read(file, by=ADA, offset=offset, length=length)

    @tool(effect=Effect.PURE)
    async def read_part(file: Artifact) -> str:
        """Read a part."""
        return (await RunArtifacts().read(file, offset, length)).decode()

    result = await Runtime(App(name="reads", tools=[read_part]), store=store).call(read_part, ADA, file)
    with pytest.raises(InvalidArgumentsError, match=message):
        result.value()
    with pytest.raises(InvalidArgumentsError, match=r"offset|length"):
        (await runtime.call(read_artifact, ADA, file, offset, length)).value()


async def test_outside_of_a_run_the_service_says_where_to_go() -> None:
    with pytest.raises(Exception, match=r"outside of runs, use Runtime\.artifacts"):
        await RunArtifacts().add(b"")
    assert repr(RunArtifacts()) == "RunArtifacts()"


async def test_a_direct_call_in_a_conversation_of_others_does_not_see_its_files() -> None:
    runtime = Runtime(
        App(name="desk", agents=(Agent("clerk", instructions="Work.", tools=[SEND], input=PromptWithFiles),)),
        model=Scripted(["ok"]),
    )
    file = await runtime.artifacts.add(b"of ada", by=ADA, name="a.txt")
    await runtime.run("go", by=ADA, conversation="talk", files=(file,))
    DESK.sent.clear()
    refused = await runtime.call_in_conversation("talk", SEND, BOB, file)
    assert (refused.status, DESK.sent) == ("failed", [])
