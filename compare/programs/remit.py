"""The task with Remit."""

import asyncio
import sys

from compare import world
from remit import Agent, App, Principal, Runtime, SqlStore, tool

LEASE_SECONDS = 1.0

ada = Principal("ada", permissions=frozenset({"approvals:decide"}))


@tool(effect="pure")
def search(query: str) -> str:
    """Search for facts."""
    return world.search(query)


@tool(risk="high")
def publish(title: str, body: str) -> str:
    """Publish a note."""
    return world.publish(title, body)


searcher = Agent("searcher", description="Finds facts.", instructions=world.SEARCHER, tools=[search])
writer = Agent("writer", description="Publishes notes.", instructions=world.WRITER, tools=[publish])
lead = Agent("lead", instructions=world.LEAD, tools=[searcher, writer])


async def main(step: str) -> None:
    """Start the run, or answer its questions and continue it."""
    store = SqlStore.at(world.HOME / "remit.db")
    runtime = Runtime(
        App(name="news", agents=[lead]), model="openai:scripted", store=store, lease_seconds=LEASE_SECONDS
    )
    runtime.add_principals(ada)
    if step == "start":
        result = await runtime.run(world.TASK, by=ada, agent="lead")
    else:
        await asyncio.sleep(LEASE_SECONDS)  # a process that died holds the run until its lease ends
        run = (await store.list_runs())[0].run
        while True:
            for row in await store.list_questions():
                answer = world.has_happened if row.question.kind == "outcome" else world.approve
                await runtime.decide(row.question.id, approved=answer(row.question.arguments), by=ada)
            result = await runtime.resume(run)
            if result.status != "waiting":
                break
    print(result.status, result.text)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
