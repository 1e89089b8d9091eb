"""What a conversation has seen of images, and refusals to overwrite what it has not.

Images have no revisions to look back at: the journal keeps the values that were shown.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, cast

from pydantic import JsonValue

from remit.errors import ConflictError
from remit.tools import Seen
from remit_cms.models import Payload
from remit_cms.storage.images import Image
from remit_cms.storage.refusals import NOTHING_WRITTEN
from remit_cms.storage.scope import Scope
from remit_cms.storage.tokens import check_object_token, give_object_token
from remit_cms.storage.transactions import Edit

_FIELDS: Final = {
    "alt": "alternative text",
    "caption": "caption",
    "name": "name",
    "focal_x": "focal point from the left",
    "focal_y": "focal point from the top",
}
"""The fields of an image that can be changed, and what people call them."""


def show_image(scope: Scope, image: Image, *fields: str) -> None:
    """Tell the journal which fields of an image the caller is shown; all without fields."""
    scope.seen.append(make_note(image, *fields))


def make_note(image: Image, *fields: str) -> Seen:
    """The note of these fields of an image, or of all."""
    shown = fields or (*_FIELDS,)
    return Seen("image", image.id, json.dumps(_read_values(image, shown), ensure_ascii=False), shown)


async def check_not_stale(edit: Edit, image: Image, fields: Sequence[str]) -> None:
    """Refuse to write these fields of an image, if one has changed since the conversation of the call saw it.

    Raises:
        ConflictError: says what changed. The conversation has seen it then.
    """
    seen = await edit.last_seen("image", image.id, *fields) if fields else {}
    values = _read_values(image, fields)
    before = {field: cast("dict[str, JsonValue]", json.loads(seen[field]))[field] for field in fields if field in seen}
    changed = [field for field, value in before.items() if value != values[field]]
    if not changed:
        return
    show_image(edit, image, *changed)
    changes = "; ".join(f"{_FIELDS[field]}: '{before[field]}' is now '{values[field]}'" for field in changed)
    raise ConflictError(f"The image '{image.name}' has changed since it was read: {changes}. {NOTHING_WRITTEN}")


def give_token(payload: Payload, image: Image) -> str | None:
    """The token of an image, if it is asked for."""
    return give_object_token(payload, image.id, str(image.revision))


def check_token(image: Image, token: str | None) -> None:
    """Refuse a call about an image that has changed at all since a token was given.

    Raises:
        ConflictError: it has changed.
        InvalidArgumentsError: it is not a token, or that of something else.
    """
    check_object_token(token, image.id, str(image.revision), image.name)


def _read_values(image: Image, fields: Sequence[str]) -> dict[str, JsonValue]:
    return {field: getattr(image, field) for field in fields}
