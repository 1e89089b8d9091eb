"""The model that agents ask which name none, and what can be chosen instead. No document has a key."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from remit.models.local import LocalModel
from remit.server.documents.document import Asked, Document
from remit.server.model_switch import ModelInUse, ModelSource, ModelSwitch
from remit.server.weights import Fetch, WeightsState, list_weights

_Name = Annotated[str, Meta(min_length=1, max_length=200)]


class ChooseModel(Asked):
    """A model to choose: its name, such as ``openai:gpt-5-mini``, or ``rehearsal``.

    ``key`` is the API key, or the variable in which the provider expects it: ``env:OPENAI_API_KEY``. ``address``
    is that of another OpenAI-compatible endpoint, such as ``https://openrouter.ai/api/v1``; it takes no variable.
    """

    name: _Name
    key: Annotated[str, Meta(max_length=1000)] = ""
    address: Annotated[str, Meta(max_length=1000)] = ""


class FetchWeights(Asked):
    """The weights to fetch, by their name in the document of the model."""

    name: _Name


class WeightsDocument(Document):
    """Weights of a local model: their size and how much is here, in bytes, and why a fetch failed."""

    name: str
    description: str
    size: int
    done: int
    state: WeightsState
    problem: str

    @staticmethod
    def of(weights: LocalModel, fetch: Fetch | None) -> WeightsDocument:
        """The document of weights, and of their last fetch."""
        state: WeightsState = "here" if weights.is_downloaded else "absent" if fetch is None else fetch.state
        return WeightsDocument(
            name=weights.name,
            description=weights.description,
            size=weights.size,
            done=weights.size if state == "here" else 0 if fetch is None else fetch.done,
            state=state,
            problem="" if fetch is None else fetch.problem,
        )


class ModelDocument(Document):
    """The model in use. ``problem`` says why it cannot be used; empty if it can, as far as that is known.

    ``source`` says who has chosen it, ``key_source`` where its key is: ``env:NAME``, "kept on the server", or empty.
    ``may_choose``: the person may choose another one, and ``fixed`` is empty; it says why the choice is fixed.
    """

    name: str
    description: str
    source: ModelSource
    is_script: bool
    problem: str
    key_source: str
    address: str
    may_choose: bool
    fixed: str
    has_rehearsal: bool
    weights: tuple[WeightsDocument, ...]

    @staticmethod
    def of(used: ModelInUse, switch: ModelSwitch | None, *, may_choose: bool, problem: str) -> ModelDocument:
        """The document of the model in use."""
        choice, fixed = used.choice, "the application sets its models" if switch is None else switch.explain_fixed()
        return ModelDocument(
            name=used.name,
            description=used.description,
            source=used.source,
            is_script=used.is_script,
            problem=problem,
            key_source="" if choice is None else choice.key_source,
            address="" if choice is None else choice.bare_address,
            may_choose=may_choose,
            fixed=fixed,
            has_rehearsal=switch is not None and switch.has_rehearsal,
            weights=()
            if switch is None or fixed
            else tuple(WeightsDocument.of(each, switch.weights.find(each.name)) for each in list_weights()),
        )
