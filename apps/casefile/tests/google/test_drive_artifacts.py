"""Drive: content that is too large for a message goes up and comes down by reference."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from apps.casefile.tests.google.fake.faults import PIECE, Cut
from apps.casefile.tests.google.fake.files import DOCUMENT
from apps.casefile.tests.google.governed import ANN, call, google_app
from apps.casefile.tests.google.world import World
from remit import Runtime, SqlStore
from remit.artifacts import Artifact
from remit_casefile.google.clients import Clients
from remit_casefile.google.drive import DriveClient
from remit_casefile.google.transport import HttpResponse, Transport
from remit_casefile.google.uploads import CHUNK_MULTIPLE, UploadSettings

CREATE, LIST = "drive.files.create", "drive.files.list"
SIZE = 20 * 2**20
LARGE = b"0123456789abcdef" * (SIZE // 16)
CONTENT = bytes(range(256)) * (CHUNK_MULTIPLE * 5 // 2 // 256)


def runtime_at(folder: Path, clients: Clients, later: float = 0.0) -> Runtime:
    """A runtime on the journal of a folder, at a time after the leases of an earlier one have ended."""
    return Runtime(
        google_app(clients),
        store=SqlStore.at(folder / "journal.db", lambda: time.time() + later),
        directory=lambda _name, _tenant: ANN,
    )


async def upload(runtime: Runtime, file: Artifact, **arguments: Any) -> Any:
    """Request an upload by reference, and approve it; the run."""
    waiting = await call(runtime, "drive_upload_file", {"file": file.model_dump(), "name": "big", **arguments})
    (row,) = await runtime.store.list_questions()
    await runtime.decide(waiting.questions[0], approved=True, by=ANN)
    return waiting.run, row.question.shown


async def test_twenty_megabytes_go_up_and_come_down_and_stay_out_of_the_journal(tmp_path: Path, world: World) -> None:
    runtime = runtime_at(tmp_path, Clients.from_transport(world.transport))
    file = await runtime.artifacts.add(LARGE, by=ANN, name="report.pdf")
    folder = world.google.drive.put("Reports", b"", "application/vnd.google-apps.folder")
    journal = tmp_path / "journal.db"
    before = written(journal)

    run, shown = await upload(runtime, file, folder_id=folder)
    done = json.loads((await runtime.resume(run)).text)
    got = await call(runtime, "drive_download_file", {"file_id": done["id"], "as_artifact": True})

    what = f"the file 'big' (application/pdf, 20,971,520 bytes, {file.digest})"
    assert shown == f"{what} into the folder {folder} ('Reports')"
    assert world.google.drive.contents[done["id"]] == LARGE
    back = json.loads(got.text)
    assert (back["encoding"], back["size"], back["content"]) == ("artifact", SIZE, "")
    reference = Artifact.model_validate(back["file"])
    assert reference == file.model_copy(update={"name": "big"})
    assert await runtime.artifacts.read(reference, by=ANN) == LARGE
    assert written(journal) - before < 2**20
    assert [each.stat().st_size for each in (tmp_path / "journal.db.artifacts").rglob("*") if each.is_file()] == [SIZE]


def written(journal: Path) -> int:
    """The bytes of a journal's database, with what is not yet merged into it."""
    return sum(each.stat().st_size for each in journal.parent.glob(f"{journal.name}*") if each.is_file())


class Crash(BaseException):
    """The process dies here."""


class Dying(Transport):
    """Dies at a piece of an upload: before it is sent, or after it has arrived."""

    def __init__(self, world: World, piece: int, *, has_arrived: bool) -> None:
        super().__init__(world.credentials, hosts=world.transport.hosts)
        self._left = piece
        self._has_arrived = has_arrived

    async def send(self, method: str, url: str, **rest: Any) -> HttpResponse:
        """Send a request."""
        self._left -= method == "PUT"
        if not self._left and not self._has_arrived:
            raise Crash
        answer = await super().send(method, url, **rest)
        if not self._left:
            raise Crash
        return answer


async def crashed(folder: Path, world: World, piece: int, *, has_arrived: bool) -> tuple[Runtime, str]:
    """The runtime of another process, after one has died at a piece of the upload of ``CONTENT``; and the run."""
    settings = UploadSettings(single_request_limit=CHUNK_MULTIPLE, chunk_size=CHUNK_MULTIPLE)
    async with Dying(world, piece, has_arrived=has_arrived) as transport:
        dying = DriveClient(transport, schedule=world.patience, upload_settings=settings)
        first = runtime_at(folder, Clients(gmail=world.gmail, drive=dying, sheets=world.sheets))
        run, _ = await upload(first, await first.artifacts.add(CONTENT, by=ANN))
        with pytest.raises(Crash):
            await first.resume(run)
    return runtime_at(folder, world.clients, later=1000.0), run


@pytest.mark.parametrize("has_arrived", [False, True])
async def test_an_upload_that_dies_in_the_middle_is_done_again_once_a_person_says_so(
    tmp_path: Path, world: World, has_arrived: bool
) -> None:
    second, run = await crashed(tmp_path, world, 2, has_arrived=has_arrived)

    waiting = await second.resume(run)
    assert (waiting.status, world.google.drive.files) == ("waiting", {})
    assert LIST in world.google.asked

    await second.decide(waiting.questions[0], approved=False, by=ANN)
    again = await second.resume(run)
    await second.decide(again.questions[0], approved=True, by=ANN)
    done = await second.resume(run)

    assert (done.status, list(world.google.drive.contents.values())) == ("done", [CONTENT])


async def test_an_upload_that_was_whole_when_its_process_died_is_found_and_not_done_again(
    tmp_path: Path, world: World
) -> None:
    second, run = await crashed(tmp_path, world, 3, has_arrived=True)

    done = await second.resume(run)

    assert (done.status, [json.loads(done.text)["id"]]) == ("done", list(world.google.drive.files))
    assert list(world.google.drive.contents.values()) == [CONTENT]
    assert world.google.asked.count(CREATE) == 1


async def test_a_piece_that_is_cut_is_sent_on_from_the_artifact(tmp_path: Path, world: World) -> None:
    runtime = runtime_at(tmp_path, world.clients)
    world.google.faults.plan(PIECE, Cut.BEFORE, skip=1)

    run, _ = await upload(runtime, await runtime.artifacts.add(CONTENT, by=ANN))
    await runtime.resume(run)

    assert list(world.google.drive.contents.values()) == [CONTENT]


async def test_a_reference_to_nothing_is_refused_before_anybody_is_asked(world: World) -> None:
    runtime = Runtime(google_app(world.clients))
    arguments = {"name": "a", "file": {"digest": f"sha256:{'0' * 64}", "size": 1}}

    refused = await call(runtime, "drive_upload_file", arguments)

    assert (json.loads(refused.text)["errorCode"], world.google.asked) == ("NOT_FOUND", [])


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("a/b\\c\n", "text/csv", ("a_b_c_", "text/csv")),
        ("n" * 300, "odd", ("n" * 255, "application/octet-stream")),
        ("a", f"text/{'x' * 130}", ("a", "application/octet-stream")),
    ],
)
async def test_the_artifact_of_a_file_has_its_name_and_type_as_far_as_they_are_valid(
    world: World, name: str, kind: str, expected: tuple[str, str]
) -> None:
    runtime = Runtime(google_app(world.clients))
    key = world.google.drive.put(name, b"abc", kind)

    got = json.loads((await call(runtime, "drive_download_file", {"file_id": key, "as_artifact": True})).text)

    assert (got["file"]["name"], got["file"]["media_type"]) == expected
    assert await runtime.artifacts.read(Artifact.model_validate(got["file"]), by=ANN) == b"abc"


async def test_an_export_comes_as_an_artifact_too(world: World) -> None:
    runtime = Runtime(google_app(world.clients))
    key = world.google.drive.put("doc", b"a,b", DOCUMENT)

    arguments = {"file_id": key, "mime_type": "text/csv", "as_artifact": True}
    got = json.loads((await call(runtime, "drive_export_file", arguments)).text)

    assert (got["file"]["name"], got["file"]["media_type"], got["size"]) == ("doc", "text/csv", 3)
