"""The context of one call: what a body sees, and the only way to make another call."""

from __future__ import annotations

from typing import Any, ParamSpec, Protocol, TypeVar, cast

from remit.contracts.arguments import Arguments, Limits, parse
from remit.contracts.call import Call, CallService
from remit.contracts.callee import Callee, ToolByName, Tools
from remit.contracts.items import Note
from remit.contracts.ledger import Ledger
from remit.contracts.principal import Caller
from remit.contracts.question import digest
from remit.contracts.reply import UNREAD, Reply
from remit.contracts.schema import content_of
from remit.contracts.secret import redacted, redacted_content
from remit.contracts.step import Prepared
from remit.dispatch.registry import AnyCallee
from remit.errors import OutputError

P = ParamSpec("P")
Out = TypeVar("Out")


class Dispatch(Protocol):
    """What a context asks of the door."""

    @property
    def limits(self) -> Limits:
        """How much a call may carry."""
        ...

    def service(self, agent: str, callee: AnyCallee) -> CallService:
        """The onion around ``callee`` for calls made as ``agent``."""
        ...

    def acts_as(self, callee: AnyCallee, caller: Caller) -> str:
        """The agent as which the body of ``callee`` makes its calls."""
        ...

    def find(self, agent: str, name: str) -> AnyCallee:
        """What ``name`` stands for to ``agent``."""
        ...


class BodyFrame:
    """The context of the call ``call``, whose body is about to run."""

    __slots__ = ("_agent", "_busy", "_call", "_dispatch", "_may_go", "_notes", "_seen", "caller", "id", "key", "ledger")

    def __init__(self, call: Call, callee: AnyCallee, dispatch: Dispatch) -> None:
        self.id = call.id
        self.key = call.id
        self.caller = call.caller
        self.ledger: Ledger = call.ledger
        self._call = call
        self._dispatch = dispatch
        self._agent = dispatch.acts_as(callee, call.caller)
        self._seen: dict[str, int] = {}
        self._may_go: dict[str, bool] = {}
        self._busy = 0
        known = self.ledger.known(call.id)
        self._notes = [(item.name, item.data) for item in known if isinstance(item, Note)]

    @property
    def run(self) -> str:
        """The id of the run."""
        return self.caller.run

    @property
    def deadline(self) -> float | None:
        """When a result is due, on the loop's clock."""
        return self._call.deadline

    @property
    def tools(self) -> Tools:
        """The tools of the agent as which this call was made, by name."""
        return ByName(self)

    def log(self, message: str, /, **fields: object) -> None:
        """Say something to whoever watches."""
        self._note("log", {"message": message, **fields})

    def emit(self, name: str, data: object = None, /) -> None:
        """Tell progress to whoever watches."""
        self._note(name, data)

    async def call(self, callee: Callee[P, Out], /, *args: P.args, **kwargs: P.kwargs) -> Out:
        """Call a callee with what its function takes."""
        reply = await self._make(callee, self._identify(callee, callee.arguments(*args, **kwargs), ""))
        return cast("Out", value_of(callee, reply))

    def prepare(self, name: str, arguments: str, wire: str) -> Prepared:
        """The call of the tool of that name with a model's raw arguments."""
        callee = self._dispatch.find(self._agent, name)
        call = self._identify(callee, parse(arguments or "{}", self._dispatch.limits), wire)
        return lambda: self._make(callee, call)

    async def call_by_name(self, name: str, values: dict[str, Any]) -> Any:
        """Call the tool of that name with keyword arguments; the value, or the error raised."""
        callee = self._dispatch.find(self._agent, name)
        call = self._identify(callee, parse(content_of(values), self._dispatch.limits), "")
        return value_of(callee, await self._make(callee, call))

    def _identify(self, callee: AnyCallee, arguments: Arguments, wire: str) -> Call:
        """The call, with an id that is content: this call, the callee, the arguments, which time."""
        same = digest(self.id, callee.name, arguments.identity())
        occurrence = self._seen.get(same, 0)
        self._seen[same] = occurrence + 1
        caller = self.caller
        ident = digest(same, str(occurrence))
        self._may_go[ident] = self.ledger.claim(self.id, ident)
        return Call(
            ident,
            callee,
            arguments,
            Caller(
                caller.run,
                self._agent,
                self.id,
                caller.depth + 1,
                caller.principal,
                caller.conversation,
                caller.application,
            ),
            self.ledger,
            wire,
            self._call.deadline,
        )

    async def _make(self, callee: AnyCallee, call: Call) -> Reply:
        if not self._may_go.pop(call.id):
            await self.ledger.others_claimed(self.id, call.id, lambda: self._busy > 0)
        self._busy += 1
        try:
            return await self._dispatch.service(self._agent, callee)(call)
        finally:
            self._busy -= 1

    def _note(self, name: str, data: object) -> None:
        said = (redacted(name), redacted_content(content_of(data)))
        if said in self._notes:
            self._notes.remove(said)
        else:
            self.ledger.add(Note(call=self.id, name=said[0], data=said[1]))


class ByName:
    """Tools as attributes: ``await ctx.tools.cms_getPage(slug="about")``."""

    __slots__ = ("_frame",)

    def __init__(self, frame: BodyFrame) -> None:
        self._frame = frame

    def __getattr__(self, name: str) -> ToolByName:
        frame = self._frame

        async def call(**arguments: Any) -> Any:
            return await frame.call_by_name(name, arguments)

        return call


def value_of(callee: AnyCallee, reply: Reply) -> Any:
    """The value of a good reply, read from its content where only that is known; the error of a bad one, raised."""
    if reply.outcome != "ok":
        reply.fail()
    if reply.value is not UNREAD:
        return reply.value
    try:
        return callee.schema_out.load(reply.content)
    except ValueError as error:
        raise OutputError(f"the journal's result of {callee.name} is not what its contract says today") from error
