"""A refusal shows what changed. What it shows in full the conversation has seen then; the rest has to be read."""

from __future__ import annotations

from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit.errors import ConflictError
from remit_cms.models import Content
from remit_cms.pages.payloads import GetPage, TranslatePage
from remit_cms.posts.payloads import CreatePost, GetPost, UpdatePost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import RevertPage
from remit_cms.sections.payloads import DeletePageSection, GetSectionContent, RemoveListItem, UpdateListItem
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings

LONG = "\n\n".join(f"Paragraph {number} {'words ' * 20}" for number in range(30))
COUNT = 12


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, conversation="ann")


@pytest.fixture
def bob(world: World) -> Editor:
    return Editor(world, conversation="bob", name="bob")


def answers(text: str) -> list[Any]:
    return [{"id": f"i{number}", "answer": f"{text}{number}"} for number in range(1, COUNT + 1)]


def describe(letter: str) -> TranslatePage:
    meta = {"description": letter * 450}
    return TranslatePage.model_validate({"pageId": "about", "localeCode": "de", "meta": meta})


async def stored(editor: Editor, page: str = "about", section: int = 0) -> Any:
    """The content of a section, as somebody else reads it."""
    return (await Editor(editor.world).draft(page)).sections[section].content


async def test_what_a_refusal_leaves_out_is_not_overwritten_by_the_next_write(ann: Editor, bob: Editor) -> None:
    await ann.create("About", ("faq", {"questions": [{"question": f"Q{n}", "answer": "A"} for n in range(COUNT)]}))
    await bob.write("section_1", questions=answers("Bob"))
    with pytest.raises(ConflictError, match=r"; and 4 more\. .*The whole text is in cms_getSectionContent about/s1\.$"):
        await ann.write("section_1", questions=answers("Ann"))
    with pytest.raises(ConflictError, match=r"Nothing was written, so that no edit is lost\.$") as second:
        await ann.write("section_1", questions=answers("Ann"))
    assert str(second.value).count("is now") == 4
    assert {each["answer"][:3] for each in (await stored(ann))["questions"]} == {"Bob"}
    await ann.write("section_1", questions=answers("Ann"))


async def test_a_long_text_is_not_seen_before_it_is_read(ann: Editor, bob: Editor) -> None:
    await ann.create("About", ("text", {"content": LONG}))
    await bob.write("section_1", content=LONG.replace("Paragraph 2 ", "Chapter 2 ") + "The price is 10 euro.")
    for _ in range(2):
        with pytest.raises(ConflictError, match=r"The whole text is in cms_getSectionContent about/s1\.$"):
            await ann.write("section_1", content=LONG.replace("Paragraph 1 ", "Chapter 1 "))
    assert "10 euro" in (await stored(ann))["text"]
    payload = GetSectionContent(page_section_id="section_1")
    await ann.world.sections.get_section_content(ann.call(), payload)
    await ann.write("section_1", content="Short.")


async def test_a_refusal_shows_nothing_that_does_not_stand_in_the_way(ann: Editor, bob: Editor) -> None:
    await ann.create("About", ("text", {"content": "Hello"}), ("faq", {"questions": answers("")}))
    await bob.write("section_2", questions=answers("Bob"))
    await bob.update("about", title="Us")
    with pytest.raises(ConflictError) as refused:
        await ann.update("about", title="We")
    assert str(refused.value).count("is now") == 1


async def test_a_refusal_names_the_page_as_it_is_and_not_as_the_write_would_name_it(ann: Editor, bob: Editor) -> None:
    await ann.create("About")
    await bob.update("about", title="Us")
    with pytest.raises(ConflictError, match=r"^'Us' has changed since it was read, last by bob: title: 'About' is now"):
        await ann.update("about", title="We")


async def test_the_language_of_the_rest_is_named(ann: Editor, bob: Editor) -> None:
    await ann.create("About", ("text", {"content": LONG}))
    await ann.write("section_1", "de", content=LONG)
    await ann.write("section_1", "de", content=f"{LONG} Tschüss.")
    await bob.write("section_1", "de", content=LONG)
    with pytest.raises(ConflictError, match=r"cms_getSectionContent about/s1 \(localeCode de\)\.$"):
        await ann.write("section_1", "de", content="Kurz.")
    await bob.world.pages.translate_page(bob.call(), describe("b"))
    shown = GetPage(page_id="about", include_content=True, locale_code="de")
    await ann.world.pages.get_page(ann.call(), shown)
    await bob.world.pages.translate_page(bob.call(), describe("c"))
    with pytest.raises(ConflictError, match=r"The whole text is in cms_getPage about \(localeCode de\)\.$"):
        await ann.world.pages.translate_page(ann.call(), describe("d"))


async def test_many_sections_are_one_read(ann: Editor, bob: Editor) -> None:
    text: tuple[str, Content] = ("text", {"content": LONG})
    await ann.create("About", text, text, text, text)
    await ann.update("about", title="Us")
    for number in range(1, 5):
        await bob.write(f"section_{number}", content=f"{LONG} Bye {number}.")
    await bob.history.revert_page(bob.call(), RevertPage(page_id="about", revision=1))
    for number in range(1, 5):
        await bob.write(f"section_{number}", content=f"{LONG} Hello {number}.")
    for number in range(1, 5):
        await ann.world.sections.get_section_content(ann.call(), GetSectionContent(page_section_id=f"section_{number}"))
        await bob.write(f"section_{number}", content=f"{LONG} Ho {number}.")
    with pytest.raises(ConflictError, match=r"The whole text is in cms_getPage about with includeContent true\.$"):
        await ann.history.revert_page(ann.call(), RevertPage(page_id="about", revision=1))


async def test_what_is_gone_is_read_with_the_page(ann: Editor, bob: Editor) -> None:
    await ann.create("About", ("text", {"content": LONG}), ("faq", {"questions": answers("")}))
    await bob.world.sections.delete_page_section(
        bob.call(), DeletePageSection(page_section_id="section_1", confirmed=True)
    )
    remove = RemoveListItem(page_section_id="section_2", item_id="i1")
    await bob.world.sections.items.remove_list_item(bob.call(), remove)
    with pytest.raises(ConflictError, match="text: 'section' is now ''; "):
        await ann.history.revert_page(ann.call(), RevertPage(page_id="about", revision=1))
    await ann.history.revert_page(ann.call(), RevertPage(page_id="about", revision=1))


async def test_an_item_of_which_the_refusal_shows_all_may_be_removed(ann: Editor, bob: Editor) -> None:
    await ann.create("About", ("faq", {"questions": [{"question": "Q", "answer": "A"}]}))
    change = UpdateListItem(page_section_id="section_1", item_id="i1", item={"answer": "B"})
    await bob.world.sections.items.update_list_item(bob.call(), change)
    remove = RemoveListItem(page_section_id="section_1", item_id="i1")
    with pytest.raises(ConflictError, match="'A' is now 'B'"):
        await ann.world.sections.items.remove_list_item(ann.call(), remove)
    await ann.world.sections.items.remove_list_item(ann.call(), remove)


async def test_documents_of_other_kinds_name_the_read_that_shows_them(ann: Editor, bob: Editor) -> None:
    posts, settings = Posts(ann.world.database), Settings(ann.world.database)
    await posts.create_post(ann.call(), CreatePost(title="Hi", body=LONG))
    await posts.update_post(bob.call(), UpdatePost(post_slug="posts/hi", body=f"{LONG} Bye."))
    with pytest.raises(ConflictError, match=r"The whole text is in cms_getPost posts/hi\.$"):
        await posts.update_post(ann.call(), UpdatePost(post_slug="posts/hi", body="Short."))
    await posts.get_post(ann.call(), GetPost(post_slug="posts/hi"))
    await posts.update_post(ann.call(), UpdatePost(post_slug="posts/hi", body="Short."))
    for who, text in ((ann, "a"), (bob, "b")):
        await settings.update_site_settings(who.call(), UpdateSiteSettings(instructions=text * 500))
    with pytest.raises(ConflictError, match=r"The whole text is in cms_getSiteSettings\.$"):
        await settings.update_site_settings(ann.call(), UpdateSiteSettings(instructions="c"))
