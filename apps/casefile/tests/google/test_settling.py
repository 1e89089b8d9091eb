"""Patience: what may be waited, and for what."""

from __future__ import annotations

import asyncio

import pytest

from remit.errors import SetupError
from remit_casefile.google.write_confirmation import WaitSchedule, make_trace


@pytest.mark.parametrize("waits", [(), (-1.0,)])
def test_patience_looks_at_least_once_and_never_waits_backwards(waits: tuple[float, ...]) -> None:
    with pytest.raises(SetupError, match="at least one wait"):
        WaitSchedule(sleep=asyncio.sleep, waits=waits)


def test_a_trace_is_one_of_its_key_and_does_not_tell_it() -> None:
    assert make_trace("key-1") == make_trace("key-1") != make_trace("key-2")
    assert "key-1" not in make_trace("key-1")
