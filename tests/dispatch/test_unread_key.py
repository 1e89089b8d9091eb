"""Operators are told of keyed tools that do not use their key."""

from __future__ import annotations

import pytest

from remit import Effect, LeafContext, tool
from remit.errors import CallError, ConflictError, ExternalError, RateLimitedError
from tests.dispatch.kit import Bench


@pytest.mark.parametrize(
    ("error", "reads", "is_told"),
    [
        (None, False, True),
        (None, True, False),
        (ExternalError("away"), False, True),
        (ConnectionError("away"), False, True),
        (ConnectionError("away"), True, False),
        (ConflictError("no"), False, False),
        (RateLimitedError("busy"), False, False),
        (ValueError("no"), False, False),
    ],
)
async def test_operators_are_told_of_a_keyed_body_that_may_run_again_and_has_not_read_its_key(
    caplog: pytest.LogCaptureFixture, error: Exception | None, reads: bool, is_told: bool
) -> None:
    @tool(effect=Effect.KEYED)
    async def write(ctx: LeafContext) -> str:
        """Write."""
        if reads:
            assert ctx.key
        if error is not None:
            raise error
        return "written"

    bench = Bench(write)
    if error is None:
        await bench.base(write)
    else:
        with pytest.raises(CallError):
            await bench.base(write)
    told = [each.getMessage() for each in caplog.records if each.name == "remit.dispatch.context"]
    assert [each.split(",")[0] for each in told] == ["write is keyed"] * is_told


@pytest.mark.parametrize("effect", [Effect.PURE, Effect.IDEMPOTENT, Effect.UNSAFE], ids=lambda effect: effect.value)
async def test_no_other_effect_needs_its_key(effect: Effect, caplog: pytest.LogCaptureFixture) -> None:
    @tool(effect=effect)
    async def write(_ctx: LeafContext) -> str:
        """Write."""
        return "written"

    await Bench(write).base(write)
    assert not caplog.records
