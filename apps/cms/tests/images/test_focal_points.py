"""The focal points of images are in slots, so that they go live with the page, and no sooner."""

from __future__ import annotations

import re
from typing import cast

import pytest
from pydantic import JsonValue

from apps.cms.tests.images.files import picture_file
from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.site.visitor import make_site, visit
from apps.cms.tests.world import ELSEWHERE, HOME, World
from remit.errors import ConflictError, InvalidArgumentsError
from remit_cms.images.payloads import ImageWriteReply, ReplaceImage, UpdateImage, UpdateSectionImage
from remit_cms.models import Content
from remit_cms.pages.payloads import CopyPage
from remit_cms.posts.payloads import CreatePost, GetPost, PublishPost, UpdatePost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import RevertPage
from remit_cms.sections.payloads import GetSectionContent
from remit_cms.sites.payloads import ExportContent, ImportContent
from remit_cms.storage.scope import Target

_CROPPED = re.compile(r'class="fx(\d+) fy(\d+)"')


async def point(world: World, image: str, x: int, y: int, **options: str) -> ImageWriteReply:
    """Give an image a focal point."""
    return await world.images.update_image(world.call(**options), UpdateImage(image_id=image, focal_x=x, focal_y=y))


async def live_points(world: World, path: str = "/about", target: Target = HOME) -> list[tuple[str, str]]:
    """The focal points that visitors see on a page."""
    return _CROPPED.findall((await visit(make_site(world, target), path)).text)


async def draft_points(world: World, page: str = "about", locale: str | None = None) -> list[tuple[str, str]]:
    """Those that a preview shows."""
    return _CROPPED.findall(await world.rendering.render(HOME, page, locale))


async def read_slot(world: World, section: str = "section_1", locale: str | None = None) -> Content:
    """What the image field of a section shows to a model."""
    payload = GetSectionContent(page_section_id=section, locale_code=locale)
    content = (await world.sections.get_section_content(world.call(), payload)).section.content or {}
    return cast("Content", content["image"])


def hero(image: str) -> tuple[str, Content]:
    return "hero", {"heading": "Hi", "image": {"imageId": image}}


async def test_a_new_focal_point_is_seen_in_the_preview_and_by_visitors_once_it_is_published(world: World) -> None:
    image, ann = await world.image(), Editor(world, "ann", "a")
    await ann.create("About", hero(image.id))
    await ann.publish()
    before = (await visit(make_site(world), "/about")).body
    reply = await point(world, image.id, 20, 30, by="ann", conversation="a")
    assert (reply.pages, reply.message.endswith("The drafts of 1 page have its new focal point")) == (["About"], True)
    assert (await visit(make_site(world), "/about")).body == before
    assert (await live_points(world), await draft_points(world)) == ([("50", "50")], [("20", "30")])
    difference = ("hero / focal point of image (en)", "as uploaded", "20/30")
    assert await ann.differences("about") == [difference]
    looked = await ann.look()
    assert [[(each.where, each.before, each.after) for each in page.differences] for page in looked.pages] == [
        [("focal point from the left", "50", "20"), ("focal point from the top", "50", "30")],
        [difference],
    ]
    await ann.publish()
    assert await live_points(world) == [("20", "30")]


async def test_a_discarded_focal_point_is_gone_from_the_drafts_and_from_the_image(world: World) -> None:
    image, ann = await world.image(), Editor(world, "ann", "a")
    await ann.create("About", hero(image.id))
    await ann.publish()
    await point(world, image.id, 20, 30, by="ann", conversation="a")
    await ann.discard()
    assert await draft_points(world) == [("50", "50")]
    assert (await ann.draft("about")).status == "published"
    await ann.create("More", hero(image.id))
    assert await draft_points(world, "more") == [("50", "50")]


async def test_a_published_focal_point_is_reverted(world: World) -> None:
    image, ann = await world.image(focal_x=10, focal_y=10), Editor(world, "ann", "a")
    await ann.create("About", hero(image.id))
    await ann.publish()
    await point(world, image.id, 50, 50, by="ann", conversation="a")
    await ann.publish()
    assert await live_points(world) == [("50", "50")]
    await point(world, image.id, 90, 90)  # the image has another one by now
    await ann.revert()
    assert await live_points(world) == [("10", "10")]


async def test_an_earlier_revision_brings_its_focal_point_back(world: World) -> None:
    image, ann = await world.image(), Editor(world)
    await ann.create("About", hero(image.id))
    for x in (20, 30):
        await point(world, image.id, x, 0)
    assert await draft_points(world) == [("30", "0")]
    for revision, shown in ((2, ("20", "0")), (1, ("50", "50"))):
        await ann.history.revert_page(ann.call(), RevertPage(page_id="about", revision=revision))
        assert await draft_points(world) == [shown]


async def test_a_focal_point_reaches_every_slot_that_had_the_old_one_and_no_other(world: World) -> None:
    image, ann = await world.image(), Editor(world)
    pictures: Content = {"pictures": [{"image": {"imageId": image.id}}, {"image": {"imageId": image.id}}]}
    await ann.create("About", hero(image.id), ("gallery", pictures))
    await ann.create("More", hero(image.id))
    await ann.publish_page("about")
    await ann.write("section_1", "de", image={"imageId": image.id, "alt": "Ein Brot"})
    own = {"id": "i2", "image": {"imageId": image.id, "focalX": 80, "focalY": 90}}
    await ann.write("section_2", pictures=[own])
    reply = await point(world, image.id, 20, 30)
    assert reply.pages == ["About", "More"]
    assert await draft_points(world) == [("20", "30"), ("20", "30"), ("80", "90")]
    assert await draft_points(world, locale="de") == [("20", "30"), ("20", "30"), ("80", "90")]
    assert (await read_slot(world, locale="de"))["alt"] == "Ein Brot"
    assert await live_points(world) == [("50", "50")] * 3
    where = [each[:1] + each[2:] for each in await ann.differences("about")]
    assert ("gallery / focal point of pictures i2 image (en)", "80/90") in where


async def test_texts_and_focal_point_of_an_image_are_followed_each_for_itself(world: World) -> None:
    image, ann = await world.image(caption="Fresh"), Editor(world)
    await ann.create("About", hero(image.id))
    await ann.write("section_1", image={"imageId": image.id, "alt": "Bread", "focalX": 1, "focalY": 2})
    await ann.create("More", hero(image.id))
    change = UpdateImage(image_id=image.id, alt_text="A brown loaf", focal_x=20, focal_y=30)
    reply = await world.images.update_image(world.call(), change)
    assert reply.message.endswith("The drafts of 1 page have its new texts and focal point")
    kept: Content = {"imageId": image.id, "alt": "Bread", "caption": "Fresh", "focalX": 1, "focalY": 2}
    assert await read_slot(world) == kept
    assert await read_slot(world, "section_2") == {**kept, "alt": "A brown loaf", "focalX": 20, "focalY": 30}
    await ann.write("section_1", image={"imageId": image.id, "alt": "Bread", "focalX": 20, "focalY": 30})
    await point(world, image.id, 50, 50)
    assert await read_slot(world) == {"imageId": image.id, "alt": "Bread", "caption": "Fresh"}


async def test_a_slot_that_keeps_its_image_keeps_its_focal_point_unless_another_is_given(world: World) -> None:
    loaf, cake = await world.image(), await world.image("A cake", picture_file(colour="pink"), focal_x=1, focal_y=2)
    ann = Editor(world)
    await ann.create("About", hero(loaf.id))
    await point(world, loaf.id, 20, 30)
    read = await read_slot(world)
    await point(world, loaf.id, 40, 40)
    await ann.history.revert_page(ann.call(), RevertPage(page_id="about", revision=2))
    cases: list[tuple[Content, Content]] = [
        (read, {"alt": "A loaf", "focalX": 20, "focalY": 30}),
        ({"imageId": loaf.id, "alt": "Bread"}, {"alt": "Bread", "focalX": 20, "focalY": 30}),
        ({"imageId": loaf.id, "focalX": None, "focalY": None}, {"alt": "A loaf", "focalX": 20, "focalY": 30}),
        ({"imageId": "A LOAF", "focalX": 50, "focalY": 50}, {"alt": "A loaf"}),
        ({"imageId": loaf.id, "alt": "Bread"}, {"alt": "Bread"}),
        ({"imageId": cake.id}, {"imageId": cake.id, "alt": "A cake"}),
        ({"imageId": loaf.id}, {"alt": "A loaf", "focalX": 40, "focalY": 40}),
    ]
    for value, shown in cases:
        await ann.write("section_1", image=value)
        assert await read_slot(world) == {"imageId": loaf.id, **shown}
    await ann.write("section_1", image={"imageId": loaf.id, "focalX": 5, "focalY": 6})
    payload = UpdateSectionImage(page_section_id="section_1", image_id=loaf.id)
    await world.placing.update_section_image(world.call(), payload)
    assert await draft_points(world) == [("40", "40")]


async def test_items_of_a_list_that_are_written_back_keep_their_focal_points(world: World) -> None:
    image, ann = await world.image(), Editor(world)
    pictures: list[JsonValue] = [{"image": {"imageId": image.id, "focalX": x, "focalY": 0}} for x in (10, 20)]
    await ann.create("About", ("gallery", {"pictures": pictures}))
    back: list[JsonValue] = [{"id": f"i{number}", "image": {"imageId": image.id, "alt": "Bread"}} for number in (2, 1)]
    await ann.write("section_1", pictures=[*back, {"image": {"imageId": image.id}}])
    assert await draft_points(world) == [("10", "0"), ("20", "0"), ("50", "50")]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"focalX": 1}, "give focalX and focalY"),
        ({"focalX": 101, "focalY": 0}, "less than or equal to 100"),
        ({"focalX": -1, "focalY": 0}, "greater than or equal to 0"),
        ({"focalX": True, "focalY": 0}, "valid integer"),
        ({"imageId": None, "url": "/x.png", "alt": "x", "focalX": 1, "focalY": 2}, "leave out focalX and focalY"),
    ],
)
async def test_a_focal_point_that_is_none_is_refused(world: World, value: Content, said: str) -> None:
    image, ann = await world.image(), Editor(world)
    await ann.create("About", hero(image.id))
    with pytest.raises(InvalidArgumentsError, match=said):
        await ann.write("section_1", image={"imageId": image.id, **value})


async def test_a_replaced_image_has_the_focal_point_of_the_new_one_in_drafts_alone(world: World) -> None:
    loaf, cake = await world.image(), await world.image("A cake", picture_file(colour="pink"))
    ann = Editor(world)
    await ann.create("About", hero(loaf.id))
    await ann.publish_page("about")
    await point(world, cake.id, 20, 30)
    replace = ReplaceImage(old_image_description=loaf.id, new_image_id=cake.id)
    await world.placing.replace_image(world.call(), replace)
    assert (await live_points(world), await draft_points(world)) == ([("50", "50")], [("20", "30")])
    (difference,) = await ann.differences("about")
    assert difference == (
        "hero / image (en)",
        f'{{"imageId": "{loaf.id}", "alt": "A loaf"}}',
        f'{{"imageId": "{cake.id}", "alt": "A cake", "focalX": 20, "focalY": 30}}',
    )


async def test_a_comparison_of_focal_points_does_not_count_as_having_read_the_texts(world: World) -> None:
    image, ann, bob = await world.image(), Editor(world, "ann", "a"), Editor(world, "bob", "b")
    await ann.create("About", hero(image.id))
    await bob.write("section_1", image={"imageId": image.id, "alt": "Rye bread"})
    await bob.write("section_1", image={"imageId": image.id, "focalX": 20, "focalY": 30, "alt": "Rye bread"})
    assert await ann.differences("about", before=2, after=3) == [
        ("hero / focal point of image (en)", "as uploaded", "20/30")
    ]
    with pytest.raises(ConflictError, match="Rye bread"):
        await ann.write("section_1", image={"imageId": image.id, "alt": "A loaf of bread"})


async def test_a_copy_of_a_page_has_its_focal_points(world: World) -> None:
    image, ann = await world.image(), Editor(world)
    await ann.create("About", hero(image.id))
    await point(world, image.id, 20, 30)
    await ann.history.revert_page(ann.call(), RevertPage(page_id="about", revision=1))
    await world.pages.copy_page(world.call(), CopyPage(page_id="about", title="Copy"))
    assert await draft_points(world, "copy") == [("50", "50")]


async def test_a_post_shows_its_own_focal_point_in_lists_too_and_tells_of_texts_alone(world: World) -> None:
    image, posts = await world.image(caption="Fresh"), Posts(world.database)
    await posts.create_post(
        world.call(), CreatePost.model_validate({"title": "We open", "cover": {"imageId": image.id}})
    )
    await Editor(world).create("News", ("entry-list", {"entries": {"collectionId": "posts"}}))
    await posts.publish_post(world.call(), PublishPost(post_slug="posts/we-open"))
    await Editor(world).publish_page("news")
    await point(world, image.id, 20, 30)
    for path in ("/posts/we-open", "/news"):
        assert await live_points(world, path) == [("50", "50")]
    post = (await posts.get_post(world.call(), GetPost(post_slug="posts/we-open"))).post
    assert post.cover == {"imageId": image.id, "alt": "A loaf", "caption": "Fresh"}
    await point(world, image.id, 90, 90)
    update = UpdatePost.model_validate({"postSlug": "posts/we-open", "cover": {**(post.cover or {}), "alt": "Bread"}})
    await posts.update_post(world.call(), update)
    assert await draft_points(world, "posts/we-open") == [("90", "90")]
    await posts.publish_post(world.call(), PublishPost(post_slug="posts/we-open"))
    for path in ("/posts/we-open", "/news"):
        assert await live_points(world, path) == [("90", "90")]
    own = {"imageId": image.id, "focalX": 1, "focalY": 2}
    await posts.update_post(world.call(), UpdatePost.model_validate({"postSlug": "posts/we-open", "cover": own}))
    assert await draft_points(world, "posts/we-open") == [("0", "0")]


async def test_what_links_to_a_page_show_of_its_picture_is_the_text_that_was_published(world: World) -> None:
    image, ann = await world.image(), Editor(world)
    await ann.create("About", hero(image.id))
    await ann.publish_page("about")
    await world.images.update_image(world.call(), UpdateImage(image_id=image.id, alt_text="A brown loaf"))
    said = '<meta property="og:image:alt" content="{}">'
    assert said.format("A loaf") in (await visit(make_site(world), "/about")).text
    await ann.publish_page("about")
    assert said.format("A brown loaf") in (await visit(make_site(world), "/about")).text


async def test_a_site_in_a_file_has_the_focal_points_of_its_pages_and_images(world: World) -> None:
    image, ann = await world.image(focal_x=10, focal_y=10), Editor(world)
    await ann.create("About", hero(image.id))
    await ann.publish_page("about")
    await point(world, image.id, 20, 30)
    file = (await world.sites.export_content(world.call(), ExportContent())).file
    await world.sites.import_content(world.call(tenant="other"), ImportContent(file=file))
    assert await live_points(world, target=ELSEWHERE) == [("10", "10")]
    assert _CROPPED.findall(await world.rendering.render(ELSEWHERE, "about")) == [("20", "30")]
    await world.page("More", hero("A loaf"), tenant="other")
    assert _CROPPED.findall(await world.rendering.render(ELSEWHERE, "more")) == [("20", "30")]
