"""What was approved for a time to come is read through the types that it had then."""

from __future__ import annotations

from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.scheduling.scheduling import carry_out, look, schedule
from apps.cms.tests.world import World
from remit.errors import ConflictError
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import CreateEntry
from remit_cms.publishing.payloads import PublishPage
from remit_cms.types.payloads import ChangeType, DefineType
from remit_cms.types.types import Types

EVENTS: dict[str, Any] = {
    "name": "Events",
    "fields": [{"key": "date", "type": "date", "required": True}, {"key": "place", "type": "text"}],
}
HOST: dict[str, Any] = {"addFields": [{"key": "host", "type": "text", "required": True, "value": "Donald"}]}


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, "ann", "monday")


async def make_entry(ann: Editor) -> str:
    """An entry of a new type, which is not published."""
    await Types(ann.world.database).define_type(ann.call(), DefineType.model_validate(EVENTS))
    content = {"date": "2027-09-01", "place": "Hall"}
    payload = CreateEntry(collection_id="events", title="Winter", content=content)  # pyright: ignore[reportArgumentType]
    return (await Collections(ann.world.database).create_entry(ann.call(), payload)).entry.id


def change(**changes: Any) -> ChangeType:
    return ChangeType.model_validate({"typeId": "events", **changes})


@pytest.mark.parametrize(
    "changes", [HOST, {"removeFields": ["place"]}, {"changeFields": [{"key": "place", "label": "Not at"}]}]
)
async def test_an_entry_is_not_shown_through_a_type_that_its_approver_did_not_see(
    ann: Editor, changes: dict[str, Any]
) -> None:
    entry = await make_entry(ann)
    action, types = await schedule(ann, entry), Types(ann.world.database)
    preview = await types.preview_change(ann.call(), change(**changes))
    assert f"'Winter' is to be published on 1 June 2026, 12:00 UTC, {REFUSED}" in preview.summary
    await types.change_type(ann.call(), change(**changes))
    with pytest.raises(ConflictError, match="its type has changed since"):
        await carry_out(ann, action)
    assert (await look(ann, action)).state == "refused"


REFUSED = "which will be refused then, since its approver saw something else"


async def test_an_entry_is_shown_through_a_type_that_reads_the_same(ann: Editor) -> None:
    entry = await make_entry(ann)
    action, types = await schedule(ann, entry), Types(ann.world.database)
    optional = change(addFields=[{"key": "seats", "type": "number"}])
    assert "Winter" not in (await types.preview_change(ann.call(), optional)).summary
    await types.change_type(ann.call(), optional)
    assert (await carry_out(ann, action)).action.state == "done"


async def test_a_question_is_asked_again_once_a_type_has_changed(ann: Editor) -> None:
    entry = await make_entry(ann)

    async def ask() -> str:
        return (await ann.publishing.preview_publication(ann.call(), PublishPage(page_id=entry))).state

    asked = await ask()
    await Types(ann.world.database).change_type(ann.call(), change(**HOST))
    assert await ask() != asked
