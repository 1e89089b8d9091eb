"""Webhooks: addresses that are told what visitors see, and the deliveries that are stored with each publication."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from pydantic import JsonValue
from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, String, Text, select
from sqlalchemy.orm import Mapped, mapped_column

from remit.database import UtcDateTime
from remit_cms.models import Content
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Base, Kind, Page, Scoped
from remit_cms.storage.transactions import Edit, LaterCall

DELIVER_TOOL: Final = "cms_deliverWebhook"
"""The tool that a scheduled call calls."""
WAITS: Final = tuple(timedelta(seconds=each) for each in (5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600))
"""How long after an attempt that failed the next one is. After the last of them, a delivery is dead."""

_LOST: Final = timedelta(minutes=15)
"""A call that is so late does not come: it was cancelled, or its principal has lost the right."""
_MAX_OBJECTS: Final = 1000


class Webhook(Scoped, Base):
    """An address that is told of each publication on a site."""

    __tablename__ = "webhooks"
    __table_args__ = (
        ForeignKeyConstraint(["site", "environment"], ["environments.site", "environments.name"], ondelete="CASCADE"),
        Index("webhooks_url", "site", "environment", "url", unique=True),
    )
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    url: Mapped[str] = mapped_column(String(2000))
    author: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class WebhookDelivery(Base):
    """What a webhook is told of one publication, and what became of it.

    ``state`` is waiting, delivered or dead. ``attempt`` counts from 0; the scheduled call of that number alone makes
    it, at ``due_at`` or later. ``result`` says how the last one ended.
    """

    __tablename__ = "webhook_deliveries"
    __table_args__ = (Index("webhook_deliveries_webhook", "webhook", "state"),)
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    webhook: Mapped[str] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    body: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(16))
    attempt: Mapped[int]
    due_at: Mapped[datetime] = mapped_column(UtcDateTime)
    result: Mapped[str | None] = mapped_column(String(500))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


@dataclass(frozen=True, slots=True)
class Told:
    """A document whose live state changed: the revision that visitors see, None if they see none, and its addresses."""

    page: Page
    revision: int | None
    paths: Mapping[str, str]


async def queue_deliveries(edit: Edit, change_set: str, told: Sequence[Told]) -> None:
    """Store what each webhook of the site is to be told, in the transaction of the publication."""
    webhooks = (await edit.session.scalars(select(Webhook).where(edit.target.row_filter(Webhook)))).all()
    if not webhooks:
        return
    data: Content = {
        "site": edit.target.site,
        "environment": edit.target.environment,
        "changeSet": change_set,
        "objects": [_describe(edit, each) for each in told[:_MAX_OBJECTS]],
        "total": len(told),
    }
    event: Content = {"type": "content.changed", "timestamp": edit.now.isoformat(), "data": data}
    body = json.dumps(event, ensure_ascii=False)
    for webhook in webhooks:
        row = WebhookDelivery(
            id=edit.new_id("delivery"),
            webhook=webhook.id,
            body=body,
            state="waiting",
            attempt=0,
            due_at=edit.now,
            created_at=edit.now,
        )
        edit.session.add(row)
        edit.later.append(call_of(row))
    await edit.session.flush()
    await _queue_lost(edit)


def _describe(scope: Scope, told: Told) -> JsonValue:
    addresses = {locale: scope.format_address(locale, path) for locale, path in told.paths.items()}
    return {
        "id": told.page.id,
        "kind": told.page.kind,
        "state": "hidden" if told.revision is None else "live",
        "revision": told.revision,
        "addresses": {**addresses} if told.page.kind in (Kind.PAGE, Kind.ENTRY) else {},
    }


async def _queue_lost(edit: Edit) -> None:
    """Queue again what waits for a call that does not come. Without this, a right that was lost would stop it."""
    query = select(WebhookDelivery).join(Webhook, Webhook.id == WebhookDelivery.webhook)
    lost = (WebhookDelivery.state == "waiting", WebhookDelivery.due_at < edit.now - _LOST)
    for row in await edit.session.scalars(query.where(edit.target.row_filter(Webhook), *lost)):
        put_off(row, edit.now, "the call that was to deliver it did not come")
        if row.state == "waiting":
            row.due_at = edit.now
            edit.later.append(call_of(row))
    await edit.session.flush()


def put_off(row: WebhookDelivery, now: datetime, result: str) -> None:
    """Note an attempt that failed: the next one is later, or the delivery is dead."""
    row.result = result[:500]
    if row.attempt == len(WAITS):
        row.state = "dead"
        return
    row.due_at, row.attempt = now + WAITS[row.attempt], row.attempt + 1


def call_of(row: WebhookDelivery) -> LaterCall:
    """The scheduled call that makes the next attempt of a delivery."""
    return LaterCall(
        key=attempt_key(row.id, row.attempt), tool=DELIVER_TOOL, arguments={"deliveryId": row.id}, at=row.due_at
    )


def attempt_key(delivery: str, attempt: int) -> str:
    """The key under which the call of an attempt is scheduled."""
    return f"webhook {delivery}/{attempt}"
