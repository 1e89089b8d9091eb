"""Change sets that go from one environment to another: as a set there, with what differs named."""

from __future__ import annotations

import pytest

from apps.cms.tests.images.files import picture_file
from apps.cms.tests.site.visitor import make_site, visit
from apps.cms.tests.world import World
from remit import LeafContext
from remit.errors import CallError, ConflictError, NotFoundError
from remit_cms.images.payloads import UploadImage
from remit_cms.models import Content
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.pages.payloads import CreatePage, DeletePage, GetPage, PageView, UpdatePage
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import CreateEntry
from remit_cms.publishing.change_sets import ChangeSets
from remit_cms.publishing.payloads import GetChangeSet, ListChangeSets, PublishChangeSet, RevertChangeSet
from remit_cms.sections.payloads import AddSectionToPage, SectionInput, UpdateSectionContent
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.sites.payloads import AddSite, ExportContent, ImportContent, PromoteChangeSet, PromotionReply
from remit_cms.storage.scope import Target
from remit_cms.types.payloads import DefineType, FieldInput
from remit_cms.types.types import Types

MAIN, STAGING = "bistro/main", "bistro/staging"


class Bistro:
    """A site with two environments, to which edits and sets are made as a conversation makes them."""

    def __init__(self, world: World) -> None:
        self.world, self.sets = world, ChangeSets(world.database)

    def at(self, target: str, conversation: str = "monday") -> LeafContext:
        return self.world.call(target=target, conversation=f"{conversation} at {target}" if conversation else "")

    async def page(self, target: str, title: str, *sections: tuple[str, Content]) -> PageView:
        given = [SectionInput(definition_id=key, content=content) for key, content in sections]
        made = await self.world.pages.create_page(self.at(target), CreatePage(title=title, sections=given))
        found = GetPage(page_id=made.page.id, include_content=True)
        return (await self.world.pages.get_page(self.at(target), found)).page

    async def publish(self, target: str) -> str:
        """The id of the set of the conversation, which visitors of an environment see now."""
        return (await self.sets.publish_change_set(self.at(target), PublishChangeSet())).change_set.id

    async def promote(self, change_set: str, to: str = MAIN) -> PromotionReply:
        source = "staging" if to == MAIN else "main"
        payload = PromoteChangeSet(from_environment=source, change_set_id=change_set)
        return await self.world.sites.promotion.promote_change_set(self.at(to, ""), payload)

    async def show(self, change_set: str, to: str = MAIN) -> list[str]:
        """What a set changes for visitors, by place."""
        found = await self.sets.get_change_set(self.at(to, ""), GetChangeSet(change_set_id=change_set))
        return [each.where for page in found.change_set.pages for each in page.differences]

    async def go_live(self, change_set: str, to: str = MAIN) -> None:
        await self.sets.publish_change_set(self.at(to, ""), PublishChangeSet(change_set_id=change_set))

    async def read(self, path: str, target: str = MAIN) -> str:
        site = make_site(self.world, Target(*target.split("/")))
        return (await visit(site, path)).text


@pytest.fixture
async def bistro(world: World) -> Bistro:
    await world.sites.add_site(
        world.call(), AddSite(key="bistro", name="Bistro", languages=["en", "de"], environments=["main", "staging"])
    )
    return Bistro(world)


async def test_a_set_that_makes_pages_is_a_set_elsewhere_which_is_published_and_reverted_as_one(bistro: Bistro) -> None:
    await bistro.page(STAGING, "About", ("hero", {"heading": "We bake"}))
    await bistro.page(STAGING, "Menu", ("text", {"content": "See [us](/about)."}))
    promoted = await bistro.promote(await bistro.publish(STAGING))
    assert len(promoted.pages) == 2
    assert "We bake" not in await bistro.read("/about")
    await bistro.go_live(promoted.change_set_id)
    assert "We bake" in await bistro.read("/about")
    assert '<a href="/about"' in await bistro.read("/menu")
    await bistro.sets.revert_change_set(bistro.at(MAIN, ""), RevertChangeSet(change_set_id=promoted.change_set_id))
    assert "We bake" not in await bistro.read("/about")
    assert "We bake" in await bistro.read("/about", STAGING)


async def test_a_later_set_changes_the_pages_that_an_earlier_one_made_and_the_edits_of_others_stay(
    bistro: Bistro,
) -> None:
    page = await bistro.page(STAGING, "About", ("hero", {"heading": "We bake"}))
    first = await bistro.promote(await bistro.publish(STAGING))
    await bistro.go_live(first.change_set_id)
    other = UpdatePage(page_id=first.pages[0], title="Our bistro")
    await bistro.world.pages.update_page(bistro.at(MAIN), other)
    section = page.sections[0].id
    edit = UpdateSectionContent(page_section_id=section, content={"heading": "We cook", "subheading": "Daily"})
    await bistro.world.sections.update_section_content(bistro.at(STAGING), edit)
    added = AddSectionToPage(page_id=page.id, definition_id="text", content={"content": "Come in."})
    await bistro.world.sections.add_section_to_page(bistro.at(STAGING), added)
    second = await bistro.promote(await bistro.publish(STAGING))
    assert second.pages == first.pages
    assert await bistro.show(second.change_set_id) == [
        "hero / heading (en)",
        "hero / subheading (en)",
        "text",
        "text / text (en)",
    ]
    await bistro.go_live(second.change_set_id)
    shown = await bistro.read("/about")
    assert ("We cook" in shown, "Come in." in shown, "Our bistro" in shown) == (True, True, False)


async def test_what_differs_elsewhere_is_named_and_nothing_is_written(bistro: Bistro) -> None:
    page = await bistro.page(STAGING, "About", ("hero", {"heading": "We bake"}))
    first = await bistro.promote(await bistro.publish(STAGING))
    await bistro.world.pages.update_page(bistro.at(MAIN), UpdatePage(page_id=first.pages[0], title="Ours"))
    await bistro.world.pages.update_page(bistro.at(STAGING), UpdatePage(page_id=page.id, title="Theirs"))
    change_set = await bistro.publish(STAGING)
    before = await bistro.world.rows()
    with pytest.raises(
        ConflictError, match="The draft of 'Ours' here is not what the change set changes: title is 'Ours', not 'About'"
    ):
        await bistro.promote(change_set)
    assert await bistro.world.rows() == before


async def test_the_same_set_is_taken_over_once(bistro: Bistro) -> None:
    await bistro.page(STAGING, "About")
    change_set = await bistro.publish(STAGING)
    await bistro.promote(change_set)
    with pytest.raises(ConflictError, match="There is nothing to take over"):
        await bistro.promote(change_set)


async def test_a_site_that_was_imported_into_another_environment_is_known_there(bistro: Bistro) -> None:
    page = await bistro.page(MAIN, "About", ("faq", {"questions": [{"question": "Where?", "answer": "Here."}]}))
    await bistro.publish(MAIN)
    world = bistro.world
    file = (await world.sites.export_content(bistro.at(MAIN, ""), ExportContent())).file
    await world.sites.import_content(bistro.at(STAGING, ""), ImportContent(file=file))
    found = await world.pages.get_page(bistro.at(STAGING), GetPage(page_id="about", include_content=True))
    section = found.page.sections[0].id
    assert (found.page.id == page.id, section == page.sections[0].id) == (False, False)
    items = {"questions": [{"id": "i1", "answer": "There."}, {"question": "When?", "answer": "At noon."}]}
    edit = UpdateSectionContent.model_validate({"pageSectionId": section, "content": items})
    await world.sections.update_section_content(bistro.at(STAGING), edit)
    promoted = await bistro.promote(await bistro.publish(STAGING))
    assert promoted.pages == [page.id]
    await bistro.go_live(promoted.change_set_id)
    shown = await bistro.read("/about")
    assert ("There." in shown, "At noon." in shown, "Here." in shown) == (True, True, False)


async def test_images_go_along_and_one_that_is_there_is_used(bistro: Bistro) -> None:
    world = bistro.world
    file = await world.files.add(picture_file(), name="loaf.png")

    image = (await world.images.upload_image(bistro.at(STAGING), UploadImage(file=file, alt_text="A loaf"))).image
    await bistro.page(STAGING, "About", ("hero", {"heading": "x", "image": {"imageId": image.id}}))
    promoted = await bistro.promote(await bistro.publish(STAGING))
    assert "with 1 image" in promoted.message
    await bistro.go_live(promoted.change_set_id)
    assert 'alt="A loaf"' in await bistro.read("/about")
    await bistro.page(STAGING, "Menu", ("hero", {"heading": "x", "image": {"imageId": image.id}}))
    assert "image" not in (await bistro.promote(await bistro.publish(STAGING))).message


async def test_a_type_that_is_missing_is_refused_by_name(bistro: Bistro) -> None:
    fields = [FieldInput(key="place", type="text")]
    types = Types(bistro.world.database)
    await types.define_type(bistro.at(STAGING), DefineType(name="Events", fields=fields))

    entry = CreateEntry(collection_id="events", title="Bread day", content={"place": "Yard"})
    await Collections(bistro.world.database).create_entry(bistro.at(STAGING), entry)
    change_set = await bistro.publish(STAGING)
    with pytest.raises(ConflictError, match="The type 'events' is not here"):
        await bistro.promote(change_set)
    await types.define_type(bistro.at(MAIN), DefineType(name="Events", fields=[FieldInput(key="day", type="date")]))
    with pytest.raises(ConflictError, match="The type 'events' has no place here"):
        await bistro.promote(change_set)


async def test_a_link_to_a_page_that_is_not_there_is_refused_by_name(bistro: Bistro) -> None:
    await bistro.page(STAGING, "About")
    await bistro.publish(STAGING)
    await bistro.page(STAGING, "Menu", ("text", {"content": "See [us](/about)."}))
    with pytest.raises(ConflictError, match="The edits link to 'About', which is not here"):
        await bistro.promote(await bistro.publish(STAGING))


async def test_settings_and_navigation_lead_to_the_pages_there(bistro: Bistro) -> None:
    page, database = await bistro.page(STAGING, "Start"), bistro.world.database
    item = AddNavigationItem(label="Begin", href=page.id, location="header")
    await Navigation(database).add_navigation_item(bistro.at(STAGING), item)
    settings = UpdateSiteSettings.model_validate({"tagline": "Daily", "homePage": page.id})
    await Settings(database).update_site_settings(bistro.at(STAGING), settings)
    own = UpdateSiteSettings.model_validate({"theme": {"accent": "#a33000"}})
    await Settings(database).update_site_settings(bistro.at(MAIN), own)
    await bistro.publish(MAIN)
    promoted = await bistro.promote(await bistro.publish(STAGING))
    await bistro.go_live(promoted.change_set_id)
    shown = await bistro.read("/")
    assert ("Begin" in shown, "Daily" in shown, "#a33000" in shown) == (True, True, True)


async def test_a_deletion_is_taken_over_as_one(bistro: Bistro) -> None:
    page = await bistro.page(STAGING, "About", ("hero", {"heading": "We bake"}))
    first = await bistro.promote(await bistro.publish(STAGING))
    await bistro.go_live(first.change_set_id)
    await bistro.world.pages.delete_page(bistro.at(STAGING), DeletePage(page_id=page.id, confirmed=True))
    listed = await bistro.sets.list_change_sets(bistro.at(STAGING), ListChangeSets(include_closed=True))
    deleted = next(each for each in listed.change_sets if "About" in each.name)
    promoted = await bistro.promote(deleted.id)
    assert "We bake" in await bistro.read("/about")
    await bistro.go_live(promoted.change_set_id)
    assert "We bake" not in await bistro.read("/about")


@pytest.mark.parametrize(
    ("environment", "name", "error"),
    [("nosuch", "set_1", NotFoundError), ("main", "set_1", NotFoundError), ("staging", "nosuch", NotFoundError)],
)
async def test_an_environment_or_set_that_is_not_there_is_refused(
    bistro: Bistro, environment: str, name: str, error: type[CallError]
) -> None:
    payload = PromoteChangeSet(from_environment=environment, change_set_id=name)
    with pytest.raises(error):
        await bistro.world.sites.promotion.promote_change_set(bistro.at(MAIN), payload)


async def test_only_what_is_published_there_is_taken_over(bistro: Bistro) -> None:
    await bistro.page(STAGING, "About")
    listed = await bistro.sets.list_change_sets(bistro.at(STAGING), ListChangeSets(include_closed=True))
    with pytest.raises(ConflictError, match=r"is open in staging\. Only what is published is taken over"):
        await bistro.promote(listed.change_sets[0].id)


async def test_an_address_that_another_page_has_is_refused(bistro: Bistro) -> None:
    await bistro.page(MAIN, "About")
    await bistro.page(STAGING, "About")
    with pytest.raises(CallError, match="'About'"):
        await bistro.promote(await bistro.publish(STAGING))
