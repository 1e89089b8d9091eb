"""The workers of a folder, joined with the tools that they name and with one another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remit.agent.model import Model as Port
from remit.contracts.callee import Callee
from remit.models.resolve import ModelResolver
from remit.workers.name_checks import check_names
from remit.workers.reader import read_workers
from remit.workers.source import WorkerFileError
from remit.workers.worker import Worker

if TYPE_CHECKING:
    from pydantic_ai.models import Model

WorkerTransform = Callable[[Worker], Worker]


def load_workers(
    folder: Path,
    *,
    tools: Iterable[Callee[..., Any]] = (),
    model_resolver: Callable[[str], Model | Port] | None = None,
    transform: WorkerTransform | None = None,
) -> tuple[Worker, ...]:
    """The workers of the files ``*.worker`` in a folder, sorted by their files. They may call each other both ways.

    Args:
        folder: where the files are.
        tools: what they may name beside one another.
        model_resolver: from a name to a model; those that are known by default are shared by all of them.
        transform: what to do with each worker before the others know it, as to attach a layer.

    Raises:
        WorkerFileError: with everything that is wrong in the files, each thing with its line.
    """
    definitions = read_workers(folder)
    callees = tuple(tools)
    findings = check_names(definitions, {tool.name for tool in callees})
    if findings:
        raise WorkerFileError(findings)
    team: dict[str, Worker] = {}
    shared = model_resolver or ModelResolver()
    for definition in definitions:
        worker = Worker(definition, tools=callees, workers=team, model_resolver=shared)
        team[definition.name] = worker if transform is None else transform(worker)
    return tuple(team.values())
