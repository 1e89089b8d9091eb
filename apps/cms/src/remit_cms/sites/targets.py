"""The sites that a run can be about: refuses others before it is made, and lists them for people."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from remit import Principal
from remit.errors import NotFoundError, RequestNotFoundError
from remit_cms.storage.database import Database
from remit_cms.storage.scope import find_target
from remit_cms.storage.tables import Environment, Site

_READ: Final = "cms:read"
_MAX_NAMED: Final = 10


def target_check(database: Database) -> Callable[[str, Principal], Awaitable[None]]:
    """The function that refuses targets which are no site of the principal's tenant."""

    async def check(target: str, principal: Principal) -> None:
        async with database.read() as session:
            try:
                await find_target(session, principal.tenant, target)
            except NotFoundError as error:
                named = _name_readable(await _list_targets(session, principal.tenant), principal)
                message = f"there is no site {target!r}; the sites and their environments: {named}"
                raise RequestNotFoundError(message) from error

    return check


def target_list(database: Database) -> Callable[[Principal], Awaitable[list[str]]]:
    """The function that lists the sites that a principal may read, the first one of the tenant first."""

    async def list_targets(principal: Principal) -> list[str]:
        async with database.read() as session:
            listed = await _list_targets(session, principal.tenant)
        return [each for each in listed if principal.at(each).may(_READ)]

    return list_targets


async def _list_targets(session: AsyncSession, tenant: str) -> list[str]:
    query = select(Environment.site, Environment.name).join(Site, Site.key == Environment.site)
    query = query.where(Site.tenant == tenant)
    query = query.order_by(Site.created_at, Site.key, Environment.is_default.desc(), Environment.name)
    return [f"{site}/{environment}" for site, environment in (await session.execute(query)).all()]


def _name_readable(targets: Sequence[str], principal: Principal) -> str:
    readable = [each for each in targets if principal.at(each).may(_READ)]
    more = f" and {len(readable) - _MAX_NAMED} more" if len(readable) > _MAX_NAMED else ""
    return f"{', '.join(readable[:_MAX_NAMED])}{more}" if readable else "none that you may read"
