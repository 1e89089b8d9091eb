"""Reads files that people upload as pictures, and makes smaller copies. All of it is slow: call it in a thread."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, Final

from remit.errors import InvalidArgumentsError

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_BYTES: Final = 25 << 20
MAX_PIXELS: Final = 50_000_000
MAX_SIDE: Final = 12_000
"""Width and height that a file may have. A picture unpacks to four bytes a pixel, whatever the size of its file."""
MAX_SCANS: Final = 32
"""Passes over its pixels that a JPEG may take. Usual files take 1 or 10; an empty one of 98 bytes costs 0.1 s."""
STORED_SIDE: Final = 3840
"""What is stored of a larger picture: a wide screen at twice its density shows no more."""

WIDTHS: Final = (320, 640, 960, 1280, 1920, 2560)
"""The widths of renditions, up to that of the picture. There are no others, so that requests cannot fill the cache."""
FORMATS: Final = {"avif": "image/avif", "webp": "image/webp"}

_READABLE: Final = ("JPEG", "PNG", "WEBP", "GIF", "AVIF")
_MARKER: Final = re.compile(rb"\xff([^\x00\x01\xff\xd0-\xd8])", re.DOTALL)
"""A marker of JPEG before a segment, or the end. Others have no segment, and data writes 255 as FF 00."""
_GIVE: Final = "give a PNG, JPEG, WebP, AVIF or GIF file"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that can be shown: upright, in sRGB, and without metadata such as the place where it was taken."""

    content: bytes
    media_type: str
    width: int
    height: int

    @property
    def digest(self) -> str:
        """The digest by which its content is stored and served."""
        return sha256(self.content).hexdigest()


def read_picture(content: bytes) -> Picture:
    """The picture in a file, encoded anew. An animation becomes its first frame.

    Raises:
        InvalidArgumentsError: the file is too large, or holds no picture.
    """
    if len(content) > MAX_BYTES:
        raise InvalidArgumentsError(f"the file has {len(content):,} bytes; a picture may have {MAX_BYTES:,}")
    image = _unpack(content)
    image.thumbnail((STORED_SIDE, STORED_SIDE))
    lossless = "A" in image.getbands() or image.info.get("was") in ("PNG", "GIF")
    return Picture(_encode(image, "PNG" if lossless else "JPEG"), f"image/{'png' if lossless else 'jpeg'}", *image.size)


def check_picture(content: bytes) -> tuple[str, int, int]:
    """Media type, width and height of a picture that is stored as it is, since this CMS encoded it.

    Raises:
        InvalidArgumentsError: it is not one that `read_picture` makes.
    """
    image = _unpack(content)
    kind = str(image.info.get("was"))
    if len(content) > MAX_BYTES or kind not in ("JPEG", "PNG") or max(image.size) > STORED_SIDE:
        raise InvalidArgumentsError(f"a picture of a site is a PNG or JPEG of at most {STORED_SIDE:,} pixels on a side")
    return (f"image/{kind.lower()}", *image.size)


def widths_of(width: int) -> list[int]:
    """The widths of the renditions of a picture: the smaller ones of all widths, and its own if it is small."""
    return [each for each in WIDTHS if each <= width] if width >= WIDTHS[0] else [width]


def make_rendition(content: bytes, width: int, kind: str) -> bytes:
    """A stored picture at a width, as ``webp`` or ``avif``."""
    from PIL import Image  # noqa: PLC0415 - slow to import, needed by few programs

    with Image.open(BytesIO(content)) as image:
        image.draft("RGB", (width, width * image.height // image.width))
        height = max(1, round(image.height * width / image.width))
        return _encode(image.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0), kind.upper())


def _unpack(content: bytes) -> Image:
    from PIL import Image, ImageOps  # noqa: PLC0415 - slow to import, needed by few programs

    bombs = (Image.DecompressionBombError, Image.DecompressionBombWarning)
    # The decoder of AVIF raises RuntimeError.
    broken = (
        OSError,
        ValueError,
        SyntaxError,
        TypeError,
        EOFError,
        ArithmeticError,
        LookupError,
        MemoryError,
        RuntimeError,
    )
    try:
        with Image.open(BytesIO(content), formats=_READABLE) as opened:
            width, height = opened.size
            if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
                raise InvalidArgumentsError(
                    f"the picture has {width:,} by {height:,} pixels; give one of at most "
                    f"{MAX_PIXELS // 10**6} million pixels, and {MAX_SIDE:,} on a side"
                )
            kind = opened.format
            if kind in ("JPEG", "MPO") and (scans := _count_scans(content)) > MAX_SCANS:
                raise InvalidArgumentsError(
                    f"the JPEG file has {scans:,} scans; it may have {MAX_SCANS}. Save the picture anew"
                )
            upright = _to_srgb(ImageOps.exif_transpose(opened))
    except bombs as error:
        raise InvalidArgumentsError(f"the picture is too large; give one of at most {MAX_PIXELS:,} pixels") from error
    except broken as error:
        raise InvalidArgumentsError(f"the file holds no picture that can be read; {_GIVE}") from error
    upright.info = {"was": kind}
    return upright


def _count_scans(content: bytes) -> int:
    """The scans of the first picture in a JPEG file, without thumbnails in its metadata and what follows its end."""
    scans, place = 0, 2
    while (found := _MARKER.search(content, place)) and found[1] != b"\xd9":
        scans += found[1] == b"\xda"
        place = found.end() + int.from_bytes(content[found.end() : found.end() + 2])
    return scans


def _to_srgb(image: Image) -> Image:
    """The picture in the colours that browsers take it for once its profile is gone."""
    from PIL import ImageCms  # noqa: PLC0415

    if image.mode.startswith("I"):
        image = _to_8_bits(image)
    mode = "RGBA" if image.has_transparency_data else "RGB"
    profile = image.info.get("icc_profile")
    if not profile or image.mode not in ("RGB", "RGBA", "CMYK"):
        return image.convert(mode)
    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        srgb = ImageCms.ImageCmsProfile(
            ImageCms.createProfile("sRGB")  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        )
        found = ImageCms.profileToProfile(image, source, srgb, outputMode=mode)
    except (ImageCms.PyCMSError, OSError, ValueError):
        found = None
    return found or image.convert(mode)


def _to_8_bits(image: Image) -> Image:
    """A gray picture of 16 bits a pixel in 8, which a conversion alone would cut off at 255."""
    gray = image.point(lambda value: value / 256).convert("L")
    transparent = image.info.get("transparency")
    gray.info = {} if transparent is None else {"transparency": transparent >> 8}
    return gray


def _encode(image: Image, kind: str) -> bytes:
    if kind == "JPEG" and image.mode != "RGB":
        image = image.convert("RGB")
    options = {
        "JPEG": {"quality": 92, "optimize": True, "progressive": True},
        "PNG": {},
        "WEBP": {"quality": 80, "method": 4},
        "AVIF": {"quality": 58, "speed": 8},
    }
    image.info = {}
    file = BytesIO()
    image.save(file, kind, **options[kind])
    return file.getvalue()
