"""Makes tools of what was accepted of a source. What a source says of its tools can only restrict them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from pydantic import PositiveFloat

from remit.call.call import Call
from remit.call.callee import LeafContext
from remit.call.facts import Effect, EffectName, FactOptions, Risk, RiskName
from remit.call.gate import Gate
from remit.call.tool import Tool
from remit.core.call_checks import check_arguments
from remit.errors import BlockedError, CallError
from remit.sources.offer import Offer

_FORBIDDEN: Final = re.compile(r"[^A-Za-z0-9_-]+")
_MOST_NAME: Final = 64
_MOST_DESCRIPTION: Final = 4000

CallTool = Callable[[str, LeafContext, dict[str, Any]], Awaitable[Any]]
"""Calls a tool of a source by the name that the source gave it."""

WhyClosed = Callable[[str], CallError | None]
"""The error of a tool that must not be called now."""


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What a person says about the tools of a source, which the source itself cannot say.

    Args:
        effects: the effect of tools by their name in the source. A tool that is not listed is unsafe, and asked about.
        risks: the risk of tools by their name, instead of what follows from their annotations.
        permissions: what a principal must hold to call them; ``NAME:call`` by default.
        timeout: seconds for one call; None for no limit.
    """

    effects: Mapping[str, Effect | EffectName] = field(default_factory=dict[str, "Effect | EffectName"])
    risks: Mapping[str, Risk | RiskName] = field(default_factory=dict[str, "Risk | RiskName"])
    permissions: frozenset[str] | None = None
    timeout: PositiveFloat | None = None


@dataclass(frozen=True, slots=True)
class QuarantineGate(Gate):
    """Refuses the calls of a tool whose present offer was not accepted."""

    source: str
    tool: str
    why: WhyClosed = field(repr=False, compare=False)

    def why_closed(self, _callee: str, /) -> CallError | None:
        """The error if the tool is in quarantine or gone."""
        return self.why(self.tool)

    async def check(self, call: Call, /) -> None:
        """Refuse the call if the tool is in quarantine or gone."""
        if refused := self.why(self.tool):
            raise refused


def adopt_offer(source: str, name: str, offer: Offer, trust: Trust, call: CallTool, why: WhyClosed) -> Tool[..., Any]:
    """The tool of an accepted offer.

    Raises:
        ContractError: it cannot be a tool; the message gives the reason.
    """

    async def call_source(ctx: LeafContext, arguments: dict[str, Any]) -> Any:
        return await call(offer.name, ctx, arguments)

    description = (offer.description or offer.title).strip()[:_MOST_DESCRIPTION] or f"The tool {name} of {source}."
    facts = _choose_facts(source, offer, trust)
    made = Tool.from_schema(name, description, offer.input_schema, call_source, offer.output_schema, **facts)
    return made.layer(QuarantineGate(source, offer.name, why))


def choose_names(source: str, names: list[str]) -> dict[str, str]:
    """The names of tools that models see, by those in the source: with the name of the source before each."""
    chosen = dict[str, str]()
    for name in sorted(names):
        plain = _FORBIDDEN.sub("_", f"{source}_{name}")
        if len(plain) > _MOST_NAME or plain != f"{source}_{name}" or plain in chosen.values():
            mark = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
            plain = f"{plain[: _MOST_NAME - 9]}_{mark}"
        chosen[name] = plain
    return chosen


def why_in_quarantine(source: str, tool: str, reason: str) -> BlockedError:
    """The error for calls of a tool in quarantine."""
    return BlockedError(f"{tool} of {source} is in quarantine: {reason}; see: remit sources list")


def _choose_facts(source: str, offer: Offer, trust: Trust) -> FactOptions:
    """The facts of a tool. The annotations make it riskier, and never safer."""
    facts: FactOptions = {
        "permissions": {f"{source}:call"} if trust.permissions is None else trust.permissions,
        "egress": offer.annotations.get("openWorldHint") is True,
    }
    if trust.timeout is not None:
        facts["timeout"] = trust.timeout
    if offer.name in trust.effects:
        facts["effect"] = trust.effects[offer.name]
    if offer.name in trust.risks:
        facts["risk"] = trust.risks[offer.name]
    elif offer.annotations.get("destructiveHint") is True:
        facts["risk"] = Risk.HIGH
    return facts
