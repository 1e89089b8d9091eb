"""What all items of a journal have in common."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct


class Item(Struct, frozen=True, kw_only=True, gc=False):
    """The base class of items; ``kind`` names the class in the journal."""

    kind: ClassVar[str] = ""
    call: str


class CallItem(Item, frozen=True, kw_only=True, gc=False):
    """The base class of items that name a call: the call that made it, if one did, its callee, and the model's id."""

    parent: str
    callee: str
    wire: str = ""
