"""The eval tasks, with recorded answers: an edit of the prompt or of a tool that breaks one is noticed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from figures.tools import find_lost_task
from remit import App
from remit.evals.recording import RecordedModel, load_recording, recording_path
from remit.evals.run import run_task
from remit.evals.task import Task, load_tasks
from remit.home import data_location
from remit_cms.app import build
from remit_cms.storage.database import Database

FOLDER = Path(__file__).parents[1] / "evals"
TASKS = load_tasks([FOLDER])
EACH = pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])


@pytest.fixture(scope="module")
def load_app(tmp_path_factory: pytest.TempPathFactory, fresh: Path) -> Callable[[], App]:
    """The application, built once: its database is that of the home of whichever task loads it."""
    folder = tmp_path_factory.mktemp("evals")
    location = folder / "cms.db"
    made = build(folder, database=Database(location)).app

    def load() -> App:
        data = data_location(os.environ, made.name)
        assert isinstance(data, Path)
        shutil.copy(fresh, data)
        location.unlink(missing_ok=True)
        location.symlink_to(data)
        return made

    return load


def test_there_are_forty_tasks_and_each_has_answers() -> None:
    assert len(TASKS) >= 40
    assert {each.stem for each in (FOLDER / "recorded").iterdir()} == {task.name for task in TASKS}


@EACH
async def test_a_task_passes_with_its_recorded_answers(task: Task, load_app: Callable[[], App]) -> None:
    result = await run_task(task, load_app, RecordedModel(load_recording(recording_path(Path(task.file)))))
    assert result.failures == []


@pytest.mark.parametrize("task", TASKS[::4], ids=[task.name for task in TASKS[::4]])
async def test_no_task_is_lost_by_a_search_for_tools(task: Task, load_app: Callable[[], App]) -> None:
    assert await find_lost_task(task, load_app) == ""
