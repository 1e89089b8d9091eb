"""The meter of a run: reservations before requests, limits that bind everything below, and seconds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec import Struct

from remit.errors import BudgetError, NoModelError
from remit.record.items import Item, Message, ModelUsage, Position, RunOpened, RunResumed, RunSuspended
from remit.record.meter import DEFAULT_OUTPUT_TOKENS, Meter, UsageLimit
from remit.record.usage import Price, UsageTotals

PRICES = {"m": Price(1.0, 2.0)}
OF_RUN = UsageLimit("the run", "its Budget", is_of_run=True)
OF_AGENT = UsageLimit("agent a", "`limits`", is_of_run=False)


class Request(Struct):
    call_id: str
    size: int = 40
    max_tokens: int | None = 90

    def texts(self) -> Sequence[str]:
        return ["x " * (self.size // 2)]


def usage(call: str, tokens: int, *within: str, model: str = "m") -> ModelUsage:
    return ModelUsage(
        call=call,
        model=model,
        finish="stop",
        prompt_tokens=tokens,
        completion_tokens=0,
        response="",
        within=within,
    )


def make_meter(*items: tuple[Item, float], now: float = 0.0) -> Meter:
    history = [Position("run", 1, seq, at, item, "", b"", b"") for seq, (item, at) in enumerate(items)]
    return Meter(PRICES, lambda: now, history)


def test_a_request_reserves_its_size_and_the_most_that_the_answer_may_have() -> None:
    meter = make_meter()
    meter.add_limit("a", OF_RUN._replace(tokens=200))
    with meter.reserve(Request("a:1"), "m"):  # 10 + 90
        with meter.reserve(Request("a:2"), "m"):
            pass
        with pytest.raises(BudgetError, match=r"the run has used 0 of its 200 tokens, .* need about 300; raise its"):
            meter.reserve(Request("a:3"), "m").__enter__()


def test_a_reservation_stays_until_the_usage_is_on_record() -> None:
    meter = make_meter()
    meter.add_limit("a", OF_RUN._replace(tokens=150))
    with meter.reserve(Request("a:1"), "m"):
        pass
    with pytest.raises(BudgetError):
        meter.reserve(Request("a:2"), "m").__enter__()
    meter.add_usage(usage("a:1", 50))
    meter.settle("a:1")
    with meter.reserve(Request("a:2"), "m"):
        pass


def test_a_request_that_fails_has_used_nothing() -> None:
    meter = make_meter()
    meter.add_limit("a", OF_RUN._replace(tokens=100))
    with pytest.raises(ConnectionError), meter.reserve(Request("a:1"), "m"):
        raise ConnectionError
    with meter.reserve(Request("a:1"), "m"):
        pass


def test_an_answer_without_a_limit_of_its_own_is_reserved_by_default() -> None:
    meter = make_meter()
    meter.add_limit("a", OF_RUN._replace(tokens=DEFAULT_OUTPUT_TOKENS + 9))
    with pytest.raises(BudgetError):
        meter.reserve(Request("a:1", max_tokens=None), "m").__enter__()
    with meter.reserve(Request("a:1", size=36, max_tokens=None), "m"):
        pass


def test_an_embedded_file_counts_as_a_thousand_tokens() -> None:
    class WithFile(Request):
        def texts(self) -> Sequence[str]:
            return ["iVBORw0K" * 100_000]

    meter = make_meter()
    meter.add_limit("a", OF_RUN._replace(tokens=1_090))
    with meter.reserve(WithFile("a:1"), "m"):
        pass


def test_limits_of_an_agent_bind_everything_below_it_and_nothing_beside_it() -> None:
    meter = make_meter()
    for parent, call in (("root", "a"), ("root", "b"), ("a", "tool"), ("tool", "deep")):
        meter.add_call(parent, call)
    meter.add_limit("a", OF_AGENT._replace(tokens=150))
    meter.add_usage(usage("deep:1", 60))
    meter.add_usage(usage("b:1", 1_000))
    with pytest.raises(BudgetError, match="agent a has used 60 of its 150 tokens"):
        meter.reserve(Request("deep:2"), "m").__enter__()
    with pytest.raises(BudgetError):
        meter.reserve(Request("a:1"), "m").__enter__()
    with meter.reserve(Request("b:2"), "m"):
        pass
    assert [meter.totals(each).tokens for each in ("", "a", "b", "deep")] == [1_060, 60, 1_000, 60]


def test_requests_in_progress_beside_an_agent_do_not_count_against_it() -> None:
    meter = make_meter()
    meter.add_call("root", "a")
    meter.add_call("root", "b")
    meter.add_limit("root", OF_RUN._replace(tokens=200))
    meter.add_limit("a", OF_AGENT._replace(tokens=100))
    with meter.reserve(Request("b:1"), "m"), meter.reserve(Request("a:1"), "m"):
        pass


def test_the_usage_of_an_interrupted_agent_counts_before_its_caller_calls_it_again() -> None:
    meter = make_meter()
    meter.add_limit("a", OF_AGENT._replace(tokens=100))
    meter.add_usage(usage("deep:1", 60, "tool", "a"))
    assert meter.calls_around("deep") == ("tool", "a")
    with pytest.raises(BudgetError):
        meter.reserve(Request("a:1"), "m").__enter__()


def test_a_limit_on_cost_counts_dollars_and_needs_the_price() -> None:
    meter = make_meter()
    meter.add_limit("a", OF_RUN._replace(cost=0.0003))
    with meter.reserve(Request("a:1"), "m"):  # 10 at $1 and 90 at $2 per million
        pass
    with pytest.raises(BudgetError, match=r"has used \$0 of its \$0\.0003, and the requests to come exceed the rest"):
        meter.reserve(Request("a:2"), "m").__enter__()
    with pytest.raises(NoModelError, match=r"may cost \$0\.0003, but the price of the model 'lab:new' is unknown"):
        meter.reserve(Request("a:2"), "lab:new").__enter__()
    with pytest.raises(NoModelError, match="the price of a model without a name is unknown"):
        meter.reserve(Request("a:2"), "").__enter__()


def test_cost_is_unknown_once_one_request_has_no_price() -> None:
    meter = make_meter()
    meter.add_usage(usage("a:1", 1_000_000))
    assert meter.totals() == UsageTotals(1_000_000, 0, 1, 1.0)
    meter.add_usage(usage("b:1", 1, model="new"))
    assert meter.totals().cost is None
    with pytest.raises(BudgetError, match=r"may cost \$5, but what it has cost is unknown: a model has no price"):
        meter.check_limit(OF_RUN._replace(cost=5.0), "a")


def test_a_call_is_refused_when_a_limit_is_used_up() -> None:
    meter = make_meter()
    meter.add_usage(usage("a:1", 100))
    for limit in (OF_RUN._replace(tokens=101), OF_RUN._replace(cost=0.5), OF_RUN._replace(seconds=1.0), OF_RUN):
        meter.check_limit(limit, "a")
    meter.check_limit(OF_AGENT._replace(tokens=1), "elsewhere")
    with pytest.raises(BudgetError, match="the run has used all of its 100 tokens") as raised:
        meter.check_limit(OF_RUN._replace(tokens=100), "a")
    assert raised.value.limit == OF_RUN._replace(tokens=100)
    with pytest.raises(BudgetError, match=r"the run has used all of its \$0\.0001"):
        meter.check_limit(OF_RUN._replace(cost=0.0001), "a")


OPENED = RunOpened(
    call="run",
    format=1,
    tenant="t",
    principal="p",
    application="app",
    agent="",
    callee="a",
    arguments="{}",
    conversation="",
    after="",
)
RESUMED = RunResumed(call="run", driver="me")
WAITING = RunSuspended(call="run", questions=("q",))


def message(agent: str) -> Message:
    return Message(call=agent, agent=agent, text="{}")


HISTORY = (
    (OPENED, 100.0),
    (message("a"), 101.0),
    (message("b"), 102.0),
    (usage("b:1", 1, "a"), 105.0),
    (message("c"), 109.0),
    (WAITING, 110.0),
    (RESUMED, 200.0),
    (message("a"), 203.0),
    (WAITING, 203.5),
    (RESUMED, 300.0),
)


def test_seconds_are_those_of_all_executions_without_the_time_between() -> None:
    now = 300.0
    history = [Position("run", 1, seq, at, item, "", b"", b"") for seq, (item, at) in enumerate(HISTORY)]
    meter = Meter(PRICES, lambda: now, history)
    assert meter.seconds() == pytest.approx(13.5)
    now = 302.0
    assert meter.seconds() == pytest.approx(15.5)
    meter.add_limit("a", OF_RUN._replace(seconds=15.0))
    with pytest.raises(BudgetError, match="the run has executed for its 15 seconds"):
        meter.reserve(Request("a:1"), "m").__enter__()
    with pytest.raises(BudgetError, match="the run has executed for its 15 seconds"):
        meter.check_limit(OF_RUN._replace(seconds=15.0), "a")


def test_the_seconds_of_a_call_are_from_its_begin_to_its_last_item_in_each_execution() -> None:
    meter = make_meter(*HISTORY)
    meter.add_usage(usage("b:1", 1, "a"))
    assert meter.seconds_before("a") == pytest.approx(4.0 + 3.0)
    assert meter.seconds_before("b") == pytest.approx(3.0)
    assert meter.seconds_before("unknown") == 0.0
