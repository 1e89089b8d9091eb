"""The artifacts of one scope are stored once each, and never by a replay."""

from __future__ import annotations

from remit.engine.artifacts import StoredArtifacts
from remit.journal.memory import InMemoryStore
from remit.record.arguments import Limits
from remit.record.artifact import ArtifactScope

SCOPE = ArtifactScope("default", "ada")


class Counting(InMemoryStore):
    """Counts what it is given to store."""

    added = 0

    async def add_artifact(self, digest: str, owner: ArtifactScope, content: bytes | None) -> None:
        self.added += 1
        await super().add_artifact(digest, owner, content)


async def test_a_replay_stores_nothing() -> None:
    store = Counting()
    artifact = await StoredArtifacts(store, SCOPE, Limits(), is_replaying=True).add(b"content")
    assert (artifact.size, store.added) == (7, 0)


async def test_the_same_content_is_stored_once() -> None:
    store = Counting()
    artifacts = StoredArtifacts(store, SCOPE, Limits())
    first, again, other = [await artifacts.add(content) for content in (b"content", b"content", b"other")]
    assert (first.digest == again.digest != other.digest, store.added) == (True, 2)
