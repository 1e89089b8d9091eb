"""A history is immutable to whoever holds one, whatever grows from it, and its digest follows from its texts alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.chat.chat import History
from remit.errors import SetupError

texts = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=3), max_size=4)


def test_an_empty_history_has_no_texts() -> None:
    assert (list(History()), len(History()), repr(History())) == ([], 0, "History(0 messages)")


def test_a_history_goes_on() -> None:
    assert list(History(["a"]).with_messages("b", "c")) == ["a", "b", "c"]


def test_growing_leaves_the_older_history_as_it_was() -> None:
    older = History(["a"])
    digest = older.digest
    older.with_messages("b")
    assert (list(older), len(older), older.digest) == (["a"], 1, digest)


def test_two_that_grow_from_one_do_not_see_one_another() -> None:
    root = History(["a"])
    first, second = root.with_messages("b"), root.with_messages("c", "d")
    assert (list(first), list(second)) == (["a", "b"], ["a", "c", "d"])


def test_nothing_more_is_another_history_of_the_same_texts() -> None:
    root = History(["a"])
    same = root.with_messages()
    grown = same.with_messages("b")
    assert (list(root), list(same), list(grown)) == (["a"], ["a"], ["a", "b"])
    assert root.digest == same.digest != grown.digest


@pytest.mark.parametrize(("index", "found"), [(0, "a"), (1, "b"), (-1, "b"), (-2, "a")])
def test_a_text_is_found_by_its_index_from_either_end(index: int, found: str) -> None:
    history = History(["a", "b"])
    history.with_messages("c")
    assert history[index] == found


@pytest.mark.parametrize("index", [2, -3])
def test_an_index_beyond_the_history_is_refused_even_where_another_goes_on(index: int) -> None:
    history = History(["a", "b"])
    history.with_messages("c")
    with pytest.raises(IndexError):
        history[index]


def test_a_text_that_utf_8_cannot_hold_is_refused_and_harms_nobody() -> None:
    root = History(["a"])
    with pytest.raises(SetupError, match="give the JSON text of a message"):
        root.with_messages("b", "\ud800")
    assert list(root.with_messages("c")) == ["a", "c"]


@given(texts, texts)
def test_the_digest_is_of_the_texts_however_they_came_together(one: list[str], other: list[str]) -> None:
    assert History(one).with_messages(*other).digest == History([*one, *other]).digest


@given(texts, texts)
def test_where_one_text_ends_and_the_next_begins_is_in_the_digest(one: list[str], other: list[str]) -> None:
    joined = ["".join([*one, *other])]
    assert (History([*one, *other]).digest == History(joined).digest) == ([*one, *other] == joined)


@given(st.lists(st.tuples(st.integers(0, 9), texts), max_size=6))
def test_whatever_grows_from_whatever_every_history_keeps_its_texts(steps: list[tuple[int, list[str]]]) -> None:
    grown: list[tuple[History, list[str]]] = [(History(), [])]
    for index, more in steps:
        history, known = grown[index % len(grown)]
        grown.append((history.with_messages(*more), [*known, *more]))
    for history, known in grown:
        assert list(history) == known
        assert len(history) == len(known)
        assert history.digest == History(known).digest
