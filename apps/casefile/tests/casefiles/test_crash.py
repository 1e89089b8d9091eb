"""A deletion whose process dies at any moment is done once, and said to be done."""

from __future__ import annotations

import json

import pytest

from apps.casefile.tests.office import Office, principal
from apps.casefile.tests.world import rows
from remit_casefile.storage.database import Database
from tests.runtime.kit import Clock, Crash, Mortal

_LEASE = 1_000.0
"""Seconds after which nobody holds a run any more."""


@pytest.mark.parametrize("after", [False, True], ids=["before it is stored", "after it is stored"])
async def test_a_deletion_is_finished_by_another_process_and_its_gate_does_not_refuse_it(
    database: Database, *, after: bool
) -> None:
    for append in range(1, 20):
        now = Clock()
        store = Mortal(now)
        office = Office(database, store=store, now=now)
        casefile = await office.casefile("Smith")
        waits = await office.run("delete_casefile", casefile_id=casefile, confirm=True)
        await office.runtime.decide(waits.questions[0], approved=True, by=principal())
        store.die_at(append, after=after)
        try:
            text = (await office.runtime.resume(waits.run)).text
            assert append > 2, "it died at every append that there is"
            break
        except Crash:
            store.revive()
            now.now += _LEASE
            text = (await Office(database, store=store, now=now).runtime.resume(waits.run)).text
        assert json.loads(text)["message"] == "Deleted the casefile 'Smith' with nothing in it."
        assert await rows(database, "casefiles") == {"casefiles": 0}
