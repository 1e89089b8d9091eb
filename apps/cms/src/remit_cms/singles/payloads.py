"""What replies about the items of a document have in common."""

from __future__ import annotations

import operator

from pydantic import Field

from remit_cms.models import OmittedIfNone, View, WriteReply


class Destination(View):
    """Where something leads: the address that its page has in the draft, or one on another server.

    ``broken`` says that it leads nowhere, since its page is gone; ``note`` what else people should know.
    """

    href: OmittedIfNone[str] = None
    page_id: OmittedIfNone[str] = None
    broken: OmittedIfNone[bool] = None
    note: OmittedIfNone[str] = None


class ItemView(Destination):
    """An item as the draft has it. What cannot be edited has no id."""

    id: str = Field(exclude_if=operator.not_)


class ItemReply(WriteReply):
    """One item in short, as it is after the operation, or was before it if that removed it.

    A subclass has what people call it.
    """

    id: str
    href: OmittedIfNone[str] = None
