"""The eval tasks, with recorded answers: an edit of the prompt or of a tool that breaks one is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from figures.tools import find_lost_task
from remit.evals.recording import RecordedModel, load_recording, recording_path
from remit.evals.run import run_task
from remit.evals.task import Task, load_tasks
from remit_cms.app import app

FOLDER = Path(__file__).parents[1] / "evals"
TASKS = load_tasks([FOLDER])
EACH = pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])


def test_there_are_twenty_tasks_and_each_has_answers() -> None:
    assert len(TASKS) >= 20
    assert {each.stem for each in (FOLDER / "recorded").iterdir()} == {task.name for task in TASKS}


@EACH
async def test_a_task_passes_with_its_recorded_answers(task: Task) -> None:
    result = await run_task(task, app, RecordedModel(load_recording(recording_path(Path(task.file)))))
    assert result.failures == []


@pytest.mark.parametrize("task", TASKS[::4], ids=[task.name for task in TASKS[::4]])
async def test_no_task_is_lost_by_a_search_for_tools(task: Task) -> None:
    assert await find_lost_task(task) == ""
