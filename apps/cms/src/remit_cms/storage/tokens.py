"""Tokens of the state of an object: a person or program without a conversation says with one what it saw."""

from __future__ import annotations

import base64
import binascii

from remit.errors import ConflictError, InvalidArgumentsError
from remit_cms.models import Payload, ReadPayload
from remit_cms.storage.differences import compare_snapshots
from remit_cms.storage.refusals import NOTHING_WRITTEN, describe_change
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import load_structures_of
from remit_cms.storage.stale_edits import load_state
from remit_cms.storage.tables import Page


def give_token(payload: Payload, page: Page | None) -> str | None:
    """The token of a page, if it is asked for."""
    return None if page is None else give_object_token(payload, page.id, str(page.revision))


def give_object_token(payload: Payload, object_id: str, state: str) -> str | None:
    """The token of a state of any object, if it is asked for."""
    return _make_token(object_id, state) if asks_for_token(payload) else None


def asks_for_token(payload: Payload) -> bool:
    """Whether the caller asks for a token."""
    return isinstance(payload, ReadPayload) and payload.with_token


async def check_token(scope: Scope, page: Page, token: str | None) -> None:
    """Refuse a call about a page that has changed at all since a token was given.

    Raises:
        ConflictError: says what changed, and who changed it last.
        InvalidArgumentsError: it is not a token, or that of something else.
    """
    state = find_outdated_state(token, page.id, str(page.revision), page.title)
    if state is None:
        return
    if not state.isdecimal() or not 0 < int(state) < page.revision:
        raise _no_token(token or "", page.title)
    before, after = [await load_state(scope, page, number) for number in (int(state), page.revision)]
    differences = compare_snapshots(before, after, await load_structures_of(scope, before, after))
    raise ConflictError(await describe_change(scope, page, page.title, differences))


def check_object_token(token: str | None, object_id: str, state: str, title: str) -> None:
    """Refuse a call about an object that has changed at all since a token was given.

    Raises:
        ConflictError: it has changed.
        InvalidArgumentsError: it is not a token, or that of something else.
    """
    if find_outdated_state(token, object_id, state, title) is not None:
        raise ConflictError(f"'{title}' has changed since it was read. {NOTHING_WRITTEN}")


def find_outdated_state(token: str | None, object_id: str, state: str, title: str) -> str | None:
    """The state of an object that a token says, if that is not its state any more.

    Raises:
        InvalidArgumentsError: it is not a token, or that of something else.
    """
    if token is None or token == _make_token(object_id, state):
        return None
    try:
        text = base64.b64decode(token + "=" * (-len(token) % 4), b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        text = ""
    name, _, earlier_state = text.partition(" ")
    if name != object_id or not earlier_state:
        raise _no_token(token, title)
    return earlier_state


def _no_token(token: str, title: str) -> InvalidArgumentsError:
    return InvalidArgumentsError(f"ifUnchanged: '{token[:40]}' is not a token of '{title}', such as its replies give.")


def _make_token(object_id: str, state: str) -> str:
    return base64.urlsafe_b64encode(f"{object_id} {state}".encode()).decode().rstrip("=")
