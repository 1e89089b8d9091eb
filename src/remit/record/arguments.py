"""A call's arguments: the raw text exactly as sent, parsed once, and the canonical form of its values.

Canonical JSON is UTF-8 with sorted keys, no spaces, 64-bit integers and finite floats. The canonical form is hashed,
shown to approvers, and used to run the call.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, cast

from msgspec import Struct, structs
from pydantic import NonNegativeInt

from remit.core.call_checks import check_arguments
from remit.core.checks import check_instance, check_text, find_unstorable
from remit.errors import InvalidArgumentsError
from remit.record.secret import KNOWN_SECRETS, redact_secrets_in_content
from remit.schemas.jsontext import LARGEST_INTEGER, StrictError, canonical_text, compact_json, read_strictly

SECRET_IN_ARGUMENTS: Final = "the arguments contain the value of a secret, which would be journaled; pass its reference"  # noqa: S105 - a message

_REFUSED: Final = "refused: "
"""The prefix of the text that replaces arguments that are too long to be journaled or never arrived."""
_HELD_VALUE: Final = '{"contained_a_secret":'
"""The prefix of the text that replaces arguments that contained a secret."""
_HEAD_CHARS: Final = 1000
_LONG_DIGITS: Final = re.compile("[0-9]{19}")
_DIGIT: Final = re.compile("[0-9]")
_NUL: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of runs and of the texts that enter them. Sizes are bytes of UTF-8.

    Args:
        argument_bytes: the arguments of a call, prompts included. Larger ones are refused; pass a file as an artifact.
        argument_depth: nested arrays and objects in them.
        output_bytes: a result. A larger one is stored as an artifact.
        reply_bytes: an answer of a model. A larger one fails the request.
        reply_seconds: the time for a model's answer, from the request to the end of the answer, streamed or not. A
            request that takes longer fails.
        answer_calls: the tool calls of one model answer. Of more calls, only this many are made; the others are
            dropped, and the model is told.
        error_bytes: the message of an error. A longer message is cut off.
        note_bytes: the data of a note that a body writes with `ctx.log`. Longer data is cut off.
        reason_bytes: the reason of a decision or a grant. A longer one is refused.
        artifact_bytes: an artifact.
        image_bytes: an image that is sent to a model. For a larger image, the model receives the reference.
        agent_depth: the maximum nesting of agents and workers that call each other.
        handoffs: the maximum handoffs of one run.
        callback_seconds: the time for an application function that is awaited outside the attempts of calls: a preview,
            resolver, gate, reconciliation, target check or approver, or a function that an agent awaits before it asks
            its model.
    """

    argument_bytes: NonNegativeInt = 1 << 20
    argument_depth: NonNegativeInt = 64
    output_bytes: NonNegativeInt = 256 << 10
    reply_bytes: NonNegativeInt = 2 << 20
    reply_seconds: NonNegativeInt = 1800
    answer_calls: NonNegativeInt = 128
    error_bytes: NonNegativeInt = 16 << 10
    note_bytes: NonNegativeInt = 64 << 10
    reason_bytes: NonNegativeInt = 4 << 10
    artifact_bytes: NonNegativeInt = 64 << 20
    image_bytes: NonNegativeInt = 3840 << 10
    agent_depth: NonNegativeInt = 5
    handoffs: NonNegativeInt = 10
    callback_seconds: NonNegativeInt = 30


class Arguments(Struct, frozen=True, eq=False):
    """Raw arguments and the result of parsing them.

    ``value`` is the parsed object. ``error`` says why the text cannot be used at all (not JSON, not an object, too
    long, too deep). ``strict_error`` names a defect that only strict reading refuses (duplicate key, NaN). Both are
    empty for valid text. ``identity`` is the text that enters the digest of a call's id: the canonical value or,
    without one, the raw text.
    """

    raw: str
    value: dict[str, Any] | None
    error: str = ""
    strict_error: str = ""
    identity: str = ""

    def __post_init__(self) -> None:
        try:
            identity = self.raw if self.value is None else canonical_text(self.value)
        except (TypeError, ValueError, RecursionError):
            identity = self.raw
        structs.force_setattr(self, "identity", identity)

    @property
    def is_refused(self) -> bool:
        """Whether the arguments were replaced by a reason."""
        return bool(self.error) and self.raw.startswith(_REFUSED)

    def limit(self, limits: Limits) -> Arguments:
        """Return these arguments or, if they are too long, an error with their beginning and digest."""
        if self.error:
            return self
        if self.raw.startswith(_REFUSED) and len(self.raw) < 2 * _HEAD_CHARS:
            return Arguments(self.raw, None, error=self.raw.removeprefix(_REFUSED).partition("\n")[0])
        if len(self.raw) * 4 <= limits.argument_bytes or (size := _size(self.raw)) <= limits.argument_bytes:
            return self
        error = f"the arguments are {size:,} bytes long; at most {limits.argument_bytes:,}"
        digest = sha256(self.raw.encode("utf-8", "surrogatepass")).hexdigest()
        return Arguments(f"{_REFUSED}{error}\nsha256:{digest} {self.raw[:_HEAD_CHARS]}", None, error=error)

    def __repr__(self) -> str:
        return f"Arguments({str(self.raw)[:200]!r})"


def refuse_secrets(raw: str) -> str:
    """Return the text or, if it contains a secret's value, a text that `parse_arguments` refuses for that reason.

    The replacement has the beginning of the arguments with references instead of values. It is JSON, because models
    demand it.
    """
    if (redacted := redact_secrets_in_content(raw)) == raw:
        return raw
    return f"{_HELD_VALUE}{json.dumps(redacted[:_HEAD_CHARS])}}}"


def refused_arguments(reason: str) -> str:
    """Make an arguments text that `parse_arguments` refuses with this reason, which the model is told."""
    return f"{_REFUSED}{' '.join(reason.split())[:_HEAD_CHARS]}"


def given_arguments(text: str) -> str:
    """The arguments that a model wrote, or an empty object if it wrote no text, only white space, or null."""
    return "{}" if text.strip() in ("", "null") else text


def is_blank(text: str) -> bool:
    """Whether a model wrote no text, only white space, null or an empty object."""
    return "".join(text.split()) in ("", "null", "{}")


_DEFAULT_LIMITS: Final = Limits()


def parse_arguments(raw: str, limits: Limits = _DEFAULT_LIMITS) -> Arguments:
    """Parse raw arguments once. No text raises: errors are fields of the result.

    Arguments that contain the value of a secret are not parsed; `refuse_secrets` gives their raw text.
    """
    if type(raw) is not str or type(limits) is not Limits:
        check_text("parse_arguments: raw", raw)
        check_instance("parse_arguments: limits", limits, Limits, "give Limits(…)")
    if KNOWN_SECRETS.spellings.replacements:
        raw = refuse_secrets(raw)
    if raw.startswith(_HELD_VALUE):
        return Arguments(raw, None, error=SECRET_IN_ARGUMENTS)
    is_short = len(raw) * 4 <= limits.argument_bytes and not raw.startswith(_REFUSED)
    if not is_short and (limited := Arguments(raw, None).limit(limits)).error:
        return limited
    strict_error = ""
    try:
        try:
            value: Any = read_strictly(raw)
        except StrictError as defect:
            strict_error, value = str(defect), json.loads(raw)
    except (RecursionError, ValueError) as error:
        deep = isinstance(error, RecursionError)
        return Arguments(raw, None, error=_too_deep_message(limits) if deep else f"the arguments are not JSON: {error}")
    if value.__class__ is not dict:
        return Arguments(raw, None, error=f"the arguments must be a JSON object, not {_describe_json_type(value)}")
    if raw.count("{") + raw.count("[") > limits.argument_depth and _depth(value) > limits.argument_depth:
        return Arguments(raw, None, error=_too_deep_message(limits))
    error = _describe_unstorable(compact_json(value), value) if "\\u" in raw or not raw.isascii() else ""
    return Arguments(raw, value, error=error, strict_error=strict_error)


def _describe_unstorable(text: str, value: object) -> str:
    """Describe a value's characters that cannot be stored and their location; empty if there are none."""
    unstorable = "the character NUL" if _NUL.search(text) else find_unstorable(text)
    if not unstorable:
        return ""
    at = next((where for where, part in _list_texts(value) if find_unstorable(part)), "")
    return f"the arguments contain {unstorable}, which cannot be stored; leave that out{at and f' of {at}'}"


def _list_texts(value: object, where: str = "") -> Iterator[tuple[str, str]]:
    """The texts of a JSON value with their paths, such as ``pages.0.title``; a key has the path of its object."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, dict):
        for key, part in cast("dict[str, object]", value).items():
            yield where, key
            yield from _list_texts(part, f"{where}.{key}" if where else key)
    elif isinstance(value, list):
        for number, part in enumerate(cast("list[object]", value)):
            yield from _list_texts(part, f"{where}.{number}" if where else str(number))


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def canonical_json(value: Any) -> str:
    """The canonical JSON of a value made of JSON types.

    Raises:
        InvalidArgumentsError: it contains a number outside the portable range, or text that UTF-8 cannot encode.
    """
    try:
        text = canonical_text(value)
    except ValueError as error:
        _reject_huge_integers(value)
        raise InvalidArgumentsError(
            "the arguments contain a number that is not finite, which JSON cannot represent"
        ) from error
    if ("\\u0000" in text or not text.isascii()) and (unstorable := _describe_unstorable(text, value)):
        raise InvalidArgumentsError(unstorable)
    # nineteen digits in a row cover one of these positions
    if _DIGIT.search(text[18::19]) and _LONG_DIGITS.search(text):
        _reject_huge_integers(value)
    return text


def _reject_huge_integers(value: Any) -> None:
    stack = [(value, "")]
    while stack:
        part, where = stack.pop()
        if isinstance(part, int) and not ~LARGEST_INTEGER <= part <= LARGEST_INTEGER:
            raise InvalidArgumentsError(
                f"{where and f'{where}: '}a whole number of {part.bit_length()} bits is too large; "
                "at most 63 and a sign are supported"
            )
        below = f"{where}." if where else ""
        if isinstance(part, dict):
            stack.extend((each, f"{below}{key}") for key, each in cast("dict[str, Any]", part).items())
        elif isinstance(part, list):
            stack.extend((each, f"{below}{number}") for number, each in enumerate(cast("list[Any]", part)))


def _too_deep_message(limits: Limits) -> str:
    return f"the arguments are nested too deeply; at most {limits.argument_depth} levels"


def _depth(value: Any) -> int:
    deepest = 0
    stack: list[tuple[Any, int]] = [(value, 1)]
    while stack:
        part, level = stack.pop()
        if isinstance(part, (dict, list)):
            deepest = max(deepest, level)
            inside = cast("dict[str, Any]", part).values() if isinstance(part, dict) else cast("list[Any]", part)
            stack.extend((child, level + 1) for child in inside)
    return deepest


def _describe_json_type(value: object) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    return {str: "a string", list: "an array"}.get(cast("type[str]", type(value)), "null")


def content_digest(*parts: str) -> str:
    """A short digest of strings and their lengths (blake2b, 128 bit, hex)."""
    text = ""
    for part in parts:
        text += f"{len(part)}:{part}"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
