"""Adds the worker of a file, and the workers it names, to an application.

Imports the extra ``pydantic-ai``; imported only when a worker file is named.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from remit.agent import Agent
from remit.agent.model import MODEL_VARIABLE
from remit.app import App
from remit.call.naming import python_alias
from remit.chat.provider_tool import ProviderTool
from remit.cli.worker_reference import WorkerReference
from remit.dispatch.registry import AnyCallee
from remit.journal.codec import RESULT_TOOL
from remit.models.choice import DEFAULT_MODEL
from remit.models.resolve import ResolvedModel, resolve_model
from remit.schemas.finding import Finding
from remit.workers import (
    PydanticAIDriver,
    WorkerDefinition,
    WorkerFileError,
    build_agent,
    check_names,
    definition_of,
    load_workers,
    read_worker,
)
from remit.workers.barred_tools import barred_tools
from remit.workers.reader import WORKER_SUFFIX, WorkerNames, inspect_file, list_worker_files, read_valid_workers
from remit.workers.team import imported_names

GIVE_APP_HINT: Final = "give --app APP, whose tools it may use"


def add_worker(app: App | None, tools: Sequence[AnyCallee], reference: WorkerReference) -> App:
    """The application plus the worker of a file; without an application, one that consists of the worker.

    ``tools`` are all tools of the application: those that the worker may name.

    Raises:
        WorkerFileError: the file, or one it needs, is invalid or does not fit the application.
        SetupError: the worker does not support the model.
    """
    app_workers = _workers_of(tools)
    app_definitions = {name: definition_of(each) for name, each in app_workers.items()}
    definitions = read_team(reference.file, app_workers)
    root = definitions[0]
    own = app_workers.get(root.name)
    if app is not None and own is not None and definition_of(own) == root:
        return replace(app, tools=(_with_model(own, reference.model), *(each for each in app.tools if each != own)))
    new = [each for each in definitions if app_definitions.get(each.name) != each]
    plain = [each for each in tools if definition_of(each) is None]
    findings = check_names(
        definitions,
        {each.name for each in plain} | imported_names(definitions),
        extra_workers=set(app_workers),
        other_workers=_similar_names(definitions, reference.file),
        list_command="" if app is None else f"remit tools {reference.app or app.name}",
        no_tools_hint=GIVE_APP_HINT if app is None else "",
    )
    findings += _find_taken_names(new, app_workers)
    if findings:
        raise WorkerFileError(findings)
    team: dict[str, AnyCallee] = dict(app_workers)
    driver = PydanticAIDriver()
    for each in new:
        worker = build_agent(each, tools=plain, workers=team, driver=driver)
        team[each.name] = _with_model(worker, reference.model if each is root else "")
    targets = {name for each in definitions for name in each.handoffs}
    workers = tuple(team[each.name] for each in new if each is root or each.name in targets)
    return App(name=root.name, tools=workers) if app is None else replace(app, tools=(*app.tools, *workers))


def load_folder(folder: Path) -> App:
    """An application of the worker files in a folder. Its first agent is an agent that no other names.

    Raises:
        WorkerFileError: there is no worker file, or one is invalid.
    """
    agents = load_workers(folder)
    definitions = [definition for agent in agents if (definition := definition_of(agent)) is not None]
    named = {name for each in definitions for name in (*each.workers, *(each.delegates or ()), *each.handoffs)}
    return App(name=folder.resolve().name, agents=tuple(sorted(agents, key=lambda agent: agent.name in named)))


def read_team(file: Path, app_workers: Iterable[str] = ()) -> list[WorkerDefinition]:
    """Read the worker of a file and all workers of its folder that it reaches by name.

    Raises:
        WorkerFileError: it is invalid, or it names a worker that may be in an invalid file.
    """
    root = read_worker(file)
    siblings, findings = read_valid_workers(
        each for each in list_worker_files(file.parent) if each.resolve() != file.resolve()
    )
    by_name = {each.name: each for each in siblings} | {root.name: root}
    team = reachable_workers([root], by_name)
    names = {name for each in team for name in (*each.workers, *each.handoffs)}
    if findings and not names <= by_name.keys() | set(app_workers):
        raise WorkerFileError(findings)
    return team


def reachable_workers(
    roots: Iterable[WorkerDefinition], by_name: Mapping[str, WorkerDefinition]
) -> list[WorkerDefinition]:
    """``roots`` and all workers that they name, delegate to or hand over to, directly or not, each once."""
    team = {each.name: each for each in roots}
    pending = list(team.values())
    while pending:
        each = pending.pop()
        names = (*each.workers, *(each.delegates or ()), *each.handoffs)
        new = {name: by_name[name] for name in names if name in by_name and name not in team}
        team |= new
        pending += new.values()
    return list(team.values())


def check_files(
    files: Sequence[Path], tools: Sequence[AnyCallee] | None, app: str = ""
) -> tuple[tuple[WorkerDefinition, ...], list[Finding], list[str]]:
    """The valid workers of the files, all findings, and a note for each tool that a worker above bars.

    ``tools`` are the tools of ``app`` that the files may name in addition to the workers of their folders; None if
    unknown. Other files of the folders count as in a run: their workers may be named, and their names are taken.
    """
    inspected = [inspect_file(file) for file in files]
    siblings = [inspect_file(file) for file in _sibling_files(files)]
    findings = [finding for each in inspected for finding in each.findings]
    own, others = [each.names for each in inspected], [each.names for each in siblings]
    app_definitions = [found for each in tools or () if (found := definition_of(each)) is not None]
    if tools is None:
        workers = {each.name for each in (*own, *others)}
        names = {name for each in own for name in (*each.tools, *each.delegates) if name} - workers - {RESULT_TOOL}
    else:
        names = {each.name for each in tools if definition_of(each) is None}
    also = {each.name for each in app_definitions}
    findings += check_names(
        own, names, extra_workers=also, other_workers=others, list_command=f"remit tools {app}" if app else ""
    )
    findings += _find_unreadable(own, {each.names.name: each.names for each in siblings if each.worker is None})
    read = tuple(each.worker for each in inspected if each.worker is not None)
    findings += _find_taken_names([each for each in read if each not in app_definitions], also)
    definitions = [*read, *(each.worker for each in siblings if each.worker is not None), *app_definitions]
    by_name = {each.name: each for each in reversed(definitions)}
    findings += _find_model_errors(reachable_workers(read, by_name))
    return read, findings, list(barred_tools(by_name, {each.name for each in read}))


def summarize_worker(worker: WorkerDefinition) -> dict[str, str | list[str] | None]:
    """A row for a list of workers. Provider tools appear as ungoverned; no ``delegates`` as None."""
    return {
        "worker": worker.name,
        "file": worker.document.file if worker.document else "",
        "model": worker.model or (list(worker.compatible_models) if worker.compatible_models else "any"),
        "tools": list(worker.tools),
        "workers": list(worker.workers),
        "delegates": None if worker.delegates is None else list(worker.delegates),
        "ungoverned": [str(each) for each in worker.provider_tools],
    }


def resolve_model_name(worker: WorkerDefinition, call_model: str = "") -> str:
    """The name of a worker's model: from the call, or else its file, or else the environment or the default.

    Raises:
        SetupError: the worker does not support the model.
    """
    return worker.resolve_model_name(
        requested_name=call_model, default_name=os.environ.get(MODEL_VARIABLE) or DEFAULT_MODEL
    )


def _sibling_files(files: Iterable[Path]) -> list[Path]:
    """The other worker files in the folders of the files."""
    places = {file.resolve() for file in files}
    found = {each for folder in {file.parent for file in files} for each in folder.glob(f"*{WORKER_SUFFIX}")}
    return sorted(each for each in found if each.resolve() not in places)


def _similar_names(team: Sequence[WorkerDefinition], file: Path) -> list[WorkerNames]:
    """Names in other files of the folder that are similar to one of the team."""
    taken = {python_alias(each.name) for each in team}
    own = {each.document.file for each in team if each.document}
    others = (inspect_file(path).names for path in _sibling_files([file]))
    return [each for each in others if python_alias(each.name) in taken and each.document.file not in own]


def _find_unreadable(workers: Iterable[WorkerNames], broken: Mapping[str, WorkerNames]) -> list[Finding]:
    """Findings for named workers whose files cannot be read."""
    return [
        Finding(
            code="unreadable",
            where=each.locate("workers", index),
            what=f"the worker {name!r} cannot be read: {broken[name].document.file}",
            fix=f"correct it; see: remit worker check {broken[name].document.file}",
        )
        for each in workers
        for index, name in enumerate(each.workers)
        if name and name in broken
    ]


def _find_model_errors(workers: Iterable[WorkerDefinition]) -> Iterator[Finding]:
    """Models that do not exist, and provider tools that the API of a worker's model lacks."""
    for each in workers:
        if not each.model:
            continue
        model = resolve_model(each.model)
        fix = model.explain_unknown()
        if fix:
            where = each.locate("model") or f"worker {each.name}"
            yield Finding(code="unknown-model", where=where, what=f"there is no model {each.model!r}", fix=fix)
            continue
        for name in model.list_unsupported(each.settings):
            yield Finding(
                code="unsupported-setting",
                where=each.locate("settings", name) or f"worker {each.name}",
                what=f"the model {each.model!r} cannot take the setting {name}",
                fix="write max_completion_tokens" if name == "max_tokens" else "remove it, or name another model",
            )
        for name, why in model.unsupported_tools(each.provider_tools).items():
            yield Finding(
                code="unsupported-tool",
                where=each.locate("builtin_tools", each.provider_tool_names.index(name)) or f"worker {each.name}",
                what=f"the API of the model {each.model!r} {why}",
                fix=_suggest_tool_fix(model, each.provider_tools[each.provider_tool_names.index(name)]),
            )


def _suggest_tool_fix(model: ResolvedModel, tool: ProviderTool) -> str:
    """Suggest a fix for a provider tool that a model lacks: OpenAI's Responses API has more than chat completions."""
    if model.kind == "openai":
        other = f"openai-responses:{model.model}"
        if not resolve_model(other).unsupported_tools([tool]):
            return f"remove it, or write model: {other}"
    return "remove it, or name another model"


def _workers_of(tools: Iterable[AnyCallee]) -> dict[str, Agent]:
    """The agents among ``callees`` that files define, by name."""
    return {each.name: each for each in tools if isinstance(each, Agent) and definition_of(each) is not None}


def _with_model(worker: Agent, call_model: str) -> Agent:
    """The worker with the model of the call, or the environment's model if it has none."""
    definition = definition_of(worker)
    if definition is None or (worker.model is not None and not call_model):
        return worker
    return worker.with_model(resolve_model_name(definition, call_model))


def _find_taken_names(new: Iterable[WorkerDefinition], app_workers: Collection[str]) -> list[Finding]:
    return [
        Finding(
            code="name-taken",
            where=each.locate("name"),
            what=f"the name {each.name!r} is taken: the application lists another worker of that name",
            fix="choose another `name`",
        )
        for each in new
        if each.name in app_workers
    ]
