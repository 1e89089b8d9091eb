"""The task with LangGraph: agents as tools, interrupts, and checkpoints in SQLite."""

import sys

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from compare import world

CONFIG = {"configurable": {"thread_id": "news"}}


@tool
def search(query: str) -> str:
    """Search for facts."""
    return world.search(query)


@tool
def publish(title: str, body: str) -> str:
    """Publish a note."""
    return world.publish(title, body)


model = ChatOpenAI(model="scripted", max_retries=0)
searcher_agent = create_agent(model, [search], system_prompt=world.SEARCHER)
approval = HumanInTheLoopMiddleware(interrupt_on={"publish": {"allowed_decisions": ["approve", "reject"]}})
writer_agent = create_agent(model, [publish], system_prompt=world.WRITER, middleware=[approval])


@tool
def searcher(task: str) -> str:
    """Finds facts."""
    return searcher_agent.invoke({"messages": [{"role": "user", "content": task}]})["messages"][-1].content


@tool
def writer(task: str) -> str:
    """Publishes notes."""
    return writer_agent.invoke({"messages": [{"role": "user", "content": task}]})["messages"][-1].content


def main(step: str) -> None:
    """Start the graph, or answer its questions and continue it."""
    with SqliteSaver.from_conn_string(str(world.HOME / "langgraph.db")) as checkpointer:
        lead = create_agent(model, [searcher, writer], system_prompt=world.LEAD, checkpointer=checkpointer)
        request = {"messages": [{"role": "user", "content": world.TASK}]} if step == "start" else None
        result = lead.invoke(request, CONFIG, durability="sync")
        while step != "start" and (interrupts := result.get("__interrupt__")):
            requests = [each for interrupt in interrupts for each in interrupt.value["action_requests"]]
            decisions = [{"type": "approve" if world.approve(each) else "reject"} for each in requests]
            result = lead.invoke(Command(resume={"decisions": decisions}), CONFIG, durability="sync")
        print("waiting" if result.get("__interrupt__") else f"done {result['messages'][-1].content}")


if __name__ == "__main__":
    main(sys.argv[1])
