"""Agents: a model asked in a loop, and the calls it requests.

Layers around a step of an agent see `StepRequest` and return a `StepOutcome`.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.agent.agent import Agent as Agent
    from remit.agent.attachments import Attachment as Attachment
    from remit.agent.attachments import AttachmentPolicy as AttachmentPolicy
    from remit.agent.attachments import PromptWithAttachments as PromptWithAttachments
    from remit.agent.compaction import Compaction as Compaction
    from remit.agent.driver import AgentDriver as AgentDriver
    from remit.agent.driver import AgentService as AgentService
    from remit.agent.driver import AgentTask as AgentTask
    from remit.agent.driver import AgentTools as AgentTools
    from remit.agent.driver import LazyTools as LazyTools
    from remit.agent.embedding_ranker import EmbeddingRanker as EmbeddingRanker
    from remit.agent.group import AgentGroup as AgentGroup
    from remit.agent.limits import AgentLimits as AgentLimits
    from remit.agent.loop import AgentLoop as AgentLoop
    from remit.agent.loop import AgentRun as AgentRun
    from remit.agent.loop import Loop as Loop
    from remit.agent.loop import LoopService as LoopService
    from remit.agent.native import NativeDriver as NativeDriver
    from remit.agent.prompt import Prompt as Prompt
    from remit.agent.run_instructions import RunInfo as RunInfo
    from remit.agent.run_instructions import RunInstructions as RunInstructions
    from remit.agent.step import AgentStep as AgentStep
    from remit.agent.stop import AllOf as AllOf
    from remit.agent.stop import AnyOf as AnyOf
    from remit.agent.stop import CalledTool as CalledTool
    from remit.agent.stop import CostUsed as CostUsed
    from remit.agent.stop import HasText as HasText
    from remit.agent.stop import NoCalls as NoCalls
    from remit.agent.stop import SecondsUsed as SecondsUsed
    from remit.agent.stop import StopPolicy as StopPolicy
    from remit.agent.stop import TokensUsed as TokensUsed
    from remit.agent.stop import Turn as Turn
    from remit.agent.stop import TurnCall as TurnCall
    from remit.agent.stop import TurnsUsed as TurnsUsed
    from remit.agent.tool_ranking import ToolRanker as ToolRanker
    from remit.agent.tool_ranking import ToolText as ToolText
    from remit.agent.tool_ranking import WordRanker as WordRanker
    from remit.agent.tool_ranking import fuse_rankings as fuse_rankings
    from remit.agent.tool_search import ToolSearch as ToolSearch
    from remit.agent.working_memory import WorkingMemory as WorkingMemory
    from remit.call.step import Done as Done
    from remit.call.step import Next as Next
    from remit.call.step import StepOutcome as StepOutcome
    from remit.call.step import StepRequest as StepRequest
    from remit.call.step import StepUsage as StepUsage
    from remit.chat.provider_tool import ProviderTool as ProviderTool
else:
    __getattr__ = lazy_exports(__name__)
