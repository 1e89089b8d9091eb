"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import re

import pytest

from remit.core.patterns import lazy_pattern


def test_a_pattern_is_compiled_when_it_is_first_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_pattern = re.compile

    def count(pattern: str, flags: int) -> re.Pattern[str]:
        compiled.append(pattern)
        return compile_pattern(pattern, flags)

    monkeypatch.setattr(re, "compile", count)
    words = lazy_pattern("a+(b)", re.IGNORECASE)
    assert (words.pattern, compiled) == ("a+(b)", [])
    for _ in range(3):
        found = words.search("xAAB")
        assert found is not None
        assert found[1] == "B"
    assert compiled == ["a+(b)"]
    assert words.sub("-", "aab ab") == "- -"
    assert words.flags & re.IGNORECASE


def test_a_pattern_that_is_not_valid_is_told_when_it_is_used() -> None:
    with pytest.raises(re.error):
        lazy_pattern("(").search("x")
    with pytest.raises(AttributeError):
        _ = lazy_pattern("x").colour  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
