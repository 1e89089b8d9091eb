"""YAML with the lines of its parts, and only what JSON has."""

from __future__ import annotations

import sys

import pytest

from remit.errors import SetupError
from remit.schemas.finding import InventoryError
from remit.schemas.yaml_lines import read_yaml


def test_each_part_has_the_line_on_which_it_stands() -> None:
    document = read_yaml("a: 1\nb:\n  - x\n  - {c: true}\n", "f.yaml")
    assert document.value == {"a": 1, "b": ["x", {"c": True}]}
    assert document.locate(("b", 1, "c")) == "f.yaml:4"
    assert document.locate(("b", 0, "none")) == "f.yaml:3"
    assert document.locate(("nowhere",)) == "f.yaml:1"


def test_a_tag_says_what_a_scalar_is() -> None:
    assert read_yaml("a: !!str 5\nb: 5\n", "f.yaml").value == {"a": "5", "b": 5}


def test_a_text_of_several_words_is_not_cut_by_a_comment() -> None:
    text = 'a: one # two\nb: in C # code\nc: "in C # code" # why\nd:\n  - ä 😀 b  # c\ne: "x" # y\n'
    document = read_yaml(text, "f.yaml")
    assert [(each.code, each.where) for each in document.findings] == [("comment", "f.yaml:2"), ("comment", "f.yaml:5")]
    assert document.is_rejected(("b",)) is False
    assert document.value["c"] == "in C # code"


def test_a_comment_behind_or_in_prose_cuts_it_even_if_it_is_one_word() -> None:
    text = (
        "description: C # expert\nname: c # short\nparts:\n  about: one\n  # on the next key\n  prompt: two\n\n"
        "    # in it\n  run_instructions: three\n# on what follows\nlist:\n  - a b\n  # between\n  - c # one\n"
    )
    found = read_yaml(text, "f.yaml").findings
    assert [(each.code, each.where) for each in found] == [("comment", "f.yaml:1"), ("comment", "f.yaml:8")]


@pytest.mark.parametrize("sign", ["\x85", "\u2028", "\u2029"])
def test_a_line_break_that_no_editor_shows_is_refused(sign: str) -> None:
    with pytest.raises(InventoryError) as caught:
        read_yaml(f"a: 1\nb: two{sign}# three\n", "f.yaml")
    (found,) = caught.value.findings
    assert (found.code, found.where) == ("yaml", "f.yaml:2")
    assert found.what == f"U+{ord(sign):04X} ends a line in YAML, but in no editor"
    assert found.fix.startswith(f'remove it, or write it as "\\u{ord(sign):04x}"')
    assert read_yaml(f'a: "\\u{ord(sign):04x}"', "f.yaml").value == {"a": sign}


def test_anchors_references_and_tags_are_found_with_their_lines() -> None:
    text = "a: &x 1\nb: *x\nc: !!python/tuple [1]\nd: !!str 4\ne: ! 5\nf: !own {}\n? !own g\n: 1\n"
    document = read_yaml(text, "a.yaml")
    assert [f"{each.where} {each.code}: {each.what}" for each in document.findings] == [
        "a.yaml:1 alias: the anchor &x names a part",
        "a.yaml:2 alias: *x repeats another part",
        "a.yaml:3 tag: the tag !!python/tuple makes a value that JSON does not have",
        "a.yaml:5 tag: the tag ! makes a value that JSON does not have",
        "a.yaml:6 tag: the tag !own makes a value that JSON does not have",
        "a.yaml:7 tag: the tag !own makes a value that JSON does not have",
    ]
    assert document.value == {"a": 1, "b": None, "c": [1], "d": "4", "e": "5", "f": {}}
    assert [document.is_rejected((name,)) for name in "abcdef"] == [False, True, True, False, True, True]
    assert read_yaml("a: b\t# a tab before a comment\n", "f.yaml").findings == []


def test_an_empty_text_says_nothing() -> None:
    assert read_yaml("# nothing\n", "f.yaml").value == {}


def test_null_and_numbers_are_those_of_json() -> None:
    assert read_yaml("a: null\nb: 1.5\nc:\n", "f.yaml").value == {"a": None, "b": 1.5, "c": None}


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ("a: [1\nb: 2", "f.yaml:2", "not YAML: "),
        ("a: @b", "f.yaml:1", "not YAML: found character that cannot start any token"),
        ("- a\n", "f.yaml:1", "no mapping"),
        ("a: 1\n---\nb: 2\n", "f.yaml:2", "not YAML: but found another document"),
    ],
)
def test_what_is_no_document_is_refused_with_its_line(text: str, where: str, said: str) -> None:
    with pytest.raises(InventoryError) as raised:
        read_yaml(text, "f.yaml")
    assert raised.value.findings[0].where == where
    assert said in raised.value.findings[0].what


@pytest.mark.parametrize(
    ("text", "code", "where", "said"),
    [
        ("a: 1\nb: 2\na: 3\n", "duplicate", "f.yaml:3", "the key 'a' occurs twice, first on line 1"),
        ("a: no\n", "scalar", "f.yaml:1", "'no' is not text, a number, true or false"),
        ("a: 2026-01-01\n", "scalar", "f.yaml:1", "'2026-01-01' is not text"),
        ("a: 1:30\n", "scalar", "f.yaml:1", "'1:30' is not text"),
        ("a: 1\nb: *x\n", "alias", "f.yaml:2", "*x repeats another part"),
        ("a: 1\n*x : 1\n", "alias", "f.yaml:2", "*x repeats another part"),
        ("a: &x {b: 1}\n", "alias", "f.yaml:1", "the anchor &x names a part"),
        ("a: {<<: {b: 1}}\n", "key", "f.yaml:1", "the key '<<' merges another part"),
        ("? [a]\n: 1\n", "key", "f.yaml:1", "a key that is not text"),
    ],
)
def test_what_readers_may_take_differently_is_found(text: str, code: str, where: str, said: str) -> None:
    (found,) = read_yaml(text, "f.yaml").findings
    assert (found.code, found.where) == (code, where)
    assert said in found.what


@pytest.mark.parametrize(
    "text", ["a: 0\na: {b: [1, {c: 2}], d: &x 3}\ne: 3\n", "? {b: [1], d: &x 3}\n: [2, {c: 1}]\na: 0\ne: 3\n"]
)
def test_what_stands_where_it_cannot_is_left_out_whole(text: str) -> None:
    document = read_yaml(text, "f.yaml")
    assert document.value == {"a": 0, "e": 3}
    assert len(document.findings) == 1


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(SetupError, match=r"pip install '\.\[inventory\]'"):
        read_yaml("a: 1", "f.yaml")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        *((said, f"the number {said} would be another one") for said in ("1.0e+400", "-1.0e+400", "1e999")),
        *((said, "is not text, a number, true or false") for said in ("!!float NaN", "!!int Infinity", "0o17")),
        *((said, "is not text, a number, true or false") for said in ('!!int "[1]"', "!!bool null")),
    ],
)
def test_a_number_that_json_has_not_is_found(said: str, why: str) -> None:
    (found,) = read_yaml(f"a: 1\nb: {said}\n", "f.yaml").findings
    assert (found.code, found.where) == ("scalar", "f.yaml:2")
    assert why in found.what


@pytest.mark.parametrize("flat", [True, False], ids=["words", "lists"])
def test_what_is_too_deep_to_be_meant_is_refused_with_its_line(flat: bool) -> None:
    nested = "{a: " * 2000 + "1" + "}" * 2000 if flat else "[" * 2000 + "]" * 2000
    with pytest.raises(InventoryError) as raised:
        read_yaml(f"a: 1\nb: {nested}\n", "f.yaml")
    assert [str(each) for each in raised.value.findings] == [
        "f.yaml:2: nested more than 100 levels deep; nest less deeply"
    ]


def test_a_depth_that_would_crash_a_recursive_parser_is_refused() -> None:
    with pytest.raises(InventoryError, match="more than 100 levels deep"):
        read_yaml(f"a:\n {'- ' * 50_000}\n", "f.yaml")


def test_a_number_of_json_is_that_number() -> None:
    document = read_yaml('{"a": 1e3, "b": [-2.5E-1, "1e3"]}', "f.yaml")
    assert (document.value, document.findings) == ({"a": 1000.0, "b": [-0.25, "1e3"]}, [])


@pytest.mark.parametrize("sign", ["\x00", "\x07", "\x1b", "\x7f", "\x9f", "\ud800", "\uffff"])
def test_a_character_that_cannot_be_seen_is_refused_on_its_line(sign: str) -> None:
    with pytest.raises(InventoryError) as raised:
        read_yaml(f"a: 1\nb: 2{sign}\n", "f.yaml")
    fix = f'remove it, or write it as "\\u{ord(sign):04x}" in a text in double quotes'
    (found,) = raised.value.findings
    assert str(found) == f"f.yaml:2: U+{ord(sign):04X} is invisible, and YAML does not allow it; {fix}"


def test_what_is_left_out_may_be_as_deep_as_it_likes() -> None:
    document = read_yaml(f"a: 1\na: {'[' * 2000}{']' * 2000}\nb: 2\n", "f.yaml")
    assert (document.value, [each.code for each in document.findings]) == ({"a": 1, "b": 2}, ["duplicate"])
