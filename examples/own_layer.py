"""A layer of your own: tools with the tag "office" are closed at night.

python own_layer.py
"""

import asyncio

from remit import App, Principal, Runtime, tool
from remit.errors import DeniedError
from remit.layers import Call, CallService, Reply, layer_fn


@layer_fn
async def opening_hours(call: Call, inner: CallService, *, hour: int) -> Reply:
    """Deny calls of the office at night. Everything else passes."""
    if "office" in call.callee.facts.tags and not 9 <= hour < 17:
        raise DeniedError(f"{call.callee.name} is closed at {hour}:00; call again from 9:00 to 17:00")
    return await inner(call)


@tool(effect="pure", tags=["office"])
def appointments() -> list[str]:
    """List the appointments of today."""
    return ["dentist"]


async def main() -> None:
    """Call the tool at noon and at night."""
    runtime = Runtime(App(name="office", tools=[appointments]))
    for hour in (12, 23):
        result = await runtime.layer(opening_hours(hour=hour)).call(appointments, Principal("ada"))
        try:
            print(result.value())
        except DeniedError as denied:
            print(denied.message)


if __name__ == "__main__":
    asyncio.run(main())
