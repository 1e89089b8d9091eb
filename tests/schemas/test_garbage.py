"""The garbage collector rests while an application is put together, and not a moment longer."""

from __future__ import annotations

import gc

import pytest

from remit.schemas.garbage import pause_gc


def test_it_rests_meanwhile_and_works_again_afterwards() -> None:
    with pause_gc():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_works_again_after_an_error() -> None:
    with pytest.raises(ValueError, match="wrong"), pause_gc():
        raise ValueError("wrong")
    assert gc.isenabled()


def test_within_another_pause_the_outer_one_ends_it() -> None:
    with pause_gc():
        with pause_gc():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_one_who_switched_it_off_finds_it_off() -> None:
    gc.disable()
    try:
        with pause_gc():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_around_a_function_it_rests_during_each_call() -> None:
    @pause_gc()
    def enabled() -> bool:
        return gc.isenabled()

    assert (enabled(), enabled(), gc.isenabled()) == (False, False, True)
