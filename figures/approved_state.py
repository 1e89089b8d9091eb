"""An edit of another editor at every await of an approved call: is a state written that no approver saw?"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Coroutine, Iterator, Sequence
from typing import Any, Final

from figures.approved_edits import EDIT_KEY, EDITS, make_edit
from figures.approved_elsewhere import ELSEWHERE, try_elsewhere
from figures.approved_ways import approve
from figures.cms_arguments import NORMAL
from figures.cms_stores import SqliteFile, SweptDatabase
from figures.cms_sweep import Sweep, open_sweep
from figures.figure import Figure, no_violations
from figures.interrupted import Interruption
from remit.errors import CallError

SAMPLE: Final = ("cms_publishPage", "cms_deletePageSection")
_AT_GOOGLE: Final = ("gmail_send_message",)
_IN_POSTGRES: Final = ("cms_publishPage", "cms_deletePage", "cms_publishChangeSet")
_ATTACHED: Final = ("cms_publishPage", "cms_deletePageSection", "cms_publishChangeSet")
_STRIDE: Final = 9
"""A sample takes every so many awaits."""
_SHUT_OUT: Final = 5
"""The write has begun if so many edits in a row were refused."""


def figures(*, short: bool) -> Iterator[Figure]:
    """Writes of a state that no approver saw."""
    if short:
        yield from measure(
            SAMPLE,
            attached=SAMPLE[:1],
            in_open_runs=SAMPLE[:1],
            over_http=SAMPLE[:1],
            by_agui=SAMPLE[:1],
            elsewhere=_AT_GOOGLE,
            stride=_STRIDE,
        )
    else:
        yield from measure(
            tuple(EDITS),
            in_postgres=_IN_POSTGRES,
            attached=_ATTACHED,
            in_open_runs=_ATTACHED,
            over_http=_ATTACHED,
            by_agui=_ATTACHED,
            elsewhere=ELSEWHERE,
        )


def measure(
    tools: Sequence[str] = (),
    *,
    in_postgres: Sequence[str] = (),
    attached: Sequence[str] = (),
    in_open_runs: Sequence[str] = (),
    over_http: Sequence[str] = (),
    by_agui: Sequence[str] = (),
    elsewhere: Sequence[str] = (),
    stride: int = 1,
) -> Iterator[Figure]:
    """The figure of some tools of the CMS, and of some of the casefile application, at every ``stride``-th await.

    Those ``attached`` are executed by the same call, which attaches, those ``in_open_runs`` by the same call of an open
    run, those ``over_http`` by the same request, those in ``by_agui`` by the server that receives the approval, and
    the others by resuming their run.
    """
    found = list[tuple[str, str]]()
    again = ("attached", attached), ("open run", in_open_runs), ("HTTP", over_http), ("AG-UI", by_agui)
    for kind, names in (("sqlite", tools), *again, ("postgres", in_postgres)):
        if names:
            found += asyncio.run(_try_tools(kind, names, stride))
    for name in elsewhere:
        found += [(name, outcome) for outcome in asyncio.run(try_elsewhere(name, stride))]
    outcomes = Counter(outcome for _, outcome in found)
    stale = Counter(name for name, outcome in found if outcome == "stale")
    count = len({*tools, *in_postgres, *attached, *in_open_runs, *over_http, *by_agui, *elsewhere})
    when = "at each await until the write has begun, then at ever fewer up to the commit"
    how = [
        f"an edit {when}, of {count} approved calls, {len(in_postgres)} of them also in Postgres",
        f"{len(attached)} executed by the same call, which attaches, {len(in_open_runs)} by that of an open run",
        f"{len(over_http)} by the same request over HTTP, {len(by_agui)} by a server that is told the yes by AG-UI",
        ", ".join(f"{outcome} {number:,}" for outcome, number in sorted(outcomes.items())),
        *(f"{name} {number} times" for name, number in stale.items()),
    ]
    yield no_violations("approved_state.stale", outcomes["stale"], len(found), "; ".join(how))


async def _try_tools(kind: str, names: Sequence[str], stride: int) -> list[tuple[str, str]]:
    found = list[tuple[str, str]]()
    async with open_sweep("postgres" if kind == "postgres" else "sqlite") as sweep:
        for name in names:
            at, shut_out = 1, 0
            while (outcome := await try_await(sweep, name, at, kind)) != "over":
                found.append((f"{name} in {kind}", outcome))
                shut_out = shut_out + 1 if outcome == "shut out" else 0
                at += max(stride, at // 4) if shut_out >= _SHUT_OUT else stride
    return found


class _TooLateError(Exception):
    """The write is committed."""


async def try_await(sweep: Sweep, name: str, at: int, kind: str) -> str:
    """Approve a call of a tool, and edit what it is about at an await of its execution: what became of it.

    *stale*: written as the edit had left it, which no approver saw. *asked anew*: nothing was written, and a person is
    asked. *refused*: nothing was written. *shut out*: the edit was refused, because the write had begun. *over*: the
    write was committed before.
    """
    with sweep.case(f"await {at}", name):
        known = _read_effects(sweep.database)

        def edit() -> Coroutine[Any, Any, None]:
            if _new_effects(sweep.database, known):
                raise _TooLateError
            return make_edit(sweep.database.location, name)

        interruption = Interruption(at, edit)
        async with approve(sweep, kind, name, sweep.fill(NORMAL[name])) as execute:
            is_asked_anew = await interruption.run(execute())
        error = interruption.error
        if interruption.waits < at or isinstance(error, _TooLateError):
            return "over"
        if error is not None and not isinstance(error, CallError):
            raise error
        is_edit = [f"/{EDIT_KEY}" in key for key in _new_effects(sweep.database, known)]
        if False in is_edit:
            return "stale" if is_edit[0] else "shut out"
        return "asked anew" if is_asked_anew else "refused"


def _new_effects(database: SweptDatabase, known: Collection[str]) -> list[str]:
    return [key for key in _read_effects(database) if key not in known]


def _read_effects(database: SweptDatabase) -> list[str]:
    """The keys of the effects, in the order in which their transactions wrote: they take turns."""
    order = "rowid" if isinstance(database, SqliteFile) else "xmin"
    rows = [(int(number), str(key)) for number, key in database.read("remit_effects", order, "key")]
    return [key for _, key in sorted(rows)]
