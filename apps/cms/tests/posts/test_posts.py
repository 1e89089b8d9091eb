"""Posts: drafts that are published, archived, published again and deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.statements import watch_statements
from apps.cms.tests.world import HOME, World
from remit import App, Principal, Runtime
from remit.errors import AlreadyExistsError, ConflictError, InvalidArgumentsError, NotFoundError
from remit.tools import Arguments
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.posts.payloads import (
    ArchivePost,
    CreatePost,
    DeletePost,
    GetPost,
    GetPosts,
    PostView,
    PublishPost,
    UpdatePost,
)
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import RestorePage

BREAD = {"url": "/a.webp", "alt": "Bread"}
ANN = Principal("ann", "local-site", frozenset({"cms:*", "approvals:decide"}))


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, "ann", "monday")


@pytest.fixture
def posts(world: World) -> Posts:
    return Posts(world.database)


async def create(editor: Editor, title: str, **more: Any) -> PostView:
    payload = CreatePost.model_validate({"title": title, **more})
    made = await Posts(editor.world.database).create_post(editor.call(), payload)
    return await read(editor, made.post.id)


async def read(editor: Editor, post: str, **chosen: Any) -> PostView:
    payload = GetPost.model_validate({"postSlug": post, **chosen})
    return (await Posts(editor.world.database).get_post(editor.call(), payload)).post


async def update(editor: Editor, post: str, **changes: Any) -> PostView:
    payload = UpdatePost.model_validate({"postSlug": post, **changes})
    await Posts(editor.world.database).update_post(editor.call(), payload)
    return await read(editor, post, localeCode=changes.get("localeCode", "en"))


async def listed(editor: Editor, **chosen: Any) -> list[tuple[str, str]]:
    reply = await Posts(editor.world.database).get_posts(editor.call(), GetPosts.model_validate(chosen))
    assert reply.total == len(reply.posts)
    return [(post.slug, post.status) for post in reply.posts]


async def walk(posts: Posts, editor: Editor, **chosen: Any) -> list[str]:
    """The slugs of all posts, read one by one."""
    slugs, cursor = list[str](), None
    while True:
        reply = await posts.get_posts(editor.call(), GetPosts(limit=1, cursor=cursor, **chosen))
        slugs += [post.slug for post in reply.posts]
        cursor = reply.next_cursor
        if cursor is None:
            return slugs


async def test_a_list_takes_as_many_queries_for_many_posts_as_for_one(ann: Editor) -> None:
    async def count() -> int:
        with watch_statements() as statements:
            await listed(ann, status="all")
        return len(statements)

    await create(ann, "Hello", category="news")
    alone = await count()
    for title in ("Bread", "Cake"):
        await create(ann, title, category="news")
    assert await count() == alone


async def test_a_post_is_a_draft_with_an_address_in_its_collection(ann: Editor) -> None:
    await ann.create("Hello")
    post = await create(ann, "Hello", body="We **bake**.", tags="bread, daily", cover=BREAD)
    assert (post.slug, post.path, post.status, post.tags) == ("hello", "/posts/hello", "draft", ["bread", "daily"])
    assert (post.body, post.cover) == ("We **bake**.", BREAD)
    with pytest.raises(AlreadyExistsError, match="a page with this slug already: 'Hello', id entry_1"):
        await create(ann, "Hello")


@pytest.mark.parametrize(
    "arguments",
    [
        {"content": {"body": "Text", "tags": ["a"]}, "summary": "Short"},
        {"content": "Text", "excerpt": "Short", "tags": ["a"]},
        {"text": "Text", "description": "Short", "tags": "a"},
        {"text": "Text", "description": "Short", "tags": ["a, "]},
    ],
)
async def test_the_fields_of_a_post_are_accepted_as_models_write_them(ann: Editor, arguments: dict[str, Any]) -> None:
    post = await create(ann, "Hello", **arguments)
    assert (post.body, post.excerpt, post.tags) == ("Text", "Short", ["a"])


async def test_fields_and_languages_of_a_post_change_one_by_one(ann: Editor) -> None:
    await create(ann, "Hello", body="Bread", author="Ann", category="News")
    german = await update(ann, "entry_1", body="Brot", localeCode="de")
    assert (german.body, german.author, german.untranslated) == ("Brot", "Ann", {"author": "en", "category": "en"})
    english = await update(ann, "entry_1", updates={"author": "", "title": "Hi"}, slug="posts/hi")
    assert (english.title, english.path, english.body, english.author) == ("Hi", "/posts/hi", "Bread", None)
    again = await update(ann, "entry_1", title="Hi", body="Bread")
    assert again.revision == english.revision
    changes = UpdatePost.model_validate({"postSlug": "entry_1", "title": "Hi", "body": "Cake"})
    reply = await Posts(ann.world.database).update_post(ann.call(), changes)
    assert reply.model_dump(by_alias=True, exclude_none=True) == {
        "success": True,
        "message": "Updated post 'Hi' (/posts/hi)",
        "post": {"id": "entry_1", "title": "Hi", "slug": "hi", "status": "draft"},
        "changed": ["body"],
    }
    same = await Posts(ann.world.database).update_post(ann.call(), changes)
    assert (same.changed, same.message) == ([], "The post 'Hi' (/posts/hi) is like that already")
    shown = await Posts(ann.world.database).get_post(ann.call(), GetPost(post_slug="posts/hi", with_token=True))
    await update(ann, "entry_1", title="Ho", ifUnchanged=shown.token)
    with pytest.raises(ConflictError, match="'Ho' has changed since it was read, last by ann: title: 'Hi' is now 'Ho'"):
        await update(ann, "entry_1", title="He", ifUnchanged=shown.token)


async def test_title_and_slug_of_a_post_are_translated_and_the_original_stays(ann: Editor, posts: Posts) -> None:
    await create(ann, "Hello", body="Bread")
    german = await update(ann, "entry_1", title="Hallo", slug="hallo", localeCode="de")
    assert (german.title, german.path) == ("Hallo", "/posts/hallo")
    english = (await posts.get_post(ann.call(), GetPost(post_slug="entry_1"))).post
    assert (english.title, english.path) == ("Hello", "/posts/hello")
    assert [each.id for each in await ann.world.references["entry"](ann.call(), "hallo")] == ["entry_1"]


@pytest.mark.parametrize("said", ["hello", "posts/hello", "/posts/hello", "Hello", "HELLO", "entry_1"])
async def test_a_post_is_a_document_under_each_of_its_names(ann: Editor, said: str) -> None:
    await create(ann, "Hello", body="Bread")
    await ann.create("Hello world")
    found = await ann.world.references["document"](ann.call(), said)
    names = {each.id: " | ".join((each.id, each.name, *each.aliases)).casefold().split(" | ") for each in found}
    assert [each for each, known in names.items() if said.casefold() in known] == ["entry_1"]


async def test_a_post_goes_from_draft_to_published_to_archived_and_back(ann: Editor, posts: Posts) -> None:
    await create(ann, "Hello", body="Bread")
    with pytest.raises(ConflictError, match="is not live"):
        await posts.archive_post(ann.call(), ArchivePost(post_slug="entry_1"))
    preview = await posts.preview_publication(ann.call(), PublishPost(post_slug="entry_1"))
    assert [(change.where, change.after) for change in preview.changes] == [
        ("title", "Hello"),
        ("slug", "posts/hello"),
        ("body (en)", "Bread"),
    ]
    await posts.publish_post(ann.call(), PublishPost(post_slug="entry_1"))
    assert await ann.live_title("posts/hello") == "Hello"
    await update(ann, "entry_1", title="Hi")
    assert await listed(ann, status="published") == [("hello", "changed")]
    preview = await posts.preview_archiving(ann.call(), ArchivePost(post_slug="entry_1"))
    assert preview.summary == "the live entry 'Hello' (/posts/hello)"
    archived = await posts.archive_post(ann.call(), ArchivePost(post_slug="entry_1"))
    assert (archived.post.status, archived.message) == ("archived", "Archived post 'Hi'")
    assert (await update(ann, "entry_1", title="Ho")).status == "archived"
    with pytest.raises(NotFoundError, match="is not live"):
        await ann.live_title("posts/hello")
    assert (await listed(ann, status="archived"), await listed(ann, status="draft")) == ([("hello", "archived")], [])
    await posts.publish_post(ann.call(), PublishPost(post_slug="entry_1"))
    assert (await ann.live_title("posts/hello"), await listed(ann)) == ("Ho", [("hello", "published")])


async def test_posts_are_listed_by_their_first_publication_and_by_category(ann: Editor, posts: Posts) -> None:
    for number, title in enumerate(("One", "Two", "Three", "Four"), 1):
        await create(ann, title, category="News" if number < 3 else "Recipes")
        if number in (1, 3):
            await posts.publish_post(ann.call(), PublishPost(post_slug=f"entry_{number}"))
    assert [slug for slug, _ in await listed(ann)] == ["three", "one", "four", "two"]
    assert await listed(ann, category="news") == [("one", "published"), ("two", "draft")]
    reply = await posts.get_posts(ann.call(), GetPosts(limit=1))
    assert (len(reply.posts), reply.total) == (1, 4)
    assert await walk(posts, ann) == ["three", "one", "four", "two"]
    assert await walk(posts, ann, category="News") == ["one", "two"]
    with pytest.raises(InvalidArgumentsError, match="is not the nextCursor of a reply to the same call"):
        await posts.get_posts(ann.call(), GetPosts(status="draft", cursor=reply.next_cursor))
    post = (await posts.get_post(ann.call(), GetPost(post_slug="entry_1"))).post
    assert post.published_at is not None
    with pytest.raises(NotFoundError, match="Existing collections: posts"):
        await listed(ann, collectionSlug="blog")


async def test_a_deleted_post_is_in_the_trash_and_comes_back_as_a_draft(ann: Editor, posts: Posts) -> None:
    await create(ann, "Hello", body="Bread")
    await posts.publish_post(ann.call(), PublishPost(post_slug="entry_1"))
    preview = await posts.preview_deletion(ann.call(), DeletePost(post_slug="entry_1"))
    assert preview.summary == "the post 'Hello' (/posts/hello), which visitors see"
    await posts.delete_post(ann.call(), DeletePost(post_slug="entry_1"))
    assert await listed(ann) == []
    await ann.restore("entry_1")
    post = (await posts.get_post(ann.call(), GetPost(post_slug="entry_1"))).post
    assert (post.status, post.body) == ("draft", "Bread")


async def test_a_deleted_post_comes_back_in_its_collection_under_another_slug(ann: Editor, posts: Posts) -> None:
    await create(ann, "News")
    await posts.delete_post(ann.call(), DeletePost(post_slug="posts/news"))
    restored = await ann.trash.restore_page(ann.call(), RestorePage(page_id="entry_1", slug="old-news"))
    assert restored.page.slug == "posts/old-news"


async def test_posts_and_pages_of_a_change_set_are_published_and_reverted_together(ann: Editor) -> None:
    await ann.create("About")
    await create(ann, "Hello", body="Bread")
    set_id = (await ann.publish()).change_set.id
    assert (await ann.live_title("about"), await ann.live_title("posts/hello")) == ("About", "Hello")
    await update(ann, "entry_1", slug="hi")
    await ann.publish()
    assert await ann.live_title("posts/hello") == "Hello", "its old address leads to it"
    with pytest.raises(ConflictError, match="has since changed what visitors see of page 'Hello'"):
        await ann.revert(set_id)
    await update(ann, "entry_1", title="Wrong")
    await ann.discard()
    assert await listed(ann) == [("hi", "published")]


async def test_a_post_is_no_page(ann: Editor, world: World) -> None:
    await create(ann, "Hello")
    with pytest.raises(NotFoundError):
        await ann.draft("posts/hello")
    with pytest.raises(NotFoundError, match=r"There is no page 'Hello': that is a post\. cms_updatePost changes and"):
        await world.references["page"](ann.call(), "Hello")
    with pytest.raises(NotFoundError):
        await Posts(world.database).publish_post(ann.call(), PublishPost(post_slug=(await ann.create("About")).id))


async def test_a_slug_that_is_none_or_too_long_is_refused(ann: Editor) -> None:
    long = await create(ann, "A very long title of a post that goes on and on and on until nobody reads it any more")
    assert len(long.path) <= 65
    with pytest.raises(InvalidArgumentsError, match="66 characters; 64 are the most"):
        await update(ann, "entry_1", slug="a" * 60)
    with pytest.raises(InvalidArgumentsError, match="is not a slug"):
        await update(ann, "entry_1", slug="Ä!")
    with pytest.raises(ValidationError):
        await create(ann, "")


@pytest.mark.parametrize("name", ["hello", "/posts/hello", "Hello", "entry_1", "posts/hello"])
async def test_a_person_is_asked_before_a_post_named_in_any_way_is_published(
    world: World, ann: Editor, name: str
) -> None:
    await create(ann, "Hello", body="Bread")
    runtime = Runtime(App(name="cms", tools=world.tools, references=world.references))
    arguments = {"postSlug": name}
    asked = await runtime.call_by_name("cms_publishPost", Arguments(json.dumps(arguments), arguments), by=ANN)
    assert asked.status == "waiting", asked.text
    await runtime.decide(asked.questions[0], approved=True, by=ANN)
    reply = json.loads((await runtime.resume(asked.run)).text)
    assert reply["message"] == "Published post 'Hello' (/posts/hello)"


async def test_a_rendered_post_has_its_text_and_the_way_back_to_the_pages(ann: Editor, world: World) -> None:
    await ann.create("About")
    link = AddNavigationItem(label="About", href="about")
    await Navigation(world.database).add_navigation_item(ann.call(), link)
    await create(ann, "Hello", body="We **bake**.", excerpt="<Short>", author="Ann")
    document = await world.rendering.render(HOME, "posts/hello")
    assert "<strong>bake</strong>" in document
    assert '<p class="lead">&lt;Short&gt;</p>' in document
    assert '<a href="../about.html"' in document
    assert (await world.rendering.write(HOME, "posts/hello")).parent.name == "posts"


async def test_who_approves_the_deletion_of_a_post_is_told_what_links_to_it(world: World) -> None:
    posts = Posts(world.database)
    post = (await posts.create_post(world.call(), CreatePost(title="News"))).post
    payload = DeletePost(post_slug=post.id)
    before = await posts.preview_deletion(world.call(), payload)
    assert before.summary == "the post 'News' (/posts/news)"
    await world.page("About", ("text", {"content": "See [the news](/posts/news)."}))
    item = AddNavigationItem(label="News", href="posts/news")
    await Navigation(world.database).add_navigation_item(world.call(), item)
    preview = await posts.preview_deletion(world.call(), payload)
    assert preview.summary == "the post 'News' (/posts/news), to which 'About', 'Navigation' link"
    assert preview.state != before.state
