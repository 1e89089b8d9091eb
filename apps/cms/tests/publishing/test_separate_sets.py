"""Edits of two change sets in one document: nothing of one goes live with the other."""

from __future__ import annotations

import pytest

from apps.cms.tests.images.files import picture_file
from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import HOME
from remit.errors import ConflictError
from remit_cms.images.payloads import UpdateImage
from remit_cms.pages.payloads import MovePage, PageView
from remit_cms.publishing.payloads import GetLivePage
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.settings.values import load_settings
from remit_cms.storage.fields import builds_on_others
from remit_cms.storage.transactions import open_view


async def publish_page(editor: Editor, key: str = "text", **content: object) -> PageView:
    """A live page with one section."""
    page = await editor.create("Bread", (key, content))  # pyright: ignore[reportArgumentType] - texts and images
    await editor.publish()
    return page


async def live_content(editor: Editor, page: PageView) -> dict[str, object]:
    """What visitors see of the only section of a page."""
    reply = await editor.publishing.get_live_page(editor.world.call(), GetLivePage(page_id=page.id))
    return dict(reply.page.sections[0].content or {})


async def themes(editor: Editor) -> list[dict[str, str]]:
    """The theme that visitors see, and that of the draft."""
    async with open_view(editor.world.database, HOME) as scope:
        return [{**((await load_settings(scope, live=live)).theme or {})} for live in (True, False)]


async def colour(editor: Editor, **theme: str) -> None:
    payload = UpdateSiteSettings(theme=theme)
    await Settings(editor.world.database).update_site_settings(editor.call(), payload)


async def test_a_text_that_goes_on_from_that_of_another_set_is_not_published_without_it(
    ann: Editor, bob: Editor
) -> None:
    page = await publish_page(ann, text="Our bread.")
    section = (await ann.draft(page.id)).sections[0].id
    await ann.write(section, text="Our bread. Ann bakes it.")
    await bob.draft(page.id)
    await bob.write(section, text="Our bread. Ann bakes it. Bob sells it.")
    with pytest.raises(ConflictError, match="build on unpublished edits by ann"):
        await bob.publish()
    with pytest.raises(ConflictError, match="Others have edited since"):
        await ann.discard()
    await ann.publish()
    await bob.publish()
    assert (await live_content(bob, page))["text"] == "Our bread. Ann bakes it. Bob sells it."


async def test_a_text_that_replaces_that_of_another_set_is_published_alone(ann: Editor, bob: Editor) -> None:
    page = await publish_page(ann, text="Our bread.")
    section = (await ann.draft(page.id)).sections[0].id
    await ann.write(section, text="Ann bakes.")
    await bob.draft(page.id)
    await bob.write(section, text="Closed on Monday.")
    await bob.publish()
    assert (await live_content(bob, page))["text"] == "Closed on Monday."


async def test_each_set_has_the_fields_of_an_image_that_it_changed(ann: Editor, bob: Editor) -> None:
    image = await ann.world.image("A loaf", picture_file())
    page = await publish_page(ann, "hero", heading="Bread", image={"imageId": image.id})
    await ann.world.images.update_image(ann.call(), UpdateImage(image_id=image.id, alt_text="Ann's loaf"))
    await bob.world.images.update_image(bob.call(), UpdateImage(image_id=image.id, focal_x=10, focal_y=20))
    await bob.publish()
    assert (await live_content(bob, page))["image"] == {
        "imageId": image.id,
        "alt": "A loaf",
        "focalX": 10,
        "focalY": 20,
    }
    await ann.discard()
    await ann.world.images.update_image(ann.call(), UpdateImage(image_id=image.id, alt_text="A brown loaf"))
    await ann.publish()
    shown = (await live_content(bob, page))["image"]
    assert shown == {"imageId": image.id, "alt": "A brown loaf", "focalX": 10, "focalY": 20}


async def test_a_focal_point_of_an_image_that_another_set_put_there_waits_for_it(ann: Editor, bob: Editor) -> None:
    first, second = [(await ann.world.image(name, picture_file(colour=name))).id for name in ("pink", "orange")]
    page = await publish_page(ann, "hero", heading="Bread", image={"imageId": first})
    section = (await ann.draft(page.id)).sections[0].id
    await ann.write(section, image={"imageId": second})
    await bob.draft(page.id)
    await bob.write(section, image={"imageId": second, "focalX": 10, "focalY": 20})
    with pytest.raises(ConflictError, match="build on unpublished edits by ann"):
        await bob.publish()


async def test_each_set_has_the_colours_of_the_theme_that_it_changed(ann: Editor, bob: Editor) -> None:
    await colour(ann, accent="#ff0000")
    await colour(bob, ink="#000001")
    bobs = (await bob.publish()).change_set.id
    assert await themes(bob) == [{"ink": "#000001"}, {"accent": "#ff0000", "ink": "#000001"}]
    anns = (await ann.publish()).change_set.id
    assert await themes(bob) == [{"accent": "#ff0000", "ink": "#000001"}] * 2
    await ann.revert(anns)
    await bob.revert(bobs)
    assert await themes(bob) == [{}, {}]


async def test_a_discarded_colour_leaves_those_of_others(ann: Editor, bob: Editor) -> None:
    await colour(ann, accent="#ff0000")
    await colour(bob, ink="#000001")
    await ann.discard()
    assert await themes(bob) == [{}, {"ink": "#000001"}]


async def move(editor: Editor, page: str, parent: str) -> None:
    await editor.world.pages.move_page(editor.call(), MovePage(page_id=page, parent_id=parent))


async def test_a_page_does_not_go_live_below_the_unpublished_address_of_another_set(ann: Editor, bob: Editor) -> None:
    order = await ann.create("Order")
    await ann.publish()
    await ann.update(order.id, slug="shopping")
    vouchers = await bob.create("Vouchers")
    await move(bob, vouchers.id, order.id)
    for publish in (bob.publish, lambda: bob.publish_page(vouchers.id)):
        with pytest.raises(ConflictError, match="'Order' is not above it, which builds on unpublished edits by ann"):
            await publish()
    await ann.discard()
    with pytest.raises(ConflictError, match="no page stands above it"):
        await bob.publish()
    await move(bob, vouchers.id, order.id)
    await bob.publish()
    live = await bob.publishing.get_live_page(bob.call(), GetLivePage(page_id=vouchers.id))
    assert live.page.live_path == "order/vouchers"


async def test_a_page_goes_live_below_one_of_its_own_set(ann: Editor) -> None:
    order = await ann.create("Order")
    await ann.publish()
    await ann.update(order.id, slug="shopping")
    vouchers = await ann.create("Vouchers")
    await move(ann, vouchers.id, order.id)
    await ann.publish()
    assert await ann.live_title("shopping/vouchers") == "Vouchers"


@pytest.mark.parametrize(
    ("base", "before", "after", "builds"),
    [
        ("a b c", "a c", "a c d", True),  # another's deletion
        ("a b c", "a x c", "y a x c y", True),
        ("a b c", "a x c", "a y c", False),
        ("3 euros.", "3 euros. And cake.", "2 euros.", False),  # a word that both have
        ("a", "b", "c", False),
        ("a", "DATA", "“DATA”.", True),
        (None, "Ann's words", "Ann's words, and mine", True),
        ("我们的面包", "我们的白面包", "我们的白面包。", True),
        (["a"], ["a", "b"], ["a", "b", "c"], True),
        ([["1", "2"], ["3", "4"]], [["1", "9"], ["3", "4"]], [["1", "2"], ["3", "5"]], False),
        ({"page": "a"}, {"url": "https://a.example"}, {"url": "https://b.example"}, False),
        ({"page": "a", "text": "A"}, {"page": "a", "text": "Ann"}, {"page": "b", "text": "Ann"}, True),
        (1, 2, 3, False),
        ("a", None, "b", False),
        ("a", "a b", None, False),
    ],
)
def test_what_is_kept_of_the_words_of_another_is_found(
    base: object, before: object, after: object, builds: bool
) -> None:
    assert builds_on_others(base, before, after) is builds  # pyright: ignore[reportArgumentType] - JSON
