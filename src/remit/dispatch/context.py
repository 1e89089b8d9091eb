"""The context of one call: what a body sees, and the only way to make another call."""

from __future__ import annotations

from typing import Any, ParamSpec, Protocol, TypeVar, overload

from remit.contracts.arguments import Arguments, Limits, parse
from remit.contracts.call import Call, CallService
from remit.contracts.callee import Actor, Callee, Payload, Tools
from remit.contracts.facts import Effect
from remit.contracts.items import Note
from remit.contracts.ledger import Ledger
from remit.contracts.principal import Caller
from remit.contracts.question import digest
from remit.contracts.reply import UNREAD, Reply
from remit.contracts.secret import redacted, redacted_content
from remit.contracts.step import Prepared
from remit.dispatch.by_name import ByName, said
from remit.dispatch.noting import noted, shown
from remit.dispatch.registry import AnyCallee
from remit.errors import ContractError, InvalidError, OutputError

P = ParamSpec("P")
Out = TypeVar("Out")


class Dispatch(Protocol):
    """What a context asks of the door."""

    @property
    def limits(self) -> Limits:
        """How much a call may carry."""
        ...

    def service(self, agent: str, callee: AnyCallee, caller: Caller | None = None) -> CallService:
        """The onion around ``callee`` for calls that ``caller`` makes as ``agent``."""
        ...

    def below(self, callee: AnyCallee, call: Call) -> Caller:
        """Who makes the calls of the body of ``callee``, which ``call`` runs."""
        ...

    def offered(self, caller: Caller, name: str) -> AnyCallee:
        """What a model means by ``name``."""
        ...

    def find(self, caller: Caller, name: str) -> AnyCallee:
        """What Python code means by ``name``."""
        ...

    def find_alias(self, caller: Caller, alias: str) -> AnyCallee:
        """What Python code means by an attribute ``alias``."""
        ...


class BodyFrame:
    """The context of the call ``call``, whose body is about to run."""

    __slots__ = (
        "_below",
        "_busy",
        "_call",
        "_callee",
        "_dispatch",
        "_may_go",
        "_notes",
        "_over",
        "_seen",
        "caller",
        "id",
        "key",
        "ledger",
    )

    def __init__(self, call: Call, callee: AnyCallee, dispatch: Dispatch) -> None:
        self.id = call.id
        self.key = call.id
        self.caller = call.caller
        self.ledger: Ledger = call.ledger
        self._call = call
        self._dispatch = dispatch
        self._callee = callee
        self._below: Caller | None = None
        self._seen: dict[str, int] = {}
        self._may_go: dict[str, bool] = {}
        self._busy = 0
        self._over = False
        known = self.ledger.known(call.id)
        self._notes = [(item.name, item.data) for item in known if isinstance(item, Note)] if known else []

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
        return ByName(self._call_alias)

    def log(self, message: str, /, **fields: object) -> None:
        """Say something to whoever watches."""
        self._note("log", {"message": message, **fields})

    def emit(self, name: str, data: object = None, /) -> None:
        """Tell progress to whoever watches."""
        self._note(name, data)

    @overload
    async def call(self, callee: Callee[P, Out], /, *args: P.args, **kwargs: P.kwargs) -> Out: ...
    @overload
    async def call(self, callee: str, payload: Payload | None = None, /, **arguments: Any) -> Any: ...
    async def call(self, callee: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a callee with what its function takes, or one by its name with a payload."""
        if isinstance(callee, str):
            return await self._call_named(self._dispatch.find(self._calling(), callee), *args, **kwargs)
        called: AnyCallee = callee
        try:
            arguments = called.arguments
        except AttributeError:
            raise InvalidError(
                f"ctx.call({shown(callee)}) in {self._callee.name}: give the tool, agent or worker itself, or its name"
            ) from None
        return await self._value(called, arguments(*args, **kwargs))

    def prepare(self, name: str, arguments: str, wire: str) -> Prepared:
        """The call of the tool of that name with a model's raw arguments."""
        callee = self._dispatch.offered(self._calling(), name)
        call = self._identify(callee, parse(arguments or "{}", self._dispatch.limits), wire)
        return lambda: self._make(callee, call)

    def end(self) -> None:
        """The body has ended: what it left behind makes no more calls."""
        self._over = True

    def handed_to(self, actor: Actor[..., Any], /) -> BodyFrame:
        """This frame for an actor that goes on in its place; the ids of calls count on."""
        frame = BodyFrame(self._call, actor, self._dispatch)
        frame._seen = self._seen
        return frame

    async def _call_alias(self, alias: str, payload: Payload | None, values: dict[str, Any]) -> Any:
        return await self._call_named(self._dispatch.find_alias(self._calling(), alias), payload, **values)

    async def _call_named(self, callee: AnyCallee, payload: Payload | None = None, /, **values: Any) -> Any:
        return await self._value(callee, said(callee, payload, values, self._dispatch.limits))

    async def _value(self, callee: AnyCallee, arguments: Arguments) -> Any:
        return value_of(callee, await self._make(callee, self._identify(callee, arguments, "")))

    async def reply(self, callee: AnyCallee, arguments: str, /) -> Reply:
        """The reply of a callee to arguments as text."""
        return await self._make(callee, self._identify(callee, parse(arguments, self._dispatch.limits), ""))

    def _identify(self, callee: AnyCallee, arguments: Arguments, wire: str) -> Call:
        """The call, with an id that is content: this call, the callee, the arguments, which time."""
        caller = self._calling()
        same = digest(self.id, callee.name, arguments.identity())
        occurrence = self._seen.get(same, 0)
        self._seen[same] = occurrence + 1
        ident = digest(same, str(occurrence))
        self._may_go[ident] = self.ledger.claim(self.id, ident)
        return Call(ident, callee, arguments, caller, self.ledger, wire, self._call.deadline)

    def _calling(self) -> Caller:
        """Who makes the calls of this body; most bodies make none.

        Raises:
            ContractError: it touches the world itself, so it may be run again, or not at all, whatever it called; or
                the body has ended.
        """
        if self._over:
            raise ContractError(f"{self._callee.name} has ended, and calls no other tool; await each call in its body")
        if self._below is None:
            if self._callee.facts.effect is not Effect.COMPOSED:
                raise ContractError(
                    f"{self._callee.name} is {self._callee.facts.effect.value} and calls no other tool; "
                    f"ask for a Context, and declare effect=Effect.COMPOSED"
                )
            self._below = self._dispatch.below(self._callee, self._call)
        return self._below

    async def _make(self, callee: AnyCallee, call: Call) -> Reply:
        if not self._may_go.pop(call.id):
            await self.ledger.others_claimed(self.id, call.id, lambda: self._busy > 0)
        self._busy += 1
        try:
            return await self._dispatch.service(call.caller.agent, callee, call.caller)(call)
        finally:
            self._busy -= 1

    def _note(self, name: str, data: object) -> None:
        said = (redacted(name), redacted_content(noted(data)))
        if said in self._notes:
            self._notes.remove(said)
        else:
            self.ledger.add(Note(call=self.id, name=said[0], data=said[1]))


def value_of(callee: AnyCallee, reply: Reply) -> Any:
    """The value of a good reply, read from its content where only that is known; the error of a bad one, raised."""
    if reply.outcome != "ok":
        reply.fail()
    if reply.value is not UNREAD:
        return reply.value
    try:
        return callee.schema_out.load(reply.content)
    except ValueError as error:
        if reply.ends:
            return reply.content  # it is the end of a run, whichever call below gave it
        raise OutputError(f"the journal's result of {callee.name} is not what its contract says today") from error
