"""Texts as people write them, in which no letter may become another one."""

from __future__ import annotations

from typing import Final

STRANGE_TEXTS: Final = (
    "(a) Rent. (b) Notice. (c) Deposit. (r) Repairs. (tm) (p)",
    "Really????? Yes!!!!",
    "Size +-2 mm",
    'He said "no" and left; it\'s 5\'10".',
    "1990-2000, a--b, c---d, and so on...",
    "=?utf-8?b?SGk=?= is a subject",
    "{{ name }} {% if x %} ${HOME} {#id} %s %(a)s {0}",
    "C:\\Users and a & b < c > d",
    "Grüße 😀 日本語 עברית \u0627\u0644",
    "e\u0301 is not \u00e9",
    "a\u00a0b and a\u200db",
    "AT&T's R&D; &nosuch;",
    "100 % (of 5), 3/4, 1e5, 007, +49 30 1234",
    "http://example.com/?a=1&b=2",
)
"""Plain texts: what a reader sees of each is what was written."""
