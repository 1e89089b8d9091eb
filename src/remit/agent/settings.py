"""The settings of an agent that programs and worker files share. Each is declared once, here."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from typing import Annotated, Any, ClassVar, Final, Literal, cast

from pydantic import BaseModel, Field

from remit.agent.attachments import ATTACHMENTS_FIELD, AttachmentPolicy, takes_attachments
from remit.agent.compaction import Compaction
from remit.agent.governed import Accepts, Bounds, Elsewhere, Grants, Noticed, Ungoverned
from remit.agent.limits import AgentLimits
from remit.agent.prompt import Prompt
from remit.agent.setting import declare, settings_of, value
from remit.agent.stop import StopPolicy
from remit.agent.tool_search import ToolSearch, as_tool_search
from remit.agent.working_memory import WorkingMemory
from remit.call.facts import Effect, Facts
from remit.call.schema import Input, Output
from remit.call.sentence_checks import check_sentences
from remit.chat.settings import NO_SETTINGS, ModelSettings
from remit.core.checks import as_text_tuple, as_texts, check_permission
from remit.errors import ContractError, SetupError

OutputMode = Literal["auto", "native", "tool"]
"""How a model gives a result that is not text: by the JSON schema of its API, or by calling ``final_result``."""

_FACTS: Final = Facts(effect=Effect.COMPOSED)


def _as_patterns(given: Iterable[str], what: str = "") -> tuple[str, ...]:
    return as_text_tuple(what, given)


def _as_permissions(given: Iterable[str] | None, what: str = "") -> frozenset[str] | None:
    if given is None:
        return None
    permissions, (owner, _, name) = as_texts(what, given), what.rpartition(": ")
    for each in permissions:
        check_permission(f"{owner}: an item of {name}", each)
    return permissions


def _as_limits(given: AgentLimits | None, _what: str = "") -> AgentLimits:
    return AgentLimits() if given is None else given


def _as_settings(given: ModelSettings | None, _what: str = "") -> ModelSettings:
    return NO_SETTINGS if given is None else given


def _as_tool_search(given: ToolSearch | int | None, _what: str = "") -> ToolSearch | None:
    return as_tool_search(given)


def _show_compaction(compaction: Compaction) -> str:
    """Leave out the model that writes the summaries, which depends on the deployment."""
    return f"{compaction.tokens} tokens, {compaction.kept_tokens} kept"


class _HasSchemas:
    """The input and the output of an agent."""

    _schemas: _Schemas

    # Pyright takes no cached property for an attribute of a protocol.
    schema_in: Input[Any] = cast("Input[Any]", cached_property(lambda self: self._schemas.schema_in))
    """The schema of its payload."""

    schema_out: Output[Any] = cast("Output[Any]", cached_property(lambda self: self._schemas.schema_out))
    """The schema of its result."""


@value
class AgentSettings(_HasSchemas):
    """The settings of an agent that are the same in Python and in a worker file.

    Raises:
        ContractError, SetupError: a setting is invalid, or two contradict each other.
    """

    noun: ClassVar = "agent"
    """Its name in error messages."""

    name: str = declare(
        "The canonical name.",
        kw_only=False,
        governed=Elsewhere("the name of the entry"),
    )
    description: str = declare(
        "When and why to call it, for its callers.",
        default="",
        example="Says what it does.",
        governed=Elsewhere("the digest of the texts"),
    )
    input: type[BaseModel] = declare(
        "The input, a pydantic model. Default: one field `prompt`.",
        default=Prompt,
        example="package.module:Question",
        governed=Elsewhere("the contract"),
    )
    output: Any = declare(
        "The type of the result, which is validated. Default: text.",
        default=str,
        example="package.module:Answer",
        governed=Elsewhere("the contract"),
    )
    compatible_models: tuple[str, ...] = declare(
        "Patterns like `openai:*`; the model must match one of them.",
        default=(),
        converter=_as_patterns,
        example='["openai:*", "local:base"]',
        governed=Grants("use the model", lambda agent: agent.compatible_models or None),
    )
    narrowed_permissions: frozenset[str] | None = declare(
        "The permissions of its caller that its calls may use. Default: all.",
        default=None,
        converter=_as_permissions,
        alias="permissions",
        example='["mail:read"]',
        governed=Grants("use the permission", field="narrowed_permissions"),
    )
    attachments: AttachmentPolicy | None = declare(
        "The files that it accepts with its input. Default: none.",
        default=None,
        example='{suffixes: [".pdf", ".png"], max_count: 4, max_bytes: 524288}',
        governed=Accepts(),
    )
    limits: AgentLimits = declare(
        "How much one call of it may use.",
        default=None,
        converter=_as_limits,
        example="{turns: 16, tool_calls: 20, tokens: 100000, seconds: 120}",
        governed=Bounds(),
    )
    stop: StopPolicy | None = declare(
        "When it is done. Default: its model calls no tool.",
        default=None,
        example='{called_tool: send_mail, turns_used: 8, all: {no_calls: true, has_text: "DONE:"}}',
        governed=Noticed(),
    )
    compaction: Compaction | None = declare(
        "When a history is shortened. Default: when it grows too long for its model.",
        default=None,
        example='{tokens: 100000, model: "openai:gpt-5-mini"}',
        governed=Noticed(_show_compaction),
    )
    memory: WorkingMemory | None = declare(
        "What it remembers of the entities in a conversation. Default: nothing.",
        default=None,
        example="{size: 10, per_kind: 3}",
        governed=Noticed(),
    )
    tool_search: ToolSearch | None = declare(
        "How its model finds tools where there are many; a number stands for `above`. Default: it sees them all.",
        default=None,
        converter=_as_tool_search,
        example="{above: 20, limit: 5}",
        governed=Noticed(),
    )
    settings: ModelSettings = declare(
        "The settings of each request to the model.",
        default=None,
        converter=_as_settings,
        example="{temperature: 0, max_tokens: 2000}",
        governed=Ungoverned("they suit the model, which each deployment chooses"),
    )
    output_mode: OutputMode = declare(
        "How the model gives a result that is not text: `native` (by the JSON schema of its API), `tool` (it calls "
        "`final_result`), or `auto`: native where a named model is known to have it.",
        default="auto",
        governed=Ungoverned("the result is validated in either mode"),
    )
    retries: Annotated[int, Field(ge=0, le=10)] = declare(
        "How often the model may correct an invalid result.",
        default=1,
        governed=Ungoverned("`limits.turns` bounds the requests"),
    )
    facts: Facts = declare(
        "The facts of its calls. Its effect is always composed.",
        default=_FACTS,
        example='{risk: safe, required_permissions: ["mail:sort"], tags: [mail]}',
        governed=Elsewhere("the facts"),
    )

    def __post_init__(self) -> None:
        if "_schemas" not in vars(self):
            vars(self)["_schemas"] = _Schemas(self.input, self.output)
        if self.facts.effect is not Effect.COMPOSED:
            raise ContractError(
                f"{self.noun} {self.name} is {self.facts.effect.value}; {self.noun}s are always composed"
            )
        if self.facts.says or self.facts.undo:
            check_sentences(self.name, self.facts, self.schema_in, self.schema_out)
        if takes_attachments(self.input) != (self.attachments is not None):
            raise ContractError(
                f"{self.noun} {self.name}: the input needs a field `{ATTACHMENTS_FIELD}: tuple[Attachment, ...]` if "
                f"and only if the {self.noun} has a policy for {ATTACHMENTS_FIELD}"
            )
        if self.settings.response_format is not None and not self.returns_text:
            raise SetupError(f"{self.noun} {self.name}: response_format and output contradict each other; keep output")

    def shared_settings(self) -> dict[str, Any]:
        """The settings declared here, by parameter."""
        return {each.name: getattr(self, each.attribute) for each in settings_of(AgentSettings)}

    @property
    def takes_prompt(self) -> bool:
        """Whether it can be called with a text alone."""
        return issubclass(self.input, Prompt)

    @property
    def returns_text(self) -> bool:
        """Whether the model's last message is the result. Otherwise the model calls ``final_result``."""
        return self.output is str


class _Schemas:
    """The schemas of an agent, which its copies share. Making one takes longer than a short call."""

    def __init__(self, payload: type[BaseModel], result: Any) -> None:
        self._payload, self._result = payload, result

    @cached_property
    def schema_in(self) -> Input[Any]:
        return _prompt_input() if self._payload is Prompt else Input(self._payload)

    @cached_property
    def schema_out(self) -> Output[Any]:
        return _text_output() if self._result is str else Output(self._result)


@cache
def _prompt_input() -> Input[Prompt]:
    return Input(Prompt)


@cache
def _text_output() -> Output[str]:
    return Output(str)
