"""The task with the OpenAI Agents SDK: agents as tools, approvals, and a saved run state."""

import asyncio
import sys

from agents import Agent, Runner, RunState, function_tool, set_default_openai_api, set_tracing_disabled

from compare import world

STATE = world.HOME / "state.json"
ANSWERED = world.HOME / "answered"

set_default_openai_api("chat_completions")
set_tracing_disabled(True)


@function_tool
def search(query: str) -> str:
    """Search for facts."""
    return world.search(query)


@function_tool(needs_approval=True)
def publish(title: str, body: str) -> str:
    """Publish a note."""
    return world.publish(title, body)


searcher = Agent("searcher", instructions=world.SEARCHER, tools=[search], model="scripted")
writer = Agent("writer", instructions=world.WRITER, tools=[publish], model="scripted")
team = [searcher.as_tool("searcher", "Finds facts."), writer.as_tool("writer", "Publishes notes.")]
lead = Agent("lead", instructions=world.LEAD, tools=team, model="scripted")


async def main(step: str) -> None:
    """Start the run, or answer its questions and continue it."""
    if step == "start" or not STATE.exists():
        result = await Runner.run(lead, world.TASK)
    else:
        state = await RunState.from_string(lead, STATE.read_text())
        if not ANSWERED.exists():
            for interruption in state.get_interruptions():
                if world.approve(interruption.arguments):
                    state.approve(interruption)
                else:
                    state.reject(interruption)
            STATE.write_text(state.to_string())
            ANSWERED.touch()
        result = await Runner.run(lead, state)
    if result.interruptions:
        STATE.write_text(result.to_state().to_string())
        print("waiting")
    else:
        print("done", result.final_output)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
