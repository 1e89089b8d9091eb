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
from remit.errors import DeniedError, InternalError
from remit.record.arguments import content_digest
from remit.record.passages import fold_unchanged
from remit.record.question import NO_PREVIEW, Change, Preview
from remit.record.secret import redact_secrets

MAX_ROWS: Final = 1000
MAX_CHARACTERS: Final = 250_000
"""The most that one person is asked to approve at once. Nothing of a preview is cut: a larger one is refused."""


@runtime_checkable
class HasPreview(Protocol):
    """A callee that can preview its calls."""

    async def preview(self, payload: BaseModel, ctx: LeafContext, /) -> Preview | str:
        """Describe the call."""
        ...


async def preview_call(call: Call) -> Preview:
    """The callee's preview of a validated call, or an empty one. Its state is a digest of the state that it names.

    Raises:
        CallError: the preview failed, so the call cannot be judged. DeniedError: there is more of it than a person can
            judge at once.
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
        return replace(preview, state=content_digest(preview.state) if preview.state else "")

    preview = await observe(f"the preview of {callee.name}", look, deadline=call.deadline)
    resolved = describe_referents(payload, named_only=bool(preview.summary))
    summary = "\n".join([*resolved, *filter(None, [preview.summary])])
    return _check_size(_as_shown(replace(preview, summary=summary)), callee.name)


def _as_shown(preview: Preview) -> Preview:
    """The preview with texts that can be shown: without secrets, and long ones where they change."""
    changes = tuple(
        Change(_show(change.where), *fold_unchanged(_show(change.before), _show(change.after)))
        for change in preview.changes
    )
    return replace(preview, summary=_show(preview.summary), changes=changes, link=_show(preview.link))


def _check_size(preview: Preview, tool: str) -> Preview:
    """Refuse what is too long to be read: what is approved is shown, all of it."""
    texts = (text for change in preview.changes for text in (change.where, change.before, change.after))
    count, length = len(preview.changes), sum(map(len, (preview.summary, preview.link, *texts)))
    if count <= MAX_ROWS and length <= MAX_CHARACTERS:
        return preview
    raise DeniedError(
        f"{tool} would change more than a person can approve at once: {count:,} places, shown with {length:,} "
        f"characters, and at most are {MAX_ROWS:,} and {MAX_CHARACTERS:,}. Divide it into several calls"
    )


def _show(text: str) -> str:
    return show_hidden(redact_secrets(text))
