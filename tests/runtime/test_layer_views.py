"""A layer around model requests or steps is refused where only calls are, with a line that attaches it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from remit import Agent, App, Runtime, Stack, Timeout, tool
from remit.core.place import shorten
from remit.errors import SetupError
from remit.layers import AddMessage, ModelLayer, ModelService, RetryModel
from remit.testing import Scripted


@tool
async def look() -> str:
    """Look."""
    return "seen"


class Plain(ModelLayer):
    """Has the representation that every object has."""

    def __call__(self, inner: ModelService, /) -> ModelService:
        return inner


AGENT: Final = Agent("clerk", instructions="Work.", model=Scripted(["done"]))
OFFICE: Final = App(name="office", agents=(AGENT,), tools=(look,))
LAYERS: Final = {
    "a view of models": Timeout(5).models,
    "a view of steps": Timeout(5).steps,
    "retries": RetryModel(attempts=2),
    "a message": AddMessage("Be brief."),
}
SCOPES: Final[dict[str, Callable[[Any], object]]] = {
    "a tool": look.layer,
    "an agent as a tool": AGENT.layer_around,
    "a runtime": Runtime(OFFICE).layer,
    "the layers of a runtime": lambda layer: Runtime(OFFICE, layers=Stack(layer)),
    "an application": lambda layer: App(name="office", agents=(AGENT,), layers=layer),
}


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("name", LAYERS)
def test_the_line_of_the_refusal_attaches_the_layer(name: str, scope: str) -> None:
    with pytest.raises(SetupError) as refused:
        SCOPES[scope](LAYERS[name])
    line = refused.value.message.partition("attach it to an agent: ")[2]
    names = {"agent": AGENT, "Timeout": Timeout, "RetryModel": RetryModel, "AddMessage": AddMessage}
    attached: Agent = eval(line, names)  # noqa: S307 - the line is the product's own
    assert [repr(each) for each in attached.agent_layers] == [repr(LAYERS[name])]
    assert type(attached.agent_layers.layers[0]) is type(LAYERS[name])


@pytest.mark.parametrize("scope", SCOPES)
def test_a_view_of_calls_is_attached_at_every_scope(scope: str) -> None:
    assert SCOPES[scope](Timeout(5).calls) is not None


def test_a_layer_without_a_representation_of_its_own_is_written_by_its_class() -> None:
    with pytest.raises(SetupError, match=r"attach it to an agent: agent\.layer\(Plain\(…\)\)$"):
        look.layer(Plain())  # type: ignore[arg-type]


def test_a_layer_is_shortened_with_its_view() -> None:
    assert [shorten(repr(each)) for each in LAYERS.values()] == [
        "Timeout(…).models",
        "Timeout(…).steps",
        "RetryModel(…)",
        "AddMessage(…)",
    ]
