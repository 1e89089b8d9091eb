"""References of files."""

from __future__ import annotations

from pydantic import ValidationError

from remit.errors import RequestError
from remit.record.artifact import Artifact
from remit.server.documents.document import Document


class FileDocument(Document):
    """The reference of a file."""

    digest: str
    size: int
    name: str
    media_type: str

    def to_artifact(self) -> Artifact:
        """The reference.

        Raises:
            RequestError: it is none.
        """
        try:
            return Artifact(digest=self.digest, size=self.size, name=self.name, media_type=self.media_type)
        except ValidationError as error:
            raise RequestError("this is not a reference to a file; send one exactly as you received it") from error

    @staticmethod
    def of(artifact: Artifact) -> FileDocument:
        """The document of a reference."""
        return FileDocument(
            digest=artifact.digest, size=artifact.size, name=artifact.name, media_type=artifact.media_type
        )
