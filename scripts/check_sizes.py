"""Small code stays small: a file has at most 400 lines, a function at most 60.

The limits are where a reader gives up, not what to aim at (150 and 25). There is no list of exceptions.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from committed import ROOT, list_project_files

MAX_FILE = 400
MAX_FUNCTION = 60


def main() -> int:
    """Name everything that is too long; the largest file and function are printed either way."""
    files: list[tuple[int, str]] = []
    functions: list[tuple[int, str]] = []
    for path in list_project_files("*.py"):
        source = (ROOT / path).read_text(encoding="utf-8")
        files.append((len(source.splitlines()), str(path)))
        functions += function_sizes(path, source)
    if not functions:
        print("check_sizes: found no function to measure", file=sys.stderr)
        return 1
    too_long = [(size, place, MAX_FILE) for size, place in files if size > MAX_FILE]
    too_long += [(size, place, MAX_FUNCTION) for size, place in functions if size > MAX_FUNCTION]
    for size, place, limit in too_long:
        print(f"{place} has {size} lines; the limit is {limit}: split it", file=sys.stderr)
    (file_size, file), (function_size, function) = max(files), max(functions)
    print(f"sizes: largest of {len(files)} files {file_size} ({file}),", end=" ")
    print(f"of {len(functions)} functions {function_size} ({function})")
    return 1 if too_long else 0


def function_sizes(path: Path, source: str) -> Iterator[tuple[int, str]]:
    """The lines of each function, its docstring included and its decorators not, and where it stands."""
    for node in ast.walk(ast.parse(source, str(path))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (node.end_lineno or node.lineno) - node.lineno + 1, f"{path}:{node.lineno} {node.name}"


if __name__ == "__main__":
    sys.exit(main())
