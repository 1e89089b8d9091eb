"""The timeline of a run says what the layers around its model did."""

from __future__ import annotations

from remit import Agent, App, Runtime, Stack
from remit.cli.timeline import Timeline
from remit.errors import ModelBusyError
from remit.layers import AddMessage, Fallback, Guardrail, ModelLayer, RetryModel
from remit.testing import Scripted, superuser


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
