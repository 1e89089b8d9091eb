"""Remarks on what visitors do not see of a text as it was written."""

from __future__ import annotations

import pytest

from remit_cms.rich_text.remarks import find_omissions


@pytest.mark.parametrize(
    ("text", "remarks"),
    [
        ("Plain, with [a link](/b), [another](page:x) and <https://a.example>; 1 < 2 | 3.", []),
        ("`![no](/picture)` and `<b>`", []),
        ("![a](/b) ![c](/d)", ["2 pictures shown as words: pictures belong in fields for images"]),
        ("[a](ftp://b.example)", ["no link to ftp://b.example: links begin with https:, mailto:, tel: or /"]),
        ("<b>Bread</b>, fresh<br>", ["<b>, </b>, <br> shown as text: format with Markdown"]),
        ("<b><i><u><s>", ["<b>, <i>, <u> … shown as text: format with Markdown"]),
        (
            "> | a | b |\n> |---|---|\n> | 1 | 2 | 3 |\n> | 1 |",
            ["1 cell left out, for which their tables have no column"],
        ),
    ],
)
def test_what_is_left_out_of_a_text_is_said(text: str, remarks: list[str]) -> None:
    assert find_omissions(text) == remarks
