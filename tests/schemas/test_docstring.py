"""A docstring of Google style says what a function does and what each parameter means."""

from __future__ import annotations

import pytest

from remit.schemas.docstring import read_docstring

FULL = """Find pages.

    Searches titles first, then text.

    Args:
        query: What to look for.
        limit (int, optional): How many at most,
            counted after sorting.
        *names: Only these.
        empty:

    Returns:
        The pages.

    Raises:
        ValueError: query: is empty.
    """


def test_the_description_is_all_before_the_first_section() -> None:
    assert read_docstring(FULL)[0] == "Find pages.\n\nSearches titles first, then text."


def test_each_parameter_has_its_description_on_one_line() -> None:
    assert read_docstring(FULL)[1] == {
        "query": "What to look for.",
        "limit": "How many at most, counted after sorting.",
        "names": "Only these.",
        "empty": "",
    }


@pytest.mark.parametrize("title", ["Args", "Arguments", "Parameters"])
def test_parameters_stand_under_any_of_three_titles(title: str) -> None:
    assert read_docstring(f"Find.\n\n{title}:\n    query: What.") == ("Find.", {"query": "What."})


@pytest.mark.parametrize("docstring", [None, "", "   \n  "])
def test_no_docstring_says_nothing(docstring: str | None) -> None:
    assert read_docstring(docstring) == ("", {})


def test_a_docstring_without_parameters_is_all_description() -> None:
    assert read_docstring("Find pages.\n\nArgs are below: no.") == ("Find pages.\n\nArgs are below: no.", {})


def test_sections_before_the_parameters_are_no_description() -> None:
    assert read_docstring("Find.\n\nReturns:\n    All.\n\nArgs:\n    a: A.") == ("Find.", {"a": "A."})


def test_an_empty_section_describes_no_parameter() -> None:
    assert read_docstring("Find.\n\nArgs:\n\nReturns:\n    All.") == ("Find.", {})


def test_lines_before_the_first_parameter_belong_to_none() -> None:
    assert read_docstring("Find.\n\nArgs:\n    as usual\n    a: A.") == ("Find.", {"a": "A."})


def test_a_colon_in_a_description_begins_no_parameter() -> None:
    said = read_docstring("Find.\n\nArgs:\n    a: One of:\n        x: the first.\n        y: the second.")
    assert said[1] == {"a": "One of: x: the first. y: the second."}


@pytest.mark.parametrize("after", ["Only published pages are found.", "Side Effects:\n    None."])
def test_what_follows_the_parameters_takes_nothing_from_them(after: str) -> None:
    assert read_docstring(f"Find.\n\nArgs:\n    a: A.\n\n{after}")[1] == {"a": "A."}
