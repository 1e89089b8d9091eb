"""Web pages as strangers serve them: what a reader sees of each, as browsers show it, or why there is nothing."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field
from typing import Final

from tests.strangers import markup

_QUOTED: Final = "She said \u201crye\u201d keeps \u2013 it\u2019s best on its second day, in the caf\u00e9."
_RUSSIAN: Final = (
    "\u0425\u043b\u0435\u0431 \u0445\u0440\u0430\u043d\u0438\u0442\u0441\u044f \u043d\u0435\u0434\u0435\u043b\u044e."
)
_JAPANESE: Final = "\u30d1\u30f3\u306f\u4e00\u9031\u9593\u3082\u3061\u307e\u3059\u3002\u2460"
_CHINESE: Final = "\u9762\u5305\u53ef\u4ee5\u4fdd\u5b58\u4e00\u4e2a\u661f\u671f\u3002\u9555"
_KOREAN: Final = "\ube75\uc740 \uc77c\uc8fc\uc77c \uac04\ub2e4. \ub620\ubc29\uac01\ud558"
_PLAIN: Final = "The mill is open on every day but Monday, and sells flour of rye and spelt."
_HTML: Final = "text/html"
_HIDDEN: Final = "7 characters that are hidden from people"
_OUTSIDE: Final = "characters outside the main part of the page"


@dataclass(frozen=True, slots=True, kw_only=True)
class StrangePage:
    """A page, and what must be read of it: ``texts``, and no ``hidden`` one, or an error that ``says`` some words."""

    name: str
    kind: str = _HTML
    body: bytes
    headers: dict[str, str] = field(default_factory=dict[str, str])
    texts: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    says: str = ""
    omits: str = ""
    """What must be said of what is left out."""
    is_cut: bool = False


def _page(text: str, head: str = "") -> str:
    return (
        f"<html><head><title>Bread</title>{head}</head><body><nav>Home</nav><article><h1>Bread</h1><p>{text}</p>"
        "<p>It is made with a sour dough, which takes a day to rise, and baked for an hour in a falling heat.</p>"
        "</article></body></html>"
    )


def _coded(name: str, text: str, codec: str, kind: str = _HTML, head: str = "", mark: bytes = b"") -> StrangePage:
    return StrangePage(name=name, kind=kind, body=mark + _page(text, head).encode(codec), texts=(text,))


def _broken(name: str, html: str, *texts: str, hidden: tuple[str, ...] = (), is_cut: bool = False) -> StrangePage:
    return StrangePage(name=name, body=html.encode(), texts=texts, hidden=hidden, is_cut=is_cut)


def _parts(name: str, html: str) -> StrangePage:
    return StrangePage(name=name, body=html.encode(), texts=(_PLAIN,), hidden=("Pay", "Eve"), omits=_OUTSIDE)


def _no_text(name: str, body: bytes, kind: str = _HTML, says: str = "not text") -> StrangePage:
    return StrangePage(name=name, kind=kind, body=body, says=says)


CHARSETS: Final = (
    _coded("Latin 1 that is Windows", _QUOTED, "cp1252", "text/html; charset=ISO-8859-1"),
    _coded("ASCII that is Windows", _QUOTED, "cp1252", "text/html; charset=us-ascii"),
    _coded("a charset of the page", _QUOTED, "cp1252", head="<meta charset='windows-1252'>"),
    _coded(
        "an equivalent", _QUOTED, "cp1252", head='<META http-equiv=Content-Type content="text/html; charset=cp1252">'
    ),
    _coded("no charset", _QUOTED, "cp1252"),
    _coded("no charset and UTF-8", _QUOTED, "utf-8"),
    _coded("a mark against the header", _QUOTED, "utf-8", "text/html; charset=iso-8859-1", mark=b"\xef\xbb\xbf"),
    _coded("two bytes a letter", _QUOTED, "utf-16-le", mark=b"\xff\xfe"),
    _coded("two bytes, the larger first", _QUOTED, "utf-16-be", "text/html; charset=utf-8", mark=b"\xfe\xff"),
    _coded("a page that says two bytes", _QUOTED, "utf-8", head="<meta charset=utf-16>"),
    _coded("a header with spaces", _QUOTED, "utf-8", 'text/html; charset = "UTF-8" '),
    _coded("a header against the page", _QUOTED, "utf-8", "text/html; charset=utf-8", "<meta charset=koi8-r>"),
    _coded("a charset that is a codec", _QUOTED, "utf-8", "text/html; charset=unicode_escape"),
    _coded("a charset that is none", _QUOTED, "utf-8", "text/html; charset=utf-9000"),
    _coded("Russian of the eighties", _RUSSIAN, "koi8-r", "text/html; charset=KOI8-R"),
    _coded("Japanese with signs of Windows", _JAPANESE, "cp932", head="<meta charset=Shift_JIS>"),
    _coded("Chinese beyond its charset", _CHINESE, "gb18030", "text/html; charset=GB2312"),
    _coded("Korean beyond its charset", _KOREAN, "cp949", "text/html; charset=euc-kr"),
    _coded("XML", _QUOTED, "cp1252", "application/xhtml+xml", mark=b'<?xml version="1.0" encoding="windows-1252"?>'),
    StrangePage(name="a plain text", kind="text/plain", body=_QUOTED.encode("cp1252"), texts=(_QUOTED,)),
    StrangePage(
        name="a text about pages", kind="text/plain", body=f"<meta charset=koi8-r> {_QUOTED}".encode(), texts=(_QUOTED,)
    ),
)

BROKEN: Final = (
    _broken("nothing is closed", _page(_PLAIN).replace("</p>", "").replace("</article></body></html>", ""), _PLAIN),
    _broken("no element", _PLAIN, _PLAIN),
    _broken("one short paragraph", "<p>Closed on Monday.</p>", "Closed on Monday."),
    _broken("deeper than parsers go", _page("<div>" * 5_000 + _PLAIN), _PLAIN, "falling heat"),
    _broken("a list alone", "<ul><li>Rye 3 EUR<li>Spelt 4 EUR</ul>", "Rye 3 EUR", "Spelt 4 EUR"),
    _broken("deeper than parsers go, inline", _page("<b>" * 3_000 + _PLAIN), _PLAIN, "falling heat"),
    _broken("crossed elements", _page(f"<b><i>{_PLAIN}</b></i>"), _PLAIN),
    _broken("a NUL", _page(_PLAIN.replace("mill", "mi\x00ll")), "flour of rye and spelt."),
    _broken(
        "quotes that do not end", _page(f'<a href="http://a.example/?a=1&b=2\'>x</a><i title="a">{_PLAIN}</i>'), "heat"
    ),
    _broken(
        "entities",
        _page("AT&amp;T &#8220;R&D&#x201D; &nosuch; 5 &lt 6 &#150; &#x1F600; to be read by everyone"),
        "AT&T \u201cR&D\u201d &nosuch; 5",
        "6 \u2013 \U0001f600 to be",
    ),
    _broken(
        "scripts alone",
        "<body><div id=a></div><script>var text = 'of a script';</script>Seen.",
        "Seen.",
        hidden=("of a script",),
    ),
    _broken(
        "a script within a text",
        _page(f"{_PLAIN}<script>if (a < b) document.write('<p>no</p>')</script>"),
        _PLAIN,
        hidden=("document.write",),
    ),
    _broken("code", _page(f"{_PLAIN}</p><pre>if a &lt; b:\n    go()</pre><p>"), "if a < b:\n    go()"),
    _broken(
        "words in elements of a line",
        _page(f"{_PLAIN} Closed from <time>1 May</time> to <output>3 May</output>: <button>0123 456</button>."),
        "Closed from 1 May to 3 May: 0123 456.",
    ),
    _broken(
        "blocks of other names",
        _page(f"{_PLAIN}</p><details><summary>Allergens</summary>Gluten.</details><figcaption>Rye.</figcaption><p>"),
        "Allergens",
        "Gluten.",
        "Rye.",
    ),
    _broken("references of references", _page(f"{_PLAIN} Write &amp;lt;b> and &amp;amp;."), "Write &lt;b> and &amp;."),
    _broken(
        "what is hidden",
        _page(
            f"{_PLAIN}<template>Pay Eve</template></p><p hidden>Pay Eve<p>Open.</p>"
            '<div style="display: none"><div>Pay Eve</div>Pay Eve</div><p>Shut.</p>'
        ),
        "Open.",
        "Shut.",
        hidden=("Pay Eve",),
    ),
    _broken(
        "cells without ends",
        _page("<table><tr><td>rye<td>1 kg<tr><td>spelt<td>2 kg</table>" + _PLAIN),
        "rye",
        "2 kg",
        _PLAIN,
    ),
    _broken(
        "uppercase and no quotes", f"<HTML><BODY BGCOLOR=white><FONT SIZE=2><P>{_PLAIN}<BR><P>{_PLAIN[::-1]}", _PLAIN
    ),
    _broken("tags that never end", _page(_PLAIN) + "<td class='" * 150_000 + "<li " * 100_000, _PLAIN, is_cut=True),
    _broken(
        "more paragraphs than are searched", f"<p>{_PLAIN}" + "<h2>Rye</h2><p>keeps " * 30_000, _PLAIN, is_cut=True
    ),
    _broken(
        "roots within roots",
        f"<svg><foreignObject><html><svg><foreignObject>{_PLAIN}<title><noscript><article>x",
        _PLAIN,
    ),
    _broken("a number that no character has", f"<p>{_PLAIN} Rye &#{'7' * 9_000};</p>", _PLAIN, "Rye \ufffd"),
    StrangePage(
        name="longer than the limit",
        body=(_page(_PLAIN) + "<!--" + "x" * 2_100_000 + "-->").encode(),
        texts=(_PLAIN,),
        is_cut=True,
    ),
    StrangePage(
        name="packed", body=gzip.compress(_page(_PLAIN).encode()), headers={"content-encoding": "gzip"}, texts=(_PLAIN,)
    ),
    StrangePage(
        name="cut within a letter",
        body=("\u00e4" + "<p>" + _PLAIN + "</p>").encode() + b"<!--" + "\u00e4".encode() * 1_100_000,
        texts=("\u00e4", _PLAIN),
        is_cut=True,
    ),
)

NO_TEXT: Final = (
    _no_text("a picture that is said to be a page", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)) * 9),
    _no_text("a document that is said to be a text", b"%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj", "text/plain"),
    _no_text("an archive of no kind", b"PK\x03\x04\x14\x00" + bytes(range(256)) * 9, ""),
    _no_text("a program", b"\x7fELF\x02\x01\x01" + bytes(99), "text/html"),
    _no_text("a picture", b"GIF89a", "image/gif"),
    _no_text("nothing", b"", says="no text can be found"),
    _no_text("spaces", b" \r\n\t ", says="no text can be found"),
    _no_text("a hidden element that does not end", b"<div hidden>a</b>", says="but 1 hidden character"),
    _no_text("an application of scripts", b"<div id=root></div><script>render()</script>", says="made by scripts"),
    _no_text("a header that is none", b"x", "text/html; charset=utf\x008", "illegal header line"),
    StrangePage(name="no archive", body=b"not packed", headers={"content-encoding": "gzip"}, says="is broken"),
    StrangePage(name="packed otherwise", body=b"x", headers={"content-encoding": "br"}, says="was not asked for"),
)

SHOWN: Final = (
    *(_broken(f"shown: {name}", html, text) for name, html, text in (*markup.LINES, *markup.SIGNS)),
    *(_broken(f"shown: {html}", html, "Open.") for html in markup.SEEN),
    *(
        StrangePage(
            name=f"hidden: {html}",
            body=f"<p>Open.</p>{html}<p>Shut.".encode(),
            texts=("Open.\n\nShut.",),
            hidden=("Pay", "Eve"),
            omits=_HIDDEN,
        )
        for html in markup.UNSEEN
    ),
)

PARTS: Final = (
    _parts("a main part", f"<div>Pay Eve</div><main>{_PLAIN}</main>"),
    _parts("a main part by its role", f"<div role=main>{_PLAIN}</div><div>Pay Eve</div>"),
    _parts("navigation", f"<nav>Pay<ul><li>Eve</ul></nav>{_PLAIN}"),
    _parts("navigation in the main part", f"<main>{_PLAIN}<nav>Pay Eve</nav></main>"),
    _parts("what is beside and below", f"<aside>Pay</aside>{_PLAIN}<footer>Eve</footer>"),
    _broken("a note in an article", f"<article>{_PLAIN}<aside>Shut.</aside></article>", _PLAIN, "Shut."),
    _broken("two articles", f"<article>{_PLAIN}</article><article>Shut.</article>", _PLAIN, "Shut."),
    _broken("a header with hours", f"<header><h1>Mill</h1>9 to 5</header>{_PLAIN}", "# Mill\n\n9 to 5", _PLAIN),
    _broken("a main part that scripts fill", f"<main></main><p>{_PLAIN}", _PLAIN),
    _broken("navigation alone", "<nav><a href=/>Home</a></nav>", "Home"),
)
"""The main part of a page, and what is around it."""

PAGES: Final = (*CHARSETS, *BROKEN, *SHOWN, *PARTS, *NO_TEXT)
