"""Splits a `.worker` file into its YAML front matter, between two ``---`` lines, and the prompt below."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from remit.errors import SetupError
from remit.schemas.finding import Finding, InventoryError, display_path
from remit.schemas.yaml_lines import YamlDocument, read_text, read_yaml
from remit.workers.definition import PROMPT_PATH
from remit.workers.prompt import MAX_PROMPT_CHARS

_DELIMITER: Final = "---"


class WorkerFileError(SetupError, code="WORKER_FILE"):
    """Worker files are unreadable or do not fit the tools. ``findings`` lists every problem."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = tuple(findings)
        more = f" (and {len(self.findings) - 1:,} more: remit worker check names all)" if len(self.findings) > 1 else ""
        super().__init__(f"{next(iter(self.findings))}{more}")


class WorkerSource(Struct, frozen=True):
    """The front matter with the line of each part, and the prompt with its first line."""

    document: YamlDocument
    prompt: str
    line: int


def read_source(path: Path) -> WorkerSource:
    """Split a worker file. Errors in parts of the front matter become findings of the document.

    Raises:
        WorkerFileError: the file cannot be read or split.
    """
    file = display_path(path)
    try:
        if path.stat().st_size > MAX_PROMPT_CHARS:
            what = f"it has more than {MAX_PROMPT_CHARS:,} bytes"
            raise make_file_error("too-long", file, what, "move long texts to files that it includes")
        text = read_text(path)
    except InventoryError as error:
        raise WorkerFileError(error.findings) from error
    except OSError as error:
        raise make_file_error("no-file", file, f"it cannot be read: {error.strerror}", "correct the path") from error
    lines = text.split("\n")
    marks = [index for index, line in enumerate(lines) if line.rstrip() == _DELIMITER][:2]
    if not marks or marks[0] != 0:
        what = f"the first line is not {_DELIMITER}"
        raise make_file_error("no-front-matter", file, what, "begin with ---, keys, and --- again")
    if len(marks) == 1:
        raise make_file_error(
            "no-front-matter", file, "the front matter has no end", "write a line --- above the prompt"
        )
    document = _read_front_matter(lines[: marks[1]], file)
    below = lines[marks[1] + 1 :]
    blank = next((index for index, line in enumerate(below) if line.strip()), 0)
    line = marks[1] + blank + 2
    prompt = "\n".join(below[blank:]).rstrip()
    at = {PROMPT_PATH: line, **document.lines}  # a key of that name is refused, on its own line
    return WorkerSource(replace(document, lines=at), prompt, line)


def _read_front_matter(lines: list[str], file: str) -> YamlDocument:
    """Read the front matter with its first line ``---``, so that line numbers match the file."""
    if not any(line.strip() for line in lines[1:]):
        return YamlDocument(file, {}, {})
    try:
        return read_yaml("\n".join(lines), file)
    except InventoryError as error:
        raise WorkerFileError(_adapt_finding(each) for each in error.findings) from error


def _adapt_finding(finding: Finding) -> Finding:
    """Adapt the fix in a finding of the YAML reader to worker files."""
    if finding.what != "no mapping":
        return finding
    fix = "write keys with their values, like `tools: [find]`"
    return Finding(code=finding.code, where=finding.where, what="there are no keys", fix=fix)


def make_file_error(code: str, file: str, what: str, fix: str) -> WorkerFileError:
    """The error of a file that cannot be read."""
    return WorkerFileError([Finding(code=code, where=f"{file}:1", what=what, fix=fix)])
