"""No value of a secret leaves a body: canaries, in every way in which a tool may let one slip."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import multiprocessing
import os
import shutil
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final
from unittest.mock import patch

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import set_tracer_provider

from figures.figure import Figure, no_violations
from figures.secrets_world import SPELLINGS, TENANT, World, ways
from remit import Principal
from remit.journal.sql.store import SqlStore
from tests.cli.running import done

PERSON = Principal("ada", TENANT, permissions=frozenset({"*"}))

SHAPES: Final = {
    "plain": "CANARY{}dkq38fhs02jd",
    "quoted": "CANARY{}\"with\\quotes' & 100 % é\tand more ???",
    "lines": "-----BEGIN CANARY{}-----\nMIIabc+/=\n-----END CANARY{}-----",
    "number": "7351824{}0917735",
}


def figures(*, short: bool) -> Iterator[Figure]:
    """Places in which a canary was found."""
    cases = [
        (shape, number, way)
        for at, shape in enumerate(SHAPES)
        for number, way in enumerate(ways())
        if not short or (shape == "quoted" if way in SPELLINGS else number % len(SHAPES) == at)
    ]
    context = multiprocessing.get_context("fork")
    answers, answer = context.Pipe(duplex=False)
    process = context.Process(target=_search, args=(cases, answer), kwargs={"short": short})
    process.start()
    answer.close()
    try:
        looked, leaks = answers.recv()
    except EOFError:
        looked, leaks = 0, ["the search itself failed"]
    process.join()
    how = (
        f"{len(cases)} cases of {len(SHAPES)} shapes of canaries, let slip in {len(ways())} ways, looked for in: "
        "results, errors with their causes, the journal's file and WAL, spans, logs, screens, approvals, exports"
    )
    yield no_violations("secrets.leaked", len(leaks), looked, how if not leaks else f"leaked: {leaks[:20]}")


def _search(cases: list[tuple[str, int, str]], answer: Connection, *, short: bool) -> None:
    """In a process of its own, since the tracer of a process cannot be taken back."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    set_tracer_provider(provider)
    looked, leaks = 0, list[str]()
    for shape, number, way in cases:
        if short and leaks:
            break
        value = SHAPES[shape].format(*[f"{number:03}"] * 2)
        for place, text in _collect_places(way, value, exporter).items():
            looked += 1
            leaks += [f"{shape} · {way} · {place}"] if _contains_canary(text, value) else []
    answer.send((looked, leaks))


def _contains_canary(text: bytes, value: str) -> bool:
    """Whether a text holds the canary: its core, which few escapes change, or a spelling of the whole value."""
    core = value[value.index("CANARY") :][:9] if "CANARY" in value else value
    return any(each in text for each in (core.encode(), *_spell(value)))


def _spell(value: str) -> Iterator[bytes]:
    """What the spellings of a value have in common with every text that contains them, as it is and within JSON."""
    for way, spell in SPELLINGS.items():
        whole = spell(value)
        part = whole[12:-6] if "Base64" in way else whole
        for each in (part, json.dumps(part)[1:-1], json.dumps(json.dumps(part)[1:-1])[1:-1]):
            yield each.encode()


def _collect_places(way: str, value: str, exporter: InMemorySpanExporter) -> dict[str, bytes]:
    """Run a tool that lets the value slip; every place where it could stand, with what stands there.

    Raises:
        AssertionError: the body has not read the secret at all.
    """
    home = Path(tempfile.mkdtemp(prefix="remit-secrets-"))
    printed = io.StringIO()
    exporter.clear()
    handler = logging.StreamHandler(printed)
    logging.getLogger().addHandler(handler)
    with patch.dict(os.environ, REMIT_HOME=str(home)), redirect_stdout(printed), redirect_stderr(printed):
        places = asyncio.run(_run(home, way, value))
        run = places.pop("run").decode()
        exports = [_run_command("show", run, "--json"), _run_command("show", run)]
        approvals = [_run_command("approvals", "list", "--all", "--json")]
    logging.getLogger().removeHandler(handler)
    shutil.rmtree(home)
    spans = "".join(span.to_json() for span in exporter.get_finished_spans())
    assert "execute_tool" in spans, "no span was told"  # noqa: S101 - a canary that nobody could hear proves nothing
    return {
        **places,
        "spans": spans.encode(),
        "logs and output": printed.getvalue().encode(),
        "exports": "".join(exports).encode(),
        "approvals": "".join(approvals).encode(),
    }


def _run_command(*words: str) -> str:
    completed = done(*words)
    return completed.out + completed.err


async def _run(home: Path, way: str, value: str) -> dict[str, bytes]:
    store = SqlStore.at(home / "journal.db")
    world = World(way, value)
    runtime = world.runtime(store)
    result = await runtime.run("go", by=PERSON)
    while result.questions:
        for question in result.questions:
            await runtime.decide(question, approved=True, by=PERSON)
        result = await runtime.resume(result.run)
    assert world.read, f"{way}: nobody has read the secret"  # noqa: S101 - as above
    history = await runtime.history(result.run)
    replayed = await runtime.replay(result.run)
    error = result.reply.error if result.reply else None
    journal = b"".join((home / name).read_bytes() for name in ("journal.db", "journal.db-wal"))
    await store.close()
    return {
        "run": result.run.encode(),
        "results": "".join([result.text, repr(result), *history, *world.heard, repr(replayed)]).encode(),
        "errors": "".join([*world.errors, *(traceback.format_exception(error) if error else [])]).encode(),
        "journal": journal,
    }
