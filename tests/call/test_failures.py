"""Exceptions of an application's code end one call; signals to the task or the process pass."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from remit.call.failures import find_answer, is_failure, locate_failure
from remit.call.schema import Output
from remit.errors import CallError, Suspended, ToolFailed


class Crash(BaseException):
    """The process died here."""


async def find_failure(error: BaseException) -> bool:
    try:
        await _raise(error)
    except BaseException as caught:  # noqa: BLE001 - each kind
        return is_failure(caught)
    return False


async def _raise(error: BaseException) -> None:
    raise error


FAILURES = [
    ValueError("mine"),
    CallError("mine"),
    SystemExit(3),
    BaseExceptionGroup("mine", [Crash()]),
    Suspended("mine"),
    GeneratorExit(),
    KeyboardInterrupt(),
    asyncio.CancelledError(),
]


@pytest.fixture
def _own_handler() -> Iterator[None]:
    """The handler of asyncio.run, which cancels, or any other that raises nothing."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_own_handler")
@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
async def test_what_code_of_an_application_raises_is_its_failure(error: BaseException) -> None:
    assert await find_failure(error)


async def test_another_base_exception_stops_the_run_as_a_crash_would() -> None:
    assert not await find_failure(Crash())


@pytest.mark.parametrize("error", [asyncio.CancelledError(), KeyboardInterrupt()], ids=repr)
async def test_a_cancellation_of_the_task_and_an_interrupt_that_follows_it_are_signals(error: BaseException) -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    try:
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(0)
        assert not await find_failure(error)
    finally:
        task.uncancel()


@pytest.mark.usefixtures("_own_handler")
async def test_where_ctrl_c_interrupts_whatever_runs_an_interrupt_is_a_signal() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    assert not await find_failure(KeyboardInterrupt())
    found = list[bool]()
    thread = threading.Thread(target=lambda: found.append(asyncio.run(find_failure(KeyboardInterrupt()))))
    thread.start()
    await asyncio.to_thread(thread.join)
    assert found == [True], "a signal interrupts the main thread only"


async def test_the_end_of_a_coroutine_that_is_closed_is_a_signal() -> None:
    found = list[bool]()

    async def wait() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        except GeneratorExit as error:
            found.append(is_failure(error))
            raise

    coroutine = wait()
    coroutine.send(None)
    coroutine.close()
    assert found == [False]


def caught(function: Callable[[], object]) -> BaseException:
    try:
        function()
    except BaseException as error:  # noqa: BLE001 - each kind
        return error
    raise AssertionError


def with_cause() -> None:
    try:
        json.loads("{")
    except ValueError as error:
        raise CallError("mine") from error


def test_a_failure_is_where_code_of_the_application_raised_it_or_called_what_did() -> None:
    assert locate_failure(ValueError("never raised")) == ""
    assert locate_failure(caught(lambda: json.loads("{"))).endswith(" in <lambda>")
    assert locate_failure(caught(with_cause)).endswith(" in with_cause")


def test_a_result_that_is_refused_is_where_its_tool_is() -> None:
    output: Output[Any] = Output(dict[str, int])
    assert locate_failure(without_own_frames(lambda: output.dump({"a": "b"})), "a.py:7") == "a.py:7"
    assert locate_failure(without_own_frames(lambda: output.dump({"a": "b"}))) == ""
    assert locate_failure(caught(lambda: output.dump({"a": "b"})), "a.py:7").endswith(" in <lambda>")


def without_own_frames(raise_it: Callable[[], object]) -> BaseException:
    error = caught(raise_it)
    assert error.__traceback__ is not None
    assert error.__traceback__.tb_next is not None
    return error.with_traceback(error.__traceback__.tb_next.tb_next)


def test_a_failure_in_a_library_only_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    error = caught(lambda: json.loads("{"))
    assert error.__traceback__ is not None
    assert error.__traceback__.tb_next is not None
    monkeypatch.setattr(error, "__traceback__", error.__traceback__.tb_next.tb_next)
    assert " in decode" in locate_failure(error) or " in raw_decode" in locate_failure(error)


def test_the_answer_of_a_group_is_its_first_if_it_has_nothing_else() -> None:
    first, second = ToolFailed("first"), ToolFailed("second")
    assert find_answer(BaseExceptionGroup("all", [ExceptionGroup("one", [first]), second])) is first
    for other in (first, ExceptionGroup("some", [first, KeyError()]), ExceptionGroup("none", [KeyError()])):
        assert find_answer(other) is None
