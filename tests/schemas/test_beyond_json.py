"""What YAML has and JSON has not is found in a text, with its line."""

from __future__ import annotations

from remit.schemas.yaml_lines import find_non_json_features


def test_anchors_references_and_tags_are_found_with_their_lines() -> None:
    text = "a: &x 1\nb: *x\nc: !!python/tuple [1]\nd: !!str 4\ne: ! 5\nf: !own {}\n"
    assert [f"{each.where} {each.code}: {each.what}" for each in find_non_json_features(text, "a.yaml")] == [
        "a.yaml:1 alias: the anchor &x names a part",
        "a.yaml:2 alias: *x repeats another part",
        "a.yaml:3 tag: the tag !!python/tuple makes a value that JSON does not have",
        "a.yaml:6 tag: the tag !own makes a value that JSON does not have",
    ]


def test_in_plain_text_nothing_is_found() -> None:
    assert list(find_non_json_features("a: [1, x]\nb: {c: null}\n", "a.yaml")) == []
