"""Agents of other frameworks whose calls Remit makes: their own loops, approvals, crashes and replays."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest

from remit.testing import kill_process
from tests.adapters.frameworks.bank import Bank, Framework, Process, ScriptedCall, Step
from tests.children import run_in_child

CLASSES: Final = {
    "with_langchain": "LangChain",
    "with_openai_agents": "OpenAIAgents",
    "with_pydantic_ai": "PydanticAI",
    "with_agent_framework": "AgentFramework",
}

BAKERY: Final = ScriptedCall("call_1", {"account": "bakery", "euros": 40})
SCRIPT: Final[Sequence[Step]] = [[BAKERY], "Paid."]
REST: Final[Sequence[Step]] = ["Paid."]
PAID: Final = ("success", "paid 40 to bakery")


class Programs:
    """Makes the processes of a program with an agent of a framework."""

    def __init__(self, bank: Bank, framework: type[Framework]) -> None:
        self.bank = bank
        self._framework = framework

    def start(self, hour: int = 0, *, risk: str = "high", offers: bool = False) -> Process:
        """Start a process. The leases of one that died have ended an hour later."""
        facts: Any = {"risk": risk}
        return Process(self.bank, self._framework(self.bank, offers=offers), hour, **facts)


@pytest.fixture(params=CLASSES)
def programs(request: pytest.FixtureRequest, tmp_path: Path) -> Programs:
    module = import_module(f"tests.adapters.frameworks.{request.param}")
    return Programs(Bank(tmp_path), getattr(module, CLASSES[request.param]))


async def test_a_call_that_needs_nobody_is_made_and_its_text_is_not_quoted(programs: Programs) -> None:
    turn = await programs.start(risk="safe").start(SCRIPT)
    assert turn == ([], [PAID], "Paid.")
    assert programs.bank.payments == ["bakery 40"]


async def test_a_tool_of_remit_can_be_offered_in_place_of_one_of_the_framework(programs: Programs) -> None:
    turn = await programs.start(risk="safe", offers=True).start(SCRIPT)
    assert turn == ([], [PAID], "Paid.")


async def test_a_call_that_needs_approval_pauses_the_agent_and_is_made_after_the_decision(programs: Programs) -> None:
    first = programs.start()
    asked = await first.start(SCRIPT)
    assert (len(asked.questions), asked.answer, programs.bank.payments) == (1, "", [])
    assert await first.decide(approved=True) == 1
    second = programs.start(1)
    assert await second.resume(REST) == ([], [PAID], "Paid.")
    assert programs.bank.payments == ["bakery 40"]
    assert await second.decide(approved=True) == 0
    assert await second.close()


async def test_what_the_framework_is_told_approves_nothing(programs: Programs) -> None:
    here = programs.start()
    asked = await here.start(SCRIPT)
    again = await here.resume(REST)
    assert (again.questions, programs.bank.payments) == (asked.questions, [])
    await here.decide(approved=True)
    assert await here.resume(REST) == ([], [PAID], "Paid.")
    assert programs.bank.payments == ["bakery 40"]


async def test_a_denial_is_what_the_model_reads(programs: Programs) -> None:
    here = programs.start()
    await here.start(SCRIPT)
    await here.decide(approved=False, reason="too much")
    turn = await here.resume(["Not paid."])
    ((status, text),) = turn.read
    assert status in {"error", "denied"}
    assert '"reason":"too much"' in text
    assert (turn.answer, programs.bank.payments) == ("Not paid.", [])
    assert await here.close()


async def test_parallel_calls_are_asked_about_together_and_decided_one_by_one(programs: Programs) -> None:
    here = programs.start()
    mill = ScriptedCall("call_2", {"account": "mill", "euros": 50})
    asked = await here.start([[BAKERY, mill], "Paid."])
    assert len({*asked.questions}) == 2
    assert await here.decide(about="mill", approved=True) == 1
    waiting = await here.resume(REST)
    assert len(waiting.questions) == 1
    assert await here.decide(approved=True) == 1
    turn = await here.resume(REST)
    assert sorted(turn.read) == [PAID, ("success", "paid 50 to mill")]
    assert programs.bank.payments == ["bakery 40", "mill 50"]
    assert await here.close()


async def test_wrong_arguments_and_failures_are_errors_that_the_model_reads(programs: Programs) -> None:
    wrong = ScriptedCall("call_1", {"account": "bakery", "euros": "a lot"})
    failing = ScriptedCall("call_2", {"account": "bakery", "euros": -1})
    turn = await programs.start(risk="safe").start([[wrong], [failing], "Not paid."])
    first, second = turn.read
    assert {first[0], second[0]} <= {"error", "failed"}
    assert '"errorCode":"VALIDATION_ERROR"' in first[1]
    assert "a payment is positive" in second[1]
    assert (turn.answer, programs.bank.payments) == ("Not paid.", [])


async def test_a_run_that_takes_no_more_calls_ends_the_agent_with_an_error(programs: Programs) -> None:
    here = programs.start(risk="safe")
    await here.close()
    with pytest.raises(Exception, match="has ended"):
        await here.start(SCRIPT)
    assert programs.bank.payments == []


@pytest.mark.process
@pytest.mark.slow
def test_a_process_that_is_killed_while_a_person_decides_is_continued_by_another(programs: Programs) -> None:
    async def ask() -> None:
        here = programs.start()
        async with here.open_run():
            asked = await here.start(SCRIPT)
            assert len(asked.questions) == 1
            kill_process()

    async def finish() -> None:
        here = programs.start(1)
        assert await here.decide(approved=True) == 1
        assert await here.resume(REST) == ([], [PAID], "Paid.")
        assert await here.close()

    assert run_in_child(lambda: asyncio.run(ask())) == -signal.SIGKILL
    assert run_in_child(lambda: asyncio.run(finish())) == 0
    assert programs.bank.payments == ["bakery 40"]


@pytest.mark.process
@pytest.mark.slow
def test_a_process_that_is_killed_after_a_payment_asks_whether_it_happened_and_does_not_pay_again(
    programs: Programs,
) -> None:
    async def ask() -> None:
        here = programs.start()
        await here.start(SCRIPT)
        assert await here.decide(approved=True) == 1

    async def pay() -> None:
        here = programs.start(1)
        programs.bank.after_payment = kill_process
        await here.resume(REST)

    async def finish() -> None:
        here = programs.start(2)
        waiting = await here.resume(REST)
        assert len(waiting.questions) == 1
        assert await here.decide(approved=True, result='"paid 40 to bakery"') == 1
        assert await here.resume(REST) == ([], [PAID], "Paid.")
        assert await here.close()

    assert run_in_child(lambda: asyncio.run(ask())) == 0
    assert run_in_child(lambda: asyncio.run(pay())) == -signal.SIGKILL
    assert run_in_child(lambda: asyncio.run(finish())) == 0
    assert programs.bank.payments == ["bakery 40"]
