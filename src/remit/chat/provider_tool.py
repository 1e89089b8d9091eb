"""Tools that run at the model's provider, with the options that limit them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final, Literal, Self, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from remit.core.checks import as_tuple, wrong_value
from remit.errors import SetupError
from remit.schemas.jsontext import canonical_text
from remit.schemas.settings import with_setup_errors
from remit.schemas.suggestions import suggest

ProviderToolName = Literal["code_execution", "image_generation", "web_fetch", "web_search", "x_search"]
PROVIDER_TOOLS: Final[tuple[str, ...]] = get_args(ProviderToolName)
"""The provider tools that need no configuration. They run at the provider, and Remit does not govern them."""
_WITH_OPTIONS: Final = ("web_search", "web_fetch")
_Domain = Annotated[str, Field(pattern=r"^[^\s/:]+$")]


def _as_domains(given: Sequence[str]) -> tuple[str, ...]:
    if not given:  # an empty list would not limit anything
        raise ValueError("is empty; name a domain, or leave it out for no limit")
    return tuple(given)


_Domains = Annotated[Sequence[_Domain], AfterValidator(_as_domains), Field(max_length=100)]


@with_setup_errors
class ProviderTool(BaseModel):
    """A tool that runs at the model's provider, with limits that the provider applies. No layer of Remit governs it.

    Raises:
        SetupError: an option is invalid, or the tool has no such option.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True, strict=True)

    name: str = Field(description="Such as `web_search`.")
    max_uses: int | None = Field(default=None, ge=1, description="How often the model may use it in one answer.")
    allowed_domains: _Domains = Field(default=(), description="The only domains that it may reach, like `example.com`.")
    blocked_domains: _Domains = Field(default=(), description="The domains that it must not reach.")

    @model_validator(mode="after")
    def _check_options(self) -> Self:
        if self.options and self.name not in _WITH_OPTIONS:
            raise ValueError(f"{self.name} has no {next(iter(self.options))}; only {' and '.join(_WITH_OPTIONS)} have")
        if self.allowed_domains and self.blocked_domains:
            raise ValueError(
                f"{self.name} has allowed_domains and blocked_domains; keep one: providers accept only one"
            )
        return self

    @property
    def options(self) -> dict[str, Any]:
        """The options that are set, as JSON."""
        values: dict[str, Any] = self.model_dump(mode="json", exclude={"name"})
        return {name: value for name, value in values.items() if value not in (None, [])}

    def __str__(self) -> str:
        return f"{self.name} {canonical_text(self.options)}" if self.options else self.name


def as_provider_tools(where: str, given: Iterable[str | ProviderTool]) -> tuple[ProviderTool, ...]:
    """Convert names to tools without options; one name is a tuple of one.

    Raises:
        SetupError: an item is neither a name nor a `ProviderTool`, or occurs twice.
    """
    listed: Iterable[object] = (given,) if isinstance(given, (str, ProviderTool)) else as_tuple(where, given)
    tools: dict[str, ProviderTool] = {}
    for each in listed:
        if not isinstance(each, (str, ProviderTool)):
            raise wrong_value(
                f"an item of {where}", each, "give the name of a tool, or ProviderTool(name=…, max_uses=…)"
            )
        tool = ProviderTool(name=each) if isinstance(each, str) else each
        if tool.name not in PROVIDER_TOOLS:
            raise SetupError(f"{where}: no provider has the tool {tool.name!r}; {suggest(tool.name, PROVIDER_TOOLS)}")
        if tools.setdefault(tool.name, tool) is not tool:
            raise SetupError(f"{where} has {tool.name!r} twice; remove one")
    return tuple(tools.values())
