"""Images have drafts, revisions and change sets as pages have: what one gets and loses is undone with its set."""

from __future__ import annotations

import pytest

from apps.cms.tests.images.files import picture_file
from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit.errors import ConflictError, InvalidArgumentsError
from remit_cms.images.payloads import DeleteImage, FindImage, ImageView, ReplaceImage, SearchImages, UpdateImage
from remit_cms.publishing.payloads import ListTrash, PublishChangeSet, PurgePage, RestorePage, RevertPage


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, "ann", "monday")


@pytest.fixture
def bob(world: World) -> Editor:
    return Editor(world, "bob", "tuesday")


async def say(editor: Editor, image: ImageView, alt_text: str) -> None:
    payload = UpdateImage(image_id=image.id, alt_text=alt_text)
    await editor.world.images.update_image(editor.call(), payload)


async def delete(editor: Editor, image: ImageView) -> str | None:
    """Delete an image. Returns the change set that takes this back."""
    payload = DeleteImage(image_id=image.id)
    return (await editor.world.images.delete_image(editor.call(), payload)).change_set_id


async def alt_text_of(world: World, words: str) -> str:
    """The alternative text of the image that fits some words best."""
    return (await world.images.find_image(world.call(), FindImage(description=words))).image.alt_text


async def names(world: World) -> list[str]:
    found = await world.images.search_images(world.call(), SearchImages())
    return [image.alt_text for image in found.matches]


async def test_a_text_of_an_image_is_shown_published_discarded_and_reverted_with_its_set(
    world: World, ann: Editor
) -> None:
    image = await world.image("A loaf")
    await say(ann, image, "A rye loaf")
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    assert [(each.where, each.before, each.after) for each in preview.changes] == [
        ("loaf.png: alternative text", "A loaf", "A rye loaf")
    ]
    await ann.discard()
    assert await alt_text_of(world, "loaf") == "A loaf"
    await say(ann, image, "Bread")
    await ann.publish()
    assert await alt_text_of(world, "bread") == "Bread"
    await ann.revert()
    assert await alt_text_of(world, "loaf") == "A loaf"


async def test_texts_of_two_conversations_are_undone_one_by_one(world: World, ann: Editor, bob: Editor) -> None:
    image = await world.image("A loaf")
    await say(ann, image, "A rye loaf")
    await world.images.update_image(bob.call(), UpdateImage(image_id=image.id, caption="Daily"))
    await ann.discard()
    found = await world.images.find_image(world.call(), FindImage(description="loaf"))
    assert (found.image.alt_text, found.image.caption) == ("A loaf", "Daily")


async def test_a_deleted_image_comes_back_with_the_undo_of_its_deletion_or_from_the_trash(
    world: World, ann: Editor
) -> None:
    image = await world.image("A loaf")
    await ann.revert(await delete(ann, image))
    assert await names(world) == ["A loaf"]
    await delete(ann, image)
    assert await names(world) == []
    trashed = await ann.trash.list_trash(ann.call(), ListTrash())
    assert [(each.id, each.kind, each.title) for each in trashed.pages] == [(image.id, "image", "loaf.png")]
    with pytest.raises(InvalidArgumentsError, match="has no address of its own"):
        await ann.trash.restore_page(ann.call(), RestorePage(page_id=image.id, slug="loaf"))
    restored = await ann.trash.restore_page(ann.call(), RestorePage(page_id=image.id))
    assert (restored.message, restored.page.status) == ("Restored image 'loaf.png'", "published")
    assert await alt_text_of(world, "loaf") == "A loaf"
    await delete(ann, image)


async def test_a_picture_that_is_uploaded_again_comes_back_from_the_trash(world: World, ann: Editor) -> None:
    image = await world.image("A loaf")
    await delete(ann, image)
    again = await world.image("Bread")
    assert (again.id, again.alt_text, await names(world)) == (image.id, "A loaf", ["A loaf"])


async def test_an_image_goes_with_the_set_that_shows_another_in_its_place(
    world: World, ann: Editor, bob: Editor
) -> None:
    old, new = await world.image("A loaf"), await world.image("A cake", picture_file(colour="pink"), name="cake.png")
    await ann.create("About", ("hero", {"heading": "Hi", "image": {"imageId": old.id}}))
    await ann.publish()
    with pytest.raises(ConflictError, match="is shown in"):
        await ann.remove("loaf.png")
    replace = ReplaceImage(old_image_description=old.id, new_image_id=new.id)
    await world.placing.replace_image(ann.call(), replace)
    with pytest.raises(InvalidArgumentsError, match="An image has no visitors of its own"):
        await ann.remove("loaf.png", "hide")
    reply = await ann.remove("loaf.png")
    assert reply.page.status == "deleting"
    with pytest.raises(ConflictError, match=r"'loaf\.png' is not edited: it is to be deleted"):
        await say(ann, old, "Bread")
    with pytest.raises(ConflictError, match=r"is shown in 'About' \(hero, en, live\)"):
        await delete(bob, old)
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    assert ("loaf.png", "image 'loaf.png'", "deleted") in [
        (each.where, each.before, each.after) for each in preview.changes
    ]
    await ann.publish()
    assert await names(world) == ["A cake"]
    await ann.revert()
    assert sorted(await names(world)) == ["A cake", "A loaf"]
    assert await ann.live_title("about") == "About"


async def test_an_image_in_the_trash_is_not_purged_while_a_draft_shows_it_again(world: World) -> None:
    image, pat = await world.image("A loaf"), Editor(world, "pat")
    page = await pat.create("About", ("hero", {"heading": "Hi", "image": {"imageId": image.id}}))
    await pat.write(page.sections[0].id, image=None)
    await delete(pat, image)
    await pat.history.revert_page(pat.call(), RevertPage(page_id="about", revision=1))
    with pytest.raises(ConflictError, match=r"cannot be purged, since 'About' .* shows it"):
        await pat.trash.purge_page(pat.call(), PurgePage(page_id=image.id))
    await pat.write(page.sections[0].id, image=None)
    purged = await pat.trash.purge_page(pat.call(), PurgePage(page_id=image.id))
    assert purged.message == "Purged image 'loaf.png' with 2 revisions"
