"""Inputs and outputs that the worker files of these tests name."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, Field, RootModel

from remit.agent.attachments import Attachment


class Sender(BaseModel):
    """Who wrote."""

    name: str


class Letter(BaseModel):
    """What is to be sorted."""

    sender: Sender
    subject_line: str = Field(alias="subject")
    items: list[str] = []
    tags: set[str] = set()


class Sorted(BaseModel):
    """Where it goes."""

    drawer: str


class Scanned(BaseModel):
    """A letter on paper."""

    attachments: tuple[Attachment, ...]


class Nothing(BaseModel):
    """A field of this name that carries no files."""

    attachments: str


class Names(RootModel[list[str]]):
    """No object, as an input has to be."""


@dataclass
class Plain:
    """No pydantic model."""

    name: str
