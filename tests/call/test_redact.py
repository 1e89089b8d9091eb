"""What a redaction removes is marked once, loses nothing else, and has a bound whatever the pattern."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from pydantic import BaseModel

from remit import Effect, Runtime, Tool, tool
from remit.app import App
from remit.call import removal
from remit.call.redact import Redaction, limit_error
from remit.call.reply import Reply
from remit.errors import CallError, ConflictError, RateLimitedError, SetupError, error_from_reply
from remit.layers import Redact
from remit.record.secret import Secret
from remit.record.spelling import Spellings
from remit.schemas.jsontext import compact_json
from remit.testing import superuser


def redacted(pattern: str, text: str) -> str:
    return Redaction(patterns=(pattern,)).redact_text(text)


async def redact_result(value: object, *patterns: str, returns: Any = dict[str, object]) -> str:
    async def find() -> Any:
        """Find."""
        if isinstance(value, CallError):
            raise value
        return value

    find.__annotations__["return"] = returns
    made: Tool[[], Any] = tool(find, effect=Effect.PURE).layer(Redact(patterns=patterns))
    reply = await Runtime(App(name="desk", tools=(made,))).call(made, superuser())
    return reply.text


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        r"\d*",
        "a*b*",
        ".*",
        "x?",
        "a|",
        "(a|)",
        r"\b",
        r"\B",
        "^",
        "$",
        r"(?m)^",
        r"a|\b",
        r"\ba*\b",
        "(?m)^$",
        "a{0}",
    ],
)
def test_a_pattern_that_matches_empty_text_is_refused_in_one_line(pattern: str) -> None:
    with pytest.raises(SetupError, match="matches empty text") as caught:
        Redact(patterns=[pattern])
    assert "\n" not in caught.value.message
    assert repr(pattern) in caught.value.message


@pytest.mark.parametrize("pattern", ["a", "^a", "a$", r"\ba", "a+b*", r"[\w.]+@", "(?s).", r"\Qa*", ".+"])
def test_a_pattern_that_always_takes_a_character_is_accepted(pattern: str) -> None:
    assert Redact(patterns=[pattern]).redaction.patterns == (pattern,)


@pytest.mark.parametrize(
    ("pattern", "text", "left"),
    [
        (r"\d", "4111 a 1", "[redacted] a [redacted]"),
        (".+", "[redacted]", "[redacted]"),
        (".+", "a [redacted] b", "[redacted]"),
        ("^b", "[redacted]b", "[redacted]b"),
        ("[a-z]+", "[redacted]", "[redacted]"),
    ],
)
def test_adjacent_matches_are_one_mark_and_marks_stay(pattern: str, text: str, left: str) -> None:
    assert redacted(pattern, text) == left
    assert redacted(pattern, left) == left


def test_every_pattern_sees_the_text_as_it_was() -> None:
    assert Redaction(patterns=("ab", "bc", "^d")).redact_text("abcd ab") == "[redacted]d [redacted]"


async def test_keys_that_the_type_declares_stay_and_other_keys_are_data() -> None:
    class Line(BaseModel):
        name1: str
        by_person: dict[str, int]

    text = await redact_result(Line(name1="pen 7", by_person={"ada7": 1}), r"[a-z]+\d", r"\d", returns=Line)
    assert json.loads(text) == {"name1": "pen [redacted]", "by_person": {"[redacted]": "[redacted]"}}


async def test_keys_that_become_the_same_are_numbered_so_that_no_value_is_lost() -> None:
    value = {"a@x": "one", "b@x": "two", "[redacted 2]": "three", "c@x": "four"}
    text = await redact_result(value, r"\w@x")
    left = {"[redacted]": "one", "[redacted 3]": "two", "[redacted 2]": "three", "[redacted 4]": "four"}
    assert json.loads(text) == left
    assert Redaction(patterns=(r"\w@x", r"\d")).redact_reply(Reply.from_value(left)).value == left


@pytest.mark.parametrize("pattern", ["error", "[A-Z_]+", ".+", r"\w+", "true|false"])
async def test_an_error_keeps_its_kind_whatever_is_redacted(pattern: str) -> None:
    error = Redaction(patterns=(pattern,)).redact_error(ConflictError("an error at A_B, true"))
    assert type(error) is ConflictError
    text = await redact_result(RateLimitedError("an error at A_B, true"), pattern)
    body = json.loads(text)
    assert (body["success"], body["errorCode"]) == (False, "RATE_LIMITED")
    assert body["error"] == redacted(pattern, "an error at A_B, true")


def test_an_error_that_reveals_nothing_is_the_one_that_was_given() -> None:
    error = ConflictError("fine")
    assert Redaction(patterns=("private", "success|errorCode|CONFLICT")).redact_error(error) is error


class SoldOutError(CallError, code="SOLD_OUT"):
    """An error that tells more than its message."""

    def to_reply(self) -> dict[str, object]:
        return {**super().to_reply(), "left": {"shops": ["private 7", 8]}}


@pytest.mark.parametrize("pattern", ["private", "shops", "8"])
def test_what_an_error_tells_beside_its_message_is_not_kept_if_it_matches(pattern: str) -> None:
    error = SoldOutError("none left")
    changed = Redaction(patterns=(pattern,)).redact_error(error)
    assert (type(changed), changed.message, changed is error) == (SoldOutError, "none left", False)


def test_a_bad_reply_whose_content_is_no_object_is_redacted_as_it_is() -> None:
    reply = Reply.from_error(ConflictError("no")).with_content('["private"]')
    assert Redaction(patterns=("private",)).redact_reply(reply).content == '["[redacted]"]'


@pytest.mark.parametrize("text", ["a " * 100, "a" * 100])
def test_a_text_with_too_many_matches_is_redacted_as_a_whole(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(removal, "MAX_MATCHES", 99)
    assert redacted("a", text) == "[redacted]"
    assert redacted("a", text[:-2]).startswith("[redacted]")


async def test_a_result_with_too_many_matches_or_fields_is_redacted_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removal, "MAX_MATCHES", 3)
    text = await redact_result({"a": ["x1", "x2"], "b": 3, "c": "x"}, r"\d")
    assert text == '{"a":["x[redacted]","x[redacted]"],"b":"[redacted]","c":"x"}'
    text = await redact_result({"a": ["x1", "x2"], "b": 3, "c": "x4"}, r"\d")
    assert text == "[redacted]"
    text = await redact_result(ConflictError("1 2 3 4"), r"\d")
    assert json.loads(text) == {"success": False, "error": "[redacted]", "errorCode": "CONFLICT"}
    bad = Reply.from_error(ConflictError("1 2 3 4"))
    assert json.loads(Redaction(patterns=(r"\d",)).redact_reply(bad).content) == json.loads(text)
    redaction = Redact(fields=["pin"]).redaction
    assert redaction.redact_reply(Reply.from_value([{"pin": 1}] * 4)).content == "[redacted]"


def test_a_result_grows_by_no_more_than_the_marks_of_the_most_matches() -> None:
    grown = redacted("a", "a " * removal.MAX_MATCHES)
    assert len(grown) - 2 * removal.MAX_MATCHES == 9 * removal.MAX_MATCHES < 1 << 20


@pytest.mark.parametrize("levels", [900, 5_000])
@pytest.mark.parametrize("rule", [{"fields": ("iban",)}, {"patterns": (r"\d+",)}], ids=["field", "pattern"])
def test_what_nests_too_deeply_to_be_read_is_redacted_as_a_whole(levels: int, rule: Any) -> None:
    content = '{"iban":12,"a":[' * levels + "]}" * levels
    redaction = Redaction(**rule)
    assert redaction.redact_reply(Reply(content)).content == "[redacted]"
    told = Reply(f'{{"success":false,"error":{content},"errorCode":"NOT_FOUND"}}', "error")
    assert "12" not in redaction.redact_reply(told).content


def test_a_deep_text_that_is_no_json_leaves_no_raw_error() -> None:
    assert Redaction(fields=("iban",)).redact_reply(Reply("[" * 5_000)).content == "[redacted]"


async def test_a_large_result_is_redacted_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    Secret("env:KEY", "sk_live_51MzQx")
    monkeypatch.setattr("remit.call.redact.LARGE_CHARS", 100)
    searched: dict[str, int] = {}
    is_in = Spellings.is_in

    def note_thread(spellings: Spellings, text: str) -> bool:
        searched.setdefault(text, threading.get_ident())
        return is_in(spellings, text)

    monkeypatch.setattr(Spellings, "is_in", note_thread)
    long, short = "x" * 100 + "sk_live_51MzQx", "sk_live_51MzQx"
    assert [await redact_result(text, "z{9}", returns=str) for text in (long, short)] == [
        "x" * 100 + "[secret env:KEY]",
        "[secret env:KEY]",
    ]
    own = threading.get_ident()
    assert (searched[long] != own, searched[short] == own) == (True, True)


def test_details_of_an_error_that_are_too_long_are_left_out() -> None:
    told = {"error": "locked", "errorCode": "LOAN_LOCKED", "details": {"until": "May"}}
    error = error_from_reply(compact_json(told))
    assert limit_error(error, 1000) is error
    short = limit_error(error, 40)
    assert (short.message, short.code, short.details) == ("locked", "LOAN_LOCKED", None)
