"""Makes the KEYED call of one guide in processes that are killed: ``keyed_child GUIDE``.

Each crash point has a folder below the working directory, which holds the journal and what the tool writes. One process
makes the call and is killed at the point; another resumes its run. Both are forks of this one, which has imported
everything. Prints the number of points. Fails if the effect did not happen exactly once.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

import alembic.command  # noqa: F401 # pyright: ignore[reportUnusedImport] - what the forks need is imported before
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from remit import App, Runtime, Stack
from remit.database import Database
from remit.journal.crashpoint import set_crash_hook
from remit.journal.sql.store import SqlStore
from remit.layers import CallLayer
from remit.testing import superuser

MAX_POINTS = 100
KEYED_TOOLS = {"place_order", "lending", "archive", "order_book", "library", "plan_price"}
TABLES = {Path("library.db"): "loans", Path("bakery.db"): "orders"}
GUIDES = Path(__file__).parents[2] / "docs" / "guides"


class FileDict(dict[str, Any]):
    """A dictionary in a file, in place of one in memory: what a killed process wrote is still there."""

    def __init__(self, path: Path) -> None:
        super().__init__(json.loads(path.read_text(encoding="utf-8")) if path.exists() else {})
        self._path = path

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        self._path.write_text(json.dumps(self), encoding="utf-8")


class LoanDict(FileDict):
    """The loans of the desk in the guide about operations, in a file."""

    loan: Any = None

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key not in self:
            self[key] = default.model_dump()
        return self[key]

    def __getitem__(self, key: str) -> Any:
        return self.loan(**super().__getitem__(key))

    def values(self) -> Any:
        return [self[key] for key in self]


def open_desk(desk: Any) -> None:
    """Open the desk over the loans in this folder."""
    desk.lent = LoanDict(Path("effects.json"))


def load_guide(name: str) -> dict[str, Any]:
    """The names that the code of a guide defines, up to its KEYED tool."""
    namespace: dict[str, Any] = {"__name__": name}
    source = (GUIDES / f"{name}.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", source, re.DOTALL):
        if not block.startswith(">>>") and not namespace.keys() & KEYED_TOOLS:
            exec(compile(block, name, "exec", dont_inherit=True), namespace)  # noqa: S102 - the project's own documents
    return namespace


async def prepare(guide: str, names: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """The KEYED tool of a guide over this folder, and the arguments of the call."""
    match guide:
        case "write-a-tool":
            return names["lending"](Database(Path("library.db"), names["SCHEMA"])), ("dune",), {}
        case "keep-an-applications-data":
            names["database"] = Database(Path("bakery.db"), names["SCHEMA"])
            return names["place_order"], ("rye",), {}
        case "schedule-calls":
            return names["plan_price"], ("cake", 990), {}
        case "write-a-pipeline":
            names["ARCHIVE"] = FileDict(Path("effects.json"))
            return names["archive"], ("inbox", ["Rent is due."]), {}
        case "add-an-operation":
            LoanDict.loan = names["Loan"]
            names["Loans"].__init__ = open_desk
            (lend,) = names["library"]().tools
            return lend, (names["LendBook"](title="dune"),), {}
        case _:
            names["ORDERS"] = FileDict(Path("effects.json"))
            return names["order_book"], (), {"title": "dune"}


async def count_effects() -> int:
    """How many effects this folder holds."""
    for file, table in TABLES.items():
        if file.is_file():
            engine = create_async_engine(f"sqlite+aiosqlite:///{file}")
            async with engine.connect() as connection:
                count = await connection.scalar(text(f"SELECT count(*) FROM {table}"))  # noqa: S608 - one of ours
            await engine.dispose()
            return count or 0
    return len(FileDict(Path("effects.json")))


async def count_scheduled() -> int:
    """How many runs the run of this folder has scheduled."""
    engine = create_async_engine("sqlite+aiosqlite:///journal.db")
    async with engine.connect() as connection:
        count = await connection.scalar(text("SELECT count(*) FROM remit_runs WHERE run <> 'run'"))
    await engine.dispose()
    return count or 0


async def main(guide: str, point: int) -> int:
    """Make the call, or resume its run, and die at the crash point with this number."""
    shutil.rmtree("inventory", ignore_errors=True)  # the guide writes it
    names = load_guide(guide)
    callee, arguments, keywords = await prepare(guide, names)
    schedules = guide == "schedule-calls"
    # The process that resumes lives when the lease of the killed one has ended; none lives so long that it renews.
    late = 3600.0 if point == 0 else 0.0
    store = SqlStore.at(Path("journal.db"), lambda: time.time() + late)
    reached = list[str]()

    def die(name: str) -> None:
        reached.append(name)
        if len(reached) == point:
            os.kill(os.getpid(), signal.SIGKILL)

    set_crash_hook(die)
    runtime = Runtime(
        App(name="guide", tools=(callee, names["set_price"]) if schedules else (callee,)),
        store=store,
        layers=Stack[CallLayer](),
        make_run_id=lambda: "run",
        directory=lambda name, tenant: superuser(name=name, tenant=tenant),
    )
    row = await store.find_run("run")
    result = await (runtime.resume("run") if row else runtime.call(callee, superuser(), *arguments, **keywords))
    assert result.status == "done", result.text
    await store.close()
    return await (count_scheduled() if schedules else count_effects())


def fork(folder: Path, guide: str, point: int) -> int:
    """Run `main` in a process of its own. Return its exit code, the number of effects, or the negative signal."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    code = 100
    try:
        folder.mkdir(exist_ok=True)
        os.chdir(folder)
        code = asyncio.run(main(guide, point))
    finally:
        os._exit(code)


def sweep(guide: str) -> int:
    """Kill a process at each crash point of a call until one process reaches the end; return the number of points."""
    for point in range(1, MAX_POINTS):
        folder = Path.cwd() / str(point)
        code = fork(folder, guide, point)
        if code != -signal.SIGKILL:
            assert code == 1, f"{code} effects without a kill"
            return point - 1
        code = fork(folder, guide, 0)
        assert code == 1, f"{code} effects after a kill at point {point}"
    raise AssertionError(f"more than {MAX_POINTS} crash points")


if __name__ == "__main__":
    print(sweep(sys.argv[1]))  # noqa: T201 - read by the test
