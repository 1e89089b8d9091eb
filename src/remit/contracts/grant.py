"""A standing grant: a person's yes to calls that have not been made yet."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple, cast

from pydantic import TypeAdapter

from remit.schemas.jsontext import canonical_text

LIKE_KEY: Final = "$like"
"""In a pattern, ``{"$like": "blog-*"}`` stands for every text of that shape; ``*`` is any number of characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """So many calls of one tool, with arguments of one pattern, in runs of one principal, are not asked about.

    Args:
        principal: in whose runs. tenant: whose data.
        arguments: the pattern, as JSON text; see `fits`.
        definition: digest of the tool's definition. policy: version of the policy. Under others the grant is void.
        who: the permission that the giver holds, and that a rule must ask for so that the grant answers it.
        by: who gave it. given, expires: seconds since the epoch. count: how many calls.
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

    def to_json(self) -> str:
        """The grant as JSON text, for the store."""
        return _type_adapter().dump_json(self).decode()

    @staticmethod
    def from_json(text: str) -> Grant:
        """The grant that `json` wrote."""
        return _type_adapter().validate_json(text, strict=True)


class GrantRow(NamedTuple):
    """A grant, how many of its calls are used, and who revoked it, if somebody did."""

    grant: Grant
    used: int
    revoked_by: str

    def is_usable(self, now: float) -> bool:
        """Whether it still answers anything."""
        return not self.revoked_by and self.grant.expires > now and self.used < self.grant.count


def matches_pattern(pattern: str, arguments: str) -> bool:
    """Whether canonical ``arguments`` are of a pattern, both JSON objects.

    What a pattern names must be equal, of the same type, or `LIKE` what it says; what it does not name may be anything.
    """
    return _value_matches(json.loads(pattern), json.loads(arguments))


def _value_matches(pattern: object, value: object) -> bool:
    if isinstance(pattern, dict):
        expected = cast("dict[str, Any]", pattern)
        if expected.keys() == {LIKE_KEY}:
            return isinstance(value, str) and _matches_wildcard(str(expected[LIKE_KEY]), value)
        if not isinstance(value, dict):
            return False
        actual = cast("dict[str, Any]", value)
        return all(name in actual and _value_matches(part, actual[name]) for name, part in expected.items())
    if _is_number(pattern) and _is_number(value):
        return pattern == value
    return canonical_text(pattern) == canonical_text(value)


def _matches_wildcard(pattern: str, text: str) -> bool:
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), text, re.DOTALL) is not None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@cache
def _type_adapter() -> TypeAdapter[Grant]:
    """Built when first used: most processes that import this give nobody anything."""
    return TypeAdapter(Grant)
