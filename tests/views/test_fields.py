"""The arguments of a call in words: whole, and never misleading."""

from __future__ import annotations

import json

import pytest

from remit.views.fields import ShownField, list_fields


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"title": "About"}, [("title", "About")]),
        ({"newTitle": "a\nb"}, [("new title", "a\nb")]),
        ({"page_id": {"id": "7", "name": "Visit us", "revision": "3"}}, [("page", "Visit us")]),
        ({"page_id": {"id": "7", "name": "", "revision": ""}}, [("page", '"7"')]),
        ({"id": {"id": "a", "name": "yes", "revision": ""}}, [("id", '"yes"')]),
        ({"page_id": "7x"}, [("page id", "7x")]),
        (
            {"content": {"heading": "Hi", "cta": {"text": "Go"}}},
            [("content, heading", "Hi"), ("content, cta, text", "Go")],
        ),
        ({"tags": ["a", 1]}, [("tags, 1", "a"), ("tags, 2", "1")]),
        ({"at": "2026-12-24T18:00"}, [("at", "24 December 2026, 18:00")]),
        ({"at": "2026-12-24T18:00:05Z"}, [("at", "24 December 2026, 18:00:05 UTC")]),
        ({"at": "2026-12-24T18:00:05.25Z"}, [("at", "2026-12-24T18:00:05.25Z")]),
        ({"a": True, "b": False, "c": None}, [("a", "yes"), ("b", "no"), ("c", "nothing")]),
        ({"a": "yes", "b": "no", "c": "nothing"}, [("a", '"yes"'), ("b", '"no"'), ("c", '"nothing"')]),
        ({"a": 12345.5, "b": "12345.5"}, [("a", "12345.5"), ("b", '"12345.5"')]),
        ({"a": [], "b": {}, "c": ""}, [("a", "an empty list"), ("b", "no fields"), ("c", '""')]),
        ({"a": ' x"'}, [("a", '" x\\""')]),
        ({"a": "x\u202ey"}, [("a", "x\\u202ey")]),
        ({"page id": 1, "page\nid": 2}, [('"page id"', "1"), ('"page\\nid"', "2")]),
        ({}, []),
    ],
)
def test_each_value_is_shown_whole_and_as_what_it_is(arguments: object, shown: list[tuple[str, str]]) -> None:
    assert [(each.name, each.text) for each in list_fields(json.dumps(arguments))] == shown


def test_a_long_text_is_not_cut() -> None:
    assert list_fields(json.dumps({"text": "x" * 30_000})) == [ShownField("text", "x" * 30_000)]


def test_what_is_at_its_default_comes_last() -> None:
    shown = list_fields('{"count":1,"name":"rye"}', ["count"])
    assert shown == [ShownField("name", "rye"), ShownField("count", "1", is_default=True)]


def test_arguments_that_are_not_an_object_are_shown_as_they_are() -> None:
    assert list_fields("[1]\u202e") == [ShownField("as given", "[1]\\u202e")]
