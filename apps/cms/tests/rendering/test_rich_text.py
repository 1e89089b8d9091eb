"""Markdown to HTML that is safe to show."""

from __future__ import annotations

import html
import re

import pytest

from apps.cms.tests.rendering.document import Document
from remit_cms.rendering.rich_text import render_rich_text
from tests.strangers.texts import STRANGE_TEXTS


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("plain", "<p>plain</p>"),
        ("Mon 7 to 18\nSun closed", "<p>Mon 7 to 18<br>\nSun closed</p>"),
        ("**bold** and *soft* and ~~gone~~", "<p><strong>bold</strong> and <em>soft</em> and <s>gone</s></p>"),
        ("- one\n- two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>"),
        ("# One\n## Two", "<h2>One</h2>\n<h2>Two</h2>"),
        ("[a](/b)", '<p><a href="/b" rel="noopener noreferrer">a</a></p>'),
        ("`<b>`", "<p><code>&lt;b&gt;</code></p>"),
        ("![a cat](/cat.png)", "<p>a cat</p>"),
    ],
)
def test_markdown_becomes_html(markdown: str, expected: str) -> None:
    assert render_rich_text(markdown).strip() == expected


@pytest.mark.parametrize("text", STRANGE_TEXTS)
def test_visitors_read_the_letters_that_were_written(text: str) -> None:
    read = html.unescape(re.sub("<[^>]+>", "", str(render_rich_text(text))))
    assert read.strip() == text


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
        "<iframe src=https://evil.example></iframe>",
        '<a href="javascript:alert(1)">x</a>',
        "<style>body{background:url(https://evil.example)}</style>",
        "[x](javascript:alert(1))",
        "[x](JAVASCRIPT:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:alert(1))",
        "![x](https://evil.example/pixel.png)",
        '[x](https://example.com "a\\" onmouseover=\\"alert(1)")',
        "<https://example.com/\"onmouseover='alert(1)'>",
        "[x]: javascript:alert(1)\n\n[x]",
        "`x`<script>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
    ],
)
def test_hostile_text_runs_and_fetches_nothing(hostile: str) -> None:
    document = Document(render_rich_text(hostile))
    assert set(document.tags) <= {"p", "a", "code"}
    assert {name for name, _ in document.attributes} <= {"href", "title", "rel"}
    links = [value or "" for name, value in document.attributes if name == "href"]
    assert all(link.startswith("https://") for link in links)
