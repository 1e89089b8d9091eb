"""Artifacts: large content that calls pass by reference, and the tool with which models read it."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.agent.prompt import PromptWithFiles
    from remit.call.read_artifact import ArtifactPart, read_artifact
    from remit.record.artifact import Artifact, Artifacts, RunArtifacts

__all__ = ["Artifact", "ArtifactPart", "Artifacts", "PromptWithFiles", "RunArtifacts", "read_artifact"]

if not TYPE_CHECKING:
    __getattr__ = lazy_exports(
        __name__,
        {
            "remit.agent.prompt": ("PromptWithFiles",),
            "remit.record.artifact": ("Artifact", "Artifacts", "RunArtifacts"),
            "remit.call.read_artifact": ("ArtifactPart", "read_artifact"),
        },
    )
