"""The question before a document is hidden or deleted: what links to it, and whose edits and plans it takes."""

from __future__ import annotations

from remit.tools import Caller, Preview
from remit_cms.storage.documents import draft_state, make_preview
from remit_cms.storage.door import describe_claims, plan_hiding
from remit_cms.storage.links import describe_links, find_links, link_state
from remit_cms.storage.outlook import pin_plan
from remit_cms.storage.parents import describe_surroundings
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Page


async def preview_hiding(scope: Scope, page: Page, named: str, caller: Caller, *, deletes: bool = False) -> Preview:
    """What an approver is shown of a document that would be hidden, or deleted, and how it is named."""
    planned = [await plan_hiding(scope, page, deletes=deletes)]
    others = await describe_claims(scope, planned, caller)
    links = await find_links(scope, page.id)
    around = await describe_surroundings(scope, page)
    linked = await describe_links(scope, links, caller.principal.name)
    summary, shows = f"{named}{linked}{around}{others}", pin_plan("hide", page.id, planned)
    return make_preview(summary, draft_state(page), link_state(links), shows=shows)
