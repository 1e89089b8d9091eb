"""The files of a run: those that it was given, and those that its calls returned."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from msgspec import Struct
from pydantic import ValidationError

from remit.record.artifact import DIGEST_START, Artifact
from remit.record.run_artifacts import is_recorded_reference
from remit.schemas.values import iter_values
from remit.views.run_view import RunView


class FileView(Struct, frozen=True, kw_only=True):
    """A file of a run, by its reference. ``by`` is the person who gave it, or the tool whose ``call`` returned it."""

    artifact: Artifact
    by: str
    run: str
    call: str
    at: float


def files_of(view: RunView, run: str) -> list[FileView]:
    """The files of a run, each once, in the order in which they came."""
    found: dict[tuple[str, str], FileView] = {}
    for each in _iter_files(view, run):
        found.setdefault((each.artifact.digest, each.artifact.name), each)
    return list(found.values())


def _iter_files(view: RunView, run: str) -> Iterator[FileView]:
    header = view.header
    if header is not None and view.root is not None:
        for each in _find_references(header.arguments):
            yield FileView(artifact=each, by=header.principal, run=run, call="", at=view.root.asked_at or 0.0)
    for call in view.calls.values():
        if call.output is not None and call.output.outcome == "ok":
            for each in _find_references(call.content):
                yield FileView(artifact=each, by=call.tool, run=run, call=call.id, at=call.ended_at or 0.0)


def _find_references(text: str) -> Iterable[Artifact]:
    """The references in recorded JSON. Anything else that only looks like one is left out."""
    if DIGEST_START not in text or is_recorded_reference(text):
        return
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    for each in iter_values(value):
        if isinstance(each, Mapping) and "digest" in each and "size" in each:
            try:
                yield Artifact.model_validate(dict(cast("Mapping[str, Any]", each)))
            except ValidationError:
                continue
