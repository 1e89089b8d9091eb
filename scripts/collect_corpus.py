"""Collect the tools of well-known MCP servers, and the operations of GitHub's OpenAPI document, into `figures/corpus`.

`python scripts/collect_corpus.py FOLDER` reads what `npm install` has put into FOLDER/node_modules, and pip into a
virtual environment in FOLDER. It starts the servers with placeholders for their credentials, and calls no tool.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
import tempfile
from collections.abc import Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final, cast

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "figures" / "corpus"
sys.path.insert(0, str(ROOT))
from remit.errors import RemitError  # noqa: E402 - a program finds its neighbours first
from remit.mcp.upstream.child import ChildTransport  # noqa: E402
from remit.mcp.upstream.origin import McpOrigin  # noqa: E402
from remit.secrets import Secret  # noqa: E402
from scripts.build_console import node_home  # noqa: E402

PLACEHOLDER: Final = "placeholder-0123456789"
SERVERS: Final[Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]]] = {
    "filesystem": ("@modelcontextprotocol/server-filesystem", (tempfile.gettempdir(),), ()),
    "everything": ("@modelcontextprotocol/server-everything", (), ()),
    "memory": ("@modelcontextprotocol/server-memory", (), ()),
    "sequential-thinking": ("@modelcontextprotocol/server-sequential-thinking", (), ()),
    "github": ("@modelcontextprotocol/server-github", (), ("GITHUB_PERSONAL_ACCESS_TOKEN",)),
    "gitlab": ("@modelcontextprotocol/server-gitlab", (), ("GITLAB_PERSONAL_ACCESS_TOKEN",)),
    "slack": ("@modelcontextprotocol/server-slack", (), ("SLACK_BOT_TOKEN", "SLACK_TEAM_ID")),
    "google-maps": ("@modelcontextprotocol/server-google-maps", (), ("GOOGLE_MAPS_API_KEY",)),
    "brave-search": ("@modelcontextprotocol/server-brave-search", (), ("BRAVE_API_KEY",)),
    "playwright": ("@playwright/mcp", (), ()),
    "notion": ("@notionhq/notion-mcp-server", (), ("NOTION_TOKEN",)),
    "context7": ("@upstash/context7-mcp", (), ()),
    "puppeteer": ("@modelcontextprotocol/server-puppeteer", (), ()),
    "firecrawl": ("firecrawl-mcp", (), ("FIRECRAWL_API_KEY",)),
    "mongodb": ("mongodb-mcp-server", (), ()),
    "supabase": ("@supabase/mcp-server-supabase", (), ("SUPABASE_ACCESS_TOKEN",)),
    "tavily": ("tavily-mcp", (), ("TAVILY_API_KEY",)),
    "git": ("mcp-server-git", (), ()),
    "time": ("mcp-server-time", (), ()),
    "chrome-devtools": ("chrome-devtools-mcp", (), ()),
}
"""The package of each server, its arguments, and the variables that it wants before it starts. Those of PyPI are in
FOLDER/bin."""

GITHUB: Final = "@octokit/openapi"
_LEFT_OUT: Final = frozenset({"callbacks", "examples", "example", "externalDocs", "responses", "x-github"})


def find_command(package: str, folder: Path) -> tuple[list[str], dict[str, Any]]:
    """The command of a server, and what its package says of itself."""
    described = folder / "node_modules" / package / "package.json"
    if not described.exists():
        (found,) = distributions(name=package, path=[str(each) for each in folder.glob("lib/python*/site-packages")])
        licence = next(
            iter(found.metadata.get_all("License-Expression") or found.metadata.get_all("License") or ()), ""
        )
        return [str(folder / "bin" / package)], {"version": found.version, "license": licence}
    said = json.loads(described.read_text(encoding="utf-8"))
    program = said["bin"] if isinstance(said["bin"], str) else next(iter(said["bin"].values()))
    return [str(node_home() / "bin/node"), str(described.parent / program)], said


async def collect(name: str, folder: Path) -> str:
    """Write the tools of one server. Returns what came of it."""
    package, arguments, variables = SERVERS[name]
    program, described = find_command(package, folder)
    command = [*program, *arguments]
    env: dict[str, str | Secret] = dict.fromkeys(variables, PLACEHOLDER)
    origin = McpOrigin(name, lambda: ChildTransport(name, command, env=env), None)
    await origin.open(lambda: None)
    try:
        async with asyncio.timeout(60):
            offers = (await origin.read()).offers
    except (RemitError, TimeoutError) as error:
        return f"{name}: {error!r:.200}"
    finally:
        await origin.close()
    tools = [{"name": each.name, "description": each.description, "inputSchema": each.input_schema} for each in offers]
    source = {"package": package, "version": described["version"], "licence": described.get("license", "")}
    text = json.dumps({**source, "tools": tools}, ensure_ascii=False, indent=1)
    (CORPUS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    return f"{name}: {len(tools)} tools of {package} {described['version']} ({source['licence']})"


def collect_github(modules: Path) -> str:
    """Write GitHub's document without what no request needs."""
    folder = modules / GITHUB
    described = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    document = json.loads((folder / "generated/api.github.com.json").read_text(encoding="utf-8"))
    kept = {key: document[key] for key in ("openapi", "info", "paths", "components")}
    kept["x-source"] = {"package": GITHUB, "version": described["version"], "licence": described["license"]}
    paths = _strip(kept["paths"])
    components: dict[str, Any] = {"schemas": {}, "parameters": _strip(kept["components"]["parameters"])}
    wanted, schemas = _references([paths, components["parameters"]]), kept["components"]["schemas"]
    while wanted:
        name = wanted.pop()
        if name in schemas and name not in components["schemas"]:
            components["schemas"][name] = _strip(schemas[name])
            wanted |= _references(components["schemas"][name])
    text = json.dumps({**kept, "paths": paths, "components": components}, separators=(",", ":"))
    (CORPUS / "github-openapi.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    return f"github-openapi: {GITHUB} {described['version']}"


def _strip(part: object) -> Any:
    """A part without what no request needs; a property may have any name."""
    if isinstance(part, list):
        return [_strip(each) for each in cast("list[object]", part)]
    if not isinstance(part, dict):
        return part
    kept = {key: _strip(each) for key, each in cast("dict[str, object]", part).items() if key not in _LEFT_OUT}
    properties = cast("dict[str, object]", part).get("properties")
    if isinstance(properties, dict):
        kept["properties"] = {key: _strip(each) for key, each in cast("dict[str, object]", properties).items()}
    return kept


def _references(part: object) -> set[str]:
    """The names of the schemas to which a part refers."""
    if isinstance(part, list):
        return set[str]().union(*map(_references, cast("list[object]", part)))
    if not isinstance(part, dict):
        return set()
    node = cast("dict[str, object]", part)
    found = set[str]().union(*map(_references, node.values()))
    reference = node.get("$ref")
    return found | {reference.rpartition("/")[2]} if isinstance(reference, str) else found


async def main(folder: Path) -> None:
    """Collect all of it."""
    CORPUS.mkdir(exist_ok=True)
    for name in SERVERS:
        print(await collect(name, folder), flush=True)
    print(collect_github(folder / "node_modules"))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).resolve()))
