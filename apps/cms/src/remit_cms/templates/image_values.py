"""The values of slots that show an image of the site: its id, texts, and focal point if it has one of its own."""

from __future__ import annotations

from typing import Final

from remit_cms.models import Content

TEXTS: Final = ("alt", "caption")
FOCAL_POINT: Final = ("focalX", "focalY")


def find_focal_point(slot: Content) -> tuple[int, int] | None:
    """The focal point of its own that a slot has, in percent from the left and from the top."""
    x, y = (slot.get(key) for key in FOCAL_POINT)
    return (x, y) if isinstance(x, int) and isinstance(y, int) else None


def follow_image(slot: Content, before: Content, after: Content) -> Content:
    """A slot with the new texts of its image if it had the old ones, and likewise with its focal point.

    Args:
        slot: what a draft has.
        before: the slot of the image as it was.
        after: the slot of the image as it is.
    """
    for keys in (TEXTS, FOCAL_POINT):
        if _pick(slot, keys) == _pick(before, keys):
            slot = with_keys(slot, keys, after)
    return slot


def with_keys(slot: Content, keys: tuple[str, ...], source: Content) -> Content:
    """A slot with some of its values as another has them."""
    merged = {**{key: value for key, value in slot.items() if key not in keys}, **_pick(source, keys)}
    return _pick(merged, ("imageId", *TEXTS, *FOCAL_POINT))


def _pick(slot: Content, keys: tuple[str, ...]) -> Content:
    return {key: slot[key] for key in keys if key in slot}
