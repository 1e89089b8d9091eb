"""Entries say what the calls of their tools do, and by which tool a call is undone."""

from __future__ import annotations

import pytest

from figures.notebook import NOTES, Notebook
from remit.schemas.finding import InventoryError
from tests.inventory.drifting import agree, look

TOOL = "create_note: {tags: [note, create]}"


def test_an_undo_by_a_tool_that_the_application_does_not_offer_is_found(notebook: Notebook) -> None:
    undo = "undo: {tool: raed_note, arguments: {number: '{number}'}}"
    agree(notebook.write(NOTES.replace(TOOL, f"create_note: {{{undo}}}")))
    (found,) = look(notebook, notebook.operations())
    assert (found.code, found.fix) == ("no-undo", "did you mean read_note?")
    assert found.what == "create_note is undone by raed_note, which the application does not offer"


@pytest.mark.parametrize("says", ["Write the note {title}", "{asked: 'Write the note {title}', done: 'Wrote {title}'}"])
def test_an_entry_says_what_the_calls_of_its_tool_do(notebook: Notebook, says: str) -> None:
    agree(notebook.write(NOTES.replace(TOOL, f"create_note:\n        says: {says}")))
    sentences = notebook.operations().find_tool("create_note").facts.says
    assert sentences is not None
    assert sentences.form("running") == "Writing the note {title}"
    assert look(notebook, notebook.operations()) == []


def test_an_entry_whose_sentence_names_nothing_is_found_in_its_line(notebook: Notebook) -> None:
    notebook.write(NOTES.replace(TOOL, "create_note:\n        says: Write the note {titel}"))
    with pytest.raises(InventoryError, match=r"\{titel\} is neither an argument nor a field of the result"):
        notebook.operations()
