"""Keeps what is not a template in a prompt as text: tags in code, and ``{{ … }}`` that reads no field.

Code in Markdown shows templates of other programs, and so does ``{{1}}``. In code only ``{{ … }}`` is replaced, because
prompts quote their input there.
"""

from __future__ import annotations

import re
from typing import Final

from jinja2 import Environment, TemplateSyntaxError, nodes

from remit.workers.jinja_names import find_read_names

MAX_PARSED: Final = 20_000
"""How many ``{{ … }}`` of one text are parsed here. A template of more expressions is refused."""
_STRINGS: Final = r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
_FLAT: Final = rf"{_STRINGS}|[^\"'{{}}]"
_NESTED: Final = rf"{_FLAT}|\{{(?:{_FLAT}|\{{(?:{_FLAT})*\}})*\}}"
_TOKEN: Final = re.compile(
    r"^(?:[ \t>]|[-*+][ \t]|[0-9]{1,9}[.)][ \t])*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?=(?P<info>[^\n]*)$)"
    r"|(?<!\\)(?P<slashes>\\*)(?P<ticks>`+)"
    r"|\{%[-+]?[ \t\n]*(?P<raw>raw|endraw)[ \t\n]*[-+]?%\}"
    rf"|(?P<tag>\{{%)|(?P<output>\{{\{{(?:{_NESTED})*?\}}\}})",
    re.MULTILINE | re.DOTALL,
)
_TAG: Final = re.compile(rf"\{{%(?:{_STRINGS}|[^\"'%{{]|\{{(?!%)|%(?!\}}))*%\}}", re.DOTALL)
_RUN: Final = re.compile(r"(?<!\\)(?P<slashes>\\*)(?P<ticks>`+)|\n")
_EXPRESSIONS: Final = Environment(autoescape=False)  # noqa: S701 - it only parses


def keep_literal_text(text: str) -> str:
    """Write what is not a template in a text so that a template has it as text, letter for letter.

    What stands between ``raw`` tags is text already.
    """
    return "".join(_Scanner(text).scan()) if "{%" in text or "{{" in text else text


def reads_names(output: str) -> bool:
    """Whether ``{{ … }}`` reads a field of the input or a name that the template binds, or cannot be parsed."""
    try:
        (shown,) = _EXPRESSIONS.parse(output).body
    except (TemplateSyntaxError, RecursionError, ValueError):
        return True
    is_itself = [each for each in shown.iter_child_nodes() if isinstance(each, nodes.Name) and each.name == "self"]
    return bool(find_read_names(shown)) and not is_itself


class _Scanner:
    """Iterates over the tokens of one template once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._closers = _find_closers(text)
        self._fence = ""
        self._span_end = 0
        self._is_raw = False
        self._has_text = False
        self._parsed = 0

    def scan(self) -> list[str]:
        """The parts of the new template."""
        parts: list[str] = []
        position = 0
        while token := _TOKEN.search(self._text, position):
            between = self._text[position : token.start()]
            self._note_text(between)
            kept, position = self._keep(token), token.end()
            if token["tag"] and not self._is_code(token) and (tag := _TAG.match(self._text, token.start())):
                position = tag.end()
                kept = tag[0] if self._is_raw else self._keep_line_break(tag[0], position)
            elif kept == token[0] and token["raw"] == "endraw" and not self._is_raw:
                kept = self._keep_line_break(kept, position)
            elif not token["raw"]:
                self._note_text(token[0])
            parts += between, kept
        return [*parts, self._text[position:]]

    def _note_text(self, text: str) -> None:
        """Note whether there is text in the line that continues after this one."""
        _, line_break, rest = text.rpartition("\n")
        self._has_text = bool(rest.strip()) or (self._has_text and not line_break)

    def _keep_line_break(self, tag: str, end: int) -> str:
        """A tag that keeps the line break after it if there is text in its line. Jinja removes that of a tag alone."""
        breaks = self._text.startswith(("\n", "\r\n"), end)
        return f"{tag[:-2]}+%}}" if breaks and self._has_text and tag[-3] not in "+-" else tag

    def _is_code(self, token: re.Match[str]) -> bool:
        return not self._is_raw and (bool(self._fence) or token.start() < self._span_end)

    def _keep(self, token: re.Match[str]) -> str:
        """The token, or the text that represents it."""
        if token["raw"] and self._is_code(token):
            return _as_text(token[0])
        if self._is_raw or token["raw"]:
            self._is_raw = token["raw"] != "endraw"
        elif token["fence"]:
            self._toggle_fence(token["fence"], token["info"].strip())
        elif token["ticks"] and not self._is_code(token):
            self._span_end = self._closers.get(token.start("ticks"), 0)
        elif token["tag"] and self._is_code(token):
            return _as_text(token["tag"])
        elif token["output"] and not self._reads_names(token["output"]):
            return _as_text(token["output"])
        return token[0]

    def _toggle_fence(self, marks: str, info: str) -> None:
        if not self._fence:
            self._fence = marks
        elif marks.startswith(self._fence) and not info:
            self._fence = ""

    def _reads_names(self, output: str) -> bool:
        self._parsed += 1
        return self._parsed > MAX_PARSED or reads_names(output)


def _find_closers(text: str) -> dict[int, int]:
    """Where the code that begins with each run of backticks ends: at the next run of that length in its line.

    A backtick after a backslash begins no code.
    """
    closers: dict[int, int] = {}
    after: dict[int, int] = {}
    for run in reversed(list(_RUN.finditer(text))):
        if not run["ticks"]:
            after.clear()
            continue
        start, length = run.start("ticks"), len(run["ticks"])
        opening = length - len(run["slashes"]) % 2
        if opening in after:
            closers[start] = after[opening]
        after[length] = start
    return closers


def _as_text(part: str) -> str:
    """A template of a text."""
    quoted = part.replace("\\", "\\\\").replace("'", "\\'")
    return f"{{{{ '{quoted}' }}}}"
