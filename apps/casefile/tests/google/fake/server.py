"""Google Workspace in memory, as an ASGI application whose routes, parameters and shapes are those of the documents.

What the documents describe is checked on the way in and on the way out; what a method does is code here. A method that
does nothing here is answered 501.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote

from apps.casefile.tests.google.fake.cells import Spreadsheets
from apps.casefile.tests.google.fake.discovery import Json, Route, routes
from apps.casefile.tests.google.fake.faults import PIECE, Cut, Faults, Keeps, Says, Stall, Trouble
from apps.casefile.tests.google.fake.files import Drive
from apps.casefile.tests.google.fake.mailbox import Mailbox
from apps.casefile.tests.google.fake.requests import GoogleResponseError, Media, Operation, Request
from apps.casefile.tests.google.fake.shapes import ShapeError, check, parameters, selected
from apps.casefile.tests.google.fake.uploads import Session, related

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: bytes

    def param(self, name: str) -> str:
        """A parameter of the query, or nothing."""
        return dict(self.query).get(name, "")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to send."""

    content: bytes
    status: int = 200
    mime_type: str = "application/json; charset=UTF-8"
    headers: tuple[tuple[str, str], ...] = ()


class FakeGoogle:
    """One account: its mailbox, its files, its spreadsheets, and the access tokens that are accepted.

    ``sent`` are the requests that write, to the byte: path and body. ``spoiled`` texts of an answer are replaced by
    others that its documentation does not know.
    """

    def __init__(self) -> None:
        self.mailbox, self.drive, self.sheets = Mailbox(), Drive(), Spreadsheets()
        self.faults = Faults()
        self.tokens = {"token-1"}
        self.accepts = "refresh-1"
        self.granted: list[dict[str, str]] = []
        self.asked: list[str] = []
        self.spans: list[str] = []
        self.broken: list[str] = []
        self.spoiled: dict[str, str] = {}
        self.sent: list[tuple[str, bytes]] = []
        self.url = ""
        self._sessions: dict[str, Session] = {}
        operations = (self.mailbox.operations, self.drive.operations, self.sheets.operations)
        self._operations: dict[str, Operation] = {key: done for each in operations for key, done in each.items()}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        asked = await _read(scope, receive)
        if asked.path == "/token":
            await self._grant(asked, send)
            return
        route, in_path = self._route(asked)
        method = route.method.id if route else PIECE if self._session(asked) else "unknown"
        self.asked.append(method)
        self.sent += [(asked.path, asked.body)] if asked.method != "GET" else []
        self.spans += [asked.headers.get("content-range", "")] if method == PIECE else []
        trouble = self.faults.next(method)
        answer = None if trouble in (Cut.BEFORE, Stall.FOREVER) else self._answer(asked, route, in_path, trouble)
        if trouble is Cut.MIDWAY and answer is not None:
            await _begin(send, answer)
            await send(
                {"type": "http.response.body", "body": answer.content[: len(answer.content) // 2], "more_body": True}
            )
        if isinstance(trouble, (Cut, Keeps)):
            scope["extensions"]["cut"]["now"]()
        if answer is None or isinstance(trouble, (Cut, Keeps)):
            while (await receive())["type"] != "http.disconnect":
                pass
            return
        await _begin(send, answer)
        await send({"type": "http.response.body", "body": answer.content})

    async def _grant(self, asked: Asked, send: Send) -> None:
        """An access token, for whoever shows what the test said is good: a refresh token, or a signed claim."""
        said = dict(parse_qsl(asked.body.decode()))
        self.granted.append(said)
        if said.get("refresh_token", said.get("assertion", "")).startswith(self.accepts):
            granted = {"access_token": min(self.tokens), "expires_in": 3600, "token_type": "Bearer"}
            answer = Answer(json.dumps(granted).encode())
        else:
            refused = {"error": "invalid_grant", "error_description": f"refused: {asked.body.decode()}"}
            answer = Answer(json.dumps(refused).encode(), 400)
        await _begin(send, answer)
        await send({"type": "http.response.body", "body": answer.content})

    def _answer(self, asked: Asked, route: Route | None, in_path: Json, trouble: Trouble | None) -> Answer:
        try:
            self._admit(asked, trouble)
            if isinstance(trouble, Says):
                return Answer(trouble.content, trouble.status)
            if route is None:
                return self._piece(asked, trouble.count if isinstance(trouble, Keeps) else None)
            return self._perform(asked, route, parameters(route, in_path, asked.query))
        except GoogleResponseError as refusal:
            return Answer(refusal.content(), refusal.status, headers=tuple(refusal.headers.items()))
        except (ShapeError, json.JSONDecodeError) as error:
            return Answer(GoogleResponseError(400, str(error), "badRequest").content(), 400)
        except Exception as error:
            self.broken.append(f"{asked.method} {asked.path}: {error!r}")
            raise

    def _admit(self, asked: Asked, trouble: Trouble | None) -> None:
        if asked.headers.get("authorization", "").removeprefix("Bearer ") not in self.tokens:
            raise GoogleResponseError(401, "Request had invalid authentication credentials.", "authError")
        if isinstance(trouble, GoogleResponseError):
            raise trouble

    def _perform(self, asked: Asked, route: Route, params: Json) -> Answer:
        kind, body, media = asked.headers.get("content-type", ""), asked.body, None
        upload = params.get("uploadType") if route.uploads else None
        if upload == "resumable":
            return self._announced(asked, route, params)
        if upload == "multipart":
            said, media, kind = related(kind, body)
        elif upload == "media":
            said, media = {}, body
        else:
            said = _object(body)
        return self._done(route, params, said, media, kind)

    def _done(self, route: Route, params: Json, said: Json, media: bytes | None, kind: str) -> Answer:
        method, document = route.method, route.document
        operation = self._operations.get(method.id)
        if operation is None:
            raise GoogleResponseError(501, f"{method.id} is not implemented", "notImplemented")
        if method.request is not None:
            required = method.id if media is None else ""
            check(document, document.schemas[method.request.ref], said, method.request.ref, required)
        request = Request(method=method.id, params=params, body=said, media=media, media_type=kind)
        given = operation(request)
        if isinstance(given, Media):
            return Answer(given.content, mime_type=given.mime_type)
        if method.response is not None:
            self._check_own(route, given)
        content = json.dumps(selected(given, params["fields"]) if "fields" in params else given)
        for right, wrong in self.spoiled.items():
            content = content.replace(right, wrong)
        return Answer(content.encode())

    def _check_own(self, route: Route, given: Json) -> None:
        """What this server says has to have the shape that the documents give, too."""
        assert route.method.response is not None
        name = route.method.response.ref
        try:
            check(route.document, route.document.schemas[name], given, name)
        except ShapeError as error:
            raise AssertionError(f"{route.method.id} answered {error}") from error

    def _announced(self, asked: Asked, route: Route, params: Json) -> Answer:
        key = f"upload-{len(self._sessions) + 1}"
        said = _object(asked.body)
        self._sessions[key] = Session(route, params, said, asked.headers.get("x-upload-content-type", ""))
        location = f"{self.url}{asked.path}?uploadType=resumable&upload_id={key}"
        return Answer(b"", headers=(("location", location),))

    def _piece(self, asked: Asked, keep: int | None) -> Answer:
        session = self._session(asked)
        if session is None:
            raise GoogleResponseError(404, "Not Found", "notFound")
        if session.answer is None:
            if not session.take(asked.headers.get("content-range", ""), asked.body, keep):
                return Answer(b"", 308, headers=tuple(session.range.items()))
            done = self._done(session.route, session.params, session.metadata, session.received, session.mime_type)
            session.answer = done.content
        return Answer(session.answer)

    def forget_uploads(self) -> None:
        """Let all uploads in pieces expire."""
        self._sessions.clear()

    def _session(self, asked: Asked) -> Session | None:
        return self._sessions.get(asked.param("upload_id")) if asked.method == "PUT" else None

    def _route(self, asked: Asked) -> tuple[Route | None, Json]:
        for route in routes():
            in_path = route.match(asked.method, asked.path)
            if in_path is not None:
                return route, {name: unquote(value) for name, value in in_path.items()}
        return None, {}


async def _read(scope: Message, receive: Receive) -> Asked:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    headers = {name.decode(): value.decode() for name, value in scope["headers"]}
    query = parse_qsl(scope["query_string"].decode(), keep_blank_values=True)
    return Asked(scope["method"], scope["raw_path"].decode(), query, headers, body)


def _object(body: bytes) -> Json:
    return json.loads(body) if body else {}


async def _begin(send: Send, answer: Answer) -> None:
    headers = [("content-type", answer.mime_type), ("content-length", str(len(answer.content))), *answer.headers]
    raw = [(name.encode(), value.encode()) for name, value in headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": raw})
