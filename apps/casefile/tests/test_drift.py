"""Drift between the code, the inventory and the lock of the application is found, and there is none."""

from __future__ import annotations

import pytest

from figures.drift_casefile import PLANTS, findings_after


def test_code_inventory_and_lock_say_the_same() -> None:
    assert findings_after(lambda _folder: None) == []


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_drift_is_found(name: str) -> None:
    plant, code = PLANTS[name]
    assert code in {finding.code for finding in findings_after(plant)}


def test_a_tool_that_a_pipeline_calls_and_the_inventory_lost_is_named() -> None:
    plant, _ = PLANTS["tool of a pipeline lost"]
    (finding,) = findings_after(plant)
    assert "get_casefile, and the inventory has no such tool" in finding.what
    assert "pipelines.yaml" in finding.where
