"""Webhooks: servers are told of each publication, wherever a process dies, and of nothing else, and no other server."""

from __future__ import annotations

import asyncio
import hmac
import itertools
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from apps.cms.tests.world import WEBHOOK_KEY
from figures.cms_webhooks_world import LEASE, SERVER, Objects, Office, Receiver, Request, open_office
from figures.figure import Figure, no_violations
from figures.ssrf import INWARD, NAMES, WRITTEN
from figures.ssrf_world import PUBLIC
from remit.errors import CallError
from remit_cms.pages.payloads import CreatePage, UpdatePage
from remit_cms.webhooks.addresses import WebhookHttp
from remit_cms.webhooks.signing import write_secret

WAITS: Final = tuple(timedelta(seconds=each) for each in (5, 300, 1800, 7200, 18_000, 36_000, 50_400))
"""The times between attempts that the guide promises."""
PATHS: Final = ("/first", "/second")
_FAILING: Final = [500, 0, 302, 404]
"""What the first server answers at first: an error, no connection, a redirect, and that there is nothing."""
_HOUR: Final = timedelta(hours=1)
_HOSTILE: Final = (
    "http://public.example/",
    "https://public.example:8080/",
    "https://public.example:22/",
    "http://inside.example:8080/",
    "http://10.1.2.3/",
    "https://10.1.2.3/",
    "http://10.1.2.3:9090/",
    "http://10.1.2.4:8080/",
    "https://user:word@public.example/",
)
"""Addresses beside that of the operator's server, and public ones that are not at the usual port of https."""


@dataclass
class Judge:
    """What was lost, and what was wrong, in so many ``tellings`` of publications and ``requests``."""

    tellings: int = 0
    requests: int = 0
    deaths: int = 0
    lost: list[str] = field(default_factory=list[str])
    wrong: list[str] = field(default_factory=list[str])


def figures(*, short: bool) -> Iterator[Figure]:
    """What servers were not told, and what was sent that may not be sent."""
    yield from measure_webhooks(short=short)


def measure_webhooks(*, short: bool, ends: Callable[[Judge], bool] = lambda _: False) -> Iterator[Figure]:
    """Both figures; ``short`` dies at the last moment of each name, and ``ends`` says when enough was found."""
    judge = Judge()
    asyncio.run(_judge_all(judge, ends, short=short))
    how = (
        "publications, hidings and changes of several pages told to two servers, of which one fails four times in four "
        f"ways; the process dies at {judge.deaths} moments, before and after each write, commit, scheduled call and "
        "request, and the next one continues; calls that were withdrawn, a server that always fails, and one that is "
        "gone"
    )
    yield no_violations("cms.webhooks_lost", len(judge.lost), judge.tellings, "; ".join([how, *judge.lost[:3]]))
    how = (
        "signatures, ids, times and contents of requests beside what visitors see, who is told, who may send, and "
        f"where secrets are; with {len(_HOSTILE) + 2 * len(INWARD) + len(WRITTEN)} hostile addresses, redirects and a "
        "name whose address changes"
    )
    yield no_violations("cms.webhooks_wrong", len(judge.wrong), judge.requests, "; ".join([how, *judge.wrong[:3]]))


async def _judge_all(judge: Judge, ends: Callable[[Judge], bool], *, short: bool) -> None:
    moments = await _publish_and_judge(judge, 0)
    for work in (_judge_outcomes, _judge_withdrawn, partial(_judge_addresses, every=3 if short else 1)):
        if not ends(judge):
            await work(judge)
    last = {moment: number for number, moment in enumerate(moments, start=1)}
    for death_at in last.values() if short else range(1, len(moments) + 1):
        if not ends(judge):
            await _publish_and_judge(judge, death_at)
            judge.deaths += 1


async def _publish_and_judge(judge: Judge, death_at: int) -> list[str]:
    """Publish, hide and change pages, with a death at a moment. Returns the moments at which it could come."""
    with TemporaryDirectory() as folder:
        async with open_office(Path(folder), death_at) as office:
            office.receiver.answers["/first"] = [*_FAILING]
            await _publish_all(office)
            await office.settle()
            moments = [*office.death.moments]
            if death_at and not office.death.has_come:
                judge.wrong.append(f"there was no moment {death_at} to die at")
            await _judge_requests(judge, office, died=office.death.has_come)
            if not death_at:
                await _judge_senders(judge, office)
    return moments


async def _publish_all(office: Office) -> None:
    world = office.world

    async def write(title: str) -> str:
        call = world.call(conversation="monday")
        return (await world.pages.create_page(call, CreatePage(title=title))).page.id

    await office.publish("cms_publishPage", pageId=await write("About"))
    await office.settle(_HOUR)
    for title in ("Menu", "Cakes"):
        await write(title)
    change_set = await world.find_open_set()
    await office.publish("cms_publishChangeSet", changeSetId=change_set)
    await world.pages.update_page(world.call(), UpdatePage(page_id="menu", slug="dishes"))
    await office.publish("cms_publishPage", pageId="Menu")
    await world.pages.update_page(world.call(), UpdatePage(page_id="cakes", title="Cakes and pies"))
    await office.settle(_HOUR)
    await office.publish("cms_unpublishPage", pageId="about")
    await office.publish("cms_publishPage", pageId="about")
    await office.publish("cms_unpublishPage", pageId="cakes")


async def _judge_requests(judge: Judge, office: Office, *, died: bool, latest: timedelta = 2 * LEASE) -> None:
    judge.requests += len(office.requests)
    secrets = {path: await _read_secret(webhook) for path, webhook in office.webhooks.items()}
    for path in PATHS:
        found = [each for each in office.requests if each.path == path]
        taken = [each.objects for each in found if 200 <= each.status < 300]
        for objects in office.expected:
            judge.tellings += 1
            if objects not in taken:
                judge.lost.append(f"{path} was not told {sorted(objects, key=str)}")
        if len(taken) > len(office.expected) + died:
            judge.wrong.append(f"{path} was told more often than a death explains")
        judge.wrong += [f"{path}: {what}" for each in found for what in _find_faults(each, office.expected)]
        judge.wrong += [
            f"{path}: the secret of {other} {'does not sign' if other == path else 'signs'} what it is sent"
            for each in found
            for other, secret in secrets.items()
            if _is_signed(each, secret) != (other == path)
        ]
        judge.wrong += _find_faults_of_repeats(found, died=died)
        first = {each.headers["webhook-id"]: each.delay for each in reversed(found)}
        judge.lost += [f"{path} was told {each} later" for each in first.values() if each > latest]
    judge.wrong += [f"{each.path} was requested" for each in office.requests if each.path not in PATHS]
    judge.lost += [f"the run {run} failed" for run in await office.find_failed()]


def _find_faults(request: Request, expected: list[Objects]) -> Iterator[str]:
    if request.objects not in expected:
        yield f"told {sorted(request.objects, key=str)}, which visitors never saw"
    if int(request.headers["webhook-timestamp"]) != int(request.at.timestamp()):
        yield "the time is not that of the request"


def _find_faults_of_repeats(found: list[Request], *, died: bool) -> Iterator[str]:
    """What receivers know repeats by is the id, and attempts come as late as promised."""
    attempts: dict[str, list[Request]] = {}
    for each in found:
        attempts.setdefault(each.headers["webhook-id"], []).append(each)
    bodies = [{each.body for each in same} for same in attempts.values()]
    if any(len(each) > 1 for each in bodies):
        yield "one id was given to two deliveries"
    if len({body for each in bodies for body in each}) < len(bodies):
        yield "one delivery was given two ids"
    for same in attempts.values():
        gaps = [later.at - sooner.at for sooner, later in itertools.pairwise(same)]
        if not died and any(gap < wait for gap, wait in zip(gaps, WAITS, strict=False)):
            yield f"it was told again after {gaps[0]}"


def _is_signed(request: Request, secret: bytes) -> bool:
    """Whether a request is signed with a secret, as the Standard Webhooks say."""
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.{request.body}"
    expected = b64encode(hmac.digest(secret, signed.encode(), sha256)).decode()
    return f"v1,{expected}" in request.headers["webhook-signature"].split(" ")


async def _read_secret(webhook: str) -> bytes:
    """The secret of a webhook, as its receiver is given it."""
    return b64decode(write_secret(await WEBHOOK_KEY.derive(webhook)).removeprefix("whsec_"))


async def _judge_senders(judge: Judge, office: Office) -> None:
    """Nobody but the scheduled call sends, and nothing that is stored has a secret."""
    office.receiver.answers["/first"] = [500] * 9
    await office.publish("cms_publishPage", pageId="cakes")
    sent = len(office.requests)
    for delivery, state in office.deliveries():
        if state == "waiting":
            await office.call("cms_deliverWebhook", deliveryId=delivery)
    judge.requests += 1
    if len(office.requests) != sent:
        judge.wrong.append("a person had a delivery sent")
    stored = await office.journals() + office.rows()
    for webhook in office.webhooks.values():
        secret = await _read_secret(webhook)
        if any(form in stored for form in (secret.hex(), b64encode(secret).decode())):
            judge.wrong.append(f"the secret of {webhook} is stored")


async def _judge_outcomes(judge: Judge) -> None:
    """A server that always fails is told as often as promised, and one that is gone once."""
    with TemporaryDirectory() as folder:
        async with open_office(Path(folder)) as office:
            office.receiver.answers = {"/first": [500] * 99, "/second": [410] * 99}
            about = await office.world.page("About")
            await office.publish("cms_publishPage", pageId=about.id)
            await office.settle()
            attempts = {path: [each for each in office.requests if each.path == path] for path in PATHS}
            judge.tellings += 1
            if len(attempts["/first"]) != len(WAITS) + 1:
                judge.lost.append(f"/first was told {len(attempts['/first'])} times")
            if len(attempts["/second"]) != 1:
                judge.wrong.append(f"/second, which is gone, was told {len(attempts['/second'])} times")
            if {state for _, state in office.deliveries()} != {"dead"} or len(await office.find_failed()) != len(PATHS):
                judge.lost.append("nobody was told that a server was not")
            judge.wrong += _find_faults_of_repeats(attempts["/first"], died=False)


async def _judge_withdrawn(judge: Judge) -> None:
    """A delivery whose call was withdrawn goes with the next publication."""
    with TemporaryDirectory() as folder:
        async with open_office(Path(folder)) as office:
            about = await office.world.page("About")
            office.is_executed = False
            await office.publish("cms_publishPage", pageId=about.id)
            await office.cancel_deliveries()
            office.is_executed = True
            office.now += _HOUR
            await office.publish("cms_unpublishPage", pageId=about.id)
            await office.settle()
            await _judge_requests(judge, office, died=False, latest=2 * _HOUR)


async def _judge_addresses(judge: Judge, *, every: int) -> None:
    """Every hostile address is refused before a person is asked, or where the connection is made."""
    urls = [f"{scheme}://{host}/hook" for host in INWARD for scheme in ("https", "http")]
    urls = [*_HOSTILE, *[*urls, *WRITTEN][::every], "https://rebinding.example/hook"]
    with TemporaryDirectory() as folder:
        async with open_office(Path(folder)) as office:
            for url in urls:
                judge.requests += 1
                office.receiver.names = {name: [*lookups] for name, lookups in NAMES.items()}
                office.receiver.names["rebinding.example"] = [[PUBLIC], ["127.0.0.1"]]
                asked = await office.ask("cms_addWebhook", url=url)
                if asked.questions and not url.startswith("https://"):
                    judge.wrong.append(f"a person was asked about {url}")
                for _ in range(2 if asked.questions else 1):
                    await _post(office.receiver, url)
                for host, port in office.receiver.reached:
                    if host != PUBLIC or port != 443:
                        judge.wrong.append(f"{url} led to {host}:{port}")
                office.receiver.reached.clear()


async def _post(receiver: Receiver, url: str) -> None:
    with suppress(CallError):
        await WebhookHttp(SERVER, make_http=receiver.make_http).post(url, b"{}", {})
