"""What was perhaps meant."""

from __future__ import annotations

from remit.contracts.near import near


def test_a_near_name_is_asked_after_and_else_it_is_said_what_there_is() -> None:
    assert near("writ", ["read", "write"]) == "did you mean write?"
    assert near("x", ["write", "read"]) == "there are: read, write"
    assert near("x", ["write"], "correct it") == "correct it"
    assert near("x", []) == "there are: none"
