"""The resources that an application keeps open with its runtime: connections, clients and processes of its services."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from types import FunctionType, MethodType
from typing import Any, TypeAlias, TypeGuard, cast

from remit.call.redact import redact_text
from remit.call.schema import shorten_text
from remit.core.call_checks import check_callback
from remit.core.checks import as_tuple, wrong_value
from remit.errors import RemitError, SetupError

Resource: TypeAlias = "AbstractAsyncContextManager[Any] | Callable[[], AbstractAsyncContextManager[Any]]"


def check_resources(what: str, given: object) -> tuple[Resource, ...]:
    """The resources of an application.

    Raises:
        SetupError: one is neither an async context manager nor a function that returns one.
    """
    resources: tuple[Any, ...] = as_tuple(what, given)
    for each in resources:
        if not callable(each) and not _is_manager(each):
            remedy = "give an async context manager, or a function that returns one"
            raise wrong_value(f"{what}: an item", each, remedy)
        if not _is_manager(each):
            check_callback(f"{what}: an item", each, is_async=False)
    return resources


class OpenResources:
    """Opens resources in order, and closes them in reverse order.

    A separate task does both, because some resources may be closed only by the task that opened them. If opening one
    fails, none stays open. If closing one fails, the others are still closed.
    """

    def __init__(self, where: str, resources: Sequence[Resource]) -> None:
        self._where = where
        self._resources = resources
        self._are_open, self._close = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Open all resources.

        Raises:
            SetupError: names the resource that failed.
        """
        if not self._resources:
            return
        task = self._task = asyncio.create_task(self._hold(), name=f"resources of {self._where}")
        opening = asyncio.create_task(self._are_open.wait())
        try:
            await asyncio.wait((task, opening), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait((task,))
            raise
        finally:
            opening.cancel()
        if task.done():
            task.result()

    async def close(self) -> None:
        """Close all resources.

        Raises:
            SetupError: names the first resource that failed.
        """
        self._close.set()
        if self._task is not None:
            await asyncio.shield(self._task)

    async def _hold(self) -> None:
        opened: list[tuple[str, AbstractAsyncContextManager[Any]]] = []
        failure: SetupError | None = None
        try:
            for resource in self._resources:
                manager = await self._open(resource)
                opened.append((_describe(resource), manager))
            self._are_open.set()
            await self._close.wait()
        except SetupError as error:
            failure = error
        finally:
            for name, manager in reversed(opened):
                try:
                    await manager.__aexit__(None, None, None)
                except Exception as error:  # noqa: BLE001 - raised after all are closed
                    failure = failure or self._failure(name, "closed", error)
        if failure is not None:
            raise failure

    async def _open(self, resource: Resource) -> AbstractAsyncContextManager[Any]:
        try:
            manager = _manager_of(resource)
            await manager.__aenter__()
        except Exception as error:
            raise self._failure(_describe(resource), "opened", error) from error
        return manager

    def _failure(self, name: str, what: str, error: Exception) -> SetupError:
        problem = error.message if isinstance(error, RemitError) else f"{type(error).__name__}: {error}"
        failure = SetupError(redact_text(f"{self._where}: the resource {name} could not be {what}: {problem}", ()))
        failure.__cause__ = error
        return failure


def _manager_of(resource: Resource) -> AbstractAsyncContextManager[Any]:
    made: object = resource if _is_manager(resource) else cast("Callable[[], object]", resource)()
    if not _is_manager(made):
        raise SetupError(f"it returned {shorten_text(repr(made), 100)}; return an async context manager")
    return made


def _is_manager(given: object) -> TypeGuard[AbstractAsyncContextManager[Any]]:
    return isinstance(given, AbstractAsyncContextManager)


def _describe(resource: object) -> str:
    """The name of a function or method, or the repr of another object."""
    is_function = isinstance(resource, (FunctionType, MethodType))
    return shorten_text(resource.__qualname__ if is_function else repr(resource), 100)
