"""A name stands for one thing; a name that stands for nothing is answered with near ones."""

from __future__ import annotations

import inspect

import pytest

from remit import Agent, App, Effect, Runtime, tool
from remit.call.callee import UNKNOWN, Frame
from remit.call.naming import tool_name
from remit.dispatch.context import CallContext
from remit.dispatch.registry import MissingCallee, Registry, collect_callees
from remit.errors import ContractError, NameTakenError, SetupError, UnknownToolError
from remit.record.items import AttemptEnded, AttemptStarted
from remit.testing import Scripted, calls, make_call, superuser
from tests.dispatch.actors import Actor
from tests.dispatch.kit import Bench
from tests.pipeline.mails import Mailbox, steps_of


@tool(effect=Effect.PURE)
async def cms_getPage() -> str:  # noqa: N802 - as a model sees it
    """Get a page."""
    return "page"


@tool(effect=Effect.PURE)
async def cms_getPages() -> str:  # noqa: N802 - as a model sees it
    """Get all pages."""
    return "pages"


def test_callees_are_found_by_name_in_the_order_in_which_they_came() -> None:
    registry = Registry([cms_getPages, cms_getPage])
    assert (list(registry), len(registry)) == ([cms_getPages, cms_getPage], 2)
    assert registry.get_or_missing("cms_getPage") is registry.find("cms_getPage") is cms_getPage
    assert registry.find("getPage") is None


def test_a_pipeline_whose_step_is_not_listed_is_refused_and_both_are_named() -> None:
    filing = Mailbox().filing()
    with pytest.raises(SetupError, match=r"file_mail calls Tool \w+ .* is not listed"):
        Registry([filing]).check_steps()
    Registry([filing, *steps_of(filing).values()]).check_steps()


def test_two_callees_of_one_name_are_refused_and_both_are_named() -> None:
    agent = Agent("cms_getPage", instructions="Get a page.")
    with pytest.raises(NameTakenError) as refused:
        Registry([cms_getPage, agent])
    assert repr(cms_getPage) in refused.value.message
    assert repr(agent) in refused.value.message
    assert "rename one of them" in refused.value.message


def test_the_first_of_two_stays() -> None:
    registry = Registry([cms_getPage])
    with pytest.raises(NameTakenError):
        registry.add(cms_getPages.with_name("cms_getPage"))
    assert list(registry) == [cms_getPage]


def test_the_same_object_may_be_entered_again() -> None:
    registry = Registry([cms_getPage, cms_getPage])
    registry.add(cms_getPage)
    assert len(registry) == 1


def test_names_that_differ_in_case_alone_are_two_names() -> None:
    assert len(Registry([cms_getPage, cms_getPage.with_name("cms_getpage")])) == 2


class Odd(MissingCallee):
    """A callee of somebody else's making, which checks no name."""


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "cms.getPage", "é"])
def test_a_name_that_a_model_may_not_see_is_refused(name: str) -> None:
    with pytest.raises(ContractError, match="is not a tool name"):
        Registry([Odd(name, ())])


@tool_name("cms-search")
async def search() -> str:
    """Search."""
    return "found"


def test_two_names_of_one_alias_are_refused_and_both_functions_are_told_with_their_lines() -> None:
    dashed, plain = tool(search), tool(search).with_name("cms_search")
    with pytest.raises(NameTakenError) as refused:
        Registry([dashed, plain])
    lines = inspect.getsourcelines(search)[1]
    where = f"tests/dispatch/test_registry.py:{lines}"
    assert refused.value.message.startswith("ctx.tools.cms_search would be two callees: Tool cms-search")
    assert refused.value.message.count(where) == 2


def test_of_two_callees_of_one_name_both_places_are_told() -> None:
    worker = Actor("cms_getPage", _nothing, where="workers/page.worker:2")
    with pytest.raises(NameTakenError) as refused:
        Registry([cms_getPage, worker])
    assert cms_getPage.where in refused.value.message
    assert "Actor cms_getPage at workers/page.worker:2; rename one of them" in refused.value.message


@pytest.mark.parametrize("name", ["run", "class", "__len__"])
def test_a_reserved_name_is_refused_with_the_reason(name: str) -> None:
    with pytest.raises(ContractError, match=f"'{name}' is reserved: .*; choose another"):
        Registry([cms_getPage.with_name(name)])


def test_an_alias_leads_to_the_canonical_name() -> None:
    registry = Registry([tool(search)])
    assert registry.canonical_name("cms_search") == registry.canonical_name("cms-search") == "cms-search"
    assert registry.canonical_name("cms_sarch") is None


def test_a_tool_of_a_provider_and_a_callee_cannot_have_one_name_whichever_comes_first() -> None:
    worker = Actor("worker", _nothing, provider_tools=["web_search"], where="w.worker:9")
    web_search = cms_getPage.with_name("web_search")
    for order in ([worker, web_search], [web_search, worker]):
        with pytest.raises(NameTakenError) as refused:
            Registry(order)
        assert refused.value.message.startswith("'web_search' names both a provider tool of Actor worker at w.worker:9")
        assert cms_getPage.where in refused.value.message


def test_several_may_use_the_same_tool_of_a_provider() -> None:
    workers = [Actor(name, _nothing, provider_tools=["web_search"]) for name in ("one", "two")]
    assert len(Registry(workers)) == 2


def test_everything_is_found_from_what_an_application_lists_each_once() -> None:
    inner = Actor("inner", _nothing, tools=[cms_getPage, cms_getPages])
    outer = Actor("outer", _nothing, tools=[inner, cms_getPage])
    inner.tools.append(outer)
    assert collect_callees([outer, cms_getPages]) == [outer, cms_getPages, inner, cms_getPage]


async def _nothing(_ctx: Frame) -> None:
    return None


async def unknown(name: str, *known: str) -> str:
    missing = Registry(cms_getPage.with_name(each) for each in known).get_or_missing(name)
    bench = Bench()
    call = await make_call(missing)
    with pytest.raises(UnknownToolError) as raised:
        await missing.run(missing.schema_in.bind(call.arguments), CallContext(call, missing, bench.door))
    return raised.value.message


async def test_an_unknown_name_is_answered_with_the_nearest_names_first() -> None:
    said = await unknown("cms_getPag", "cms_createPage", "cms_getPages", "cms_getPage", "mail_send")
    assert said == "there is no tool 'cms_getPag'; similar: cms_getPage, cms_getPages, cms_createPage"


async def test_a_name_that_is_near_to_nothing_is_said_alone() -> None:
    assert await unknown("zzz", "cms_getPage") == "there is no tool 'zzz'"
    assert await unknown("zzz") == "there is no tool 'zzz'"


@pytest.mark.parametrize("name", ["x" * 10_000, "\ud800", "a\nb", "'"])
async def test_whatever_name_a_model_invents_is_said_in_one_short_line(name: str) -> None:
    said = await unknown(name, "cms_getPage")
    said.encode()
    assert "\n" not in said
    assert len(said) < 120


async def test_an_unknown_name_takes_any_arguments_and_has_nothing_to_find_out() -> None:
    missing = MissingCallee("nothing", ())
    assert missing.build_arguments().raw == "{}"
    assert missing.facts.effect is Effect.PURE
    assert missing.schema_out.json_schema == {}
    call = await make_call(missing, '{"any":[1]}')
    payload = missing.schema_in.bind(call.arguments, strict=False)
    assert await missing.reconcile(payload, CallContext(call, missing, Bench().door)) is UNKNOWN


async def test_a_call_of_an_unknown_name_ends_like_every_other() -> None:
    bench = Bench(cms_getPage)
    missing = bench.named("cms_getpage")
    reply = await bench.door.service("", missing)(await bench.call(missing, '{"slug":"about"}'))
    assert reply.outcome == "error"
    assert reply.error is not None
    assert reply.error.code == "UNKNOWN_TOOL"
    assert "similar: cms_getPage" in reply.content


async def test_a_call_that_ended_before_its_tool_was_taken_away_is_of_an_unknown_name() -> None:
    bench = Bench(cms_getPage)
    missing = bench.named("cms_getpage")
    call = await bench.call(missing)
    call.ledger.add(AttemptStarted(call=call.id, parent="", callee="save", attempt=1))
    await call.ledger.commit(AttemptEnded(call=call.id, attempt=1, outcome="ok", content="page"))
    reply = await bench.door.service("", missing)(await bench.call(missing))
    assert reply.error is not None
    assert reply.error.code == "UNKNOWN_TOOL"


def test_a_method_with_a_tool_is_no_program_of_its_own() -> None:
    registry = Registry([cms_getPage], {"pages.get": cms_getPage, cms_getPages.name: cms_getPages})
    assert registry.programs == (cms_getPages,)


async def test_a_model_is_told_that_there_is_no_such_tool_whatever_arguments_it_sent() -> None:
    agent = Agent("agent", instructions="Work.", tools=[cms_getPage])
    model = Scripted([calls(("cms_getPag", {"slug": "about"})), "done"])
    await Runtime(App(name="test", agents=(agent,)), model=model).run("go", by=superuser())
    assert "UNKNOWN_TOOL" in model.requests[-1].history[-1]
