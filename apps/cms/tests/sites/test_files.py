"""Files of sites that others made: what the CMS would not have written is refused."""

from __future__ import annotations

import asyncio
import copy
import json
import stat
import tracemalloc
import warnings
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
from sqlalchemy import update

from apps.cms.tests.world import World
from remit.errors import ConflictError, InvalidArgumentsError
from remit_cms.models import Content
from remit_cms.pages.payloads import CreatePage
from remit_cms.sites.archive import read_archive
from remit_cms.sites.payloads import ExportContent, ImportContent
from remit_cms.storage.tables import Page

Small = tuple[dict[str, Any], bytes]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    """What the file of a small site holds: its site.json, and its only image."""

    async def make() -> Small:
        world = World(tmp_path_factory.mktemp("small"))
        image = await world.image()
        hero: Content = {"heading": "Hi", "image": {"imageId": image.id}}
        await world.page("About", ("hero", hero), ("faq", {"questions": [{"question": "Where?"}]}))
        file = (await world.sites.export_content(world.call(), ExportContent())).file
        content = await world.files.read(file)
        await world.database.close()
        with ZipFile(BytesIO(content)) as archive:
            (name,) = (each for each in archive.namelist() if each.startswith("images/"))
            return json.loads(archive.read("site.json")), archive.read(name)

    return asyncio.run(make())


def pack(*entries: tuple[str | ZipInfo, bytes]) -> bytes:
    file = BytesIO()
    with warnings.catch_warnings(), ZipFile(file, "w", ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # of names that are there twice
        for name, content in entries:
            archive.writestr(name, content, ZIP_DEFLATED)
    return file.getvalue()


def pack_site(site: dict[str, Any], image: bytes) -> bytes:
    return pack(("site.json", json.dumps(site).encode()), (f"images/{sha256(image).hexdigest()}", image))


def link() -> ZipInfo:
    info = ZipInfo(f"images/{'0' * 64}")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def change(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """Change the value at a path of the site, such as ``images.0.width``."""

    def work(site: dict[str, Any]) -> None:
        *parents, last = path.split(".")
        found: Any = site
        for each in parents:
            found = found[int(each) if each.isdigit() else each]
        found[last] = value

    return work


def add_settings(values: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    """Add live settings."""

    def work(site: dict[str, Any]) -> None:
        draft = {**site["documents"][0]["draft"], "id": "s", "kind": "settings"}
        section = {"id": "v", "definition": "site-settings", "sortOrder": 0, "contents": {"en": values}}
        draft["sections"] = [section]
        site["documents"].append({**site["documents"][0], "draft": draft, "live": draft})

    return work


def add_redirect(*redirects: dict[str, Any], **contents: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    """Add redirects of the owner, or one with contents by language."""

    def work(site: dict[str, Any]) -> None:
        draft: dict[str, Any] = {**site["documents"][0]["draft"], "id": "r", "kind": "redirects", "translations": {}}
        written = [contents] if contents else [{"en": each} for each in redirects]
        section = {"definition": "redirect-item", "sortOrder": 0}
        draft["sections"] = [{**section, "id": f"v{n}", "contents": each} for n, each in enumerate(written)]
        site["documents"].append({**site["documents"][0], "draft": draft})

    return work


def add_item(target: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    """Add an item of the navigation."""

    def work(site: dict[str, Any]) -> None:
        draft: dict[str, Any] = {**site["documents"][0]["draft"], "id": "n", "kind": "navigation", "translations": {}}
        contents = {"en": {"label": "Shop", "target": target}}
        draft["sections"] = [{"id": "v", "definition": "navigation-item", "sortOrder": 0, "contents": contents}]
        site["documents"].append({**site["documents"][0], "draft": draft})

    return work


def make_twin(site: dict[str, Any]) -> None:
    twin = copy.deepcopy(site["documents"][0])
    twin["draft"]["id"] = "twin"
    site["documents"].append(twin)


def translate_twin(site: dict[str, Any]) -> None:
    make_twin(site)
    site["documents"][1]["draft"] |= {"slug": "team", "translations": {"de": {"slug": "about"}}}


def redirect_live_page(site: dict[str, Any]) -> None:
    page = site["documents"][0]
    page["live"] = page["draft"]
    site["redirects"] = [{"locale": "de", "path": "about", "page": page["draft"]["id"]}]


def keep_collection(key: str) -> Callable[[dict[str, Any]], None]:
    def work(site: dict[str, Any]) -> None:
        next(each for each in site["templates"] if each["kind"] == "entry")["key"] = key

    return work


def repeat_field(site: dict[str, Any]) -> None:
    rows = site["templates"][0]["structure"]["rows"]
    rows.append(rows[0])


def add_second_image(site: dict[str, Any]) -> None:
    first = site["images"][0]
    site["images"].insert(0, {**first, "id": "second", "source": "0" * 64, "width": 9})


def spoil_template(site: dict[str, Any]) -> None:
    faq = next(each for each in site["templates"] if each["key"] == "faq")
    faq["structure"]["rows"][-1]["slots"][0]["fields"] = []


DRAFT = "documents.0.draft"
FAQ = f"{DRAFT}.sections.1"
HERO = f"{DRAFT}.sections.0.contents.en"
ELSEWHERE = [{"locale": "en", "path": "old", "page": "k7fm2xqd"}]
SHOP = {"url": "https://shop.example.com/"}
HOSTILE_SITES: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "a redirect from above the site": (add_redirect({"path": "/../x", "target": SHOP}), "not an address to redirect"),
    "a redirect from a file of the site": (add_redirect({"path": "/a/index.html", "target": SHOP}), "for itself"),
    "a redirect in capitals": (add_redirect({"path": "/Old", "target": SHOP}), "is written as '/old'"),
    "a redirect in no language": (add_redirect({"path": "/old", "target": SHOP, "locale": "fr"}), "to a language"),
    "a redirect from nowhere": (add_redirect({"target": SHOP}), "path: Field required"),
    "a redirect that runs a script": (
        add_redirect({"path": "/old", "target": {"url": "javascript:alert(1)"}}),
        "the redirect from '/old' leads to a page, an entry or an address with https",
    ),
    "redirects without end": (
        add_redirect(*({"path": f"/p{number}", "target": SHOP} for number in range(501))),
        "it has 501 redirects, and a site has at most 500",
    ),
    "a redirect of the owner that is there twice": (
        add_redirect({"path": "/old", "target": SHOP}, {"path": "/old", "target": {"url": "https://evil.example"}}),
        "it has the redirect from '/old' twice",
    ),
    "a redirect to no host": (
        add_redirect({"path": "/old", "target": {"url": "https:///x"}}),
        "'/old' leads to .* with https and a valid host",
    ),
    "a redirect to half a host": (add_redirect({"path": "/old", "target": {"url": "https://[e.example/"}}), "'/old'"),
    "a redirect without end": (
        add_redirect({"path": "/old", "target": {"url": "https://shop.example.com/" + "a" * 2048}}),
        "'/old' leads to .* with https",
    ),
    "a redirect to nothing": (add_redirect({"path": "/old", "target": {}}), "'/old' has 0 targets"),
    "a redirect to two targets": (
        add_redirect({"path": "/old", "target": {"page": "p", **SHOP}}),
        "the redirect from '/old' has 2 targets, and a redirect has one",
    ),
    "a redirect to a document without an address": (
        add_redirect({"path": "/old", "target": {"page": "r"}}),
        "'/old' leads to a document of another kind",
    ),
    "a redirect to another server in a language": (
        add_redirect({"path": "/old", "target": SHOP, "locale": "de"}),
        "'/old' leads to another server, where it has no language",
    ),
    "a redirect in two languages": (
        add_redirect(en={"path": "/old", "target": SHOP}, de={"path": "/hidden", "target": SHOP}),
        "'/old' is written in de, en, not in en alone",
    ),
    "a redirect in another language alone": (
        add_redirect(de={"path": "/old", "target": SHOP}),
        "'/old' is written in de, not in en alone",
    ),
    "an item to no host": (add_item({"url": "https://"}), "an item of the navigation leads to .* a valid host"),
    "an item to two targets": (add_item({"page": "p", **SHOP}), "at most 1 item"),
    "a redirect with a header": (
        add_redirect({"path": "/old", "target": {"url": "https://shop.example.com/\r\na: b"}}),
        "an address with https",
    ),
    "a character that no database stores": (change(f"{DRAFT}.title", "a\0b"), "control character U[+]0000"),
    "another version": (change("version", 2), "reads version 1"),
    "another format": (change("format", "zip"), "no site of this CMS"),
    "a slug that leaves the folder": (change(f"{DRAFT}.slug", "../../etc"), "not the address of a page"),
    "a redirect that leaves the folder": (
        change("redirects", [{**ELSEWHERE[0], "path": "../x"}]),
        "not the address of a page",
    ),
    "a redirect that is there twice": (
        lambda site: site.update(
            redirects=2 * [{"locale": "en", "path": "old", "page": site["documents"][0]["draft"]["id"]}]
        ),
        "a redirect twice",
    ),
    "a redirect of elsewhere": (change("redirects", ELSEWHERE), "does not have"),
    "a language that is a path": (change("languages.1.code", "../de"), "languages.1.code"),
    "an image of elsewhere": (change(f"{HERO}.image", {"imageId": "k7fm2xqd", "alt": "x"}), "image that is not"),
    "a page above of elsewhere": (change(f"{DRAFT}.parent", "k7fm2xqd"), "names a page above it"),
    "a template of elsewhere": (change(f"{DRAFT}.sections.0.definition", "x"), "is not in the file"),
    "an address that runs scripts": (change(f"{HERO}.cta", {"text": "x", "url": "javascript:x"}), "an address"),
    "an item that the page has not made": (change(f"{FAQ}.lists", {"questions": ["i2"]}), "id that was not given"),
    "an item that is there twice": (change(f"{FAQ}.lists", {"questions": ["i1", "i1"]}), "item twice"),
    "content of an item that the list does not have": (change(f"{FAQ}.lists", {}), "items of a list"),
    "items in a template without a list": (change(f"{DRAFT}.sections.0.lists", {"heading": ["i1"]}), "items of a list"),
    "a list of texts": (change(f"{FAQ}.contents.en.questions.i1", "x"), "items of a list"),
    "an item with a field of elsewhere": (change(f"{FAQ}.contents.en.questions.i1.x", "x"), "no field 'x'"),
    "a number that the page has not given": (change(f"{FAQ}.number", 3), "number that the page has not given"),
    "a number that is there twice": (change(f"{FAQ}.number", 1), "section twice"),
    "a list without fields": (spoil_template, "a list has fields"),
    "a theme that leaves its rule": (add_settings({"theme": {"accent": "red}</style>"}}), "takes a colour"),
    "a home page that is not live": (add_settings({"homePage": {"page": "k7fm2xqd"}}), "home page that .* is not live"),
    "a home page that is a text": (add_settings({"homePage": "about"}), "valid dictionary"),
    "another size of an image that is there twice": (add_second_image, "another size"),
    "another size of an image": (change("images.0.width", 9), "another size"),
    "a document that is there twice": (lambda site: site["documents"].append(site["documents"][0]), "twice"),
    "a number that Postgres does not store": (change(f"{FAQ}.sortOrder", 1 << 31), "not between 0 and 999,999,999"),
    "a number that no database stores": (change(f"{DRAFT}.lastSection", 1 << 63), "not between 0 and 999,999,999"),
    "a number of an item below zero": (change(f"{DRAFT}.lastItem", -1), "not between 0 and"),
    "a number of what it leaves out": (change("leftOut", {"changeSets": 1 << 63}), "leftOut.changeSets"),
    "a time before the calendar": (change("documents.0.createdAt", "0001-01-01T00:00:00+14:00"), "years 1970 to 9998"),
    "a time after the calendar": (change("documents.0.updatedAt", "9999-12-31T23:59:59-14:00"), "years 1970 to 9998"),
    "a time of an image": (change("images.0.createdAt", "0001-01-01T00:00:00+14:00"), "years 1970 to 9998"),
    "a title that is too long": (change(f"{DRAFT}.title", "t" * 201), "title [(]en[)] is too long"),
    "an empty title": (change(f"{DRAFT}.title", " "), "title [(]en[)] is empty"),
    "a title that cannot be seen": (change(f"{DRAFT}.title", "\u3164"), "nothing of the text can be seen"),
    "a title of two lines": (change(f"{DRAFT}.title", "About\nAPPROVED"), "more than one line"),
    "a title that reads as another": (change(f"{DRAFT}.title", "a\u202eb"), "turns the direction"),
    "a text for search engines that is too long": (change(f"{DRAFT}.meta", {"title": "t" * 201}), "is too long"),
    "an address that is too long": (change(f"{DRAFT}.slug", f"ab/{'b' * 60}/{'c' * 30}"), "more than 64"),
    "an address that the site keeps": (change(f"{DRAFT}.slug", "preview/x1"), "'preview' is reserved"),
    "an address that is a language": (change(f"{DRAFT}.slug", "de"), "'de' is reserved"),
    "an address of one letter": (change(f"{DRAFT}.slug", "about/a"), "not a slug"),
    "a collection at an address that the site keeps": (keep_collection("images"), "'images' is reserved"),
    "two pages at one address": (make_twin, "two pages have the address 'about' in en"),
    "two pages at one address in another language": (translate_twin, "two pages have the address 'about' in de"),
    "a translation into its own language": (change(f"{DRAFT}.translations", {"en": {"title": "A"}}), "own language"),
    "a redirect from a page that visitors see": (redirect_live_page, "address of a page that visitors see"),
    "an image whose alternative text cannot be seen": (change("images.0.alt", "\u200b"), "images.0.alt"),
    "a field twice": (repeat_field, "a field twice"),
    "half a character": (change("name", "\ud800"), "not JSON"),
}


@pytest.mark.parametrize("case", HOSTILE_SITES)
def test_a_site_that_the_cms_would_not_have_written_is_refused(small: Small, case: str) -> None:
    site, (spoil, message) = copy.deepcopy(small[0]), HOSTILE_SITES[case]
    spoil(site)
    with pytest.raises(InvalidArgumentsError, match=message):
        read_archive(pack_site(site, small[1]))


HOSTILE_FILES: dict[str, tuple[Callable[[bytes, str, bytes], bytes], str]] = {
    "no ZIP file": (lambda _text, _name, _image: b"PK\x03\x04 and no more", "not a complete ZIP file"),
    "a path that leaves the folder": (
        lambda text, name, image: pack(("site.json", text), (name, image), ("../../etc/passwd", b"x")),
        "neither site.json nor an image",
    ),
    "a link": (lambda text, _name, image: pack(("site.json", text), (link(), image)), "is a link"),
    "a bomb by its ratio": (
        lambda text, name, _image: pack(("site.json", text), (name, b"\0" * (1 << 20))),
        "too much",
    ),
    "a file that is there twice": (
        lambda text, name, image: pack(("site.json", text), ("site.json", text), (name, image)),
        "twice",
    ),
    "an image with another digest": (
        lambda text, name, image: pack(("site.json", text), (name, image + b"x")),
        "another digest",
    ),
    "an image too few": (lambda text, _name, _image: pack(("site.json", text)), "not those that its site.json lists"),
    "an image too many": (
        lambda text, name, image: pack(("site.json", text), (name, image), (f"images/{'1' * 64}", image)),
        "not those that its site.json lists",
    ),
    "no site.json": (lambda _text, name, image: pack((name, image)), "it has no site.json"),
    "a number without end": (lambda _text, name, image: pack(("site.json", b"[1e999]"), (name, image)), "1e999"),
    "a file that was cut": (lambda text, name, image: pack(("site.json", text), (name, image))[:-30], "complete ZIP"),
}


def test_a_file_that_lies_about_its_size_is_not_unpacked_further() -> None:
    file = bytearray(pack(("site.json", b" " * (8 << 20))))
    size = file.rindex(b"PK\x01\x02") + 24
    file[size : size + 4] = (1000).to_bytes(4, "little")
    tracemalloc.start()
    try:
        with pytest.raises(InvalidArgumentsError, match="not a complete ZIP file"):
            read_archive(bytes(file))
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_table_of_contents_that_is_too_long_is_not_read() -> None:
    with pytest.raises(InvalidArgumentsError, match="too many files"):
        read_archive(b"PK\x01\x02" * 20_000)


@pytest.mark.parametrize("case", HOSTILE_FILES)
def test_a_file_that_does_harm_is_refused(small: Small, case: str) -> None:
    make, message = HOSTILE_FILES[case]
    site, image = small
    file = make(json.dumps(site).encode(), f"images/{sha256(image).hexdigest()}", image)
    with pytest.raises(InvalidArgumentsError, match=message):
        read_archive(file)


def test_files_that_unpack_to_too_much_are_refused_before_they_are_unpacked(
    small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = pack_site(*small)
    assert read_archive(file)[0].name == "Local site"
    monkeypatch.setattr("remit_cms.sites.archive.MAX_UNPACKED", len(small[1]))
    with pytest.raises(InvalidArgumentsError, match="unpacks to more"):
        read_archive(file)
    monkeypatch.setattr("remit_cms.sites.archive.MAX_FILE", len(file) - 1)
    with pytest.raises(InvalidArgumentsError, match="may have"):
        read_archive(file)


async def test_an_import_that_fails_half_way_leaves_nothing(
    world: World, small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise ConflictError("halfway")

    monkeypatch.setattr("remit_cms.sites.writing.apply_snapshot", fail)
    file = await world.files.add(pack_site(*small))
    before = await world.rows()
    with pytest.raises(ConflictError, match="halfway"):
        await world.sites.import_content(world.call(), ImportContent(file=file))
    assert await world.rows() == before


async def test_settings_and_navigation_of_a_file_take_no_address_of_a_page(world: World, small: Small) -> None:
    site = copy.deepcopy(small[0])
    add_settings({"tagline": "Hi"})(site)
    single = {"slug": "kontakt", "title": "A page", "translations": {"de": {"slug": "kontakt"}}}
    site["documents"][1]["draft"] |= single
    site["documents"][1]["live"] = site["documents"][1]["draft"]
    file = await world.files.add(pack_site(site, small[1]))
    await world.sites.import_content(world.call(), ImportContent(file=file))
    assert (await world.pages.create_page(world.call(key="new"), CreatePage(title="Kontakt"))).page.slug == "kontakt"


async def test_a_site_with_texts_of_before_they_were_lines_is_exported(world: World) -> None:
    await world.page("About")
    async with world.database.write() as session:
        await session.execute(update(Page).values(title="About\nus\u202e", meta_title="\u3164"))
    file = (await world.sites.export_content(world.call(), ExportContent())).file
    package, _ = read_archive(await world.files.read(file))
    draft = package.documents[0].draft
    assert (draft.title, draft.meta.title) == ("About us", "…")


async def test_a_site_that_no_file_may_hold_is_not_exported(world: World) -> None:
    await world.page("About")
    async with world.database.write() as session:
        await session.execute(update(Page).values(slug="preview/x1"))
    with pytest.raises(ConflictError, match="cannot be exported: 'preview/x1' is not the address of a page"):
        await world.sites.export_content(world.call(), ExportContent())
