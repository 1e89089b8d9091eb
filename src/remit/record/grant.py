"""A grant: approval given in advance for future calls."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple, cast

from pydantic import TypeAdapter

from remit.schemas.jsontext import canonical_text

LIKE_KEY: Final = "$like"
"""The key of a text pattern such as ``{"$like": "blog-*"}``, in which ``*`` stands for any number of characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Approval in advance for calls of one tool, with matching arguments, in runs of one principal and target.

    Args:
        principal: the principal whose runs it covers.
        tenant: the tenant whose data it covers.
        arguments: the pattern, as JSON text; see `matches_pattern`.
        definition: digest of the tool's definition. The grant is void under another definition.
        policy: version of the policy. The grant is void under another version.
        who: the grantor's permission. The grant answers only questions of rules that require this permission.
        by: name of the grantor.
        given: seconds since the epoch.
        expires: seconds since the epoch.
        count: the number of calls that it covers.
        target: the target of the runs that it covers; empty for runs without one.
    """

    id: str
    tenant: str
    tool: str
    arguments: str
    principal: str
    definition: str
    policy: str
    who: str
    by: str
    given: float
    expires: float
    count: int
    reason: str = ""
    target: str = ""

    def to_json(self) -> str:
        """Serialise the grant for the store, without an empty target."""
        return _type_adapter().dump_json(self, exclude=None if self.target else {"target"}).decode()

    @staticmethod
    def from_json(text: str) -> Grant:
        """Load a grant from the text of `to_json`."""
        return _type_adapter().validate_json(text, strict=True)


class GrantRow(NamedTuple):
    """A grant, the number of its calls used so far, and who revoked it; empty if it is not revoked."""

    grant: Grant
    used: int
    revoked_by: str

    def is_usable(self, now: float) -> bool:
        """Whether the grant can still approve a call."""
        return not self.revoked_by and self.grant.expires > now and self.used < self.grant.count


def matches_pattern(pattern: str, arguments: str) -> bool:
    """Whether canonical ``arguments`` match ``pattern``; both are JSON objects.

    Values in the pattern must be equal and of the same type, or match its `LIKE_KEY`; objects must have the same keys.
    Arguments that the pattern does not name may have any value.
    """
    named, actual = json.loads(pattern), json.loads(arguments)
    return all(name in actual and _value_matches(part, actual[name]) for name, part in named.items())


def _value_matches(pattern: object, value: object) -> bool:
    if isinstance(pattern, dict):
        expected = cast("dict[str, Any]", pattern)
        if expected.keys() == {LIKE_KEY}:
            return isinstance(value, str) and _matches_wildcard(str(expected[LIKE_KEY]), value)
        if not isinstance(value, dict) or expected.keys() != (actual := cast("dict[str, Any]", value)).keys():
            return False
        return all(_value_matches(part, actual[name]) for name, part in expected.items())
    if _is_number(pattern) and _is_number(value):
        return pattern == value
    return canonical_text(pattern) == canonical_text(value)


def _matches_wildcard(pattern: str, text: str) -> bool:
    """Whether a text matches a pattern in which ``*`` stands for any text, in linear time."""
    first, *others = pattern.split("*")
    if not others:
        return text == first
    at = len(first) if text.startswith(first) else -1
    for part in others[:-1]:
        found = text.find(part, at) if at >= 0 else -1
        at = found + len(part) if found >= 0 else -1
    return at >= 0 and len(text) - len(others[-1]) >= at and text.endswith(others[-1])


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@cache
def _type_adapter() -> TypeAdapter[Grant]:
    """Build the adapter on first use: most processes create no grants."""
    return TypeAdapter(Grant)
