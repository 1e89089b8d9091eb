"""The images of a site: kept once, found, shown in sections, and not deleted while they are shown."""

from __future__ import annotations

import asyncio
import re
from typing import cast

import pytest
from pydantic import JsonValue, ValidationError
from sqlalchemy import func, select, update

from apps.cms.tests.images.files import UPLOAD, open_picture, picture_file, refer
from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import HOME, World, make_direct
from remit.errors import ConflictError, InvalidArgumentsError, NotFoundError
from remit_cms.images.payloads import (
    AddImageToSection,
    DeleteImage,
    FindImage,
    GetImageRendition,
    GetImageUsage,
    ImageView,
    ListConversationImages,
    ReplaceImage,
    SearchImages,
    UpdateImage,
    UpdateSectionImage,
    UploadImage,
)
from remit_cms.pages.payloads import GetPage, PageView
from remit_cms.publishing.change_sets import ChangeSets
from remit_cms.publishing.payloads import GetChangeSet, PublishPage, PurgePage, UnpublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.publishing.trash import Trash
from remit_cms.sections.payloads import GetSectionContent, UpdateSectionContent
from remit_cms.storage.images import Image, ImageContent, ImageRendition
from remit_cms.storage.transactions import open_view


async def read_slot(world: World, section: str, locale: str | None = None) -> object:
    """What the image field of a section holds."""
    payload = GetSectionContent(page_section_id=section, locale_code=locale)
    return (await world.sections.get_section_content(world.call(), payload)).section.content


async def hero(world: World, image: ImageView) -> PageView:
    """The page About, whose hero shows an image."""
    return await world.page("About", ("hero", {"heading": "Hi", "image": {"imageId": image.id}}))


async def purge(world: World, image: ImageView) -> None:
    """Delete an image in the trash for ever."""
    await Trash(world.database).purge_page(world.call(), PurgePage(page_id=image.id))


async def test_an_image_is_kept_once_for_each_site(world: World) -> None:
    first, again = await world.image("A loaf"), await world.image("Bread", conversation="c")
    other = await world.image("A loaf", tenant="other")
    assert (again, other.id == first.id) == (first, False)
    rows = await world.rows()
    assert (rows["images"], rows["image_contents"], rows["image_search"]) == (2, 1, 2)


async def test_texts_of_a_picture_that_is_there_already_are_told_to_be_left_out(world: World) -> None:
    file = await world.files.add(UPLOAD, name="tree.png")
    await world.images.upload_image(world.call(), UploadImage(file=file, alt_text="A tree"))
    again = UploadImage(file=file, alt_text="An old tree", caption="In May")
    reply = await world.images.upload_image(world.call(), again)
    assert reply.image.name == "tree.png"
    assert reply.remarks == ["It keeps its altText, caption: cms_updateImage changes them"]


async def test_a_name_with_slashes_is_refused_and_one_of_before_does_not_hinder(world: World) -> None:
    for name in ("menu 3/4.png", "C:\\menu.png"):
        with pytest.raises(ValidationError, match="a file name has neither"):
            UpdateImage(image_id="x", name=name)
    file = await world.files.add(UPLOAD, name="ab.png")
    image = (await world.images.upload_image(world.call(), UploadImage(file=file, alt_text="A tree"))).image
    async with world.database.write() as session:
        await session.execute(update(Image).values(name="menu 3/4.png"))
    reply = await world.images.get_image_rendition(world.call(), GetImageRendition(image_id=image.id))
    assert reply.rendition.name == "menu 3-4-8.webp"


async def test_an_upload_names_what_it_shows(world: World) -> None:
    with pytest.raises(ValueError, match="at least 1 character"):
        UploadImage(file=refer(b"x"), alt_text="  ")
    with pytest.raises(ValueError, match="give focalX and focalY"):
        UploadImage(file=refer(b"x"), alt_text="A loaf", focal_x=1)
    image = await world.image(caption="Fresh", focal_x=10, focal_y=90)
    assert (image.name, image.width, image.height, image.media_type) == ("loaf.png", 8, 4, "image/png")
    assert (image.alt_text, image.caption, image.focal_x, image.focal_y) == ("A loaf", "Fresh", 10, 90)


async def test_a_file_that_is_no_picture_leaves_nothing(world: World) -> None:
    before = await world.rows()
    with pytest.raises(InvalidArgumentsError, match="no picture"):
        await world.image(content=b"nothing")
    with pytest.raises(NotFoundError):
        await world.images.upload_image(world.call(), UploadImage(file=refer(b"gone"), alt_text="x"))
    assert await world.rows() == before


async def test_a_conversation_lists_the_images_that_were_uploaded_in_it(world: World) -> None:
    await world.image("Elsewhere")
    mine = [await world.image(colour, picture_file(colour=colour), conversation="c") for colour in ("red", "blue")]
    found = await world.images.list_conversation_images(world.call(conversation="c"), ListConversationImages())
    assert ([image.id for image in found.images], found.total) == ([mine[1].id, mine[0].id], 2)
    outside = await world.images.list_conversation_images(world.call(), ListConversationImages())
    assert (outside.images, outside.total) == ([], 0)


async def test_images_are_found_by_what_they_show_and_called(world: World) -> None:
    loaf = await world.image("A dark loaf on a table")
    cake = await world.image("A cake", picture_file(colour="pink"), caption="For your wedding", name="sweet.jpg")
    await world.image("A dark loaf", picture_file(colour="red"), tenant="other")
    expectations = {"dark bread": [loaf.id], "WEDDING": [cake.id], "sweet": [cake.id], "tables": [loaf.id], "fish": []}
    for query, expected in expectations.items():
        found = await world.images.search_images(world.call(), SearchImages(query=query))
        assert [match.id for match in found.matches] == expected
    assert (await world.images.find_image(world.call(), FindImage(description="table"))).image.id == loaf.id
    with pytest.raises(NotFoundError, match="No image fits 'fish'"):
        await world.images.find_image(world.call(), FindImage(description="fish"))


async def test_a_section_shows_an_image_with_its_alternative_text(world: World) -> None:
    image, page = await world.image(), await world.page("About", ("hero", {"heading": "Hi"}))
    section = page.sections[0].id
    payload = AddImageToSection(page_section_id=section, image_id=image.id)
    reply = await world.placing.add_image_to_section(world.call(conversation="c"), payload)
    assert await read_slot(world, section) == {"heading": "Hi", "image": {"imageId": image.id, "alt": "A loaf"}}
    assert (reply.section.ref, reply.image.name, reply.changed) == ("about/s1", "loaf.png", ["image"])
    sets = await ChangeSets(world.database).get_change_set(world.call(conversation="c"), GetChangeSet())
    assert [(each.where, each.before) for each in sets.change_set.pages[0].differences][-1] == ("hero / image (en)", "")
    with pytest.raises(ConflictError, match="cms_updateSectionImage replaces it"):
        await world.placing.add_image_to_section(world.call(), payload)
    other = await world.image("A cake", picture_file(colour="pink"))
    update = UpdateSectionImage(page_section_id=section, image_id=other.id, image_field="image", locale_code="de")
    await world.placing.update_section_image(world.call(), update)
    again = await world.placing.update_section_image(world.call(), update)
    assert (again.changed, "already" in again.message) == ([], True)
    assert await read_slot(world, section) == {"heading": "Hi", "image": {"imageId": image.id, "alt": "A loaf"}}
    assert await read_slot(world, section, "de") == {"heading": "Hi", "image": {"imageId": other.id, "alt": "A cake"}}


async def test_a_field_that_takes_no_image_is_refused_with_those_that_do(world: World) -> None:
    image, page = await world.image(), await world.page("About", ("hero", {}), ("text", {"content": "x"}))
    for section, field, said in (
        (0, "heading", "Field 'heading' is none: the template hero takes images in image."),
        (1, None, "Which field\\? The template text has no field for an image."),
    ):
        payload = UpdateSectionImage(page_section_id=page.sections[section].id, image_id=image.id, image_field=field)
        with pytest.raises(InvalidArgumentsError, match=said):
            await world.placing.update_section_image(world.call(), payload)


async def test_content_names_an_image_by_id_name_or_alternative_text(world: World) -> None:
    image = await world.image(caption="Fresh")
    page = await hero(world, image)
    filled = {"imageId": image.id, "alt": "A loaf", "caption": "Fresh"}
    for name, alt, expected in (
        ("loaf.png", None, filled),
        ("a LOAF", None, filled),
        (image.id, "Ein Brot", {**filled, "alt": "Ein Brot"}),
    ):
        value = {"imageId": name, **({"alt": alt} if alt else {})}
        payload = UpdateSectionContent(page_section_id=page.sections[0].id, content={"image": cast("JsonValue", value)})
        await world.sections.update_section_content(world.call(), payload)
        assert await read_slot(world, page.sections[0].id) == {"heading": "Hi", "image": expected}


async def test_content_with_an_image_that_is_not_there_or_another_sites_is_refused(world: World) -> None:
    theirs = await world.image("Cake", tenant="other")
    page = await world.page("About", ("hero", {"heading": "Hi"}))
    for value, said in (
        ({"imageId": theirs.id}, "There is no image"),
        ({"imageId": "nothing"}, "There is no image 'nothing'"),
        ({"alt": "x"}, "give the imageId"),
        ({"imageId": "x", "url": "/x"}, "give the imageId"),
        ({"url": "/x"}, "give alt"),
    ):
        payload = UpdateSectionContent(page_section_id=page.sections[0].id, content={"image": cast("JsonValue", value)})
        with pytest.raises((NotFoundError, InvalidArgumentsError), match=said):
            await world.sections.update_section_content(world.call(), payload)


async def test_new_texts_of_an_image_reach_drafts_that_had_its_old_ones_and_no_visitor(world: World) -> None:
    image = await world.image()
    page = await hero(world, image)
    own = {"imageId": image.id, "alt": "Brot"}
    payload = UpdateSectionContent(
        page_section_id=page.sections[0].id, content={"image": cast("JsonValue", own)}, locale_code="de"
    )
    await world.sections.update_section_content(world.call(), payload)
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=page.id))
    change = UpdateImage(image_id=image.id, alt_text="A brown loaf")
    reply = await world.images.update_image(world.call(conversation="c"), change)
    assert (reply.pages, reply.changed) == (["About"], ["altText"])
    assert (await read_slot(world, page.sections[0].id)) == {
        "heading": "Hi",
        "image": {"imageId": image.id, "alt": "A brown loaf"},
    }
    assert (await read_slot(world, page.sections[0].id, "de")) == {"heading": "Hi", "image": own}
    page = (await world.pages.get_page(world.call(), GetPage(page_id=page.id))).page
    assert page.status == "changed"
    again = await world.images.update_image(world.call(), change)
    assert (again.pages, again.changed) == (None, [])
    focal = await world.images.update_image(world.call(), UpdateImage(image_id=image.id, focal_x=0, focal_y=7))
    assert (focal.pages, focal.changed) == (["About"], ["focalX", "focalY"])
    assert (await read_slot(world, page.sections[0].id, "de")) == {
        "heading": "Hi",
        "image": {**own, "focalX": 0, "focalY": 7},
    }


async def test_an_image_replaces_another_in_all_drafts(world: World) -> None:
    old, new = await world.image(), await world.image("A cake", picture_file(colour="pink"))
    first, second = await hero(world, old), await world.page("Plain", ("text", {"content": old.id}))
    reply = await world.placing.replace_image(
        world.call(), ReplaceImage(old_image_description=old.id, new_image_id=new.id)
    )
    assert (reply.replaced, reply.pages) == (1, ["About"])
    expected = {"heading": "Hi", "image": {"imageId": new.id, "alt": "A cake"}}
    assert await read_slot(world, first.sections[0].id) == expected
    assert await read_slot(world, second.sections[0].id) == {"text": old.id}
    with pytest.raises(InvalidArgumentsError, match="give two"):
        await world.placing.replace_image(world.call(), ReplaceImage(old_image_description=new.id, new_image_id=new.id))


async def test_an_image_is_not_deleted_while_a_draft_or_a_visitor_sees_it(world: World) -> None:
    image = await world.image()
    page = await hero(world, image)
    publishing, delete = Publishing(world.database), DeleteImage(image_id=image.id)
    await publishing.publish_page(world.call(), PublishPage(page_id=page.id))
    usage = await world.images.get_image_usage(world.call(), GetImageUsage(image_id=image.id))
    assert [(use.slug, use.section, use.locale_code, use.live) for use in usage.uses] == [
        ("about", "hero", "en", False),
        ("about", "hero", "en", True),
    ]
    empty = UpdateSectionContent(page_section_id=page.sections[0].id, content={"image": None})
    await world.sections.update_section_content(world.call(), empty)
    for act in (world.images.preview_deletion, world.images.delete_image):
        with pytest.raises(ConflictError, match=r"is shown in 'About' \(hero, en, live\)"):
            await act(world.call(), delete)
    await publishing.unpublish_page(world.call(), UnpublishPage(page_id=page.id))
    preview = await world.images.preview_deletion(world.call(), delete)
    assert preview.summary == "the image 'loaf.png' (8 by 4 pixels): A loaf"
    await world.images.delete_image(world.call(), delete)
    rows = await world.rows()
    assert [rows[name] for name in ("images", "image_contents", "image_search")] == [1, 1, 0]
    await purge(world, image)
    rows = await world.rows()
    assert [rows[name] for name in ("images", "image_contents", "image_search")] == [0, 0, 0]


async def test_an_image_is_not_deleted_while_an_open_change_set_shows_it(world: World) -> None:
    image = await world.image()
    ann, bob = Editor(world, "ann", "a"), Editor(world, "bob", "b")
    await ann.create("About", ("hero", {"heading": "Hi", "image": {"imageId": image.id}}))
    await bob.write("section_1", image=None)
    delete = DeleteImage(image_id=image.id)
    for act in (world.images.preview_deletion, world.images.delete_image):
        with pytest.raises(ConflictError, match=r"is shown in 'About' \(hero, en, in the change set 'Edits by ann"):
            await act(bob.call(), delete)
    usage = await world.images.get_image_usage(bob.call(), GetImageUsage(image_id=image.id))
    assert [(use.slug, use.live) for use in usage.uses] == [("about", False)]
    await ann.publish()
    await bob.publish()
    await world.images.delete_image(bob.call(), delete)


async def test_content_that_another_site_has_too_stays_when_an_image_is_deleted(world: World) -> None:
    image = await world.image()
    await world.image(tenant="other")
    await world.images.delete_image(world.call(), DeleteImage(image_id=image.id))
    await purge(world, image)
    rows = await world.rows()
    assert [rows[name] for name in ("images", "image_contents", "image_search")] == [1, 1, 1]


async def test_a_rendition_is_made_once_and_given_as_a_file_of_the_run(world: World) -> None:
    image = await world.image(content=picture_file("JPEG", (800, 400)))
    payload = GetImageRendition(image_id=image.id, width=500, format="avif")
    replies = await asyncio.gather(*(world.images.get_image_rendition(world.call(), payload) for _ in range(3)))
    reply = replies[0]
    assert (reply.width, reply.height, reply.rendition.media_type) == (640, 320, "image/avif")
    assert reply.rendition.name == "loaf-640.avif"
    assert reply.message == "The image 'loaf.png' at 640 pixels."
    direct = make_direct(world.call())
    told = (await world.images.get_image_rendition(direct, payload)).message
    assert told == f"{reply.message} To save it: remit artifact {reply.rendition.digest} loaf-640.avif"
    assert open_picture(await world.files.read(reply.rendition)).size == (640, 320)
    assert (await world.rows())["image_renditions"] == 1
    await world.images.delete_image(world.call(), DeleteImage(image_id=image.id))
    await purge(world, image)
    assert (await world.rows())["image_renditions"] == 0


async def test_nobody_has_renditions_that_a_site_does_not_offer_or_that_are_anothers(world: World) -> None:
    await world.image(tenant="other")
    async with world.database.read() as session:
        theirs = await session.scalar(select(ImageContent.digest)) or ""
    await world.image("Mine", picture_file(colour="blue"))
    async with open_view(world.database, HOME) as scope:
        mine = await scope.session.scalar(select(Image.digest).where(HOME.row_filter(Image))) or ""
    for digest, width, kind in ((theirs, 8, "webp"), (mine, 7, "webp"), (mine, 8, "png"), ("0" * 64, 8, "webp")):
        with pytest.raises(NotFoundError, match="has a rendition"):
            await world.renditions.get(HOME, digest, width, kind)
    assert await world.renditions.get(HOME, mine, 8, "webp")
    async with world.database.read() as session:
        assert await session.scalar(select(func.count()).select_from(ImageRendition)) == 1


async def test_a_page_contains_its_images_with_all_that_a_browser_wants_to_know(world: World) -> None:
    image = await world.image("A <loaf>", focal_x=12, focal_y=88, caption="Fresh")
    await world.page("About", ("text", {"content": "x"}), ("hero", {"heading": "x", "image": {"imageId": image.id}}))
    html = await world.rendering.render(HOME, "about")
    assert 'alt="A &lt;loaf&gt;" width="8" height="4" class="fx10 fy90" fetchpriority="high"' in html
    assert '<img src="data:image/webp;base64,' in html
    assert "<figcaption>Fresh</figcaption>" in html


async def test_all_images_of_a_page_but_the_first_are_loaded_when_they_come_into_sight(world: World) -> None:
    images = [(await world.image(name, picture_file(colour=name))).id for name in ("red", "green", "blue")]
    pictures: list[JsonValue] = [{"image": {"imageId": image}} for image in images]
    await world.page("About", ("text", {"content": "x"}), ("gallery", {"pictures": pictures}))
    html = await world.rendering.render(HOME, "about")
    loading = re.findall(r'alt="(\w+)".*?((?:loading|fetchpriority)="\w+")', html)
    assert loading == [("red", 'fetchpriority="high"'), ("green", 'loading="lazy"'), ("blue", 'loading="lazy"')]


async def test_an_image_that_is_gone_is_told_by_its_alternative_text(world: World) -> None:
    image = await world.image()
    await hero(world, image)
    async with world.database.write() as session:
        await session.delete(await session.get_one(Image, image.id))
    html = await world.rendering.render(HOME, "about")
    assert "<img" not in html
    assert "<p>A loaf</p>" in html


async def test_without_words_all_images_are_listed_the_newest_first(world: World) -> None:
    pictures = [picture_file(colour=(shade, 0, 0)) for shade in (10, 100, 200)]
    images = [(await world.image(content=picture)).id for picture in pictures]
    first = await world.images.search_images(world.call(), SearchImages(limit=2))
    rest = await world.images.search_images(world.call(), SearchImages(limit=2, cursor=first.next_cursor))
    assert [each.id for each in (*first.matches, *rest.matches)] == images[::-1]
    assert first.message == "3 images. These are 2; for the next ones give nextCursor as cursor."
    assert (first.total, rest.next_cursor, rest.message) == (3, None, "3 images. These are the last 1.")
    with pytest.raises(ValidationError, match="a search gives its best matches at once; leave cursor out"):
        SearchImages(query="loaf", cursor=first.next_cursor)


async def test_a_search_leaves_out_images_below_a_score(world: World) -> None:
    await world.image()
    assert (await world.images.search_images(world.call(), SearchImages(query="loaf", min_score=1.5))).matches == []
    assert (await world.images.search_images(world.call(), SearchImages(query="loaf", min_score=-0.7))).matches
