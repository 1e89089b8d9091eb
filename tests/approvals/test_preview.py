"""A tool tells the person who is asked what a call of it is about."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import Effect, LeafContext, Risk, Tool, tool
from remit.errors import NotFoundError
from remit.journal.ports import Store
from remit.policies import Question
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.tools import Change, Preview, ShownObject
from tests.runtime.kit import last_reply, runtime_of

TITLES = {"p1": "About us"}


@tool(effect=Effect.KEYED, risk=Risk.HIGH)
async def drop(_ctx: LeafContext, page: str) -> str:
    """Drop a page."""
    return page


async def title(ctx: LeafContext, payload: Any) -> str:
    ctx.log("looked")
    ctx.emit("looked")
    return f"the page '{TITLES[payload.page]}' of {ctx.caller.principal.tenant} in {ctx.run}"


async def preview_of(tool: Tool[..., Any], store: Store, page: str = "p1", **more: Any) -> str:
    script = Scripted([calls((tool.name, {"page": page, **more})), "done"])
    result = await runtime_of(script, tool, store=store).run("go", by=superuser(tenant="bakery"), conversation="c")
    (row,) = await store.list_questions()
    return row.question.shown.replace(result.run, "RUN")


async def test_what_the_tool_says_stands_in_the_question(store: Store) -> None:
    assert await preview_of(drop.with_preview(title), store) == "the page 'About us' of bakery in RUN"


async def test_a_tool_that_says_nothing_leaves_it_empty(store: Store) -> None:
    assert await preview_of(drop, store) == ""


async def test_layers_and_other_names_keep_it(store: Store) -> None:
    assert "About us" in await preview_of(drop.with_preview(title).with_name("drop_page"), store)


async def refused(tool: Tool[..., Any], store: Store, page: str) -> dict[str, Any]:
    """The error that a model reads about a call whose preview fails."""
    model = Scripted([calls((tool.name, {"page": page})), "done"])
    result = await runtime_of(model, tool, store=store).run("go", by=superuser())
    assert (result.status, await store.list_questions(only_open=False)) == ("done", [])
    return last_reply(model)


async def test_a_preview_that_fails_ends_the_call_before_any_person_is_asked(store: Store) -> None:
    reply = await refused(drop.with_preview(title), store, "p2")
    assert reply["error"] == "the preview of drop failed: KeyError: 'p2'"


async def test_the_error_of_a_preview_is_that_of_the_call(store: Store) -> None:
    async def missing(_ctx: LeafContext, payload: Any) -> str:
        raise NotFoundError(f"there is no page {payload.page}")

    reply = await refused(drop.with_preview(missing), store, "p2")
    assert (reply["errorCode"], reply["error"]) == ("NOT_FOUND", "there is no page p2")


async def test_what_is_no_preview_ends_the_call(store: Store) -> None:
    async def number(_ctx: LeafContext, _payload: Any) -> Any:
        return 7

    reply = await refused(drop.with_preview(number), store, "p1")
    assert reply["error"] == (
        "the preview of drop returned a value of type int; write `return Preview(…)`, or return a text"
    )


@pytest.mark.looptime
async def test_a_preview_that_takes_too_long_ends_the_call() -> None:
    async def slowly(_ctx: LeafContext, _payload: Any) -> str:
        await asyncio.sleep(60)
        return "words"

    reply = await refused(drop.with_preview(slowly), InMemoryStore(), "p1")
    message = "the preview of drop took longer than 30 seconds, so the call was not made"
    assert (reply["errorCode"], reply["error"]) == ("TIMEOUT", message)


async def test_an_announcement_whose_preview_fails_opens_no_question(store: Store) -> None:
    @tool(effect=Effect.KEYED, risk=Risk.HIGH, confirm="confirmed")
    async def cut(_ctx: LeafContext, page: str, confirmed: bool = False) -> str:
        """Cut a page."""
        return page

    model = Scripted([calls(("cut", {"page": "p2"})), "done"])
    await runtime_of(model, cut.with_preview(title), store=store).run("go", by=superuser(), conversation="c")
    assert await store.list_questions(only_open=False) == []
    assert last_reply(model)["error"] == "the preview of cut failed: KeyError: 'p2'"


async def test_a_question_shows_changes_link_state_and_the_users_message(store: Store) -> None:
    changes = (Change("title", "Old", "x" * 30_000), *(Change(f"text {number}", "", "") for number in range(1, 1000)))
    shows = ShownObject("page", "p1")
    preview = Preview("the page", changes, "https://cms.example/p1", "s" * 900, shows=shows)

    async def describe(_ctx: LeafContext, _payload: Any) -> Preview:
        return preview

    model = Scripted([calls(("drop", {"page": "p1"})), "done"])
    await runtime_of(model, drop.with_preview(describe), store=store).run("Drop the page.", by=superuser())
    (row,) = await store.list_questions()
    question = row.question
    assert (question.shown, question.link, question.message) == ("the page", preview.link, "Drop the page.")
    assert question.shows == shows
    assert question.changes == changes
    assert len(question.state) == 32
    assert Question.from_json(question.to_json()) == question


@pytest.mark.parametrize(
    ("preview", "told"),
    [
        (Preview("all", tuple(Change(f"text {number}", "", "x") for number in range(1001))), "1,001 places"),
        (Preview("all", (Change("text", "", "x" * 250_000),)), "1 places, shown with 250,007 characters"),
    ],
)
async def test_what_is_too_large_to_be_shown_whole_is_refused_before_any_person_is_asked(
    preview: Preview, told: str, store: Store
) -> None:
    async def describe(_ctx: LeafContext, _payload: Any) -> Preview:
        return preview

    reply = await refused(drop.with_preview(describe), store, "p1")
    assert reply["errorCode"] == "PERMISSION_DENIED"
    assert told in reply["error"]


async def test_a_long_text_is_shown_in_the_question_where_it_changes(store: Store) -> None:
    story = "Our story is long. " * 600
    change = Change("text", f"{story}Bread costs 3 euros. {story}", f"{story}Bread costs 9 euros. {story}")

    async def describe(_ctx: LeafContext, _payload: Any) -> Preview:
        return Preview("the page", (change,))

    model = Scripted([calls(("drop", {"page": "p1"})), "done"])
    await runtime_of(model, drop.with_preview(describe), store=store).run("go", by=superuser())
    (row,) = await store.list_questions()
    (shown,) = row.question.changes
    assert "Bread costs 3 euros." in shown.before
    assert "Bread costs 9 euros." in shown.after
    assert len(shown.after) < 400


async def test_an_announced_call_is_described_as_it_would_be_made(store: Store) -> None:
    @tool(effect=Effect.KEYED, risk=Risk.HIGH, confirm="confirmed")
    async def cut(_ctx: LeafContext, page: str, confirmed: bool = False) -> str:
        """Cut a page."""
        return page

    async def words(_ctx: LeafContext, payload: Any) -> str:
        return f"{payload.page} {payload.confirmed}"

    assert await preview_of(cut.with_preview(words), store) == "p1 True"
