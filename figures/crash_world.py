"""The world of the crash sweep: tools of every effect class, whose effects are lines in a file opened O_APPEND.

An agent calls them, alone or nested: by tools that call others, or by workers that call workers. Its run has a target,
for which alone the person may do anything; it is given a file, passes a large result on by reference, and has a typed
result, which it corrects once. A run without nested calls has everything else: its history is compacted before most
requests, it remembers what the run before it found, its model searches the tools, and a reader follows it over kills.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from figures.by_turn import Streamed, answer_by_turn
from figures.scout import SCOUT, SCOUTING
from figures.stream_world import Reader
from remit import (
    Agent,
    App,
    Block,
    Context,
    Effect,
    LeafContext,
    Policy,
    Principal,
    Risk,
    Runtime,
    Tool,
    When,
    tool,
)
from remit.agent import Compaction, ToolSearch, WorkingMemory
from remit.artifacts import Artifact, PromptWithFiles, RunArtifacts
from remit.chat.streaming import Delta
from remit.errors import ModelBusyError
from remit.journal.crashpoint import crashpoint
from remit.journal.sql.store import SqlStore
from remit.messages import ChatRequest, Completion
from remit.record.arguments import Limits
from remit.record.artifact import digest_of
from remit.runtime import RunResult
from remit.testing import calls
from remit.workers import WorkerDefinition, build_agent

TARGET: Final = "bakery/main"
PERSON: Final = Principal("judge", permissions=frozenset({"till:write@bakery/*", "approvals:decide@bakery/*"}))
LEAVES: Final = ("look", "put", "pay", "send", "erase", "scan", "export", "keep")
NUMBERED: Final = LEAVES[:6]
PHOTO: Final = b"a photo of the till"
"""The person's file."""

Script = Literal["flat", "nested", "workers", "stalled"]
WHOLE: Final = ("flat", "stalled")
"""The scripts with compaction, memory, tool search and a stream."""


class Report(BaseModel):
    """What the agent gives."""

    status: str
    pages: int


DONE: Final = '{"status":"all done","pages":2}'
INVALID: Final = '{"status":"all done"}'
"""The first result, which lacks a field."""

CORRECTION: Final = "the result is not valid"


class EffectLine(NamedTuple):
    """What happened: a tool, the key and the target of its call, and the digest of the content that it read."""

    name: str
    key: str
    target: str
    digest: str


def scanned(number: int) -> str:
    """A text that is too large for the journal."""
    return f"page {number} of the books; " * 200


def reference(content: bytes, name: str = "") -> dict[str, Any]:
    """The reference to content that a model is given and copies."""
    artifact = Artifact(digest=digest_of(content), size=len(content), media_type="text/plain", name=name)
    return artifact.model_dump()


_LIMITS: Final = Limits(output_bytes=2048)
_MOST_WAITS: Final = 10_000
"""Milliseconds after which an answer ends though its reader has nothing of it."""

_SENT: Final = reference(PHOTO, "till.txt")


def kept_contents(script: Script) -> list[bytes]:
    """The contents that a run passes to ``keep`` by reference."""
    return [PHOTO, *(scanned(number).encode() for number in _SCANNED[script])]


class _Followed(Streamed):
    """A model whose answers end once their reader has a piece, so that there are pieces whatever the store's speed."""

    def __init__(
        self, answer: Callable[[ChatRequest], Awaitable[Completion]], find_reader: Callable[[], Reader | None]
    ) -> None:
        super().__init__(answer)
        self._find_reader = find_reader

    async def stream(self, request: ChatRequest, on_delta: Callable[[Delta], None], /) -> Completion:
        """Answer in pieces, and wait until one has arrived."""
        pieces = 0

        def pass_on(delta: Delta) -> None:
            nonlocal pieces
            pieces += bool(delta.text)
            on_delta(delta)

        completion = await super().stream(request, pass_on)
        reader = self._find_reader()
        if reader is not None and pieces:
            for _ in range(_MOST_WAITS):
                if reader.open:
                    break
                await asyncio.sleep(0.001)
        return completion


class World:
    """The file that tells what really happened, and tools that write to it."""

    def __init__(self, home: Path, script: Script) -> None:
        self.home = home
        self.log = home / "effects.log"
        self._outage = home / "outage"
        self._reader = home / "reader"
        self.tools = self._tools()
        self._script: Script = script
        self._following: Reader | None = None

    def runtime(self, store: SqlStore, *, run: str = "run") -> Runtime:
        """A runtime over the tools, with a script that calls them all."""
        lead = (_lead(self.tools),) if self._script == "workers" else ()
        is_whole = self.is_whole
        agent = Agent(
            "agent",
            instructions="Work.",
            tools=(*self.tools, *lead),
            input=PromptWithFiles,
            output=Report,
            output_mode="native" if is_whole else "tool",
            compaction=Compaction(tokens=300, keep=150) if is_whole else None,
            memory=WorkingMemory() if is_whole else None,
            tool_search=ToolSearch(above=3, limit=10) if is_whole else None,
        )
        app = App(name="sweep", agents=(agent, SCOUT), policy=_POLICY, limits=_LIMITS)
        model = _Followed(self._answer, lambda: self._following)
        return Runtime(app, store=store, model=model, make_run_id=lambda: run)

    @property
    def is_whole(self) -> bool:
        """Whether the run has compaction, memory, tool search and a stream."""
        return self._script in WHOLE

    async def start(self, runtime: Runtime) -> RunResult[Any]:
        """Begin the run for the target, with the person's file."""
        file = await runtime.artifacts.add(PHOTO, by=PERSON, name="till.txt")
        conversation = "c" if self.is_whole else ""
        return await runtime.run("go", by=PERSON, agent="agent", files=[file], target=TARGET, conversation=conversation)

    async def scout(self, store: SqlStore) -> None:
        """Leave something to remember in the conversation of the run."""
        runtime = self.runtime(store, run="scouting")
        await runtime.run("look", by=PERSON, agent=SCOUT, target=TARGET, conversation="c")

    def reader(self) -> Reader:
        """The reader of the stream, as the executions so far have left it."""
        kept = self._reader.read_bytes() if self._reader.exists() else None
        reader: Reader = Reader() if kept is None else pickle.loads(kept)  # noqa: S301 - our own
        self._following = reader
        return reader

    def keep_reader(self, reader: Reader) -> None:
        """Keep what the reader has."""
        written = self._reader.with_suffix(".new")
        written.write_bytes(pickle.dumps(reader))
        written.rename(self._reader)

    def begin_outage(self) -> None:
        """Let the model fail each request after the first calls but those for summaries, until the outage ends."""
        self._outage.touch()

    def end_outage(self) -> bool:
        """Let the model answer again; return whether there was an outage."""
        is_out = self._outage.exists()
        self._outage.unlink(missing_ok=True)
        return is_out

    async def _answer(self, request: ChatRequest, /) -> Completion:
        if '"content":"Scout."' in request.history[0]:
            return await answer_by_turn(SCOUTING, request)
        is_summary = request.agent_call_id.endswith(":compaction")
        if self._outage.exists() and not is_summary and self.read_effects():
            raise ModelBusyError("429", retry_after=3600)
        return await answer_by_turn(_SCRIPTS[self._script], request)

    def read_effects(self) -> list[EffectLine]:
        """What happened, in order."""
        if not self.log.exists():
            return []
        return [EffectLine(*line.split(" ")) for line in self.log.read_text().splitlines()]

    def append(self, name: str, key: str, target: str, digest: str = "") -> None:
        """Make an effect happen: a line in the file."""
        crashpoint(f"before {name}")
        handle = os.open(self.log, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        os.write(handle, f"{name} {key} {target} {digest}\n".encode())
        os.close(handle)
        crashpoint(f"after {name}")

    def _tools(self) -> tuple[Tool[..., Any], ...]:
        look, put, pay, send, erase = self._simple_tools()
        scan, export, keep = self._file_tools()

        @tool(effect=Effect.COMPOSED)
        async def both(ctx: Context, number: int) -> str:
            """Pay and send, by other calls."""
            paid = await ctx.call(pay, number)
            return f"{paid}, {await ctx.call(send, number)}"

        @tool(effect=Effect.COMPOSED)
        async def archive(ctx: Context, number: int) -> str:
            """Scan, and keep what was scanned."""
            text = await ctx.call(scan, number)
            file = await ctx.call(export, number)
            return f"{len(text)} {await ctx.call(keep, file)}"

        @tool(effect=Effect.COMPOSED)
        async def tree(ctx: Context, number: int) -> str:
            """Do both, archive and erase: three levels deep."""
            first = await ctx.call(both, number)
            second = await ctx.call(archive, number)
            return f"{first}; {second}; {await ctx.call(erase, number)}"

        return look, put, pay, send, erase, scan, export, keep, both, archive, tree

    def _simple_tools(self) -> tuple[Tool[[int], str], ...]:
        append = self.append

        @tool(effect=Effect.PURE, permissions={"till:write"})
        async def look(ctx: LeafContext, number: int) -> str:
            """Look at something."""
            append("look", ctx.key, ctx.caller.target)
            return f"saw {number}"

        @tool(effect=Effect.IDEMPOTENT, permissions={"till:write"})
        async def put(ctx: LeafContext, number: int) -> str:
            """Set a file to a value."""
            (self.home / f"state-{number}").write_text(str(number))
            append("put", ctx.key, ctx.caller.target)
            return f"put {number}"

        @tool(effect=Effect.KEYED, permissions={"till:write"})
        async def pay(ctx: LeafContext, number: int) -> str:
            """Pay once for a key."""
            append("pay", ctx.key, ctx.caller.target)
            return f"paid {number}"

        @tool(effect=Effect.UNSAFE, permissions={"till:write"})
        async def send(ctx: LeafContext, number: int) -> str:
            """Send something that cannot be taken back."""
            append("send", ctx.key, ctx.caller.target)
            return f"sent {number}"

        @tool(effect=Effect.UNSAFE, risk=Risk.HIGH, permissions={"till:write"})
        async def erase(ctx: LeafContext, number: int) -> str:
            """Erase something, after a person has agreed."""
            append("erase", ctx.key, ctx.caller.target)
            return f"erased {number}"

        return look, put, pay, send, erase

    def _file_tools(self) -> tuple[Tool[[int], str], Tool[[int], Artifact], Tool[[Artifact], str]]:
        append, artifacts = self.append, RunArtifacts()

        @tool(effect=Effect.PURE, permissions={"till:write"})
        async def scan(ctx: LeafContext, number: int) -> str:
            """Scan a page of the books."""
            append("scan", ctx.key, ctx.caller.target)
            return scanned(number)

        @tool(effect=Effect.IDEMPOTENT, permissions={"till:write"})
        async def export(ctx: LeafContext, number: int) -> Artifact:
            """Make a file of a page."""
            append("export", ctx.key, ctx.caller.target)
            return await artifacts.add(scanned(number).encode(), media_type="text/plain")

        @tool(effect=Effect.KEYED, permissions={"till:write"})
        async def keep(ctx: LeafContext, file: Artifact) -> str:
            """Keep a file."""
            append("keep", ctx.key, ctx.caller.target, digest_of(await artifacts.read(file)))
            return f"kept {file.size}"

        return scan, export, keep


_POLICY: Final = Policy(
    When("elsewhere", lambda call: call.caller.target != TARGET, Block(reason="it is for another till"), version="1")
)


def _lead(tools: tuple[Tool[..., Any], ...]) -> Agent:
    """A worker that calls tools and another worker at once, which calls all of the tools."""
    leaves = [tool for tool in tools if tool.name in LEAVES]
    below = [(name, f'{{"number":{number}}}') for number, name in enumerate(NUMBERED, 30)]
    files = [("keep", json.dumps({"file": file})) for file in (_SENT, reference(scanned(35).encode()))]
    mate = _worker("mate", leaves, [below, files, [("final_result", INVALID)], [("final_result", DONE)]], output=Report)
    above = [("mate", '{"prompt":"on"}'), ("send", '{"number":40}'), ("pay", '{"number":41}'), ("put", '{"number":42}')]
    return _worker("lead", leaves, [above, [("send", '{"number":43}')]], mate)


def _worker(
    name: str, tools: list[Tool[..., Any]], turns: list[list[tuple[str, str]]], *workers: Agent, output: type = str
) -> Agent:
    def answer(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn == len(turns):
            return ModelResponse([TextPart(f"{name} is done")])
        return ModelResponse([ToolCallPart(*wanted, f"{name}_{turn}_{i}") for i, wanted in enumerate(turns[turn])])

    team = {each.name: each for each in workers}
    definition = WorkerDefinition(
        name=name, prompt="Work.", tools=tuple(tool.name for tool in tools), workers=tuple(team), output=output
    )
    return build_agent(definition, tools=tools, workers=team, model=FunctionModel(answer))


_SEARCH: Final = calls(("search_tools", {"query": "look, put, pay, send, erase, both, scan, keep"}))
_FLAT: Final = calls(
    ("look", {"number": 1}),
    ("put", {"number": 2}),
    ("pay", {"number": 3}),
    ("send", {"number": 4}),
    ("erase", {"number": 5}),
    ("both", {"number": 6}),
    ("scan", {"number": 9}),
)
_FILES: Final = [("keep", {"file": file}) for file in (_SENT, reference(scanned(9).encode()))]
_NATIVE: Final = [INVALID, DONE]
_BY_TOOL: Final = [calls(("final_result", INVALID)), calls(("final_result", DONE))]
_SCRIPTS: Final[dict[Script, list[Any]]] = {
    "flat": [_SEARCH, _FLAT, calls(("pay", {"number": 3}), *_FILES), *_NATIVE],
    "nested": [
        calls(("tree", {"number": 10}), ("send", {"number": 20}), ("tree", {"number": 30}), _FILES[0]),
        *_BY_TOOL,
    ],
    "stalled": [_SEARCH, _FLAT, calls(("send", {"number": 7}), *_FILES), *_NATIVE],
    "workers": [calls(("lead", {"prompt": "go"}), ("send", {"number": 20})), *_BY_TOOL],
}
_SCANNED: Final[dict[Script, tuple[int, ...]]] = {"flat": (9,), "nested": (10, 30), "stalled": (9,), "workers": (35,)}
