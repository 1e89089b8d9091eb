"""The ZIP file of a site: ``site.json``, and the images by their digest. What others wrote is read with suspicion."""

from __future__ import annotations

import json
import math
import re
import stat
import zlib
from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from typing import Final, NoReturn
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from remit.errors import InvalidArgumentsError
from remit_cms.images.pictures import check_picture
from remit_cms.models import check_characters
from remit_cms.sites.package import SitePackage, parse_package

MAX_FILE: Final = 64 << 20
"""The size of a file: as large as an artifact may be."""
MAX_UNPACKED: Final = 256 << 20
MAX_TEXT: Final = 64 << 20
MAX_FILES: Final = 10_001
MAX_RATIO: Final = 200
"""How much smaller a file may be than what it unpacks to. Texts of a site shrink to a tenth."""

_TEXT: Final = "site.json"
_IMAGE: Final = re.compile(r"images/([0-9a-f]{64})")
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_ENTRY: Final = b"PK\x01\x02"
"""How each entry of the table of contents begins; images have it by chance."""


def write_archive(package: SitePackage, contents: Mapping[str, bytes]) -> bytes:
    """The file of a site and the contents of its images by digest. The same site gives the same bytes."""
    text = package.model_dump_json(by_alias=True, exclude_none=True).encode()
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr(ZipInfo(_TEXT, _EPOCH), text, ZIP_DEFLATED)
        for digest in sorted(contents):
            archive.writestr(ZipInfo(f"images/{digest}", _EPOCH), contents[digest], ZIP_STORED)
    return file.getvalue()


def read_archive(file: bytes) -> tuple[SitePackage, dict[str, bytes]]:
    """The site in a file, and the contents of its images by digest.

    Raises:
        InvalidArgumentsError: the file is none of `write_archive`, or does harm.
    """
    if len(file) > MAX_FILE:
        _refuse(f"it has {len(file):,} bytes; the file of a site may have {MAX_FILE:,}")
    if file.count(_ENTRY) > MAX_FILES + 100:
        _refuse("it has too many files")
    try:
        with ZipFile(BytesIO(file)) as archive:
            entries = archive.infolist()
            _check_entries(entries)
            package = parse_package(_parse_json(_read_entry(archive, _TEXT)))
            wanted = {image.digest for image in package.images}
            if {f"images/{digest}" for digest in wanted} != {each.filename for each in entries} - {_TEXT}:
                _refuse("its images are not those that its site.json lists")
            contents = {digest: _read_entry(archive, f"images/{digest}") for digest in wanted}
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, zlib.error) as error:
        raise InvalidArgumentsError(f"the file is not a complete ZIP file of a site: {str(error)[:200]}") from error
    found: dict[str, tuple[str, int, int]] = {}
    for image in package.images:
        if image.digest not in found:
            if sha256(contents[image.digest]).hexdigest() != image.digest:
                _refuse(f"the content of the image {image.name!r} has another digest than its name says")
            found[image.digest] = check_picture(contents[image.digest])
        if found[image.digest] != (image.media_type, image.width, image.height):
            _refuse(f"the image {image.name!r} has another size or type than site.json says")
    return package, contents


def _read_entry(archive: ZipFile, name: str) -> bytes:
    """The content of an entry, unpacked no further than the size that was checked: `ZipFile.read` unpacks it whole."""
    with archive.open(name) as entry:
        return entry.read(archive.getinfo(name).file_size)


def _check_entries(entries: list[ZipInfo]) -> None:
    """Refuse what is neither site.json nor an image, is there twice, is a link, or unpacks to too much."""
    names = [each.filename for each in entries]
    if _TEXT not in names:
        _refuse(f"it has no {_TEXT}; give a file that cms_exportContent wrote")
    if len({*names}) != len(names) or len(names) > MAX_FILES:
        _refuse("it has a file twice, or too many files")
    if sum(each.file_size for each in entries) > MAX_UNPACKED:
        _refuse(f"it unpacks to more than {MAX_UNPACKED:,} bytes")
    for each in entries:
        if each.filename != _TEXT and not _IMAGE.fullmatch(each.filename):
            _refuse(f"it holds {each.filename[:80]!r}, which is neither {_TEXT} nor an image")
        if stat.S_IFMT(each.external_attr >> 16) not in (0, stat.S_IFREG):
            _refuse(f"{each.filename!r} is a link or another special file")
        if each.flag_bits & 1 or each.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            _refuse(f"{each.filename!r} is encrypted, or compressed in an unusual way")
        if each.file_size > MAX_TEXT or each.file_size > MAX_RATIO * max(each.compress_size, 1):
            _refuse(f"{each.filename!r} unpacks to {each.file_size:,} bytes, which is too much")


def _parse_json(text: bytes) -> object:
    def parse_float(number: str) -> float:
        value = float(number)
        return value if math.isfinite(value) else _refuse(f"{_TEXT} holds the number {number[:20]}")

    try:
        value: object = json.loads(text.decode(), parse_float=parse_float, parse_constant=parse_float)
        check_characters(value)
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentsError(f"the file cannot be imported: {_TEXT} is not JSON: {str(error)[:200]}") from error
    return value


def _refuse(problem: str) -> NoReturn:
    raise InvalidArgumentsError(f"the file cannot be imported: {problem}")
