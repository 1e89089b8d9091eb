"""What another editor changes of what an approver saw, for each high-risk tool of the CMS."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from apps.cms.tests.world import World
from figures.cms_arguments import IDS, TARGETS
from remit import LeafContext
from remit_cms.images.payloads import UpdateImage
from remit_cms.languages.languages import Languages
from remit_cms.languages.payloads import AddLanguage
from remit_cms.models import Content
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import ToggleNavigationItem
from remit_cms.pages.payloads import CreatePage, DeletePage, Meta, TranslatePage, UpdatePage
from remit_cms.posts.payloads import UpdatePost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import RestorePage
from remit_cms.publishing.trash import Trash
from remit_cms.redirects.payloads import UpdateRedirect
from remit_cms.sections.payloads import UpdateSectionContent
from remit_cms.storage.database import random_id
from remit_cms.types.payloads import ChangeType, FieldInput
from remit_cms.types.types import Types

EDIT_KEY: Final = "edit"
"""The key of the edits, by which their effects are told from others."""

_BUSY_TIMEOUT: Final = 0.05
"""Seconds that the editor waits for a write that has begun; then the edit came too late."""

Edit = Callable[[World, Any], Awaitable[object]]


async def edit_page(world: World, call: Any) -> object:
    """Change the description of the page Live for search engines, which no summary shows."""
    meta = Meta(description="Changed since")
    return await world.pages.update_page(call, UpdatePage(page_id=_id("live"), meta=meta))


async def rename_page(world: World, call: Any) -> object:
    """Give Live another title."""
    return await world.pages.update_page(call, UpdatePage(page_id=_id("live"), title="Changed since"))


async def edit_section(world: World, call: Any) -> object:
    """Change a text of a section of About."""
    content: Content = {"subheading": "Changed since"}
    return await world.sections.update_section_content(
        call, UpdateSectionContent(page_section_id=_id("section"), content=content)
    )


async def edit_draft(world: World, call: Any) -> object:
    """Change the body of a post that is a draft."""
    return await Posts(world.database).update_post(call, UpdatePost(post_slug=_id("entry"), body="Changed since"))


async def edit_post(world: World, call: Any) -> object:
    """Change the body of a post that is live."""
    return await Posts(world.database).update_post(call, UpdatePost(post_slug=_id("news"), body="Changed since"))


async def restore_and_delete(world: World, call: Any) -> object:
    """Bring a page back from the trash, and delete it again."""
    await Trash(world.database).restore_page(call, RestorePage(page_id=_id("gone")))
    again = world.call(key=f"{EDIT_KEY}-2")
    return await world.pages.delete_page(again, DeletePage(page_id=_id("gone"), confirmed=True))


async def toggle_item(world: World, call: Any) -> object:
    """Hide an item of the navigation."""
    return await Navigation(world.database).toggle_navigation_item(call, ToggleNavigationItem(label=_id("item")))


async def edit_redirect(world: World, call: Any) -> object:
    """Let a redirect lead elsewhere."""
    return await world.redirects.update_redirect(call, UpdateRedirect(path=_id("redirection"), new_href=_id("live")))


async def edit_image(world: World, call: Any) -> object:
    """Give an image a caption, which no summary shows."""
    return await world.images.update_image(call, UpdateImage(image_id=_id("image"), caption="Changed since"))


async def add_field(world: World, call: Any) -> object:
    """Give posts a further field."""
    field = FieldInput(key="since", type="text")
    return await Types(world.database).change_type(call, ChangeType(type_id="posts", add_fields=[field]))


async def add_language(world: World, call: Any) -> object:
    """Give the site another language."""
    return await Languages(world.database).add_language(call, AddLanguage(locale_code="it"))


async def translate_page(world: World, call: Any) -> object:
    """Give a page a title in German."""
    german = TranslatePage(page_id=_id("about"), locale_code="de", title="Changed since")
    return await world.pages.translate_page(call, german)


async def rename_template(world: World, call: Any) -> object:
    """Give a template of sections another name."""
    return await Types(world.database).change_type(call, ChangeType(type_id="quote", name="Changed since"))


async def fill_site(world: World, call: Any) -> object:
    """Make a page in the empty site."""
    return await world.pages.create_page(call, CreatePage(title="Made since"))


EDITS: Final[dict[str, Edit]] = {
    "cms_archivePost": edit_post,
    "cms_addLanguage": add_language,
    "cms_changeType": add_field,
    "cms_deleteEntry": edit_post,
    "cms_deleteImage": edit_image,
    "cms_deletePage": edit_page,
    "cms_deletePageSection": edit_section,
    "cms_deletePost": edit_post,
    "cms_deleteType": rename_template,
    "cms_expirePage": rename_page,
    "cms_importContent": fill_site,
    "cms_publishChangeSet": edit_page,
    "cms_publishPage": edit_page,
    "cms_publishPost": edit_draft,
    "cms_purgePage": restore_and_delete,
    "cms_removeLanguage": translate_page,
    "cms_removeNavigationItem": toggle_item,
    "cms_removeRedirect": edit_redirect,
    "cms_revertChangeSet": edit_page,
    "cms_scheduleChangeSet": edit_page,
    "cms_schedulePage": edit_page,
    "cms_seedSite": fill_site,
    "cms_unpublishPage": edit_page,
}
"""The edit that makes each tool's approval stale. Tools whose preview names no state are not in here."""


async def make_edit(location: Path | str, tool: str) -> None:
    """Make the edit for a tool in a process of its own, as far as the database is concerned.

    Raises:
        CallError: it came too late: the write has begun, or has changed what is edited.
    """
    with TemporaryDirectory() as folder:
        world = World(Path(folder), location, busy_timeout=_BUSY_TIMEOUT)
        world.database.new_id = random_id
        # The edits of a change set are those of its conversation.
        conversation = "monday" if "ChangeSet" in tool else ""
        call: LeafContext = world.call(key=EDIT_KEY, target=TARGETS.get(tool, ""), conversation=conversation)
        try:
            await EDITS[tool](world, call)
        finally:
            await world.database.close()


def _id(name: str) -> str:
    return IDS[name][0]
