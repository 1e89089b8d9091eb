"""Keeps literal parts of a prompt as text: tags in code, and ``{{ … }}`` that reads no field.

Code in Markdown often shows templates of other programs, as does ``{{1}}``. In code, only ``{{ … }}`` is rendered,
because prompts quote their input there.
"""

from __future__ import annotations

import re
from typing import Final

from jinja2 import Environment, TemplateSyntaxError, nodes
from msgspec import Struct

from remit.workers.jinja_names import find_read_names
from remit.workers.part_ends import PartEnds

MAX_PARSED: Final = 20_000
"""The most ``{{ … }}`` of one text that are parsed here. A template with more expressions is refused."""
_RAW_TAG: Final = r"\{%[-+]?[ \t\n]*(?P<raw>raw|endraw)[ \t\n]*[-+]?%\}"


def _compile_token(output: str) -> re.Pattern[str]:
    """The pattern of the tokens of a text, with the pattern for the beginning of ``{{ … }}``."""
    return re.compile(
        r"^(?:[ \t>]|[-*+][ \t]|[0-9]{1,9}[.)][ \t])*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?=(?P<info>[^\n]*)$)"
        r"|(?<!\\)(?P<slashes>\\*)(?P<ticks>`+)"
        rf"|{_RAW_TAG}"
        rf"|(?P<output>{output})|(?<!\{{)(?P<tag>\{{++%)",
        re.MULTILINE,
    )


_TOKEN: Final = _compile_token(r"\{(?=\{)")
_OTHER_TOKEN: Final = _compile_token("(?!)")
_RAW: Final = re.compile(_RAW_TAG)
_LINE_BREAK: Final = re.compile(r"\r?\n")
_RUN: Final = re.compile(r"(?<!\\)(?P<slashes>\\*)(?P<ticks>`+)|\n")
_EXPRESSIONS: Final = Environment(autoescape=False)  # noqa: S701 - it only parses


class ActiveParts(Struct, frozen=True):
    """The template parts of a text: pairs of start and end, and the starts of unclosed tags and ``{{``."""

    parts: list[tuple[int, int]]
    codes: list[tuple[int, int]]
    opens: list[int]


def keep_literal_text(text: str) -> str:
    """Rewrite a text so that a template renders its literal parts unchanged.

    The contents of ``raw`` tags are literal already, including nested pairs of ``raw`` tags.
    """
    return "".join(_Scanner(text).scan()) if "{%" in text or "{{" in text else text


def find_active_parts(text: str) -> ActiveParts:
    """The tags and ``{{ … }}`` of a text that belong to the template, and the text's code in Markdown."""
    scanner = _Scanner(text)
    scanner.scan()
    return ActiveParts(scanner.parts, scanner.codes, scanner.opens)


def reads_names(output: str) -> bool:
    """Whether ``{{ … }}`` reads a field of the input or a name that the template binds, or cannot be parsed."""
    try:
        (shown,) = _EXPRESSIONS.parse(output).body
        is_itself = [each for each in shown.iter_child_nodes() if isinstance(each, nodes.Name) and each.name == "self"]
        return bool(find_read_names(shown)) and not is_itself
    except (TemplateSyntaxError, RecursionError, ValueError):
        return True


class _Scanner:
    """Iterates over the tokens of one template once, and notes its active parts."""

    def __init__(self, text: str) -> None:
        self.parts: list[tuple[int, int]] = []
        self.codes: list[tuple[int, int]] = []
        self.opens: list[int] = []
        self._text = text
        self._ends = PartEnds(text)
        self._closers = _find_closers(text)
        self._raw_ends = _find_raw_ends(text)
        self._fence = ""
        self._fence_start = 0
        self._span_end = 0
        self._has_text = False
        self._parsed = 0

    def scan(self) -> list[str]:
        """The parts of the new template."""
        parts: list[str] = []
        position = 0
        while found := self._find_token(position):
            token, end = found
            between = self._text[position : token.start()]
            self._note_text(between)
            self._note_opens(position, token.start())
            kept, position = self._keep(token, end)
            parts += between, kept
        if self._fence:
            self.codes.append((self._fence_start, len(self._text)))
        self._note_opens(position, len(self._text))
        return [*parts, self._text[position:]]

    def _find_token(self, position: int) -> tuple[re.Match[str], int] | None:
        """The next token and its end; a ``{{`` that is not closed is none."""
        token = _TOKEN.search(self._text, position)
        while token is not None:
            if not token["output"]:
                return token, token.end()
            if (end := self._ends.find_output_end(token.start())) is not None:
                return token, end
            token = _OTHER_TOKEN.match(self._text, token.start()) or _TOKEN.search(self._text, token.end())
        return None

    def _keep(self, token: re.Match[str], end: int) -> tuple[str, int]:
        """The token or its literal form, and the position where it ends."""
        is_code = bool(self._fence) or token.start() < self._span_end
        if (token["tag"] or token["raw"]) and not is_code:
            return self._keep_tag(token) if token["tag"] else self._keep_raw(token)
        kept = self._text[token.start() : end]
        self._note_text(kept)
        if token["fence"]:
            self._toggle_fence(token)
        elif token["ticks"] and not is_code and (closer := self._closers.get(token.start("ticks"))):
            self._span_end = closer + len(token["ticks"])
            self.codes.append((token.start("ticks"), self._span_end))
        elif self._is_text(token, kept, is_code=is_code):
            kept = _as_text(kept)
        elif token["output"]:
            self.parts.append((token.start(), end))
        return kept, end

    def _is_text(self, token: re.Match[str], whole: str, *, is_code: bool) -> bool:
        """Whether a tag in code, or ``{{ … }}``, is literal text."""
        if not token["output"]:
            return bool(token["tag"] or token["raw"])
        return (is_code and whole.startswith("{{%")) or not self._reads_names(whole)

    def _keep_tag(self, token: re.Match[str]) -> tuple[str, int]:
        start = token.start()
        end = self._ends.find_tag_end(start) if token["tag"] == "{%" else None
        if end is None:
            self.opens.append(start)
            return token[0], token.end()
        self.parts.append((start, end))
        return self._keep_line_break(self._text[start:end], end), end

    def _keep_raw(self, token: re.Match[str]) -> tuple[str, int]:
        """The text from ``raw`` to its ``endraw``, both included.

        Jinja keeps the line break after a ``raw`` alone on its line, and drops the indentation before any other
        ``raw``.
        """
        last = self._raw_ends.get(token.start())
        if last is None:
            self.parts.append(token.span())
            return token[0], token.end()
        start, tag = token.end(), token[0]
        if self._has_text or tag[-3] == "-":
            pass
        elif line_break := _LINE_BREAK.match(self._text, start):
            start, tag = line_break.end(), f"{tag[:-2]}\n%}}"
        elif tag[2] not in "-+":
            tag = f"{{%+{tag[2:]}"
        content = self._text[start : last.start()]
        self._note_text(content)
        content = _RAW.sub(_as_text_in_raw, content)
        return f"{tag}{content}{self._keep_line_break(last[0], last.end())}", last.end()

    def _note_opens(self, start: int, end: int) -> None:
        while (start := self._text.find("{{", start, end)) >= 0:
            self.opens.append(start)
            start += 2

    def _note_text(self, text: str) -> None:
        """Note whether there is text in the line that continues after this one."""
        _, line_break, rest = text.rpartition("\n")
        self._has_text = bool(rest.strip()) or (self._has_text and not line_break)

    def _keep_line_break(self, tag: str, end: int) -> str:
        """Make a tag on a line with text keep its line break. Jinja removes the line break after a lone tag."""
        breaks = self._text.startswith(("\n", "\r\n"), end)
        return f"{tag[:-2]}+%}}" if breaks and self._has_text and tag[-3] not in "+-" else tag

    def _toggle_fence(self, token: re.Match[str]) -> None:
        marks = token["fence"]
        if not self._fence:
            self._fence, self._fence_start = marks, token.start()
        elif marks.startswith(self._fence) and not token["info"].strip():
            self._fence = ""
            self.codes.append((self._fence_start, token.end("info")))

    def _reads_names(self, output: str) -> bool:
        self._parsed += 1
        return self._parsed > MAX_PARSED or reads_names(output)


def _find_closers(text: str) -> dict[int, int]:
    """The end of the code after each run of backticks: the next run of the same length on the line.

    A backtick after a backslash does not begin code.
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


def find_unpaired_raw(text: str) -> re.Match[str] | None:
    """Find a ``raw`` or ``endraw`` tag without its counterpart, with which ``raw`` tags around the text would pair."""
    return next(iter(_pair_raw_tags(text)[1]), None)


def _pair_raw_tags(text: str) -> tuple[dict[int, re.Match[str]], list[re.Match[str]]]:
    """The ``endraw`` of each ``raw``, by the start of the ``raw``, and the unpaired tags."""
    pairs: dict[int, re.Match[str]] = {}
    opened: list[re.Match[str]] = []
    unpaired: list[re.Match[str]] = []
    for tag in _RAW.finditer(text):
        if tag["raw"] == "raw":
            opened.append(tag)
        elif opened:
            pairs[opened.pop().start()] = tag
        else:
            unpaired.append(tag)
    return pairs, [*unpaired, *opened]


def _find_raw_ends(text: str) -> dict[int, re.Match[str]]:
    """The end of the text after each ``raw``: the ``endraw`` that pairs with it, or the next ``endraw``."""
    ends, unpaired = _pair_raw_tags(text)
    following: re.Match[str] | None = None
    for tag in sorted((*ends.values(), *unpaired), key=lambda each: each.start(), reverse=True):
        if tag["raw"] == "endraw":
            following = tag
        elif following is not None:
            ends[tag.start()] = following
    return ends


def _as_text_in_raw(tag: re.Match[str]) -> str:
    """A ``raw`` tag as literal text between ``raw`` tags, where the first ``endraw`` would end the text."""
    return tag[0] if tag["raw"] == "raw" else f"{{%+ endraw +%}}{_as_text(tag[0])}{{% raw %}}"


def _as_text(part: str) -> str:
    """A template of a text."""
    quoted = part.replace("\\", "\\\\").replace("'", "\\'")
    return f"{{{{ '{quoted}' }}}}"
