"""What the application is asked must be async and of its type; else the call is not made, and the error says why."""

from __future__ import annotations

from typing import Any

import pytest

from remit import Agent, App, Effect, Risk, Runtime, tool
from remit.app import Env
from remit.errors import RemitError
from remit.layers import Call, CallLayer, CallService, Gate, Reply
from remit.testing import Scripted, superuser

TYPED = "it returned a value of type {} at once; declare it `async def`"
dropped = list[str]()


@tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
async def drop(page: str) -> str:
    """Drop a page."""
    dropped.append(page)
    return f"dropped {page}"


sweep = tool(effect=Effect.PURE, name="sweep")(drop.function)


def at_once(answer: object) -> Any:
    def give(*_: object) -> object:
        return answer

    return give


def later(answer: object) -> Any:
    async def give(*_: object) -> object:
        return answer

    return give


class Door(Gate):
    def __init__(self, check: Any) -> None:
        self.check = check

    async def check(self, _call: Call, /) -> None:
        """Replaced."""


class Direct(CallLayer):
    def __call__(self, inner: CallService, /) -> CallService:
        """Answer without inner, and not async."""
        return at_once(Reply("fine"))


class Judge:
    def __init__(self, decide: Any) -> None:
        self.decide = decide


async def run(callee: Any, *arguments: Any, env: Env | None = None) -> str:
    app = App(name="test", tools=(callee,), env=env or Env())
    return (await Runtime(app).call(callee, superuser(), *arguments)).text


async def run_agent(model: Any = None, **options: Any) -> str:
    agent = Agent("clerk", instructions="Work.", model=model or Scripted(["done"]))
    return (await Runtime(App(name="test", agents=(agent,), **options)).run("go", by=superuser(), target="a/b")).text


async def refused_target(check: Any) -> str:
    with pytest.raises(RemitError) as caught:
        await run_agent(check_target=check)
    return caught.value.message


WRONG: dict[str, tuple[Any, str]] = {
    "a gate": (
        lambda: run(sweep.layer(Door(at_once(None))), "home"),
        f"the gate Door of sweep failed: {TYPED.format('NoneType')}",
    ),
    "a gate that returns no": (
        lambda: run(sweep.layer(Door(later(False))), "home"),
        "the gate Door of sweep returned False, so it is denied; return nothing, or raise an error to refuse",
    ),
    "a gate that returns yes": (lambda: run(sweep.layer(Door(later(True))), "home"), "Door of sweep returned True, so"),
    "a layer": (
        lambda: run(sweep.layer(Direct()), "home"),
        f"the layer Direct failed: TypeError: {TYPED.format('Reply')}",
    ),
    "an approver": (
        lambda: run(drop, "home", env=Env(approver=Judge(at_once(None)))),
        f"the approver of drop failed: {TYPED.format('NoneType')}",
    ),
    "an approver that returns yes": (
        lambda: run(drop, "home", env=Env(approver=Judge(later(True)))),
        "the approver of drop returned a value of type bool; return a Decision, or None",
    ),
    "a check of targets that returns no": (
        lambda: refused_target(later(False)),
        "the check of the target 'a/b' returned False; return nothing, or raise RequestNotFoundError(…)",
    ),
    "a model": (lambda: run_agent(at_once("hi")), f"the model failed: TypeError: {TYPED.format('str')}"),
}


@pytest.mark.parametrize("case", WRONG)
async def test_an_answer_that_is_not_what_it_must_be_stops_the_call_and_says_what_to_write(case: str) -> None:
    ask, message = WRONG[case]
    dropped.clear()
    assert message in await ask()
    assert dropped == []


async def test_answers_that_are_what_they_must_be_let_the_call_pass() -> None:
    assert await run(sweep.layer(Door(later(None))), "home") == "dropped home"
    assert await run_agent(check_target=later(None)) == "done"
