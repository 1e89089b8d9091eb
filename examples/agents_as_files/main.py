"""Agents written as files, beside this one: the librarian calls the critic.

python main.py
"""

import asyncio
from pathlib import Path

from remit import Agent, App, Principal, Runtime, tool
from remit.testing import Scripted, calls
from remit.workers import load_workers


@tool(effect="pure")
def copies(title: str) -> int:
    """Count the copies of a book on the shelf."""
    return {"dune": 2}.get(title, 0)


# Scripts play the models; without them each agent asks the model of its file, or of REMIT_MODEL.
SCRIPTS = {
    "critic": Scripted(["A desert planet, told like history."]),
    "librarian": Scripted(
        [
            calls(("copies", {"title": "dune"}), ("critic", {"prompt": "Describe Dune."})),
            "We have two copies of Dune: a desert planet, told like history.",
        ]
    ),
}


def scripted(agent: Agent) -> Agent:
    """The same agent with a script in place of its model."""
    return agent.with_model(SCRIPTS[agent.name])


async def main() -> None:
    """Ask the librarian."""
    workers = load_workers(Path(__file__).parent, tools=[copies], transform=scripted)
    librarian = next(worker for worker in workers if worker.name == "librarian")
    runtime = Runtime(App(name="library", tools=[*workers, copies]))
    result = await runtime.call(librarian, Principal("ada"), "Have you got Dune?")
    print(result.text)


if __name__ == "__main__":
    asyncio.run(main())
