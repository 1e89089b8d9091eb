"""Uploaded files, made safe to show."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

import pytest
from PIL import Image

from apps.cms.tests.images.files import open_picture, picture_file
from remit.errors import InvalidArgumentsError
from remit_cms.images import pictures
from remit_cms.images.pictures import make_rendition, read_picture, widths_of


def exif(orientation: int) -> Image.Exif:
    """Metadata that turns the picture, and says where it was taken."""
    data = Image.Exif()
    data[0x0112] = orientation
    data[0x010F] = "SecretCamera"
    return data


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "AVIF", "GIF"])
def test_a_picture_of_every_usual_format_is_read(kind: str) -> None:
    picture = read_picture(picture_file(kind))
    assert (picture.width, picture.height) == (8, 4)
    assert open_picture(picture.content).size == (8, 4)
    assert picture.media_type == ("image/png" if kind in ("PNG", "GIF") else "image/jpeg")


def test_a_picture_stands_upright_and_its_metadata_is_gone() -> None:
    picture = read_picture(picture_file("JPEG", exif=exif(6), comment=b"SecretComment"))
    assert (picture.width, picture.height) == (4, 8)
    assert b"Secret" not in picture.content
    assert not open_picture(picture.content).getexif()
    assert b"Secret" not in make_rendition(picture.content, 4, "webp")


def test_transparency_is_kept() -> None:
    picture = read_picture(picture_file("WEBP", mode="RGBA", colour=(255, 0, 0, 0)))
    assert open_picture(picture.content).getchannel("A").getextrema() == (0, 0)
    assert open_picture(make_rendition(picture.content, 8, "avif")).getchannel("A").getextrema() == (0, 0)


def test_a_print_colour_picture_is_shown_in_screen_colours() -> None:
    assert open_picture(read_picture(picture_file("JPEG", mode="CMYK", colour=(0, 0, 0, 0))).content).mode == "RGB"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no picture",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"\x89PNG\r\n\x1a\n",
        b"GIF89a...",
        picture_file("BMP"),
        picture_file("TIFF"),
        picture_file("PNG", (64, 64))[:70],
    ],
)
def test_a_file_that_is_no_picture_of_the_web_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidArgumentsError, match="holds no picture that can be read; give a PNG, JPEG"):
        read_picture(content)


def test_a_damaged_avif_is_refused() -> None:
    content = bytearray(picture_file("AVIF", (64, 64)))
    content[content.index(b"av01", content.index(b"infe"))] ^= 1  # the type of the item
    with pytest.raises(InvalidArgumentsError, match="holds no picture that can be read"):
        read_picture(bytes(content))


def test_a_small_file_that_unpacks_to_a_huge_picture_is_refused_before_it_is_unpacked() -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    def bomb(width: int, height: int) -> bytes:
        header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100))

    for width, height in ((9_000, 9_000), (12_001, 1), (10_000, 9_900), (60_000, 60_000)):
        with pytest.raises(InvalidArgumentsError, match=r"(million|at most 50,000,000) pixels"):
            read_picture(bomb(width, height))


def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MAX_BYTES", 10)
    with pytest.raises(InvalidArgumentsError, match="a picture may have 10"):
        read_picture(picture_file())


def test_a_large_picture_is_stored_as_large_as_a_site_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "STORED_SIDE", 100)
    picture = read_picture(picture_file("JPEG", (400, 200)))
    assert (picture.width, picture.height) == (100, 50)


def test_renditions_are_never_larger_than_the_picture() -> None:
    assert [widths_of(width) for width in (1, 319, 320, 1000, 5000)] == [
        [1],
        [319],
        [320],
        [320, 640, 960],
        [320, 640, 960, 1280, 1920, 2560],
    ]


@pytest.mark.parametrize("kind", ["webp", "avif"])
def test_a_rendition_has_its_width_and_format(kind: str) -> None:
    made = open_picture(make_rendition(read_picture(picture_file("PNG", (640, 300))).content, 320, kind))
    assert (made.size, made.format) == ((320, 150), kind.upper())


def scans_of(count: int, size: tuple[int, int] = (16, 16)) -> bytes:
    """A progressive JPEG whose last scan is repeated until it has so many."""
    content = picture_file("JPEG", size, mode="L", colour=128, progressive=True)
    first, *scans = content.removesuffix(b"\xff\xd9").split(b"\xff\xda")
    return b"\xff\xda".join([first, *scans, *scans[-1:] * (count - len(scans))]) + b"\xff\xd9"


def test_a_jpeg_of_many_scans_is_refused_before_it_is_unpacked() -> None:
    assert read_picture(scans_of(32)).width == 16
    for count, said in ((33, "33"), (5000, "5,000")):
        with pytest.raises(InvalidArgumentsError, match=rf"has {said} scans; it may have 32\. Save the picture anew"):
            read_picture(scans_of(count))


def test_bytes_in_metadata_and_after_the_end_of_a_jpeg_are_no_scans() -> None:
    content = picture_file("JPEG", comment=b"\xff\xda" * 100)
    assert read_picture(content + b"\xff\xda\x00\x02" * 100).width == 8


@pytest.mark.parametrize("transparent", [None, 0])
def test_a_gray_picture_of_16_bits_keeps_its_shades(transparent: int | None) -> None:
    image = Image.frombytes("I;16", (256, 1), b"".join(struct.pack("<H", shade * 257) for shade in range(256)))
    file = BytesIO()
    image.save(file, "PNG", **({} if transparent is None else {"transparency": transparent}))
    shown = open_picture(read_picture(file.getvalue()).content)
    assert [shown.convert("L").getpixel((shade, 0)) for shade in range(256)] == [*range(256)]
    assert (shown.mode == "RGBA") is (transparent is not None)
