"""Names in policy are those of fields that available: a mistyped one would hide nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel, JsonValue

from figures.notebook import VOCABULARY, Env, Notes, table
from remit.call.classification import Capability, Classification
from remit.inventory.operations import Operations
from remit.inventory.policy_fields import find_unknown_fields
from remit.inventory.reader import read_inventory

ENTRIES = """\
domain: office
subdomain: notes
methods:
  send:
    classification: {capability: create}
    audit_events:
      %s
    tools:
      send: {}
  forward:
    classification: {capability: create}
    tools:
      send_quickly:
        fix: {subject: quick}
        audit_events: {template: comprehensive%s}
  count:
    classification: {capability: read}
    audit_events: {template: comprehensive%s}
"""


KIND = Classification(domain="office", subdomain="notes", capability=Capability.READ)
CALL = "the parameters or the result"


class Place(BaseModel):
    """Where somebody lives; it may be within another place."""

    street: str
    within: Place | None = None


class Sent(BaseModel):
    """What was sent."""

    number: int
    to: list[tuple[Place, int]]


class Post:
    """Sends letters."""

    async def send(self, body: str, subject: str = "") -> Sent | None:
        """Send a letter."""
        raise NotImplementedError

    async def forward(self, body: str, subject: str = "") -> Sent:
        """Send it on."""
        raise NotImplementedError

    async def count(self, since: int = 0) -> int:
        """Count the letters."""
        raise NotImplementedError


class Loose(Post):
    """Sends whatever it is given."""

    async def send(self, body: str, subject: str = "", more: dict[str, str] | None = None) -> JsonValue:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Send a letter."""
        raise NotImplementedError


def unknown(
    folder: Path,
    said: str,
    *,
    quickly: str = "",
    count: str = "",
    post: Post | None = None,
) -> list[str]:
    (folder / "post.yaml").write_text(ENTRIES % (said, quickly, count), encoding="utf-8")
    operations = Operations(read_inventory(folder, table(Env(), Notes()), VOCABULARY), [post or Post()])
    return [str(each).removeprefix(f"{folder}/") for each in find_unknown_fields(operations)]


@pytest.mark.parametrize(
    "said",
    [
        "redact_fields: [body, Subject, number, street, within]",
        "log_response_fields: [number, to]",
        "template: compliance",
    ],
)
def test_fields_of_the_call_and_of_the_result_may_be_named(tmp_path: Path, said: str) -> None:
    assert unknown(tmp_path, said) == []


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("redact_fields: [subject, bdy]", "redact_fields: no field 'bdy' in the parameters or the result"),
        ("log_response_fields: [bdy]", "log_response_fields: no field 'bdy' in the result"),
        ("log_response_fields: [street]", "log_response_fields: no field 'street' in the result"),
        ("log_response_fields: [Number]", "log_response_fields: no field 'Number' in the result"),
    ],
)
def test_a_field_that_there_is_not_is_found_with_its_line(tmp_path: Path, said: str, found: str) -> None:
    (one,) = unknown(tmp_path, said)
    assert one.startswith(f"post.yaml:7: audit_events.{found} of office.notes.send; ")


def test_what_was_perhaps_meant_is_said(tmp_path: Path) -> None:
    (one,) = unknown(tmp_path, "redact_fields: [bdy]")
    assert one.endswith("; did you mean body?")


def test_a_tool_names_fields_of_its_own_and_of_its_method(tmp_path: Path) -> None:
    plain = "success_event: sent"
    assert unknown(tmp_path, plain, quickly=", redact_fields: [subject]", count=", redact_fields: [since]") == []
    found = unknown(tmp_path, plain, quickly=", redact_fields: [sbject]", count=", log_response_fields: [many]")
    assert sorted(found) == [
        f"post.yaml:15: audit_events.redact_fields: no field 'sbject' in {CALL} of send_quickly; did you mean subject?",
        (
            "post.yaml:18: audit_events.log_response_fields: no field 'many' in the result of office.notes.count; "
            "available: none"
        ),
    ]


@pytest.mark.parametrize("said", ["redact_fields: [anything]", "log_response_fields: [anything]"])
def test_what_may_have_fields_of_any_name_may_have_that_one(tmp_path: Path, said: str) -> None:
    assert unknown(tmp_path, said, post=Loose()) == []
