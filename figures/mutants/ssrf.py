"""Defects in the guard against requests to addresses that are not public."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import Mutant, edited, mutants_of, together
from figures.ssrf import measure_connects

_HTTP: Final = "remit.http.guarded:GuardedHttp"
_BACKEND: Final = "remit.http.guarded:_GuardedBackend"

MUTANTS: Final[tuple[Mutant, ...]] = mutants_of(
    "ssrf.connects",
    {
        "the connection looks the name up again": edited(f"{_BACKEND}._find_addresses", "str(each.ip)", "host"),
        "addresses of names are not checked": edited(
            f"{_BACKEND}._find_addresses",
            "look_up = partial(resolve, target, policy=self._policy, resolver=self._resolver)",
            "return [each[4][0] for each in self._resolver(host, port)]",
        ),
        "nothing is checked": together(
            edited(
                f"{_BACKEND}._find_addresses",
                'target = self._policy.check_url(f"http://{written}:{port}/")',
                "return [each[4][0] for each in self._resolver(host, port)]",
            ),
            edited(
                f"{_HTTP}._parse",
                "return self._policy.check_url(url), URL(url).copy_with(fragment=None)",
                'parsed = URL(url); plain = parsed.scheme == "http"; '
                'return Target("http", parsed.host, 80, "") if plain else self._policy.check_url(url), parsed',
            ),
        ),
    },
    lambda: measure_connects(every=5),
)
