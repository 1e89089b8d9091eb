"""What kind of thing an operation is, and how long it will be there."""

from __future__ import annotations

import pytest

from remit.call.classification import Capability, Classification, Deprecation
from remit.errors import ContractError


def test_it_says_its_six_words_as_an_inventory_does() -> None:
    kind = Classification(domain="office", subdomain="notes", capability=Capability.READ)
    assert kind.axis_values() == ("office", "notes", "read", "atomic", "stable", "internal")


@pytest.mark.parametrize("word", ["", "Office", "google drive", "2d"])
def test_a_domain_is_a_small_word(word: str) -> None:
    with pytest.raises(ContractError, match="is not a valid domain"):
        Classification(domain=word, subdomain="notes", capability=Capability.READ)


@pytest.mark.parametrize(
    ("version", "gone"), [("1.9", False), ("1.10", True), ("1.10.0", True), ("2", True), ("1.9.9.9", False)]
)
def test_it_is_gone_from_the_version_of_its_removal_on(version: str, gone: bool) -> None:
    assert Deprecation(since="1.0", removal="1.10").is_removed_in(version) is gone


def test_without_a_removal_it_is_never_gone() -> None:
    assert not Deprecation(since="1.0").is_removed_in("99.0")


def test_a_version_has_numbers_with_points_between_them() -> None:
    with pytest.raises(ContractError, match="'soon' is not a version"):
        Deprecation(since="1.0", removal="soon")
