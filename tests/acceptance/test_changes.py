"""Every tool with a write effect, of both applications, tells those who watch what it has changed.

The tools are found in the inventories. A new one fails here until it is listed with its changes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from remit import Effect
from remit.record.items import Item
from remit.tools import Changed
from remit_casefile.app import build as build_casefile
from remit_cms.app import build as build_cms
from tests.acceptance.applications import DyingStore, Worlds

SESSION_IDS = "casefile session_ids"

CASEFILE: dict[str, list[str]] = {
    "add_session_to_casefile": [SESSION_IDS, "session casefile_id"],
    "archive_casefile": ["casefile state"],
    "close_chat_session": ["session active"],
    "close_tool_session": ["session active"],
    "create_casefile": ["casefile"],
    "create_chat_session": ["session", SESSION_IDS],
    "create_tool_session": ["session", SESSION_IDS],
    "delete_casefile": ["casefile"],
    "drive_upload_file": ["drive_file"],
    "gmail_send_message": ["mail"],
    "grant_permission": ["casefile grants"],
    "revoke_permission": ["casefile grants"],
    "set_public_access": ["casefile public_access"],
    "sheets_append_values": ["sheet Sheet1!A3:B3"],
    "sheets_update_values": ["sheet Sheet1!A1"],
    "store_drive_files": ["casefile drive"],
    "store_gmail_messages": ["casefile gmail"],
    "store_sheet_data": ["casefile sheets"],
    "sync_drive": ["casefile drive"],
    "sync_gmail": ["casefile gmail"],
    "sync_sheets": ["casefile sheets"],
    "update_casefile": ["casefile notes"],
}
"""The kinds of objects that each tool changes, with the fields."""

NEW_TOOL_SESSION = ["session", SESSION_IDS, "session tool_session_id"]

RECORDED: dict[str, list[str]] = {
    "process_tool_request": [*NEW_TOOL_SESSION, *["session requests events", "casefile", "session requests events"]],
    "process_chat_request": [*NEW_TOOL_SESSION, "session messages requests", "session requests", "session messages"],
}
"""The same of what writes the record of a chat session."""

CMS: dict[str, list[str]] = {
    "cms_addSite": ["site"],
    "cms_importContent": ["site content"],
    "cms_seedSite": ["site content"],
    "cms_addImageToSection": ["page sections", "section content"],
    "cms_addSectionToPage": ["page sections", "section"],
    "cms_addToChangeSet": ["change-set"],
    "cms_copyPage": ["page"],
    "cms_createChangeSet": ["change-set"],
    "cms_createPage": ["page"],
    "cms_createPageWithContent": ["page"],
    "cms_deleteImage": ["image live", "change-set", "image"],
    "cms_deletePage": ["change-set", "page"],
    "cms_deletePageSection": ["page sections", "section"],
    "cms_discardChangeSet": ["change-set state", "page title"],
    "cms_movePage": ["page slug"],
    "cms_addListItem": ["page sections", "section content"],
    "cms_updateListItem": ["page sections", "section content"],
    "cms_moveListItem": ["page sections", "section content"],
    "cms_removeListItem": ["page sections", "section content"],
    "cms_moveSection": ["page sections", "section sortOrder"],
    "cms_publishChangeSet": ["page live", "change-set state"],
    "cms_publishPage": ["page live", "change-set"],
    "cms_purgePage": ["page"],
    "cms_replaceImage": ["page sections"],
    "cms_removeWithChangeSet": ["page status", "change-set"],
    "cms_restorePage": ["page"],
    "cms_revertChangeSet": ["change-set state", "page live"],
    "cms_revertPage": ["page title"],
    "cms_translatePage": ["page title"],
    "cms_unpublishPage": ["page live", "change-set"],
    "cms_schedulePage": ["scheduled-action"],
    "cms_expirePage": ["scheduled-action"],
    "cms_scheduleChangeSet": ["change-set state", "scheduled-action"],
    "cms_cancelScheduledAction": ["change-set state", "scheduled-action state"],
    "cms_runScheduledAction": ["redirects live", "change-set state", "scheduled-action state"],
    "cms_promoteChangeSet": ["settings", "change-set"],
    "cms_addWebhook": ["webhook"],
    "cms_removeWebhook": ["webhook"],
    "cms_deliverWebhook": ["webhook-delivery state"],
    "cms_updateSiteSettings": ["settings tagline"],
    "cms_addNavigationItem": ["navigation items"],
    "cms_updateNavigationItem": ["navigation items"],
    "cms_toggleNavigationItem": ["navigation items"],
    "cms_removeNavigationItem": ["navigation items"],
    "cms_addRedirect": ["redirects items"],
    "cms_updateRedirect": ["redirects items"],
    "cms_removeRedirect": ["redirects items"],
    "cms_updateImage": ["image alt", "page sections"],
    "cms_defineType": ["type"],
    "cms_addLanguage": ["site languages"],
    "cms_removeLanguage": ["site languages"],
    "cms_changeType": ["type fields"],
    "cms_deleteType": ["type"],
    "cms_createEntry": ["entry"],
    "cms_updateEntry": ["entry content"],
    "cms_deleteEntry": ["change-set", "entry"],
    "cms_createPost": ["entry"],
    "cms_updatePost": ["entry title"],
    "cms_publishPost": ["entry live", "change-set"],
    "cms_archivePost": ["entry live", "change-set"],
    "cms_deletePost": ["change-set", "entry"],
    "cms_updatePage": ["page title"],
    "cms_updatePageMeta": ["page meta"],
    "cms_updateSectionContent": ["page sections", "section content"],
    "cms_updateSectionImage": ["page sections", "section content"],
    "cms_uploadImage": ["image"],
}

CHANGE_NOTHING = {
    *("cms_exportContent", "cms_exportSite", "cms_getImageRendition", "cms_openPage", "cms_rebuildSearch"),
    "http_post",
}
"""They make what a person or an agent looks at, or send data elsewhere: nothing that pages show changes."""

UNTRACED = "sheets_append_values"
"""A write of which nothing tells after a crash whether it happened: a person is asked."""


def tells_of_change(item: Item) -> bool:
    """Whether an item tells what a call has changed."""
    return Changed.from_item(item) is not None


def test_every_tool_with_a_write_effect_is_listed_here(tmp_path: Path) -> None:
    made = (build_casefile(tmp_path).app.operations, build_cms(tmp_path).app.operations)
    tools = [tool for each in made if each is not None for tool in each.callees]
    writing = {tool.name for tool in tools if tool.facts.effect not in {Effect.PURE, Effect.COMPOSED}}
    records = {"begin_session_request", "end_session_request", "begin_chat_turn", "end_chat_turn"}
    assert writing - records == {*CASEFILE, *CMS} | CHANGE_NOTHING


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", [*CASEFILE, *RECORDED, *CMS])
async def test_a_tool_tells_what_it_has_changed_also_if_its_process_dies_before(name: str, worlds: Worlds) -> None:
    world = worlds.of(name)
    store = DyingStore(1_000 if name == UNTRACED else 1, tells_of_change)
    result = await world.call(name, store)
    assert (result.status, store.has_died) == ("done", name != UNTRACED), result.text
    items = [position.item for position in await store.read(result.run)]
    changes = [change for item in items if (change := Changed.from_item(item))]
    assert [" ".join((change.kind, *change.fields)) for change in changes] == (CASEFILE | RECORDED | CMS)[name]
    assert all(change.id for change in changes)
