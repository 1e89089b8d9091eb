"""Pipelines: a tool made of steps, each of which is a call through the one door.

What a step takes is said by references, so that all of it can be checked when the pipeline is built.
"""

from remit.pipeline.pipeline import Pipeline
from remit.pipeline.references import From, Given, Item, Reference, Text
from remit.pipeline.result import PipelineResult, StepFailure
from remit.pipeline.step import Step, Then

__all__ = [
    "From",
    "Given",
    "Item",
    "Pipeline",
    "PipelineResult",
    "Reference",
    "Step",
    "StepFailure",
    "Text",
    "Then",
]
