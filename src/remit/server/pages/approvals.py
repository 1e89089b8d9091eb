"""The page of one question, without scripts: for links in mail. It never acts by being opened."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime
from html import escape
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from remit.errors import RequestConflictError, RequestDeniedError, RequestNotFoundError
from remit.object_views import Viewer
from remit.server.cookies import CSRF_FIELD
from remit.server.documents.questions import QuestionDocument
from remit.server.forgery import parse_form
from remit.server.identity import Identity, SignInError
from remit.server.pages.plain import form, link, own_address, paragraph, plain_page, to_login
from remit.server.sandbox import find_view, site_address
from remit.server.serving import Serving
from remit.views.fields import list_fields

_MOST_BYTES: Final = 64 * 1024

_SCRIPT: Final = "A script makes the calls here, not a model. What they do is real."
_REASON: Final = (
    '<label for="reason">Reason (optional)</label><input id="reason" name="reason" maxlength="2000" autocomplete="off">'
)


def approval_routes(serving: Serving) -> list[Route]:
    """The routes of the page."""

    async def show(request: Request) -> Response:
        try:
            identity = await serving.identify(request)
        except SignInError:
            return to_login(request, _path_of(request.path_params["question"]))
        return await _page(request, serving, identity)

    async def decide(request: Request) -> Response:
        identity = await serving.identify(request)
        fields = parse_form(await serving.read_body(request, _MOST_BYTES))
        if not _is_own_form(request, identity, fields):
            raise RequestDeniedError("the page is too old, or the request does not come from it; load the page again")
        if fields.get("decision") not in ("approve", "deny"):
            raise RequestDeniedError("the form has no decision; load the page again")
        client = serving.runtime.client(identity.principal)
        question = request.path_params["question"]
        try:
            opened = await client.decide(
                question, approved=fields["decision"] == "approve", reason=fields.get("reason", "")
            )
        except RequestConflictError as error:
            return await _page(request, serving, identity, error.message)
        await serving.wake(opened or (await client.question(question)).question.run)
        return RedirectResponse(own_address(request, _path_of(question)), 303)

    path = "/approvals/{question}"
    return [Route(path, show, methods=["GET"]), Route(path, decide, methods=["POST"])]


def _path_of(question: str) -> str:
    return f"/approvals/{quote(question, safe='')}"


def _is_own_form(request: Request, identity: Identity, fields: dict[str, str]) -> bool:
    """Whether a form comes from this page: it has the session's token, unless no cookie identifies its sender."""
    if not identity.csrf:
        return "authorization" in request.headers
    return hmac.compare_digest(fields.get(CSRF_FIELD, "").encode(), identity.csrf.encode())


async def _page(request: Request, serving: Serving, identity: Identity, problem: str = "") -> Response:
    client = serving.runtime.client(identity.principal)
    try:
        row = await client.question(request.path_params["question"])
    except RequestNotFoundError:
        body = paragraph("It does not exist, or you may not see it.") + link(request, "/", "Open the console")
        return plain_page(request, "There is no such question", body, 404)
    question = QuestionDocument.of(row, client)
    action = own_address(request, _path_of(question.id))
    parts = [
        paragraph(problem, "wrong") if problem else "",
        paragraph(_SCRIPT, "soft") if serving.models is not None and serving.models.in_use.is_script else "",
        *show_facts(question),
        *await _show_effect(request, serving, identity, question),
        _forms(question, action, identity.csrf),
        link(request, "/", "Open the console"),
    ]
    return plain_page(request, _title(question), "".join(parts), 409 if problem else 200, is_wide=True)


def _title(question: QuestionDocument) -> str:
    return f"{question.sentence.text}?" if question.about == "approval" else f"Did it happen? {question.sentence.text}"


def show_facts(question: QuestionDocument) -> list[str]:
    """The parts of a question, in the order of the console."""
    rows = [f"{each.where}: {each.before or '(nothing)'} → {each.after or '(nothing)'}" for each in question.rows]
    details = "".join(map(paragraph, rows))
    fields = [f"{each.name}: {each.text}" for each in list_fields(question.arguments, question.at_default)]
    exact = "".join(paragraph(each, "whole") for each in fields) or paragraph("It has no arguments.")
    summary = "" if question.summary == question.sentence.text else question.summary
    lines = [each for each in summary.splitlines() if each.strip()]
    again = question.again
    return [
        paragraph(f"Asked again, because {again.reason}. An earlier answer does not count.") if again else "",
        paragraph(question.consequence) if question.consequence else "",
        *map(paragraph, lines),
        f"<h2>What changes</h2>{details}" if rows else "",
        paragraph(_because(question), "soft"),
        paragraph(f"“{question.quote}” ({question.asker})", "soft") if question.quote else "",
        f"<details><summary>All arguments of {escape(question.tool)}</summary>{exact}</details>",
    ]


async def _show_effect(request: Request, serving: Serving, identity: Identity, question: QuestionDocument) -> list[str]:
    """Links to the pages that show what the call would do, as the views of the application have them."""
    shown, app = question.shows, serving.runtime.app
    view = None if shown is None else find_view(app, shown.kind)
    if shown is None or view is None:
        is_web = question.link.startswith(("https://", "http://"))
        return [f'<p><a href="{escape(question.link)}">See what it would do</a></p>'] if is_web else []
    found = await view.detail(Viewer(principal=identity.principal, target=question.target), shown.id)
    if found is None:
        return []
    site, pages = site_address(app, view), [each for each in found.pages if each.after]
    links = [link(request, f"{site}{each.after}", f"See {each.title} as it would be") for each in pages]
    return [*links, paragraph(found.blocked, "wrong") if found.blocked else ""]


def _because(question: QuestionDocument) -> str:
    """Why a person is asked, and for whom: whole sentences."""
    why = question.why.removesuffix(".")
    reason = f"it {why.removeprefix(question.tool).lstrip()}" if why.startswith(f"{question.tool} ") else why
    return " ".join(filter(None, [f"Asked because {reason}." if reason else "", f"Asked for {question.asker}."]))


def _forms(question: QuestionDocument, action: str, csrf: str) -> str:
    if question.decision is not None:
        word = "approved" if question.decision.approved else "denied"
        reason = f": {question.decision.reason}" if question.decision.reason else ""
        return paragraph(f"{question.decision.by} {word} this at {_time(question.decision.at)}{reason}.")
    if question.status != "open":
        return paragraph(f"This question is {question.status}; it can no longer be decided.")
    if question.about == "outcome":
        return paragraph("Answer it in the console, where you can give the result of the call.")
    if not question.may.deny and not question.may.approve:
        return paragraph("You may not decide this. Somebody else is asked.")
    token = {CSRF_FIELD: csrf} if csrf else {}
    approve = form(action, _REASON, "Approve once", {**token, "decision": "approve"}) if question.may.approve else ""
    deny = form(action, "", "Deny", {**token, "decision": "deny"}, is_first=False) if question.may.deny else ""
    until = paragraph(f"Without an answer by {_time(question.expires)} it is not done.", "soft")
    return f"{approve}{deny}{until}"


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
