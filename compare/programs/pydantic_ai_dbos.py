"""The task with PydanticAI and DBOS: a durable workflow that waits for a message."""

import asyncio
import sys

from dbos import DBOS, DBOSConfig, SetWorkflowID
from pydantic_ai import Agent, RunContext
from pydantic_ai.durable_exec.dbos import DBOSDurability
from pydantic_ai.models.openai import OpenAIChatModel

from compare import world

RUN = "news"

model = OpenAIChatModel("scripted")
searcher_agent = Agent(model, name="searcher", instructions=world.SEARCHER, capabilities=[DBOSDurability()])
writer_agent = Agent(model, name="writer", instructions=world.WRITER, capabilities=[DBOSDurability()])
lead = Agent(model, name="lead", instructions=world.LEAD, capabilities=[DBOSDurability()])


@searcher_agent.tool_plain
@DBOS.step()
async def search(query: str) -> str:
    """Search for facts."""
    return world.search(query)


@DBOS.step()
async def publish_step(title: str, body: str) -> str:
    """Do what was approved."""
    return world.publish(title, body)


@writer_agent.tool_plain
async def publish(title: str, body: str) -> str:
    """Publish a note."""
    await DBOS.set_event_async("status", "waiting")
    approved = await DBOS.recv_async("approval", timeout_seconds=3600)
    await DBOS.set_event_async("status", "answered")
    return await publish_step(title, body) if approved else "refused"


@lead.tool
async def searcher(ctx: RunContext, task: str) -> str:
    """Finds facts."""
    return (await searcher_agent.run(task, usage=ctx.usage)).output


@lead.tool
async def writer(ctx: RunContext, task: str) -> str:
    """Publishes notes."""
    return (await writer_agent.run(task, usage=ctx.usage)).output


@DBOS.workflow()
async def publish_news(task: str) -> str:
    """The durable run."""
    return (await lead.run(task)).output


async def main(step: str) -> None:
    """Start the workflow, or answer its question and wait for its end."""
    config = DBOSConfig(
        name="news",
        system_database_url=f"sqlite:///{world.HOME / 'dbos.db'}",
        application_version="1",
        run_admin_server=False,
        log_level="ERROR",
    )
    DBOS(config=config)
    DBOS.launch()  # recovers what was interrupted
    if step == "start":
        with SetWorkflowID(RUN):
            await DBOS.start_workflow_async(publish_news, world.TASK)
    status = await DBOS.get_event_async(RUN, "status", timeout_seconds=60)
    if step == "start":
        print(status)
    else:
        if status == "waiting":
            await DBOS.send_async(RUN, world.approve("publish"), "approval")
        handle = await DBOS.retrieve_workflow_async(RUN)
        print("done", await handle.get_result())
    DBOS.destroy()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
