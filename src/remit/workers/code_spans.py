"""Keeps tags in the code of a prompt as text: code in Markdown shows templates of other programs.

Only ``{{ … }}`` is replaced in code, because prompts quote their input there.
"""

from __future__ import annotations

import re
from typing import Final

_TOKEN: Final = re.compile(
    r"(?P<span>(?<!`)(?:`[^`\n]+`|``(?:[^`\n]|`(?!`))+``)(?!`))"
    r"|^ {0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)$"
    r"|\{%[-+]?[ \t]*(?P<raw>raw|endraw)[ \t]*[-+]?%\}"
    r"|\{%",
    re.MULTILINE,
)
_TEXT: Final = "{{ '{%' }}"


def keep_code(text: str) -> str:
    """The template with the tags in its code as text. What stands between ``raw`` tags is text already."""
    return _TOKEN.sub(_CodeKeeper().keep, text) if "{%" in text else text


class _CodeKeeper:
    """Goes through the tokens of one template."""

    def __init__(self) -> None:
        self._fence = ""
        self._is_raw = False

    def keep(self, token: re.Match[str]) -> str:
        """The token, or the text that stands for it."""
        if self._is_raw or token["raw"]:
            self._is_raw = token["raw"] != "endraw"
            return token[0]
        if token["fence"]:
            self._toggle_fence(token["fence"], token["info"].strip())
            return token[0]
        is_code = self._fence or (token["span"] and "endraw" not in token["span"])
        return token[0].replace("{%", _TEXT) if is_code else token[0]

    def _toggle_fence(self, marks: str, info: str) -> None:
        if not self._fence:
            self._fence = "" if "`" in info and "`" in marks else marks
        elif marks.startswith(self._fence) and not info:
            self._fence = ""
