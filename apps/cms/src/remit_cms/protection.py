"""Protected environments: a person approves every edit there, and not only what visitors notice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from remit import Ask, Effect, Policy, When
from remit.errors import SetupError
from remit.layers import Call

_WRITE: Final = "cms:write"


def protecting_policy(protected: Iterable[str]) -> Policy:
    """The default policy, and a question before every edit of some environments, ``SITE/ENVIRONMENT`` each.

    A run whose target leaves site or environment out may mean one of them, so it is asked about too.

    Raises:
        SetupError: a name is not that of an environment.
    """
    names = frozenset(protected)
    for name in names:
        site, _, environment = name.partition("/")
        if not site or not environment or "/" in environment:
            raise SetupError(f"a protected environment is {name!r}; give SITE/ENVIRONMENT, such as bakery/main")

    def is_protected(call: Call) -> bool:
        facts = call.callee.facts
        if _WRITE not in facts.permissions or facts.effect in (Effect.PURE, Effect.COMPOSED):
            return False
        site, _, environment = call.caller.target.partition("/")
        return not site or any(name == f"{site}/{environment or name.partition('/')[2]}" for name in names)

    return Policy(
        When(
            "a protected environment",
            is_protected,
            Ask(reason="the environment is protected: a person approves each edit"),
            version=", ".join(sorted(names)),
        ),
    )
