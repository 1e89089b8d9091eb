"""What may stand in a slot."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from remit.errors import InvalidArgumentsError
from remit_cms.templates.builtin import BUILTIN_TEMPLATES
from remit_cms.templates.slots import Row, Slot, SlotType, Structure
from remit_cms.templates.values import (
    VALUE_FORMATS,
    check_content,
    empty_required_slots,
    iterate_texts,
    rename_fields,
    url_scheme,
)

EVERY = Structure(
    rows=tuple(
        Row(slots=(Slot(key=kind.value, type=kind, label=kind.value, options=options, fields=fields),))
        for kind in SlotType
        for options in [("left", "right") if kind is SlotType.OPTION else ()]
        for fields in [(Slot(key="link", type=SlotType.LINK, label="Link"),) if kind is SlotType.LIST else ()]
    )
)

GOOD: dict[str, JsonValue] = {
    "text": "Hello",
    "richText": "**Hello**",
    "image": {"url": "/media/a.png", "alt": "A loaf"},
    "media": {"url": "https://example.com/a.mp4"},
    "link": {"text": "Write", "url": "mailto:a@example.com"},
    "option": "left",
    "collectionRef": {"collectionId": "posts", "limit": 3},
    "list": [{"id": "i1", "link": {"text": "Write", "url": "/"}}, {}],
}

WRONG: list[tuple[str, JsonValue]] = [
    ("text", 3),
    ("text", ["x"]),
    ("text", "x" * 1001),
    ("richText", {"html": "x"}),
    ("richText", "x" * 50_001),
    ("image", "a.png"),
    ("image", {"url": "/a.png"}),
    ("image", {"url": "/a.png", "alt": "x", "onerror": "alert(1)"}),
    ("image", {"url": "data:text/html,x", "alt": "x"}),
    ("image", {"url": "mailto:a@example.com", "alt": "x"}),
    ("media", {"url": "javascript:alert(1)"}),
    ("link", {"text": "x", "url": "javascript:alert(1)"}),
    ("link", {"text": "x", "url": "JaVaScRiPt:alert(1)"}),
    ("link", {"text": "x", "url": " javascript:alert(1)"}),
    ("link", {"text": "x", "url": "java\tscript:alert(1)"}),
    ("link", {"text": "x", "url": "vbscript:x"}),
    ("link", {"text": "x", "url": "\\\\evil\\share"}),
    ("link", {"text": "", "url": "/"}),
    ("link", {"text": "x", "url": ""}),
    ("link", {"text": "x", "url": "/" + "x" * 2048}),
    ("list", "x"),
    ("list", ["x"]),
    ("list", [{"link": "/"}]),
    ("list", [{"link": {"text": "x", "url": "javascript:alert(1)"}}]),
    ("list", [dict[str, JsonValue]() for _ in range(201)]),
    ("option", "middle"),
    ("option", 1),
    ("collectionRef", {"collectionId": "posts", "limit": 101}),
    ("collectionRef", {"collectionId": ""}),
]


@pytest.mark.parametrize(
    ("template", "given", "taken"),
    [
        ("text", {"text": "a"}, {"content": "a"}),
        ("text", {"title": "a", "body": "b"}, {"heading": "a", "content": "b"}),
        ("quote", {"heading": "a", "author": "b"}, {"content": "a", "author": "b"}),
        ("hero", {"heading": "a", "text": "b", "subtitle": "c"}, {"heading": "a", "content": "b", "subheading": "c"}),
        ("hero", {"heading": "a", "colour": "b"}, {"heading": "a", "colour": "b"}),
        ("text", {"content": "a", "text": "b"}, {"content": "a", "text": "b"}),
        ("quote", {"heading": {"text": "a"}}, {"heading": {"text": "a"}}),
        ("quote", {"": "a"}, {"content": "a"}),
        ("call-to-action", {"": "a"}, {"": "a"}),
    ],
)
def test_a_field_is_taken_by_another_name_that_can_mean_it_only(
    template: str, given: dict[str, JsonValue], taken: dict[str, JsonValue]
) -> None:
    structure = next(each.structure for each in BUILTIN_TEMPLATES if each.key == template)
    assert rename_fields(structure, given) == taken


def test_every_type_takes_its_own() -> None:
    check_content("every", EVERY, GOOD)


@pytest.mark.parametrize("key", sorted(GOOD))
def test_null_empties_any_slot(key: str) -> None:
    check_content("every", EVERY, {key: None})


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_what_does_not_fit_is_refused_and_the_field_named(key: str, value: JsonValue) -> None:
    with pytest.raises(InvalidArgumentsError, match=rf"Section 'every': '{key}"):
        check_content("every", EVERY, {key: value})


def test_all_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(InvalidArgumentsError) as caught:
        check_content("every", EVERY, {"text": 1, "option": "middle", "colour": "red"})
    said = str(caught.value)
    assert all(part in said for part in ("'text': ", "'option' must be one of left, right", "no field 'colour'"))
    assert "option (left | right)" in said


@pytest.mark.parametrize(
    ("url", "scheme"),
    [
        ("/about", ""),
        ("#top", ""),
        ("about?x=1:2", ""),
        ("//example.com/x", "https"),
        ("HTTPS://example.com", "https"),
        ("http://example.com", "http"),
        ("tel:+49", "tel"),
        ("ftp://example.com", None),
        ("javascript:alert(1)", None),
        ("java\nscript:alert(1)", None),
        ("a b", None),
    ],
)
def test_an_address_has_a_scheme_that_may_be_followed_or_none(url: str, scheme: str | None) -> None:
    assert url_scheme(url) == scheme


def test_required_slots_that_are_empty_are_named() -> None:
    hero = next(template for template in BUILTIN_TEMPLATES if template.key == "hero")
    assert (
        empty_required_slots(hero.structure, {}) == empty_required_slots(hero.structure, {"heading": ""}) == ["heading"]
    )
    assert empty_required_slots(hero.structure, {"heading": "Hi"}) == []


def test_words_are_found_at_any_depth() -> None:
    value: JsonValue = {"a": ["one", {"text": "two", "url": "/three"}], "b": 4, "c": None, "d": "five"}
    assert list(iterate_texts(value)) == ["one", "two", "five"]


def test_every_type_says_how_it_is_written() -> None:
    assert set(VALUE_FORMATS) == set(SlotType)


def test_templates_have_unique_keys_and_slots() -> None:
    assert len({template.key for template in BUILTIN_TEMPLATES}) == len(BUILTIN_TEMPLATES)
    for template in BUILTIN_TEMPLATES:
        names = [slot.key for slot in template.structure.slots]
        assert len(set(names)) == len(names)
