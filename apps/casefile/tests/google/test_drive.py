"""Drive: looking, downloading, and uploading through cuts."""

from __future__ import annotations

import base64

import pytest
from pydantic import ValidationError

from apps.casefile.tests.google.fake.faults import PIECE as A_PIECE
from apps.casefile.tests.google.fake.faults import Cut, Keeps, Says, broken, busy
from apps.casefile.tests.google.fake.files import DOCUMENT
from apps.casefile.tests.google.fake.requests import GoogleResponseError
from apps.casefile.tests.google.world import Ctx, World
from remit.errors import ExternalError, InvalidArgumentsError, NotFoundError, SetupError
from remit.tools import UNKNOWN, Happened
from remit_casefile.google.errors import GoogleRefusedError, UncertainError
from remit_casefile.google.payloads.drive import DownloadFile, ExportFile, GetFile, ListFiles, UploadFile
from remit_casefile.google.uploads import CHUNK_MULTIPLE, UploadSettings

CREATE, LIST = "drive.files.create", "drive.files.list"
SMALL = UploadFile(name="note.txt", text="näh")
CONTENT = bytes(range(256)) * (CHUNK_MULTIPLE * 5 // 2 // 256)
LARGE = UploadFile(name="big", mime_type="application/zip", base64=base64.b64encode(CONTENT).decode())


async def test_files_are_listed_by_folder_and_query_and_not_from_the_trash(world: World) -> None:
    drive = world.google.drive
    inside = drive.put("report one", b"1", parents=["folder"])
    drive.put("report two", b"2")
    drive.put("other", b"3", parents=["folder"])
    drive.change(drive.put("report three", b"4", parents=["folder"]), trashed=True)

    found = await world.drive.list_files(ListFiles(query="name contains 'report'", folder_id="folder"))

    assert [each.id for each in found.files] == [inside]


async def test_a_file_is_shown_with_its_size_and_times(world: World) -> None:
    key = world.google.drive.put("a.txt", b"abc")

    file = await world.drive.get_file(GetFile(file_id=key))

    assert (file.name, file.mime_type, file.size, file.parents) == ("a.txt", "text/plain", 3, ["root"])
    assert file.modified_time is not None


@pytest.mark.parametrize(
    ("content", "encoding"), [("grün".encode(), "utf-8"), (b"", "utf-8"), (b"\x00a", "base64"), (b"\xff", "base64")]
)
async def test_content_comes_as_text_where_it_is_text(world: World, content: bytes, encoding: str) -> None:
    key = world.google.drive.put("a", content, "application/x-any")

    got = await world.drive.download_file(DownloadFile(file_id=key))

    assert (got.encoding, got.size, got.mime_type) == (encoding, len(content), "application/x-any")
    back = got.content.encode() if encoding == "utf-8" else base64.b64decode(got.content)
    assert back == content


async def test_a_google_document_is_exported_and_not_downloaded(world: World) -> None:
    key = world.google.drive.put("doc", b"a,b", DOCUMENT)

    with pytest.raises(InvalidArgumentsError, match="Export it instead"):
        await world.drive.download_file(DownloadFile(file_id=key))
    got = await world.drive.export_file(ExportFile(file_id=key, mime_type="text/csv"))

    assert (got.content, got.mime_type) == ("a,b", "text/csv")


async def test_a_file_that_is_not_there_is_not_found(world: World) -> None:
    with pytest.raises(NotFoundError, match="File not found: none"):
        await world.drive.get_file(GetFile(file_id="none"))


async def test_small_content_goes_in_one_request(world: World) -> None:
    file = await world.drive.upload_file(Ctx(), SMALL.model_copy(update={"folder_id": "folder"}))

    assert world.google.asked == [CREATE]
    assert world.google.drive.contents[file.id] == "näh".encode()
    assert (file.name, file.mime_type, file.parents) == ("note.txt", "text/plain", ["folder"])


@pytest.mark.parametrize("text", ["", "\n", "--boundary\r\n\r\n--", "a\r\n"])
async def test_content_arrives_to_the_byte(world: World, text: str) -> None:
    file = await world.drive.upload_file(Ctx(), SMALL.model_copy(update={"text": text}))

    assert world.google.drive.contents[file.id] == text.encode()


async def test_large_content_goes_in_pieces(world: World) -> None:
    file = await world.drive.upload_file(Ctx(), LARGE)

    assert world.google.asked == [CREATE, A_PIECE, A_PIECE, A_PIECE]
    assert world.google.drive.contents[file.id] == CONTENT


@pytest.mark.parametrize("arrived", [0, 1, CHUNK_MULTIPLE - 1, CHUNK_MULTIPLE])
async def test_after_a_cut_only_what_has_not_arrived_is_sent_again(world: World, arrived: int) -> None:
    world.google.faults.plan(A_PIECE, Keeps(arrived), skip=1)
    world.google.faults.plan(A_PIECE, Cut.BEFORE)

    file = await world.drive.upload_file(Ctx(), LARGE)

    assert world.google.drive.contents[file.id] == CONTENT
    assert list(world.google.drive.files) == [file.id]
    assert world.google.asked.count(CREATE) == 1


@pytest.mark.parametrize("trouble", [broken(503), busy("30"), Cut.AFTER, Cut.MIDWAY])
async def test_a_piece_that_fails_is_asked_about_and_sent_on(world: World, trouble: Cut) -> None:
    world.google.faults.plan(A_PIECE, trouble, skip=1, times=2)

    file = await world.drive.upload_file(Ctx(), LARGE)

    assert world.google.drive.contents[file.id] == CONTENT
    assert list(world.google.drive.files) == [file.id]


async def test_after_a_failure_it_is_asked_how_much_arrived_before_more_is_sent(world: World) -> None:
    world.google.faults.plan(A_PIECE, broken(503), skip=1)

    await world.drive.upload_file(Ctx(), LARGE)

    size, second = len(CONTENT), f"{CHUNK_MULTIPLE}-{2 * CHUNK_MULTIPLE - 1}"
    assert world.google.spans == [
        f"bytes 0-{CHUNK_MULTIPLE - 1}/{size}",
        f"bytes {second}/{size}",
        f"bytes */{size}",
        f"bytes {second}/{size}",
        f"bytes {2 * CHUNK_MULTIPLE}-{size - 1}/{size}",
    ]


async def test_an_upload_waits_as_long_as_it_is_asked_to(world: World) -> None:
    world.google.faults.plan(A_PIECE, busy("30"))

    await world.drive.upload_file(Ctx(), LARGE)

    assert world.waited == [30.0]


@pytest.mark.parametrize("trouble", [Cut.AFTER, Cut.MIDWAY])
async def test_the_last_piece_may_be_cut_and_the_file_is_there_once(world: World, trouble: Cut) -> None:
    world.google.faults.plan(A_PIECE, trouble, skip=2, times=3)

    file = await world.drive.upload_file(Ctx(), LARGE)

    assert list(world.google.drive.files) == [file.id]


async def test_an_upload_that_gets_nowhere_ends(world: World) -> None:
    world.google.faults.plan(A_PIECE, broken(), skip=1, times=99)

    with pytest.raises(UncertainError, match="'big' was uploaded, or not"):
        await world.drive.upload_file(Ctx(), LARGE)
    assert world.google.drive.files == {}


async def test_an_upload_of_which_no_byte_is_taken_ends(world: World) -> None:
    world.google.faults.plan(A_PIECE, Says(b"", 308), times=99)

    with pytest.raises(UncertainError, match="took none of the bytes"):
        await world.drive.upload_file(Ctx(), LARGE)


async def test_an_upload_that_expired_did_not_happen(world: World) -> None:
    world.google.faults.plan(A_PIECE, GoogleResponseError(404, "Not Found", "notFound"), skip=1)

    with pytest.raises(NotFoundError):
        await world.drive.upload_file(Ctx(), LARGE)


async def test_content_goes_only_to_the_host_of_drive(world: World) -> None:
    world.google.url = "http://127.0.0.2:1"

    with pytest.raises(ExternalError, match="not an address of Drive"):
        await world.drive.upload_file(Ctx(), LARGE)


@pytest.mark.parametrize("trouble", [Cut.AFTER, Cut.MIDWAY])
async def test_a_file_whose_upload_was_not_confirmed_is_found(world: World, trouble: Cut) -> None:
    world.google.faults.plan(CREATE, trouble)

    file = await world.drive.upload_file(Ctx(), SMALL)

    assert world.google.asked == [CREATE, LIST]
    assert list(world.google.drive.files) == [file.id]


async def test_a_file_that_is_found_nowhere_is_uncertain_and_not_uploaded_again(world: World) -> None:
    world.google.faults.plan(CREATE, Cut.BEFORE)

    with pytest.raises(UncertainError):
        await world.drive.upload_file(Ctx(), SMALL)
    assert world.google.asked.count(CREATE) == 1


async def test_a_refused_upload_did_not_happen(world: World) -> None:
    world.google.faults.plan(CREATE, GoogleResponseError(403, "No", "insufficientFilePermissions"))

    with pytest.raises(GoogleRefusedError):
        await world.drive.upload_file(Ctx(), SMALL)
    assert world.google.asked == [CREATE]


async def test_reconcile_finds_the_file_of_its_key_and_no_other(world: World) -> None:
    file = await world.drive.upload_file(Ctx("key-1"), SMALL)

    assert await world.drive.reconcile_upload(Ctx("key-1"), SMALL) == Happened(file)
    assert await world.drive.reconcile_upload(Ctx("key-2"), SMALL) is UNKNOWN


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": "a", "base64": "YQ=="},
        {"text": "a", "file": {"digest": f"sha256:{'0' * 64}", "size": 1}},
        {},
        {"base64": "not base64!"},
        {"text": "a", "mime_type": "text/plain\r\nx: y"},
        {"text": "a", "folder_id": "a' or '1"},
    ],
)
def test_an_upload_has_one_content_and_a_type(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        UploadFile.model_validate({"name": "a", **wrong})


def test_pieces_are_of_a_size_that_google_takes() -> None:
    with pytest.raises(SetupError, match="multiple"):
        UploadSettings(chunk_size=CHUNK_MULTIPLE + 1)
