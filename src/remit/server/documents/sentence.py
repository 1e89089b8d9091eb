"""Sentences about calls on the wire."""

from __future__ import annotations

from remit.server.documents.document import Document


class Sentence(Document):
    """A sentence for people. ``parts`` are its pieces; true marks a name, which displays emphasize."""

    text: str
    parts: tuple[tuple[str, bool], ...] = ()

    @staticmethod
    def of_tool(name: str) -> Sentence:
        """The sentence of a tool of which only the name is known."""
        return Sentence(text=name, parts=((name, True),))
