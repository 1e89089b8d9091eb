"""Builds agents from `.worker` files: joins definitions with the tools, workers and models that they name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from remit.agent.agent import Agent
from remit.agent.driver import AgentDriver, LazyTools
from remit.agent.model import AnyModel
from remit.call.call import AgentLayer
from remit.call.callee import Callee, check_callees
from remit.core import Stack
from remit.core.call_checks import check_callback
from remit.core.checks import check_instances
from remit.drivers.pydantic_ai import PydanticAIDriver
from remit.errors import SetupError
from remit.workers.definition import WorkerDefinition
from remit.workers.name_checks import check_names
from remit.workers.reader import read_workers
from remit.workers.run_template import RunTemplate
from remit.workers.source import WorkerFileError

AnyCallee = Callee[..., Any]


def load_workers(
    folder: Path,
    *,
    tools: Iterable[AnyCallee] = (),
    driver: AgentDriver | None = None,
    transform: Callable[[Agent], Agent] | None = None,
) -> tuple[Agent, ...]:
    """Load the agents of the files ``*.worker`` in a folder, sorted by file. They may call one another recursively.

    Args:
        folder: where the files are.
        tools: the tools that the files may name.
        driver: runs the agents; by default one `PydanticAIDriver` for all of them.
        transform: applied to each agent before the others link to it, for example to attach a layer.

    Raises:
        WorkerFileError: with all errors in the files, each with its line.
    """
    if transform is not None:
        check_callback("load_workers: transform", transform, "agent", is_async=False)
    definitions = read_workers(folder)
    callees = check_callees("load_workers: tools", tools)
    hint = "" if callees else "write it as package.module:NAME, or pass it to load_workers as one of tools="
    names = {tool.name for tool in callees} | imported_names(definitions)
    findings = check_names(definitions, names, no_tools_hint=hint)
    if findings:
        raise WorkerFileError(findings)
    team: dict[str, Agent] = {}
    shared = driver or PydanticAIDriver()
    for definition in definitions:
        agent = build_agent(definition, tools=callees, workers=team, driver=shared)
        team[definition.name] = agent if transform is None else transform(agent)
    return tuple(team.values())


def build_agent(
    definition: WorkerDefinition,
    *,
    tools: Iterable[AnyCallee] = (),
    workers: Mapping[str, AnyCallee] | None = None,
    model: AnyModel | None = None,
    driver: AgentDriver | None = None,
    agent_layers: Stack[AgentLayer] | None = None,
    parallel: int = 8,
) -> Agent:
    """Build the agent of a definition.

    Args:
        definition: the contents of a file.
        tools: its tools, by name.
        workers: its workers, by name; may be filled until the agent's tools are first needed.
        model: the model, instead of the one that the file names.
        driver: runs the agent; by default a `PydanticAIDriver`.
        agent_layers: layers around the calls that the agent makes.
        parallel: how many calls of one answer may run at once.
    """
    check_instances("build_agent", definition=(definition, WorkerDefinition))
    own = {**{tool.name: tool for tool in check_callees("build_agent: tools", tools)}, **definition.tool_objects}
    callees = _Callees(definition, own, {} if workers is None else workers)
    shared = definition.shared_settings()
    shared["description"] = definition.description or f"The worker {definition.name}."
    agent = Agent(
        **shared,
        instructions=definition.template,
        run_instructions=RunTemplate(definition.run_instructions) if definition.run_instructions else "",
        tools=LazyTools(callees.resolve, len(definition.tools) + len(definition.workers)),
        handoffs=definition.handoffs,
        tool_scope="listed" if definition.delegates is None else definition.delegates,
        provider_tools=definition.provider_tools,
        model=model or definition.model or None,
        driver=driver or PydanticAIDriver(),
        parallel=parallel,
        agent_layers=agent_layers,
        source=definition,
    )
    callees.itself = agent
    return agent


def definition_of(callee: object) -> WorkerDefinition | None:
    """The contents of the file that defines an agent; None for any other callee."""
    source = callee.source if isinstance(callee, Agent) else None
    return source if isinstance(source, WorkerDefinition) else None


def imported_names(definitions: Iterable[WorkerDefinition]) -> set[str]:
    """The names of the tools that the files import themselves."""
    return {name for each in definitions for name in each.tool_objects}


class _Callees:
    """Finds the callees that a definition names."""

    def __init__(
        self, definition: WorkerDefinition, tools: Mapping[str, AnyCallee], workers: Mapping[str, AnyCallee]
    ) -> None:
        self.itself: Agent | None = None
        self._definition = definition
        self._tools = tools
        self._workers = workers

    def resolve(self) -> Iterator[AnyCallee]:
        """The tools and the workers, in the order of the file.

        Raises:
            SetupError: a tool or worker is missing.
        """
        for index, name in enumerate(self._definition.tools):
            yield self._require("tools", index, name, self._tools.get(name))
        for index, name in enumerate(self._definition.workers):
            own = self.itself if name == self._definition.name else None
            found = self._workers.get(name) or own or self._tools.get(name)
            yield self._require("workers", index, name, found)

    def _require(self, key: str, index: int, name: str, found: AnyCallee | None) -> AnyCallee:
        if found is None:
            at = self._definition.locate(key, index)
            raise SetupError(
                f"{f'{at}: ' if at else ''}worker {self._definition.name} lists {name!r} in its {key}, but it does "
                "not exist; pass it to build_agent, or correct the name"
            )
        return found
