"""The default input of an agent: one text."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Prompt(BaseModel):
    """The task of an agent, as text."""

    model_config = ConfigDict(defer_build=True)

    prompt: str = Field(description="What the agent should do, in plain words", max_length=1 << 20)
