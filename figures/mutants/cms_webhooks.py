"""Mutants of the figures about webhooks of the CMS."""

from __future__ import annotations

from functools import partial
from typing import Final

from figures.cms_webhooks import measure_webhooks
from figures.mutants.mutant import edited, mutants_of, together

_MODULE: Final = "remit_cms.webhooks.webhooks"
_WEBHOOKS: Final = f"{_MODULE}:Webhooks"
_STORED: Final = "remit_cms.storage.webhooks"
_SIGNING: Final = "remit_cms.webhooks.signing"

_LOST: Final = {
    "a process that takes over does not schedule the calls that follow an edit": edited(
        "remit_cms.storage.transactions:edit_once", "in written.later:", "in edit.later:"
    ),
    "a delivery that failed is not tried again": edited(
        f"{_MODULE}:_note_attempt", "edit.later.append(call_of(row))", "pass"
    ),
    "a delivery is noted before it is sent": edited(
        f"{_WEBHOOKS}.deliver_webhook",
        "is_sent, result = await self._send(row, url)",
        "async with self._database.write() as session:\n"
        '            (await session.get(WebhookDelivery, row.id)).state = "delivered"\n'
        "        is_sent, result = await self._send(row, url)",
    ),
    "a server that fails counts as told": edited(f"{_WEBHOOKS}._send", "reply.status < 300", "reply.status < 600"),
    "servers are not told what is hidden": edited(
        "remit_cms.storage.live:move_live", "!= Kind.IMAGE]", "!= Kind.IMAGE and move.snapshot]"
    ),
    "one server is told of each publication": edited(
        f"{_STORED}:queue_deliveries", "for webhook in webhooks:", "for webhook in webhooks[:1]:"
    ),
    "a delivery whose call was withdrawn waits for ever": edited(
        f"{_STORED}:_queue_lost", "edit.later.append(call_of(row))", "pass"
    ),
}
_WRONG: Final = {
    "a server that is gone is asked again": edited(f"{_MODULE}:_note_attempt", 'row.state = "dead"', "pass"),
    "the signature does not say when": edited(f"{_SIGNING}:sign", "{delivery}.{seconds}.{body}", "{delivery}.{body}"),
    "all webhooks have one secret": edited(
        f"{_SIGNING}:WebhookKey.derive", 'f"webhook {webhook}".encode()', 'b"webhook"'
    ),
    "each attempt has an id of its own": edited(
        f"{_WEBHOOKS}._send", "sign(secret, row.id,", 'sign(secret, f"{row.id}-{row.attempt}",'
    ),
    "an attempt does not wait for its time": edited(f"{_STORED}:call_of", "at=row.due_at", "at=row.created_at"),
    "people may have a delivery sent": edited(
        f"{_WEBHOOKS}._find_attempt",
        'raise ConflictError(f"The delivery {row.id} is sent at its time, by itself.")',
        "return row.attempt",
    ),
    "webhooks of other sites are told": together(
        edited(f"{_STORED}:queue_deliveries", ".where(edit.target.row_filter(Webhook))", ""),
        edited(f"{_MODULE}:_find_delivery", "scope.target.row_filter(Webhook), ", ""),
    ),
    "drafts are told": edited(f"{_STORED}:_describe", '"revision": told.revision', '"revision": told.page.revision'),
    "what the operator allows one server holds for all": edited(
        "remit_cms.webhooks.addresses:WebhookHttp._find_client",
        "return self._public",
        "return next(iter(self._own.values()))",
    ),
    "addresses of names are not checked": edited(
        "remit.http.guarded:_GuardedBackend._find_addresses",
        "look_up = partial(resolve, target, policy=self._policy, resolver=self._resolver)",
        "return [each[4][0] for each in self._resolver(host, port)]",
    ),
    "a redirect is followed": edited(
        "remit.http.guarded:GuardedHttp._send",
        'if method != "GET" or reply.status not in',
        "if reply.status not in",
    ),
    "an address is checked when a person has been asked": edited(
        f"{_WEBHOOKS}.preview_addition", "url = self._http.check(payload.url)", "url = payload.url"
    ),
}

MUTANTS: Final = (
    *mutants_of("cms.webhooks_lost", _LOST, partial(measure_webhooks, short=True, ends=lambda judge: bool(judge.lost))),
    *mutants_of(
        "cms.webhooks_wrong", _WRONG, partial(measure_webhooks, short=True, ends=lambda judge: bool(judge.wrong))
    ),
)
