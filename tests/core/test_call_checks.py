"""Arguments that do not fit a signature are refused in one line that says what to write, without their values."""

from __future__ import annotations

import inspect
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial, wraps
from typing import Any, Literal, TypedDict, Unpack, cast

import pytest
from pydantic import PositiveFloat

from remit.core.call_checks import (
    check_arguments,
    check_call,
    check_callback,
    check_calls,
    check_typed_calls,
    check_types,
)
from remit.errors import RequestError, SetupError


class Options(TypedDict, total=False):
    """What may be added."""

    title: str


class MoreOptions(Options, total=False):
    """What else may be added."""

    colour: str


@check_arguments(paint="write colour=…")
class Box:
    """A box."""

    def __init__(self, name: str, *, size: int, colour: str = "red") -> None:
        if size < 0:
            raise TypeError("a mistake of its own")
        self.name = name


@check_arguments()
class Pair:
    """Two things, and more of them."""

    def __init__(self, left: int, right: int = 0, /, *more: int, **named: int) -> None:
        self.all = (left, right, *more, *named.values())


@check_arguments()
class Lamp:
    """A lamp without parameters that are needed."""

    def __init__(self, volts: int = 230, *, colour: str = "white", watts: int = 9) -> None:
        self.colour = f"{colour} {volts} {watts}"


@check_calls
class Shop:
    """A shop."""

    def sell(self, article: str, /, count: int = 1, *, to: str) -> str:
        """Sell."""
        return f"{article} {count} {to}"

    async def order(self, article: str, **options: Unpack[MoreOptions]) -> str:
        """Order."""
        return f"{article} {options}"

    async def visitors(self, limit: int) -> AsyncGenerator[int]:
        """Those who come."""
        for number in range(limit):
            yield number

    @property
    def name(self) -> str:
        """The name."""
        return "shop"

    def _hidden(self) -> None:
        raise TypeError("as it is")


def untyped(value: object) -> Any:
    """Hide the type of a value from the type checker, which would refuse most of these."""
    return value


BOX, PAIR, LAMP, SHOP = untyped(Box), untyped(Pair), untyped(Lamp), untyped(Shop())

REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "a keyword with a remedy": (lambda: BOX("a", paint="x"), "Box has no parameter 'paint'; write colour=…"),
    "a misspelt keyword": (lambda: BOX("a", sise=1), "Box has no parameter 'sise'; did you mean size?"),
    "an unknown keyword": (lambda: BOX("a", q=1), "Box has no parameter 'q'; use name, size, colour"),
    "no keyword": (
        lambda: BOX("a", "sk-live"),
        "Box takes 1 argument positionally, not 2; write Box(name, size=…)",
    ),
    "too many": (
        lambda: LAMP(1, "b", "c"),
        "Lamp takes 1 argument positionally, not 3; write Lamp(volts, colour=…, watts=…)",
    ),
    "one missing": (lambda: BOX("a"), "Box: size is missing; write Box(name, size=…)"),
    "two missing": (BOX, "Box: name, size are missing; write Box(name, size=…)"),
    "twice": (lambda: BOX("a", name="b", size=1), "Box: name is given twice; write Box(name, size=…)"),
    "one of many missing": (PAIR, "Pair: left is missing; write Pair(left)"),
    "a method": (lambda: SHOP.sell("a", 2, "b"), "Shop.sell takes 2 arguments positionally, not 3; write sell(art"),
    "a method without": (lambda: SHOP.sell("a"), "Shop.sell: to is missing; write sell(article, to=…)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_arguments_that_do_not_fit_are_refused_with_the_line_to_write(case: str) -> None:
    call, message = REFUSED[case]
    with pytest.raises(SetupError) as caught:
        call()
    assert caught.value.message.startswith(message)
    assert "sk-live" not in caught.value.message


def test_arguments_that_fit_are_passed_on() -> None:
    assert BOX("a", size=1).name == "a"
    assert PAIR(1, 2, 3, four=4).all == (1, 2, 3, 4)
    assert LAMP(colour="blue").colour == "blue 230 9"
    assert SHOP.sell("bread", to="ada") == "bread 1 ada"
    assert SHOP.name == "shop"
    assert list(inspect.signature(Box).parameters) == ["name", "size", "colour"]


def test_a_type_error_of_the_function_itself_is_raised_as_it_is() -> None:
    with pytest.raises(TypeError, match="a mistake of its own"):
        Box("a", size=-1)
    with pytest.raises(TypeError, match="can only concatenate"):
        cast("Any", Late()).add("one")
    with pytest.raises(TypeError, match="as it is"):
        SHOP._hidden()


class Late:
    """A class of which one method is checked."""

    @check_call
    def add(self, number: int) -> int:
        """Add one."""
        return number + untyped([])


async def test_options_are_those_that_the_signature_names() -> None:
    assert await SHOP.order("bread", title="x", colour="y") == "bread {'title': 'x', 'colour': 'y'}"
    with pytest.raises(SetupError, match=r"^Shop\.order has no parameter 'color'; did you mean colour\?$"):
        await SHOP.order("bread", color="y")
    with pytest.raises(SetupError, match=r"^Shop\.order: article is missing; write order\(article\)$"):
        await SHOP.order()


def test_what_is_async_stays_so_and_is_explained_when_it_is_awaited() -> None:
    assert inspect.iscoroutinefunction(Shop.order)
    assert not inspect.iscoroutinefunction(Shop.sell)


async def test_an_async_generator_is_iterated_and_refuses_to_be_awaited() -> None:
    shop = Shop()
    assert [each async for each in shop.visitors(2)] == [0, 1]
    message = r"^Shop\.visitors is iterated, not awaited; write async for event in visitors\(…\)$"
    with pytest.raises(SetupError, match=message):
        await untyped(shop.visitors(2))
    with pytest.raises(SetupError, match=r"^Shop\.visitors: limit is missing"):
        untyped(shop).visitors()


async def test_an_async_generator_can_be_driven_by_hand() -> None:
    async with aclosing(Shop().visitors(3)) as visitors:
        assert await anext(visitors) == 0
        assert await visitors.asend(None) == 1
        with pytest.raises(KeyError):
            await visitors.athrow(KeyError())
    with pytest.raises(StopAsyncIteration):
        await anext(visitors)


async def look(ctx: object, payload: object) -> str:
    """Look."""
    return f"{ctx} {payload}"


async def look_at_one(ctx: object) -> str:
    """Look at one."""
    return f"{ctx}"


def say(ctx: object, payload: object) -> str:
    """Say."""
    return f"{ctx} {payload}"


def begin(ctx: object, payload: object) -> Awaitable[str]:
    """Begin to look."""
    return look(ctx, payload)


PLAIN: Callable[[object, object], str] = lambda _ctx, _payload: "x"  # noqa: E731 - a lambda is the point


@wraps(look)
def wrapped(*args: Any) -> Any:
    """Look, traced."""
    return look(*args)


class Looker:
    """Looks."""

    async def __call__(self, ctx: object, payload: object) -> str:
        return await look(ctx, payload)

    def look(self, ctx: object, payload: object, deep: bool = False) -> Any:
        """May return anything."""
        return deep or look(ctx, payload)


@pytest.mark.parametrize(
    "function", [look, begin, wrapped, Looker(), Looker().look, partial(look, 1), max], ids=range(7)
)
def test_a_function_that_may_be_awaited_and_takes_the_arguments_is_accepted(function: Any) -> None:
    parameters = ("payload",) if hasattr(function, "func") else ("ctx", "payload")
    check_callback("tool pay: preview", function, *parameters, is_async=None if function is max else True)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (3, "is 3;"),
        (say, "is <function say>;"),
        (PLAIN, "is <function .*>;"),
        (untyped(partial(say, 1)), "is functools.partial.*;"),
        (str, "is <class 'str'>;"),
        (
            look_at_one,
            r"is <function look_at_one>, which cannot be called like this \(too many positional arguments\);",
        ),
        (untyped(partial(look, 1)), r"cannot be called like this \(too many positional arguments\);"),
    ],
    ids=range(7),
)
def test_a_function_that_is_not_async_or_takes_other_arguments_is_refused(function: Any, why: str) -> None:
    remedy = r"give an async function, such as `async def preview\(ctx, payload\)`"
    with pytest.raises(SetupError, match=f"^tool pay: preview .*{why.removeprefix('is ')} {remedy}$") as caught:
        check_callback("tool pay: preview", function, "ctx", "payload", is_async=True)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("function", [look, Looker(), look_at_one, say], ids=range(4))
def test_a_function_that_is_not_awaited_is_not_async_and_takes_the_arguments(function: Any) -> None:
    check_callback("Runtime: on_item", begin, "run", "item", is_async=False)
    check_callback("Audit: clock", untyped(time.time), is_async=False)
    with pytest.raises(SetupError, match=r"give a function that is not async, such as `def on_item\(position\)`$"):
        check_callback("Runtime: on_item", function, "position", is_async=False)


@check_types
def repeat_text(text: str, *others: str, times: int = 1, between: Any = " ") -> str:
    return str(between).join([text, *others]) * times


def test_a_function_refuses_values_of_other_types_by_the_name_of_the_parameter() -> None:
    assert repeat_text("a", "b", times=2) == "a ba b"
    assert repeat_text("a", "b", between=0) == "a0b"
    for wrong, said in (
        (lambda: repeat_text("a", cast("Any", 3)), "repeat_text: others is 3"),
        (lambda: repeat_text(cast("Any", 3)), "repeat_text: text is 3"),
        (lambda: repeat_text("a", times=cast("Any", "2")), "repeat_text: times is '2'"),
    ):
        with pytest.raises(SetupError, match=said):
            wrong()


def test_a_function_says_which_arguments_it_takes() -> None:
    call = untyped(repeat_text)
    for wrong, said in (
        (call, r"^repeat_text: text is missing; write repeat_text\(text\)$"),
        (lambda: call("a", time=2), r"^repeat_text has no parameter 'time'; did you mean times\?$"),
    ):
        with pytest.raises(SetupError, match=said):
            wrong()


@check_typed_calls(RequestError)
class Till:
    """A service whose callers send requests."""

    async def pay(self, euros: PositiveFloat, *, to: str = "", how: Literal["cash", "card", ""] = "") -> str:
        """Pay."""
        return f"{euros} {to} {how}"

    def _hidden(self, euros: int) -> int:
        return euros


async def test_a_request_refuses_values_of_other_types_by_the_name_of_the_parameter_alone() -> None:
    till: Any = Till()
    assert await till.pay(2, to="ada", how="card") == "2 ada card"
    assert till._hidden("2") == "2"
    for wrong, said in (
        (till.pay("2"), r"^euros is '2'; give a number$"),
        (till.pay(euros=-1), r"^euros is -1; give a positive number$"),
        (till.pay(1, to=3), r"^to is 3; give a string$"),
        (till.pay(1, how="cheque"), r"^how is 'cheque'; give one of 'cash', 'card', ''$"),
    ):
        with pytest.raises(RequestError, match=said):
            await wrong
    with pytest.raises(SetupError, match=r"^Till\.pay: euros is missing; write pay\(euros\)$"):
        await till.pay()


@check_typed_calls(SetupError)
class Shelf:
    """A class that programs set up."""

    def put(self, book: str, place: Literal["left", "right"] | None = None) -> str:
        """Put a book on the shelf."""
        return f"{book} {place}"


def test_a_method_refuses_values_of_other_types_by_its_class_and_name() -> None:
    shelf: Any = Shelf()
    assert (shelf.put("Dune"), shelf.put("Dune", "left")) == ("Dune None", "Dune left")
    for wrong, said in (
        (lambda: shelf.put(3), r"^Shelf\.put: book is 3; give a string$"),
        (lambda: shelf.put("Dune", place="up"), r"^Shelf\.put: place is 'up'; give one of 'left', 'right'$"),
    ):
        with pytest.raises(SetupError, match=said):
            wrong()
