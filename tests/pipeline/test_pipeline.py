"""A pipeline goes from step to step, each a governed call, and says what became of each."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from remit import Agent, App, Context, Effect, Risk, Runtime, Timeout, preset, tool
from remit.app import Env
from remit.call.call import Call, CallService
from remit.call.callee import UNKNOWN
from remit.call.classification import Capability, Classification, Complexity
from remit.errors import BudgetError, DeniedError, ExternalError, InvalidArgumentsError, NotFoundError, SetupError
from remit.layers import Reply, Transform, layer_fn
from remit.pipeline import From, Given, Item, Pipeline, PipelineResult, Step, Text, Then
from remit.record.arguments import Arguments
from remit.testing import Scripted, calls, superuser
from tests.pipeline.mails import (
    File,
    Head,
    Heads,
    Mailbox,
    Stored,
    outcome,
    pipeline,
    raising,
    ran,
    runtime_of,
    steps_of,
)


async def test_steps_run_in_order_with_what_earlier_ones_gave() -> None:
    box = Mailbox("m1", "m2", "m3")
    assert await outcome(box.filing()) == PipelineResult(
        outcome="done",
        steps_executed=4,
        steps_succeeded=4,
        steps_failed=0,
        path=["search", "read", "store", "note"],
        results={
            "search": {"messages": [{"id": "m1", "thread": None}, {"id": "m2", "thread": None}], "total": 3},
            "read": [{"id": "m1", "text": "the text of m1"}, {"id": "m2", "text": "the text of m2"}],
            "store": {"stored": 2},
            "note": "noted in cf_1",
        },
        failures={},
        state={"stored": 2},
    )
    assert box.done == ["search from:ada", "read m1", "read m2", "store 2 in cf_1", "note '2 of from:ada'"]


async def test_a_failure_stops_it_and_the_result_says_what_was_done_before() -> None:
    box = Mailbox()
    box.failing["store"] = raising(NotFoundError)
    result = await outcome(box.filing())
    assert (result.outcome, result.path) == ("stopped", ["search", "read", "store"])
    assert (result.steps_executed, result.steps_succeeded, result.steps_failed) == (3, 2, 1)
    assert result.failures["store"].model_dump() == {"errorCode": "NOT_FOUND", "error": "store did not work"}
    assert list(result.results) == ["search", "read"]
    assert result.state == {"stored": None}


async def test_after_a_failure_it_may_continue() -> None:
    box = Mailbox()
    box.failing["note"] = raising(NotFoundError)
    result = await outcome(box.filing(note={"on_failure": Then.CONTINUE}))
    assert (result.outcome, result.steps_failed, result.state) == ("done", 1, {"stored": 2})


async def test_a_step_whose_reference_names_nothing_fails_and_is_not_called() -> None:
    box = Mailbox()
    box.failing["store"] = raising(NotFoundError)
    result = await outcome(box.filing(store={"on_failure": Then.CONTINUE}))
    assert (result.outcome, result.path[-1]) == ("stopped", "note")
    assert result.failures["note"].error == "From('store', 'stored'): the step store has no result"
    assert "note" not in box.keys


async def test_after_a_failure_it_may_go_to_a_step_of_a_name_and_stop_there() -> None:
    box = Mailbox()
    box.failing["store"] = raising(NotFoundError)
    steps = box.steps(store={"on_failure": "sorry"}, note={"on_success": Then.STOP})
    takes = {"casefile": Given("casefile"), "text": "it did not work"}
    sorry = Step(name="sorry", callee=steps["note"].callee, takes=takes)
    result = await outcome(pipeline(*steps.values(), sorry))
    assert (result.outcome, result.path) == ("done", ["search", "read", "store", "sorry"])
    assert box.done[-1] == "note 'it did not work'"


async def test_after_success_it_may_go_to_a_step_of_a_name() -> None:
    box = Mailbox()
    skip = box.steps(
        search={"on_success": "note"},
        note={"takes": {"casefile": "cf_2", "text": "only looked"}},
        read={"on_failure": Then.STOP},
    )
    back = Step(
        name="again", callee=skip["search"].callee, takes={"query": "x"}, on_success=Then.STOP, on_failure="read"
    )
    result = await outcome(pipeline(*skip.values(), back))
    assert result.path == ["search", "note", "again"]


async def test_a_step_for_each_element_fails_with_the_first_that_fails() -> None:
    box = Mailbox("m1", "m2", "m3")
    box.failing["read"] = []
    made = box.filing(read={"takes": {"mail_id": "m9"}, "on_failure": Then.STOP})
    result = await outcome(made)
    assert result.failures["read"].errorCode == "NOT_FOUND"
    assert box.done == ["search from:ada", "read m9"]


async def test_a_step_for_each_of_no_elements_gives_none() -> None:
    box = Mailbox()
    box.mails = ()
    result = await outcome(box.filing())
    assert (result.results["read"], result.results["store"]) == ([], {"stored": 0})


class Maybe(BaseModel):
    """Perhaps a list."""

    found: list[str] | None


async def test_a_list_that_is_none_today_fails_the_step() -> None:
    @tool(effect=Effect.PURE)
    async def look() -> Maybe:
        """Look."""
        return Maybe(found=None)

    box = Mailbox()
    each = Step(name="read", callee=box.read(), each=From("look", "found"), takes={"mail_id": Item()})
    result = await outcome(pipeline(Step(name="look", callee=look), each))
    assert result.failures["read"].error == "From('look', 'found') is not a list"


async def test_steps_may_run_again_after_a_failure_and_the_last_result_counts() -> None:
    box = Mailbox()
    box.failing["store"] = raising(ExternalError)
    result = await outcome(box.filing(store={"on_failure": "search"}))
    assert result.path == ["search", "read", "store", "search", "read", "store", "note"]
    assert (result.outcome, result.steps_executed, result.steps_succeeded, result.steps_failed) == ("done", 7, 6, 1)
    assert result.results["store"] == {"stored": 2}
    assert result.failures["store"].errorCode == "EXTERNAL_SERVICE_ERROR"
    assert len(set(box.keys["store"])) == 2, "another call has another key"


async def test_a_circle_is_stopped_and_the_error_has_the_path() -> None:
    box = Mailbox()
    box.failing["read"] = raising(NotFoundError, 9)
    way = " → ".join(["search", "read"] * 2 + ["search"])
    with pytest.raises(BudgetError, match=f"the pipeline loops; no step may run more than 2 times: {way}"):
        await outcome(pipeline(*box.steps(read={"on_failure": "search"}).values(), rounds=2))
    assert box.done == ["search from:ada"] * 2


@pytest.mark.looptime
async def test_a_retry_is_a_further_attempt_of_the_same_call() -> None:
    box = Mailbox()
    box.failing["store"] = raising(ExternalError, 2)
    made = box.filing(store={"retry": 2})
    result = await outcome(made)
    assert (result.outcome, result.steps_executed, result.steps_failed) == ("done", 4, 0)
    assert len(box.keys["store"]) == 3
    assert len(set(box.keys["store"])) == 1, "all attempts have one key"


def test_its_facts_are_those_of_its_steps_together() -> None:
    kind = Classification(
        domain="workspace", subdomain="mail", capability=Capability.PROCESS, complexity=Complexity.PIPELINE
    )
    facts = pipeline(*Mailbox().steps().values(), classification=kind, tags={"mail"}).facts
    assert (facts.effect, facts.risk, facts.egress) == (Effect.COMPOSED, Risk.MODERATE, False)
    assert facts.permissions == {"mail:read", "casefiles:write"}
    assert (facts.classification, facts.tags, facts.trusted) == (kind, {"mail"}, False)


def test_what_is_classified_as_something_else_is_refused() -> None:
    kind = Classification(domain="workspace", subdomain="mail", capability=Capability.PROCESS)
    with pytest.raises(
        SetupError, match="pipeline file_mail: the complexity is atomic; a pipeline needs complexity pipeline"
    ):
        pipeline(*Mailbox().steps().values(), classification=kind)


def test_a_pipeline_that_may_not_run_a_step_at_all_is_refused() -> None:
    with pytest.raises(SetupError, match="rounds is 0; each step runs at least once"):
        pipeline(*Mailbox().steps().values(), rounds=0)


def test_it_prints_its_steps() -> None:
    assert repr(Mailbox().filing()) == "Pipeline file_mail (search → read → store → note)"


async def test_a_principal_who_lacks_what_a_step_needs_is_refused_before_the_first() -> None:
    box = Mailbox()
    made = box.filing()
    result = await runtime_of(made).call(made, superuser("mail:read"), File(query="x"))
    with pytest.raises(DeniedError, match="missing permission casefiles:write"):
        result.value()
    assert box.done == []


async def test_what_is_no_payload_of_it_is_refused() -> None:
    made: Any = Mailbox().filing()
    with pytest.raises(InvalidArgumentsError, match="give a File, not a Head"):
        made.build_arguments(Head(id="m1"))
    assert await made.reconcile(File(query="x"), None) is UNKNOWN


async def test_a_model_calls_it_like_any_tool() -> None:
    box = Mailbox()
    runtime = runtime_of(box.filing(), script=[calls(("file_mail", {"query": "from:ada"})), "done"])
    result = await runtime.run("go", by=superuser())
    assert (result.value(), len(box.done)) == ("done", 5)


@layer_fn
async def counted(call: Call, inner: CallService, log: list[str]) -> Reply:
    log.append(f"{call.callee.name}@{call.caller.depth}")
    return await inner(call)


async def test_every_step_goes_through_every_layer_one_deeper_than_the_pipeline() -> None:
    log = list[str]()
    made = Mailbox().filing()
    await ran(made, layers=preset(Env()).layer(counted(log)))
    assert log == ["file_mail@0", "search@1", "read@1", "read@1", "store@1", "note@1"]


async def test_layers_stand_around_the_pipeline_outermost_last() -> None:
    log = list[str]()
    plain = Mailbox().filing()
    made = plain.layer(Timeout(5)).layer(counted(log))
    assert [repr(layer).partition("(")[0] for layer in made.layers] == ["counted", "Timeout"]
    assert len(plain.layers) == 0
    await outcome(made)
    assert log == ["file_mail@0"]


async def test_what_a_layer_made_of_a_result_is_what_the_next_step_reads() -> None:
    box = Mailbox()

    def fewer(_reply: Reply) -> Reply:
        return Reply.from_value(Heads(messages=[Head(id="m2")], total=1))

    search = box.search().layer(Transform(fewer))
    result = await outcome(box.filing(search={"callee": search}))
    assert box.done[1:3] == ["read m2", "store 1 in cf_1"]
    assert result.state == {"stored": 1}


async def test_a_reply_that_is_not_what_the_contract_says_fails_the_step() -> None:
    box = Mailbox()

    @layer_fn
    async def cached(call: Call, inner: CallService) -> Reply:
        return Reply.from_value("no JSON")

    result = await outcome(box.filing(search={"callee": box.search().layer(cached())}))
    error = result.failures["search"].error
    assert error.startswith("a layer changed the result of search: the result does not match the contract: ")


async def test_a_pipeline_may_be_a_step_of_another() -> None:
    box = Mailbox()
    inner = box.filing()
    outer = Pipeline(
        "outer",
        File,
        [Step(name="file", callee=inner, takes={"query": Given("query"), "tags": ["a", "b"]})],
        description="File once more.",
        keep={"stored": From("file", "state", "stored")},
    )
    runtime = runtime_of(outer)
    assert (await runtime.call(outer, superuser(), File(query="x"))).value().state == {"stored": 2}


async def test_a_pipeline_runs_within_the_body_of_another_tool() -> None:
    box = Mailbox()
    made = box.filing()

    @tool(effect=Effect.COMPOSED)
    async def tidy(ctx: Context, query: str) -> int:
        """File mail, and say how much."""
        kept = await made.run_within(ctx, File(query=query))
        return Stored.model_validate(kept.state).stored

    runtime = Runtime(App(name="test", tools=(tidy, *steps_of(made).values())))
    assert (await runtime.call(tidy, superuser(), "x")).value() == 2
    assert len(box.done) == 5


async def test_a_step_that_the_application_does_not_list_is_refused_when_the_runtime_is_built() -> None:
    made = Mailbox().filing()
    listed = [each for name, each in steps_of(made).items() if name != "store"]
    with pytest.raises(SetupError, match=r"file_mail calls Tool store \(keyed, moderate\) .* is not listed; add it to"):
        Runtime(App(name="test", tools=(made, *listed)))
    bare = Mailbox().store()
    with pytest.raises(SetupError, match=r"calls Tool store .* is not listed: its name is that of Tool store"):
        Runtime(App(name="test", tools=(made, *listed, bare)))


async def test_a_step_that_lacks_layers_of_the_listed_tool_is_refused_when_the_runtime_is_built() -> None:
    made = Mailbox().filing()
    steps = steps_of(made)
    with pytest.raises(SetupError, match=r"file_mail calls Tool store .* lacks layers of the listed store"):
        Runtime(App(name="test", tools=(made, *(_limited(each) for each in steps.values()))))


async def test_an_agent_may_be_a_step_and_makes_its_calls_as_itself() -> None:
    log = list[str]()
    box = Mailbox()
    writer = Agent("writer", instructions="Write.", tools=[box.search()]).layer(counted(log))
    ask = Step(name="ask", callee=writer, takes={"prompt": Text("about {q}", q=Given("query"))})
    made = pipeline(ask, keep={"said": From("ask")})
    model = Scripted([calls(("search", {"query": "x"})), "it is about x"])
    runtime = Runtime(App(name="test", agents=(writer,), tools=(made,)), model=model)
    assert (await runtime.call(made, superuser(), File(query="x"))).value().state == {"said": "it is about x"}
    assert "search@2" in log


def test_its_arguments_are_its_payload() -> None:
    arguments = Mailbox().filing().build_arguments(File(query="x"))
    assert isinstance(arguments, Arguments)
    assert arguments.value == {"query": "x"}


def _limited(callee: Any) -> Any:
    return callee.layer(Timeout(5)) if callee.name == "store" else callee
