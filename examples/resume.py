"""A process dies by kill -9 between two payments. The next one finishes the run and pays nothing twice.

python resume.py    # pays Ada, then dies
python resume.py    # finds the run, and pays only Ben
"""

import asyncio
import os
import signal
from pathlib import Path

from remit import App, Context, Principal, Runtime, SqlStore, tool

LEDGER = Path("payments.txt")
LEASE_SECONDS = 1.0


@tool(effect="unsafe")
def pay(name: str, euros: int) -> str:
    """Pay a salary. This is never run again for the same call."""
    with LEDGER.open("a", encoding="utf-8") as ledger:
        ledger.write(f"{name} {euros}\n")
    return f"paid {name}"


@tool(effect="composed")
async def payday(ctx: Context) -> str:
    """Pay everyone."""
    await ctx.call(pay, "Ada", 4000)
    if os.environ.get("CRASH"):
        os.kill(os.getpid(), signal.SIGKILL)
    await ctx.call(pay, "Ben", 3000)
    return "everyone is paid"


async def main() -> None:
    """Resume the run that a crash has interrupted, or start one."""
    store = SqlStore.at(Path("resume.db"))
    runtime = Runtime(App(name="office", tools=[pay, payday]), store=store, lease_seconds=LEASE_SECONDS)
    boss = Principal("boss")
    runtime.add_principals(boss)
    runs = await store.list_runs()
    if not runs:
        os.environ["CRASH"] = "1"
        await runtime.call(payday, boss)
    await asyncio.sleep(LEASE_SECONDS)  # the dead process holds the run until its lease ends
    result = await runtime.resume(runs[0].run)
    print(result.value())


if __name__ == "__main__":
    asyncio.run(main())
    print(LEDGER.read_text(encoding="utf-8"), end="")
