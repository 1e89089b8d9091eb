"""Reads what a prompt includes, out of the folder of its worker file and no other."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from remit.schemas.finding import Finding, shown
from remit.workers.prompt import MOST, Reference, Template


def read_includes(text: str, *, line: int, file: Path) -> tuple[dict[str, str], list[Finding]]:
    """The texts that a prompt includes, by the names it gives them, and what is wrong with those names.

    ``line``: where the prompt begins in its ``file``. Names are those of files below the folder of ``file``.
    """
    reader = _Reader(file.parent)
    reader.read(Template(text, file=shown(file), line=line), shown(file), ())
    return reader.texts, reader.findings


class _Reader:
    """Follows references from text to text."""

    def __init__(self, folder: Path) -> None:
        self.texts: dict[str, str] = {}
        self.findings: list[Finding] = []
        self._folder = folder

    def read(self, template: Template, file: str, above: tuple[str, ...]) -> None:
        """Read what a text names; ``above`` are the names that led to it."""
        for each in template.references():
            if each.name is None:
                continue  # what a template has that names nothing is found with its other faults
            if each.name in above:
                self._say(file, each, f"{each.name!r} includes itself", "remove one of the includes")
            elif each.name not in self.texts:
                self._follow(each.name, each, file, above)

    def _follow(self, name: str, at: Reference, file: str, above: tuple[str, ...]) -> None:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name:
            self._say(file, at, f"{name!r} leads out of the folder of the worker", "name a file below it, like tone.md")
            return
        found = self._folder / path
        if not found.is_file():
            self._say(file, at, f"there is no file {name!r} to include in {shown(self._folder)}", "write it")
        elif not found.resolve().is_relative_to(self._folder.resolve()):
            self._say(file, at, f"{name!r} is a link out of the folder of the worker", "put a copy there")
        else:
            self._take(name, found.resolve(), at, file, above)

    def _take(self, name: str, found: Path, at: Reference, file: str, above: tuple[str, ...]) -> None:
        if found.stat().st_size > MOST:
            self._say(file, at, f"{name!r} has more than {MOST:,} bytes", "include a shorter text")
            return
        try:
            self.texts[name] = found.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            self._say(file, at, f"{name!r} is no text in UTF-8", "save it as UTF-8")
            return
        self.read(Template(self.texts[name]), shown(self._folder / name), (*above, name))

    def _say(self, file: str, at: Reference, what: str, mend: str) -> None:
        self.findings.append(Finding(code="include", where=f"{file}:{at.line}", what=what, mend=mend))
