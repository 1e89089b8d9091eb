"""The result of a pipeline: its outcome, the results of its steps, and the values it keeps."""

from __future__ import annotations

import operator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class StepFailure(BaseModel):
    """Why a step failed, as a model would read it."""

    model_config = ConfigDict(defer_build=True)

    errorCode: str  # noqa: N815 - as replies have it
    error: str


class ElementFailure(StepFailure):
    """Why a step failed for the element at ``index`` of its list."""

    index: int


class PipelineResult(BaseModel):
    """The result of a pipeline.

    ``outcome`` is ``stopped`` if a failure ended it. ``path`` lists the steps in the order in which they ran,
    ``results`` the latest result of each, ``failures`` the latest failure of each. For a step over elements,
    ``element_failures`` lists those that failed, and ``results`` has the results of the others, even if the step
    failed. ``state`` has the values to keep; None for a value that was never produced.
    """

    model_config = ConfigDict(defer_build=True)

    outcome: Literal["done", "stopped"]
    steps_executed: int
    steps_succeeded: int
    steps_failed: int
    path: list[str]
    results: dict[str, JsonValue]
    failures: dict[str, StepFailure]
    element_failures: dict[str, list[ElementFailure]] = Field(default_factory=dict, exclude_if=operator.not_)
    state: dict[str, JsonValue]
