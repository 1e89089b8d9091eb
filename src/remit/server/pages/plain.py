"""The frame of plain pages: text and forms, readable on a phone, in the dark and without scripts."""

from __future__ import annotations

from html import escape
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse

from remit.chat.wire import replace_surrogates
from remit.server.security_headers import nonce_of

_STYLE: Final = """
:root { color-scheme: light dark; --canvas: #fff; --line: #e5e8ee; --edge: #c9cfda; --field: #858fa1; --text: #171b24;
  --soft: #475063; --accent: #4f46e5; --link: #4338ca; --on-accent: #fff; --wrong: #b0241a; }
@media (prefers-color-scheme: dark) { :root { --canvas: #12151b; --line: #252b36; --edge: #3a4252; --field: #6b7589;
  --text: #e8ebf1; --soft: #b4bbc9; --accent: #a5a8fb; --link: #a5a8fb; --on-accent: #12151b; --wrong: #f7a39b; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 40rem; padding: 3rem 1.25rem;
  color: var(--text); background: var(--canvas); }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.125rem; margin: 2.5rem 0 .5rem; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
label { display: block; margin: 1rem 0 .25rem; font-weight: 550; }
input { display: block; width: 100%; max-width: 24rem; padding: .5rem .75rem; font: inherit; color: inherit;
  background: transparent; border: 1px solid var(--field); border-radius: 8px; }
button { font: inherit; margin-top: 1rem; padding: .5rem 1.25rem; border: 1px solid var(--edge); border-radius: 8px;
  color: inherit; background: transparent; cursor: pointer; }
button.first { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
ul { list-style: none; margin: .5rem 0; padding: 0; }
li { display: flex; gap: 1rem; align-items: center; justify-content: space-between; border-top: 1px solid var(--line);
  padding: .75rem 0; }
li p { margin: 0; }
li button { margin: 0; }
.soft { color: var(--soft); font-size: .875rem; }
.wrong { color: var(--wrong); }
"""


ICON: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22"><rect width="22" height="22" rx="6" fill="#171b24"/>'
    '<path d="M7 16V6h4.5a3 3 0 0 1 0 6H7m4.5 0 3.5 4" fill="none" stroke="#fff" stroke-width="1.8" '
    'stroke-linecap="round" stroke-linejoin="round"/></svg>'
)
"""The icon of the server, as SVG."""


def plain_page(request: Request, title: str, body: str, status: int = 200) -> HTMLResponse:
    """A page with a heading. ``body`` is HTML, in which everything from outside is escaped."""
    name = escape(title)
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{name} · Remit</title>'
        f'<style nonce="{escape(nonce_of(request))}">{_STYLE}</style></head>'
        f"<body><main><h1>{name}</h1>{body}</main></body></html>"
    )
    return HTMLResponse(replace_surrogates(page), status)


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of text. ``kind`` is ``soft``, or ``wrong`` for what the reader must mend."""
    attributes = f' class="{kind}"' + (' role="alert"' if kind == "wrong" else "") if kind else ""
    return f"<p{attributes}>{escape(text)}</p>"


def link(request: Request, path: str, text: str) -> str:
    """A link to a path of this server, below the prefix where it is mounted."""
    return f'<p><a href="{escape(own_address(request, path))}">{escape(text)}</a></p>'


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
