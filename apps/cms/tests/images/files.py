"""Files of pictures, made here."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO
from typing import Any

from PIL import Image

from remit.artifacts import Artifact
from remit.errors import NotFoundError
from remit_cms.sites.archive import write_archive
from remit_cms.sites.package import DocumentPart, LanguagePart, SitePackage
from remit_cms.storage.snapshots import Snapshot


def picture_file(kind: str = "PNG", size: tuple[int, int] = (8, 4), colour: object = "orange", **options: Any) -> bytes:
    """A picture of one colour."""
    mode = options.pop("mode", "RGB")
    file = BytesIO()
    Image.new(mode, size, colour).save(file, kind, **options)  # pyright: ignore[reportArgumentType]
    return file.getvalue()


def open_picture(content: bytes) -> Image.Image:
    """A picture as others read it."""
    image = Image.open(BytesIO(content))
    image.load()
    return image


class Files:
    """The files of a run, in memory."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    async def add(self, content: bytes, /, *, name: str = "", media_type: str = "") -> Artifact:
        """Keep content."""
        artifact = refer(content, name=name, media_type=media_type or "image/png")
        self._contents[artifact.digest] = content
        return artifact

    async def read(self, artifact: Artifact, /, offset: int = 0, length: int | None = None) -> bytes:
        """The content."""
        if artifact.digest not in self._contents:
            raise NotFoundError("there is no such file")
        return self._contents[artifact.digest][offset:][:length]


def refer(content: bytes, *, name: str = "", media_type: str = "image/png") -> Artifact:
    """The reference to a file."""
    digest = f"sha256:{sha256(content).hexdigest()}"
    return Artifact(digest=digest, size=len(content), media_type=media_type, name=name)


UPLOAD = picture_file(colour="green")
"""A file to upload."""


SITE = write_archive(
    SitePackage(
        name="Bakery",
        languages=[LanguagePart(code="en", name="English"), LanguagePart(code="de", name="Deutsch")],
        templates=[],
        images=[],
        documents=[
            DocumentPart(
                draft=Snapshot(id="home", locale="en", slug="home", title="Home"),
                live=Snapshot(id="home", locale="en", slug="home", title="Home"),
                created_at=datetime(2026, 1, 1, tzinfo=UTC),
                updated_at=datetime(2026, 1, 1, tzinfo=UTC),
            )
        ],
        redirects=[],
    ),
    {},
)
"""The file of a site with one page, to import."""

SITE_UPLOADED = refer(SITE, name="site.zip", media_type="application/zip").model_dump(mode="json")
"""The reference to it, as an argument."""

UPLOADED = refer(UPLOAD, name="new.png").model_dump(mode="json")
"""The reference to it, as an argument."""
