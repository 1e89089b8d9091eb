"""The task with the Microsoft Agent Framework: a workflow with checkpoints, which it asks for where approvals last."""

import asyncio
import sys

from agent_framework import Agent, FileCheckpointStorage, WorkflowBuilder, tool
from agent_framework.openai import OpenAIChatCompletionClient

from compare import world

NAME = "news"


@tool
def search(query: str) -> str:
    """Search for facts."""
    return world.search(query)


@tool(approval_mode="always_require")
def publish(title: str, body: str) -> str:
    """Publish a note."""
    return world.publish(title, body)


async def main(step: str) -> None:
    """Start the workflow, or answer its questions and continue it."""
    client = OpenAIChatCompletionClient(model="scripted")
    searcher = Agent(client, name="searcher", description="Finds facts.", instructions=world.SEARCHER, tools=[search])
    writer = Agent(client, name="writer", description="Publishes notes.", instructions=world.WRITER, tools=[publish])
    lead = Agent(client, name="lead", instructions=world.LEAD, tools=[searcher.as_tool()])
    storage = FileCheckpointStorage(world.HOME / "checkpoints")
    workflow = (
        WorkflowBuilder(name=NAME, start_executor=lead, checkpoint_storage=storage).add_edge(lead, writer).build()
    )
    checkpoint = await storage.get_latest(workflow_name=NAME)
    if step == "start" or checkpoint is None:
        result = await workflow.run(world.TASK)
    else:
        result = await workflow.run(checkpoint_id=checkpoint.checkpoint_id)
        while requests := result.get_request_info_events():
            responses = {
                each.request_id: each.data.to_function_approval_response(world.approve(each.data.function_call))
                for each in requests
            }
            result = await workflow.run(responses=responses)
    print("waiting" if result.get_request_info_events() else f"done {result.get_outputs()[-1].text}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
