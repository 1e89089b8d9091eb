"""Mutants of the figures about open runs."""

from __future__ import annotations

import asyncio
from typing import Final

from figures import open_run
from figures.mutants.mutant import edited, mutants_of
from figures.open_run_layers import measure_combinations

_BODY: Final = "remit.engine.open_root:_Body"
_POINTS: Final = (6, 15, 23)

MUTANTS: Final = (
    *mutants_of(
        "open_run.crash.doubled",
        {
            "the key of a call is not on record": edited(f"{_BODY}._take", "key=incoming.key,", 'key="",'),
            "the same key is another call": edited(f"{_BODY}._find_known", "self._by_key.get(incoming.key)", "None"),
        },
        lambda: open_run.measure_crashes(_POINTS),
    ),
    *mutants_of(
        "open_run.crash.lost",
        {
            "what comes from outside is not on record": edited(
                f"{_BODY}._take", "self._frame.ledger.add(received)", "pass"
            ),
            "the arguments of a call are not on record": edited(
                f"{_BODY}._take", "arguments=incoming.arguments.raw,", 'arguments="{}",'
            ),
        },
        lambda: open_run.measure_crashes(_POINTS),
    ),
    *mutants_of(
        "open_run.postgres_crash.doubled",
        {
            "the same key is another call": edited(f"{_BODY}._find_known", "self._by_key.get(incoming.key)", "None"),
        },
        lambda: open_run.measure_crashes_on_postgres(_POINTS[1:]),
    ),
    *mutants_of(
        "open_run.postgres_crash.lost",
        {
            "what comes from outside is not on record": edited(
                f"{_BODY}._take", "self._frame.ledger.add(received)", "pass"
            ),
        },
        lambda: open_run.measure_crashes_on_postgres(_POINTS[1:]),
    ),
    *mutants_of(
        "open_run.replay.missed",
        {
            "a replay of an open run makes no calls": edited(
                "remit.engine.open_root:_make_again", "await prepared.make()", "continue"
            ),
            "a replay of an open run makes its calls in another order": edited(
                "remit.engine.open_root:_make_again", "for each in received:", "for each in reversed([*received]):"
            ),
        },
        lambda: [asyncio.run(open_run.measure_replays())],
    ),
    *mutants_of(
        "open_run.race.doubled",
        {
            "a process does not know what others have received": edited(
                f"{_BODY}.serve",
                "for item in [*_received_among(self._frame.ledger.recorded_items())]:",
                "for item in ():",
            ),
        },
        lambda: open_run.measure_race(1),
    ),
    *mutants_of(
        "open_run.race.errors",
        {
            "a call does not wait for another process": edited(
                "remit.engine.open_runs:OpenRuns._execute_when_free",
                "if calls.has_begun or loop.time() >= until:",
                "if True:",
            ),
        },
        lambda: open_run.measure_race(1),
    ),
    *mutants_of(
        "open_run.postgres_race.doubled",
        {
            "a process does not know what others have received": edited(
                f"{_BODY}.serve",
                "for item in [*_received_among(self._frame.ledger.recorded_items())]:",
                "for item in ():",
            ),
        },
        lambda: open_run.measure_race_on_postgres(3),
    ),
    *mutants_of(
        "open_run.postgres_race.errors",
        {
            "a call does not wait for another process": edited(
                "remit.engine.open_runs:OpenRuns._execute_when_free",
                "if calls.has_begun or loop.time() >= until:",
                "if True:",
            ),
        },
        lambda: open_run.measure_race_on_postgres(3),
    ),
    *mutants_of(
        "open_run.combinations.broken",
        {
            "a call that its caller cancelled is made again": edited(
                "remit.layers.record:_Record._call_composed", "if call.callee.name == OPEN_RUN:", "if False:"
            ),
            "a run counts one call too many": edited(
                "remit.engine.open_root:OpenRoot.run", '{"calls": len(received)', '{"calls": 1 + len(received)'
            ),
        },
        lambda: [measure_combinations(12)],
    ),
)
