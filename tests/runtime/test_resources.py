"""The resources of an application are open while its runtime is, and all are closed whatever fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cached_property
from typing import Any, Self

import pytest

from remit import App, Effect, Runtime, Tool, tool
from remit.errors import ExternalError, SetupError
from remit.secrets import EnvSecrets
from remit.testing import superuser

pytestmark = pytest.mark.looptime


class Line:
    """A connection that a service uses, and that only the task which opened it may close."""

    def __init__(self, name: str, log: list[str], *, fails: str = "", takes: float = 0.0) -> None:
        self.name, self.log, self.fails, self.takes = name, log, fails, takes
        self.task: asyncio.Task[Any] | None = None

    def __repr__(self) -> str:
        return f"Line({self.name})"

    async def __aenter__(self) -> Self:
        await asyncio.sleep(self.takes)
        if self.fails == "open":
            raise OSError("no such line")
        self.task = asyncio.current_task()
        self.log.append(f"open {self.name}")
        return self

    async def __aexit__(self, *_error: object) -> None:
        assert asyncio.current_task() is self.task, "closed by another task"
        self.task = None
        self.log.append(f"close {self.name}")
        if self.fails == "close":
            raise ExternalError("the line hangs")

    @cached_property
    def ask(self) -> Tool[[], str]:
        @tool(effect=Effect.PURE, name=f"ask_{self.name}")
        async def ask() -> str:
            """Ask."""
            return "open" if self.task else "closed"

        return ask


def app_of(*lines: Line) -> App:
    return App(name="office", tools=[each.ask for each in lines], resources=lines)


async def test_they_are_open_while_the_runtime_is_and_are_closed_in_the_reverse_order() -> None:
    log = list[str]()
    first, second = Line("first", log), Line("second", log)
    async with Runtime(app_of(first, second)) as runtime:
        log.append((await runtime.call(second.ask, superuser())).value())
    assert log == ["open first", "open second", "open", "close second", "close first"]
    async with runtime:
        pass
    assert log[5:] == ["open first", "open second", "close second", "close first"]


async def test_an_error_in_the_block_closes_them_and_is_raised() -> None:
    log = list[str]()
    with pytest.raises(ZeroDivisionError):
        async with Runtime(app_of(Line("only", log))):
            raise ZeroDivisionError
    assert log == ["open only", "close only"]


async def test_a_function_may_make_them_at_each_opening() -> None:
    log = list[str]()

    @asynccontextmanager
    async def connect() -> AsyncGenerator[None]:
        log.append("connected")
        yield
        log.append("gone")

    runtime = Runtime(App(name="office", resources=[connect]))
    for _ in range(2):
        async with runtime:
            pass
    assert log == ["connected", "gone"] * 2


def test_what_is_no_resource_is_refused_with_what_to_give() -> None:
    remedy = "give an async context manager, or a function that returns one"
    with pytest.raises(SetupError, match=f"resources: an item is 'x'; {remedy}$"):
        App(name="office", resources=["x"])  # type: ignore[list-item]


async def test_if_one_cannot_be_opened_those_before_are_closed_and_the_error_names_it() -> None:
    log = list[str]()
    lines = Line("first", log), Line("second", log, fails="open"), Line("third", log)
    runtime = Runtime(app_of(*lines))
    with pytest.raises(SetupError) as raised:
        await runtime.__aenter__()
    assert str(raised.value) == (
        "application office: the resource Line(second) could not be opened: OSError: no such line"
    )
    assert isinstance(raised.value.__cause__, OSError)
    assert log == ["open first", "close first"]
    lines[1].fails = ""
    async with runtime:
        pass


async def test_if_one_cannot_be_closed_the_others_are_and_the_error_names_it() -> None:
    log = list[str]()
    lines = [Line(each, log, fails="close" if each != "b" else "") for each in "abc"]
    with pytest.raises(SetupError, match=r"^application office: the resource Line\(c\) could not be closed: the line"):
        async with Runtime(app_of(*lines)):
            pass
    assert log[3:] == ["close c", "close b", "close a"]


async def test_what_fails_first_is_told_if_closing_fails_too() -> None:
    log = list[str]()
    lines = Line("a", log, fails="close"), Line("b", log, fails="open")
    with pytest.raises(SetupError, match=r"the resource Line\(b\) could not be opened"):
        await Runtime(app_of(*lines)).__aenter__()
    assert log == ["open a", "close a"]


async def test_a_runtime_is_open_once_at_a_time() -> None:
    runtime = Runtime(app_of(Line("only", [])))
    async with runtime:
        with pytest.raises(SetupError, match="the runtime of application office is open already; enter it once"):
            await runtime.__aenter__()


async def test_a_cancelled_opening_closes_what_was_opened() -> None:
    log = list[str]()
    slow = Line("slow", log, takes=100)
    opening = asyncio.create_task(Runtime(app_of(Line("first", log), slow)).__aenter__())
    await asyncio.sleep(1)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert log == ["open first", "close first"]


async def test_an_error_shows_no_secret() -> None:
    value = (await EnvSecrets("LINE_KEY", environ={"LINE_KEY": "hunter2-hunter2"}).resolve("env:LINE_KEY")).reveal()
    with pytest.raises(SetupError) as raised:
        await Runtime(app_of(Line(value, [], fails="open"))).__aenter__()
    assert "[secret env:LINE_KEY]" in str(raised.value)


async def test_an_application_without_resources_opens_nothing() -> None:
    async with Runtime(App(name="office")):
        assert [task.get_name() for task in asyncio.all_tasks() if "resources" in task.get_name()] == []


@pytest.mark.parametrize("given", [[42], [asyncio.sleep], [open]], ids=["a number", "an async function", "of files"])
def test_what_is_no_resource_is_refused(given: Any) -> None:
    with pytest.raises(SetupError, match="application office: resources"):
        App(name="office", resources=given)


async def test_a_function_that_makes_no_resource_is_named() -> None:
    def connect() -> Any:
        return 42

    message = "the resource .*connect could not be opened: it returned 42; return an async context manager"
    with pytest.raises(SetupError, match=message):
        await Runtime(App(name="office", resources=[connect])).__aenter__()
