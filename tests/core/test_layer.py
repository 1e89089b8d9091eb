"""A service is any async callable of one argument, and layers wrap it outermost first."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest

from remit.core import Place, Service, Stack, compose
from remit.errors import SetupError


class Marked:
    """A layer that writes its name on the way in and on the way out."""

    place = Place.OWN

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, inner: Service[str, str], /) -> Service[str, str]:
        async def marked(request: str, /) -> str:
            return f"{await inner(f'{request} >{self._name}')} <{self._name}"

        return marked


async def echo(request: str) -> str:
    return f"[{request}]"


async def prefixed(prefix: str, request: str) -> str:
    return f"{prefix}[{request}]"


class Object:
    async def __call__(self, request: str, /) -> str:
        return f"[{request}]"

    async def method(self, request: str) -> str:
        return f"[{request}]"


async def test_the_layer_given_first_is_outermost() -> None:
    service = compose([Marked("a"), Marked("b")], echo)
    assert await service("call") == "[call >a >b] <b <a"


async def test_no_layers_give_the_base_itself() -> None:
    assert compose([], echo) is echo


def test_the_layers_are_given_before_the_base() -> None:
    with pytest.raises(SetupError, match=r"layers is .*echo.*; write compose\(\[outer, inner\], base\)$"):
        compose(cast("Any", echo), cast("Any", [Marked("a")]))


async def test_layers_may_come_from_an_iterator() -> None:
    service = compose((Marked(name) for name in "ab"), echo)
    assert await service("call") == "[call >a >b] <b <a"


@pytest.mark.parametrize(
    "base",
    [echo, Object(), Object().method, functools.partial(prefixed, "")],
    ids=["function", "object", "bound method", "partial"],
)
async def test_any_async_callable_of_one_argument_is_a_service(base: Service[str, str]) -> None:
    assert await compose([Marked("a")], base)("call") == "[call >a] <a"


async def test_each_layer_is_asked_once_for_its_service_however_often_that_is_called() -> None:
    built: list[str] = []

    class Counted(Marked):
        def __call__(self, inner: Service[str, str], /) -> Service[str, str]:
            built.append("once")
            return super().__call__(inner)

    service = compose([Counted("a")], echo)
    await service("first")
    await service("second")
    assert built == ["once"]


class MarkedModel(Marked):
    """A layer that wraps models only."""

    service_kind = "models"


class MarkedCall(Marked):
    """A layer that wraps calls only."""

    service_kind = "calls"

    def __repr__(self) -> str:
        return f"MarkedCall({self._name!r})"


def stacked(layers: Sequence[Marked], base: Service[str, str]) -> Service[str, str]:
    return Stack(*layers)(base)


@pytest.mark.parametrize("wrap", [compose, stacked])
def test_layers_around_different_services_cannot_wrap_one(
    wrap: Callable[[Sequence[Marked], Service[str, str]], object],
) -> None:
    with pytest.raises(SetupError) as raised:
        wrap([MarkedCall("a"), Marked("b"), MarkedModel("c"), MarkedCall("d")], echo)
    line = raised.value.message
    assert line.startswith("MarkedCall('d') is a layer around calls, and <")
    assert line.endswith(" for models")
    assert "; write Stack(MarkedCall('d')) for calls and Stack(<" in line


async def test_a_layer_around_any_service_goes_with_one_around_calls() -> None:
    assert await compose([MarkedCall("a"), Marked("b"), MarkedCall("c")], echo)("x") == "[x >a >b >c] <c <b <a"
