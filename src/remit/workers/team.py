"""The workers of a folder, joined with the tools that they name and with one another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remit.agent.model import Model as Port
from remit.contracts.callee import Callee
from remit.workers.models import Models
from remit.workers.names import check_names
from remit.workers.reading import read_workers
from remit.workers.source import WorkerFileError
from remit.workers.worker import Worker

if TYPE_CHECKING:
    from pydantic_ai.models import Model

Each = Callable[[Worker], Worker]


def workers_of(
    folder: Path,
    *,
    tools: Iterable[Callee[..., Any]] = (),
    models: Callable[[str], Model | Port] | None = None,
    each: Each | None = None,
) -> tuple[Worker, ...]:
    """The workers of the files ``*.worker`` in a folder, sorted by their files. They may call each other both ways.

    Args:
        folder: where the files are.
        tools: what they may name beside one another.
        models: from a name to a model; those that are known by default are shared by all of them.
        each: what to do with each worker before the others know it, as to attach a layer.

    Raises:
        WorkerFileError: with everything that is wrong in the files, each thing with its line.
    """
    definitions = read_workers(folder)
    given = tuple(tools)
    findings = check_names(definitions, {tool.name for tool in given})
    if findings:
        raise WorkerFileError(findings)
    team: dict[str, Worker] = {}
    shared = models or Models()
    for definition in definitions:
        worker = Worker(definition, tools=given, workers=team, models=shared)
        team[definition.name] = worker if each is None else each(worker)
    return tuple(team.values())
