"""Sentences about calls on the wire."""

from __future__ import annotations

from remit.record.sentence import Sentence
from remit.server.documents.document import Document


class SentenceDocument(Document):
    """A sentence for people. ``parts`` are its pieces; true marks a name, which displays emphasize."""

    text: str
    parts: tuple[tuple[str, bool], ...] = ()

    @staticmethod
    def of(sentence: Sentence) -> SentenceDocument:
        """The document of a sentence."""
        return SentenceDocument(text=sentence.text, parts=sentence.parts)
