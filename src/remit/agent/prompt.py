"""The default input of an agent: one text, and the same with files."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from remit.record.artifact import Artifact, describe_file


class Prompt(BaseModel):
    """The task of an agent, as text."""

    model_config = ConfigDict(defer_build=True)

    prompt: str = Field(description="What the agent should do, in plain words", max_length=1 << 20)


class PromptWithFiles(Prompt):
    """The task of an agent, and files for its tools and agents. Its model sees their references, and the images."""

    files: tuple[Artifact, ...] = Field(default=(), description="Files that the prompt is about", max_length=100)

    def to_text(self) -> str:
        """The prompt, followed by the references to the files."""
        return "\n".join([self.prompt, *map(describe_file, self.files)])
