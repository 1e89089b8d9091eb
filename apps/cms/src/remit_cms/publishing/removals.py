"""The operation that lets documents go with a change set. A model reads each docstring before it calls."""

from __future__ import annotations

from typing import Final

from remit import LeafContext
from remit.errors import ConflictError, InvalidArgumentsError
from remit_cms.publishing.change_sets import brief
from remit_cms.publishing.payloads import RemovalReply, RemoveWithChangeSet
from remit_cms.publishing.publishing import page_state
from remit_cms.storage.change_sets import check_is_open, find_or_open_set, find_set
from remit_cms.storage.claims import DELETED, HIDDEN, REMOVALS
from remit_cms.storage.database import Database
from remit_cms.storage.door import check_unused, plan_hiding
from remit_cms.storage.planning import plan_set
from remit_cms.storage.removals import claim_removal
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import REMOVABLE_KINDS, ChangeSet, Kind, Page
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once

_NUMBERS: Final = {"delete": DELETED, "hide": HIDDEN, "none": None}


class Removals:
    """Documents that go with a change set."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def remove_with_change_set(self, ctx: LeafContext, payload: RemoveWithChangeSet) -> RemovalReply:
        """Let a live page, post, entry or image go once a change set is published. At once: cms_deletePage."""

        async def work(edit: Edit) -> RemovalReply:
            page = await edit.find_document(payload.page_id, *REMOVABLE_KINDS)
            await check_token(edit, page, payload.if_unchanged)
            number = _NUMBERS[payload.removal]
            if number is not None:
                await _check_may_go(edit, page, number)
            change_set = await _find_set(edit, payload.change_set_id)
            is_new = await claim_removal(edit, change_set, page, number)
            if number is not None:
                await _check_images(edit, change_set)
            what = "stays" if number is None else f"is to be {REMOVALS[number]}"
            message = f"'{page.title}' {what} with the change set '{change_set.name}'{'' if is_new else ' already'}"
            message += "" if number is None else ". Visitors see it until that is published"
            token = give_token(payload, page)
            return RemovalReply(change_set=brief(change_set), page=page_state(page), token=token, message=message)

        return await edit_once(self._database, ctx, payload, RemovalReply, work)


async def _check_may_go(scope: Scope, page: Page, number: int) -> None:
    if page.live is None:
        rest = " cms_deletePage deletes it at once." if number == DELETED else ""
        raise ConflictError(f"'{page.title}' is not live: visitors do not see it.{rest}")
    if page.kind != Kind.IMAGE:
        await plan_hiding(scope, page, deletes=number == DELETED)
    elif number == HIDDEN:
        raise InvalidArgumentsError("An image has no visitors of its own: delete it, or keep it.")


async def _check_images(edit: Edit, change_set: ChangeSet) -> None:
    """Refuse to let an image go that drafts show: visitors may see it until the set is published, but not after."""
    await check_unused(edit, await plan_set(edit, change_set))


async def _find_set(edit: Edit, set_id: str | None) -> ChangeSet:
    if set_id is not None:
        found = await find_set(edit, set_id)
        await check_is_open(edit, found)
        return found
    if not edit.conversation:
        raise InvalidArgumentsError("A call outside a conversation has no change set of its own: give changeSetId.")
    return await find_or_open_set(edit)
