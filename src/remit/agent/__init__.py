"""Agents: a model asked in a loop, and the calls it requests.

Layers around a step of an agent see `StepRequest` and return a `StepOutcome`.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.agent.agent import Agent, Prompt
    from remit.agent.loop import AgentLoop, AgentRun, LoopService
    from remit.agent.step import AgentStep
    from remit.contracts.step import Done, Next, StepOutcome, StepRequest, StepUsage

__all__ = [
    "Agent",
    "AgentLoop",
    "AgentRun",
    "AgentStep",
    "Done",
    "LoopService",
    "Next",
    "Prompt",
    "StepOutcome",
    "StepRequest",
    "StepUsage",
]

if not TYPE_CHECKING:
    __getattr__ = lazy_exports(
        __name__,
        {
            "remit.agent.agent": ("Agent", "Prompt"),
            "remit.agent.loop": ("AgentLoop", "AgentRun", "LoopService"),
            "remit.agent.step": ("AgentStep",),
            "remit.contracts.step": ("Done", "Next", "StepOutcome", "StepRequest", "StepUsage"),
        },
    )
