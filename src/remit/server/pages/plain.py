"""The frame of plain pages: text and forms, readable on a phone, in the dark and without scripts."""

from __future__ import annotations

from html import escape
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse

from remit.server.security_headers import nonce_of

_STYLE: Final = """
:root { color-scheme: light dark; --line: #c9ccd1; --soft: #5b626d; --accent: #1f5fbf; --warn: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --line: #454a52; --soft: #a5acb8; --accent: #8ab4f8; --warn: #f2b8b5; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 40rem; padding: 3rem 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.125rem; margin: 2rem 0 .5rem; }
label { display: block; margin: 1rem 0 .25rem; }
input { width: 100%; font: inherit; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: 6px; }
button { font: inherit; margin-top: 1rem; padding: .5rem 1.25rem; border: 1px solid var(--line); border-radius: 6px; }
button.first { background: var(--accent); border-color: var(--accent); color: Canvas; font-weight: 600; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
ul { list-style: none; padding: 0; }
li { border-top: 1px solid var(--line); padding: .75rem 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.wrong { color: var(--warn); }
"""


def plain_page(request: Request, title: str, body: str, status: int = 200) -> HTMLResponse:
    """A page with a heading. ``body`` is HTML, in which everything from outside is escaped."""
    name = escape(title)
    return HTMLResponse(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{name} · Remit</title>'
        f'<style nonce="{escape(nonce_of(request))}">{_STYLE}</style></head>'
        f"<body><main><h1>{name}</h1>{body}</main></body></html>",
        status,
    )


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of text. ``kind`` is ``soft``, or ``wrong`` for what the reader must mend."""
    attributes = f' class="{kind}"' + (' role="alert"' if kind == "wrong" else "") if kind else ""
    return f"<p{attributes}>{escape(text)}</p>"


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
