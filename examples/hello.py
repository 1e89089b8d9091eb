"""An agent with one tool.

python hello.py
"""

import asyncio

from remit import Agent, App, Principal, Runtime, tool
from remit.testing import Scripted, calls


@tool(effect="pure")
def weather(city: str) -> str:
    """Look up the weather in a city."""
    return f"It is sunny in {city}."


# The script plays the model: first it calls the tool, then it answers.
script = Scripted([calls(("weather", {"city": "Lisbon"})), "Take your sunglasses."])
guide = Agent("guide", instructions="Help travellers to pack.", tools=[weather], model=script)


async def main() -> None:
    """Ask the agent, and print its answer and what it did."""
    runtime = Runtime(App(name="travel", agents=[guide]))
    result = await runtime.run("I am going to Lisbon. What do I need?", by=Principal("ada"))
    print(result.text)
    for message in await runtime.history(result.run):
        print("  ", message)


if __name__ == "__main__":
    asyncio.run(main())
