"""No request gets further than its sender may: sessions, tokens, links and the pages to sign in, under attack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from figures import sign_in_provider as provider
from figures.figure import Figure, no_violations
from figures.sign_in_attacks import ACCOUNTS, CREDENTIALS, PAGES, REQUESTS
from figures.sign_in_attacks import USES as ORDINARY_USES

Case = Callable[[], bool]

CASES: Final[Mapping[str, Case]] = {**REQUESTS, **PAGES, **CREDENTIALS, **ACCOUNTS, **provider.ATTACKS}
"""Attacks by name; each returns whether it succeeded."""

USES: Final[Mapping[str, Case]] = {**ORDINARY_USES, **provider.USES}
"""Ordinary uses by name; each returns whether it succeeded."""


def find_successes() -> Iterator[str]:
    """The attacks that succeed, and the uses that do not."""
    yield from (name for name, attack in CASES.items() if attack())
    yield from (name for name, use in USES.items() if not use())


def figures(*, short: bool) -> Iterable[Figure]:  # noqa: ARG001 - parts are called so
    """The attacks that succeed, and the ordinary uses that are refused; there are few, so the sample is all of them."""
    found = list(find_successes())
    attacked = "sessions, tokens, links, pages and identities"
    how = f"{len(CASES)} attacks on {attacked}, and {len(USES)} ordinary uses; wrong: {found[:3]}"
    yield no_violations("sign_in.attacks", len(found), len(CASES) + len(USES), how)
