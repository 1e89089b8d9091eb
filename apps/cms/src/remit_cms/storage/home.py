"""The home page: what the settings name as the page at the address without a path, and the guard that it is live."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import select

from remit.errors import ConflictError
from remit_cms.storage.documents import find_single
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot, load_snapshot
from remit_cms.storage.tables import Kind, Page

HOME_PAGE: Final = "homePage"
"""The setting, whose value is a reference: ``{"page": ID}``."""


def home_of(settings: Snapshot | None) -> str | None:
    """The id of the page that settings name as the home page; None if they name none."""
    for section in [] if settings is None else settings.sections:
        for content in section.contents.values():
            value = content.get(HOME_PAGE)
            if isinstance(value, dict) and isinstance(page := value.get("page"), str):
                return page
    return None


async def check_home(scope: Scope, after: Mapping[str, Snapshot | None]) -> None:
    """Refuse to hide the home page that visitors have, and to publish settings whose home page they would not see.

    Args:
        scope: the transaction.
        after: the states that are to be live, by id of their document; None is none.

    Raises:
        ConflictError: names the page.
    """
    settings = await find_single(scope, Kind.SETTINGS)
    if settings is None:
        return
    if settings.id in after:
        live = after[settings.id]
    else:
        live = None if settings.live is None else await load_snapshot(scope, settings.id, settings.live)
    home = home_of(live)
    if home is None or after.keys().isdisjoint((settings.id, home)):
        return
    page = await scope.session.scalar(select(Page).where(scope.target.row_filter(Page), Page.id == home))
    if page is None:
        raise ConflictError("The home page that these settings name does not exist any more: homePage needs another.")
    if (after[home] if home in after else page.live) is not None:  # noqa: SIM401 - None is a state
        return
    if settings.id in after:
        raise ConflictError(
            f"These settings make '{page.title}' the home page, which is not live. It is published before them, or in "
            "one change set with them."
        )
    raise ConflictError(
        f"'{page.title}' is the home page, which visitors see at '/'. It can be hidden or deleted once the setting "
        "homePage names another page and is published."
    )
