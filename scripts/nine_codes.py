"""The nine codes that tools of a content system answer with, and which codes of Remit each of them stands for."""

from typing import Final

NINE_CODES: Final = {
    "NOT_FOUND": ("NOT_FOUND", "UNKNOWN_TOOL"),
    "ALREADY_EXISTS": ("ALREADY_EXISTS",),
    "VALIDATION_ERROR": ("VALIDATION_ERROR", "CONFLICT", "IDEMPOTENCY_KEY_REUSED", "REPEATED_CALL"),
    "PERMISSION_DENIED": ("PERMISSION_DENIED", "BLOCKED", "POLICY_ERROR", "APPROVAL_DENIED", "CAPABILITY_ABSENT"),
    "RATE_LIMITED": ("RATE_LIMITED", "BUDGET_EXCEEDED", "MAX_TURNS"),
    "INTERNAL_ERROR": ("INTERNAL_ERROR", "TOOL_FAILED", "SEAL_BROKEN", "INVALID_OUTPUT"),
    "EXTERNAL_SERVICE_ERROR": (
        "ANSWER_LOST",
        "EXTERNAL_SERVICE_ERROR",
        "BREAKER_OPEN",
        "MODEL_ERROR",
        "MODEL_UNAVAILABLE",
        "MODEL_ACCESS",
        "MODEL_BUSY",
        "MODEL_REFUSED",
        "CONTEXT_LENGTH",
        "MODEL_GARBAGE",
    ),
    "TIMEOUT": ("TIMEOUT", "STILL_RUNNING"),
    "CANCELLED": ("CANCELLED",),
}
"""Codes of Remit by the one of the nine that a program which knows no others may take them for."""


def broad_code(code: str) -> str:
    """The one of the nine that a code belongs to.

    Raises:
        LookupError: it belongs to none, or to several.
    """
    (found,) = [broad for broad, codes in NINE_CODES.items() if code in codes] or [""]
    if not found:
        raise LookupError(f"{code} is not in NINE_CODES of scripts/nine_codes.py; add it")
    return found
