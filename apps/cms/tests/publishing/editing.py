"""An editor of a conversation, for tests of publishing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from apps.cms.tests.world import World
from remit_cms.models import Content
from remit_cms.pages.payloads import CreatePage, DeletePage, GetPage, PageReply, PageView, UpdatePage
from remit_cms.publishing.change_sets import ChangeSets
from remit_cms.publishing.history import History
from remit_cms.publishing.payloads import (
    AddToChangeSet,
    ChangeSetMoveReply,
    ChangeSetView,
    CompareRevisions,
    DiscardChangeSet,
    GetChangeSet,
    GetLivePage,
    PublishChangeSet,
    PublishPage,
    RemovalReply,
    RemoveWithChangeSet,
    RestorePage,
    RevertChangeSet,
    UnpublishPage,
)
from remit_cms.publishing.publishing import Publishing
from remit_cms.publishing.removals import Removals
from remit_cms.publishing.trash import Trash
from remit_cms.sections.payloads import GetSectionContent, ItemWriteReply, SectionInput, UpdateSectionContent

LISTS = ("questions", "steps", "quotes", "features")
"""The lists of templates."""


@dataclass(frozen=True)
class WrittenItem:
    """The reply of a write of an item, the item if it is still there, and the ids of all items of its list."""

    reply: ItemWriteReply
    item: Content | None
    ids: list[str]


@dataclass(frozen=True)
class Editor:
    """An editor, in a conversation or without one."""

    world: World
    name: str = "ann"
    conversation: str = ""

    def call(self) -> Any:
        """A call of this editor."""
        return self.world.call(by=self.name, conversation=self.conversation, run=f"run of {self.name}")

    @property
    def publishing(self) -> Publishing:
        return Publishing(self.world.database)

    @property
    def history(self) -> History:
        return History(self.world.database)

    @property
    def trash(self) -> Trash:
        return Trash(self.world.database)

    @property
    def sets(self) -> ChangeSets:
        return ChangeSets(self.world.database)

    async def create(self, title: str, *sections: tuple[str, Content]) -> PageView:
        given = [SectionInput(definition_id=key, content=content) for key, content in sections]
        made = await self.world.pages.create_page(self.call(), CreatePage(title=title, sections=given))
        return await self.look_at(made.page.id)

    async def update(self, page: str, **changes: Any) -> PageView:
        changed = await self.world.pages.update_page(self.call(), UpdatePage(page_id=page, **changes))
        return await self.look_at(changed.page.id)

    async def look_at(self, page: str) -> PageView:
        """A page without content, read outside the conversation, which has seen no more of it then."""
        payload = GetPage(page_id=page)
        return (await self.world.pages.get_page(self.world.call(), payload)).page

    async def content(self, section: str, locale: str | None = None) -> Any:
        """What a section says, read likewise."""
        payload = GetSectionContent(page_section_id=section, locale_code=locale)
        return (await self.world.sections.get_section_content(self.world.call(), payload)).section.content

    async def read_item(self, reply: ItemWriteReply, locale: str | None = None) -> WrittenItem:
        """The item that a write was about, and its list."""
        content: dict[str, Any] = await self.content(reply.section.id, locale)
        items: list[Any] = [item for key in LISTS for item in content.get(key, ())]
        item = next((each for each in items if each["id"] == reply.item_id), None)
        return WrittenItem(reply, item, [each["id"] for each in items])

    async def write(self, section: str, locale: str | None = None, **content: Any) -> None:
        payload = UpdateSectionContent(page_section_id=section, content=content, locale_code=locale)
        await self.world.sections.update_section_content(self.call(), payload)

    async def delete(self, page: str) -> str | None:
        """Delete a page. Returns the change set that takes this back."""
        payload = DeletePage(page_id=page, confirmed=True)
        return (await self.world.pages.delete_page(self.call(), payload)).change_set_id

    async def remove(self, page: str, removal: Any = "delete", change_set: str | None = None) -> RemovalReply:
        """Let a page go with a change set, or stay with ``none``."""
        payload = RemoveWithChangeSet(page_id=page, removal=removal, change_set_id=change_set)
        return await Removals(self.world.database).remove_with_change_set(self.call(), payload)

    async def restore(self, page: str) -> None:
        await self.trash.restore_page(self.call(), RestorePage(page_id=page))

    async def publish_page(self, page: str) -> str | None:
        """Publish a page. Returns the change set that takes this back."""
        return (await self.publishing.publish_page(self.call(), PublishPage(page_id=page))).change_set_id

    async def unpublish_page(self, page: str) -> str | None:
        """Hide a page. Returns the change set that takes this back."""
        return (await self.publishing.unpublish_page(self.call(), UnpublishPage(page_id=page))).change_set_id

    async def publish(self, change_set: str | None = None) -> ChangeSetMoveReply:
        return await self.sets.publish_change_set(self.call(), PublishChangeSet(change_set_id=change_set))

    async def add(self, *pages: str, change_set: str | None = None) -> ChangeSetMoveReply:
        payload = AddToChangeSet(change_set_id=change_set, page_ids=list(pages))
        return await self.sets.add_to_change_set(self.call(), payload)

    async def discard(self, change_set: str | None = None) -> ChangeSetMoveReply:
        return await self.sets.discard_change_set(self.call(), DiscardChangeSet(change_set_id=change_set))

    async def revert(self, change_set: str | None = None) -> ChangeSetMoveReply:
        return await self.sets.revert_change_set(self.call(), RevertChangeSet(change_set_id=change_set))

    async def look(self, change_set: str | None = None) -> ChangeSetView:
        return (await self.sets.get_change_set(self.call(), GetChangeSet(change_set_id=change_set))).change_set

    async def read(self, page: str) -> PageReply:
        return await self.world.pages.get_page(self.call(), GetPage(page_id=page, include_content=True))

    async def draft(self, page: str) -> PageView:
        return (await self.read(page)).page

    async def live_title(self, page: str) -> str:
        """The title that visitors see of a page, found by address, id or title."""
        return (await self.publishing.get_live_page(self.call(), GetLivePage(page_id=page))).page.title

    async def differences(self, page: str, **revisions: int) -> list[tuple[str, str, str]]:
        payload = CompareRevisions.model_validate({"page_id": page, **revisions})
        reply = await self.history.compare_revisions(self.call(), payload)
        return [(each.where, each.before, each.after) for each in reply.differences]
