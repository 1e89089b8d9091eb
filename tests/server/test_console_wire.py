"""The types of the console's documents name fields that the server writes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, get_args

import pytest
from msgspec import Struct
from msgspec.structs import fields

from remit.server.operations import OPERATIONS

WIRE: Final = Path(__file__).parents[2] / "console/src/wire.ts"
NAMES: Final = {
    "AgentDocument": "AgentDocument",
    "ApplicationDocument": "ApplicationDocument",
    "CallDocument": "CallDocument",
    "CallOutcome": "CallOutcome",
    "ChangeDocument": "ChangeDocument",
    "ChangedObject": "ChangedDocument",
    "ConversationHistory": "ConversationHistory",
    "ConversationRow": "ConversationDocument",
    "DecisionDocument": "DecisionDocument",
    "FailureDocument": "FailureDocument",
    "GrantDocument": "GrantDocument",
    "Me": "Me",
    "MessageDocument": "MessageDocument",
    "NoteDocument": "NoteDocument",
    "ObjectDetail": "ObjectDocument",
    "ObjectPage": "ObjectPageDocument",
    "ObjectRow": "ObjectRowDocument",
    "ObjectSection": "ObjectSectionDocument",
    "PlannedCallDocument": "PlannedCallDocument",
    "PolicyDocument": "PolicyDocument",
    "QuestionDocument": "QuestionDocument",
    "Receipt": "ReceiptDocument",
    "ReceiptRow": "ReceiptLine",
    "ReplayDocument": "ReplayDocument",
    "RuleDocument": "RuleDocument",
    "RunDocument": "RunDocument",
    "RunSummary": "RunSummary",
    "Sentence": "SentenceDocument",
    "ToolDocument": "ToolDocument",
    "Usage": "UsageDocument",
    "ViewDocument": "ViewDocument",
}
"""The console's type, and the document of the server."""


def find_documents() -> dict[str, type[Struct]]:
    """All documents that operations answer with, by name."""
    found: dict[str, type[Struct]] = {}
    waiting: list[object] = [each.answer for each in OPERATIONS]
    while waiting:
        kind = waiting.pop()
        waiting += get_args(kind)
        if isinstance(kind, type) and issubclass(kind, Struct) and kind.__name__ not in found:
            found[kind.__name__] = kind
            waiting += [each.type for each in fields(kind)]
    return found


def read_types() -> dict[str, set[str]]:
    """The fields of the console's types that a server may not leave out."""
    text = re.sub(r"/\*.*?\*/", "", WIRE.read_text(encoding="utf-8"), flags=re.DOTALL)
    found: dict[str, set[str]] = {}
    for name, base, body in re.findall(r"interface (\w+)(?:<\w+>)?(?: extends (\w+))? \{(.*?)\n\}", text, re.DOTALL):
        found[name] = set(re.findall(r"^  (\w+):", body, re.MULTILINE)) | found.get(base, set())
    return found


@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_server_writes_each_field_that_the_console_reads(name: str) -> None:
    document = find_documents()[NAMES[name]]
    written = {each.encode_name for each in fields(document)}
    assert read_types()[name] <= written


def test_the_check_reads_the_fields_of_bases() -> None:
    assert {"run", "title"} <= read_types()["RunSummary"]
