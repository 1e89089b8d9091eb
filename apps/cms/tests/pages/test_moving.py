"""Pages below others: their addresses in every locale, the pages below them, drafts and visitors."""

from __future__ import annotations

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit.errors import AlreadyExistsError, ConflictError, InvalidArgumentsError, NotFoundError
from remit_cms.pages.payloads import GetPage, GetPages, MovePage, PageWriteReply, TranslatePage
from remit_cms.publishing.payloads import DiscardChangeSet, GetLivePage, PublishChangeSet, RevertPage


@pytest.fixture
async def ann(world: World) -> Editor:
    """An editor of a site with About, which is ueber-uns in German, Team, and Jobs below Team."""
    ann = Editor(world, conversation="monday")
    for title in ("About", "Team", "Jobs"):
        await ann.create(title)
    await translate(ann, "about", "ueber-uns")
    await move(ann, "jobs", "team")
    return ann


async def move(ann: Editor, page: str, parent: str, token: str | None = None) -> PageWriteReply:
    payload = MovePage(page_id=page, parent_id=parent, if_unchanged=token)
    return await ann.world.pages.move_page(ann.call(), payload)


async def translate(ann: Editor, page: str, slug: str, locale: str = "de") -> None:
    await ann.world.pages.translate_page(ann.call(), TranslatePage(page_id=page, locale_code=locale, slug=slug))


async def slugs(ann: Editor, locale: str | None = None) -> list[str]:
    reply = await ann.world.pages.get_pages(ann.call(), GetPages(locale_code=locale))
    return sorted(page.slug for page in reply.pages)


async def test_a_page_moves_below_another_one_in_every_locale_with_the_pages_below_it(ann: Editor) -> None:
    reply = await move(ann, "team", "about")
    assert (reply.page.slug, reply.message) == (
        "about/team",
        "Moved page 'Team' (/about/team), and the 1 page below it",
    )
    assert await slugs(ann) == ["about", "about/team", "about/team/jobs"]
    assert await slugs(ann, "de") == ["ueber-uns", "ueber-uns/team", "ueber-uns/team/jobs"]
    assert (await ann.draft("about/team/jobs")).title == "Jobs"
    found = await ann.world.pages.get_page(ann.call(), GetPage(page_id="/de/ueber-uns/team"))
    assert found.page.title == "Team"


async def test_a_page_moves_back_to_the_top(ann: Editor) -> None:
    before = await slugs(ann, "de")
    await move(ann, "team", "about")
    assert (await move(ann, "about/team", "/")).message == "Moved page 'Team' (/team), and the 1 page below it"
    assert await slugs(ann, "de") == before


async def test_pages_below_follow_a_page_that_gets_another_slug_in_one_locale(ann: Editor) -> None:
    await move(ann, "team", "about")
    assert (await ann.update("about", slug="us")).slug == "us"
    assert await slugs(ann) == ["us", "us/team", "us/team/jobs"]
    assert await slugs(ann, "de") == ["ueber-uns", "ueber-uns/team", "ueber-uns/team/jobs"]
    await translate(ann, "us", "wir")
    assert await slugs(ann, "de") == ["wir", "wir/team", "wir/team/jobs"]
    assert await slugs(ann) == ["us", "us/team", "us/team/jobs"]


async def test_a_page_moves_to_another_slug_with_the_pages_below_it(ann: Editor) -> None:
    payload = MovePage(page_id="team", slug="staff", if_unchanged=await ann.world.token("team"))
    reply = await ann.world.pages.move_page(ann.call(), payload)
    assert (await slugs(ann), reply.changed) == (["about", "staff", "staff/jobs"], ["slug"])
    with pytest.raises(ConflictError):
        await ann.world.pages.move_page(ann.call(), payload.model_copy(update={"page_id": "staff"}))


@pytest.mark.parametrize("place", [{}, {"slug": "staff", "parentId": "about"}])
def test_a_move_has_one_new_place(place: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="give slug or parentId, one of them at a time"):
        MovePage.model_validate({"pageId": "team", **place})


@pytest.mark.parametrize("written", ["staff", "/staff", "about/staff"])
async def test_a_new_slug_leaves_a_page_below_the_same_page(ann: Editor, written: str) -> None:
    await move(ann, "team", "about")
    await ann.update("about/team", slug=written)
    await translate(ann, "about/staff", "mannschaft")
    assert await slugs(ann) == ["about", "about/staff", "about/staff/jobs"]
    assert await slugs(ann, "de") == ["ueber-uns", "ueber-uns/mannschaft", "ueber-uns/mannschaft/jobs"]


async def test_visitors_find_a_moved_page_at_its_old_address_until_it_is_published_and_redirected_then(
    ann: Editor,
) -> None:
    await ann.sets.publish_change_set(ann.call(), PublishChangeSet())
    await move(ann, "team", "about")
    live = await ann.publishing.get_live_page(ann.call(), GetLivePage(page_id="/team/jobs"))
    assert (live.page.live_path, live.page.redirected_from) == ("team/jobs", None)
    await ann.sets.publish_change_set(ann.call(), PublishChangeSet())
    for address, path in (("team", "about/team"), ("team/jobs", "about/team/jobs")):
        live = await ann.publishing.get_live_page(ann.call(), GetLivePage(page_id=address))
        assert (live.page.live_path, live.page.redirected_from) == (path, address)


async def test_a_move_is_one_edit_of_the_conversation_that_can_be_discarded_or_reverted(ann: Editor) -> None:
    before = (await slugs(ann), await slugs(ann, "de"))
    await ann.sets.publish_change_set(ann.call(), PublishChangeSet())
    await move(ann, "team", "about")
    await ann.sets.discard_change_set(ann.call(), DiscardChangeSet())
    assert (await slugs(ann), await slugs(ann, "de")) == before
    await move(ann, "team", "about")
    number = (await ann.draft("about/team")).revision
    await ann.history.revert_page(ann.call(), RevertPage(page_id="about/team", revision=number - 1))
    assert await slugs(ann) == ["about", "about/team/jobs", "team"]


async def test_a_page_that_stands_there_already_is_not_written(ann: Editor) -> None:
    before = (await ann.draft("team/jobs")).revision
    assert (await move(ann, "team/jobs", "team")).message == "Page 'Jobs' (/team/jobs) stands there already"
    assert (await move(ann, "about", "")).message == "Page 'About' (/about) stands there already"
    assert (await ann.draft("team/jobs")).revision == before


@pytest.mark.parametrize(
    ("page", "parent", "refusal"),
    [
        ("team", "team", (InvalidArgumentsError, "'Team' cannot stand below itself")),
        ("team", "team/jobs", (InvalidArgumentsError, "'Team' cannot stand below 'Jobs', which stands below it")),
        ("team", "nowhere", (NotFoundError, "There is no page 'nowhere'")),
        ("nowhere", "team", (NotFoundError, "There is no page 'nowhere'")),
        ("about", "long", (InvalidArgumentsError, "would have 66 characters; 64 are the most")),
        ("copy", "team", (AlreadyExistsError, "a page with this slug already: 'Jobs'")),
    ],
)
async def test_a_move_that_cannot_be_made_changes_nothing(
    ann: Editor, page: str, parent: str, refusal: tuple[type[Exception], str]
) -> None:
    await ann.create("Copy")
    await ann.create("Long")
    await ann.update("long", slug="l" * 60)
    await move(ann, "about", "copy")
    await move(ann, "copy/about", "/")
    await ann.update("copy", slug="jobs")
    before = await ann.world.rows()
    names = {"copy": "jobs", "long": "l" * 60}
    with pytest.raises(refusal[0], match=refusal[1]):
        await move(ann, names.get(page, page), names.get(parent, parent))
    assert await ann.world.rows() == before


async def test_a_page_that_changed_since_is_not_moved(ann: Editor) -> None:
    with pytest.raises(InvalidArgumentsError, match=r"'7' is not a token of 'Team', such as"):
        await move(ann, "team", "about", token="7")
