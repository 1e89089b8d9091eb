"""The timeline of a run says what the layers around its model did."""

from __future__ import annotations

from remit import Agent, Allow, App, Effect, Policy, Runtime, Stack, When, tool
from remit.agent import Compaction
from remit.cli.timeline import Timeline
from remit.errors import ModelBusyError
from remit.layers import AddMessage, Fallback, Guardrail, ModelLayer, RetryModel
from remit.messages import ChatRequest
from remit.record.item import Item
from remit.record.items import RuleRead, UsesReserved
from remit.testing import Scripted, superuser
from remit.testing.store_suite.samples import header_item, positions
from tests.agent.test_learnt_window import Strict, agent_of


async def labels_of(*layers: ModelLayer) -> list[tuple[str, str]]:
    model = Scripted([ModelBusyError("later")])
    agent = Agent("agent", instructions="Work.", model=model).layer(Stack(*layers))
    runtime = Runtime(App(name="test", agents=(agent,)))
    result = await runtime.run("go", by=superuser())
    entries = Timeline(await runtime.store.read(result.run), {}).entries()
    return [(each.label, each.text) for each in entries if each.label in {"layer", "failure"}]


async def test_it_shows_what_layers_sent_and_changed() -> None:
    other = Scripted(["done"])
    failure = ("failure", "MODEL_BUSY: later")
    sends = ("layer", 'sends {"role":"system","content":"Be brief."}')
    assert await labels_of(RetryModel(attempts=1), Fallback(other)) == [failure]
    assert await labels_of(RetryModel(attempts=1), Fallback(other), AddMessage("Be brief.")) == [failure, sends]
    guarded = await labels_of(RetryModel(attempts=1), Guardrail(lambda _: False, "No."), Fallback(other))
    assert guarded == [failure, ("layer", "changed the model's answer")]


async def test_it_shows_the_history_that_a_run_starts_from() -> None:
    agent = Agent("agent", instructions="Work.", model=Scripted(["-", "done"]))
    runtime = Runtime(App(name="test", agents=(agent,)))
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"page":"home"}'}}
    history = [
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "found"},
    ]
    result = await runtime.run("go", by=superuser(), messages=history)
    entries = Timeline(await runtime.store.read(result.run), {}).entries()
    assert [(each.label, each.text) for each in entries if each.label.startswith("given")] == [
        ("given assistant", "I look."),
        ("given wants", 'look page="home"'),
        ("given tool", "found"),
    ]


async def test_it_shows_the_metadata_of_the_request() -> None:
    runtime = Runtime(App(name="test", agents=(Agent("agent", instructions="Work.", model=Scripted(["done"])),)))
    result = await runtime.call_by_name("agent", {"prompt": "go"}, by=superuser(), metadata={"trace": "t1"})
    opened = Timeline(await runtime.store.read(result.run), {}).entries()[0].text
    assert opened == 'agent of test, asked by ada, with the metadata {"trace":"t1"}: prompt="go"'


async def test_it_shows_what_was_compacted() -> None:
    def answer(request: ChatRequest) -> str:
        return "x" * 2_000 if request.turn == 1 and "summarise" not in request.history[0] else "short"

    settings = Compaction(tokens=600, keep=100)
    agent = Agent("agent", instructions="Work.", model=Scripted([answer] * 9), compaction=settings)
    runtime = Runtime(App(name="test", agents=(agent,)))
    await runtime.run("one", by=superuser(), conversation="c")
    await runtime.run("two", by=superuser(), conversation="c")
    result = await runtime.run("three", by=superuser(), conversation="c")
    entries = Timeline(await runtime.store.read(result.run), {}).entries()
    assert [each.text for each in entries if each.label == "compacted"] == [
        "summarised older messages before request 1"
    ]


async def test_it_shows_that_a_refused_request_was_sent_again_with_fewer_tools() -> None:
    runtime = Runtime(App(name="test", agents=(agent_of(Strict(), finds=12),)))
    result = await runtime.run("word work care done", by=superuser())
    entries = Timeline(await runtime.store.read(result.run), {}).entries()
    assert [each.text for each in entries if each.label == "compacted"] == [
        "showed fewer tools before request 2, refused as too long"
    ]


async def test_it_names_the_rule_that_allowed_a_call() -> None:
    @tool(effect=Effect.UNSAFE)
    async def file(page: str) -> str:
        """File a page."""
        return page

    policy = Policy(When("drafts", lambda call: call.callee.name == "file", Allow()))
    runtime = Runtime(App(name="test", tools=(file,), policy=policy))
    result = await runtime.call(file, superuser(), "a")
    entries = Timeline(await runtime.store.read(result.run), {}).entries()
    assert [each.text for each in entries if each.label == "allowed"] == ['rule="drafts"']


class Sampled(Item, frozen=True, kw_only=True):
    """A kind of item that the timeline does not know."""

    kind = "sampled"
    what: str
    share: float = 0.0
    note: str = ""


def test_an_item_of_a_kind_without_a_line_of_its_own_is_told_with_its_fields() -> None:
    items = [header_item(), Sampled(call="run", what="a \x1b[1m reading", share=0.5)]
    told = Timeline(positions("run", items), {}).entries()[-1]
    assert (told.label, told.text) == ("sampled", 'what="a \\u001b[1m reading", share=0.5')


def test_it_shows_what_rules_read_and_what_windows_reserved() -> None:
    items: list[Item] = [
        header_item(),
        UsesReserved(call="c", uses=(("a day", "digest", 60.0), ("mails", "", 1.0))),
        RuleRead(call="c", test="after read_secret per run", holds=True),
        RuleRead(call="c", test="after read_secret per run", holds=False),
    ]
    entries = Timeline(positions("run", items), {}).entries()
    assert [(each.label, each.text) for each in entries[1:]] == [
        ("uses", "60 of a day, 1 of mails"),
        ("read", "after read_secret per run"),
        ("read", "no longer after read_secret per run"),
    ]
