"""A tool's preview of a call, shown to the approver and compared again before the call runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Protocol, cast, runtime_checkable

from pydantic import BaseModel

from remit.call.call import Call
from remit.call.callee import LeafContext
from remit.call.observing import ObservingContext, observe
from remit.call.resolution import describe_referents
from remit.core.names import show_hidden
from remit.errors import InternalError
from remit.record.arguments import content_digest
from remit.record.question import NO_PREVIEW, Change, Preview
from remit.record.secret import redact_secrets

_MAX_SUMMARY: Final = 2000
_MAX_CHANGES: Final = 50
_MAX_VALUE: Final = 500


@runtime_checkable
class HasPreview(Protocol):
    """A callee that can preview its calls."""

    async def preview(self, payload: BaseModel, ctx: LeafContext, /) -> Preview | str:
        """Describe the call."""
        ...


async def preview_call(call: Call) -> Preview:
    """The callee's preview of a validated call, or an empty one. Its state is a digest of the state that it names.

    Raises:
        CallError: the preview failed, so the call cannot be judged.
    """
    callee, payload = call.callee, call.payload

    async def look() -> Preview:
        if payload is None or not isinstance(callee, HasPreview):
            return NO_PREVIEW
        # The preview gets its own payload, so that a preview that mutates it cannot change the call.
        own = callee.schema_in.load(call.canonical_arguments)
        preview = await callee.preview(own, ObservingContext(call))
        preview = Preview(preview) if isinstance(preview, str) else preview
        if not isinstance(cast("object", preview), Preview):
            problem = f"the preview of {callee.name} returned a value of type {type(preview).__name__}"
            raise InternalError(f"{problem}; write `return Preview(…)`, or return a text")
        return _shorten(replace(preview, state=content_digest(preview.state) if preview.state else ""))

    preview = await observe(f"the preview of {callee.name}", look, deadline=call.deadline)
    resolved = describe_referents(payload, named_only=bool(preview.summary))
    if not resolved:
        return preview
    return _shorten(replace(preview, summary="\n".join([*resolved, *filter(None, [preview.summary])])))


def _shorten(preview: Preview) -> Preview:
    """Cut the preview to the limits of a question, and tell the approver what is omitted."""
    changes = [
        Change(*(_shorten_text(text, _MAX_VALUE) for text in (change.where, change.before, change.after)))
        for change in preview.changes[:_MAX_CHANGES]
    ]
    if len(preview.changes) > _MAX_CHANGES:
        changes.append(Change(f"{len(preview.changes) - _MAX_CHANGES} more changes are not shown", "", ""))
    summary, link = _shorten_text(preview.summary, _MAX_SUMMARY), _shorten_text(preview.link, _MAX_VALUE)
    return Preview(summary, tuple(changes), link, preview.state, preview.names, preview.shows)


def _shorten_text(text: str, length: int) -> str:
    text = show_hidden(redact_secrets(text))
    return text if len(text) <= length else f"{text[: length - 1]}…"
