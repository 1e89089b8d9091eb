"""The operations on webhooks. A model reads each docstring before it calls."""

from __future__ import annotations

from typing import Final

from sqlalchemy import func, select

from remit import LeafContext
from remit.errors import AlreadyExistsError, CallError, ConflictError, ExternalError
from remit.tools import Preview
from remit_cms.models import pluralize
from remit_cms.storage.database import Database
from remit_cms.storage.lists import Order, list_rows
from remit_cms.storage.missing import WEBHOOK, not_found
from remit_cms.storage.scope import Scope
from remit_cms.storage.transactions import Edit, edit_once, open_view
from remit_cms.storage.webhooks import Webhook, WebhookDelivery, attempt_key, call_of, put_off
from remit_cms.webhooks.addresses import WebhookHttp
from remit_cms.webhooks.payloads import (
    AddWebhook,
    DeliveriesReply,
    DeliverWebhook,
    DeliveryReply,
    DeliveryView,
    ListWebhookDeliveries,
    ListWebhooks,
    RemoveWebhook,
    WebhookReply,
    WebhooksReply,
    WebhookView,
)
from remit_cms.webhooks.signing import WebhookKey, sign

_MAX_WEBHOOKS: Final = 20
_GONE: Final = 410


class Webhooks:
    """Tells other servers what becomes live or is hidden.

    Args:
        database: the database with the pages, which schedules the calls that deliver.
        http: sends the requests, to public servers and to those that the operator names.
        key: the key from which the secrets of webhooks are derived.
    """

    def __init__(self, database: Database, http: WebhookHttp, key: WebhookKey) -> None:
        self._database, self._http, self._key = database, http, key

    async def add_webhook(self, ctx: LeafContext, payload: AddWebhook) -> WebhookReply:
        """Tell another server what becomes live or is hidden on this site from now on, after approval."""
        url = self._http.check(payload.url)
        await self._key.derive("")

        async def work(edit: Edit) -> WebhookReply:
            await _check_new(edit, url)
            row = Webhook(
                **edit.target.row,
                id=edit.new_id("webhook"),
                url=url,
                author=edit.author,
                created_at=edit.now,
            )
            edit.session.add(row)
            await edit.session.flush()
            edit.add_change("webhook", row.id, 1, name=url)
            secret = f"The operator prints its secret with: python -m remit_cms.webhooks {row.id}"
            return WebhookReply(webhook_id=row.id, message=f"Added the webhook. {secret}")

        return await edit_once(self._database, ctx, payload, WebhookReply, work)

    async def preview_addition(self, ctx: LeafContext, payload: AddWebhook) -> Preview:
        """Where requests will go, and what they tell, for the approver. A refused address ends the call before that."""
        url = self._http.check(payload.url)
        await self._key.derive("")
        async with open_view(self._database, ctx) as scope:
            await _check_new(scope, url)
        told = "ids, kinds, addresses and revisions of what becomes live or is hidden, and no texts"
        return Preview(f"{url} is told with each publication, without further questions: {told}")

    async def remove_webhook(self, ctx: LeafContext, payload: RemoveWebhook) -> WebhookReply:
        """Remove a webhook: its server is told nothing more. For what it was told: cms_listWebhookDeliveries."""

        async def work(edit: Edit) -> WebhookReply:
            row = await _find(edit, payload.webhook_id)
            await edit.session.delete(row)
            await edit.session.flush()
            edit.add_change("webhook", row.id, 1, name=row.url)
            return WebhookReply(webhook_id=row.id, message=f"Removed the webhook of {row.url}, and its deliveries")

        return await edit_once(self._database, ctx, payload, WebhookReply, work)

    async def list_webhooks(self, ctx: LeafContext, payload: ListWebhooks) -> WebhooksReply:
        """List the servers that are told of publications. For what was sent to them: cms_listWebhookDeliveries."""
        async with open_view(self._database, ctx) as scope:
            query = select(Webhook).where(scope.target.row_filter(Webhook))
            found = await list_rows(scope, payload, query, Order((Webhook.created_at, Webhook.id)), "webhooks")
            counts = select(WebhookDelivery.webhook, WebhookDelivery.state, func.count()).group_by(
                WebhookDelivery.webhook, WebhookDelivery.state
            )
            chosen = WebhookDelivery.webhook.in_([row.id for row in found.rows])
            by_state = {(row[0], row[1]): row[2] for row in await scope.session.execute(counts.where(chosen))}
            views = [
                WebhookView(
                    id=row.id,
                    url=row.url,
                    author=row.author,
                    waiting=by_state.get((row.id, "waiting"), 0),
                    dead=by_state.get((row.id, "dead"), 0),
                )
                for row in found.rows
            ]
            return WebhooksReply(webhooks=views, **found.summarize(pluralize(found.total, "webhook")))

    async def list_webhook_deliveries(self, ctx: LeafContext, payload: ListWebhookDeliveries) -> DeliveriesReply:
        """List what was sent to webhooks, the last first, with the results. For the servers: cms_listWebhooks."""
        async with open_view(self._database, ctx) as scope:
            query = select(WebhookDelivery).join(Webhook, Webhook.id == WebhookDelivery.webhook)
            query = query.where(scope.target.row_filter(Webhook))
            if payload.webhook_id is not None:
                query = query.where(Webhook.id == (await _find(scope, payload.webhook_id)).id)
            order = Order((WebhookDelivery.created_at, WebhookDelivery.id), is_falling=True)
            found = await list_rows(scope, payload, query, order, "deliveries", payload.webhook_id)
            message = f"{found.total} deliveries" if found.total != 1 else "1 delivery"
            views = [_view(row) for row in found.rows]
            return DeliveriesReply(deliveries=views, **found.summarize(message))

    async def deliver_webhook(self, ctx: LeafContext, payload: DeliverWebhook) -> DeliveryReply:
        """Send a delivery to the server of its webhook. Only Remit's executor can call this."""
        async with open_view(self._database, ctx) as scope:
            found = await _find_delivery(scope, payload.delivery_id)
            if found is None:
                return DeliveryReply(message="Its webhook was removed.")
            row, url = found
            attempt = self._find_attempt(ctx, row)
        is_sent, result = False, ""
        if row.state == "waiting" and attempt == row.attempt:
            is_sent, result = await self._send(row, url)

        async def work(edit: Edit) -> DeliveryReply:
            kept = await _find_delivery(edit, payload.delivery_id)
            if kept is None:
                return DeliveryReply(message="Its webhook was removed.")
            if kept[0].state == "waiting" and kept[0].attempt == attempt == row.attempt:
                _note_attempt(edit, kept[0], result, is_sent=is_sent)
                await edit.session.flush()
            return DeliveryReply(delivery=_view(kept[0]), message=f"{kept[0].state}: {kept[0].result}")

        reply = await edit_once(self._database, ctx, payload, DeliveryReply, work)
        if reply.delivery is not None and reply.delivery.state == "dead":  # the run fails, which people are told of
            told = f"the webhook {url} was told nothing in {reply.delivery.attempts} attempts"
            raise ExternalError(f"{told}: {reply.delivery.result}")
        return reply

    def _find_attempt(self, ctx: LeafContext, row: WebhookDelivery) -> int:
        """The number of the attempt that a call was scheduled for; one that is resumed may have an earlier one.

        Raises:
            ConflictError: it was scheduled for none.
        """
        schedules = self._database.schedules
        for attempt in range(row.attempt + 1):
            if schedules is not None and ctx.run == schedules.find_run(attempt_key(row.id, attempt)):
                return attempt
        raise ConflictError(f"The delivery {row.id} is sent at its time, by itself.")

    async def _send(self, row: WebhookDelivery, url: str) -> tuple[bool, str]:
        """Whether the server took a delivery, and what it said."""
        try:
            secret = await self._key.derive(row.webhook)
            seconds = int(self._database.clock().timestamp())
            reply = await self._http.post(url, row.body.encode(), sign(secret, row.id, seconds, row.body))
        except CallError as error:
            return False, error.message
        return 200 <= reply.status < 300, f"status {reply.status}"


async def _check_new(scope: Scope, url: str) -> None:
    rows = (await scope.session.scalars(select(Webhook).where(scope.target.row_filter(Webhook)))).all()
    for row in rows:
        if row.url == url:
            raise AlreadyExistsError(f"There is a webhook with this address already: id {row.id}.")
    if len(rows) >= _MAX_WEBHOOKS:
        raise ConflictError(f"A site has at most {_MAX_WEBHOOKS} webhooks. cms_removeWebhook removes one.")


def _note_attempt(edit: Edit, row: WebhookDelivery, result: str, *, is_sent: bool) -> None:
    if is_sent:
        row.state, row.result = "delivered", result
    else:
        put_off(row, edit.now, result)
        if result == f"status {_GONE}":
            row.state = "dead"
    if row.state == "waiting":
        edit.later.append(call_of(row))
    edit.add_change("webhook-delivery", row.id, row.attempt + 1, "state", name=row.id)


async def _find(scope: Scope, name: str) -> Webhook:
    query = select(Webhook).where(scope.target.row_filter(Webhook), Webhook.id == name)
    found = (await scope.session.scalars(query)).first()
    if found is None:
        raise not_found(WEBHOOK, name)
    return found


async def _find_delivery(scope: Scope, delivery: str) -> tuple[WebhookDelivery, str] | None:
    """A delivery and the address of its webhook; None if it is gone with its webhook."""
    query = select(WebhookDelivery, Webhook.url).join(Webhook, Webhook.id == WebhookDelivery.webhook)
    query = query.where(scope.target.row_filter(Webhook), WebhookDelivery.id == delivery)
    found = (await scope.session.execute(query)).first()
    return None if found is None else (found[0], found[1])


def _view(row: WebhookDelivery) -> DeliveryView:
    is_waiting = row.state == "waiting"
    return DeliveryView(
        id=row.id,
        webhook_id=row.webhook,
        state=row.state,
        attempts=row.attempt if is_waiting else row.attempt + 1,
        made_at=row.created_at.isoformat(timespec="seconds"),
        next_at=row.due_at.isoformat(timespec="seconds") if is_waiting else None,
        result=row.result,
    )
