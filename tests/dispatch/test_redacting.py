"""What must not be seen is taken out in the base: before the journal, the model and Python callers get it."""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from remit import Effect, LeafContext, Tool, tool
from remit.dispatch.unwrapping import unwrap_reply
from remit.errors import (
    CallError,
    ConflictError,
    DivergedError,
    ExternalError,
    InternalError,
    InvalidOutputError,
    RateLimitedError,
    SetupError,
)
from remit.layers import Call, CallService, Redact, Reply, layer_fn
from remit.record.items import AttemptEnded, Note
from remit.record.secret import KNOWN_SECRETS
from remit.record.spelling import Spellings
from remit.secrets import Secret
from remit.tools import DID_NOT_HAPPEN, Happened
from tests.dispatch.kit import Bench, Crash, of_kind

VALUE = "sk_dispatch_83hf02"
SHOWN = "[secret env:DISPATCH]"


@pytest.fixture(autouse=True)
def register_secret() -> None:
    Secret("env:DISPATCH", VALUE)


def slipping(slip: Callable[[LeafContext], object]) -> Tool[[], Any]:
    @tool(effect=Effect.KEYED)
    async def leak(ctx: LeafContext) -> Any:
        """Leak."""
        return slip(ctx)

    return leak


def throws(error: BaseException, cause: BaseException | None = None) -> Callable[[LeafContext], object]:
    def throw(_ctx: LeafContext) -> object:
        raise error from cause

    return throw


@pytest.mark.parametrize("value", [{"key": VALUE}, Reply.from_value({"key": VALUE})], ids=["value", "reply"])
async def test_a_secret_in_a_result_is_in_neither_reply_nor_journal(value: object) -> None:
    made = slipping(lambda _ctx: value)
    bench = Bench(made)
    reply = await bench.base(made)
    [ended] = of_kind(await bench.stored(), AttemptEnded)
    assert reply.content == ended.content == f'{{"key":"{SHOWN}"}}'
    assert reply.value != {"key": VALUE}


async def test_a_result_without_one_is_untouched() -> None:
    made = slipping(lambda _ctx: {"a": 1})
    reply = await Bench(made).base(made)
    assert (reply.content, reply.value) == ('{"a":1}', {"a": 1})


@pytest.mark.parametrize(
    ("error", "cause", "kind", "message"),
    [
        (ValueError(VALUE), None, InternalError, f"leak failed: ValueError: {SHOWN}"),
        (ConflictError(f"it is {VALUE}"), None, ConflictError, f"it is {SHOWN}"),
        (ExternalError("down"), KeyError(VALUE), ExternalError, "down"),
        (ValueError("bad"), KeyError(VALUE), InternalError, "leak failed: ValueError: bad"),
    ],
)
async def test_a_secret_in_an_error_or_its_cause_is_not_told(
    error: Exception, cause: Exception | None, kind: type[Exception], message: str
) -> None:
    made = slipping(throws(error, cause))
    bench = Bench(made)
    with pytest.raises(kind) as raised:
        await bench.base(made)
    assert str(raised.value) == message
    assert VALUE not in "".join(traceback.format_exception(raised.value))
    assert VALUE not in repr(await bench.stored())


async def test_an_error_that_tells_none_is_the_one_that_was_raised_with_its_cause() -> None:
    error, cause = ConflictError("no"), KeyError("x")
    made = slipping(throws(error, cause))
    with pytest.raises(ConflictError) as raised:
        await Bench(made).base(made)
    assert raised.value is error
    assert raised.value.__cause__ is cause


async def test_while_no_secret_was_read_everything_is_passed_on_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KNOWN_SECRETS, "spellings", Spellings())

    def note_and_fail(ctx: LeafContext) -> None:
        ctx.log(VALUE)
        raise ValueError(VALUE) from KeyError(VALUE)

    made = slipping(note_and_fail)
    bench = Bench(made)
    with pytest.raises(InternalError, match=VALUE) as raised:
        await bench.base(made)
    assert isinstance(raised.value.__cause__, ValueError)
    assert [note.data for note in of_kind(await bench.stored(), Note)] == [f'{{"message":"{VALUE}"}}']
    error = ConflictError(VALUE)
    with pytest.raises(ConflictError) as conflict:
        await Bench(failing := slipping(throws(error))).base(failing)
    assert conflict.value is error


async def test_a_secret_in_a_note_is_not_told() -> None:
    def note(ctx: LeafContext) -> None:
        ctx.log(f"with {VALUE}", key=VALUE)
        ctx.emit(VALUE, [VALUE])

    made = slipping(note)
    bench = Bench(made)
    await bench.base(made)
    assert [(n.name, n.data) for n in of_kind(await bench.stored(), Note)] == [
        ("log", f'{{"message":"with {SHOWN}","key":"{SHOWN}"}}'),
        (SHOWN, f'["{SHOWN}"]'),
    ]


@pytest.mark.parametrize("raises", [True, False])
async def test_a_secret_that_a_layer_tells_is_not_recorded(raises: bool) -> None:
    @layer_fn
    async def blab(call: Call, inner: CallService) -> Reply:
        if raises:
            raise RuntimeError(VALUE)
        return (await inner(call)).map(VALUE)

    made = slipping(lambda _ctx: "fine").layer(blab())
    bench = Bench(made)
    reply = await bench.door.service("", made)(await bench.call(made))
    assert SHOWN in reply.content
    assert VALUE not in repr((reply, "".join(traceback.format_exception(reply.error)), await bench.stored()))


@tool(effect=Effect.UNSAFE)
async def card(name: str) -> dict[str, object]:
    """Find a card."""
    if name == "none":
        raise RateLimitedError("ask for 4111-1111 later")
    if name == "bug":
        raise ValueError("4111-1111")
    if name == "diverged":
        raise DivergedError("4111-1111")
    return {"name": name, "pin": 1234, "note": "number 4111-1111", "more": [{"pin": None}, {"pin": "9"}]}


private = card.layer(Redact(fields=["pin"])).layer(Redact(patterns=[r"\d{4}-\d{4}"]))


async def test_a_tool_leaves_out_fields_at_any_depth_and_what_patterns_match() -> None:
    bench = Bench(private)
    reply = await bench.reply(private, '{"name":"ada"}')
    [ended] = of_kind(await bench.stored(), AttemptEnded)
    content = '{"name":"ada","pin":"[redacted]","note":"number [redacted]","more":[{"pin":null},{"pin":"[redacted]"}]}'
    assert reply.content == ended.content == content
    assert reply.value == json.loads(content)


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("none", "RATE_LIMITED", "ask for [redacted] later"),
        ("bug", "INTERNAL_ERROR", "card failed: ValueError: [redacted]"),
    ],
)
async def test_a_tool_leaves_out_of_its_errors_what_patterns_match(name: str, code: str, message: str) -> None:
    bench = Bench(private)
    reply = await bench.reply(private, f'{{"name":"{name}"}}')
    assert reply.error is not None
    assert (reply.error.code, reply.error.message) == (code, message)
    shown = "".join(traceback.format_exception(reply.error))
    assert "4111" not in f"{shown} {await bench.stored()}"


async def test_an_error_of_the_runtime_is_no_result_and_stays_as_it_is() -> None:
    with pytest.raises(DivergedError, match="4111-1111"):
        await Bench(private).reply(private, '{"name":"diverged"}')


async def test_a_reply_that_a_body_makes_is_redacted_and_still_ends_the_run() -> None:
    made = slipping(lambda _ctx: Reply.final({"pin": 1})).layer(Redact(fields=["pin"]))
    reply = await Bench(made).reply(made)
    assert (reply.content, reply.is_final) == ('{"pin":"[redacted]"}', True)


async def test_what_reconcile_finds_is_redacted_too() -> None:
    found: list[Any] = [Happened({"pin": 7}), DID_NOT_HAPPEN]
    died = [True]

    @tool
    async def charge() -> dict[str, object]:
        """Charge."""
        if died[0]:
            raise Crash
        return {"pin": 8}

    async def reconcile(_ctx: LeafContext, _payload: object) -> Any:
        return found[0]

    for content in ('{"pin":"[redacted]"}',) * 2:
        made = charge.with_reconcile(reconcile).layer(Redact(fields=["pin"]))
        bench, died[0] = Bench(made), True
        with pytest.raises(Crash):
            await bench.reply(made)
        died[0] = False
        assert (await bench.reply(made)).content == content
        found.pop(0)


async def test_notes_are_redacted_too() -> None:
    made = slipping(lambda ctx: ctx.log("for 4111-1111", pin=7)).layer(
        Redact(fields=["pin"], patterns=[r"\d{4}-\d{4}"])
    )
    bench = Bench(made)
    await bench.reply(made)
    [note] = of_kind(await bench.stored(), Note)
    assert note.data == '{"message":"for [redacted]","pin":"[redacted]"}'


async def test_a_body_that_is_cancelled_is_cancelled_though_it_redacts() -> None:
    @tool(effect=Effect.PURE)
    async def wait() -> None:
        """Wait."""
        await asyncio.Event().wait()

    made = wait.layer(Redact(fields=["pin"]))
    running = asyncio.create_task(Bench(made).reply(made))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


@layer_fn
async def canned(call: Call, inner: CallService, reply: Reply | CallError) -> Reply:
    """Replies itself."""
    if isinstance(reply, CallError):
        raise reply
    return reply


@pytest.mark.parametrize(
    ("reply", "content"),
    [
        (Reply.from_value({"pin": 1, "note": "4111-1111"}), '{"pin":"[redacted]","note":"[redacted]"}'),
        (Reply.from_value({"note": "fine"}), '{"note":"fine"}'),
        (
            ConflictError("4111-1111 is taken"),
            '{"success":false,"error":"[redacted] is taken","errorCode":"CONFLICT"}',
        ),
        (ConflictError("taken"), '{"success":false,"error":"taken","errorCode":"CONFLICT"}'),
        (
            Reply.from_error(ConflictError("4111-1111")),
            '{"success":false,"error":"[redacted]","errorCode":"CONFLICT"}',
        ),
    ],
)
async def test_replies_and_errors_of_layers_inside_are_redacted(reply: Reply | CallError, content: str) -> None:
    made = card.layer(canned(reply)).layer(Redact(fields=["pin"], patterns=[r"\d{4}-\d{4}"]))
    assert (await Bench(made).reply(made, '{"name":"ada"}')).content == content


async def test_a_redacted_result_that_its_type_does_not_allow_is_read_by_models_and_refused_to_code() -> None:
    @tool(effect=Effect.PURE)
    async def pin() -> dict[str, int]:
        """Find a pin."""
        return {"pin": 1234}

    made = pin.layer(Redact(fields=["pin"]))
    reply = await Bench(made).reply(made)
    assert (reply.outcome, reply.content) == ("ok", '{"pin":"[redacted]"}')
    with pytest.raises(InvalidOutputError, match="does not match its present contract"):
        unwrap_reply(made, reply)


async def test_what_passes_several_redactions_is_marked_once() -> None:
    made = card.layer(Redact(patterns=[r"\w+ \d+"])).layer(Redact(patterns=[r"[a-z]{6,}"]))
    reply = await Bench(made).reply(made, '{"name":"ada lovelace"}')
    assert json.loads(reply.content)["name"] == "ada [redacted]"
    assert json.loads(reply.content)["note"] == "[redacted]-1111"


def test_what_a_tool_redacts_can_be_read() -> None:
    assert repr(private) == (
        "Tool card (unsafe, safe)\nRedact(patterns=['\\\\d{4}-\\\\d{4}'])\n└─ Redact(fields=['pin'])"
    )
    assert private.function is card.function


def test_a_pattern_takes_linear_time_whatever_the_text() -> None:
    redaction = Redact(patterns=[r"(a+)+$", r"(\w|\w\w)*@"]).redaction
    hostile = "a" * 200_000 + "!"
    assert redaction.redact_text(hostile) == hostile


@pytest.mark.parametrize(
    ("pattern", "text", "left"),
    [
        (r"\p{Nd}+", "٣ and 3", "[redacted] and [redacted]"),
        ("é.", "aéo\ud800", "a[redacted]\ufffd\ufffd\ufffd"),
        ("x", "\ud800", "\ud800"),
        (r"\0|red", "a red dacted", "a [redacted] dacted"),
    ],
)
def test_patterns_match_characters_of_all_scripts(pattern: str, text: str, left: str) -> None:
    assert Redact(patterns=[pattern]).redaction.redact_text(text) == left


def test_without_the_engine_patterns_are_refused_and_fields_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    assert Redact(fields=["pin"]).redaction.redact_text("pin") == "pin"
    with pytest.raises(SetupError, match=r"pip install '\.\[redact\]'"):
        Redact(patterns=["pin"])


def test_a_redaction_of_nothing_and_a_pattern_that_is_none_are_refused() -> None:
    for pattern in ("(", "(?=a)", r"(a)\1"):
        with pytest.raises(SetupError, match="is not a regular expression of RE2") as caught:
            Redact(patterns=[pattern])
        assert "\n" not in caught.value.message
    with pytest.raises(SetupError, match="removes nothing"):
        Redact()


async def test_a_layer_outside_a_redaction_sees_what_is_left() -> None:
    @layer_fn
    async def mark(call: Call, inner: CallService) -> Reply:
        reply = await inner(call)
        return reply.map({"seen": reply.value})

    made = card.layer(Redact(fields=["pin"])).layer(mark())
    reply = await Bench(made).reply(made, '{"name":"ada"}')
    assert json.loads(reply.content)["seen"]["pin"] == "[redacted]"


async def test_an_error_without_a_secret_keeps_its_cause() -> None:
    cause = ZeroDivisionError("the world ended")

    @tool
    async def refuse() -> str:
        """Refuse."""
        raise ConflictError("it changed") from cause

    with pytest.raises(ConflictError, match="it changed") as raised:
        await Bench(refuse).base(refuse)
    assert raised.value.__cause__ is cause
