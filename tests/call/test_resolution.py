"""References are resolved by the functions of the application."""

from __future__ import annotations

import asyncio
import difflib
import threading
from collections.abc import Iterable
from typing import Any, ClassVar

import pytest

from remit import App, LeafContext, Runtime
from remit.call.observing import observe
from remit.call.reference import Referent
from remit.call.resolution import resolve_references
from remit.errors import ConflictError, ExternalError, InternalError, InvalidArgumentsError, SetupError
from remit.layers import Redact
from remit.testing import make_call, superuser
from remit.tools import Candidate
from tests.call.test_reference import HOME, Move, find, move


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (find, "App: references is <function"),
        ({"page": 3}, r"App: references\['page'\] is 3; give a function"),
        ({"": find}, "a kind in application test: references is empty"),
        ({3: find}, "a kind in application test: references is 3"),
    ],
)
def test_resolvers_are_functions_by_kind(wrong: Any, message: str) -> None:
    with pytest.raises(SetupError, match=message):
        App(name="test", references=wrong)


async def run_with(resolver: Any) -> str:
    runtime = Runtime(App(name="test", tools=(move,), references={"page": resolver}))
    result = await runtime.call(move, superuser(), Move(page="home"))
    return result.text


async def test_a_resolver_that_fails_ends_the_call_with_its_name() -> None:
    async def broken(_ctx: LeafContext, _text: str) -> Iterable[Candidate]:
        raise OSError("no disk")

    async def wrong(_ctx: LeafContext, _text: str) -> Any:
        return ["7"]

    async def refuses(_ctx: LeafContext, _text: str) -> Iterable[Candidate]:
        raise InvalidArgumentsError("too vague")

    assert "the resolver of references to a page failed: OSError: no disk" in await run_with(broken)
    assert "a resolver: an item of of page is '7'; give a Candidate" in await run_with(wrong)
    assert "too vague" in await run_with(refuses)


@pytest.mark.looptime
async def test_a_resolver_that_takes_too_long_ends_the_call() -> None:
    async def slow(_ctx: LeafContext, _text: str) -> Iterable[Candidate]:
        await asyncio.sleep(60)
        return ()

    assert "took longer than 30 seconds" in await run_with(slow)


async def test_a_cancellation_of_a_resolver_is_no_error_of_it() -> None:
    task = asyncio.create_task(observe("it", lambda: asyncio.sleep(5), deadline=None))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_resolver_gets_the_facts_of_the_call_and_records_nothing() -> None:
    async def look(ctx: LeafContext, _text: str) -> Iterable[Candidate]:
        ctx.log("looked")
        ctx.emit("looked")
        return [Candidate(ctx.key, ctx.run, "1", ("home",))]

    assert "page" in await run_with(look)


async def test_outside_of_a_run_a_reference_is_not_resolved() -> None:
    call = await make_call(move, '{"page": "home"}')
    call = call.with_payload(move.schema_in.bind(call.arguments))
    with pytest.raises(InternalError, match="move refers to a page, and no resolver for that is registered"):
        await resolve_references(call)


async def test_two_different_candidates_with_one_id_are_an_error_of_the_resolver() -> None:
    async def confused(_ctx: LeafContext, _text: str) -> Iterable[Candidate]:
        return [HOME, HOME, Candidate("7", "Home", "4", ("home",))]

    assert "returned 2 different candidates with the id '7'" in await run_with(confused)

    async def repeats(_ctx: LeafContext, _text: str) -> Iterable[Candidate]:
        return [HOME, HOME]

    assert await run_with(repeats) == "“home” is the page “Home”, revision 3 under None"


@pytest.mark.parametrize("said", ["", " ", "\t"])
async def test_a_blank_text_means_no_object(said: str) -> None:
    async def nameless(_ctx: LeafContext, _text: str) -> Iterable[Candidate]:
        return [Candidate("7", "", "3", (" ",))]

    runtime = Runtime(App(name="test", tools=(move,), references={"page": nameless}))
    result = await runtime.call(move, superuser(), Move(page=said))
    assert "an empty text does not name a page; give an id or a name" in result.text


@pytest.mark.parametrize("error", [ConnectionResetError("gone"), TimeoutError("no answer")], ids=["lost", "timeout"])
async def test_a_resolver_that_lost_its_connection_may_be_asked_again(error: Exception) -> None:
    async def lost() -> None:
        raise error

    with pytest.raises(ExternalError, match="it failed: "):
        await observe("it", lost, deadline=None)


async def test_many_candidates_are_not_all_named() -> None:
    async def many(_ctx: LeafContext, _text: str) -> Iterable[Candidate]:
        return [Candidate(str(number), "home") for number in range(30)]

    text = await run_with(many)
    assert "may mean 30 objects of the kind page" in text
    assert "and 20 more; each has an id of its own" in text


async def test_candidates_with_one_name_are_told_apart_by_an_alias_that_only_one_has() -> None:
    async def menus(_ctx: LeafContext, _text: str) -> Iterable[Candidate]:
        shared = ("menu", "hero")
        return [
            Candidate("v5", "Menu", "1", (*shared, "menu-2")),
            Candidate("pr", "Menu", "1", (*shared, "menu-3")),
            Candidate("qq", "Menu", "2", shared),
            Candidate("tt", "Table", "1", ("home", "table")),
            Candidate("uu", "Chair", "1", ("home", "chair")),
        ]

    payload = Move(page="Menu")
    runtime = Runtime(App(name="test", tools=(move,), references={"page": menus}))
    text = (await runtime.call(move, superuser(), payload)).text.replace('\\"', '"')
    assert 'v5 "Menu" (menu-2), revision 1, pr "Menu" (menu-3), revision 1, qq "Menu", revision 2; each has' in text
    text = (await run_with(menus)).replace('\\"', '"')
    assert 'tt "Table", revision 1, uu "Chair", revision 1; each has an id' in text


async def lists_people(_ctx: LeafContext, _text: str) -> Iterable[Candidate]:
    return [
        Candidate("7", "Home 555-123"),
        Candidate("8", "Home 555-124", "", ("home",)),
        Candidate("9", "a", "", ("home",)),
    ]


async def fails_with_people(_ctx: LeafContext, _text: str) -> Iterable[Candidate]:
    raise ConflictError("555-123 is locked")


async def breaks_with_people(_ctx: LeafContext, _text: str) -> Iterable[Candidate]:
    raise OSError("no file 555-123")


@pytest.mark.parametrize("resolver", [lists_people, fails_with_people, breaks_with_people])
@pytest.mark.parametrize("said", ["home", "hom", "8"])
async def test_the_redaction_of_a_tool_covers_the_errors_of_its_references(resolver: Any, said: str) -> None:
    items = list[str]()
    private = move.layer(Redact(patterns=[r"555-\d+"]))
    app = App(name="test", tools=(private,), references={"page": resolver})
    runtime = Runtime(app, on_item=lambda position: items.append(repr(position)))
    result = await runtime.call(private, superuser(), Move(page=said, under="hom"))
    assert result.status == "failed"
    assert "555-" not in result.text + "".join(items)
    assert "[redacted]" in result.text


class ThreadNoting(str):
    """A name that knows in which threads it was compared."""

    __slots__ = ()
    threads: ClassVar[set[int]] = set()

    def casefold(self) -> str:
        self.threads.add(threading.get_ident())
        return super().casefold()


async def test_a_near_name_among_many_is_found_in_another_thread_with_few_comparisons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def many(_ctx: LeafContext, _text: str) -> Iterable[Candidate]:
        names = [ThreadNoting("garden"), *(f"zzz {number}" for number in range(1500)), "x" * 5000, "Winter party"]
        return [Candidate(str(number), name) for number, name in enumerate(names)]

    compared, set_name = list[str](), difflib.SequenceMatcher[str].set_seq1

    def count(matcher: difflib.SequenceMatcher[str], name: str) -> None:
        compared.append(name)
        set_name(matcher, name)

    monkeypatch.setattr(difflib.SequenceMatcher, "set_seq1", count)
    runtime = Runtime(App(name="test", tools=(move,), references={"page": many}))
    result = await runtime.call(move, superuser(), Move(page="wintr pary"))
    assert "there is no page 'wintr pary'; similar: 1502" in result.text
    assert 0 < len([name for name in compared if name]) <= 200
    assert ThreadNoting.threads
    assert threading.get_ident() not in ThreadNoting.threads


def test_an_object_is_called_by_its_noun_or_by_the_kind_of_the_reference() -> None:
    said = [Referent("7", "old-page", "Home", "3", noun=noun).describe() for noun in ("", "post")]
    assert said == ["the old page “Home”, revision 3", "the post “Home”, revision 3"]
