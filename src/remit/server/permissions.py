"""The permissions of a server's own, and what those that Remit itself checks allow, in words for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from remit.approvals.policy import DECIDE_PERMISSION
from remit.call.classification import EXPERIMENT_PERMISSION
from remit.engine.loosening import LOOSEN_PERMISSION
from remit.engine.sharing import CANCEL_PERMISSION, JOIN_PERMISSION, MANAGE_PERMISSION, READ_PERMISSION
from remit.record.principal import WILDCARD

PEOPLE_PERMISSION: Final = "people:manage"
"""The permission for changing other people, and roles."""

CHOOSE_PERMISSION: Final = "models:choose"
"""The permission to choose the model of a server, and to fetch weights."""

WORDS: Final[Mapping[str, str]] = {
    WILDCARD: "everything",
    DECIDE_PERMISSION: "answer questions of others",
    JOIN_PERMISSION: "take part in conversations of others",
    MANAGE_PERMISSION: "manage conversations of others",
    CHOOSE_PERMISSION: "choose the model",
    PEOPLE_PERMISSION: "manage people and roles",
    CANCEL_PERMISSION: "stop runs of others",
    LOOSEN_PERMISSION: "let runs go on without a rule",
    READ_PERMISSION: "see runs of others",
    EXPERIMENT_PERMISSION: "use experimental tools",
}
"""What a holder may do, by permission."""
