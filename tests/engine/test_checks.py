"""A runtime refuses parts of the wrong type in one line, when it is made."""

from __future__ import annotations

import re
from typing import Any

import pytest

from remit import Runtime
from remit.errors import SetupError
from remit.testing import Scripted
from tests.runtime.test_wrong_arguments import application


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"model": Scripted},
            "Runtime: model is the class Scripted; give a model, or its name, such as 'openai:gpt-5'",
        ),
        ({"model": 3}, "Runtime: model is 3; give a model, or its name, such as 'openai:gpt-5'"),
        ({"lease_seconds": "3"}, "Runtime: lease_seconds is '3'; give a number"),
        ({"lease_seconds": 0}, "Runtime: lease_seconds is 0; give a positive number"),
        ({"store": "shop.db"}, "Runtime: store is 'shop.db'; give a store, such as"),
    ],
)
def test_a_runtime_refuses_parts_of_the_wrong_type(given: dict[str, Any], message: str) -> None:
    with pytest.raises(SetupError, match=f"^{re.escape(message)}"):
        Runtime(application(), **given)


def test_a_runtime_takes_a_model_and_the_name_of_one() -> None:
    for model in (Scripted(["done"]), "openai:gpt-5"):
        assert Runtime(application(), model=model).app.name == "shop"
