"""The charsets that strangers declare: all labels of the WHATWG's Encoding Standard, and text as programs write it."""

from __future__ import annotations

from typing import Final

_TABLE: Final = {
    "utf-8": (
        "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
        b"Gr\xc3\xbc\xc3\x9fe, \xe6\x97\xa5\xe6\x9c\xac",
        "Grüße, 日本",
    ),
    "ibm866": (
        "866 cp866 csibm866 ibm866",
        b"\x8f\xe0\xa8\xa2\xa5\xe2",
        "Привет",
    ),
    "iso-8859-2": (
        "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
        b"\xaelu\xbbou\xe8k\xfd",
        "Žluťoučký",
    ),
    "iso-8859-3": (
        "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
        b"\xc6iu\xbca\xfdde",
        "Ĉiuĵaŭde",
    ),
    "iso-8859-4": (
        "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
        b"\xa9e\xb9t\xb1 \xf3",
        "Šeštą ķ",
    ),
    "iso-8859-5": (
        "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
        b"\xbf\xe0\xd8\xd2\xd5\xe2",
        "Привет",
    ),
    "iso-8859-6": (
        (
            "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
            "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"
        ),
        b"\xe5\xd1\xcd\xc8\xc7",
        "مرحبا",
    ),
    "iso-8859-7": (
        (
            "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 "
            "iso_8859-7:1987 sun_eu_greek"
        ),
        b"\xca\xe1\xeb\xe7\xec\xdd\xf1\xe1",
        "Καλημέρα",
    ),
    "iso-8859-8": (
        (
            "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 "
            "iso_8859-8:1988 visual"
        ),
        b"\xf9\xec\xe5\xed",
        "שלום",
    ),
    "iso-8859-8-i": (
        "csiso88598i iso-8859-8-i logical",
        b"\xf9\xec\xe5\xed",
        "שלום",
    ),
    "iso-8859-10": (
        "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
        b"\xaba\xb9\xb9i \xff",
        "Ŧađđi ĸ",
    ),
    "iso-8859-13": (
        "iso-8859-13 iso8859-13 iso885913",
        b"\xc0\xfeuolas \xa5\xeb\xa1",
        "Ąžuolas „ė”",
    ),
    "iso-8859-14": (
        "iso-8859-14 iso8859-14 iso885914",
        b"\xa8\xba \xa2",
        "Ẁẃ ḃ",
    ),
    "iso-8859-15": (
        "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
        b"10 \xa4 \xbcuvre",
        "10 € Œuvre",
    ),
    "iso-8859-16": (
        "iso-8859-16",
        b"10 \xa4 \xaa\xfe",
        "10 € Șț",
    ),
    "koi8-r": (
        "cskoi8r koi koi8 koi8-r koi8_r",
        b"\xd0\xd2\xc9\xd7\xc5\xd4",
        "привет",
    ),
    "koi8-u": (
        "koi8-ru koi8-u",
        b"\xb7\xd6\xc1\xcb \xad",
        "Їжак ґ",
    ),
    "macintosh": (
        "csmacintosh mac macintosh x-mac-roman",
        b"Gr\x9f\xa7e \xd2ab\xd3",
        "Grüße “ab”",
    ),
    "windows-874": (
        "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
        b"\xca\xc7\xd1\xca\xb4\xd5 \x80 \x93ab\x94",
        "สวัสดี € “ab”",
    ),
    "windows-1250": (
        "cp1250 windows-1250 x-cp1250",
        b"\x8elu\x9dou\xe8k\xfd \x80",
        "Žluťoučký €",
    ),
    "windows-1251": (
        "cp1251 windows-1251 x-cp1251",
        b"\xcf\xf0\xe8\xe2\xe5\xf2 \x88",
        "Привет €",
    ),
    "windows-1252": (
        (
            "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 "
            "iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252"
        ),
        b"Gr\xfc\xdfe \x80",
        "Grüße €",
    ),
    "windows-1253": (
        "cp1253 windows-1253 x-cp1253",
        b"\xca\xe1\xeb\xe7\xec\xdd\xf1\xe1 \x80",
        "Καλημέρα €",
    ),
    "windows-1254": (
        (
            "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
            "windows-1254 x-cp1254"
        ),
        b"\xdeehir \x80",
        "Şehir €",
    ),
    "windows-1255": (
        "cp1255 windows-1255 x-cp1255",
        b"\xf9\xec\xe5\xed \x80",
        "שלום €",
    ),
    "windows-1256": (
        "cp1256 windows-1256 x-cp1256",
        b"\xe3\xd1\xcd\xc8\xc7 \x81 \x80",
        "مرحبا پ €",
    ),
    "windows-1257": (
        "cp1257 windows-1257 x-cp1257",
        b"\xc0\xfeuolas \x80",
        "Ąžuolas €",
    ),
    "windows-1258": (
        "cp1258 windows-1258 x-cp1258",
        b"\xd0\xfd\xf5ng \x80",
        "Đương €",
    ),
    "x-mac-cyrillic": (
        "x-mac-cyrillic x-mac-ukrainian",
        b"\x8f\xf0\xe8\xe2\xe5\xf2",
        "Привет",
    ),
    "gbk": (
        "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
        b"\xc1\xaa\xcd\xa8\xe9F \xa2\xe3",
        "联通镕 €",
    ),
    "gb18030": (
        "gb18030",
        b"\xc1\xaa\xcd\xa8 \x949\xfc6",
        "联通 😀",
    ),
    "big5": (
        "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
        b"\xa4\xa4\xa4\xe5 \xf9\xd6 \xa3\xe1",
        "中文 碁 €",
    ),
    "euc-jp": (
        "cseucpkdfmtjapanese euc-jp x-euc-jp",
        b"\xc6\xfc\xcb\xdc\xb8\xec\xad\xa1\xad\xea",
        "日本語①㈱",
    ),
    "iso-2022-jp": (
        "csiso2022jp iso-2022-jp",
        b"\x1b$BF|K\\8l-!-j\x1b(B",
        "日本語①㈱",
    ),
    "shift_jis": (
        "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
        b"\x93\xfa\x96{\x8c\xea\x87@\x87\x8a",
        "日本語①㈱",
    ),
    "euc-kr": (
        ("cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949"),
        b"\xbe\xc8\xb3\xe7 \x8cc\xb9\xe6",
        "안녕 똠방",
    ),
    "utf-16be": (
        "unicodefffe utf-16be",
        b"\x00h\x00i\x00 e\xe5g,",
        "hi 日本",
    ),
    "utf-16le": (
        "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
        b"h\x00i\x00 \x00\xe5e,g",
        "hi 日本",
    ),
}
"""For each charset its labels, and bytes in it with the text that they are."""

DECLARED: Final = tuple((label, content, text) for labels, content, text in _TABLE.values() for label in labels.split())
"""Each label, bytes below it, and their text."""

SPELLED: Final = (
    ("X-WINDOWS-949", "똠".encode("cp949"), "똠"),
    ("ibm850", "Grüße".encode("cp850"), "Grüße"),
    ("Windows1251", "Привет".encode("cp1251"), "Привет"),
    ("iso8859_15", b"\xa4", "€"),
    ("utf8mb4", "😀".encode(), "😀"),
    ("'utf-8'", "ä".encode(), "ä"),
    ("utf-8-sig", "ä".encode(), "ä"),
    ("cp50221", b"\x1b(I1\x1b(B!", "ｱ!"),
    ("iso-2022-jp", b"\x1b$(DJ!\x1b(B", "煨"),
    ("hz-gb-2312", b"~{VPND~}", "中文"),
    ("iso-2022-kr", b"\x1b$)C\x0e>H3g\x0f", "안녕"),
)
"""Labels as mail programs spell them, and charsets that mail alone has."""

NO_CHARSETS: Final = (
    *("undefined", "base64", "punycode", "x\x00y", "\ud800", "ü", "idna", "", "x" * 100, "../utf_8", "zip", "rot13"),
    *("unicode_escape", "raw_unicode_escape", "mbcs", "oem", "8bit", "unknown-8bit", "utf-9000", "iso-8859-99"),
    *("replacement", "x-user-defined", "iso-2022-cn"),
)
"""What is no charset of text, although Python has codecs with some of these names."""

BROKEN: Final = (
    ("iso-2022-jp", b"\x1b$BF|K\\}}}}8l\x1b(B", "日本\ufffd\ufffd語"),
    ("iso-2022-jp", b"\x1b$BF", "\ufffd"),
    ("iso-2022-jp", b"plain \x1b", "plain \ufffd"),
    ("euc-jp", b"\xc6\xfc\xfe\xfe", "日\ufffd\ufffd"),
    ("hz-gb-2312", b"~{VPz~}", "中\ufffd"),
    ("utf-7", b"1+!2", "1\ufffd2"),
    ("utf-7", b"a+2AA-b", "a\ufffdb"),
)
"""Bytes that are not in their charset: what is read of them, with U+FFFD for what cannot be."""
