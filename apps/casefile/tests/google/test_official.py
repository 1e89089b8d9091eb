"""The fake is honest: the official client works with it, and sees what our clients see."""

from __future__ import annotations

import asyncio
import base64
import io
from email.message import EmailMessage
from typing import Any

import pytest

from apps.casefile.tests.google.fake.discovery import routes
from apps.casefile.tests.google.fake.faults import PIECE as A_PIECE
from apps.casefile.tests.google.fake.files import DOCUMENT
from apps.casefile.tests.google.mails import mail
from apps.casefile.tests.google.official import (
    HttpError,
    MediaInMemoryUpload,
    MediaIoBaseDownload,
    Official,
    execute,
)
from apps.casefile.tests.google.world import Ctx, World
from remit.errors import InvalidArgumentsError, NotFoundError
from remit_casefile.google.payloads.drive import DownloadFile, ExportFile, GetFile, ListFiles, UploadFile
from remit_casefile.google.payloads.gmail import GetMessage, ListMessages, SearchMessages, SendMessage
from remit_casefile.google.payloads.sheets import AppendValues, BatchGet, UpdateValues
from remit_casefile.google.uploads import CHUNK_MULTIPLE


async def every(request: Any, following: Any, key: str) -> list[Any]:
    """All items of a list, by the official client's own pagination."""
    items = list[Any]()
    while request is not None:
        answer = await execute(request)
        items += answer.get(key, [])
        request = following(request, answer)
    return items


async def test_mail_is_listed_searched_and_read_alike(world: World, official: Official) -> None:
    for number in range(7):
        world.google.mailbox.deliver(mail(subject=f"letter {number}"))
    messages = official.gmail.messages()

    listed = await every(messages.list(userId="me", maxResults=2), messages.list_next, "messages")
    first = await world.gmail.list_messages(ListMessages(max_results=2))
    found = await execute(messages.list(userId="me", q="subject:letter"))
    ours = await world.gmail.search_messages(SearchMessages(query="subject:letter"))
    read = await execute(messages.get(userId="me", id=listed[0]["id"]))
    view = await world.gmail.get_message(GetMessage(message_id=listed[0]["id"]))

    assert len(listed) == 7
    assert [each.id for each in first.messages] == [each["id"] for each in listed[:2]]
    assert [each.id for each in ours.messages] == [each["id"] for each in listed]
    assert (ours.next_page_token, ours.result_size_estimate) == (None, found["resultSizeEstimate"])
    assert (view.thread_id, view.history_id, view.label_ids) == (read["threadId"], read["historyId"], read["labelIds"])
    assert base64.urlsafe_b64decode(read["payload"]["body"]["data"]).decode().strip() == view.text.strip()


async def test_mail_that_either_sends_is_found_by_the_other(world: World, official: Official) -> None:
    messages = official.gmail.messages()
    theirs = EmailMessage()
    theirs["To"], theirs["Message-ID"] = "bob@example.com", "<theirs@example.com>"
    raw = base64.urlsafe_b64encode(theirs.as_bytes()).decode()

    sent = await execute(messages.send(userId="me", body={"raw": raw}))
    ours = await world.gmail.send_message(Ctx(), SendMessage(to=["bob@example.com"], subject="hi", body="ho"))
    query = f"rfc822msgid:{ours.message_id.strip('<>')}"

    assert [each["id"] for each in (await execute(messages.list(userId="me", q=query)))["messages"]] == [ours.id]
    found = await world.gmail.search_messages(SearchMessages(query="rfc822msgid:theirs@example.com"))
    assert [each.id for each in found.messages] == [sent["id"]]


async def test_history_is_listed_alike(world: World, official: Official) -> None:
    users = official.gmail
    since = (await world.gmail.get_profile()).history_id
    for number in range(5):
        world.google.mailbox.deliver(mail(subject=f"letter {number}"))

    theirs = await every(users.history().list(userId="me", startHistoryId=since), users.history().list_next, "history")
    ours = await world.gmail.list_history(since)

    assert (await execute(users.getProfile(userId="me")))["historyId"] == ours.history_id
    assert len(theirs) == 5
    added = [change.message.id for record in ours.history for change in record.messages_added]
    assert added == [each["messagesAdded"][0]["message"]["id"] for each in theirs[:3]]


async def test_files_are_listed_and_looked_at_alike(world: World, official: Official) -> None:
    for number in range(5):
        world.google.drive.put(f"report {number}.txt", b"x" * number)
    files = official.drive.files()

    listed = await every(files.list(q="trashed = false", pageSize=2), files.list_next, "files")
    ours = await world.drive.list_files(ListFiles(page_size=2))
    read = await execute(files.get(fileId=listed[0]["id"], fields="size,md5Checksum,parents"))
    view = await world.drive.get_file(GetFile(file_id=listed[0]["id"]))

    assert [set(each) for each in listed] == [{"kind", "id", "name", "mimeType"}] * 5
    assert [(each.id, each.name) for each in ours.files] == [(each["id"], each["name"]) for each in listed[:2]]
    assert (str(view.size), view.md5_checksum, view.parents) == tuple(read.values())


async def test_content_is_downloaded_and_exported_alike(world: World, official: Official) -> None:
    key = world.google.drive.put("a.txt", b"content of a file")
    document = world.google.drive.put("b", b"content of a document", DOCUMENT)
    files = official.drive.files()

    theirs = io.BytesIO()
    download: Any = MediaIoBaseDownload(theirs, files.get_media(fileId=key))
    await asyncio.to_thread(download.next_chunk)
    exported = await execute(files.export(fileId=document, mimeType="text/plain"))

    assert (await world.drive.download_file(DownloadFile(file_id=key))).content == theirs.getvalue().decode()
    ours = await world.drive.export_file(ExportFile(file_id=document, mime_type="text/plain"))
    assert ours.content == exported.decode()


@pytest.mark.parametrize("resumable", [False, True])
async def test_content_is_uploaded_alike(world: World, official: Official, resumable: bool) -> None:
    content = bytes(range(256)) * (3 * CHUNK_MULTIPLE // 256 if resumable else 4)
    files = official.drive.files()
    media: Any = MediaInMemoryUpload(content, "application/zip", chunksize=CHUNK_MULTIPLE, resumable=resumable)

    theirs = await execute(files.create(body={"name": "theirs"}, media_body=media, fields="id,md5Checksum"))
    pieces = world.google.asked.count(A_PIECE)
    text = base64.b64encode(content).decode()
    ours = await world.drive.upload_file(Ctx(), UploadFile(name="ours", mime_type="application/zip", base64=text))

    assert ours.md5_checksum == theirs["md5Checksum"]
    assert world.google.drive.contents[ours.id] == world.google.drive.contents[theirs["id"]] == content
    assert world.google.asked.count(A_PIECE) == 2 * pieces == (6 if resumable else 0)


async def test_changes_are_listed_alike(world: World, official: Official) -> None:
    changes = official.drive.changes()
    start = (await world.drive.get_start_page_token()).start_page_token
    assert (await execute(changes.getStartPageToken()))["startPageToken"] == start
    key = world.google.drive.put("a.txt", b"a")
    world.google.drive.delete(world.google.drive.put("b.txt", b"b"))

    theirs = await execute(changes.list(pageToken=start))
    ours = await world.drive.list_changes(start)

    assert [(each.file_id, each.removed) for each in ours.changes] == [
        (each["fileId"], each["removed"]) for each in theirs["changes"]
    ]
    assert ours.changes[0].file_id == key
    assert ours.new_start_page_token == theirs["newStartPageToken"]


async def test_cells_are_read_and_written_alike(world: World, official: Official) -> None:
    world.google.sheets.put("book", "My sheet", [["a", "b"]])
    values = official.sheets
    place = "'My sheet'!A2:B2"

    theirs = await execute(
        values.update(spreadsheetId="book", range=place, valueInputOption="RAW", body={"values": [[1, 2]]})
    )
    ours = await world.sheets.update_values(UpdateValues(spreadsheet_id="book", range=place, values=[[1, 2]]))
    added = await execute(
        values.append(spreadsheetId="book", range=place, valueInputOption="RAW", body={"values": [[3]]})
    )
    mine = await world.sheets.append_values(AppendValues(spreadsheet_id="book", range=place, values=[[4]]))
    read = await execute(values.batchGet(spreadsheetId="book", ranges=["'My sheet'!A1:B4"]))
    asked = BatchGet(spreadsheet_id="book", ranges=["'My sheet'!A1:B4"], value_render="FORMATTED_VALUE")
    view = await world.sheets.batch_get(asked)

    assert (ours.updated_range, ours.updated_cells) == (theirs["updatedRange"], theirs["updatedCells"])
    assert (added["updates"]["updatedRange"], mine.updates.updated_range) == ("My sheet!A3", "My sheet!A4")
    assert view.value_ranges[0].values == read["valueRanges"][0]["values"] == [["a", "b"], ["1", "2"], ["3"], ["4"]]


async def test_both_are_refused_alike(world: World, official: Official) -> None:
    gmail = official.gmail.messages()
    drive = official.drive.files()

    with pytest.raises(HttpError, match="404"):
        await execute(gmail.get(userId="me", id="none"))
    with pytest.raises(NotFoundError):
        await world.gmail.get_message(GetMessage(message_id="none"))
    with pytest.raises(HttpError, match="400"):
        await execute(gmail.list(userId="me", pageToken="x"))
    with pytest.raises(InvalidArgumentsError):
        await world.gmail.list_messages(ListMessages(page_token="x"))
    with pytest.raises(HttpError, match="400"):
        await execute(drive.list(q="nonsense"))
    with pytest.raises(InvalidArgumentsError):
        await world.drive.list_files(ListFiles(query="nonsense"))


async def test_what_the_document_requires_is_required(world: World, official: Official) -> None:
    messages = official.gmail.messages()

    with pytest.raises(HttpError, match="raw is required"):
        await execute(messages.send(userId="me", body={"threadId": "t1"}))
    with pytest.raises(HttpError, match='Unknown name "row"'):
        await execute(messages.send(userId="me", body={"row": ""}))


async def test_a_method_of_the_documents_that_does_nothing_here_says_so(world: World, official: Official) -> None:
    with pytest.raises(HttpError, match=r"gmail.users.drafts.list is not implemented"):
        await execute(official.gmail.drafts().list(userId="me"))


def test_the_documents_give_every_route() -> None:
    found = {route.method.id for route in routes()}
    assert len(found) > 150
    assert {"gmail.users.messages.send", "drive.files.export", "sheets.spreadsheets.values.append"} <= found
