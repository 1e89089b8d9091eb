"""The contexts of bodies, which have only the members of the protocols `LeafContext` and `Context`."""

from __future__ import annotations

from typing import Any, Final, cast

from remit.call.callee import Callee, Context, Frame, LeafContext, Tools
from remit.call.log import Log
from remit.call.reports import Report
from remit.record.principal import Caller

_CALLS: Final = ("call", "tools")


class LeafBodyContext:
    """A `LeafContext` over the context of the call."""

    __slots__ = ("__weakref__", "_context")

    def __init__(self, context: LeafContext) -> None:
        self._context = context

    @property
    def run(self) -> str:
        """The id of the run."""
        return self._context.run

    @property
    def caller(self) -> Caller:
        """The caller: agent, principal, tenant."""
        return self._context.caller

    @property
    def deadline(self) -> float | None:
        """The time by which a result is due, on the loop's clock; None for no limit."""
        return self._context.deadline

    @property
    def key(self) -> str:
        """The idempotency key of this call."""
        return self._context.key

    @property
    def log(self) -> Log:
        """Writes messages with a level to the journal and to the run's stream."""
        return self._context.log

    def emit(self, name: str | Report, data: object = None, /) -> None:
        """Report progress, or objects that the call changed or showed."""
        self._context.emit(name, data)

    async def last_seen(self, kind: str, object_id: str, /, *parts: str) -> dict[str, str]:
        """The state in which the conversation last saw each part of an object."""
        return await self._context.last_seen(kind, object_id, *parts)

    def __getattr__(self, name: str, /) -> Any:
        remedy = (
            "; take `ctx: Context` and declare effect=Effect.COMPOSED to call other tools" if name in _CALLS else ""
        )
        raise AttributeError(f"the context of a body has no member {name!r}{remedy}")


class BodyContext(LeafBodyContext):
    """A `Context` over the context of the call."""

    __slots__ = ()

    _context: Context

    def __init__(self, context: Context) -> None:
        super().__init__(context)

    @property
    def tools(self) -> Tools:
        """The tools that this call may use, by alias."""
        return self._context.tools

    async def call(self, callee: Callee[..., Any] | str, /, *args: Any, **kwargs: Any) -> Any:
        """Call a callee with the parameters of its function, or by its canonical name."""
        made: Any = self._context.call
        return await made(callee, *args, **kwargs)


def frame_of(context: LeafContext) -> Frame:
    """The frame behind a body's context, for code that runs in its place: a pipeline, or a narrowed tool."""
    whole = context._context if isinstance(context, LeafBodyContext) else context  # pyright: ignore[reportPrivateUsage]
    return cast("Frame", whole)
