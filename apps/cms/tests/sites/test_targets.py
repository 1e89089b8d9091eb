"""A run on a site that there is not is refused, with the sites that the principal may read."""

from __future__ import annotations

import pytest

from apps.cms.tests.world import World
from remit import Principal
from remit.errors import RequestNotFoundError
from remit_cms.sites.targets import target_check, target_list


@pytest.mark.parametrize("target", ["local-site", "local-site/main"])
async def test_a_site_of_the_tenant_is_accepted_with_and_without_environment(world: World, target: str) -> None:
    await target_check(world.database)(target, Principal("ann", "local-site", frozenset({"*"})))


@pytest.mark.parametrize("target", ["nosuch/x", "local-site/nowhere", "other-site"])
@pytest.mark.parametrize(
    ("permissions", "named"),
    [
        ({"*"}, "local-site/main"),
        ({"cms:read@local-site/*"}, "local-site/main"),
        ({"cms:read@bakery/*"}, "none that you may read"),
    ],
    ids=["all", "this site", "another site"],
)
async def test_any_other_is_not_found_and_no_site_of_another_tenant_is_named(
    world: World, target: str, permissions: set[str], named: str
) -> None:
    message = f"^there is no site '{target}'; the sites and their environments: {named}$"
    with pytest.raises(RequestNotFoundError, match=message):
        await target_check(world.database)(target, Principal("ann", "local-site", frozenset(permissions)))


async def test_a_person_chooses_among_the_sites_that_they_may_read(world: World) -> None:
    list_targets = target_list(world.database)
    assert await list_targets(Principal("ann", "local-site", frozenset({"*"}))) == ["local-site/main"]
    assert await list_targets(Principal("ann", "other", frozenset({"cms:read@local-site/*"}))) == []
