"""What a pipeline gives: how it came out, what each step gave, and what it was asked to keep."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue


class StepFailure(BaseModel):
    """Why a step failed, as a model would have read it."""

    model_config = ConfigDict(defer_build=True)

    errorCode: str  # noqa: N815 - as replies have it
    error: str


class PipelineResult(BaseModel):
    """How a pipeline came out.

    ``outcome`` is ``stopped`` where a failure ended it. ``path`` has the steps in the order in which they ran,
    ``results`` what each gave last, ``failures`` why each failed last. ``state`` is what the pipeline was told to keep;
    what was never given is None there.
    """

    model_config = ConfigDict(defer_build=True)

    outcome: Literal["done", "stopped"]
    steps_executed: int
    steps_succeeded: int
    steps_failed: int
    path: list[str]
    results: dict[str, JsonValue]
    failures: dict[str, StepFailure]
    state: dict[str, JsonValue]
