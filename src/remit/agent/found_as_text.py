"""Whether an agent's model reads the definitions of the tools that it found as text, and calls them by `CALL_TOOL`.

The agent's setting decides, or else the endpoint of its model: if the endpoint caches the beginnings of requests
automatically, unchanged definitions cost a fraction of their price. The decision is on record, because a replay has no
model.
"""

from __future__ import annotations

from typing import Final

from remit.agent.model import AnyModel, origin_of
from remit.record.items import Note
from remit.record.ledger import Ledger

_NOTE: Final = "found tools are text for "
_CACHING_HOSTS: Final = ("api.openai.com", "generativelanguage.googleapis.com", "api.deepseek.com")
"""The endpoints that cache the beginning of each request without being asked, at a lower price."""


def caches_prefixes(model: AnyModel | None) -> bool:
    """Whether the endpoint of a model is known to cache the beginnings of requests automatically."""
    return origin_of(model).rpartition(" at ")[2] in _CACHING_HOSTS


def record_as_text(ledger: Ledger, call: str, agent: str, model: AnyModel) -> None:
    """Record the endpoint's choice at the beginning of a call of an agent without the setting."""
    if caches_prefixes(model) and not are_text(ledger, call, agent, None):
        ledger.add(Note(call=call, name=f"{_NOTE}{agent}", data="true"))


def are_text(ledger: Ledger, call: str, agent: str, said: bool | None) -> bool:  # noqa: FBT001 - a setting
    """Whether tools found in a call of an agent are text: by its setting ``said``, or else as recorded."""
    if said is not None:
        return said
    name = f"{_NOTE}{agent}"
    return any(isinstance(each, Note) and each.name == name for each in ledger.items_for(call))
