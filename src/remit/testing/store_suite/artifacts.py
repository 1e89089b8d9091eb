"""Artifacts: a store keeps content by its digest, for the principals that stored it and for their conversations."""

from __future__ import annotations

import asyncio

import pytest
from msgspec import structs

from remit.errors import BrokenJournalError
from remit.journal.ports import Store
from remit.record.artifact import ArtifactScope, digest_of
from remit.testing.store_suite.samples import acquire_run, begin, header_item, note

CONTENT = bytes(range(256)) * 1000
DIGEST = digest_of(CONTENT)
ADA = ArtifactScope("default", "ada")
IN_RUN = ArtifactScope("default", "ada", "app", "talk", "run")


async def test_content_is_read_as_it_was_stored(store: Store) -> None:
    await store.add_artifact(DIGEST, ADA, CONTENT)
    await store.add_artifact(digest_of(b""), ADA, b"")
    assert await store.read_artifact(DIGEST, ADA) == CONTENT
    assert await store.read_artifact(digest_of(b""), ADA) == b""


async def test_an_artifact_is_seen_by_its_principal_and_in_its_conversation_only(store: Store) -> None:
    await store.add_artifact(DIGEST, IN_RUN, CONTENT)
    for scope in (
        ADA,
        ArtifactScope("default", "ada", "app", "other", "next"),
        ArtifactScope("default", "bob", "app", "talk", "next"),
    ):
        assert await store.read_artifact(DIGEST, scope) == CONTENT, scope
    for scope in (
        ArtifactScope("elsewhere", "ada", "app", "talk", "run"),
        ArtifactScope("default", "bob"),
        ArtifactScope("default", "bob", "other", "talk"),
        ArtifactScope("default", "bob", "app", "another"),
    ):
        assert await store.read_artifact(DIGEST, scope) is None, scope
    assert await store.read_artifact(digest_of(b"invented"), IN_RUN) is None


async def test_runs_without_a_conversation_share_no_artifacts(store: Store) -> None:
    await store.add_artifact(DIGEST, ArtifactScope("default", "ada", "app", "", "run"), CONTENT)
    assert await store.read_artifact(DIGEST, ArtifactScope("default", "bob", "app", "", "next")) is None


async def test_storing_the_same_content_again_changes_nothing(store: Store) -> None:
    await asyncio.gather(*(store.add_artifact(DIGEST, ADA, CONTENT) for _ in range(5)))
    await store.add_artifact(DIGEST, ADA, None)
    assert await store.read_artifact(DIGEST, ADA) == CONTENT


async def test_stored_content_is_shared_without_being_sent_again(store: Store) -> None:
    await store.add_artifact(DIGEST, ADA, CONTENT)
    bob = ArtifactScope("default", "bob")
    await store.add_artifact(DIGEST, bob, None)
    assert await store.read_artifact(DIGEST, bob) == CONTENT
    with pytest.raises(BrokenJournalError, match="is missing"):
        await store.add_artifact(digest_of(b"never stored"), bob, None)
    assert await store.read_artifact(digest_of(b"never stored"), bob) is None


async def test_an_artifact_is_erased_with_the_last_body_that_names_it(store: Store) -> None:
    await store.add_artifact(DIGEST, ADA, CONTENT)
    await store.add_artifact(DIGEST, IN_RUN, None)
    run = await begin(store)
    await run.append(note(DIGEST), note(f"again {DIGEST}"), note("something else"))
    await store.erase("run", [1, 3])
    assert await store.read_artifact(DIGEST, ADA) == CONTENT
    await store.erase("run", [2])
    assert await store.read_artifact(DIGEST, ADA) is None
    with pytest.raises(BrokenJournalError, match="is missing"):
        await store.add_artifact(DIGEST, ADA, None)


async def test_an_artifact_that_another_run_or_principal_has_is_kept(store: Store) -> None:
    others = [ArtifactScope("default", "ada", "app", "talk", "next"), ArtifactScope("default", "bob")]
    for owner in (IN_RUN, *others):
        await store.add_artifact(DIGEST, owner, CONTENT)
    run = await begin(store)
    await run.append(note(DIGEST))
    await store.erase("run", [1])
    for owner in others:
        assert await store.read_artifact(DIGEST, owner) == CONTENT
    await store.add_artifact(DIGEST, IN_RUN, None)


async def test_an_artifact_that_no_body_names_is_kept(store: Store) -> None:
    await store.add_artifact(DIGEST, IN_RUN, CONTENT)
    run = await begin(store)
    await run.append(note("something else"))
    await store.erase("run", [1])
    assert await store.read_artifact(DIGEST, IN_RUN) == CONTENT


async def open_with_file(store: Store, run: str) -> None:
    """Open a run of Ada that is given the artifact."""
    header = structs.replace(header_item(run), arguments=f'{{"file":{{"digest":"{DIGEST}"}}}}')
    await (await acquire_run(store, run)).append(header)


async def test_a_run_has_the_artifacts_that_its_header_names_from_when_it_is_opened(store: Store) -> None:
    await store.add_artifact(DIGEST, ADA, CONTENT)
    for run in ("run", "next"):
        await open_with_file(store, run)
    await store.add_artifact(DIGEST, ArtifactScope("default", "ada", "app", "", "run"), None)
    await store.erase("run", [0])
    assert await store.read_artifact(DIGEST, ArtifactScope("default", "ada", "app", "", "next")) == CONTENT
    await store.erase("next", [0])
    assert await store.read_artifact(DIGEST, ADA) is None


async def test_naming_an_artifact_of_somebody_else_in_a_header_gives_no_access_to_it(store: Store) -> None:
    await store.add_artifact(DIGEST, ArtifactScope("default", "bob"), CONTENT)
    await open_with_file(store, "run")
    assert await store.read_artifact(DIGEST, ADA) is None
