"""What models are told of tools has no example that could be sent as a value: small models send it as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import pytest

import remit_casefile
import remit_cms
from remit.tools import Callee
from remit_casefile.app import app as build_casefile
from remit_cms.app import app as build_cms
from remit_cms.sites.sample.building import outline_sample

_LOOSE: Final = re.compile(r"\b(?:e\.g\.|for example,?|for instance,?|Examples?:)\s*(.*?)(?=[;)]|\. |$)", re.IGNORECASE)
"""What follows such a word."""
_QUOTED: Final = re.compile(r"(?<!\w)[\"'“]([^\"'”]*\w[^\"'”]*)[\"'”](?!\w)")
_OBJECT: Final = re.compile(r"\{\s*\"[^{}]*\}")
_JOINED: Final = re.compile(r"(?<![\w/{.+])/?[A-Za-z][\w.-]*(?:[/!@:][A-Za-z0-9][\w.:-]*)+(?![\w/}])")
"""Parts joined by a sign, such as an address, a path or a range of cells."""
_PLACEHOLDER: Final = re.compile(r"\{\{? ?\w[\w ]*\}|…|\.\.\.")


def find_examples(text: str) -> list[str]:
    """The examples in a text that could be sent as they stand."""
    found = [each for kind in (_LOOSE, _QUOTED, _OBJECT, _JOINED) for each in kind.findall(text)]
    return [each for each in found if not _PLACEHOLDER.search(each)]


def name_values(text: str, values: set[str]) -> list[str]:
    """The values of the sample site that a text names after words such as *like*."""
    named = re.findall(r"\b(?:such as|like) ([\w-]+(?:(?:,| or| and) [\w-]+)*)", text)
    return [word for each in named for word in re.split(r", | or | and ", each) if word in values]


def sample_values() -> set[str]:
    """The slugs, titles, languages, templates and fields of the sample site."""
    sample = outline_sample()
    documents = {each for document in sample.documents for each in (document.draft.slug, document.draft.title)}
    templates = {each for template in sample.templates for each in (template.key, template.name)}
    return documents | templates | {"en", "de", "posts", "main"}


def texts_of(callee: Callee[..., Any]) -> Iterator[str]:
    """What a model is told of a tool."""
    yield callee.description
    yield from descriptions_in(callee.schema_in.json_schema)


def descriptions_in(schema: object) -> Iterator[str]:
    if isinstance(schema, Mapping):
        for key, value in cast("Mapping[str, object]", schema).items():
            if key == "description" and isinstance(value, str):
                yield value
            yield from descriptions_in(value)
    elif isinstance(schema, list):
        for each in cast("list[object]", schema):
            yield from descriptions_in(each)


@cache
def told_texts() -> dict[str, list[str]]:
    """What is told, by tool or file."""
    apps = (build_cms(), build_casefile())
    tools = [tool for app in apps for tool in (*app.tools, *(each for agent in app.agents for each in agent.tools))]
    folders = [Path(each.__file__ or "").parent for each in (remit_cms, remit_casefile)]
    prompts = [file for folder in folders for kind in ("*.md", "*.worker") for file in sorted(folder.rglob(kind))]
    bodies = {file.name: file.read_text(encoding="utf-8").rpartition("---\n")[2] for file in prompts}
    return {tool.name: [*texts_of(tool)] for tool in tools} | {name: [body] for name, body in bodies.items()}


def test_no_definition_and_no_prompt_has_an_example_that_could_be_sent() -> None:
    told = told_texts()
    assert len(told) > 150
    assert {
        name: found for name, texts in told.items() if (found := [e for t in texts for e in find_examples(t)])
    } == {}


def test_no_definition_and_no_prompt_names_a_value_of_the_sample_site() -> None:
    values = sample_values()
    assert {"about", "hero"} <= values
    told = told_texts()
    assert {
        name: found for name, texts in told.items() if (found := [e for t in texts for e in name_values(t, values)])
    } == {}


@pytest.mark.parametrize(
    "text",
    [
        "Id of the section, or page/key, e.g. about/hero",
        "Language, e.g. en",
        'The template\'s fields, e.g. {"heading": "Hello"}',
        "When, e.g. 2026-12-24T09:00 in the site's time zone",
        'Example: {"title": "Contact", "sections": []}',
        "A section is named by its page and template: about/hero.",
        "Cells of it to read from now on: Sheet1!A1:C10",
        "As in Gmail's search box: from:ann@example.com newer_than:7d",
        "In Drive's query language: name contains 'report'",
        'Search first: "undo an edit"',
    ],
)
def test_an_example_is_noticed(text: str) -> None:
    assert find_examples(text)


def test_a_value_of_the_site_is_noticed() -> None:
    assert name_values("the key of a template, such as hero, text or quote.", sample_values())


@pytest.mark.parametrize(
    "text",
    [
        "When: {year}-{month}-{day}T{hour}:{minute} in the site's time zone",
        "Name in the address: a-z, 0-9 and '-'; made from the title if omitted",
        "Id of the casefile: cf_...",
        "Page or post by slug, id or exact title, or an address that begins with https://",
        "Address on this site that has no page: /{path}, or /{language}/{path} in another language",
        "Other versions of the text that say something else, such as its HTML",
    ],
)
def test_a_form_without_a_value_is_no_example(text: str) -> None:
    assert find_examples(text) == []
    assert name_values(text, sample_values()) == []
