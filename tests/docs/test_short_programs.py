"""The programs of which a guide says how long they are."""

from __future__ import annotations

import pytest

from tests.docs.reading import ROOT, blocks


@pytest.mark.parametrize(
    ("guide", "longest"), [("build-an-agent-with-files", 40), ("build-a-web-application", 60)], ids=str
)
def test_the_program_of_a_guide_has_no_more_lines_than_it_says(guide: str, longest: int) -> None:
    program = blocks(ROOT / f"docs/guides/{guide}.md", "python")[0]
    assert len([line for line in program.splitlines() if line.strip()]) <= longest
