"""HTML of strangers in pieces."""

from __future__ import annotations

import pytest

from remit.markup.tags import Tag, split_markup


def read_names(html: str) -> list[str]:
    return [
        f"<{'/' * piece.is_closing}{piece.name}>" if isinstance(piece, Tag) else piece for piece in split_markup(html)
    ]


@pytest.mark.parametrize(
    ("html", "pieces"),
    [
        ("", []),
        ("rye &amp; spelt", ["rye & spelt"]),
        ("<P>rye</P >", ["<p>", "rye", "</p>"]),
        ("a<!-- b --><!doctype c><?d?>e", ["a", "e"]),
        ("5 < 6 <7> & < b", ["5 < 6 <7> & < b"]),
        ("<a title='1 > 0'>b</a>", ["<a>", "b", "</a>"]),
        ("<a title='1>b</a>", ["<a>", "b", "</a>"]),
        ("<script>if (a<b) '<p>'</script>c", ["<script>", "c"]),
        ("<style>a", ["<style>"]),
        ("<iframe><p></iframe>a", ["<iframe>", "a"]),
        ("<plaintext>a</plaintext>", ["<plaintext>"]),
        ("<svg><style/><p></svg><style/><p>", ["<svg>", "<style>", "<p>", "</svg>", "<style>"]),
        ("<title>a<body>b", ["<title>", "<body>", "b"]),
        ("a<p b", ["a<p b"]),
        ("&#65;&#065;&#x41;&#xd800;", ["AAA\ufffd"]),
        (f"&#{'0' * 5_000}65;&#{'0' * 5_000};&#{'9' * 5_000};&#x{'f' * 5_000}", ["A\ufffd\ufffd\ufffd"]),
    ],
)
def test_html_is_divided_as_browsers_divide_it(html: str, pieces: list[str]) -> None:
    assert read_names(html) == pieces


@pytest.mark.parametrize(
    "piece",
    [
        "<p ",
        "<",
        "</",
        "<!--",
        "<!",
        "<a href='",
        '<a b="x>',
        "<title>",
        "<script>",
        "<xmp>",
        "<svg><xmp/>",
        "&#",
        "&#x1",
        "= '",
        "<b>",
    ],
)
@pytest.mark.parametrize("end", ["", ">", "'>", '">'])
def test_a_page_of_one_piece_is_read_in_one_pass(piece: str, end: str) -> None:
    html = piece * 200_000 + end
    assert sum(len(each) if isinstance(each, str) else 1 for each in split_markup(html)) <= len(html)


def test_a_tag_has_its_attributes_and_a_title_its_text() -> None:
    link, title, field, script = (
        each
        for each in split_markup(
            "<A HREF=b href=c Title='d&amp;' e><title>f&lt;</title><textarea>&lt;</textarea><script>g&lt;"
        )
    )
    assert isinstance(link, Tag)
    assert link.find_attributes() == {"href": "b", "title": "d&", "e": ""}
    assert title == Tag("title", content="f<")
    assert field == Tag("textarea", content="<")
    assert script == Tag("script", content="g&lt;")
