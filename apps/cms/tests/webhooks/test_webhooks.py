"""Webhooks through a runtime and a real server: what it is told, how often, and who may let it be told."""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from apps.cms.tests.world import WEBHOOK_KEY, World
from remit import App, Principal, Runtime
from remit.engines import RunSchedules
from remit.errors import CallError, SetupError
from remit.runtime import RunResult
from remit.secrets import EnvSecrets
from remit.stores import InMemoryStore
from remit.tools import Arguments
from remit_cms.app import WEBHOOK_PRIVATE_VARIABLE, app
from remit_cms.posts.payloads import CreatePost
from remit_cms.posts.posts import Posts
from remit_cms.protection import editing_policy
from remit_cms.storage.webhooks import WAITS
from remit_cms.tools import publishing_operations, webhook_operations
from remit_cms.webhooks.__main__ import main
from remit_cms.webhooks.addresses import WebhookHttp
from remit_cms.webhooks.signing import KEY_VARIABLE, WebhookKey
from remit_cms.webhooks.webhooks import Webhooks
from tests.loopback import Endpoint


class Crash(BaseException):
    """The process dies here."""


class DyingSchedules(RunSchedules):
    """Dies once, where the call that follows a publication is to be scheduled."""

    has_died = False

    async def add(self, key: str, tool: str, arguments: Mapping[str, object], *, at: datetime) -> str:
        """Schedule a call."""
        if not self.has_died:
            self.has_died = True
            raise Crash
        return await super().add(key, tool, arguments, at=at)


class Office:
    """The tools in a runtime, whose clock is moved by hand, with a server that webhooks may reach."""

    def __init__(self, world: World, receiver: Endpoint) -> None:
        self.world, self.receiver = world, receiver
        self.status = 200
        self.now = datetime(2026, 5, 1, tzinfo=UTC)
        self.store = InMemoryStore(self.read_clock)
        self.permissions = {"cms:*", "approvals:decide"}
        world.database.clock = lambda: self.now
        world.database.schedules = RunSchedules()
        self.use(WEBHOOK_KEY)

    def use(self, key: WebhookKey, *, private: bool = True) -> None:
        """Derive secrets from a key, and reach the server if it is one that the operator allows."""
        port = self.receiver.url.partition("127.0.0.1:")[2].partition("/")[0]
        http = WebhookHttp(f"127.0.0.1:{port}" if private else "")
        operations = webhook_operations(Webhooks(self.world.database, http, key)).callees
        tools = (*operations, *publishing_operations(self.world.database).callees)
        self._app = App(name="cms", tools=tools, references=self.world.references, policy=editing_policy())

    @property
    def ann(self) -> Principal:
        return Principal("ann", "local-site", frozenset(self.permissions))

    @property
    def runtime(self) -> Runtime:
        return Runtime(self._app, store=self.store, clock=self.read_clock, directory=lambda _name, _tenant: self.ann)

    def read_clock(self) -> float:
        return self.now.timestamp()

    async def call(self, tool: str, **arguments: str) -> RunResult[Any]:
        """Call a tool, and approve it if it asks."""
        result = await self.runtime.call_by_name(tool, Arguments(json.dumps(arguments), {**arguments}), by=self.ann)
        for question in result.questions:
            await self.runtime.decide(question, approved=True, by=self.ann)
            result = await self.runtime.resume(result.run)
        return result

    async def read(self, tool: str, **arguments: str) -> Any:
        """What a tool replies."""
        return json.loads((await self.call(tool, **arguments)).text)

    async def add(self) -> str:
        """The id of a new webhook of the server."""
        return (await self.read("cms_addWebhook", url=self.receiver.url))["webhookId"]

    async def publish(self, title: str) -> RunResult[Any]:
        page = await self.world.page(title)
        return await self.call("cms_publishPage", pageId=page.id)

    async def execute(self, after: timedelta = timedelta()) -> list[str]:
        """What an executor does a while later: it attempts all runs that have not ended. Returns how these stand."""
        self.now += after
        unfinished = [row.run for row in await self.store.list_runs() if row.status in ("running", "scheduled")]
        return [(await self.runtime.resume(run)).status for run in unfinished]

    async def deliveries(self) -> list[dict[str, Any]]:
        return (await self.read("cms_listWebhookDeliveries"))["deliveries"]

    def headers(self) -> list[dict[str, str]]:
        """The headers of the requests that the server received."""
        heads = [head.split("\r\n") for head in self.receiver.heads]
        return [dict(line.split(": ", 1) for line in lines if ": " in line) for lines in heads]


@pytest.fixture
async def office(world: World) -> AsyncIterator[Office]:
    made: list[Office] = []
    async with Endpoint(lambda _body: (made[0].status, "")) as receiver:
        made.append(Office(world, receiver))
        yield made[0]


async def test_a_server_is_told_of_each_publication_in_a_signed_request(office: Office, world: World) -> None:
    webhook = await office.add()
    page = await world.page("About")
    await office.call("cms_publishPage", pageId=page.id)
    assert office.receiver.received == []
    assert await office.execute() == ["done"]
    (body,), (head,) = office.receiver.received, office.headers()
    assert json.loads(body) == {
        "type": "content.changed",
        "timestamp": "2026-05-01T00:00:00+00:00",
        "data": {
            "site": "local-site",
            "environment": "main",
            "changeSet": "set_1",
            "objects": [
                {
                    "id": page.id,
                    "kind": "page",
                    "state": "live",
                    "revision": 1,
                    "addresses": {"en": "/about", "de": "/de/about"},
                }
            ],
            "total": 1,
        },
    }
    assert head["webhook-timestamp"] == str(int(office.now.timestamp()))
    signed = b".".join([head["webhook-id"].encode(), head["webhook-timestamp"].encode(), body])
    secret = await WEBHOOK_KEY.derive(webhook)
    # The receiver writes headers in lower case, which base64 is not.
    expected = f"v1,{b64encode(hmac.digest(secret, signed, sha256)).decode()}"
    assert head["webhook-signature"] == expected.lower()
    (told,) = await office.deliveries()
    assert (told["state"], told["attempts"], told["result"]) == ("delivered", 1, "status 200")


async def test_what_is_hidden_is_told_and_a_site_without_webhooks_stores_nothing(office: Office, world: World) -> None:
    await office.publish("About")
    assert (await world.rows())["webhook_deliveries"] == 0
    await office.add()
    post = (await Posts(world.database).create_post(world.call(), CreatePost(title="News", body="x"))).post
    await office.call("cms_publishPage", pageId=post.id)
    await office.call("cms_unpublishPage", pageId=post.id)
    await office.execute()
    told = sorted((json.loads(body)["data"]["objects"][0] for body in office.receiver.received), key=str)
    assert [(each["kind"], each["state"], each["revision"]) for each in told] == [
        ("entry", "hidden", None),
        ("entry", "live", 1),
    ]


async def test_a_crash_after_the_publication_loses_no_delivery(office: Office, world: World) -> None:
    await office.add()
    world.database.schedules = DyingSchedules()
    page = await world.page("About")
    arguments = {"pageId": page.id}
    asked = await office.runtime.call_by_name(
        "cms_publishPage", Arguments(json.dumps(arguments), {**arguments}), by=office.ann
    )
    await office.runtime.decide(asked.questions[0], approved=True, by=office.ann)
    with pytest.raises(Crash):
        await office.runtime.resume(asked.run)
    assert (await world.rows())["webhook_deliveries"] == 1
    assert office.receiver.received == []
    office.now += timedelta(minutes=5)  # the lease of the dead process ends
    await office.execute()
    await office.execute()
    assert len(office.receiver.received) == 1
    assert [each["state"] for each in await office.deliveries()] == ["delivered"]


async def test_a_delivery_that_fails_is_tried_again_later_and_later_and_then_a_person_is_told(office: Office) -> None:
    await office.add()
    await office.publish("About")
    office.status = 500
    assert await office.execute() == ["done"]
    (told,) = await office.deliveries()
    assert (told["state"], told["attempts"], told["result"]) == ("waiting", 1, "status 500")
    assert await office.execute() == ["scheduled"]  # its time has not come
    for wait in WAITS:
        assert len(await office.execute(wait)) == 1
    ids = {head["webhook-id"] for head in office.headers()}
    times = {head["webhook-timestamp"] for head in office.headers()}
    assert (len(ids), len(times), len(office.receiver.received)) == (1, len(WAITS) + 1, len(WAITS) + 1)
    (told,) = await office.deliveries()
    assert (told["state"], told["attempts"]) == ("dead", len(WAITS) + 1)
    assert (await office.read("cms_listWebhooks"))["webhooks"][0]["dead"] == 1
    last = [row for row in await office.store.list_runs() if row.status == "failed"]
    assert [row.callee for row in last] == ["cms_deliverWebhook"]


async def test_a_crash_before_the_next_attempt_is_scheduled_loses_no_delivery(office: Office, world: World) -> None:
    await office.add()
    await office.publish("About")
    office.status, world.database.schedules = 500, DyingSchedules()
    with pytest.raises(Crash):
        await office.execute()
    office.status = 200
    await office.execute(timedelta(minutes=5))  # the lease of the dead process ends
    await office.execute()
    assert [(each["state"], each["attempts"]) for each in await office.deliveries()] == [("delivered", 2)]
    assert len({head["webhook-id"] for head in office.headers()}) == 1


async def test_a_server_that_says_gone_is_not_asked_again(office: Office) -> None:
    await office.add()
    await office.publish("About")
    office.status = 410
    assert await office.execute() == ["failed"]
    assert [each["state"] for each in await office.deliveries()] == ["dead"]
    assert await office.execute(timedelta(days=2)) == []


async def test_a_redirect_is_not_followed(office: Office) -> None:
    await office.add()
    await office.publish("About")
    office.status = 302
    await office.execute()
    assert [each["result"] for each in await office.deliveries()] == ["status 302"]


async def test_what_waits_for_a_right_that_was_lost_goes_with_a_later_publication(office: Office) -> None:
    await office.add()
    await office.publish("About")
    office.permissions = {"cms:publish"}
    assert await office.execute() == ["failed"]
    office.permissions = {"cms:*", "approvals:decide"}
    office.now += timedelta(minutes=16)
    await office.publish("Contact")
    assert sorted(await office.execute()) == ["done", "done"]
    assert [each["state"] for each in await office.deliveries()] == ["delivered", "delivered"]


async def test_nobody_but_the_scheduled_call_sends_a_delivery(office: Office) -> None:
    await office.add()
    await office.publish("About")
    (told,) = await office.deliveries()
    refused = await office.read("cms_deliverWebhook", deliveryId=told["id"])
    assert (refused["success"], refused["errorCode"]) == (False, "CONFLICT")
    assert office.receiver.received == []


async def test_a_webhook_that_is_removed_is_told_nothing_more(office: Office) -> None:
    webhook = await office.add()
    await office.publish("About")
    await office.read("cms_removeWebhook", webhookId=webhook)
    assert await office.execute() == ["done"]
    await office.publish("Contact")
    assert await office.execute() == []
    assert office.receiver.received == []
    assert (await office.read("cms_removeWebhook", webhookId=webhook))["errorCode"] == "NOT_FOUND"


async def test_an_address_that_is_refused_is_refused_before_a_person_is_asked(office: Office) -> None:
    await office.add()
    again = await office.call("cms_addWebhook", url=office.receiver.url)
    assert (again.status, json.loads(again.text)["errorCode"]) == ("failed", "ALREADY_EXISTS")
    office.use(WEBHOOK_KEY, private=False)
    for url in (office.receiver.url, "http://hooks.example.com/", "https://10.0.0.1/", "ftp://a.example", "x"):
        refused = await office.call("cms_addWebhook", url=url)
        assert refused.status == "failed", url
    office.use(WebhookKey(EnvSecrets(KEY_VARIABLE, environ={KEY_VARIABLE: "too-short"})))
    refused = await office.call("cms_addWebhook", url=office.receiver.url + "/other")
    assert KEY_VARIABLE in refused.text
    assert await office.store.list_questions() == []


async def test_no_journal_holds_the_secret(office: Office) -> None:
    webhook = await office.add()
    await office.publish("About")
    await office.execute()
    secret = await WEBHOOK_KEY.derive(webhook)
    forms = {secret.hex(), b64encode(secret).decode(), "signs-webhooks-in-tests"}
    for row in await office.store.list_runs():
        written = str(await office.store.read(row.run))
        assert not any(form in written for form in forms)


def test_the_secret_is_printed_for_the_operator_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "k" * 32)
    main(["webhook_1"])
    printed = capsys.readouterr().out.strip()
    expected = hmac.digest(b"k" * 32, b"webhook webhook_1", sha256)
    assert b64decode(printed.removeprefix("whsec_")) == expected
    monkeypatch.delenv(KEY_VARIABLE)
    with pytest.raises(SystemExit, match=f"the operator sets {KEY_VARIABLE} to 32 random characters"):
        main(["webhook_1"])


def test_the_environment_names_the_servers_of_the_operator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REMIT_HOME", str(tmp_path))
    monkeypatch.setenv(WEBHOOK_PRIVATE_VARIABLE, "10.1.2.3:8080")
    assert app().name == "cms"
    monkeypatch.setenv(WEBHOOK_PRIVATE_VARIABLE, "hooks.internal")
    with pytest.raises(SetupError, match=f"{WEBHOOK_PRIVATE_VARIABLE} holds 'hooks.internal'"):
        app()


@pytest.mark.parametrize("private", ["10.0.0.1", "host:80", "10.0.0.1:x", "10.0.0.1:80/path", "a@10.0.0.1:80"])
def test_a_server_that_is_named_otherwise_than_by_address_and_port_is_refused(private: str) -> None:
    with pytest.raises(SetupError, match=r"give ADDRESS:PORT, such as 10\.1\.2\.3:8080"):
        WebhookHttp(private)


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.com/",
        "https://hooks.example.com:8080/",
        "http://10.1.2.3/",
        "https://10.1.2.3/",
        "http://10.1.2.3:9090/",
        "http://10.1.2.4:8080/",
        "http://internal.example.com:8080/",
        "http://10.1.2.3:8080@10.1.2.4/",
    ],
)
def test_a_server_of_the_operator_allows_its_own_address_and_port_and_nothing_else(url: str) -> None:
    http = WebhookHttp("10.1.2.3:8080, [fd00::1]:9090")
    for allowed in (
        "http://10.1.2.3:8080/a",
        "https://10.1.2.3:8080/a",
        "http://[fd00::1]:9090/",
        "https://a.example/",
    ):
        assert http.check(allowed) == allowed
    with pytest.raises(CallError):
        http.check(url)
