"""Slugs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.errors import InvalidArgumentsError
from remit_cms.pages.slugs import RESERVED_SLUGS, resolve_address, resolve_slug, slug_from_title

LOCALES = ("en", "de-AT")


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("About us", "about-us"),
        ("Größe & Maß", "grosse-mass"),
        ("  Bread -- and Cake!  ", "bread-and-cake"),
        ("東京", "dong-jing"),
        ("word " * 30, "word-word-word-word-word-word-word-word-word-word-word-word-word"),
    ],
)
def test_a_title_gives_a_slug(title: str, slug: str) -> None:
    assert resolve_slug(None, title, LOCALES) == slug


@pytest.mark.parametrize("given", ["about", "/about", "about/", " About ", "a1", "2026", "x" * 64])
def test_a_good_slug_is_taken_as_it_is(given: str) -> None:
    assert resolve_slug(given, "Title", LOCALES) == given.strip(" /").lower()


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("About Us", "'about-us' would do"),
        ("über", "'uber' would do"),
        ("../../etc/passwd", "'etc-passwd' would do"),
        ("a", "Give a slug of your own"),
        ("", "Give a slug of your own"),
        ("x" * 65, "would do"),
        ("a\nb", "'a-b' would do"),
        ("about\uff55s", "'aboutus' would do"),
    ],
)
def test_a_slug_that_breaks_the_rule_is_refused_with_a_better_one(given: str, hint: str) -> None:
    with pytest.raises(InvalidArgumentsError, match="2 to 64") as caught:
        resolve_slug(given, "Title", LOCALES)
    assert hint in str(caught.value)


@pytest.mark.parametrize("given", [*sorted(RESERVED_SLUGS), "en", "de-at"])
def test_a_reserved_slug_is_refused_with_another(given: str) -> None:
    with pytest.raises(InvalidArgumentsError, match=f"'{given}' is reserved. '{given}-page' would do"):
        resolve_slug(given, "Title", LOCALES)


def test_a_title_without_letters_needs_a_slug() -> None:
    for title, above in (("!?", ""), ("S", ""), ("S", "events")):
        with pytest.raises(InvalidArgumentsError, match=f"^'{re.escape(title)}' makes no slug, .* Give one beside it"):
            resolve_address(None, title, above, LOCALES)


@given(st.text(max_size=200))
def test_whatever_the_title_the_slug_obeys_the_rule_or_is_too_short(title: str) -> None:
    assert re.fullmatch(r"[a-z0-9-]{0,64}", slug_from_title(title))


@pytest.mark.parametrize("given", ["team", "/team/", "About/Team", "about/team"])
def test_a_slug_below_an_address_may_be_written_with_it(given: str) -> None:
    assert resolve_address(given, "Title", "about", LOCALES) == "about/team"


def test_a_slug_below_an_address_may_not_be_too_long_and_one_of_a_title_is_cut() -> None:
    with pytest.raises(InvalidArgumentsError, match="would have 70 characters; 64 are the most"):
        resolve_address("x" * 64, "Title", "about", LOCALES)
    words = "-".join(["word"] * 11)
    assert resolve_address(None, "word " * 30, "about", LOCALES) == f"about/{words}"
    assert resolve_address(None, "Team", "", LOCALES) == "team"
