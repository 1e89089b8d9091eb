"""``remit artifact``: save an artifact to a file."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from remit.cli.client import open_client
from remit.cli.new_file import write_new_file
from remit.cli.status import ExitStatus, NoSuchError


def artifact(
    digest: Annotated[
        str, typer.Argument(metavar="DIGEST", help="The whole digest in a reference, with or without sha256:")
    ],
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write; - writes to stdout.")],
) -> int:
    """Save an artifact of your runs to a file.

    The content is verified by its digest. An existing file is not replaced.
    """
    with open_client() as client:
        from remit.errors import BrokenJournalError
        from remit.record.artifact import ArtifactScope, digest_of

        digest = f"sha256:{digest.removeprefix('sha256:')}"
        if not re.fullmatch("sha256:[0-9a-f]{64}", digest):
            raise NoSuchError(
                f"there is no artifact {digest}; give the whole digest (64 digits) as remit show RUN --json prints it"
            )
        scope = ArtifactScope(client.principal.tenant, client.principal.name)
        content = client.wait(client.store.read_artifact(digest, scope))
        if content is None:
            raise NoSuchError(f"there is no artifact {digest}; see its reference in: remit show RUN --json")
        if digest_of(content) != digest:
            raise BrokenJournalError(f"the stored content of artifact {digest} was changed; restore it from a backup")
    write_new_file(file, content)
    return ExitStatus.DONE
