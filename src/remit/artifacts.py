"""Artifacts: large content that calls pass by reference, and the tool with which models read it."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.agent.prompt import PromptWithFiles as PromptWithFiles
    from remit.call.read_artifact import ArtifactPart as ArtifactPart
    from remit.call.read_artifact import read_artifact as read_artifact
    from remit.record.artifact import Artifact as Artifact
    from remit.record.artifact import Artifacts as Artifacts
    from remit.record.run_artifacts import RunArtifacts as RunArtifacts
else:
    __getattr__ = lazy_exports(__name__)
