"""Markdown to HTML that is safe to show."""

from __future__ import annotations

import html
import re

import pytest

from apps.cms.tests.rendering.document import Document
from remit_cms.rich_text.html import render_rich_text
from tests.strangers.texts import STRANGE_TEXTS


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("plain", "<p>plain</p>"),
        ("Mon 7 to 18\nSun closed", "<p>Mon 7 to 18<br>\nSun closed</p>"),
        ("**bold** and *soft* and ~~gone~~", "<p><strong>bold</strong> and <em>soft</em> and <s>gone</s></p>"),
        ("- one\n- two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>"),
        ("[a](/b)", '<p><a href="/b" rel="noopener noreferrer">a</a></p>'),
        ("`<b>`", "<p><code>&lt;b&gt;</code></p>"),
        ("![a *cat*](/cat.png)", "<p>a cat</p>"),
        ("[![our *logo*](/logo.png)](/b)", '<p><a href="/b" rel="noopener noreferrer">our logo</a></p>'),
        ("Loaf[^1]\n\n[^1]: Of rye.", "<p>Loaf[^1]</p>\n<p>[^1]: Of rye.</p>"),
        ("[Note]: closed\n\nBread", "<p>[Note]: closed</p>\n<p>Bread</p>"),
        ("> [a]: /x\n> 'y'\n\nb", "<blockquote>\n<p>[a]: /x<br>\n'y'</p>\n</blockquote>\n<p>b</p>"),
        ("[a]: /x\n[a]: /y\n\n[a]", '<p>[a]: /y</p>\n<p><a href="/x" rel="noopener noreferrer">a</a></p>'),
    ],
)
def test_markdown_becomes_html(markdown: str, expected: str) -> None:
    assert render_rich_text(markdown).strip() == expected


def test_cells_stand_as_their_table_says() -> None:
    html = render_rich_text("a | b | c | d\n:- | -: | :-: | -\n1 | 2 | 3 | 4")
    cells = re.findall(r"<td[^>]*>", html)
    assert cells == [f'<td class="{each}">' for each in ("left short", "right short", "center short", "short")]


def test_cells_with_few_letters_are_marked_so_that_they_stay_in_one_line() -> None:
    html = render_rich_text("|Loaf|Flour|Price|\n|-|-|-|\n|Rye|from the mill|6.20 €|\n||[six](/a-long-address)||")
    assert re.findall(r"<td(.*?)>", html) == [' class="short"', "", ' class="short"', "", "", ""]


@pytest.mark.parametrize(
    ("markdown", "top", "tags"),
    [
        ("# One\n## Two\n# Three", 2, ["h2", "h3", "h2"]),
        ("### One\n##### Two\n#### Three\n## Four", 2, ["h2", "h3", "h3", "h2"]),
        ("# One\n## Two", 4, ["h4", "h5"]),
        ("# One\n## Two\n### Three", 5, ["h5", "h6", "h6"]),
        ("> # One\n\n- ## Two", 3, ["h3", "h4"]),
    ],
)
def test_headings_are_an_outline_below_what_stands_above(markdown: str, top: int, tags: list[str]) -> None:
    assert [tag for tag in Document(render_rich_text(markdown, top)).tags if tag.startswith("h")] == tags


@pytest.mark.parametrize(
    ("text", "words", "href"),
    [
        ("See https://a.example/b_c_d--e.", "https://a.example/b_c_d--e", "https://a.example/b_c_d--e"),
        ("(http://a.example/b(c)d)", "http://a.example/b(c)d", "http://a.example/b(c)d"),
        ("at www.a.example, or", "www.a.example", "http://www.a.example"),
        ("**www.a.example/b**", "www.a.example/b", "http://www.a.example/b"),
        ("HTTPS://A.EXAMPLE:8080/B?c=d#e", "HTTPS://A.EXAMPLE:8080/B?c=d#e", "HTTPS://A.EXAMPLE:8080/B?c=d#e"),
        ("https://a.example/%C3%BC", "https://a.example/%C3%BC", "https://a.example/%C3%BC"),
        ("https://b\u00fccher.example", "https://b\u00fccher.example", "https://xn--bcher-kva.example"),
        ("to post@a.example!", "post@a.example", "mailto:post@a.example"),
        ("a.b+c@d-e.example", "a.b+c@d-e.example", "mailto:a.b+c@d-e.example"),
        ("[note]: www.a.example", "www.a.example", "http://www.a.example"),
    ],
)
def test_addresses_in_a_text_are_links(text: str, words: str, href: str) -> None:
    assert f'<a href="{href}" rel="noopener noreferrer">{words}</a>' in render_rich_text(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "README.md",
            "a@b",
            "www.",
            "http://",
            "https://localhost/a",
            "x@y.z_",
            "http\\://a.example",
            "awww.a.example",
        ),
        *("`https://a.example`", "@a.example", "ftp://www.a.example", "www.a@b.example.c@d", "http://-a.example"),
    ],
)
def test_what_is_no_address_is_no_link(text: str) -> None:
    assert "<a" not in render_rich_text(text)


def test_an_address_in_a_link_is_its_words() -> None:
    link = '<a href="/b" rel="noopener noreferrer">www.a.example or https://a.example</a>'
    assert render_rich_text("[www.a.example or https://a.example](/b)") == f"<p>{link}</p>\n"


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("See [jobs](page:gone) and [*more*](entry:gone#x).", "<p>See jobs and <em>more</em>.</p>"),
        ("[a](ftp://a.example) [b](/b)", '<p>a <a href="/b" rel="noopener noreferrer">b</a></p>'),
        ("a\n\n[](/b)\n\n[![](/c.png)](/b)\n\n![](/d.png)", "<p>a</p>"),
        ("` `", "<p><code> </code></p>"),
        ("    ", ""),
    ],
)
def test_of_a_link_to_nothing_its_words_remain(markdown: str, expected: str) -> None:
    assert render_rich_text(markdown).strip() == expected


def test_a_long_text_is_read_in_linear_time() -> None:
    for text in (
        "[a]: /b\n" * 5000,
        "www.a." * 8000,
        "a@" * 20000,
        "https://a.b/((" * 3000,
        "[a](page:b)" * 4000,
        "[a](/b)" * 6000,
    ):
        assert render_rich_text(text)


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
