"""Verbs: the forms that sentences need, and the words of names."""

from __future__ import annotations

import pytest

from remit.schemas.verbs import find_verb, find_verb_of_name, guess_forms, split_name


@pytest.mark.parametrize(
    ("verb", "running", "done"),
    [
        ("delete", "deleting", "deleted"),
        ("add", "adding", "added"),
        ("copy", "copying", "copied"),
        ("display", "displaying", "displayed"),
        ("submit", "submitting", "submitted"),
        ("send", "sending", "sent"),
        ("write", "writing", "wrote"),
        ("let", "letting", "let"),
        ("see", None, None),
    ],
)
def test_a_verb_has_its_forms_and_an_unknown_one_has_none(verb: str, running: str | None, done: str | None) -> None:
    found = find_verb(verb.upper())
    assert (None, None) if found is None else (found.running, found.done) == (running, done)


def test_the_forms_of_an_unknown_verb_are_a_guess_by_the_rules() -> None:
    assert guess_forms("Agree") == ("agree", "agreeing", "agreed")
    assert guess_forms("send") == find_verb("send")


def test_a_word_that_may_be_a_noun_is_no_verb_of_a_name() -> None:
    assert find_verb_of_name("order") is None
    assert find_verb_of_name("delete") is not None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cms_deletePage", ["cms", "delete", "page"]),
        ("getURLOfPage2", ["get", "URL", "of", "page", "2"]),
        ("read-file", ["read", "file"]),
        ("löschen", ["löschen"]),
    ],
)
def test_a_name_is_split_into_words(name: str, words: list[str]) -> None:
    assert split_name(name) == words
