"""A prompt is text first: what is no template stays, and what cannot stay is refused with the way to keep it."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.agent.prompt import Prompt
from remit.workers import WorkerFileError, build_agent, read_worker
from tests.strangers.prompts import CUT, HIDDEN_BREAKS, KEPT, RENDERED, UNCUT


def render(folder: Path, body: str, description: str = "x") -> str:
    """The instructions of a worker file for the input ``go``."""
    file = folder / "helper.worker"
    file.write_text(f"---\ndescription: {description}\n---\n{body}", encoding="utf-8")
    return build_agent(read_worker(file)).render_instructions(Prompt(prompt="go"))


@pytest.mark.parametrize("body", KEPT)
def test_every_letter_of_a_prompt_is_kept(tmp_path: Path, body: str) -> None:
    assert render(tmp_path, body) == body.rstrip()


@pytest.mark.parametrize(("body", "rendered"), RENDERED)
def test_fields_and_tags_outside_of_code_are_a_template(tmp_path: Path, body: str, rendered: str) -> None:
    assert render(tmp_path, body) == rendered


@pytest.mark.parametrize("description", HIDDEN_BREAKS)
def test_a_line_break_that_no_editor_shows_is_refused(tmp_path: Path, description: str) -> None:
    with pytest.raises(WorkerFileError) as caught:
        render(tmp_path, "Work.", description)
    (found,) = caught.value.findings
    assert found.what.endswith("ends a line in YAML, but in no editor")
    assert found.where.endswith(f"helper.worker:{2 + description.count(chr(10))}")


def test_an_included_text_is_kept_alike(tmp_path: Path) -> None:
    (tmp_path / "part.md").write_text("`{% x %}` {#y} {{ prompt }}", encoding="utf-8")
    assert render(tmp_path, '{% include "part.md" %}') == "`{% x %}` {#y} go"


@pytest.mark.parametrize("description", CUT)
def test_a_description_that_a_comment_would_cut_is_refused(tmp_path: Path, description: str) -> None:
    with pytest.raises(WorkerFileError) as caught:
        render(tmp_path, "Work.", description)
    (found,) = caught.value.findings
    assert found.what == "an unquoted text is cut at ' #', which begins a comment"
    assert found.where.endswith(f"helper.worker:{2 + description.partition('#')[0].count(chr(10))}")


@pytest.mark.parametrize("description", UNCUT)
def test_a_description_that_no_comment_cuts_is_read(tmp_path: Path, description: str) -> None:
    assert render(tmp_path, "Work.", description) == "Work."
