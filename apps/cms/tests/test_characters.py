"""Texts with characters that nobody can read: refused in the same words by every tool, before a database sees them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from apps.cms.tests.world import World
from remit import Principal, Runtime
from remit.agent.linking import all_callees
from remit.errors import InvalidArgumentsError
from remit.tools import Arguments
from remit_cms.app import build
from remit_cms.images.payloads import UpdateImage
from remit_cms.models import Payload, check_characters, tidy_line
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.pages.payloads import CopyPage, CreatePage, Meta
from remit_cms.posts.payloads import CreatePost
from remit_cms.publishing.payloads import CreateChangeSet
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.sites.payloads import AddSite
from remit_cms.templates.builtin import BUILTIN_TEMPLATES
from remit_cms.templates.values import check_content
from remit_cms.types.payloads import DefineType

ANN = Principal("ann", "local-site", frozenset({"*"}))
HOSTILE = {"\0": "the character NUL", "\x1b": "control character U+001B", "\ud800": "lone surrogates"}


def texts_of(schema: dict[str, Any], root: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Values of a schema that hold the text TEXT in one place each, with the path of that place."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    for each in schema.get("anyOf", []):
        yield from texts_of(each, root)
    for name, each in schema.get("properties", {}).items():
        yield from ((f"{name}.{path}".rstrip("."), {name: value}) for path, value in texts_of(each, root))
    if "items" in schema:
        yield from ((f"0.{path}".rstrip("."), [value]) for path, value in texts_of(schema["items"], root))
    if schema.get("type") == "object" and "properties" not in schema:
        yield "heading", {"heading": "TEXT"}
        yield "faq.0", {"faq": ["TEXT"]}
        yield "", {"TEXT": "a value"}
    if schema.get("type") == "string" and "enum" not in schema and "const" not in schema:
        yield "", "TEXT"


@pytest.mark.parametrize("character", HOSTILE, ids=HOSTILE.get)
async def test_every_text_of_every_tool_refuses_it_in_one_line_that_names_the_place(
    world: World, tmp_path: Path, character: str
) -> None:
    app = build(tmp_path, database=world.database).app
    runtime = Runtime(app)
    tried = 0
    for callee in all_callees([*app.agents, *app.tools]):
        schema = callee.schema_in.json_schema
        for path, value in texts_of(schema, schema):
            if callee.name in ("editor", "search_tools") or path.startswith(("file.", "files.")):
                continue  # a conversation is no payload of the CMS, and a file is checked where it is stored
            raw = json.dumps(value).replace("TEXT", json.dumps(f"a{character}b")[1:-1])
            found = json.loads((await runtime.call_by_name(callee.name, Arguments(raw, json.loads(raw)), by=ANN)).text)
            tried += 1
            assert found["errorCode"] == "VALIDATION_ERROR", (callee.name, raw, found)
            assert HOSTILE[character] in found["error"], (callee.name, raw, found)
            assert path in found["error"], (callee.name, raw, found)
    assert tried > 150


async def test_content_that_is_given_as_text_is_no_way_around(world: World, tmp_path: Path) -> None:
    runtime = Runtime(build(tmp_path, database=world.database).app)
    section = {"definitionId": "hero", "content": json.dumps({"heading": "a\0b"})}
    arguments = {"title": "New", "sections": [section]}
    raw = Arguments(json.dumps(arguments), arguments)
    found = json.loads((await runtime.call_by_name("cms_createPageWithContent", raw, by=ANN)).text)
    assert found["errorCode"] == "VALIDATION_ERROR"
    assert "U+0000" in found["error"]


def test_half_a_character_is_refused_where_no_json_was_parsed() -> None:
    with pytest.raises(ValueError, match="title: the text has half a character U\\+D800 at position 1"):
        check_characters({"title": "a\ud800"})


def test_tabs_ends_of_lines_and_all_that_can_be_read_stay() -> None:
    check_characters({"a": ["One\tline.\r\nAnother: é 日本 👩‍🍳 \u200d \u00a0 \ufeff"]})


@pytest.mark.parametrize(
    ("payload", "field", "given"),
    [
        (CreatePage, "title", {}),
        (CopyPage, "title", {"page_id": "about"}),
        (Meta, "title", {}),
        (Meta, "description", {}),
        (CreatePost, "title", {}),
        (CreatePost, "excerpt", {"title": "News"}),
        (DefineType, "name", {"fields": [{"key": "a", "type": "text"}]}),
        (AddNavigationItem, "label", {"href": "about"}),
        (UpdateImage, "alt_text", {"image_id": "x"}),
        (UpdateImage, "caption", {"image_id": "x"}),
        (UpdateImage, "name", {"image_id": "x"}),
        (UpdateSiteSettings, "name", {}),
        (UpdateSiteSettings, "tagline", {}),
        (CreateChangeSet, "name", {"page_ids": ["about"]}),
        (AddSite, "name", {"key": "copy"}),
    ],
)
def test_a_short_text_is_one_line_that_can_be_seen(payload: type[Payload], field: str, given: dict[str, Any]) -> None:
    def read(text: str) -> object:
        return getattr(payload.model_validate({**given, field: text}), field)

    assert read(" One\r\ntwo\tthree\u2028four ") == "One two three four"
    assert read("نص 👩\u200d🍳 Do\u00adnau") == "نص 👩\u200d🍳 Do\u00adnau"
    for text, message in {
        "Publish\u202eegap": "turns the direction of reading with U[+]202E",
        "a\u2066b": "U[+]2066",
        "\u200b": "nothing of the text can be seen",
        "\u3164 \ufe0f": "nothing of the text can be seen",
    }.items():
        with pytest.raises(ValidationError, match=message):
            read(text)


@pytest.mark.parametrize("alt", ["\u200b", "\u3164"])
def test_an_alternative_text_of_one_place_can_be_seen_too(alt: str) -> None:
    hero = next(each for each in BUILTIN_TEMPLATES if each.key == "hero")
    with pytest.raises(InvalidArgumentsError, match="nothing of the text can be seen"):
        check_content("hero", hero.structure, {"image": {"imageId": "x", "alt": alt}})


def test_a_text_that_was_stored_before_is_read_as_a_line() -> None:
    assert [tidy_line(text) for text in ("a\nb", "a\u202eb", "\u3164", "")] == ["a b", "ab", "…", ""]
