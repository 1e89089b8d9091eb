"""Mail as strangers send it: what a reader sees of each, as mail programs show it."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import Final

from tests.strangers import markup

_HEAD: Final = b"From: Eve <eve@example.net>\r\nTo: me@example.com\r\nMessage-ID: <s@example.net>\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class StrangeMail:
    """A mail, and what must be read of it. ``says`` are words that must be in ``omitted``."""

    name: str
    raw: bytes
    text: str = ""
    subject: str = ""
    alternatives: tuple[str, ...] = ()
    attached: tuple[tuple[str, str], ...] = ()
    """The name and the text of each attachment."""
    says: str = ""
    links: tuple[str, ...] = ()
    reply_to: str = ""


def _simple(name: str, kind: str, content: bytes, text: str, *, says: str = "") -> StrangeMail:
    """A mail of one part."""
    raw = _HEAD + b"MIME-Version: 1.0\r\nContent-Type: " + kind.encode("latin-1") + b"\r\n\r\n" + content
    return StrangeMail(name=name, raw=raw, text=text, says=says)


def _parts(kind: str, *parts: bytes) -> bytes:
    """A multipart mail, or a part that is one."""
    boundary = f"b{sum(map(len, parts))}x{len(parts)}".encode()
    body = b"".join(b"--%s\r\n%s\r\n" % (boundary, part) for part in parts)
    return b'Content-Type: multipart/%s; boundary="%s"\r\n\r\n%s--%s--\r\n' % (kind.encode(), boundary, body, boundary)


def _part(kind: str, content: bytes, *headers: str) -> bytes:
    head = "".join(f"{header}\r\n" for header in (f"Content-Type: {kind}", *headers))
    return head.encode("latin-1") + b"\r\n" + content


def _subject(name: str, header: bytes, subject: str) -> StrangeMail:
    return StrangeMail(name=name, raw=_HEAD + b"Subject: " + header + b"\r\n\r\nhi", subject=subject, text="hi")


_PLAIN: Final = _part("text/plain", b"The letter.")
_HTML: Final = _part("text/html", b"<p>The letter.</p>")
_INNER: Final = b"From: x@example.org\r\nSubject: Inner\r\nContent-Type: text/plain\r\n\r\nTransfer the money."
_STATUS: Final = b"Reporting-MTA: dns; example.org\r\n\r\nAction: failed\r\nStatus: 5.1.1"

CHARSETS: Final = (
    _simple(
        "a charset that always raises", "text/plain; charset=undefined", b"caf\xe9", "café", says="'undefined' is not"
    ),
    _simple("a codec that is no charset", "text/plain; charset=unicode_escape", rb"C:\new\u0041", r"C:\new\u0041"),
    _simple("a codec of bytes", "text/plain; charset=zlib", b"plain", "plain"),
    _simple("a charset with a space", 'text/plain; charset="utf 8"', "süß".encode(), "süß"),
    _simple("a charset that is empty", 'text/plain; charset=""', "süß".encode(), "süß"),
    _simple("a charset of a thousand letters", f"text/plain; charset={'x' * 1000}", b"hi", "hi"),
    _simple("a charset that is encoded", "text/plain; charset*=utf-8'en'iso-8859-1", b"\xe4", "ä"),
    _simple("a charset that is cut", 'text/plain; charset="utf-8', "ä".encode(), "ä"),
    _simple("two charsets", "text/plain; charset=utf-8; charset=koi8-r", "ä".encode(), "ä"),
    _simple(
        "no charset and old letters", "text/plain", b"Gr\xfc\xdfe \x93ab\x94", "Grüße “ab”", says="charset is not given"
    ),
    _simple("latin-1 that is Windows", "text/plain; charset=iso-8859-1", b"10 \x80", "10 €"),
    _simple("latin-1 that is UTF-8", "text/plain; charset=iso-8859-1", "ä€".encode(), "ä€"),
    _simple("ascii that is UTF-8", "text/plain; charset=us-ascii", "日本".encode(), "日本"),
    _simple("Japanese in 7 bits", "text/plain; charset=iso-2022-jp", "日本語".encode("iso2022_jp"), "日本語"),
    _simple("Japanese with signs of Windows", "text/plain; charset=ISO-2022-JP", b"\x1b$B-jEDCf\x1b(B", "㈱田中"),
    _simple(
        "Japanese in 7 bits that is cut",
        "text/plain; charset=iso-2022-jp",
        b"\x1b$BF|K\\\x1b(B ok \x1b$B8",
        "日本 ok \ufffd",
        says="could not be read",
    ),
    _simple("Thai by the name of Windows", "text/plain; charset=windows-874", "สวัสดี €".encode("cp874"), "สวัสดี €"),
    _simple("Chinese beyond Big5", "text/plain; charset=cn-big5", "中文 碁 €".encode("cp950"), "中文 碁 €"),
    _simple(
        "a charset that is not known",
        "text/plain; charset=iso-2022-cn",
        b"\xe9",
        "é",
        says="charset 'iso-2022-cn' is not known",
    ),
    _simple("Chinese by its old name", "text/plain; charset=gb2312", "联通镕".encode("gbk"), "联通镕"),
    _simple("Korean by its number", "text/plain; charset=ks_c_5601-1987", "똠방".encode("cp949"), "똠방"),
    _simple("Russian", "text/plain; charset=koi8-r", "привет".encode("koi8-r"), "привет"),
    _simple("UTF-16 in name alone", "text/plain; charset=utf-16", b"even", "even"),
    _simple("a byte order mark", "text/plain; charset=utf-8", b"\xef\xbb\xbfhi", "hi"),
    _simple(
        "one byte that is no UTF-8",
        "text/plain; charset=utf-8",
        "süß".encode() + b"\xff!",
        "süß\ufffd!",
        says="could not be read",
    ),
    _simple("a character that cannot be stored", "text/plain", b"a\x00b", "a\ufffdb", says="could not be read"),
    _simple("lines of three systems", "text/plain", b"a\r\nb\rc\nd", "a\nb\nc\nd"),
)
"""Declarations of charsets, and the bytes below them."""

SUBJECTS: Final = (
    _subject("base64", b"=?utf-8?B?" + b64encode("Grüße".encode()) + b"?=", "Grüße"),
    _subject("a letter cut in two", b"=?utf-8?q?=C3?= =?utf-8?q?=A4?=", "ä"),
    _subject("folded", b"=?iso-8859-1?Q?Gr=FC=DFe?=\r\n =?iso-8859-1?Q?_dich?=", "Grüße dich"),
    _subject("signs of Windows", b"=?iso-2022-jp?B?" + b64encode(b"\x1b$B-j-!\x1b(B") + b"?=", "㈱①"),
    _subject("a language", b"=?utf-8*de?q?gr=C3=BCn?=", "grün"),
    _subject("a word in a charset that always raises", b"=?undefined?q?a?= b", "=?undefined?q?a?= b"),
    _subject("base64 that is none", b"=?utf-8?b?#?= b", "=?utf-8?b?#?= b"),
    _subject("base64 without its end", b"=?utf-8?b?w6Q?=", "ä"),
    _subject("an encoded line break", b"=?utf-8?q?a=0D=0ABcc=3A_x?=", "a Bcc: x"),
    _subject("raw UTF-8", "Grüße".encode(), "Grüße"),
    _subject("a word that begins and does not end", b"Re: =?utf-8?b?", "Re: =?utf-8?b?"),
    _subject("words between others", b"a =?utf-8?q?=C3=A4?= b =?utf-8?q?=C3=B6?=", "a ä b ö"),
)
"""Subjects as they stand in headers."""

SHAPES: Final = (
    StrangeMail(
        name="a mail attached to HTML",
        raw=_HEAD + _parts("mixed", _HTML, _part("message/rfc822", _INNER)),
        text="The letter.",
        attached=(("Inner", "Transfer the money."),),
    ),
    StrangeMail(
        name="a mail attached as a file",
        raw=_HEAD
        + _parts("mixed", _HTML, _part("message/rfc822", _INNER, "Content-Disposition: attachment; filename=a.eml")),
        text="The letter.",
        attached=(("a.eml", "Transfer the money."),),
    ),
    StrangeMail(
        name="nothing but an attached mail",
        raw=_HEAD + _part("message/rfc822", _INNER),
        attached=(("Inner", "Transfer the money."),),
    ),
    StrangeMail(
        name="texts around a picture",
        raw=_HEAD + _parts("mixed", _part("text/plain", b"Before"), _part("image/png", b"PNG"), _PLAIN),
        text="Before\n\nThe letter.",
        attached=(("", ""),),
    ),
    StrangeMail(
        name="control characters in the types of attachments",
        raw=_HEAD
        + _parts(
            "mixed",
            _PLAIN,
            _part("image/x\0y", b"PNG", "Content-Disposition: attachment; filename=a\x07.png"),
            _part("audio/\x1b[2Jz", b"RIFF", "Content-Disposition: attachment; filename=b.wav"),
        ),
        text="The letter.",
        attached=(("a\ufffd.png", ""), ("b.wav", "")),
    ),
    StrangeMail(
        name="a note below the letter by the list",
        raw=_HEAD + _parts("mixed", _parts("alternative", _PLAIN, _HTML), _part("text/plain", b"-- \r\nlist")),
        text="The letter.\n\n-- \nlist",
    ),
    StrangeMail(
        name="a plain version that says something else",
        raw=_HEAD + _parts("alternative", _part("text/plain", b"Use a modern program."), _HTML),
        text="Use a modern program.",
        alternatives=("The letter.",),
    ),
    StrangeMail(
        name="a plain version that is empty",
        raw=_HEAD + _parts("alternative", _part("text/plain", b"  \r\n"), _HTML),
        text="The letter.",
    ),
    StrangeMail(
        name="HTML before its plain version",
        raw=_HEAD + _parts("alternative", _HTML, _PLAIN),
        text="The letter.",
    ),
    StrangeMail(
        name="an invitation beside the letter",
        raw=_HEAD + _parts("alternative", _PLAIN, _part("text/calendar", b"BEGIN:VCALENDAR")),
        text="The letter.",
        attached=(("", "BEGIN:VCALENDAR"),),
    ),
    StrangeMail(
        name="a picture in the HTML",
        raw=_HEAD + _parts("related", _HTML, _part("image/png", b"PNG", "Content-ID: <1>")),
        text="The letter.",
        attached=(("", ""),),
    ),
    StrangeMail(
        name="a text that is attached",
        raw=_HEAD + _parts("mixed", _part("text/plain", b"notes", "Content-Disposition: attachment"), _PLAIN),
        text="The letter.",
        attached=(("", "notes"),),
    ),
    StrangeMail(
        name="a refusal of a mail server",
        raw=_HEAD + _parts("report; report-type=delivery-status", _PLAIN, _part("text/rfc822-headers", b"Subject: x")),
        text="The letter.\n\nSubject: x",
    ),
    StrangeMail(
        name="what became of a mail",
        raw=_HEAD + _parts("report; report-type=delivery-status", _PLAIN, _part("message/delivery-status", _STATUS)),
        text="The letter.\n\nReporting-MTA: dns; example.org\n\nAction: failed\nStatus: 5.1.1",
    ),
    StrangeMail(
        name="what became of a mail, attached",
        raw=_HEAD
        + _parts("mixed", _PLAIN, _part("message/delivery-status", _STATUS, "Content-Disposition: attachment")),
        text="The letter.",
        attached=(("", "Reporting-MTA: dns; example.org\n\nAction: failed\nStatus: 5.1.1"),),
    ),
    StrangeMail(
        name="a letter that is not there",
        raw=_HEAD + _parts('related; start="<gone>"', _HTML, _part("image/png", b"PNG")),
        text="The letter.",
        attached=(("", ""),),
    ),
    StrangeMail(
        name="pictures before their letter",
        raw=_HEAD
        + _parts(
            'related; start="<letter>"',
            _part("image/png", b"PNG", "Content-ID: <1>"),
            _part("text/html", b"<p>The letter.</p>", "Content-ID: <letter>"),
        ),
        text="The letter.",
        attached=(("", ""),),
    ),
    StrangeMail(
        name="a text that is repeated",
        raw=_HEAD + _parts("mixed", _PLAIN, _part("text/plain", b"Another."), _HTML),
        text="The letter.\n\nAnother.",
        says="a part with the same text",
    ),
    StrangeMail(
        name="an answer for others",
        raw=b"Reply-To: =?utf-8?q?J=C3=B6?= <jo@example.org>\r\nREPLY-TO: list@example.org\r\n" + _HEAD + b"\r\nhi",
        text="hi",
        reply_to="Jö <jo@example.org>, list@example.org",
    ),
    StrangeMail(
        name="a digest",
        raw=_HEAD + _parts("digest", _part("message/rfc822", _INNER), _part("message/rfc822", _INNER)),
        attached=(("Inner", "Transfer the money."),) * 2,
    ),
    StrangeMail(name="a multipart without parts", raw=_HEAD + b"Content-Type: multipart/mixed\r\n\r\nThe letter."),
    StrangeMail(
        name="mail in mail, forty deep",
        raw=_HEAD + b"Content-Type: message/rfc822\r\n\r\n" * 40 + _INNER,
        attached=(("", ""),) * 31,
        says="too deep",
    ),
    StrangeMail(
        name="the name of a file in an encoded word",
        raw=_HEAD
        + _parts("mixed", _PLAIN, _part("x/y", b"z", 'Content-Disposition: x; filename="=?utf-8?q?=C3=A4?="')),
        text="The letter.",
        attached=(("ä", ""),),
    ),
    StrangeMail(
        name="two subjects and senders",
        raw=_HEAD + b"From: boss@example.com\r\nSubject: one\r\nSubject: two\r\n\r\nhi",
        subject="one",
        text="hi",
        says="another header Subject",
    ),
)
"""Trees of parts."""

MARKUP: Final = tuple(
    StrangeMail(name=f"markup {html!r:.60}", raw=_HEAD + _part("text/html; charset=utf-8", html.encode()), text=text)
    for html, text in (
        ("<![foo]>hi", "hi"),
        ("<!--[if mso]>x<![endif]--><!--[if !mso]><!-->hi<!--<![endif]-->", "hi"),
        ("<head><title>t</title><p>hi", "hi"),
        ("<title>t<body>hi", "hi"),
        ("<style>p{}</style ><p>hi</p>", "hi"),
        ("<script>if (a<b) x()</script>hi", "hi"),
        ("<td>1</td><td>2</td>", "1 | 2"),
        ('<img alt="a > b"> <a title="</p>">c</a>', "a > b c"),
        ("1 < 2 &amp;&amp; 3 > 2 &nosuch; &#x41;", "1 < 2 && 3 > 2 &nosuch; A"),
        ("a<b", "a<b"),
        ("<p>a<br>b</p>c", "a\nb\n\nc"),
        ("&#0;&#xD800;&#x110000;x", "\ufffd\ufffd\ufffdx"),
        ("<>hi</>", "<>hi"),
        ("hi<!-- never closed", "hi"),
        ('<p title="a>b" class=5">hi</p> "x"', 'hi\n\n"x"'),
        ('<p title="never closed>a <b>b</b>', "a b"),
        ("<p x='\"'>a</p ><p x=\"'\">b", "a\n\nb"),
        ("<title>t</title bad>hi", "hi"),
        ("<!doctype html><p>hi</p", "hi</p"),
        ("a <b", "a <b"),
        (f"hi &#{'3' * 6_000}; &#{'0' * 6_000}65;", "hi \ufffd A"),
        *(row[1:] for row in (*markup.LINES, *markup.SIGNS)),
        *((seen, "Open.") for seen in markup.SEEN),
        ("<p>hi <a>there</a> <a href='#top'>up</a> <a href=mailto:a@b.c>a@b.c</a>", "hi there up a@b.c"),
    )
)
"""HTML as programs and people write it."""

HIDDEN: Final = tuple(
    StrangeMail(
        name=f"hidden {html!r:.60}",
        raw=_HEAD + _part("text/html", html.encode()),
        text="hi",
        says=f"{length} characters of a text of type text/html that are hidden",
    )
    for html, length in (
        *((f"{unseen}<p>hi", 7) for unseen in markup.UNSEEN),
        ("<p hidden>pay<p>hi", 3),
        ("<div style='color:red; DISPLAY : none !important'>a<div>b</div>c</div>hi", 5),
        ('<span style="display:&#110;one">x</span>hi', 1),
        ("<table><td style='opacity:0'>a<table><td>b</td></table></td></table>hi", 3),
        ("hi<div style=visibility:hidden>never closed", 12),
        ("<img hidden alt=pay>hi", 3),
        ("<br hidden>hi<p hidden>a<br>b</p>", 3),
    )
)
"""Text that no person sees."""

LINKS: Final = tuple(
    StrangeMail(name=f"links {html!r:.60}", raw=_HEAD + _part("text/html", html.encode()), text=text, links=links)
    for html, text, links in (
        (
            "<a href='https://e.example/?a=1&amp;b=2'>Pay <b>here</b></a>",
            "Pay here",
            ("Pay here <https://e.example/?a=1&b=2>",),
        ),
        (
            "<a href=https://e.example>https://bank.example</a>",
            "https://bank.example",
            ("https://bank.example <https://e.example>",),
        ),
        ("<A HREF=https://e.example>https://e.example</A>", "https://e.example", ()),
        (
            "<a href=https://a.example>a<a href=https://b.example>b",
            "ab",
            ("a <https://a.example>", "b <https://b.example>"),
        ),
        ("<a href=https://a.example><img src=x></a>x", "x", ("<https://a.example>",)),
        ("<a title='href=x' href=y href=z>a</a>", "a", ("a <y>",)),
    )
)
"""Links, whose text says something else than where they lead."""

MAILS: Final = (*CHARSETS, *SUBJECTS, *SHAPES, *MARKUP, *HIDDEN, *LINKS)
