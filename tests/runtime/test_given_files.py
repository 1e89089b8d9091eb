"""Files that are given to a run, as references to what was stored before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remit import Agent, App, Runtime
from remit.artifacts import PromptWithFiles
from remit.errors import SetupError
from remit.testing import Scripted, superuser


async def test_one_artifact_in_place_of_a_list_is_refused() -> None:
    desk = Agent("desk", instructions="Work.", input=PromptWithFiles)
    runtime = Runtime(App(name="desk", agents=[desk]), model=Scripted([]))
    file: Any = await runtime.artifacts.add(b"content", by=superuser(), name="a.txt")
    with pytest.raises(SetupError, match=r"^agent desk: files is .*a.txt.*; give a list$"):
        await runtime.run("Send it.", by=superuser(), files=file)


@pytest.mark.parametrize("given", [["a.txt"], [Path("a.txt")], [b"content"]])
async def test_what_is_no_artifact_is_refused_with_how_to_make_one(given: Any) -> None:
    desk = Agent("desk", instructions="Work.", input=PromptWithFiles)
    runtime = Runtime(App(name="desk", agents=[desk]), model=Scripted([]))
    with pytest.raises(SetupError, match=r"^agent desk: .*files.*; give artifacts: await runtime.artifacts.add\("):
        await runtime.run("Send it.", by=superuser(), files=given)
    with pytest.raises(SetupError, match=r"the content of an artifact is .*; give bytes, or the pathlib.Path of a"):
        await runtime.artifacts.add(given, by=superuser())
