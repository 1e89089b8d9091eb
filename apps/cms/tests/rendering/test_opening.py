"""A person opens a page: through the runtime, like every other call."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from remit import Principal, Runtime
from remit.runtime import RunResult
from remit.tools import Arguments
from remit_cms.app import build

OWNER = Principal("ada", "local-site", permissions=frozenset({"*"}))


async def call(runtime: Runtime, name: str, **values: Any) -> RunResult[Any]:
    return await runtime.call_by_name(name, Arguments(json.dumps(values), values), by=OWNER)


async def test_opening_a_page_writes_its_file_and_says_where(tmp_path: Path) -> None:
    cms = build(tmp_path)
    runtime = Runtime(cms.app)
    await call(runtime, "cms_createPage", title="About us")
    opened = await call(runtime, "cms_openPage", page="about-us")
    missing = await call(runtime, "cms_openPage", page="nowhere")
    await cms.database.close()
    path = Path(opened.value().path)
    assert path.is_relative_to(tmp_path)
    assert "About us" in await asyncio.to_thread(path.read_text)
    assert opened.value().url == path.as_uri()
    assert json.loads(missing.text)["errorCode"] == "NOT_FOUND"
