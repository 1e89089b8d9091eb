"""An application of 1,000 generated methods: reading its inventory, and all that `remit check` does beyond imports."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Final

from figures.figure import Figure, at_most
from remit import preset
from remit.app import Env
from remit.inventory import (
    Operations,
    PolicyTable,
    Vocabulary,
    audit_events_section,
    build_lock,
    business_rules_section,
    lock_path,
    read_inventory,
    run_checklist,
)

METHODS: Final = 1_000
METHODS_PER_FILE: Final = 50
REPEATS: Final = 3

_HEAD = """
from pydantic import BaseModel, Field

from remit.inventory import Request, Response
"""
_MODELS = """
class Do{n}Payload(BaseModel):
    title: str = Field(min_length=1, max_length=200, description="What it is called.")
    description: str | None = None
    tags: list[str] = Field(default_factory=list)
    limit: int = Field(default=50, ge=1, le=100)
class Thing{n}Payload(BaseModel):
    thing_id: str
    title: str
    tags: list[str]
class Do{n}Request(Request[Do{n}Payload], operation="do_{n}"): pass
class Do{n}Response(Response[Thing{n}Payload]): pass
"""
_METHOD = """
    async def do_{n}(self, request: Do{n}Request) -> Do{n}Response:
        "Do number {n}."
        raise NotImplementedError
"""
_ENTRY = """
  do_{n}:
    classification: {{capability: update, complexity: atomic, maturity: stable, integration_tier: internal}}
    models: {{request: Do{n}Request, response: Do{n}Response}}
    effect: keyed
    risk: moderate
    business_rules:
      template: authenticated_access
      required_permissions: [things:write]
    audit_events: standard
    tools:
      do_{n}: {{tags: [thing, write]}}
"""
_VOCABULARY = Vocabulary(
    domains={"bench": {f"part{n}" for n in range(METHODS // METHODS_PER_FILE)}}, permissions={"things:write"}
)
_TABLE = PolicyTable(business_rules_section(version="1.0"), audit_events_section())


async def inventory() -> AsyncIterator[Figure]:
    """Milliseconds to read a method's entry, and seconds to check 1,000 methods."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write_application(folder)
        module = _import_module(folder / "things.py")
        read = min(_cpu_seconds(lambda: read_inventory(folder, _TABLE, _VOCABULARY)) for _ in range(REPEATS))
        how = (
            f"CPU time to read {METHODS:,} methods with a tool each from "
            f"{METHODS // METHODS_PER_FILE} files, least of {REPEATS}"
        )
        yield at_most("inventory.load_ms_per_method", read * 1e3 / METHODS, "ms", 1, METHODS, how)
        operations = Operations(read_inventory(folder, _TABLE, _VOCABULARY), [module.Things()])
        lock_path(operations).write_text(build_lock(operations).to_text(), encoding="utf-8")
        whole = min(_cpu_seconds(lambda: _check_inventory(folder, module)) for _ in range(REPEATS))
        how = f"CPU time to read, derive, and compare {METHODS:,} methods and tools with their lock, least of {REPEATS}"
        yield at_most("check.1000_methods_s", whole, "s", 2, METHODS, how)


def _check_inventory(folder: Path, module: ModuleType) -> None:
    operations = Operations(read_inventory(folder, _TABLE, _VOCABULARY), [module.Things()])
    found = [each for point in run_checklist(operations, operations.callees, preset(Env())) for each in point.findings]
    if found:
        raise AssertionError(found[0])


def _write_application(folder: Path) -> None:
    numbers = range(METHODS)
    code = [_HEAD, *(_MODELS.format(n=n) for n in numbers), "class Things:", *(_METHOD.format(n=n) for n in numbers)]
    (folder / "things.py").write_text("\n".join(code), encoding="utf-8")
    for part in range(METHODS // METHODS_PER_FILE):
        entries = "".join(_ENTRY.format(n=n) for n in range(part * METHODS_PER_FILE, (part + 1) * METHODS_PER_FILE))
        text = f"domain: bench\nsubdomain: part{part}\nmethods:{entries}"
        (folder / f"part{part}.yaml").write_text(text, encoding="utf-8")


def _import_module(file: Path) -> ModuleType:
    """The module, its models built, as one that was imported and used."""
    spec = importlib.util.spec_from_file_location("remit_bench_things", file)
    assert spec is not None and spec.loader is not None  # noqa: S101, PT018 - the file was written just above
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _cpu_seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
