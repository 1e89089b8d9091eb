"""The tools: names, facts and schemas, and each of them through the runtime."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apps.casefile.tests.google.fake.faults import Cut, broken, busy
from apps.casefile.tests.google.mails import mail
from apps.casefile.tests.google.world import World
from remit import App, Arguments, Effect, InProcessStore, LeafContext, Principal, Risk, RunResult, Runtime
from remit_casefile.google.gmail import GmailClient
from remit_casefile.google.payloads.gmail import SendMessage, SentMessage
from remit_casefile.google.tools import AnyTool, Clients, tools

ANN = Principal("ann", permissions=frozenset({"*"}))
LETTER = {"to": ["bob@example.com"], "subject": "hi", "body": "ho"}

FACTS = {
    "gmail_list_messages": (Effect.PURE, Risk.SAFE, False, "workspace:gmail:read"),
    "gmail_search_messages": (Effect.PURE, Risk.SAFE, False, "workspace:gmail:read"),
    "gmail_get_message": (Effect.PURE, Risk.SAFE, False, "workspace:gmail:read"),
    "gmail_send_message": (Effect.UNSAFE, Risk.HIGH, True, "workspace:gmail:write"),
    "drive_list_files": (Effect.PURE, Risk.SAFE, False, "workspace:drive:read"),
    "drive_get_file": (Effect.PURE, Risk.SAFE, False, "workspace:drive:read"),
    "drive_download_file": (Effect.PURE, Risk.SAFE, False, "workspace:drive:read"),
    "drive_export_file": (Effect.PURE, Risk.SAFE, False, "workspace:drive:read"),
    "drive_upload_file": (Effect.UNSAFE, Risk.MODERATE, True, "workspace:drive:write"),
    "sheets_batch_get": (Effect.PURE, Risk.SAFE, False, "workspace:sheets:read"),
    "sheets_update_values": (Effect.IDEMPOTENT, Risk.MODERATE, True, "workspace:sheets:write"),
    "sheets_append_values": (Effect.UNSAFE, Risk.MODERATE, True, "workspace:sheets:write"),
}


@pytest.fixture
def made(world: World) -> dict[str, AnyTool]:
    return {tool.name: tool for tool in tools(world.clients)}


@pytest.fixture
def runtime(made: dict[str, AnyTool]) -> Runtime:
    return Runtime(App(name="casefile", tools=tuple(made.values())))


async def call(runtime: Runtime, name: str, arguments: dict[str, Any], by: Principal = ANN) -> RunResult[Any]:
    return await runtime.call_named(name, Arguments(json.dumps(arguments), arguments), by=by)


def test_each_tool_has_the_facts_of_what_it_does(made: dict[str, AnyTool]) -> None:
    facts = {
        name: (each.facts.effect, each.facts.risk, each.facts.egress, ",".join(each.facts.permissions))
        for name, each in made.items()
    }
    assert facts == FACTS


def test_nothing_that_google_says_is_trusted(made: dict[str, AnyTool]) -> None:
    assert not any(each.facts.trusted for each in made.values())


@pytest.mark.parametrize("name", FACTS)
def test_each_parameter_and_each_result_is_described(made: dict[str, AnyTool], name: str) -> None:
    tool = made[name]
    for schema in (tool.schema_in.json_schema, tool.schema_out.json_schema):
        for each in (schema, *schema.get("$defs", {}).values()):
            assert each["properties"]
            assert [field for field, said in each["properties"].items() if not said.get("description")] == []


async def test_mail_is_read_without_asking_anybody(world: World, runtime: Runtime) -> None:
    key = world.google.mailbox.deliver(mail())

    found = await call(runtime, "gmail_search_messages", {"query": "hello"})
    read = await call(runtime, "gmail_get_message", {"message_id": key})

    assert [each["id"] for each in json.loads(found.text)["messages"]] == [key]
    assert json.loads(read.text)["subject"] == "hello"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("gmail_send_message", LETTER),
        ("drive_upload_file", {"name": "a", "text": "b"}),
        ("sheets_append_values", {"spreadsheet_id": "book", "range": "Sheet1!A1", "values": [[1]]}),
    ],
)
async def test_what_sends_data_out_and_cannot_be_undone_waits_for_a_person(
    world: World, runtime: Runtime, name: str, arguments: dict[str, Any]
) -> None:
    world.google.sheets.put("book", "Sheet1", [])
    waiting = await call(runtime, name, arguments)
    assert (waiting.status, world.google.asked) == ("waiting", [])

    await runtime.decide(waiting.questions[0], approved=True, by=ANN)
    done = await runtime.resume(waiting.run)

    assert (done.status, len(world.google.asked)) == ("done", 1)


async def test_without_the_permission_nothing_is_asked_of_google(world: World, runtime: Runtime) -> None:
    reader = Principal("rita", permissions=frozenset({"workspace:gmail:read", "workspace:drive:read"}))

    for name, arguments in (
        ("gmail_send_message", LETTER),
        ("sheets_batch_get", {"spreadsheet_id": "b", "ranges": ["A1"]}),
    ):
        refused = await call(runtime, name, arguments, reader)
        assert json.loads(refused.text)["errorCode"] == "PERMISSION_DENIED"
    assert world.google.asked == []


async def test_what_goes_wrong_reaches_a_model_with_its_code(runtime: Runtime) -> None:
    missing = json.loads((await call(runtime, "gmail_get_message", {"message_id": "none"})).text)
    wrong = json.loads((await call(runtime, "gmail_get_message", {"message_id": "../x"})).text)

    assert (missing["success"], missing["errorCode"]) == (False, "NOT_FOUND")
    assert (wrong["success"], wrong["errorCode"]) == (False, "VALIDATION_ERROR")


@pytest.mark.looptime
async def test_a_read_that_fails_is_tried_again_and_a_send_is_not(world: World, runtime: Runtime) -> None:
    world.google.mailbox.deliver(mail())
    world.google.faults.plan("gmail.users.messages.list", broken())
    world.google.faults.plan("gmail.users.messages.list", busy())

    found = await call(runtime, "gmail_list_messages", {})
    assert found.status == "done"
    assert len(world.google.asked) == 3

    world.google.asked.clear()
    world.google.faults.plan("gmail.users.messages.send", Cut.BEFORE)
    waiting = await call(runtime, "gmail_send_message", LETTER)
    await runtime.decide(waiting.questions[0], approved=True, by=ANN)
    lost = json.loads((await runtime.resume(waiting.run)).text)

    assert lost["errorCode"] == "OUTCOME_UNKNOWN"
    assert world.google.asked.count("gmail.users.messages.send") == 1


class Crash(BaseException):
    """The process dies here."""


class Dying(GmailClient):
    """Dies once: after its message was sent and before anybody heard of it, or before it was sent."""

    before = False
    died = False

    async def send_message(self, ctx: LeafContext, payload: SendMessage) -> SentMessage:
        """Send a message."""
        first, self.died = not self.died, True
        if first and self.before:
            raise Crash
        sent = await super().send_message(ctx, payload)
        if first:
            raise Crash
        return sent


async def crashed(world: World, gmail: Dying) -> Runtime:
    """The runtime after a restart: ``run-1`` had begun to send, and its process died."""
    clients = Clients(gmail=gmail, drive=world.drive, sheets=world.sheets)
    store = InProcessStore()
    first, second = (
        Runtime(
            App(name="casefile", tools=tools(clients)),
            store=store,
            ids=lambda: "run-1",
            directory=lambda _name, _tenant: ANN,
        )
        for _ in range(2)
    )
    waiting = await call(first, "gmail_send_message", LETTER)
    await first.decide(waiting.questions[0], approved=True, by=ANN)
    with pytest.raises(Crash):
        await first.resume("run-1")
    return second


async def test_a_message_that_was_sent_before_a_crash_is_found_and_not_sent_again(world: World) -> None:
    second = await crashed(world, Dying(world.transport, patience=world.patience))
    world.google.mailbox.lag = 1

    result = await second.resume("run-1")

    assert result.status == "done"
    assert [json.loads(result.text)["id"]] == list(world.google.mailbox.messages)
    assert world.google.asked.count("gmail.users.messages.send") == 1


async def test_where_nothing_is_found_after_a_crash_a_person_is_asked_before_it_is_sent(world: World) -> None:
    dying = Dying(world.transport, patience=world.patience)
    dying.before = True
    second = await crashed(world, dying)

    waiting = await second.resume("run-1")
    assert (waiting.status, world.google.mailbox.messages) == ("waiting", {})
    assert world.waited == [2.0, 5.0, 10.0]

    await second.decide(waiting.questions[0], approved=False, by=ANN)
    done = await second.resume("run-1")

    assert (done.status, len(world.google.mailbox.messages)) == ("done", 1)
