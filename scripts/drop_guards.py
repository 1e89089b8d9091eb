"""Drop each guard of some modules in turn, and run the tests that reach it: a guard that no test misses is a survivor.

    .venv/bin/python scripts/drop_guards.py                         # approvals, sharing, reader, schedules, …
    .venv/bin/python scripts/drop_guards.py src/remit/approvals     # folders or files
    .venv/bin/python scripts/drop_guards.py --keep …                # with the map of tests from the last time

The tests run once to map each line to those that run it, which takes as long as they do; without those that start
processes, which would take hours. Then they are collected once, and a child is forked for each guard, in which the
functions run without it. A guard outside of functions has a process of its own, which compiles the module anew. The
source stays as it is. Guards whose loss makes no difference are listed in `scripts/equal_guards.txt`, each with the
reason.
"""

import ast
import importlib
import importlib.machinery
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest

from committed import ROOT
from exchange import exchange_functions
from guards import Guard, find_guards

GUARDED: Final = (
    "src/remit/approvals",
    "src/remit/dispatch",
    "src/remit/journal",
    "src/remit/engine",
    "src/remit/layers/approve.py",
    "src/remit/layers/authorize.py",
)
TESTS: Final = ("approvals", "dispatch", "journal", "engine", "layers", "agent", "runtime", "acceptance", "audit")
MAP: Final = ROOT / "build" / "guards.coverage"
EQUAL: Final = ROOT / "scripts" / "equal_guards.txt"
MAX_OTHERS: Final = 200
"""How many tests of other packages are tried against one guard."""

SECONDS: Final = 60
"""How long one of them may take: without the guard it does not end."""

_MARKS: Final = "not process and not slow and not model"
_CONFIG: Final = "[run]\nbranch = true\nsource = src/remit\nconcurrency = greenlet, thread\n"


@dataclass(frozen=True)
class _Dropped:
    """The guard with a number in a file, and the tests that can notice that it is gone."""

    path: Path
    number: int
    guard: Guard
    tests: list[str]

    @property
    def place(self) -> str:
        """The guard in one line, without its number: lines move."""
        return f"{self.path}: {' '.join(self.guard.text.split())}"


def main(names: list[str]) -> int:
    """Print each survivor; the status says whether there was one."""
    if "--keep" not in names or not MAP.exists():
        _map_tests()
    paths = [ROOT / name for name in names if name != "--keep"] or [ROOT / name for name in GUARDED]
    equal = {line.partition(" # ")[0].strip() for line in EQUAL.read_text().splitlines()}
    dropped = [each for each in _list_dropped(paths) if each.place not in equal]
    dropper = _Dropper(dropped)
    files = sorted({test.partition("::")[0] for each in dropped for test in each.tests})
    pytest.main(["-q", "-x", "-p", "no:xdist", "-m", _MARKS, *files], plugins=[dropper])
    print(f"{len(dropped)} guards dropped, {dropper.survivors} survived")
    return 1 if dropper.survivors else 0


class _Dropper:
    """Forks a child for each guard, once pytest has collected the tests."""

    def __init__(self, dropped: list[_Dropped]) -> None:
        self.survivors = 0
        self._tried = 0
        self._dropped = dropped
        self._children = dict[int, _Dropped]()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests of each guard without it, in as many children at once as there are processors."""
        items = {item.nodeid: item for item in session.items}
        for path in {each.path for each in self._dropped}:
            importlib.import_module(".".join(path.relative_to("src").with_suffix("").parts).removesuffix(".__init__"))
        for each in self._dropped:
            tests = [items[test] for test in each.tests if test in items]
            if not tests:
                self._report(each)
                continue
            while len(self._children) >= (os.cpu_count() or 1):
                self._await_child()
            if not (child := os.fork()):
                _end_child(session, each, tests)
            self._children[child] = each
        while self._children:
            self._await_child()
        return True

    def _await_child(self) -> None:
        child, status = os.wait()
        each = self._children.pop(child)
        if not status:
            self._report(each)
        self._tried += 1
        if not self._tried % 20:
            print(f"\n{self._tried} of {len(self._dropped)} guards tried, {self.survivors} survived", flush=True)

    def _report(self, each: _Dropped) -> None:
        self.survivors += 1
        print(f"\nsurvived: {each.place}  # line {each.guard.line}, {len(each.tests)} tests", flush=True)


def _end_child(session: pytest.Session, dropped: _Dropped, tests: list[pytest.Item]) -> NoReturn:
    """Run tests without a guard and end this process, with 0 if all of them pass."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    path = ROOT / dropped.path
    tree = ast.parse(path.read_text(encoding="utf-8"))
    find_guards(tree)[dropped.number].drop()
    if not exchange_functions(path, tree):
        command = [sys.executable, __file__, "--without", str(dropped.path), str(dropped.number), *dropped.tests]
        os.execv(sys.executable, command)  # noqa: S606 - this script again
    for test, following in zip_longest(tests, tests[1:]):
        signal.alarm(SECONDS)
        test.config.hook.pytest_runtest_protocol(item=test, nextitem=following)
        if session.testsfailed:
            os._exit(1)
    os._exit(0)


def _map_tests() -> None:
    config = MAP.with_suffix(".rc")
    config.parent.mkdir(exist_ok=True)
    config.write_text(_CONFIG)
    tests = [f"tests/{name}" for name in TESTS]
    run = [sys.executable, "-m", "pytest", "-q", "--no-header", "-m", _MARKS, "-n", "auto", "--dist", "loadfile"]
    measured = ["--cov", "--cov-report=", "--cov-context=test", f"--cov-config={config}"]
    environment = {**os.environ, "COVERAGE_FILE": str(MAP)}
    subprocess.run([*run, *measured, *tests], cwd=ROOT, env=environment, check=False)
    with sqlite3.connect(MAP) as db:
        db.execute("create index if not exists arcs_of_file on arc (file_id, fromno)")


def _list_dropped(paths: Iterable[Path]) -> Iterator[_Dropped]:
    with sqlite3.connect(MAP) as db:
        for path in (file for each in paths for file in ([each] if each.is_file() else sorted(each.rglob("*.py")))):
            if "migrations" in path.parts:
                continue
            for number, guard in enumerate(find_guards(ast.parse(path.read_text(encoding="utf-8")))):
                yield _Dropped(path.relative_to(ROOT), number, guard, _find_tests(db, path, guard))


def _find_tests(db: sqlite3.Connection, path: Path, guard: Guard) -> list[str]:
    """The tests that run a guard: only those that it refuses, if it raises itself. If none does, those of its module.

    A guard outside of functions runs when the module is imported, before any test.

    Those of the file that mirrors the module first, then all of its package, and then some others, one of each file in
    turn; and of each file those first that end at the guard.
    """
    rows = db.execute(
        "select context.context, min(arc.tono) from arc join context on context.id = arc.context_id "
        "join file on file.id = arc.file_id where file.path = ? and arc.fromno = ? and context.context != '' "
        "group by context.context order by 2, 1",
        (str(path), guard.raises or guard.line),
    ).fetchall()
    if not rows:
        rows = db.execute(
            "select distinct context.context, 0 from arc join context on context.id = arc.context_id "
            "join file on file.id = arc.file_id where file.path = ? and context.context != '' order by 1",
            (str(path),),
        ).fetchall()
    by_file = dict[str, list[str]]()
    for context, _ in rows:
        test = context.rpartition("|")[0]
        by_file.setdefault(test.partition("::")[0], []).append(test)
    tests = list[str]()
    for distance in (0, 1, 2):
        turns = zip_longest(*(by_file[file] for file in sorted(by_file) if _distance(file, path) == distance))
        found = [test for turn in turns for test in turn if test is not None]
        tests += found if distance < 2 else found[:MAX_OTHERS]
    return tests


def _distance(file: str, path: Path) -> int:
    """How far a file of tests is from a module: 0 for the one that mirrors it, 1 in the same package."""
    if Path(file).parent.name != path.parent.name:
        return 2
    return 0 if Path(file).stem == f"test_{path.stem}" else 1


def _run_without(path: Path, number: int, tests: list[str]) -> int:
    """Run tests in this process, in which the module at ``path`` lacks a guard."""
    loader: Any = importlib.machinery.SourceFileLoader
    get_code = loader.get_code

    def get_edited_code(self: Any, name: str) -> Any:
        if Path(self.path) != path:
            return get_code(self, name)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        find_guards(tree)[number].drop()
        return compile(tree, self.path, "exec", dont_inherit=True)

    loader.get_code = get_edited_code
    return int(pytest.main(["-x", "-q", *tests]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--without"]:
        os.chdir(ROOT)
        sys.path.insert(0, str(ROOT))
        sys.exit(_run_without(ROOT / sys.argv[2], int(sys.argv[3]), sys.argv[4:]))
    sys.exit(main(sys.argv[1:]))
