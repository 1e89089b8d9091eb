"""What an operation refuses is told as a fact: a model reads orders out to the person, or follows them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import remit_cms

ORDERS = re.compile(r"(?:^|[.!?]\s+)(?:Ask|Tell|Undo|Take|Change|Wait)\b")


def _error_texts(source: str) -> Iterator[str]:
    """The texts of the errors that a module raises, with {} where values stand."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Raise):
            for part in ast.walk(node):
                if isinstance(part, ast.JoinedStr):
                    yield "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in part.values)
                elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def test_no_error_begins_a_sentence_with_an_order() -> None:
    folder = Path(remit_cms.__file__).parent
    texts = {text: file.name for file in folder.rglob("*.py") for text in _error_texts(file.read_text("utf-8"))}
    assert len(texts) > 100
    assert {text: file for text, file in texts.items() if ORDERS.search(text)} == {}


def test_an_order_would_be_found() -> None:
    (text,) = [each for each in _error_texts("raise ValueError(f'{name} is live. Undo that first.')") if "{}" in each]
    assert ORDERS.search(text)
