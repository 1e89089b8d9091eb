"""Install Remit beside other frameworks, each in an environment of its own, and write ``build/neighbours.json``.

``make neighbours`` takes the newest release of each framework, and then the newest set of all of them that an installer
finds without Remit. Remit must install beside exactly these releases. The smoke test runs in each environment, and a
program that calls a tool of Remit through the framework's own type of tool. What was seen is also written to
``neighbours/seen.json``, from which the documents are generated. Names of frameworks as arguments try only these, and
keep what was seen of the others.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
BUILD: Final = ROOT / "build" / "neighbours"
EXTRAS: Final = ("cli", "sql", "openai", "schema", "pydantic-ai")
NEIGHBOURS: Final = {
    "google_adk": ("Google ADK", "google-adk"),
    "langchain": ("LangChain", "langchain"),
    "openai_agents": ("OpenAI Agents", "openai-agents"),
    "agent_framework": ("Agent Framework", "agent-framework-core"),
    "fastmcp": ("FastMCP", "fastmcp"),
    "pydantic_ai": ("PydanticAI", "pydantic-ai-slim"),
}
"""Each program: the name of its framework, and its distribution."""

TOGETHER: Final = "together"
SEEN_FILE: Final = ROOT / "neighbours" / "seen.json"
SHARED: Final = ("pydantic", "opentelemetry-api", "openai")
"""Distributions whose versions are of interest in every environment."""


class NeighbourError(Exception):
    """An environment could not be made, or something did not work in it."""


@dataclass(frozen=True)
class Seen:
    """What was installed beside Remit on a day, and worked."""

    date: str
    neighbours: dict[str, str]
    shared: dict[str, str]


def main(names: list[str]) -> int:
    """Try each neighbour alone and all together, or those that are named."""
    wrong = [name for name in names if name not in (*NEIGHBOURS, TOGETHER)]
    if wrong:
        raise SystemExit(f"no such neighbour: {', '.join(wrong)}. Neighbours: {', '.join(NEIGHBOURS)}, {TOGETHER}")
    failed = 0
    for name in names or (*NEIGHBOURS, TOGETHER):
        try:
            seen = _try(name, list(NEIGHBOURS) if name == TOGETHER else [name])
        except NeighbourError as error:
            failed += 1
            print(f"{name}: {error}", file=sys.stderr)
        else:
            _write(name, seen)
            print(f"{name}: {seen.neighbours}")
    return 1 if failed else 0


def _write(name: str, seen: Seen) -> None:
    written: dict[str, object] = json.loads(SEEN_FILE.read_text(encoding="utf-8")) if SEEN_FILE.exists() else {}
    written[name] = asdict(seen)
    ordered = {each: written[each] for each in (*NEIGHBOURS, TOGETHER) if each in written}
    for path in (BUILD.with_suffix(".json"), SEEN_FILE):
        path.write_text(json.dumps(ordered, indent=2) + "\n", encoding="utf-8")


def _try(name: str, programs: list[str]) -> Seen:
    distributions = [NEIGHBOURS[program][1] for program in programs]
    folder = BUILD / name
    folder.mkdir(parents=True, exist_ok=True)
    asked = folder / "asked.in"
    asked.write_text("\n".join(distributions) + "\n", encoding="utf-8")
    alone = _resolve(folder / "alone.txt", str(asked))
    beside = _resolve(folder / "beside.txt", str(asked), "pyproject.toml", *_extras())
    moved = {each: (alone[each], beside[each]) for each in distributions if alone[each] != beside[each]}
    if moved:
        raise NeighbourError(f"not the releases that are taken without Remit: {moved}")
    python = str(folder / ".venv" / "bin" / "python")
    _run("uv", "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(folder / ".venv"))
    _run("uv", "pip", "sync", "--quiet", "--only-binary", ":all:", "--python", python, str(folder / "beside.txt"))
    _run("uv", "pip", "install", "--quiet", "--no-deps", "--python", python, "--editable", ".")
    _run(python, "-m", "neighbours.smoke")
    for program in programs:
        _run(python, "-m", f"neighbours.programs.{program}")
    today = datetime.now(UTC).date().isoformat()
    return Seen(today, {each: beside[each] for each in distributions}, {each: beside[each] for each in SHARED})


def _extras() -> list[str]:
    return [option for extra in EXTRAS for option in ("--extra", extra)]


def _resolve(output: Path, *sources: str) -> dict[str, str]:
    """The newest releases that fit together, by distribution."""
    options = ("--upgrade", "--only-binary", ":all:", "--no-header", "--no-annotate", "--python", sys.executable)
    _run("uv", "pip", "compile", "--quiet", *options, *sources, "--output-file", str(output))
    lines = [line.partition(" ")[0] for line in output.read_text(encoding="utf-8").splitlines() if "==" in line]
    return dict(line.split("==") for line in lines)


def _run(*command: str) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {**os.environ, "PATH": path, "UV_PYTHON_DOWNLOADS": "never", "UV_LINK_MODE": "copy"}
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        lines = (ended.stderr or ended.stdout).strip().splitlines()
        raise NeighbourError("\n".join([f"{' '.join(command[:5])} failed:", *lines[-12:]]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
