"""The tools: names, facts and schemas, and each of them through the runtime."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from apps.casefile.tests.google.fake.faults import Cut, Says, broken, busy
from apps.casefile.tests.google.governed import ANN, call, google_app, operations
from apps.casefile.tests.google.mails import mail
from apps.casefile.tests.google.world import Ctx, World
from remit import Effect, LeafContext, Principal, Risk, Runtime, Tool
from remit.inventory import Maturity, Tier
from remit.stores import InMemoryStore
from remit.tools import Changed, Preview, Rate
from remit_casefile.google.clients import Clients
from remit_casefile.google.gmail import GmailClient
from remit_casefile.google.payloads.gmail import SendMessage, SentMessage
from remit_casefile.google.payloads.sheets import AppendedValues, AppendValues, UpdateValues
from remit_casefile.google.sheets import SheetsClient

AnyTool = Tool[..., Any]
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
    return {tool.name: tool for each in operations(world.clients) for tool in each.callees}


@pytest.fixture
def runtime(world: World) -> Runtime:
    return Runtime(google_app(world.clients))


def test_each_tool_has_the_facts_of_what_it_does(made: dict[str, AnyTool]) -> None:
    facts = {
        name: (each.facts.effect, each.facts.risk, each.facts.egress, ",".join(each.facts.permissions))
        for name, each in made.items()
    }
    assert facts == FACTS


def test_each_tool_is_classified_as_a_foreign_operation_and_limited_alike(made: dict[str, AnyTool]) -> None:
    for tool in made.values():
        kind = tool.facts.classification
        assert kind is not None
        assert (kind.tier, kind.maturity) == (Tier.EXTERNAL, Maturity.BETA)
        assert (tool.facts.timeout, tool.facts.rate) == (60.0, Rate(60, 60.0))


def test_each_tool_is_of_a_method_that_names_no_user(world: World) -> None:
    methods = [each for of in operations(world.clients) for each in of.methods.values()]
    keys = {each.metadata.key for each in methods}
    assert keys >= {"communication.gmail.list_messages", "workspace.google_drive.list_files"}
    assert all(each.envelopes is None for each in methods)
    assert not any(parameter.name == "user_id" for each in methods for parameter in each.parameters)


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
    assert (waiting.status, writes(world)) == ("waiting", [])

    await runtime.decide(waiting.questions[0], approved=True, by=ANN)
    done = await runtime.resume(waiting.run)

    assert (done.status, len(writes(world))) == ("done", 1)


def writes(world: World) -> list[str]:
    """What was asked of Google, but for what a preview reads."""
    return [method for method in world.google.asked if method != "sheets.spreadsheets.values.batchGet"]


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

    assert (missing["success"], missing["errorCode"]) == (False, "GOOGLE_NOT_FOUND")
    assert (wrong["success"], wrong["errorCode"]) == (False, "VALIDATION_ERROR")


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
    store = InMemoryStore()
    first, second = (
        Runtime(
            google_app(clients),
            store=store,
            make_run_id=lambda: "run-1",
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
    second = await crashed(world, Dying(world.transport, schedule=world.patience))
    world.google.mailbox.lag = 1

    result = await second.resume("run-1")

    assert result.status == "done"
    assert [json.loads(result.text)["id"]] == list(world.google.mailbox.messages)
    assert world.google.asked.count("gmail.users.messages.send") == 1


async def test_where_nothing_is_found_after_a_crash_a_person_is_asked_before_it_is_sent(world: World) -> None:
    dying = Dying(world.transport, schedule=world.patience)
    dying.before = True
    second = await crashed(world, dying)

    waiting = await second.resume("run-1")
    assert (waiting.status, world.google.mailbox.messages) == ("waiting", {})
    assert world.waited == [2.0, 5.0, 10.0]

    await second.decide(waiting.questions[0], approved=False, by=ANN)
    again = await second.resume("run-1")
    assert (again.status, world.google.mailbox.messages) == ("waiting", {}), "the first approval is used up"

    await second.decide(again.questions[0], approved=True, by=ANN)
    done = await second.resume("run-1")
    assert (done.status, len(world.google.mailbox.messages)) == ("done", 1)


class DyingSheets(SheetsClient):
    """Dies after its rows were appended."""

    async def append_values(self, payload: AppendValues) -> AppendedValues:
        """Append rows."""
        await super().append_values(payload)
        raise Crash


async def test_who_watches_a_sheet_is_told_of_rows_that_a_person_says_were_appended(world: World) -> None:
    store = InMemoryStore()

    def runtime(sheets: SheetsClient) -> Runtime:
        clients = Clients(gmail=world.gmail, drive=world.drive, sheets=sheets)
        return Runtime(
            google_app(clients), store=store, make_run_id=lambda: "run-1", directory=lambda _name, _tenant: ANN
        )

    fill(world)
    arguments = {"spreadsheet_id": "book", "range": "Sheet1!A1", "values": [[1]]}
    first, second = runtime(DyingSheets(world.transport)), runtime(world.sheets)
    waiting = await call(first, "sheets_append_values", arguments)
    await first.decide(waiting.questions[0], approved=True, by=ANN)
    with pytest.raises(Crash):
        await first.resume("run-1")
    asked = await second.resume("run-1")
    happened = json.dumps({"spreadsheet_id": "book", "updates": {"spreadsheet_id": "book"}})
    await second.decide(asked.questions[0], approved=True, by=ANN, result=happened)

    assert (await second.resume("run-1")).status == "done"
    told = {Changed.from_item(position.item) for position in await store.read("run-1")} - {None}
    assert told == {Changed("sheet", "book", fields=("Sheet1!A1",))}
    assert world.google.asked.count("sheets.spreadsheets.values.append") == 1


async def test_a_message_that_was_sent_without_an_id_in_the_answer_was_sent(world: World, runtime: Runtime) -> None:
    world.google.faults.plan("gmail.users.messages.send", Says(b'{"id": "", "threadId": ""}'))
    waiting = await call(runtime, "gmail_send_message", LETTER)
    await runtime.decide(waiting.questions[0], approved=True, by=ANN)

    assert (await runtime.resume(waiting.run)).status == "done"


@pytest.mark.parametrize(
    ("name", "arguments", "shown"),
    [
        (
            "gmail_send_message",
            {**LETTER, "cc": ["cyd@example.com"], "bcc": ["dan@example.com"], "body": "1\n2\n3\n4\n5\n6\n7"},
            (
                "a message to bob@example.com, copy to cyd@example.com, hidden copy to dan@example.com\n"
                "Subject: hi\n1\n2\n3\n4\n5\n(2 more lines)"
            ),
        ),
        (
            "gmail_send_message",
            {**LETTER, "thread_id": "thread"},
            "a message to bob@example.com (an answer in a thread)\nIn answer to: <one@example.com>\nSubject: hi\nho",
        ),
        (
            "drive_upload_file",
            {"name": "a.txt", "text": "b" * 300},
            "the file 'a.txt' (text/plain, 300 bytes) into the top folder\n" + "b" * 200 + "…",
        ),
        (
            "drive_upload_file",
            {"name": "a.bin", "mime_type": "x/y", "base64": "AAEC", "folder_id": "file-1"},
            "the file 'a.bin' (x/y, 3 bytes) into the folder file-1 ('letters')",
        ),
        (
            "sheets_append_values",
            {"spreadsheet_id": "book", "range": "Sheet1!A1", "values": [[1, None, "x"], [True]]},
            "2 rows below the table at Sheet1!A1 of the spreadsheet book\n1 |  | x\nTrue",
        ),
    ],
)
async def test_a_person_is_shown_what_would_go_out(
    world: World, runtime: Runtime, name: str, arguments: dict[str, Any], shown: str
) -> None:
    fill(world)
    waiting = await call(runtime, name, arguments)

    (row,) = await runtime.store.list_questions()
    assert (row.question.id, row.question.shown) == (waiting.questions[0], shown)


def fill(world: World) -> str:
    """Put what the calls are about at Google; the id of the folder."""
    world.google.mailbox.deliver(mail(subject="hi"), thread="thread")
    world.google.sheets.put("book", "Sheet1", [["a", "b"], ["c", "d"]])
    return world.google.drive.put("letters", b"", "application/vnd.google-apps.folder")


async def test_cells_that_would_be_written_over_are_shown_and_are_the_state(world: World) -> None:
    fill(world)
    tool = {each.name: each for each in google_app(world.clients).tools}["sheets_update_values"]
    payload = UpdateValues(spreadsheet_id="book", range="Sheet1!A1", values=[[1]])

    assert isinstance(tool, Tool)
    preview = await tool.preview(payload, Ctx())
    assert isinstance(preview, Preview)
    assert preview.summary == "1 rows over what is at Sheet1!A1 of the spreadsheet book\n1"
    assert await tool.preview(payload, Ctx()) == preview

    world.google.sheets.put("book", "Sheet1", [["changed"]])
    assert await tool.preview(payload, Ctx()) != preview


async def test_the_journal_keeps_no_cells_of_the_state(world: World, runtime: Runtime) -> None:
    world.google.sheets.put("book", "Sheet1", [["salary of Ann"] * 50] * 50)
    await call(runtime, "sheets_append_values", {"spreadsheet_id": "book", "range": "Sheet1", "values": [[1]]})

    (row,) = await runtime.store.list_questions()
    assert (len(row.question.state), "salary" in row.question.to_json()) == (32, False)


CELLS = {"spreadsheet_id": "book", "range": "Sheet1!A1:B2", "values": [[1]]}
CHANGES: dict[str, tuple[dict[str, Any], Callable[[World, str], object]]] = {
    "gmail_send_message": (
        {**LETTER, "thread_id": "thread"},
        lambda world, _: world.google.mailbox.deliver(mail(subject="no"), thread="thread"),
    ),
    "drive_upload_file": (
        {"name": "a.txt", "text": "b"},
        lambda world, folder: world.google.drive.change(folder, name="public"),
    ),
    "sheets_append_values": (CELLS, lambda world, _: world.google.sheets.put("book", "Sheet1", [["a", "changed"]])),
}


@pytest.mark.parametrize("name", CHANGES)
async def test_an_approval_is_void_once_what_was_shown_has_changed_at_google(
    world: World, runtime: Runtime, name: str
) -> None:
    folder = fill(world)
    arguments, change = CHANGES[name]
    waiting = await call(runtime, name, {**arguments, "folder_id": folder} if "text" in arguments else arguments)
    await runtime.decide(waiting.questions[0], approved=True, by=ANN)
    change(world, folder)

    asked_again = await runtime.resume(waiting.run)
    assert (asked_again.status, len(asked_again.questions)) == ("waiting", 1)
    assert asked_again.questions != waiting.questions

    await runtime.decide(asked_again.questions[0], approved=True, by=ANN)
    assert (await runtime.resume(waiting.run)).status == "done"


@pytest.mark.parametrize("name", CHANGES)
async def test_an_approval_holds_while_what_was_shown_is_unchanged(world: World, runtime: Runtime, name: str) -> None:
    folder = fill(world)
    arguments, _ = CHANGES[name]
    waiting = await call(runtime, name, {**arguments, "folder_id": folder} if "text" in arguments else arguments)
    await runtime.decide(waiting.questions[0], approved=True, by=ANN)
    assert (await runtime.resume(waiting.run)).status == "done"
