"""The first screen of the README."""

from __future__ import annotations

from tests.docs.reading import ROOT

LINES = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()


def test_a_whole_governed_call_with_its_pause_and_its_replay_stands_in_the_first_thirty_lines() -> None:
    first = "\n".join(LINES[:30])
    for step in ("@tool(", "runtime.run(", "'waiting'", "runtime.decide(", "runtime.resume(", "runtime.replay("):
        assert step in first
    assert LINES[29] == "('The bakery is paid.', True)"
