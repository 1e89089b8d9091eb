"""A payment waits for approval, which comes from a second process.

python approval.py                    # ask; the run stops, and the process ends
python approval.py approve QUESTION   # approve, and finish the run
"""

import asyncio
import sys
from pathlib import Path

from remit import Agent, App, Principal, Runtime, SqlStore, tool
from remit.testing import Scripted, calls


@tool(risk="high", permissions=["bills:pay"])
def pay(account: str, euros: int) -> str:
    """Pay an amount to an account."""
    return f"paid {euros} euros to {account}"


script = Scripted([calls(("pay", {"account": "bakery", "euros": 40})), "The bakery is paid."])
clerk = Agent("clerk", instructions="Pay the bills.", tools=[pay], model=script)
ada = Principal("ada", permissions=frozenset({"bills:pay"}))
grace = Principal("grace", permissions=frozenset({"approvals:decide"}))


async def main(arguments: list[str]) -> None:
    """Ask for the payment, or approve it."""
    runtime = Runtime(App(name="office", agents=[clerk]), store=SqlStore.at(Path("approval.db")))
    runtime.add_principals(ada)
    match arguments:
        case ["approve", question_id]:
            await runtime.decide(question_id, approved=True, by=grace)
            row = await runtime.store.find_question(question_id)
            assert row is not None
            result = await runtime.resume(row.question.run)
            print(result.text)
        case _:
            result = await runtime.run("Pay the bakery its 40 euros.", by=ada)
            print(f"{result.status}: {result.questions[0]}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
