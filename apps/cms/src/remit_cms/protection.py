"""The policy of the CMS: who confirms and who approves, and the environments where a person approves every edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from remit import Allow, Ask, Effect, Policy, When
from remit.errors import SetupError
from remit.layers import Call
from remit.policies import ConfirmationFlag

_EDITS: Final = frozenset({"cms:write", "cms:delete"})


DELIVERIES: Final = When("an approved webhook", verdict=Allow(), tools=["cms_deliverWebhook"])
"""What is sent to a webhook was approved with its address. Only the call that a publication scheduled sends it."""


def editing_policy(protected: Iterable[str] = ()) -> Policy:
    """The default policy, in which the acting person confirms deletions of pages and sections.

    Before every edit and deletion in the ``protected`` environments, ``SITE/ENVIRONMENT`` each, an approver is asked. A
    run whose target leaves site or environment out may mean one of them, so it is asked about too.

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
        if not facts.permissions & _EDITS or facts.effect in (Effect.PURE, Effect.COMPOSED):
            return False
        site, _, environment = call.caller.target.partition("/")
        return not site or any(name == f"{site}/{environment or name.partition('/')[2]}" for name in names)

    protects = When(
        "a protected environment",
        is_protected,
        Ask(reason="the environment is protected: a person approves each edit"),
        version=", ".join(sorted(names)),
    )
    return Policy(*([protects] if names else []), DELIVERIES, ConfirmationFlag())
