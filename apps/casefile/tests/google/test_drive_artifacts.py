"""Drive: content that is too large for a message goes up and comes down by reference."""

from __future__ import annotations

import json
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
from remit_casefile.google.uploads import CHUNK_MULTIPLE

CONTENT = bytes(range(256)) * (CHUNK_MULTIPLE * 5 // 2 // 256)


def runtime_at(folder: Path, clients: Clients) -> Runtime:
    """A runtime on the journal of a folder."""
    return Runtime(
        google_app(clients),
        store=SqlStore.at(folder / "journal.db"),
        directory=lambda _name, _tenant: ANN,
    )


async def upload(runtime: Runtime, file: Artifact, **arguments: Any) -> Any:
    """Request an upload by reference, and approve it; the run."""
    waiting = await call(runtime, "drive_upload_file", {"file": file.model_dump(), "name": "big", **arguments})
    (row,) = await runtime.store.list_questions()
    await runtime.decide(waiting.questions[0], approved=True, by=ANN)
    return waiting.run, row.question.shown


async def test_content_goes_up_and_comes_down_and_stays_out_of_the_journal(tmp_path: Path, world: World) -> None:
    runtime = runtime_at(tmp_path, Clients.from_transport(world.transport))
    file = await runtime.artifacts.add(CONTENT, by=ANN, name="report.pdf")
    folder = world.google.drive.put("Reports", b"", "application/vnd.google-apps.folder")
    journal = tmp_path / "journal.db"
    before = written(journal)

    run, shown = await upload(runtime, file, folder_id=folder)
    done = json.loads((await runtime.resume(run)).text)
    got = await call(runtime, "drive_download_file", {"file_id": done["id"], "as_artifact": True})

    what = f"the file 'big' (application/pdf, 655,360 bytes, {file.digest})"
    assert shown == f"{what} into the folder {folder} ('Reports')"
    assert world.google.drive.contents[done["id"]] == CONTENT
    back = json.loads(got.text)
    assert (back["encoding"], back["size"], back["content"]) == ("artifact", len(CONTENT), "")
    reference = Artifact.model_validate(back["file"])
    assert reference == file.model_copy(update={"name": "big"})
    assert await runtime.artifacts.read(reference, by=ANN) == CONTENT
    assert written(journal) - before < len(CONTENT)
    assert [each.stat().st_size for each in (tmp_path / "journal.db.artifacts").rglob("*") if each.is_file()] == [
        len(CONTENT)
    ]


def written(journal: Path) -> int:
    """The bytes of a journal's database, with what is not yet merged into it."""
    return sum(each.stat().st_size for each in journal.parent.glob(f"{journal.name}*") if each.is_file())


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
