"""What a conversation has seen of images: parts of their documents."""

from __future__ import annotations

from remit.tools import Seen
from remit_cms.models import Payload
from remit_cms.storage.image_documents import image_parts
from remit_cms.storage.images import Image
from remit_cms.storage.scope import Scope
from remit_cms.storage.tokens import check_object_token, give_object_token


def show_image(scope: Scope, image: Image, *keys: str) -> None:
    """Tell the journal which values of an image the caller is shown; all without keys."""
    scope.seen.append(Seen("image", image.id, str(image.revision), (*image_parts(scope, image, keys),)))


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
