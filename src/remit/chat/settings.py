"""The settings of a model request, as every driver sends them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)

from remit.record.secret import SecretRef
from remit.schemas.jsontext import canonical_text
from remit.schemas.settings import with_setup_errors

ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]

TOOL_CHOICES: Final = ("auto", "none", "required")
"""The values of `ModelSettings.tool_choice` that are not the name of a tool."""
_HEADER: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OWN_KEYS: Final = frozenset({"model", "messages", "tools", "stream", "stream_options", "n"})
"""The members of a request body that Remit writes itself."""


@with_setup_errors
class ModelSettings(BaseModel):
    """The settings of a model request. Unset settings are not sent, so the model uses its defaults.

    They are part of the digest of each request, so a replay detects a change.

    Raises:
        SetupError: a value is invalid, two values contradict each other, or a setting is unknown. One line.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, strict=True, allow_inf_nan=False)

    temperature: float | None = Field(default=None, ge=0, description="How random the answer is; 0 for the least.")
    top_p: float | None = Field(
        default=None, gt=0, le=1, description="Choose among the tokens with this share of probability."
    )
    max_tokens: int | None = Field(default=None, ge=1, description="The most tokens of an answer.")
    max_completion_tokens: int | None = Field(
        default=None,
        ge=1,
        description="The same, with the tokens of reasoning: newer models of OpenAI refuse `max_tokens`.",
    )
    reasoning_effort: ReasoningEffort | None = Field(
        default=None, description="How much the model thinks: `none`, `minimal`, `low`, `medium`, `high`, …"
    )
    tool_choice: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] | None = Field(
        default=None,
        description="`auto`, `none`, `required`, or the name of a tool. Only the first request of a call of the agent "
        "makes the model call a tool; the later ones leave it free.",
    )
    parallel_tool_calls: bool | None = Field(default=None, description="Whether one answer may have several calls.")
    response_format: dict[str, JsonValue] | None = Field(
        default=None, description="Such as `{type: json_object}`. The schema of a typed result is sent without it."
    )
    seed: int | None = Field(default=None, description="Makes answers repeatable, where the model can.")
    stop: tuple[Annotated[str, Field(min_length=1)], ...] = Field(
        default=(), strict=False, max_length=16, description="Texts at which the model stops."
    )
    extra_body: dict[str, JsonValue] = Field(
        default_factory=dict[str, JsonValue], description="More fields of the request's body, as the provider has them."
    )
    extra_headers: dict[str, SecretRef] = Field(
        default_factory=dict[str, str],
        description="More headers. Each value is a reference to a secret, `env:NAME`, of which the journal never has "
        "the value.",
    )

    @field_validator("temperature", "top_p", mode="wrap")
    @classmethod
    def _keep_integers(cls, value: Any, validate: ValidatorFunctionWrapHandler) -> float | None:
        """Keep integers, because the digests of recorded requests distinguish 1 from 1.0."""
        checked: float | None = validate(value)
        return value if isinstance(value, int) else checked

    @field_validator("stop", mode="before")
    @classmethod
    def _check_stop(cls, value: object) -> object:
        if isinstance(value, (str, Mapping)):
            raise ValueError("give a list of texts")  # noqa: TRY004 - pydantic converts this one alone
        return value

    @field_validator("extra_headers")
    @classmethod
    def _check_headers(cls, headers: dict[str, str]) -> dict[str, str]:
        for name, reference in headers.items():
            if not _HEADER.fullmatch(name):
                raise ValueError(f"{name!r} is not the name of a header")
            if not reference.startswith("env:"):
                raise ValueError(f"{name} refers to {reference.partition(':')[0]}:…; write env:NAME")
        return headers

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        if self.max_tokens is not None and self.max_completion_tokens is not None:
            raise ValueError("max_tokens and max_completion_tokens contradict each other; keep one")
        for name in self.extra_body:
            if name in _OWN_KEYS or name in type(self).model_fields:
                remedy = "Remit writes it" if name in _OWN_KEYS else f"write {name}=…"
                raise ValueError(f"extra_body cannot set {name!r}; {remedy}")
        return self

    @property
    def output_limit(self) -> int | None:
        """The maximum tokens of an answer; None for the endpoint's limit."""
        return self.max_tokens if self.max_completion_tokens is None else self.max_completion_tokens

    @cached_property
    def values(self) -> dict[str, Any]:
        """The set values by name, as JSON. Headers are references."""
        if not self.model_fields_set:
            return {}
        dumped: dict[str, Any] = self.model_dump(mode="json") | {"temperature": self.temperature, "top_p": self.top_p}
        return {name: value for name, value in dumped.items() if value not in (None, [], {})}

    @cached_property
    def digest_text(self) -> str:
        """The text of the settings for a request's digest."""
        text = f"|{self.temperature!r}|{self.max_tokens!r}"
        others = {name: value for name, value in self.values.items() if name not in ("temperature", "max_tokens")}
        return f"{text}|{canonical_text(others)}" if others else text

    def update(self, **changes: Any) -> Self:
        """Return these settings with changes; None unsets one.

        Raises:
            SetupError: as for the constructor.
        """
        values = {name: getattr(self, name) for name in self.model_fields_set} | changes
        return type(self)(**{name: value for name, value in values.items() if value is not None})

    def for_turn(self, turn: int) -> Self:
        """The settings of an agent's n-th request. Only the first request forces a tool call."""
        return self if turn == 1 or self.tool_choice in (None, "auto", "none") else self.update(tool_choice=None)

    @property
    def forced_tool(self) -> str:
        """The tool that the model must call first; empty if it may choose."""
        return self.tool_choice if self.tool_choice is not None and self.tool_choice not in TOOL_CHOICES else ""

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Print only what is set."""
        yield from self.values.items()


NO_SETTINGS: Final = ModelSettings.model_construct()
"""The empty settings of an agent without settings, made without validation to save import time."""
