"""What the client of a request is and can do, as it says with each request or at the beginning of its session."""

from __future__ import annotations

from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType, field

from remit.mcp.wire import INVALID_PARAMS, UNSUPPORTED_REVISION, ProtocolError

REVISION: Final = "2026-07-28"
"""The revision without sessions: each request says who sends it."""

SESSION_REVISIONS: Final = ("2025-11-25", "2025-06-18")
"""The revisions with sessions, the newest first. They begin with ``initialize``."""

TASKS: Final = "io.modelcontextprotocol/tasks"
"""The extension for calls whose result the client fetches later."""

TASKS_EXTENSION: Final[dict[str, dict[str, str]]] = {TASKS: {}}
"""How both sides declare it: it has no settings."""

_PREFIX: Final = "io.modelcontextprotocol/"
SERVER_INFO: Final = f"{_PREFIX}serverInfo"
META_REVISION: Final = f"{_PREFIX}protocolVersion"
META_CAPABILITIES: Final = f"{_PREFIX}clientCapabilities"
META_CLIENT: Final = f"{_PREFIX}clientInfo"


class Elicitation(Struct, kw_only=True):
    """How a client can ask its person. With neither mode it is the form."""

    form: dict[str, Any] | UnsetType = UNSET
    url: dict[str, Any] | UnsetType = UNSET


class Capabilities(Struct, kw_only=True):
    """What a client can do, as far as it matters here."""

    elicitation: Elicitation | UnsetType = UNSET
    extensions: dict[str, Any] = {}


class ClientInfo(Struct, kw_only=True):
    """The name by which a client calls itself, which nothing relies on."""

    name: str = ""


class Meta(Struct, kw_only=True):
    """What each request of `REVISION` says about its sender."""

    revision: str | UnsetType = field(default=UNSET, name=META_REVISION)
    capabilities: Capabilities | UnsetType = field(default=UNSET, name=META_CAPABILITIES)
    client: ClientInfo = field(default_factory=ClientInfo, name=META_CLIENT)


class Asked(Struct, kw_only=True):
    """The parameters that every request has."""

    meta: Meta = field(default_factory=Meta, name="_meta")


class Peer(Struct, frozen=True, kw_only=True):
    """The client of a request: its revision, and whether it can show a form or an address, and fetch a task."""

    revision: str
    can_form: bool = False
    can_url: bool = False
    can_fetch: bool = False

    @property
    def has_session(self) -> bool:
        """Whether its revision has sessions, in which the server sends requests too."""
        return self.revision != REVISION

    @staticmethod
    def of(revision: str, capabilities: Capabilities) -> Peer:
        """The client with these capabilities."""
        asks = capabilities.elicitation
        has_form, has_url = (
            (False, False) if asks is UNSET else (asks.form is not UNSET or asks.url is UNSET, asks.url is not UNSET)
        )
        return Peer(
            revision=revision,
            can_form=has_form,
            can_url=has_url and revision != SESSION_REVISIONS[-1],
            can_fetch=revision == REVISION and TASKS in capabilities.extensions,
        )


def read_peer(meta: Meta) -> Peer:
    """The client of a request that says itself who sends it.

    Raises:
        ProtocolError: it does not say all, or its revision is another one.
    """
    if meta.revision is UNSET or meta.capabilities is UNSET:
        raise ProtocolError(INVALID_PARAMS, f"_meta lacks {META_REVISION} or {META_CAPABILITIES}")
    if meta.revision != REVISION:
        raise refuse_revision(meta.revision)
    return Peer.of(meta.revision, meta.capabilities)


def refuse_revision(revision: str) -> ProtocolError:
    """The refusal of a revision."""
    supported = [REVISION, *SESSION_REVISIONS]
    data = {"supported": supported, "requested": revision}
    return ProtocolError(UNSUPPORTED_REVISION, f"this server speaks {', '.join(supported)}", data)
