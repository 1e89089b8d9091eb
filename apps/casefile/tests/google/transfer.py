"""A person's file goes through an agent, a nested agent and Drive, and back, while processes are killed.

Run as ``python -m apps.casefile.tests.google.transfer FOLDER URL``, it kills a process at each of `KILLS` and lets
another continue. It prints what the second one found, as JSON by the point of the kill.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from apps.casefile.tests.google.governed import ANN, operations
from apps.casefile.tests.google.world import Tokens
from remit import Agent, App, Runtime, SqlStore
from remit.artifacts import Artifact, PromptWithFiles
from remit.messages import ChatRequest
from remit.record.artifact import digest_of
from remit.testing import Scripted, calls, kill_process
from remit_casefile.google.clients import Clients
from remit_casefile.google.drive import DriveClient
from remit_casefile.google.gmail import GmailClient
from remit_casefile.google.sheets import SheetsClient
from remit_casefile.google.transport import Hosts, HttpResponse, Transport
from remit_casefile.google.write_confirmation import WaitSchedule
from tests.children import run_in_child

CONTENT: Final = b"0123456789abcdef" * (20 * 2**20 // 16)
KILLS: Final = (
    "before POST 1",  # the announcement of the upload
    "after PUT 10",  # a piece of it
    "after PUT 20",  # Drive has the file, and the journal does not know it
    "before archivist 1",  # a request of the nested agent after the upload
    "before secretary 1",  # the last request of the outer agent
)
UNDISTURBED: Final = "never killed"
Kill = Callable[[str], None]


class DyingTransport(Transport):
    """Passes a kill point before and after each request, named after its method and number."""

    def __init__(self, url: str, kill: Kill) -> None:
        super().__init__(Tokens(), hosts=Hosts.all_at(url))
        self._kill = kill
        self._counts = dict[str, int]()

    async def send(self, method: str, url: str, **rest: Any) -> HttpResponse:
        """Send a request."""
        self._counts[method] = self._counts.get(method, 0) + 1
        self._kill(f"before {method} {self._counts[method]}")
        answer = await super().send(method, url, **rest)
        self._kill(f"after {method} {self._counts[method]}")
        return answer


def application(point: str, transport: Transport, kill: Kill) -> App:
    """A secretary whose archivist uploads a file to Drive under the name ``point``, and downloads it again."""
    schedule = WaitSchedule(sleep=skip_wait)
    gmail, drive = GmailClient(transport, schedule=schedule), DriveClient(transport, schedule=schedule)
    clients = Clients(gmail=gmail, drive=drive, sheets=SheetsClient(transport))
    tools = {tool.name: tool for each in operations(clients) for tool in each.callees}
    sent = Artifact(digest=digest_of(CONTENT), size=len(CONTENT), name="report.pdf").model_dump()

    def model(agent: str, *lines: Any) -> Scripted:
        """A model that passes a kill point in each request."""

        def answer(number: int, _request: object) -> Any:
            kill(f"before {agent} {number}")
            return lines[number]

        return Scripted([partial(answer, number) for number in range(len(lines))])

    def download(request: ChatRequest) -> dict[str, Any]:
        return calls(("drive_download_file", {"file_id": last_result(request)["id"], "as_artifact": True}))

    def give_file(request: ChatRequest) -> dict[str, Any]:
        return calls(("final_result", last_result(request)["file"]))

    def give_result(request: ChatRequest) -> dict[str, Any]:
        return calls(("final_result", last_result(request)))

    archivist = Agent(
        "archivist",
        instructions="Archive.",
        input=PromptWithFiles,
        output=Artifact,
        tools=[tools["drive_upload_file"], tools["drive_download_file"]],
        model=model(
            "archivist",
            calls(("drive_upload_file", {"file": sent, "name": point})),
            download,
            give_file,
        ),
    )
    secretary = Agent(
        "secretary",
        instructions="Delegate.",
        input=PromptWithFiles,
        output=Artifact,
        tools=[archivist],
        model=model(
            "secretary",
            calls(("archivist", {"prompt": "Archive this.", "files": [sent]})),
            give_result,
        ),
    )
    return App(name="casefile", agents=[secretary, archivist], tools=list(tools.values()))


async def work(folder: Path, url: str, kill: Kill, later: float = 0.0) -> dict[str, Any]:
    """Request the work or continue it, and decide as a person who looks into Drive; report what came of it."""
    journal, asked = folder / "journal.db", list[str]()
    async with DyingTransport(url, kill) as transport:
        store = SqlStore.at(journal, lambda: time.time() + later)
        app = application(folder.name, transport, kill)
        runtime = Runtime(app, store=store, directory=lambda _name, _tenant: ANN)
        file = await runtime.artifacts.add(folder / "report.pdf", by=ANN)
        result = await runtime.run("Archive this.", by=ANN, agent="secretary", files=[file], idempotency_key="job")
        while result.status == "waiting":
            for question in result.questions:
                row = await store.find_question(question)
                assert row is not None
                asked.append(row.question.kind)
                await runtime.decide(question, approved=row.question.kind == "approval", by=ANN)
            result = await runtime.resume(result.run)
        assert result.status == "done", result.text
        back = await runtime.artifacts.read(Artifact.model_validate(result.value()), by=ANN)
        difference = (await runtime.replay(result.run)).difference
        await store.close()
    sizes = measure(folder)
    return {"is_back": back == CONTENT, "asked": asked, "difference": difference, **sizes}


def measure(folder: Path) -> dict[str, Any]:
    """The bytes of the journal, and of each artifact beside it."""
    artifacts = [path.stat().st_size for path in (folder / "journal.db.artifacts").rglob("*") if path.is_file()]
    journal = sum(path.stat().st_size for path in folder.glob("journal.db*") if path.is_file())
    return {"journal_bytes": journal, "artifact_bytes": artifacts}


def sweep(root: Path, url: str) -> dict[str, Any]:
    """Kill a process at each point, and let another continue. The first run is left alone, and loads all modules."""
    outcomes: dict[str, Any] = {UNDISTURBED: asyncio.run(work(make_folder(root, UNDISTURBED), url, ignore))}
    for point in KILLS:
        folder = make_folder(root, point)

        def kill(passed: str, point: str = point) -> None:
            if passed == point:
                kill_process()

        def proceed(folder: Path = folder) -> None:
            outcome = asyncio.run(work(folder, url, ignore, later=1000.0))
            (root / "outcome").write_text(json.dumps(outcome), encoding="utf-8")

        status = run_in_child(lambda: asyncio.run(work(folder, url, kill)))  # noqa: B023 - called at once
        assert status == -9, (point, status)
        assert run_in_child(proceed) == 0, point
        outcomes[point] = json.loads((root / "outcome").read_text(encoding="utf-8"))
        shutil.rmtree(folder)
    return outcomes


def make_folder(root: Path, point: str) -> Path:
    """A folder with the person's file."""
    folder = root / point
    folder.mkdir()
    (folder / "report.pdf").write_bytes(CONTENT)
    return folder


def last_result(request: ChatRequest) -> dict[str, Any]:
    """What the last tool returned."""
    return json.loads(json.loads(request.history[-1])["content"])


async def skip_wait(_seconds: float) -> None:
    """Do not wait: this Drive finds a file at once."""


def ignore(_point: str) -> None:
    """Pass a kill point unharmed."""


if __name__ == "__main__":
    sys.stdout.write(json.dumps(sweep(Path(sys.argv[1]), sys.argv[2])))
