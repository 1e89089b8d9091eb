"""The figure of the access list: every tool, every way to it, every way to stand to its casefile."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial

from figures import acl, acl_narrowed, acl_paths, acl_sessions
from figures.figure import Figure, no_violations


def figures(*, short: bool) -> Iterator[Figure]:
    """Calls by which somebody learns of a casefile or a session, or changes it, without the level for it."""
    wrong, looked_at = asyncio.run(_find_leaks(short=short))
    how = "each tool for each way to stand to its casefile, called directly, by agents, chats, bodies, pipelines, tool "
    how += "requests and a worker, and narrowed to one casefile; and sessions of others"
    yield no_violations("acl.leaks", len(wrong), looked_at, f"{how}; {wrong[0]}" if wrong else how)


async def _find_leaks(*, short: bool) -> tuple[list[str], int]:
    few = ("viewer", "nobody") if short else None
    one = few and few[:1]
    ways = ("request",) if short else tuple(acl_paths.WAYS)
    parts = (
        partial(acl.find_leaks, names=few),
        partial(acl_sessions.find_leaks, names=one),
        partial(acl_narrowed.find_leaks, names=one),
        partial(acl_paths.find_leaks, names=one, ways=ways),
    )
    wrong, looked_at = list[str](), 0
    for find_leaks in parts:
        if short and wrong:
            break
        found, count = await find_leaks()
        wrong, looked_at = wrong + found, looked_at + count
    return wrong, looked_at
