"""Pipelines: tools made of steps, each of which is a governed call.

References describe the arguments of a step, so a whole pipeline is checked when it is built.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.pipeline.pipeline import Pipeline as Pipeline
    from remit.pipeline.references import From as From
    from remit.pipeline.references import Given as Given
    from remit.pipeline.references import Item as Item
    from remit.pipeline.references import Reference as Reference
    from remit.pipeline.references import Text as Text
    from remit.pipeline.result import PipelineResult as PipelineResult
    from remit.pipeline.result import StepFailure as StepFailure
    from remit.pipeline.step import Step as Step
    from remit.pipeline.step import Then as Then
else:
    __getattr__ = lazy_exports(__name__)
