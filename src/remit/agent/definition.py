"""The definition of an agent, as its driver reads it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, Field

from remit.agent.attachments import ATTACHMENTS_FIELD, Attachment
from remit.agent.governed import Elsewhere, Grants, Ungoverned, Wraps
from remit.agent.limits import AgentLimits
from remit.agent.prompt import Prompt, PromptWithFiles
from remit.agent.run_instructions import RunInstructions, check_run_instructions
from remit.agent.setting import NoKey, declare, value
from remit.agent.settings import AgentSettings
from remit.agent.stop import CostUsed, walk_policy
from remit.call.call import AgentLayer, CallLayer, ModelLayer, to_agent_layers, to_call_layers
from remit.call.contract import check_name
from remit.chat.provider_tool import ProviderTool, as_provider_tools
from remit.core import Stack
from remit.core.checks import as_items, as_texts, as_tuple_of, check_text
from remit.errors import RequestError, SetupError
from remit.layers.retry_model import RetryModel
from remit.layers.timeout import Timeout
from remit.record.artifact import Artifact, Files
from remit.schemas.jsontext import canonical_text
from remit.shown import show_id


class InstructionsTemplate(Protocol):
    """Instructions that depend on the input, like the prompt of a `.worker` file."""

    @property
    def source(self) -> str:
        """The template with all its includes. The lock of an inventory holds its digest."""
        ...

    def render(self, fields: Mapping[str, object], /) -> str:
        """Render the system message for the fields of an input. Must depend on them alone, so that runs can be resumed.

        Raises:
            CallError: the template cannot be rendered for this input.
        """
        ...


class AgentSource(Protocol):
    """The place of an agent's definition, for error messages."""

    @property
    def where(self) -> str:
        """``file:line``."""
        ...


def _as_instructions(given: str | InstructionsTemplate, what: str = "") -> str | InstructionsTemplate:
    if not hasattr(given, "render"):
        check_text(what, given)
    return given


def _as_run_instructions(given: RunInstructions, what: str = "") -> RunInstructions:
    check_run_instructions(what, given)
    return given


def _as_scope(
    given: Iterable[str] | Literal["listed"] | None, what: str = ""
) -> frozenset[str] | Literal["listed"] | None:
    if given is None:
        return None
    if isinstance(given, str) and given == "listed":
        return "listed"
    return as_texts(what, as_items(what, given))


def _as_hosted_tools(given: Iterable[str | ProviderTool], what: str = "") -> tuple[ProviderTool, ...]:
    return as_provider_tools(what, given)


def _as_layers(given: Stack[AgentLayer] | None, _what: str = "") -> Stack[AgentLayer]:
    return Stack() if given is None else given


@value
class AgentDefinition(AgentSettings):
    """An agent as its driver knows it: its settings, without its tools, its model and its peers.

    Raises:
        ContractError, SetupError: a setting is invalid, or two contradict each other.
    """

    instructions: str | InstructionsTemplate = declare(
        "The system message, or a template of the input's fields.",
        converter=_as_instructions,
        key=NoKey("it is the prompt below the front matter"),
        governed=Elsewhere("the digest of the texts"),
    )
    run_instructions: RunInstructions = declare(
        "What differs from run to run, such as the date: a text, or a function of a `RunInfo`. A message of its own "
        "before the user's, so that model providers can cache instructions and tools.",
        default="",
        converter=_as_run_instructions,
        governed=Elsewhere("the digest of the texts"),
    )
    added_scope: frozenset[str] | Literal["listed"] | None = declare(
        'Names that agents and tools below it may call in addition to its own tools; `"listed"` for those that the '
        "agents below it list, as long as these do not narrow. Default: no restriction.",
        default=None,
        converter=_as_scope,
        alias="tool_scope",
        key="delegates",
        governed=Grants("have others below it call", lambda agent: agent.tool_scope),
    )
    hosted_tools: tuple[ProviderTool, ...] = declare(
        "Tools that run at the model's provider, by name or as `ProviderTool`. No layer governs them.",
        default=(),
        converter=_as_hosted_tools,
        alias="provider_tools",
        key="builtin_tools",
        governed=Grants("use the provider's tool"),
    )
    parallel: Annotated[int, Field(ge=1)] = declare(
        "How many calls of one answer run at once.",
        default=8,
        key=NoKey("the program that builds the agent knows what it can run at once: `build_agent(parallel=…)`"),
        governed=Ungoverned("the same calls are made, at once or one after another"),
    )
    agent_layers: Stack[AgentLayer] = declare(
        "Layers around its calls, its model requests and its steps; see `Agent.layer`.",
        default=None,
        converter=_as_layers,
        key=NoKey("layers are objects of Python: `load_workers(transform=…)` attaches them"),
        governed=Wraps(lambda agent: (*agent.agent_layers, *agent.layers), "layers"),
    )
    source: AgentSource | None = declare(
        "The place of its definition, for error messages.",
        default=None,
        key=NoKey("it is the file"),
        governed=Ungoverned("it changes nothing that the agent does"),
    )

    def __post_init__(self) -> None:
        check_name(self.name, "an agent")
        super().__post_init__()
        values = vars(self)
        values["description"] = self.description or f"The agent {self.name}."
        values["agent_layers"] = to_agent_layers(self.name, self.agent_layers)

    @property
    def provider_tools(self) -> tuple[str, ...]:
        """The names of tools that run at the model's provider."""
        return tuple(each.name for each in self.hosted_tools)

    @property
    def limits_cost(self) -> bool:
        """Whether the prices of its models must be known."""
        return self.limits.cost is not None or any(isinstance(each, CostUsed) for each in walk_policy(self.stop))

    @property
    def call_layers(self) -> Stack[CallLayer]:
        """The layers around the calls that the agent makes."""
        return Stack(*(layer for layer in self.agent_layers if isinstance(layer, CallLayer)))

    @property
    def model_layers(self) -> Stack[ModelLayer]:
        """The layers around its model requests, with a `RetryModel` next to the model if the agent has none."""
        layers = [layer for layer in self.agent_layers if isinstance(layer, ModelLayer)]
        has_retry = any(isinstance(layer, RetryModel) for layer in layers)
        return Stack(*layers) if has_retry else Stack(*layers, RetryModel())

    def render_instructions(self, payload: BaseModel) -> str:
        """Render the system message for a payload. A template sees the name and type of attachments, not the content.

        Raises:
            InvalidArgumentsError, InternalError: a template cannot be rendered for this payload.
        """
        if isinstance(self.instructions, str):
            return self.instructions
        fields = self._dump_payload(payload)
        if self.attachments is not None:
            fields[ATTACHMENTS_FIELD] = [
                {"name": each["name"], "media_type": each["media_type"]} for each in fields[ATTACHMENTS_FIELD]
            ]
        return self.instructions.render(fields)

    def render_message(self, payload: BaseModel) -> str:
        """Render the user message for a payload, without attachments: the prompt, or else canonical JSON."""
        if isinstance(payload, PromptWithFiles):
            return payload.to_text()
        if isinstance(payload, Prompt):
            return payload.prompt
        fields = self._dump_payload(payload)
        if self.attachments is not None:
            del fields[ATTACHMENTS_FIELD]
        return canonical_text(fields)

    @property
    def takes_files(self) -> bool:
        """Whether its input takes files."""
        return issubclass(self.input, PromptWithFiles)

    def file_fields(self, files: Files) -> dict[str, Any]:
        """The fields of an input with files.

        Raises:
            RequestError: the input takes no files. SetupError: they are not artifacts.
        """
        remedy = "give artifacts: await runtime.artifacts.add(Path(…), by=…)"
        files = as_tuple_of(Artifact, f"agent {self.name}", "files", files, remedy)
        if files and not self.takes_files:
            raise RequestError(f"agent {self.name} takes no files; give it input=PromptWithFiles")
        return {"files": files} if files else {}

    def get_attachments(self, payload: BaseModel) -> tuple[Attachment, ...]:
        """The attachments of a payload.

        Raises:
            InvalidArgumentsError: the policy refuses them.
        """
        if self.attachments is None:
            return ()
        attachments = tuple(dict(payload)[ATTACHMENTS_FIELD])
        self.attachments.check(attachments)
        return attachments

    def check_compatible(self, model_name: str) -> None:
        """Refuse a model that the agent does not support.

        Raises:
            SetupError: the model matches none of the patterns.
        """
        patterns = self.compatible_models
        if patterns and not any(fnmatchcase(model_name, each) for each in patterns):
            where = f" ({self.source.where})" if self.source is not None and self.source.where else ""
            only = ", ".join(map(show_id, patterns))
            raise SetupError(f"agent {self.name} does not support the model {model_name!r}, only {only}{where}")

    def _dump_payload(self, payload: BaseModel) -> dict[str, Any]:
        """The payload as JSON types, by alias."""
        fields: dict[str, Any] = json.loads(self.schema_in.dump_canonical(payload))
        return fields


def limit_layers(limits: AgentLimits) -> Stack[CallLayer]:
    """The layers that enforce the agent's limit on seconds."""
    return Stack() if limits.seconds is None else to_call_layers(Timeout(limits.seconds, of_all_executions=True))
