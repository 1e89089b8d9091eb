"""What principals may do with conversations, and which runs are part of them."""

from __future__ import annotations

import pytest

from remit import Principal
from remit.engine.sharing import has_access, is_part, may_see_all
from remit.record.items import DETACHED
from remit.testing import superuser
from remit.testing.store_suite.samples import header_item


def test_no_principal_has_access_to_a_conversation_that_does_not_exist() -> None:
    assert not has_access(superuser(), None, "read")


@pytest.mark.parametrize(
    ("conversation", "after", "expected"), [("talk", "", True), ("", "", False), ("talk", DETACHED, False)]
)
def test_a_run_of_a_conversation_is_part_of_it_unless_it_is_a_direct_call(
    conversation: str, after: str, expected: bool
) -> None:
    assert is_part(header_item(conversation=conversation, after=after)) is expected


@pytest.mark.parametrize(
    ("permission", "expected"),
    [
        ("runs:read", True),
        ("runs:read@site", True),
        ("conversations:*", True),
        ("*", True),
        ("runs:cancel", False),
        ("approvals:decide", False),
    ],
)
def test_a_permission_for_some_target_lets_a_principal_look_for_conversations_of_others(
    permission: str, expected: bool
) -> None:
    assert may_see_all(Principal("ada", permissions=frozenset({permission}))) is expected
