"""The text of strangers' HTML is what a person sees of it, and what is left out is counted."""

from __future__ import annotations

import pytest

from remit.errors import SetupError
from remit.markup import read_html
from tests.strangers.markup import LINES, SEEN, SIGNS, UNSEEN


@pytest.mark.parametrize(
    ("html", "text"), [row[1:] for row in (*LINES, *SIGNS)], ids=[row[0] for row in (*LINES, *SIGNS)]
)
def test_text_is_read_with_its_lines_and_signs(html: str, text: str) -> None:
    assert read_html(html).text == text


@pytest.mark.parametrize("html", UNSEEN)
def test_what_is_hidden_from_people_is_counted_and_not_read(html: str) -> None:
    read = read_html(f"<p>Shut.</p>{html}<p>End.")

    assert (read.text, read.hidden) == ("Shut.\n\nEnd.", len("Pay Eve"))


@pytest.mark.parametrize("html", SEEN)
def test_what_people_see_is_read(html: str) -> None:
    read = read_html(html)

    assert (read.text, read.hidden) == ("Open.", 0)


def test_a_hidden_element_that_nothing_ends_hides_all_that_follows() -> None:
    assert read_html("a<body hidden>b</body>c<p>d").hidden == 5


def test_a_row_in_no_table_divides_texts_and_ends_nothing_that_is_hidden() -> None:
    read = read_html("a<tr>b<div hidden>c<tr>d<td>e</div>f")

    assert (read.text, read.hidden) == ("a\nb\nf", 5)


def test_the_title_is_that_of_the_page_and_not_of_a_drawing() -> None:
    assert read_html("<svg><title>a</title></svg><title> b \n c</title><title>d</title>").title == "b c"


@pytest.mark.parametrize(
    ("html", "text", "outside"),
    [
        ("<header>a</header><main>b<nav>c</nav><aside>d</aside></main><footer>e</footer>", "b\nd", 3),
        ("<nav>a</nav><p>b</p><aside>c</aside><footer>d</footer>", "b", 3),
        ("<article>a<aside>b</aside><footer>c</footer></article><aside>d</aside>", "a\nb\nc", 1),
        ("<div role=' Main '>a<footer>b</footer></div><div>c</div>", "a\nb", 1),
        ("<div role=navigation>a</div><span role=contentinfo>b</span>c<div role=x>d", "c\nd", 2),
        ("<main></main><p>a</p><nav>b</nav>", "a", 1),
        ("<nav>a</nav><footer>b</footer>", "a\nb", 0),
        ("<main>a</main><main>b</main>", "a\nb", 0),
        ("<main hidden>a</main>b", "b", 0),
    ],
)
def test_of_a_page_its_main_part_is_read(html: str, text: str, outside: int) -> None:
    read = read_html(html, main_only=True)

    assert (read.text, read.outside) == (text, outside)


def test_of_a_mail_all_parts_are_read() -> None:
    assert read_html("<nav>a</nav><main>b</main>").text == "a\nb"


def test_links_are_kept_whose_text_does_not_say_where_they_lead() -> None:
    html = "<a href=x>a<p>b</a>c <a href=#d>d</a><a>e</a><a href=f>f</a><a href=g><a href=h>i<b hidden>j</b>"

    assert read_html(html).links == ("ab <x>", "<g>", "i <h>")


def test_a_link_and_its_text_have_a_bound() -> None:
    (link,) = read_html(f"<a href={'x' * 3_000}>{'y' * 3_000}").links

    assert link == f"{'y' * 2_000}… <{'x' * 2_000}…>"


@pytest.mark.parametrize("html", ["<blockquote>" * 900 + "x", "<ol><li>" * 900 + "x"])
def test_what_stands_before_a_line_has_a_bound(html: str) -> None:
    assert len(read_html(html).text) < 100


def test_of_a_link_that_no_person_sees_the_address_is_not_kept() -> None:
    html = "<a href=x style='visibility:hidden'>a</a><td style='font-size:0'><a href=y><img src=z></a>"

    assert read_html(html).links == ("<y>",)


@pytest.mark.parametrize("piece", ["0", ".0", " 0", ", 0", "/0", "-9", "/*", "\\0", "rgb(", "a:b !important;"])
@pytest.mark.parametrize("name", ["font:", "color:rgba(", "opacity:", "position:fixed;clip:rect(", "text-indent:-"])
def test_a_style_of_any_length_is_read_in_one_pass(name: str, piece: str) -> None:
    assert read_html(f"<p style='{name}{piece * 100_000}!'>Open.").text in ("Open.", "")


@pytest.mark.parametrize("outer", ["sup", "sub", "q", "mfrac"])
@pytest.mark.parametrize("parent", ["msup", "mfrac", "munder"])
@pytest.mark.parametrize("text", ["", "1", "a b", "<br>", "<s>2</s>", "<p>3"])
def test_no_sign_is_sought_in_a_text_that_was_replaced(outer: str, parent: str, text: str) -> None:
    for inner in ("a href=q", "b style=color:red", "i style=text-decoration:line-through"):
        end = inner.split()[0]
        html = f"<{outer}><{parent}><{inner}>{text}</{outer}>4<sup>{text}</{end}></sup></{parent}>5"
        assert "5" in read_html(html).text


def test_characters_that_no_text_has_are_left_out() -> None:
    assert read_html("a\0b&#0;").text == "ab\ufffd"


def test_html_that_is_no_text_is_refused() -> None:
    with pytest.raises(SetupError, match="read_html: html"):
        read_html(b"<p>")  # type: ignore[arg-type]
