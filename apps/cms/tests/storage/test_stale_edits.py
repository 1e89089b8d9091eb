"""A conversation that saw something overwrites no later edit of another one; edits of other parts merge."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit.errors import ConflictError, InvalidArgumentsError
from remit_cms.pages.payloads import DeletePage, GetPage, MovePage, TranslatePage, UpdatePage
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import CreatePost, GetCollectionEntries, UpdatePost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import RevertPage
from remit_cms.sections.payloads import (
    AddListItem,
    AddSectionToPage,
    DeletePageSection,
    GetPageSections,
    GetSectionContent,
    MoveSection,
    UpdateListItem,
    UpdateSectionContent,
)
from remit_cms.sections.slices import SMALL_PAGE

HERO, FAQ = "section_1", "section_2"
Act = Callable[[Editor], Awaitable[Any]]


@pytest.fixture
async def ann(world: World) -> Editor:
    """An editor who made the page About with a hero and an FAQ."""
    ann = Editor(world, conversation="ann")
    await ann.create(
        "About", ("hero", {"heading": "Hello", "subheading": "We bake"}), ("faq", {"questions": QUESTIONS})
    )
    return ann


@pytest.fixture
def bob(world: World) -> Editor:
    return Editor(world, conversation="bob", name="bob")


QUESTIONS: list[Any] = [{"question": "When?", "answer": "At nine."}, {"question": "Where?", "answer": "Here."}]


def title(text: str) -> Act:
    return lambda by: by.world.pages.update_page(by.call(), UpdatePage(page_id="about", title=text))


def german(text: str) -> Act:
    payload = TranslatePage(page_id="about", locale_code="de", title=text)
    return lambda by: by.world.pages.translate_page(by.call(), payload)


def write(locale: str | None = None, **content: Any) -> Act:
    payload = UpdateSectionContent(page_section_id=HERO, content=content, locale_code=locale)
    return lambda by: by.world.sections.update_section_content(by.call(), payload)


def answer(item: str, text: str) -> Act:
    payload = UpdateListItem(page_section_id=FAQ, item_id=item, item={"answer": text})
    return lambda by: by.world.sections.items.update_list_item(by.call(), payload)


def add_item() -> Act:
    payload = AddListItem(page_section_id=FAQ, item={"question": "Who?", "answer": "We."})
    return lambda by: by.world.sections.items.add_list_item(by.call(), payload)


def place(section: str, order: int) -> Act:
    return lambda by: by.world.sections.move_section(by.call(), MoveSection(page_section_id=section, sort_order=order))


def add_section(key: str) -> Act:
    payload = AddSectionToPage(page_id="about", definition_id=key)
    return lambda by: by.world.sections.add_section_to_page(by.call(), payload)


def drop(section: str) -> Act:
    payload = DeletePageSection(page_section_id=section, confirmed=True)
    return lambda by: by.world.sections.delete_page_section(by.call(), payload)


def read(*, content: bool = True, locale: str | None = None) -> Act:
    payload = GetPage(page_id="about", include_content=content, locale_code=locale)
    return lambda by: by.world.pages.get_page(by.call(), payload)


def look(section: str) -> Act:
    return lambda by: by.world.sections.get_section_content(by.call(), GetSectionContent(page_section_id=section))


REFUSED: dict[str, tuple[Act, Act]] = {
    "a title": (title("Ours"), title("Mine")),
    "a translation": (german("Unseres"), german("Meins")),
    "a field": (write(heading="Bob's"), write(heading="Ann's")),
    "a field in another language": (write("de", heading="Bobs"), write("de", heading="Anns")),
    "an item of a list": (answer("i1", "At ten."), answer("When?", "At eight.")),
    "the place of a section": (place(FAQ, 0), place(FAQ, 1)),
    "a section that another has changed": (write(heading="Bob's"), drop(HERO)),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_a_write_to_what_another_changed_since_it_was_seen_is_refused(
    ann: Editor, bob: Editor, case: str
) -> None:
    theirs, mine = REFUSED[case]
    for locale in (None, "de"):
        await read(locale=locale)(ann)
    await theirs(bob)
    before = await ann.world.rows()
    with pytest.raises(ConflictError, match=r"has changed since it was read, last by bob: .*Nothing was written"):
        await mine(ann)
    assert await ann.world.rows() == before


@pytest.mark.parametrize("case", [name for name in REFUSED if "section" not in name])
async def test_after_the_refusal_the_conversation_knows_the_difference_and_may_write(
    ann: Editor, bob: Editor, case: str
) -> None:
    theirs, mine = REFUSED[case]
    for locale in (None, "de"):
        await read(locale=locale)(ann)
    await theirs(bob)
    with pytest.raises(ConflictError):
        await mine(ann)
    await mine(ann)
    await theirs(ann)


MERGED: dict[str, tuple[Act, Act]] = {
    "the same text in another language": (title("Ours"), german("Meins")),
    "another field of a section": (write(heading="Bob's"), write(subheading="Ann's")),
    "a field in another language": (write(heading="Bob's"), write("de", heading="Anns")),
    "another item of a list": (answer("i1", "At ten."), answer("i2", "There.")),
    "a new item each": (add_item(), add_item()),
    "a new section each": (add_section("text"), add_section("quote")),
    "the place of a section and a new one": (add_section("text"), place(FAQ, 0)),
    "texts of a page and a section": (title("Ours"), write(heading="Ann's")),
}


@pytest.mark.parametrize("case", MERGED)
async def test_writes_to_different_parts_merge(ann: Editor, bob: Editor, case: str) -> None:
    theirs, mine = MERGED[case]
    await read()(ann)
    await theirs(bob)
    await mine(ann)


async def test_what_a_conversation_never_saw_it_may_write(ann: Editor, bob: Editor) -> None:
    await write(heading="Bob's")(bob)
    carl = Editor(ann.world, conversation="carl", name="carl")
    await write(heading="Carl's")(carl)


async def test_a_page_read_without_content_shows_no_content(ann: Editor, bob: Editor) -> None:
    await write(text="x" * SMALL_PAGE)(ann)  # a short page is given whole
    await read()(ann)
    await write(heading="Bob's")(bob)
    await read(content=False)(ann)
    with pytest.raises(ConflictError, match=r"heading .*'Hello' is now 'Bob's'"):
        await write(heading="Ann's")(ann)
    await look(HERO)(ann)
    await write(heading="Ann's")(ann)


async def test_reading_all_sections_again_shows_what_changed(ann: Editor, bob: Editor) -> None:
    await write(heading="Bob's")(bob)
    payload = GetPageSections(page_id="about", include_content=True)
    await ann.world.sections.get_page_sections(ann.call(), payload)
    await write(heading="Ann's")(ann)


async def test_a_write_of_ones_own_hides_no_edit_of_another(ann: Editor, bob: Editor) -> None:
    await title("Ours")(bob)
    await write(heading="Ann's")(ann)
    with pytest.raises(ConflictError, match="title: 'About' is now 'Ours'"):
        await title("Mine")(ann)


async def test_a_change_that_was_changed_back_stands_in_nobodys_way(ann: Editor, bob: Editor) -> None:
    await title("Ours")(bob)
    await title("About")(bob)
    await title("Mine")(ann)


async def test_going_back_to_a_revision_overwrites_no_later_edit_of_another(ann: Editor, bob: Editor) -> None:
    await title("Mine")(ann)
    await title("Ours")(bob)
    with pytest.raises(ConflictError, match="title: 'Mine' is now 'Ours'"):
        await ann.history.revert_page(ann.call(), RevertPage(page_id="about", revision=1))


async def test_pages_below_follow_a_page_whatever_changed_on_them(ann: Editor, bob: Editor) -> None:
    for name in ("Team", "Shop"):
        await ann.create(name)
    move = ann.world.pages.move_page
    await move(ann.call(), MovePage(page_id="team", parent_id="about"))
    await bob.world.pages.update_page(bob.call(), UpdatePage(page_id="about/team", slug="crew"))
    await move(ann.call(), MovePage(page_id="about", parent_id="shop"))
    assert (await ann.draft("shop/about/crew")).title == "Team"


READS: dict[str, Act] = {
    "what visitors see": lambda by: by.live_title("about"),
    "the comparison of the live page and the draft": lambda by: by.differences("about"),
    "the comparison of two revisions": lambda by: by.differences("about", before=1, after=2),
    "a change set": lambda by: by.look("set_1"),
}


@pytest.mark.parametrize("case", READS)
async def test_what_a_read_of_a_revision_shows_is_seen(ann: Editor, bob: Editor, case: str) -> None:
    carl = Editor(ann.world, conversation="carl", name="carl")
    await title("One")(ann)
    if case == "what visitors see":
        await ann.publish()
    await READS[case](carl)
    await title("Two")(bob)
    with pytest.raises(ConflictError, match="title: 'One' is now 'Two'"):
        await title("Three")(carl)
    await title("Three")(carl)


async def test_a_read_of_what_is_live_shows_that_and_not_the_draft(ann: Editor, bob: Editor) -> None:
    await ann.publish()
    await title("Two")(bob)
    carl = Editor(ann.world, conversation="carl", name="carl")
    await carl.live_title("about")
    with pytest.raises(ConflictError, match="title: 'About' is now 'Two'"):
        await title("Three")(carl)


async def test_a_look_at_what_is_live_makes_nobody_forget_the_draft(ann: Editor, bob: Editor) -> None:
    await ann.publish()
    await title("Two")(bob)
    await read()(ann)
    for look_back in (ann.live_title("about"), ann.differences("about", before=1, after=1)):
        await look_back
    await title("Three")(ann)
    await read()(bob)
    await title("Four")(bob)
    await ann.live_title("about")
    with pytest.raises(ConflictError, match="title: 'Three' is now 'Four'"):
        await title("Five")(ann)


async def test_a_comparison_shows_nothing_that_it_cuts_or_leaves_out(ann: Editor, bob: Editor) -> None:
    carl = Editor(ann.world, conversation="carl", name="carl")
    await write(heading="x" * 100, subheading="y" * 1000)(ann)
    await carl.differences("about", before=1, after=2)
    await write(heading="Bob's", subheading="Bob's")(bob)
    await title("Bob's")(bob)
    await title("Carl's")(carl)
    with pytest.raises(ConflictError, match=r"heading .* is now 'Bob's'\. Nothing"):
        await write(heading="Carl's")(carl)
    await write(subheading="Carl's")(carl)


async def test_a_comparison_with_a_newer_revision_first_shows_nothing_newer(ann: Editor, bob: Editor) -> None:
    carl = Editor(ann.world, conversation="carl", name="carl")
    await title("One")(ann)
    await carl.differences("about", before=2, after=1)
    await title("Two")(bob)
    await title("Three")(carl)


async def test_a_list_with_contents_shows_them(ann: Editor, bob: Editor) -> None:
    posts = Posts(ann.world.database)
    await posts.create_post(bob.call(), CreatePost(title="Hi", body="Hello"))
    listed = GetCollectionEntries(collection_id="posts", include_content=True)
    await Collections(ann.world.database).get_collection_entries(ann.call(), listed)
    await posts.update_post(bob.call(), UpdatePost(post_slug="posts/hi", body="Ours"))
    with pytest.raises(ConflictError, match="'Hello' is now 'Ours'"):
        await posts.update_post(ann.call(), UpdatePost(post_slug="posts/hi", body="Mine"))


async def test_a_token_is_of_one_page_and_refuses_any_change_since(ann: Editor, bob: Editor) -> None:
    token = await ann.world.token("about")
    page = (await ann.draft("about")).id
    await title("Ours")(bob)
    for confirmed in (False, True):
        with pytest.raises(ConflictError, match="last by bob: title: 'About' is now 'Ours'"):
            await ann.world.pages.delete_page(
                ann.call(), DeletePage(page_id=page, confirmed=confirmed, if_unchanged=token)
            )
    await ann.create("Team")
    for wrong in (token, "7", "ä", "bm9uZQ", token + "x"):
        with pytest.raises(InvalidArgumentsError, match="is not a token of 'Team'"):
            await ann.world.pages.update_page(ann.call(), UpdatePage(page_id="team", title="Crew", if_unchanged=wrong))


async def test_a_read_gives_a_token_only_to_those_who_ask(ann: Editor) -> None:
    payload = GetPage(page_id="about")
    assert (await ann.world.pages.get_page(ann.call(), payload)).token is None
    assert "token" not in (await ann.world.pages.get_page(ann.call(), payload)).model_dump_json()
