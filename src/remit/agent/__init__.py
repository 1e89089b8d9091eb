"""Agents: a model asked in a loop, and the calls it requests.

Layers around a step of an agent see `StepRequest` and return a `StepOutcome`.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.agent.agent import Agent
    from remit.agent.attachments import Attachment, AttachmentPolicy, PromptWithAttachments
    from remit.agent.compaction import Compaction
    from remit.agent.driver import AgentDriver, AgentService, AgentTask, AgentTools, LazyTools
    from remit.agent.embedding_ranker import EmbeddingRanker
    from remit.agent.group import AgentGroup
    from remit.agent.limits import AgentLimits
    from remit.agent.loop import AgentLoop, AgentRun, Loop, LoopService
    from remit.agent.native import NativeDriver
    from remit.agent.prompt import Prompt
    from remit.agent.run_instructions import RunInfo, RunInstructions
    from remit.agent.step import AgentStep
    from remit.agent.stop import (
        AllOf,
        AnyOf,
        CalledTool,
        CostUsed,
        HasText,
        NoCalls,
        SecondsUsed,
        StopPolicy,
        TokensUsed,
        Turn,
        TurnCall,
        TurnsUsed,
    )
    from remit.agent.tool_ranking import ToolRanker, ToolText, WordRanker, fuse_rankings
    from remit.agent.tool_search import ToolSearch
    from remit.agent.working_memory import WorkingMemory
    from remit.call.step import Done, Next, StepOutcome, StepRequest, StepUsage
    from remit.chat.provider_tool import ProviderTool

__all__ = [
    "Agent",
    "AgentDriver",
    "AgentGroup",
    "AgentLimits",
    "AgentLoop",
    "AgentRun",
    "AgentService",
    "AgentStep",
    "AgentTask",
    "AgentTools",
    "AllOf",
    "AnyOf",
    "Attachment",
    "AttachmentPolicy",
    "CalledTool",
    "Compaction",
    "CostUsed",
    "Done",
    "EmbeddingRanker",
    "HasText",
    "LazyTools",
    "Loop",
    "LoopService",
    "NativeDriver",
    "Next",
    "NoCalls",
    "Prompt",
    "PromptWithAttachments",
    "ProviderTool",
    "RunInfo",
    "RunInstructions",
    "SecondsUsed",
    "StepOutcome",
    "StepRequest",
    "StepUsage",
    "StopPolicy",
    "TokensUsed",
    "ToolRanker",
    "ToolSearch",
    "ToolText",
    "Turn",
    "TurnCall",
    "TurnsUsed",
    "WordRanker",
    "WorkingMemory",
    "fuse_rankings",
]

if not TYPE_CHECKING:
    __getattr__ = lazy_exports(
        __name__,
        {
            "remit.agent.agent": ("Agent",),
            "remit.agent.attachments": ("Attachment", "AttachmentPolicy", "PromptWithAttachments"),
            "remit.agent.compaction": ("Compaction",),
            "remit.agent.driver": ("AgentDriver", "AgentService", "AgentTask", "AgentTools", "LazyTools"),
            "remit.agent.group": ("AgentGroup",),
            "remit.agent.limits": ("AgentLimits",),
            "remit.agent.loop": ("AgentLoop", "AgentRun", "Loop", "LoopService"),
            "remit.agent.native": ("NativeDriver",),
            "remit.agent.prompt": ("Prompt",),
            "remit.chat.provider_tool": ("ProviderTool",),
            "remit.agent.run_instructions": ("RunInfo", "RunInstructions"),
            "remit.agent.step": ("AgentStep",),
            "remit.agent.embedding_ranker": ("EmbeddingRanker",),
            "remit.agent.tool_ranking": ("ToolRanker", "ToolText", "WordRanker", "fuse_rankings"),
            "remit.agent.tool_search": ("ToolSearch",),
            "remit.agent.working_memory": ("WorkingMemory",),
            "remit.agent.stop": (
                "AllOf",
                "AnyOf",
                "CalledTool",
                "CostUsed",
                "HasText",
                "NoCalls",
                "SecondsUsed",
                "StopPolicy",
                "TokensUsed",
                "Turn",
                "TurnCall",
                "TurnsUsed",
            ),
            "remit.call.step": ("Done", "Next", "StepOutcome", "StepRequest", "StepUsage"),
        },
    )
