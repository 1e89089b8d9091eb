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


async def test_whatever_a_page_is_called_its_file_is_below_the_folder_of_its_site(tmp_path: Path) -> None:
    cms = build(tmp_path)
    runtime = Runtime(cms.app)
    folder = tmp_path / "sites" / "local-site" / "main"
    for title in ("../../etc/passwd", "..", "/", "a/b", "%2e%2e%2f", "C:\\x", "~root", "über uns", "." * 50):
        made = json.loads((await call(runtime, "cms_createPage", title=title)).text)
        if not made["success"]:
            assert "makes no slug" in made["error"]
            continue
        opened = json.loads((await call(runtime, "cms_openPage", page=made["page"]["id"])).text)
        assert opened["success"], opened
        assert Path(opened["path"]).is_relative_to(folder)
        assert ".." not in Path(opened["path"]).parts
        german = json.loads((await call(runtime, "cms_openPage", page=made["page"]["id"], localeCode="de")).text)
        assert Path(german["path"]).is_relative_to(folder / "de")
    for name in ("../../etc/passwd", "..", "/", "%2e%2e", "a" * 66):
        found = json.loads((await call(runtime, "cms_openPage", page=name)).text)
        assert found.get("errorCode") == "NOT_FOUND" or Path(found["path"]).is_relative_to(folder), found
    refused = json.loads((await call(runtime, "cms_openPage", page="uber-uns", localeCode="../..")).text)
    assert refused["errorCode"] == "VALIDATION_ERROR"
    await cms.database.close()


async def test_a_page_without_sections_and_a_page_by_its_title_can_be_opened(tmp_path: Path) -> None:
    cms = build(tmp_path)
    runtime = Runtime(cms.app)
    title = "A very long title that says everything there is to say about our small bakery in one line"
    await call(runtime, "cms_createPage", title=title)
    opened = json.loads((await call(runtime, "cms_openPage", page=title)).text)
    assert opened["success"], opened
    assert title in await asyncio.to_thread(Path(opened["path"]).read_text)
    await cms.database.close()
