"""Reads the files that a prompt includes, only from the folder of its worker file."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from remit.schemas.finding import Finding, display_path
from remit.workers.prompt import MAX_PROMPT_CHARS, Template
from remit.workers.prompt_texts import IncludeReference


def read_includes(text: str, *, line: int, file: Path) -> tuple[dict[str, str], list[Finding]]:
    """Read the texts that a prompt includes, by name. Returns them and the errors found.

    ``line``: where the prompt begins in its ``file``. Names are paths of files below the folder of ``file``.
    """
    reader = _IncludeReader(file.parent)
    reader.read(Template(text, file=display_path(file), line=line), display_path(file), ())
    return reader.texts, reader.findings


class _IncludeReader:
    """Reads included texts and their own includes."""

    def __init__(self, folder: Path) -> None:
        self.texts: dict[str, str] = {}
        self.findings: list[Finding] = []
        self._folder = folder
        self._bytes = 0

    def read(self, template: Template, file: str, ancestors: tuple[str, ...]) -> None:
        """Read the includes of a text. ``ancestors`` are the names of the texts that include it."""
        for each in template.find_includes():
            if each.name is None:
                continue  # the check of the template reports an include without a plain name
            if each.name in ancestors:
                self._add_finding(file, each, f"{each.name!r} includes itself", "remove one of the includes")
            elif each.name not in self.texts:
                self._follow(each.name, each, file, ancestors)

    def _follow(self, name: str, reference: IncludeReference, file: str, ancestors: tuple[str, ...]) -> None:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name:
            self._add_finding(
                file, reference, f"{name!r} is outside the worker's folder", "name a file below it, like tone.md"
            )
            return
        found = self._folder / path
        if not found.is_file():
            self._add_finding(
                file, reference, f"there is no file {name!r} to include in {display_path(self._folder)}", "create it"
            )
        elif not found.resolve().is_relative_to(self._folder.resolve()):
            self._add_finding(
                file, reference, f"{name!r} is a link to a file outside the worker's folder", "put a copy there"
            )
        else:
            self._read_file(name, found.resolve(), reference, file, ancestors)

    def _read_file(
        self, name: str, found: Path, reference: IncludeReference, file: str, ancestors: tuple[str, ...]
    ) -> None:
        self._bytes += found.stat().st_size
        if self._bytes > MAX_PROMPT_CHARS:
            what = f"the texts included up to {name!r} have more than {MAX_PROMPT_CHARS:,} bytes"
            self._add_finding(file, reference, what, "include shorter texts")
            return
        try:
            self.texts[name] = found.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            self._add_finding(file, reference, f"{name!r} is not UTF-8 text", "save it as UTF-8")
            return
        self.read(Template(self.texts[name]), display_path(self._folder / name), (*ancestors, name))

    def _add_finding(self, file: str, reference: IncludeReference, what: str, fix: str) -> None:
        self.findings.append(Finding(code="include", where=f"{file}:{reference.line}", what=what, fix=fix))
