"""Every text that enters a run has a cap: errors, notes, answers of models, reasons, arguments and names."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest
from pydantic import BaseModel

from remit import Agent, App, Effect, LeafContext, Risk, Runtime, tool
from remit.artifacts import Artifact
from remit.errors import ConflictError, InvalidArgumentsError, JournalError, RequestError
from remit.journal.artifact_files import ArtifactFiles
from remit.record.artifact import digest_of, find_artifacts
from remit.record.items import ModelFailure, Note
from remit.stores import InMemoryStore, SqlStore
from remit.testing import Scripted, superuser
from remit.tools import Limits
from tests.runtime.kit import items_of

LIMITS = Limits(argument_bytes=2000, error_bytes=1000, note_bytes=1000, reply_bytes=1000, reason_bytes=100)
ADA = superuser(name="ada")
LONG = "ä" * 5000


@tool(effect=Effect.IDEMPOTENT)
async def fail(ctx: LeafContext) -> str:
    """Log a long text and fail with another."""
    ctx.log(LONG)
    raise ConflictError(LONG)


@tool(effect=Effect.IDEMPOTENT, risk=Risk.HIGH)
async def echo(text: str) -> str:
    """Return a text."""
    return text


def runtime_of(*lines: str) -> Runtime:
    agent = Agent("agent", instructions="Work.", tools=[fail, echo])
    app = App(name="limited", agents=[agent], tools=[fail, echo], limits=LIMITS)
    return Runtime(app, store=InMemoryStore(), model=Scripted([*lines]))


async def test_errors_and_notes_are_cut() -> None:
    runtime = runtime_of()
    result = await runtime.call(fail, ADA)
    with pytest.raises(ConflictError, match=r"^ä{480}… \(10,000 bytes\)$"):
        result.value()
    (note,) = [item for item in await items_of(runtime.store, result.run) if isinstance(item, Note)]
    assert note.data.startswith('{"truncated":true,"beginning":')
    assert all(len(each.body) < 10_000 for each in await runtime.store.read(result.run))
    assert (await runtime.replay(result.run)).difference == ""


async def test_of_refused_arguments_the_beginning_and_the_digest_are_journaled() -> None:
    runtime = runtime_of()
    result = await runtime.call(echo, ADA, LONG)
    with pytest.raises(InvalidArgumentsError, match="the arguments are 10,011 bytes long; at most 2,000"):
        result.value()
    assert all(len(each.body) < 8000 for each in await runtime.store.read(result.run))
    assert (await runtime.replay(result.run)).difference == ""


async def test_an_answer_of_a_model_that_is_too_long_fails_the_request() -> None:
    runtime = runtime_of(LONG)
    result = await runtime.run("go", by=ADA)
    assert "the model's answer is longer than 1,000 bytes" in result.text
    (failure,) = [item for item in await items_of(runtime.store, result.run) if isinstance(item, ModelFailure)]
    assert len(failure.content) < 1000


async def test_long_reasons_and_names_are_refused() -> None:
    runtime = runtime_of()
    waiting = await runtime.call(echo, ADA, "a")
    with pytest.raises(RequestError, match="the reason is 10,000 bytes long; at most 100"):
        await runtime.decide(waiting.questions[0], approved=True, by=superuser(name="bob"), reason=LONG)
    with pytest.raises(RequestError, match="idempotency_key is too long; give at most 1,000 characters"):
        await runtime.run("go", by=ADA, idempotency_key=LONG)


def test_references_are_found_wherever_they_are() -> None:
    one, two, three, four = (Artifact(digest=digest_of(b""), size=size) for size in range(4))

    @dataclass
    class Box:
        content: object

    class Model(BaseModel):
        files: dict[str, list[Artifact]]

    box = Box([Model(files={"a": [one, two]}), (three,), frozenset({3}), [four, one], 3, "x", Box])
    assert list(find_artifacts(box)) == [one, two, three, four]


def test_what_a_dead_process_left_is_removed_after_a_day(tmp_path: Path) -> None:

    files = ArtifactFiles(tmp_path / "journal.db.artifacts")
    old, young = files.write(b"old"), files.write(b"young")
    os.utime(old, (0, 0))
    files.write(b"next")
    assert (old.exists(), young.exists()) == (False, True)


def test_a_transaction_that_runs_again_finds_its_file_in_place(tmp_path: Path) -> None:
    files = ArtifactFiles(tmp_path / "journal.db.artifacts")
    written, digest = files.write(b"content"), f"sha256:{sha256(b'content').hexdigest()}"
    files.keep(written, digest)
    files.keep(written, digest)
    assert not written.exists()
    assert [each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()] == [b"content"]


@pytest.mark.parametrize("place", ["journal.db.artifacts", f"journal.db.artifacts/{sha256(b'x').hexdigest()[:2]}"])
async def test_a_disk_that_refuses_is_a_journal_error(tmp_path: Path, place: str) -> None:
    store = SqlStore.at(tmp_path / "journal.db")
    (tmp_path / place).parent.mkdir(mode=0o700, exist_ok=True)
    (tmp_path / place).write_text("in the way", encoding="utf-8")
    runtime = Runtime(App(name="x", tools=[echo]), store=store)
    with pytest.raises(JournalError, match="the artifact could not be stored"):
        await runtime.artifacts.add(b"x", by=ADA)
    await store.close()
