"""Recognises a provider's error about what a model is asked with: tools, settings and schemas that it does not take."""

from __future__ import annotations

import re
from typing import Final

_UNSUPPORTED: Final = re.compile(
    r"\b(does|do|is|are)(n't| not) (currently )?(support|enabled)|not (currently )?(supported|enabled)|\bunsupported"
    r"|requires? --\w|support tool use|only supports?\b"
    r"|(unknown|unrecognized) (request )?(parameter|argument|field|name)|unknown_parameter"
    r"|invalid schema|invalid_(function_parameters|json_schema)",
    re.IGNORECASE,
)
_CONTENT: Final = re.compile(
    r"unsupported (image|file|media|audio|mime)|(image|file|media|audio|mime)[ _-]?(format|type|url)", re.IGNORECASE
)


def is_unsupported_error(text: str) -> bool:
    """Whether a refusal is about how the model is asked, which a person corrects, and not about what it is told."""
    return _UNSUPPORTED.search(text) is not None and _CONTENT.search(text) is None
