"""Settings explain wrong values in one line."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from remit.errors import SetupError
from remit.schemas.settings import with_setup_errors


@with_setup_errors
class Oven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    degrees: int
    minutes: int = 30


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "Oven: degrees: Field required"),
        ({"degrees": 1, "minuts": 3}, "Oven: there is no setting 'minuts'; did you mean minutes?"),
        ({"degrees": 1.5, "minutes": []}, "Oven: degrees: Input should be a valid integer, got a number with a "),
    ],
)
def test_wrong_settings_are_explained_in_one_line(values: dict[str, Any], said: str) -> None:
    with pytest.raises(SetupError) as error:
        Oven(**values)
    assert error.value.message.startswith(said)
    assert "\n" not in error.value.message
