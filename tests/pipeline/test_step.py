"""A step is tried again within its one call, by the tool's own layer, and only where the effect allows it."""

from __future__ import annotations

import re

import pytest

from remit import Agent, Effect, Retry, Risk, Timeout
from remit.core import check_order
from remit.errors import SetupError
from remit.layers import RateLimit
from remit.pipeline import Given, Step
from remit.tools import with_recommended_layers
from tests.pipeline.mails import Mailbox


@pytest.mark.parametrize("retry", [-1, 4])
def test_it_is_tried_again_at_most_three_times(retry: int) -> None:
    with pytest.raises(SetupError, match=f"Step: retry is {retry}; give a whole number from 0 to 3"):
        Step(name="search", callee=Mailbox().search(), retry=retry)


def test_what_may_have_happened_is_not_tried_again_blindly() -> None:
    said = "step send: store is not retried as a whole: a failed call may have had its effect; leave retry out"
    with pytest.raises(SetupError, match=re.escape(said)):
        Step(name="send", callee=Mailbox().store(Effect.UNSAFE, Risk.HIGH), retry=1)


def test_what_is_made_of_calls_is_not_tried_again_as_a_whole() -> None:
    said = "step ask: writer is not retried as a whole: its own calls are retried; leave retry out"
    with pytest.raises(SetupError, match=re.escape(said)):
        Step(name="ask", callee=Agent("writer", instructions="Write."), retry=1)


@pytest.mark.parametrize("effect", [Effect.PURE, Effect.IDEMPOTENT, Effect.KEYED], ids=lambda effect: effect.value)
def test_a_bare_tool_gets_a_retry(effect: Effect) -> None:
    step = Step(name="store", callee=Mailbox().store(effect), retry=2)
    assert list(step.callee.layers) == [Retry(attempts=3)]


def test_a_retry_that_is_there_is_replaced_and_keeps_its_pauses() -> None:
    own = Retry(attempts=2, base_delay=0.1, max_delay=0.2)
    layers = layers_of(Step(name="search", callee=Mailbox().search().layer(own), retry=3))
    assert layers == ["Retry(attempts=4, base_delay=0.1, max_delay=0.2, on=())"]


def test_a_retry_stands_outside_the_timeout_and_within_the_limits() -> None:
    tool = Mailbox().search().layer(Timeout(5)).layer(RateLimit(calls=5, seconds=1.0))
    step = Step(name="search", callee=tool, retry=1)
    check_order([each.place for each in step.callee.layers], layers_of(step))
    assert [said.partition("(")[0] for said in layers_of(step)] == ["RateLimit", "Retry", "Timeout"]


def test_without_retry_the_tool_stays_as_it_is() -> None:
    tool = with_recommended_layers(Mailbox().search())
    assert Step(name="search", callee=tool, takes={"query": Given("query")}).callee is tool


def layers_of(step: Step) -> list[str]:
    return [repr(layer) for layer in step.callee.layers]
