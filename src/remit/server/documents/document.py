"""The base of all documents, and those that every list and every refusal uses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Generic, TypeVar

from msgspec import Meta, Raw, Struct

from remit.errors import RequestError
from remit.record.question import Change

T = TypeVar("T")

JsonObject = Annotated[Raw, Meta(extra_json_schema={"type": "object"})]
"""A JSON object as it was sent, which Remit's own reader of arguments reads."""

PageSize = Annotated[int, Meta(ge=1, le=1000)]
"""The number of rows of a page."""


class Document(Struct, kw_only=True, rename="camel", gc=False):
    """A JSON object with names in camel case. Times are seconds since the epoch, 0 for never."""


class Asked(Struct, kw_only=True, rename="camel", forbid_unknown_fields=True, gc=False):
    """A JSON object or the query of a request. Unknown names are refused."""


class Listed(Struct, Generic[T], kw_only=True, rename="camel"):
    """A page of a list. ``next`` is the cursor of the page that follows, empty on the last one."""

    items: tuple[T, ...]
    next: str = ""


class Problem(Document):
    """Why a request was refused. ``code`` is stable; see the reference of errors."""

    error: str
    code: str


class Done(Document):
    """The request was carried out."""

    done: bool = True


class ChangeDocument(Document):
    """One row of what would change: where, and the value before and after."""

    where: str
    before: str
    after: str

    @staticmethod
    def of(changes: Iterable[Change]) -> tuple[ChangeDocument, ...]:
        """The rows of changes."""
        return tuple(ChangeDocument(where=each.where, before=each.before, after=each.after) for each in changes)


def check_prompt(where: str, text: str) -> str:
    """The text of a message, which has one.

    Raises:
        RequestError: it is blank.
    """
    if not text.strip():
        raise RequestError(f"{where} is empty; write what the agent should do")
    return text


def no_json() -> Raw:
    """The default of a `JsonObject` that may be left out: nothing."""
    return Raw()


def text_of_json(raw: Raw, default: str = "") -> str:
    """The JSON text of a value as it was sent, or the default if it was left out.

    Raises:
        RequestError: it is not UTF-8.
    """
    try:
        return bytes(raw).decode() or default
    except UnicodeDecodeError as error:
        raise RequestError(f"the body is not valid: {error}") from error
