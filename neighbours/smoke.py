"""What must work wherever Remit is installed; needs its extras and nothing else, no network and no test runner.

``python -m neighbours.smoke`` runs every check in a temporary folder and prints the name of each, and at its end
that all hold, and with which releases. It ends with an error at the first that fails.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from importlib import metadata
from pathlib import Path
from typing import Any, Final, cast

import httpx2
from pydantic import BaseModel, computed_field
from starlette.requests import Request

from compare.model import ScriptedModel
from remit import Agent, App, Principal, Runtime, SqlStore, Tool, tool
from remit.errors import InvalidArgumentsError
from remit.runtime import RunResult
from remit.server import Identity, build_server
from remit.testing import Scripted, calls
from remit.workers import PydanticAIDriver, load_workers

ADA: Final = Principal("ada", permissions=frozenset({"bills:pay", "approvals:decide"}))
FORTY: Final[dict[str, Any]] = {"account": "bakery", "euros": 40}
TASK: Final = "Pay the bakery its bill."
PAID_FILE: Final = "PAID_FILE"
WORKER: Final = """\
---
description: Pays bills.
tools: [find_bills, pay]
---
You are a clerk.{% if prompt %} Pay what is open.{% endif %}
"""


class Bill(BaseModel):
    """A bill with its labels, in an order that JSON does not know."""

    euros: int
    labels: frozenset[str] = frozenset()

    @computed_field
    @property
    def cents(self) -> int:
        """The amount in cents."""
        return self.euros * 100


@tool(risk="high", permissions=["bills:pay"])
def pay(account: str, euros: int) -> str:
    """Pay an amount to an account."""
    with Path(os.environ[PAID_FILE]).open("a", encoding="utf-8") as paid:
        paid.write(f"{account}\n")
    return f"paid {euros} euros to {account}"


@tool(effect="pure")
def find_bills(account: str) -> list[Bill]:
    """Find the open bills of an account."""
    return [Bill(euros=40, labels=frozenset({"flour", "sugar", account}))]


@tool(effect="pure")
def weather(city: str) -> str:
    """Say what the weather is like."""
    return f"sun in {city}"


def build_script() -> Scripted:
    """A model that looks for bills and pays one."""
    return Scripted([calls(("find_bills", {"account": "bakery"})), calls(("pay", FORTY)), "The bakery is paid."])


async def check_approval(folder: Path) -> None:
    """A run waits for a person, is continued by another runtime from a file, and replays to the byte."""
    app = App(
        name="office", agents=[Agent("clerk", instructions="Pay.", tools=[find_bills, pay], model=build_script())]
    )
    await _approve_and_replay(app, folder / "native.db", lambda runtime: runtime.run(TASK, by=ADA))


async def check_worker(folder: Path) -> None:
    """A worker file runs on PydanticAI's driver: it waits, resumes and replays like an agent."""
    (folder / "clerk.worker").write_text(WORKER, encoding="utf-8")
    (worker,) = load_workers(folder, tools=[find_bills, pay], transform=lambda agent: agent.with_model(build_script()))
    app = App(name="office", tools=[worker, find_bills, pay])
    await _approve_and_replay(app, folder / "worker.db", lambda runtime: runtime.call(worker, ADA, TASK))


async def _approve_and_replay(app: App, file: Path, start: Callable[[Runtime], Awaitable[RunResult[Any]]]) -> None:
    before = count_paid()
    store = SqlStore.at(file)
    waiting = await start(Runtime(app, store=store))
    expect(waiting.status, "waiting")
    await store.close()
    store = SqlStore.at(file)
    runtime = Runtime(app, store=store)
    runtime.add_principals(ADA)
    (question,) = waiting.questions
    await runtime.decide(question, approved=True, by=ADA)
    result = await runtime.resume(waiting.run)
    expect((result.status, result.text), ("done", "The bakery is paid."))
    expect(count_paid() - before, 1)
    expect((await runtime.replay(waiting.run)).difference, "")
    await store.close()


async def check_schema(_folder: Path) -> None:
    """A tool made from a JSON schema checks its arguments; a typed result is sorted and computed."""
    schema = {"type": "object", "properties": {"euros": {"type": "integer", "minimum": 1}}, "required": ["euros"]}

    def multiply(arguments: dict[str, int]) -> int:
        return arguments["euros"] * 2

    double = Tool.from_schema("double", "Double.", schema, multiply, effect="pure")
    runtime = Runtime(App(name="office", tools=[double, find_bills]))
    expect((await runtime.call(double, ADA, euros=2)).value(), 4)
    try:
        await runtime.call(double, ADA, euros=0)
    except InvalidArgumentsError as error:
        expect(error.message, "euros: Input should be greater than or equal to 1")
    else:
        raise SystemExit("smoke: a wrong argument was taken")
    bills = await runtime.call(find_bills, ADA, account="bakery")
    expect(bills.text, '[{"euros":40,"labels":["bakery","flour","sugar"],"cents":4000}]')


async def check_endpoint(_folder: Path) -> None:
    """Both drivers talk to an OpenAI-compatible endpoint, through the SDK and through PydanticAI."""
    for model, driver in (("openai:scripted", None), ("pydantic-ai:openai-chat:scripted", PydanticAIDriver())):
        with ScriptedModel() as endpoint:
            os.environ["OPENAI_BASE_URL"] = endpoint.url
            guide = Agent("guide", instructions="You are the guide.", tools=[weather], driver=driver, model=model)
            result = await Runtime(App(name="travel", agents=[guide])).run("Go.", by=ADA)
            expect((result.status, result.text), ("done", "The guide is done."))
            expect(endpoint.requests, ["guide", "guide"])


async def check_command_line(folder: Path) -> None:
    """`remit` runs an application, shows its question, takes the answer and replays the run."""
    lines = [{"role": "assistant", **calls(("pay", FORTY))}, "The bakery is paid."]
    (folder / "script.json").write_text(json.dumps({"script": lines}), encoding="utf-8")
    environment = {
        **os.environ,
        "REMIT_HOME": str(folder / "home"),
        "REMIT_MODEL": f"scripted:{folder / 'script.json'}",
    }
    command = str(Path(sys.executable).with_name("remit"))

    def remit(status: int, *arguments: str) -> dict[str, Any]:
        ended = subprocess.run(
            [command, *arguments, "--json"], env=environment, capture_output=True, text=True, check=False
        )
        if ended.returncode != status:
            raise SystemExit(f"smoke: remit {' '.join(arguments)} ended with {ended.returncode}: {ended.stderr}")
        return cast("dict[str, Any]", json.loads(ended.stdout))

    run = remit(3, "run", "neighbours.smoke:app", "--ask", TASK)["run"]
    (question,) = remit(0, "approvals", "list")["questions"]
    remit(0, "approvals", "approve", question["id"], "--app", "neighbours.smoke:app")
    expect(remit(0, "show", run)["status"], "done")
    expect(remit(0, "replay", run, "--app", "neighbours.smoke:app").get("difference"), None)


async def check_server(_folder: Path) -> None:
    """A server streams a run to its question, takes the answer, and describes itself; see `check_approval`."""

    async def authenticate(request: Request) -> Identity | None:
        return Identity(ADA) if request.headers.get("authorization") == "Bearer ada" else None

    script = Scripted([calls(("pay", FORTY)), "Paid."])
    runtime = Runtime(App(name="office", agents=[Agent("clerk", instructions="Pay.", tools=[pay], model=script)]))
    server = build_server(runtime, authenticate)
    transport = httpx2.ASGITransport(app=server)
    async with (
        server.router.lifespan_context(server),
        httpx2.AsyncClient(transport=transport, base_url="http://office", timeout=60) as browser,
    ):
        expect((await browser.get("/api/me")).status_code, 401)
        browser.headers["authorization"] = "Bearer ada"
        message = {"id": "m", "role": "user", "content": TASK}
        sent = {"threadId": "t", "runId": "r", "messages": [message]}
        stream = (await browser.post("/agui", json=sent)).text
        interrupt = json.loads(stream.rpartition("data: ")[2])["outcome"]["interrupts"][0]
        resume = {"interruptId": interrupt["id"], "status": "resolved", "payload": {"approved": True}}
        stream = (await browser.post("/agui", json={**sent, "runId": "s", "messages": [], "resume": [resume]})).text
        expect(json.loads(stream.rpartition("data: ")[2])["outcome"]["type"], "success")
        expect("/api/tools/pay" in (await browser.get("/openapi.json")).json()["paths"], wanted=True)


def app() -> App:
    """The application of the command line."""
    return App(name="office", agents=[Agent("clerk", instructions="Pay.", tools=[find_bills, pay])])


def count_paid() -> int:
    """How often was paid."""
    file = Path(os.environ[PAID_FILE])
    return len(file.read_text(encoding="utf-8").splitlines()) if file.exists() else 0


def expect(found: object, wanted: object) -> None:
    """End the program unless both are equal."""
    if found != wanted:
        raise SystemExit(f"smoke: found {found!r} where {wanted!r} should be")


CHECKS: Final = (check_approval, check_worker, check_schema, check_endpoint, check_command_line, check_server)


def list_releases() -> list[str]:
    """The installed releases of what Remit and its extras require."""
    names = {re.split(r"[^A-Za-z0-9_.-]", each)[0] for each in metadata.requires("remit") or ()}
    installed = {each.name.lower(): each.version for each in metadata.distributions()}
    return [f"{name} {installed[name.lower()]}" for name in sorted(names) if name.lower() in installed]


def main() -> None:
    """Run every check."""
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {PAID_FILE: str(Path(place) / "paid"), "OPENAI_API_KEY": "none"}
        for check in CHECKS:
            asyncio.run(check(Path(place)))
            print(check.__name__.removeprefix("check_").replace("_", " "))
    print(f"smoke: all {len(CHECKS)} checks hold with Python {platform.python_version()}, {', '.join(list_releases())}")


if __name__ == "__main__":
    main()
