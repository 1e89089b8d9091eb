"""A conversation that saw an image overwrites no later change of another one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from apps.cms.tests.images.files import picture_file
from apps.cms.tests.world import World
from remit.errors import ConflictError, InvalidArgumentsError
from remit_cms.images.payloads import (
    AddImageToSection,
    DeleteImage,
    FindImage,
    GetImageRendition,
    GetImageUsage,
    ListConversationImages,
    ReplaceImage,
    SearchImages,
    UpdateImage,
)

Act = Callable[[World, Any], Awaitable[Any]]


async def add_to_section(world: World, call: Any) -> None:
    page = await world.page("About", ("hero", {"heading": "Hi"}))
    payload = AddImageToSection(page_section_id=page.sections[0].id, image_id="image_1")
    await world.placing.add_image_to_section(call, payload)


READS: dict[str, Act] = {
    "its uses": lambda world, call: world.images.get_image_usage(call, GetImageUsage(image_id="image_1")),
    "the best match": lambda world, call: world.images.find_image(call, FindImage(description="loaf")),
    "a search": lambda world, call: world.images.search_images(call, SearchImages(query="loaf")),
    "a list": lambda world, call: world.images.list_conversation_images(call, ListConversationImages()),
    "a rendition": lambda world, call: world.images.get_image_rendition(call, GetImageRendition(image_id="image_1")),
    "a section that shows it": add_to_section,
    "a change": lambda world, call: world.images.update_image(call, UpdateImage(image_id="image_1", name="a.png")),
}


def change(world: World, by: str, **values: Any) -> Any:
    return world.images.update_image(
        world.call(by=by, conversation=by), UpdateImage.model_validate({"imageId": "image_1", **values})
    )


@pytest.mark.parametrize("case", READS)
async def test_a_change_of_what_another_changed_since_it_was_seen_is_refused(world: World, case: str) -> None:
    await world.image("A loaf", conversation="ann")
    await READS[case](world, world.call(by="ann", conversation="ann"))
    await change(world, "bob", altText="A rye loaf")
    refused = r"alternative text: 'A loaf' is now 'A rye loaf'\. Nothing was written"
    with pytest.raises(ConflictError, match=refused):
        await change(world, "ann", altText="Bread")
    await change(world, "ann", altText="Bread")


async def test_changes_of_other_fields_merge(world: World) -> None:
    await world.image("A loaf", conversation="ann")
    await READS["its uses"](world, world.call(by="bob", conversation="bob"))
    await change(world, "bob", altText="A rye loaf")
    await change(world, "ann", caption="Daily", focalX=1, focalY=2)
    await change(world, "carl", altText="Bread")
    with pytest.raises(ConflictError, match="left: '50' is now '1'; focal point from the top: '50' is now '2'"):
        await change(world, "bob", focalX=3, focalY=4)
    await change(world, "bob", focalX=3, focalY=4)


async def test_a_change_counts_as_seen_for_what_it_wrote_and_only_that(world: World) -> None:
    await world.image("A loaf", conversation="ann")
    await change(world, "bob", altText="A loaf")  # as it is: nothing changes, and bob knows it
    await change(world, "ann", altText="A rye loaf", focalX=1, focalY=2)
    with pytest.raises(ConflictError, match=r"text: 'A loaf' is now 'A rye loaf'\. Nothing"):
        await change(world, "bob", altText="Bread", focalX=3, focalY=4)


async def test_an_image_that_a_conversation_never_saw_it_may_change(world: World) -> None:
    await world.image("A loaf", conversation="ann")
    await change(world, "bob", altText="A rye loaf")


async def test_a_token_of_an_image_refuses_any_change_since(world: World) -> None:
    image, other = await world.image("A loaf"), await world.image("A cake", picture_file(colour="pink"))
    images, call = world.images, world.call()
    read = await images.get_image_usage(call, GetImageUsage(image_id=image.id, with_token=True))
    found = await images.find_image(call, FindImage(description="loaf", with_token=True))
    assert read.token
    assert read.token == found.token
    changed = await images.update_image(
        world.call(),
        UpdateImage(image_id=image.id, alt_text="Rye", if_unchanged=read.token, with_token=True),
    )
    for refused in (
        images.update_image(world.call(), UpdateImage(image_id=image.id, name="b.png", if_unchanged=read.token)),
        images.delete_image(world.call(), DeleteImage(image_id=image.id, if_unchanged=read.token)),
        images.preview_deletion(world.call(), DeleteImage(image_id=image.id, if_unchanged=read.token)),
        world.placing.replace_image(
            world.call(),
            ReplaceImage(old_image_description=image.id, new_image_id=other.id, if_unchanged=read.token),
        ),
    ):
        with pytest.raises(ConflictError, match=r"'loaf\.png' has changed since it was read"):
            await refused
    with pytest.raises(InvalidArgumentsError, match=r"is not a token of 'loaf\.png'"):
        await images.delete_image(world.call(), DeleteImage(image_id=image.id, if_unchanged="7"))
    same = UpdateImage(image_id=image.id, alt_text="Rye", if_unchanged=changed.token, with_token=True)
    assert (await images.update_image(world.call(), same)).token == changed.token
    await images.delete_image(world.call(), DeleteImage(image_id=image.id, if_unchanged=changed.token))
