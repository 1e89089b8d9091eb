"""The task with PydanticAI alone: deferred tools, and a file for the state of a paused run."""

import sys

from pydantic import TypeAdapter
from pydantic_ai import (
    Agent,
    ApprovalRequired,
    DeferredToolRequests,
    DeferredToolResults,
    ModelMessagesTypeAdapter,
    RunContext,
)
from pydantic_ai.models.openai import OpenAIChatModel

from compare import world

HISTORY = world.HOME / "history.json"
REQUESTS = world.HOME / "requests.json"
RESULTS = world.HOME / "results.json"
REQUESTS_ADAPTER = TypeAdapter(DeferredToolRequests)
RESULTS_ADAPTER = TypeAdapter(DeferredToolResults)

model = OpenAIChatModel("scripted")
searcher_agent = Agent(model, instructions=world.SEARCHER)
writer_agent = Agent(model, instructions=world.WRITER, output_type=[str, DeferredToolRequests])
lead = Agent(model, instructions=world.LEAD, output_type=[str, DeferredToolRequests])


@searcher_agent.tool_plain
def search(query: str) -> str:
    """Search for facts."""
    return world.search(query)


@writer_agent.tool_plain(requires_approval=True)
def publish(title: str, body: str) -> str:
    """Publish a note."""
    return world.publish(title, body)


@lead.tool
async def searcher(ctx: RunContext, task: str) -> str:
    """Finds facts."""
    return (await searcher_agent.run(task, usage=ctx.usage)).output


@lead.tool
async def writer(ctx: RunContext, task: str) -> str:
    """Publishes notes."""
    if ctx.tool_call_approved:  # approvals do not rise from a nested agent: its state is kept beside the lead's
        history = ModelMessagesTypeAdapter.validate_json(ctx.tool_call_metadata["history"])
        results = DeferredToolResults(approvals=dict.fromkeys(ctx.tool_call_metadata["calls"], True))
        result = await writer_agent.run(message_history=history, deferred_tool_results=results, usage=ctx.usage)
    else:
        result = await writer_agent.run(task, usage=ctx.usage)
    if isinstance(result.output, DeferredToolRequests):
        calls = {each.tool_call_id: each.args for each in result.output.approvals}
        raise ApprovalRequired(metadata={"history": result.all_messages_json().decode(), "calls": calls})
    return result.output


def main(step: str) -> None:
    """Start the run, or answer its questions and continue it."""
    if step == "start" or not HISTORY.exists():
        result = lead.run_sync(world.TASK)
    else:
        history = ModelMessagesTypeAdapter.validate_json(HISTORY.read_bytes())
        if not RESULTS.exists():
            requests = REQUESTS_ADAPTER.validate_json(REQUESTS.read_bytes())
            results = DeferredToolResults(metadata=requests.metadata)
            for call in requests.approvals:
                results.approvals[call.tool_call_id] = world.approve(requests.metadata[call.tool_call_id]["calls"])
            RESULTS.write_bytes(RESULTS_ADAPTER.dump_json(results))
        results = RESULTS_ADAPTER.validate_json(RESULTS.read_bytes())
        result = lead.run_sync(message_history=history, deferred_tool_results=results)
    if isinstance(result.output, DeferredToolRequests):
        REQUESTS.write_bytes(REQUESTS_ADAPTER.dump_json(result.output))
        HISTORY.write_bytes(result.all_messages_json())
        print("waiting")
    else:
        print("done", result.output)


if __name__ == "__main__":
    main(sys.argv[1])
