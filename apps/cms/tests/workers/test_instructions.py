"""What the prompt and the worker files say of tools is so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import remit_cms
from remit.tools import Callee
from remit_cms.app import build

SOURCES = Path(remit_cms.__file__).parent
INSTRUCTIONS = sorted([*SOURCES.glob("prompts/*.md"), *SOURCES.glob("workers/*.worker")])
TOOL = re.compile(r"\b(?:cms|web|http)_\w+")
PARAMETER = re.compile(r"\b[a-z]+[A-Z]\w*")


@pytest.fixture(scope="module")
def callees(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Callee[..., object]]:
    app = build(tmp_path_factory.mktemp("cms")).app
    return {callee.name: callee for callee in (*app.agents[0].tools, *app.tools)}


@pytest.mark.parametrize("path", INSTRUCTIONS, ids=lambda path: path.name)
def test_instructions_name_only_tools_and_parameters_that_there_are(
    path: Path, callees: dict[str, Callee[..., object]]
) -> None:
    text = path.read_text(encoding="utf-8")
    named = {*TOOL.findall(text)}
    assert named <= callees.keys()
    schemas = json.dumps([callees[name].schema_in.json_schema for name in sorted(named)])
    assert [each for each in PARAMETER.findall(TOOL.sub("", text)) if f'"{each}"' not in schemas] == []
