"""The recorder stands outside the layers, and reads what it recorded."""

from __future__ import annotations

from typing import Any

from remit.agent.layered_model import LayeredModel
from remit.agent.model_recorder import RecordModel
from remit.chat.chat import encode_message
from remit.journal.ledger import RunLedger
from remit.journal.replay import ReplayLedger
from remit.layers import AddMessage, ModelLayer, ModelService, layer_fn
from remit.messages import ChatRequest, Completion
from remit.record.items import ErasedItem, Item, Message, ModelExchange, Position
from remit.stores import InMemoryStore
from remit.testing import Scripted
from tests.agent.kit import request


@layer_fn
async def mark(chat: ChatRequest, inner: ModelService) -> Completion:
    completion = await inner(chat)
    return completion.with_text(f"{completion.content}!")


LAYERS: list[ModelLayer] = [mark(), AddMessage("Be brief.")]


async def ledger_of(store: InMemoryStore) -> RunLedger:
    epoch = (await store.acquire("run", "test", 0.0)).epoch
    history = await store.read("run")
    return RunLedger(store, "run", epoch, clock=lambda: 0.0, on_stored=lambda _: None, history=history)


async def record(service: ModelService) -> InMemoryStore:
    store = InMemoryStore(lambda: 0.0)
    ledger = await ledger_of(store)
    assert (await service(request(ledger=ledger))).content == "done!"
    await ledger.flush()
    return store


async def items(store: InMemoryStore, kind: type[Any]) -> list[Any]:
    return [position.item for position in await store.read("run") if isinstance(position.item, kind)]


def today(*layers: ModelLayer) -> ModelService:
    return RecordModel(LayeredModel(layers))(Scripted([]))


async def test_an_answer_recorded_outside_the_layers_is_not_changed_twice() -> None:
    store = await record(RecordModel(LayeredModel(LAYERS))(Scripted(["done"])))
    (message,) = await items(store, Message)
    assert message.text == encode_message({"role": "assistant", "content": "done!"})
    for ledger in (await ledger_of(store), ReplayLedger("run", await store.read("run"))):
        assert (await today(*LAYERS)(request(ledger=ledger))).content == "done!"
    assert (await today()(request(ledger=await ledger_of(store)))).content == "done!"


async def test_an_answer_whose_exchange_was_erased_is_not_changed_twice() -> None:
    store = await record(RecordModel(LayeredModel(LAYERS))(Scripted(["done"])))

    def erase(item: Item) -> Item:
        return ErasedItem(call=item.call, was=item.kind) if isinstance(item, ModelExchange) else item

    history = [
        Position(each.run, each.epoch, each.seq, each.at, erase(each.item), each.body, each.digest, each.chain)
        for each in await store.read("run")
    ]
    assert (await today(*LAYERS)(request(ledger=ReplayLedger("run", history)))).content == "done!"
