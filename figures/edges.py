"""Texts of strangers at the edges that take text: nothing raises, and nothing is lost or becomes something else."""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import create_model

from apps.casefile.tests.google.fake.server import FakeGoogle
from apps.casefile.tests.google.fake.serving import serving
from apps.casefile.tests.google.world import Ctx, World
from figures.edges_envelopes import read_casefiles, read_envelopes
from figures.edges_files import read_files, read_pages
from figures.edges_models import read_histories, read_streams
from figures.edges_yaml import read_yaml_files
from figures.figure import Figure, no_violations
from remit import Agent, App, Effect, Runtime, Tool, tool
from remit.agent import Prompt
from remit.call.json_contract import JsonInput
from remit.call.schema import Input
from remit.errors import ContractError, InvalidArgumentsError
from remit.http.decoding import decode_body
from remit.record.arguments import Limits, parse_arguments
from remit.testing import Scripted, calls, superuser
from remit.workers import WorkerFileError, build_agent, read_worker
from remit_casefile.google.mail_text import decode_text
from remit_casefile.google.mailbox_sync import MailboxSync
from remit_casefile.google.payloads.gmail import GetMessage, MessageView, SendMessage
from remit_cms.rich_text.html import render_rich_text
from tests.strangers import charsets, dates, numbers, prompts, schemas, types
from tests.strangers.mail import MAILS, StrangeMail
from tests.strangers.texts import STRANGE_TEXTS

Reading = tuple[str, bool]
"""An edge, and whether it read one input right."""


def figures(*, short: bool) -> Iterator[Figure]:
    """Inputs that an edge did not take as what they are."""
    step = 3 if short else 1
    yield asyncio.run(
        _count(*_mail_pages_and_values(step), *_models(step), read_casefiles(step), read_yaml_files(step))
    )


def measure_mail_pages_and_values() -> Iterator[Figure]:
    """The figure of all mail, files, pages, texts, dates, numbers, schemas and prompts.

    A mutant is noticed by one or two inputs, so it is measured with all inputs of its edges: a sample has another third
    of them each time that a list gets longer.
    """
    yield asyncio.run(_count(*_mail_pages_and_values(1)))


def measure_models() -> Iterator[Figure]:
    """The figure of all that model endpoints stream, of histories and of envelopes."""
    yield asyncio.run(_count(*_models(1)))


def measure_yaml() -> Iterator[Figure]:
    """The figure of all YAML."""
    yield asyncio.run(_count(read_yaml_files(1)))


def _mail_pages_and_values(step: int) -> Iterator[AsyncIterator[Reading] | Iterator[Reading]]:
    yield from (_read_mail(step), _read_texts(step), read_files(step), read_pages(step), _read_charsets(step))
    yield from (_read_dates(step), _read_numbers(step), _read_schemas(), _read_prompts(step))


def _models(step: int) -> Iterator[AsyncIterator[Reading] | Iterator[Reading]]:
    yield from (read_streams(step), read_histories(step), read_envelopes(step))


async def _count(*edges: AsyncIterator[Reading] | Iterator[Reading]) -> Figure:
    wrong: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for readings in edges:
        found = [each async for each in readings] if isinstance(readings, AsyncIterator) else readings
        for edge, is_right in found:
            total[edge] += 1
            wrong[edge] += not is_right
    how = "inputs of strangers at edges that take text: " + ", ".join(f"{n} {edge}" for edge, n in total.items())
    return no_violations("edges.unread", wrong.total(), total.total(), f"{how}; wrong: {dict(+wrong)}")


async def _read_mail(step: int) -> AsyncIterator[Reading]:
    """Mail that is read, and a mailbox of it that is synced; texts that are sent and read again."""
    async with serving(FakeGoogle()) as google:
        world = World(google)
        keys = {google.mailbox.deliver(mail.raw): mail for mail in MAILS[::step]}
        for key, mail in keys.items():
            try:
                view = await world.gmail.get_message(GetMessage(message_id=key))
            except Exception:  # noqa: BLE001 - a violation, whatever it is
                yield "mails read", False
            else:
                yield "mails read", _is_read(view, mail)
        try:
            synced = await MailboxSync(world.gmail, schedule=world.patience).sync()
            views = {view.id: view for view in synced.messages}
        except Exception:  # noqa: BLE001 - as above
            views = dict[str, MessageView]()
        for key, mail in keys.items():
            yield "mails synced", key in views and _is_read(views[key], mail)
        for number, text in enumerate(STRANGE_TEXTS[::step]):
            letter = SendMessage(to=["bob@example.com"], subject=text, body=text)
            sent = await world.gmail.send_message(Ctx(f"key-{number}"), letter)
            view = await world.gmail.get_message(GetMessage(message_id=sent.id))
            yield "texts mailed", (view.subject, view.text) == (text, text)
        await world.transport.close()


def _read_charsets(step: int) -> Iterator[Reading]:
    """Text below every label of a charset, in mail and on pages."""
    for label, content, text in (*charsets.DECLARED, *charsets.SPELLED)[::step]:
        yield "charsets of mail", decode_text(content, label) == text
        yield "charsets of pages", decode_body(content, f'text/plain; charset="{label}"') == text
    for label, content, text in charsets.BROKEN:
        yield "charsets of mail", decode_text(content, label) == text
    for label in charsets.NO_CHARSETS:
        yield "charsets of mail", decode_text("ä".encode(), label) == "ä"


def _is_read(view: MessageView, mail: StrangeMail) -> bool:
    read = (view.text.strip("\n"), view.subject, tuple(view.alternatives))
    attached = tuple((each.filename, each.text) for each in view.attachments)
    says = mail.says in " ".join(view.omitted) and bool(view.omitted) == bool(mail.says)
    beside = attached == mail.attached and (tuple(view.links), view.reply_to) == (mail.links, mail.reply_to)
    return read == (mail.text, mail.subject, mail.alternatives) and beside and says


async def _read_texts(step: int) -> AsyncIterator[Reading]:
    """Texts as arguments, results, prompts and pages."""
    got: list[object] = []

    @tool(effect=Effect.UNSAFE)
    async def echo(text: str) -> str:
        """Say it again."""
        got.append(text)
        return text

    async def say(arguments: dict[str, object]) -> object:
        got.append(arguments["text"])
        return arguments["text"]

    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    bridge = Tool.from_schema(
        "bridge", "Say it again.", schema, say, effect=Effect.UNSAFE, output_schema={"type": "string"}
    )
    for text in STRANGE_TEXTS[::step]:
        for each in (echo, bridge):
            got.clear()
            model = Scripted([calls((each.name, {"text": text})), text])
            agent = Agent("clerk", instructions=text, tools=(each,))
            runtime = Runtime(App(name="office", agents=(agent,)), model=model)
            result = await runtime.run(text, by=superuser())
            yield "texts as arguments", got == [text]
            yield "texts as answers", result.text == text
            said = [json.loads(message)["content"] for message in model.requests[-1].history]
            yield "texts in requests", said == [text, text, None, text]
        read = html.unescape(re.sub("<[^>]+>", "", str(render_rich_text(text))))
        yield "texts on pages", read.strip() == text


def _read_dates(step: int) -> Iterator[Reading]:
    for name, kind in dates.KINDS.items():
        made = Input(create_model("Booking", at=(kind, ...)))
        for strict in (True, False):
            for text in dates.ALLOWED[name]:
                yield "dates", _binds(made, text, strict=strict)
            for value in (*dates.REFUSED[name], *dates.NUMBERS)[::step]:
                yield "dates", not _binds(made, value, strict=strict)

    for name, texts in dates.SHOWN.items():
        made, imported = Input(create_model("Booking", at=(dates.KINDS[name], ...))), _imported({"format": name})
        for text in texts[::step]:
            yield "dates", _binds(made, text, strict=True) == _binds(imported, text, strict=True)


def _imported(schema: dict[str, Any]) -> JsonInput:
    return JsonInput({"type": "object", "properties": {"at": schema}})


def _binds(made: Input[Any] | JsonInput, value: object, *, strict: bool) -> bool:
    try:
        made.bind(parse_arguments(json.dumps({"at": value}), Limits()), strict=strict)
    except InvalidArgumentsError:
        return False
    return True


def _read_numbers(step: int) -> Iterator[Reading]:
    schemas_by_kind: dict[str, dict[str, Any]] = {"number": {"type": "number"}, "integer": {"type": "integer"}}
    for kind in numbers.KEPT:
        if kind in numbers.KINDS:
            made = Input(create_model("Payment", at=(numbers.KINDS[kind], ...)))
        else:
            made = _imported(schemas_by_kind.get(kind, {}))
        for number in numbers.CHANGED[kind][::step]:
            yield "numbers", _read_number(made, number) == ""
        for number, text in numbers.KEPT[kind]:
            yield "numbers", _read_number(made, number) == text


def _read_number(made: Input[Any] | JsonInput, number: str) -> str:
    """The canonical text of a number; empty if it is refused."""
    try:
        payload: Any = made.bind(parse_arguments(f'{{"at":{number}}}', Limits()), strict=True)
        return made.dump_canonical(payload)[6:-1]
    except InvalidArgumentsError:
        return ""


def _read_schemas() -> Iterator[Reading]:
    for schema, _ in schemas.CONTRADICTORY.values():
        yield "schemas", not _loads(schema)
    for schema in schemas.SATISFIABLE.values():
        yield "schemas", _loads(schema)
    for schema in schemas.UNSTORABLE.values():
        yield "schemas", _bind_nothing(schema) == {}
    for kind in types.IMPOSSIBLE.values():
        yield "types", not _takes(kind)
    for kind in types.POSSIBLE.values():
        yield "types", _takes(kind)
    made = JsonInput({"type": "object", "properties": {"n": {"type": "number"}}})
    for number, text in schemas.WHOLE:
        bound = made.bind(parse_arguments(json.dumps({"n": number}), Limits()), strict=True)
        yield "whole numbers", made.dump_canonical(bound) == f'{{"n":{text}}}'


def _bind_nothing(schema: dict[str, Any]) -> object:
    """The arguments of a call that gives none; None if they cannot be recorded."""
    made = JsonInput(schema)
    try:
        return json.loads(made.dump_canonical(made.bind(parse_arguments("{}", Limits()), strict=True)))
    except InvalidArgumentsError:
        return None


def _loads(schema: dict[str, Any]) -> bool:
    try:
        JsonInput(schema)
    except ContractError:
        return False
    return True


def _takes(kind: object) -> bool:
    """Whether a tool with a parameter of a type can be made."""

    async def book(value: Any) -> str:
        """Book."""
        return str(value)

    book.__annotations__["value"] = kind
    try:
        tool(effect=Effect.PURE)(book)
    except ContractError:
        return False
    return True


def _read_prompts(step: int) -> Iterator[Reading]:
    for body in prompts.KEPT[::step]:
        yield "prompts", _render(body) == body.rstrip()
    for body, rendered in prompts.RENDERED[::step]:
        yield "prompts", _render(body) == rendered
    for body in prompts.ESCAPED[::step]:
        yield "prompts", _render(body) is None
    for description in prompts.CUT[::step]:
        yield "descriptions", _render("Work.", description) is None
    for description in prompts.HIDDEN_BREAKS:
        yield "descriptions", _render("Work.", description) is None
    for description in prompts.UNCUT[::step]:
        yield "descriptions", _render("Work.", description) == "Work."


def _render(body: str, description: str = "x") -> str | None:
    """The prompt of a worker file; None if the file is refused."""
    with TemporaryDirectory() as folder:
        file = Path(folder).resolve() / "helper.worker"
        file.write_text(f"---\ndescription: {description}\n---\n{body}", encoding="utf-8")
        try:
            return build_agent(read_worker(file)).render_instructions(Prompt(prompt="go"))
        except WorkerFileError:
            return None
