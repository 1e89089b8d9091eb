"""Payloads and replies of the operations on webhooks."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from remit_cms.models import ListPayload, ListReply, OmittedIfNone, OptionalParam, Payload, Reply, View, WriteReply

_Webhook = Annotated[str, Field(min_length=1, max_length=64)]
_ID = "Id of the webhook"


class AddWebhook(Payload):
    """A new webhook."""

    url: str = Field(description="The whole address that requests are sent to", min_length=1, max_length=2000)


class RemoveWebhook(Payload):
    """The webhook to remove."""

    webhook_id: _Webhook = Field(description=_ID)


class ListWebhooks(ListPayload):
    """The webhooks to list."""


class ListWebhookDeliveries(ListPayload):
    """The deliveries to list."""

    webhook_id: OptionalParam[_Webhook] = Field(default=None, description=f"{_ID}; all webhooks if omitted")


class DeliverWebhook(Payload):
    """The delivery whose time has come."""

    delivery_id: _Webhook = Field(description="Id of the delivery")


class WebhookView(View):
    """A webhook, with how many of its deliveries wait and are dead."""

    id: str
    url: str
    author: str
    waiting: int
    dead: int


class WebhookReply(WriteReply):
    """One webhook."""

    webhook_id: str


class WebhooksReply(ListReply):
    """Webhooks."""

    webhooks: list[WebhookView]


class DeliveryView(View):
    """A delivery: waiting, delivered or dead, after so many attempts. ``result`` is how the last of them ended."""

    id: str
    webhook_id: str
    state: str
    attempts: int
    made_at: str
    next_at: OmittedIfNone[str] = None
    result: OmittedIfNone[str] = None


class DeliveryReply(Reply):
    """One delivery."""

    delivery: OmittedIfNone[DeliveryView] = None


class DeliveriesReply(ListReply):
    """Deliveries, the last one first."""

    deliveries: list[DeliveryView]
