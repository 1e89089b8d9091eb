"""Format seconds and US dollars for messages."""

from __future__ import annotations

from decimal import Decimal


def format_seconds(seconds: float) -> str:
    """``1 second``, ``0.5 seconds``, ``30 seconds``."""
    return f"{seconds:g} second{'' if seconds == 1 else 's'}"


def format_dollars(dollars: float) -> str:
    """``$5``, ``$0.0123``, ``$0.0000001``: six significant digits, without an exponent."""
    return f"${Decimal(f'{dollars:g}'):f}"
