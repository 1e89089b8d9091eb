"""A layer of calls says what stands around models and steps instead."""

from __future__ import annotations

from typing import Any

import pytest

from remit.layers import Budget, Retry, Timeout


@pytest.mark.parametrize(
    ("view", "said"),
    [
        (
            "models",
            "Retry is a layer around calls only, so it has no .models; write RetryModel(…) or Fallback(…) for models",
        ),
        ("steps", "Retry is a layer around calls only, so it has no .steps; write Timeout(…) for steps"),
        ("speed", "'Retry' object has no attribute 'speed'"),
    ],
)
def test_a_view_that_a_layer_does_not_have_names_another_layer(view: str, said: str) -> None:
    layer: Any = Retry()
    with pytest.raises(AttributeError) as caught:
        getattr(layer, view)
    assert str(caught.value) == said


def test_a_layer_for_any_service_has_its_views() -> None:
    assert repr(Timeout(3).models) == "Timeout(seconds=3).models"
    assert not hasattr(Budget(), "models")
