"""Checks of what visitors are about to see: remarks in the question, and none where all is well."""

from __future__ import annotations

from dataclasses import replace

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.scheduling.scheduling import NOON, expire, schedule
from apps.cms.tests.site.test_outlooks import LATER
from apps.cms.tests.world import PREVIEW_KEY, World
from remit.tools import Preview
from remit_cms.checks.checks import Remark, Subject, find_missing_alt_texts
from remit_cms.models import Content
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.pages.payloads import TranslatePage
from remit_cms.publishing.payloads import PublishChangeSet, PublishPage
from remit_cms.scheduling.payloads import SchedulePage
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.site.payloads import CreatePreviewLink
from remit_cms.storage.snapshots import SectionSnapshot, Snapshot
from remit_cms.viewing.previewing import Previews


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world)


def remarks_of(preview: Preview) -> list[tuple[str, str]]:
    """The rows of a question that remark, without the word."""
    found = [each for each in preview.changes if each.where.startswith("Remark: ")]
    assert preview.changes[: len(found)] == (*found,)
    return [(each.where.removeprefix("Remark: "), each.after) for each in found]


async def ask(ann: Editor, page: str) -> list[tuple[str, str]]:
    preview = await ann.publishing.preview_publication(ann.call(), PublishPage(page_id=page))
    return remarks_of(preview)


async def test_a_page_with_which_all_is_well_has_no_remarks(ann: Editor) -> None:
    await ann.create("Home")
    await ann.publish_page("home")
    content = (
        "## First\n\nSee [home](/home), [posts](/posts/feed.xml) and [other](https://a.example/none).\n\n### Second"
    )
    await ann.create("Fine", ("text", {"content": content}))
    assert await ask(ann, "fine") == []


async def test_links_to_what_visitors_will_not_see_are_remarked(ann: Editor) -> None:
    await ann.create("Draft")
    text = "See [this](/draft), [that](/nowhere#part) and [this again](/draft)."
    hero: Content = {"heading": "We bake", "button": {"text": "Go", "url": "/gone"}}
    await ann.create("Links", ("text", {"content": text}), ("hero", hero))
    assert await ask(ann, "links") == [
        ("Links: text / text (en)", "links to 'Draft', which visitors do not see"),
        ("Links: text / text (en)", "links to /nowhere#part, which visitors do not see"),
        ("Links: hero / cta (en)", "links to /gone, which visitors do not see"),
    ]
    await ann.publish_page("draft")
    assert [text.split()[2] for _, text in await ask(ann, "links")] == ["/nowhere#part,", "/gone,"]


async def test_what_goes_live_together_may_link_to_one_another(ann: Editor) -> None:
    bob = Editor(ann.world, "bob", "tuesday")
    await bob.create("One")
    await bob.create("Two", ("text", {"content": "See [one](/one) and [two](/two)."}))
    asked = PublishChangeSet(change_set_id=await ann.world.find_open_set())
    assert remarks_of(await bob.sets.preview_publication(bob.call(), asked)) == []


async def test_a_schedule_is_checked_on_the_site_as_it_will_be_then(ann: Editor) -> None:
    await ann.create("Soon")
    await ann.create("Links", ("text", {"content": "See [soon](/soon)."}))
    await schedule(ann, "soon", NOON)
    scheduling = ann.world.scheduling
    early, late = [
        remarks_of(await scheduling.preview_page(ann.call(), SchedulePage(page_id="links", at=at)))
        for at in ("2026-05-01", LATER)
    ]
    assert ([each for _, each in early], late) == (["links to 'Soon', which visitors do not see"], [])


async def test_a_link_to_what_expires_before_is_remarked(ann: Editor) -> None:
    for title in ("Home", "Old"):
        await ann.create(title)
        await ann.publish_page(title.lower())
    await expire(ann, "old", NOON)
    await ann.create("Links", ("text", {"content": "See [old](/old)."}))
    assert await ask(ann, "links") == []
    late = await ann.world.scheduling.preview_page(ann.call(), SchedulePage(page_id="links", at=LATER))
    assert remarks_of(late) == [("Links: text / text (en)", "links to 'Old', which visitors do not see")]


def test_pictures_without_words_are_remarked() -> None:
    content: Content = {
        "image": {"imageId": "a", "alt": ""},
        "pictures": {"i1": {"image": {"imageId": "b", "alt": "B"}}},
    }
    section = SectionSnapshot(id="s1", definition="gallery", sort_order=0, contents={"en": content})
    snapshot = Snapshot(id="p", locale="en", slug="p", title="P", sections=[section])
    found = [*find_missing_alt_texts(Subject(snapshot, {}, {"en": ("en",)}, {}))]
    assert found == [Remark("gallery / image (en)", "the picture has no alternative text")]


async def test_a_language_that_a_page_has_lacks_texts_and_one_that_it_has_not_is_fine(ann: Editor) -> None:
    await ann.create("About", ("hero", {"heading": "We bake", "subheading": "Daily"}))
    section = "section_1"
    assert await ask(ann, "about") == []
    await ann.write(section, "de", heading="Wir backen")
    assert await ask(ann, "about") == [("About: translation de", "missing: title, hero / subheading")]
    translation = TranslatePage(page_id="about", locale_code="de", title="Über uns")
    await ann.world.pages.translate_page(ann.call(), translation)
    await ann.write(section, "de", subheading="Täglich")
    assert await ask(ann, "about") == []


async def test_colours_that_can_hardly_be_read_are_remarked(ann: Editor) -> None:
    settings = Settings(ann.world.database)
    await settings.update_site_settings(ann.call(), UpdateSiteSettings(theme={"ink": "#cccccc", "paper": "#ffffff"}))
    ((where, text),) = await ask(ann, "Site settings")
    assert (where, "ink on paper" in text) == ("Site settings: theme", True)


async def test_headings_that_skip_a_level_are_remarked(ann: Editor) -> None:
    await ann.create("Deep", ("text", {"content": "# One\n\n### Three\n\n```\n# code\n```"}))
    assert await ask(ann, "deep") == [("Deep: text / text (en)", "a heading skips a level")]


async def test_remarks_are_bounded_and_void_no_approval(ann: Editor) -> None:
    await ann.create("Target")
    links = " ".join(f"[x](/nowhere-{number})" for number in range(20))
    await ann.create("Links", ("text", {"content": f"{links} [y](/target)"}))
    asked = [await ann.publishing.preview_publication(ann.call(), PublishPage(page_id="links")) for _ in range(1)]
    assert len(remarks_of(asked[0])) == 13
    assert remarks_of(asked[0])[-1] == ("9 more remarks not shown", "")
    await ann.publish_page("target")
    again = await ann.publishing.preview_publication(ann.call(), PublishPage(page_id="links"))
    assert (len(remarks_of(again)), again.state) == (13, asked[0].state)
    assert replace(again, changes=()) == replace(asked[0], changes=())


async def test_a_preview_link_tells_the_same_so_that_a_model_can_mend_first(ann: Editor) -> None:
    await ann.create("Links", ("text", {"content": "See [that](/nowhere)."}))
    previews = Previews(ann.world.database, PREVIEW_KEY)
    reply = await previews.create_preview_link(ann.call(), CreatePreviewLink(page_id="links"))
    assert reply.remarks == ["Remark: Links: text / text (en): links to /nowhere, which visitors do not see"]


async def test_what_does_not_change_is_not_remarked_on(ann: Editor) -> None:
    settings, navigation = Settings(ann.world.database), Navigation(ann.world.database)
    await settings.update_site_settings(ann.call(), UpdateSiteSettings(tagline="Daily bread"))
    await settings.update_site_settings(ann.call(), UpdateSiteSettings(name="Bäckerei", locale_code="de"))
    await ann.publish_page("settings_1")
    await settings.update_site_settings(ann.call(), UpdateSiteSettings(time_zone="Europe/Berlin"))
    assert await ask(ann, "Site settings") == []
    page = await ann.create("Links", ("text", {"heading": "Here", "content": "See [that](/nowhere)."}))
    await ann.publish_page("links")
    await ann.write(page.sections[0].id, heading="There")
    assert await ask(ann, "links") == []
    await navigation.add_navigation_item(ann.call(), AddNavigationItem(label="Links", href="links"))
    assert await ask(ann, "Navigation") == []


async def test_a_remark_names_the_item_that_lacks_a_language(ann: Editor) -> None:
    questions: Content = {"questions": [{"question": "When?", "answer": "At nine."}, {"question": "Where?"}]}
    page = await ann.create("Help", ("faq", questions), ("text", {"content": "One."}), ("text", {"content": "Two."}))
    german: Content = {"questions": [{"id": "i1", "question": "Wann?", "answer": "Um neun."}]}
    await ann.write(page.sections[0].id, "de", **german)
    missing = "missing: title, faq / questions i2 question, text 1 / text, text 2 / text"
    assert await ask(ann, "help") == [("Help: translation de", missing)]


async def test_numbers_that_change_in_one_language_alone_are_remarked(ann: Editor) -> None:
    page = await ann.create("Prices", ("text", {"content": "Rye is 6.40 EUR"}))
    section = page.sections[0].id
    await ann.write(section, "de", content="Roggen kostet 6,40 EUR")
    await ann.publish_page("prices")
    await ann.write(section, content="Our rye is 6.40 EUR")
    assert await ask(ann, "prices") == []
    await ann.write(section, content="Our rye is 6.90 EUR")
    left = "other numbers than before, and the text in de stays as it was"
    assert await ask(ann, "prices") == [("Prices: text / text (en)", left)]
    await ann.write(section, "de", content="Roggen kostet 6,90 EUR")
    assert await ask(ann, "prices") == []


async def test_a_draft_of_others_is_not_named_in_a_question(ann: Editor) -> None:
    ann, bob = Editor(ann.world, "ann", "monday"), Editor(ann.world, "bob", "tuesday")
    await bob.create("Secret party")
    await ann.create("Links", ("text", {"content": "See [this](/secret-party)."}))
    assert await ask(ann, "links") == [
        ("Links: text / text (en)", "links to a draft of others, which visitors do not see")
    ]
    await ann.publish_page("links")
    await bob.update("links", title="Links by Bob")
    await ann.write("section_1", heading="Here")
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    assert (preview.names, "Bob" in str(preview.changes), "('Links')" in preview.summary) == (
        (("changeSetId", "with “Links”"),),
        False,
        True,
    )


async def test_links_beyond_the_first_two_hundred_are_said_to_be_unchecked(ann: Editor) -> None:
    links = " ".join(f"[x](/nowhere-{number})" for number in range(210))
    await ann.create("Links", ("text", {"content": links}))
    assert (await ask(ann, "links"))[-2:] == [
        ("188 more remarks not shown", ""),
        ("links", "200 of 210 were checked"),
    ]
