"""Joins a worker file with an application: the worker, those it names beside it, and the application's tools.

Imports the extra ``pydantic-ai``; imported where a worker file is named.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from remit.app import App
from remit.cli.choose import DEFAULT
from remit.cli.worker_at import WorkerAt
from remit.contracts.naming import alias_of
from remit.dispatch.registry import AnyCallee
from remit.journal.codec import RESULT
from remit.schemas.finding import Finding
from remit.workers import Models, Worker, WorkerDefinition, WorkerFileError, check_names, read_worker
from remit.workers.models import ENVIRONMENT, unknown
from remit.workers.reading import SUFFIX, Names, files_of, look_at, read_all

GIVE_APP: Final = "give --app APP, whose tools it may use"


def with_worker(app: App | None, tools: Sequence[AnyCallee], at: WorkerAt) -> App:
    """The application with the worker of a file among its tools; without one, an application of that worker alone.

    ``tools`` are all that the application has: what the worker may name.

    Raises:
        WorkerFileError: the file, or one it needs, cannot be read or does not fit the application.
        SetupError: the worker is not made for the model.
    """
    listed = {each.name: each for each in tools if isinstance(each, Worker)}
    definitions = team_of(at.file, listed)
    root = definitions[0]
    own = listed.get(root.name)
    if app is not None and own is not None and own.definition == root:
        return replace(app, tools=(_asking(own, at.model), *(each for each in app.tools if each != own)))
    new = [each for each in definitions if each.name not in listed or listed[each.name].definition != each]
    plain = [each for each in tools if not isinstance(each, Worker)]
    findings = check_names(
        definitions,
        {each.name for each in plain},
        also=set(listed),
        beside=_named_alike(definitions, at.file),
        rest="" if app is None else f"remit tools {at.app or app.name}",
        lacking=GIVE_APP if app is None else "",
    )
    findings += _taken(new, listed)
    if findings:
        raise WorkerFileError(findings)
    team: dict[str, AnyCallee] = dict(listed)
    models = Models()
    for each in new:
        worker = Worker(each, tools=plain, workers=team, models=models)
        team[each.name] = _asking(worker, at.model if each is root else "")
    made = team[root.name]
    return App(name=root.name, tools=(made,)) if app is None else replace(app, tools=(*app.tools, made))


def team_of(file: Path, listed: Iterable[str] = ()) -> list[WorkerDefinition]:
    """The worker of a file, and behind it those in its folder that it names, that they name, and so on.

    Raises:
        WorkerFileError: it cannot be read; or one is named that may be in a file which cannot.
    """
    root = read_worker(file)
    beside, findings = read_all(each for each in files_of(file.parent) if each.resolve() != file.resolve())
    known = {each.name: each for each in beside} | {root.name: root}
    team = reached([root], known)
    if findings and not {name for each in team for name in each.workers} <= known.keys() | set(listed):
        raise WorkerFileError(findings)
    return team


def reached(roots: Iterable[WorkerDefinition], known: Mapping[str, WorkerDefinition]) -> list[WorkerDefinition]:
    """Some workers, and behind them those that they name or delegate, that these do, and so on; each once."""
    team = {each.name: each for each in roots}
    left = list(team.values())
    while left:
        each = left.pop()
        new = {name: known[name] for name in (*each.workers, *each.delegates) if name in known and name not in team}
        team |= new
        left += new.values()
    return list(team.values())


def looked_through(
    files: Sequence[Path], tools: Sequence[AnyCallee] | None, app: str = ""
) -> tuple[tuple[WorkerDefinition, ...], list[Finding]]:
    """Those workers of some files that can be read, and all that is wrong in the files.

    ``tools``: what they may name beside the workers of their folders; None where that is not known. ``app``: whose
    they are. The files beside them count as they would in a run: their workers may be named, their names are taken.
    """
    looked = [look_at(file) for file in files]
    beside = [look_at(file) for file in _beside(files)]
    findings = [finding for each in looked for finding in each.findings]
    own, others = [each.names for each in looked], [each.names for each in beside]
    listed = [each.definition for each in tools or () if isinstance(each, Worker)]
    if tools is None:
        workers = {each.name for each in (*own, *others)}
        names = {name for each in own for name in (*each.tools, *each.delegates) if name} - workers - {RESULT}
    else:
        names = {each.name for each in tools if not isinstance(each, Worker)}
    also = {each.name for each in listed}
    findings += check_names(own, names, also=also, beside=others, rest=f"remit tools {app}" if app else "")
    findings += _unreadable(own, {each.names.name: each.names for each in beside if each.worker is None})
    read = tuple(each.worker for each in looked if each.worker is not None)
    findings += _taken([each for each in read if each not in listed], also)
    known = [*read, *(each.worker for each in beside if each.worker is not None), *listed]
    findings += _modelless(reached(read, {each.name: each for each in reversed(known)}))
    return read, findings


def row_of(worker: WorkerDefinition) -> dict[str, str | list[str]]:
    """What a person looks for in a list of workers. Tools of providers are shown as what they are: ungoverned."""
    return {
        "worker": worker.name,
        "file": worker.document.file if worker.document else "",
        "model": worker.model or (list(worker.compatible_models) if worker.compatible_models else "any"),
        "tools": list(worker.tools),
        "workers": list(worker.workers),
        "delegates": list(worker.delegates),
        "ungoverned": list(worker.builtin_tools),
    }


def model_of(worker: WorkerDefinition, call: str = "") -> str:
    """The name of the model that a worker asks: the call's, else the file's, else the environment's or the default.

    Raises:
        SetupError: it is not made for that model.
    """
    return worker.chosen(call=call, environment=os.environ.get(ENVIRONMENT) or DEFAULT)


def _beside(files: Iterable[Path]) -> list[Path]:
    """The worker files in the folders of some files, without these."""
    places = {file.resolve() for file in files}
    found = {each for folder in {file.parent for file in files} for each in folder.glob(f"*{SUFFIX}")}
    return sorted(each for each in found if each.resolve() not in places)


def _named_alike(team: Sequence[WorkerDefinition], file: Path) -> list[Names]:
    """The names of other files in the folder that are like one in the team."""
    taken = {alias_of(each.name) for each in team}
    own = {each.document.file for each in team if each.document}
    others = (look_at(path).names for path in _beside([file]))
    return [each for each in others if alias_of(each.name) in taken and each.document.file not in own]


def _unreadable(workers: Iterable[Names], broken: Mapping[str, Names]) -> list[Finding]:
    """Where a worker is named whose file cannot be read."""
    return [
        Finding(
            code="unreadable",
            where=each.where("workers", index),
            what=f"the worker {name!r} cannot be read: {broken[name].document.file}",
            mend=f"mend it; see: remit worker check {broken[name].document.file}",
        )
        for each in workers
        for index, name in enumerate(each.workers)
        if name and name in broken
    ]


def _modelless(workers: Iterable[WorkerDefinition]) -> list[Finding]:
    """Where a worker names a model that there is nowhere."""
    named = [(each, unknown(each.model)) for each in workers if each.model]
    return [
        Finding(
            code="unknown-model",
            where=each.where("model") or f"worker {each.name}",
            what=f"there is no model {each.model!r}",
            mend=mend,
        )
        for each, mend in named
        if mend
    ]


def _asking(worker: Worker, call: str) -> Worker:
    """The worker, asking the model that the call says, or the environment where nothing else says one."""
    return worker.using(model_of(worker.definition, call)) if call or worker.model is None else worker


def _taken(new: Iterable[WorkerDefinition], listed: Collection[str]) -> list[Finding]:
    return [
        Finding(
            code="name-taken",
            where=each.where("name"),
            what=f"the name {each.name!r} is taken: the application lists a worker of that name, which is another",
            mend="say another `name`",
        )
        for each in new
        if each.name in listed
    ]
