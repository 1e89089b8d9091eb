"""The frame of plain pages: text and forms, readable on a phone, in the dark and without scripts."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from remit.chat.wire import replace_surrogates
from remit.server.pages.style import MARK, STYLE
from remit.server.security_headers import nonce_of


def plain_page(request: Request, title: str, body: str, status: int = 200, *, is_wide: bool = False) -> HTMLResponse:
    """A page with a heading. ``body`` is HTML, in which everything from outside is escaped.

    ``is_wide``: it has more to read than a form.
    """
    name = escape(title)
    kind = ' class="wide"' if is_wide else ""
    brand = f'<header><a class="brand" href="{escape(own_address(request, "/"))}">{MARK}Remit</a></header>'
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{name} · Remit</title>'
        f'<style nonce="{escape(nonce_of(request))}">{STYLE}</style></head>'
        f"<body{kind}>{brand}<main><h1>{name}</h1>{body}</main></body></html>"
    )
    return HTMLResponse(replace_surrogates(page), status)


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of text.

    ``kind`` is ``soft``, ``whole`` for a text whose lines end where its author ended them, or ``wrong`` for what the
    reader must mend.
    """
    attributes = f' class="{kind}"' + (' role="alert"' if kind == "wrong" else "") if kind else ""
    return f"<p{attributes}>{escape(text)}</p>"


def link(request: Request, path: str, text: str) -> str:
    """A link to a path of this server, below the prefix where it is mounted."""
    return f'<p><a href="{escape(own_address(request, path))}">{escape(text)}</a></p>'


def to_login(request: Request, path: str) -> Response:
    """Lead to the page to sign in, and from there back to a path of this server."""
    following = quote(own_address(request, path))
    return RedirectResponse(own_address(request, f"/login?next={following}"), 303)


def own_address(request: Request, path: str) -> str:
    """A path of this server, below the prefix where it is mounted."""
    return f"{request.scope.get('root_path', '')}{path}"


def text_field(name: str, label: str, *, kind: str = "text", value: str = "", autocomplete: str = "off") -> str:
    """A field of a form with its label."""
    return (
        f'<label for="{name}">{escape(label)}</label><input id="{name}" name="{name}" type="{kind}" '
        f'value="{escape(value)}" autocomplete="{autocomplete}" autocapitalize="none" spellcheck="false" required>'
    )


def form(action: str, fields: str, button: str, hidden: dict[str, str], *, is_first: bool = True) -> str:
    """A form that is sent by its button."""
    kept = "".join(f'<input type="hidden" name="{escape(k)}" value="{escape(v)}">' for k, v in hidden.items())
    kind = ' class="first"' if is_first else ""
    return f'<form method="post" action="{escape(action)}">{kept}{fields}<button{kind}>{escape(button)}</button></form>'
