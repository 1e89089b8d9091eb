"""Pipelines: tools made of steps, each of which is a governed call.

References describe the arguments of a step, so that a whole pipeline is checked when it is built.
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
