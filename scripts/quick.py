"""The checks of an inner loop: style, types and tests of one package, or of what changed since the last commit.

Tests run without coverage, and without those marked `process`. pyright runs beside them: each needs about one core.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from committed import ROOT

MARKERS: Final = "not model and not process"
SURFACE_TESTS: Final = (Path("tests/test_public_names.py"), Path("tests/docs/test_generated.py"))
"""The tests of what packages of `remit` export and what documents are generated from them."""

NO_TESTS: Final = 5
"""The exit code of pytest where every test was deselected."""


@dataclass(frozen=True)
class Scope:
    """What to check, as paths relative to the root.

    ``unmapped`` are changed files that concern every package: only the whole suite judges them.
    """

    sources: frozenset[Path] = frozenset()
    tests: frozenset[Path] = frozenset()
    unmapped: frozenset[Path] = frozenset()

    def __or__(self, other: "Scope") -> "Scope":
        return Scope(self.sources | other.sources, self.tests | other.tests, self.unmapped | other.unmapped)

    @property
    def paths(self) -> list[str]:
        """Sources and tests, less what stands inside of another of them."""
        paths = self.sources | self.tests
        return sorted(str(path) for path in paths if not paths.intersection(path.parents))

    @property
    def python_paths(self) -> list[str]:
        """The paths that hold Python."""
        return [path for path in self.paths if not path.endswith(".md")]


def package_scope(root: Path, name: str) -> Scope:
    """The sources and tests of a package of `remit`, an application, a distribution, or a folder of programs.

    Raises:
        LookupError: naming every package, if there is none of that name.
    """
    packages = [Path("src/remit", name), Path("src/remit", f"{name}.py")]
    sources = [*packages, Path(name)]
    tests = [Path("tests", name), *_relative(root, (root / "tests").glob(f"test_{name}*.py"))]
    if _existing(root, packages):
        tests += SURFACE_TESTS
    for folder in ("apps", "packages"):
        sources.append(Path(folder, name, "src"))
        tests.append(Path(folder, name, "tests"))
    scope = Scope(_existing(root, sources), _existing(root, tests))
    if not scope.sources or name.startswith("_"):
        raise LookupError(f"{name} is no package; there are {', '.join(package_names(root))}")
    return scope


def package_names(root: Path) -> list[str]:
    """Every name that stands for a package."""
    modules = [path.stem for path in (root / "src/remit").iterdir() if path.is_dir() or path.suffix == ".py"]
    others = [path.name for folder in ("apps", "packages") for path in (root / folder).glob("*") if path.is_dir()]
    programs = [name for name in ("bench", "compare", "docs", "figures", "scripts") if (root / name).is_dir()]
    return sorted(name for name in {*modules, *others, *programs} if not name.startswith("_"))


def changed_scope(root: Path, files: Iterable[Path]) -> Scope:
    """What to check after a change of ``files``: a test by itself, everything else with its package."""
    scope = Scope()
    for file in files:
        scope |= _file_scope(root, file)
    return scope


def _file_scope(root: Path, file: Path) -> Scope:
    exists = (root / file).is_file()
    if file.suffix == ".md":
        collected = exists and (file.parts[0] == "docs" or file == Path("README.md"))
        return Scope(frozenset({file})) if collected else Scope()
    if file.name.startswith("test_") and exists:
        return Scope(tests=frozenset({file}))
    match file.parts:
        case ("src", "remit", name) | ("src", "remit", name, *_) | ("tests", name, _, *_):
            return _scope_or_unmapped(root, name.removesuffix(".py"), file)
        case ("apps" | "packages" as folder, name, *_):
            return _application_scope(root, Path(folder, name), file)
        case ("bench" | "compare" | "figures" | "scripts" as name, *_):
            return _scope_or_unmapped(root, name, file)
        case _:
            return Scope(unmapped=frozenset({file}))


def _scope_or_unmapped(root: Path, name: str, file: Path) -> Scope:
    try:
        return package_scope(root, name)
    except LookupError:
        return Scope(unmapped=frozenset({file}))


def _application_scope(root: Path, application: Path, file: Path) -> Scope:
    """The part of an application's tests that mirrors the changed part of it, if there is one."""
    inner = file.relative_to(application).parts
    start = 1 if inner[0] == "tests" else 2
    part = inner[start] if len(inner) > start + 1 else ""
    tests = _existing(root, [application / "tests" / part]) if part else frozenset[Path]()
    return Scope(_existing(root, [application / "src"]), tests or _existing(root, [application / "tests"]))


def _existing(root: Path, paths: Iterable[Path]) -> frozenset[Path]:
    return frozenset(path for path in paths if (root / path).exists())


def _relative(root: Path, paths: Iterable[Path]) -> list[Path]:
    return [path.relative_to(root) for path in paths]


def changed_files() -> list[Path]:
    """The files that differ from the last commit, new and deleted ones included."""
    git = ["git", "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"]
    listing = subprocess.run(git, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [Path(entry[3:]) for entry in listing.split("\0") if entry]


def check(scope: Scope) -> int:
    """Run ruff, pyright and pytest over ``scope``; 1 if any of them fails."""
    python = scope.python_paths
    failed = [_run("ruff", "format", "--check", *python), _run("ruff", "check", *python)] if python else []
    types = _start("pyright", *python) if python else None
    # Two workers start slower than one, and pyright takes a core while it runs.
    options = ["-q", "-m", MARKERS, "-n", "2", "--dist", "loadfile"]
    os.environ.setdefault("REMIT_TEST_PROPERTIES", "exploring")  # read by conftest.py
    tests = _run("pytest", *options, *scope.paths)
    failed.append(0 if tests == NO_TESTS else tests)
    if types is not None:
        print(types.communicate()[0], end="")
        failed.append(types.returncode)
    return int(any(failed))


def _run(module: str, *arguments: str) -> int:
    return subprocess.run(_command(module, arguments), cwd=ROOT, check=False).returncode


def _start(module: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(_command(module, arguments), cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _command(module: str, arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", module, *arguments]


def main() -> int:
    """Check the package that is named, or what changed; say what was checked and how long it took."""
    begin = time.monotonic()
    try:
        scope = package_scope(ROOT, sys.argv[1]) if len(sys.argv) > 1 else changed_scope(ROOT, changed_files())
    except LookupError as error:
        print(f"quick: {error.args[0]}", file=sys.stderr)
        return 2
    for file in sorted(scope.unmapped):
        print(f"quick: {file} concerns every package: run `make check` and `make test`")
    if not scope.paths:
        print("quick: no package changed since the last commit; name one: make quick ROOM=layers")
        return 0
    print(f"quick: {' '.join(scope.paths)}", flush=True)
    failed = check(scope)
    print(f"quick: {'failed' if failed else 'passed'} in {time.monotonic() - begin:.0f} s")
    return failed


if __name__ == "__main__":
    sys.exit(main())
