"""The figures about the CMS reach everything that a call can name, and tell one site beside others from it alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from apps.cms.tests.world import World
from figures.cms import measure_leaks
from figures.cms_arguments import FURTHER, NORMAL, WEB
from figures.cms_leaks import open_leaks, texts_in
from remit_cms.app import build


def text_places(schema: Any, definitions: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The places of texts in the arguments of a tool; those in lists without their numbers, and no file."""
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    if schema.get("type") == "string" and "enum" not in schema:
        yield place
    elif schema.get("type") == "array":
        yield from text_places(schema["items"], definitions, place)
    elif "digest" not in schema.get("properties", {}):
        for name, each in schema.get("properties", {}).items():
            yield from text_places(each, definitions, (*place, name))


def test_every_text_argument_of_every_tool_is_given_the_names_of_others(tmp_path: Path) -> None:
    missing = list[str]()
    for tool in World(tmp_path).tools:
        samples = (NORMAL[tool.name], *FURTHER.get(tool.name, ()))
        given = {
            tuple(each for each in place if isinstance(each, str))
            for sample in samples
            for place, _ in texts_in(sample)
        }
        schema = tool.schema_in.json_schema
        places = {*text_places(schema, schema.get("$defs", {}))}
        missing += [f"{tool.name}: {'.'.join(place)}" for place in sorted(places - given)]
    assert missing == []


def test_every_tool_of_the_cms_is_swept(tmp_path: Path) -> None:
    operations = build(tmp_path).app.operations
    assert operations is not None
    assert {tool.name for tool in operations.callees} == {*NORMAL, *WEB}


async def test_a_site_beside_others_begins_as_the_site_alone(tmp_path: Path) -> None:
    del tmp_path
    async with open_leaks() as leaks:
        await leaks.try_tool("cms_listTrash")
    assert (leaks.failures, leaks.cases) == ([], 1)


@pytest.mark.slow
def test_creating_and_renaming_with_the_names_of_others_is_no_leak() -> None:
    (figure,) = measure_leaks(short=True, sample=("cms_restorePage",))
    assert (figure.value, figure.n > 0) == (0, True), figure.how
