"""An application holds what governs it: policy, budget and layers, for every runtime that is built from it."""

from __future__ import annotations

from typing import Any

import pytest

from remit import App, Policy, Stack
from remit.errors import SetupError
from remit.policies import HighRisk

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a rule as a policy": (
        {"policy": HighRisk()},
        "application shop: policy is HighRisk(name='high risk'); give Policy(…)",
    ),
    "a number as a budget": ({"budget": 5}, "application shop: budget is 5; give Budget(…)"),
    "no question at all": ({"max_questions": 0}, "Approve: max_questions must be at least 1"),
    "a policy beside a whole stack": (
        {"policy": Policy(), "layers": Stack},
        "application shop: layers builds the whole stack, so policy would be lost; give it to the prese",
    ),
    "a model": ({"model": "openai:x"}, "App has no parameter 'model'; give it to the runtime: Runtime(app, model=…)"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_govern_an_application_is_refused_in_one_line(case: str) -> None:
    arguments, problem = WRONG[case]
    with pytest.raises(SetupError) as caught:
        App(name="shop", **arguments)
    assert str(caught.value).startswith(problem)
