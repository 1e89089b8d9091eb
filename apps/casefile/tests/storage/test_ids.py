"""Ids have the forms that are written down, of an injected clock and injected randomness."""

from __future__ import annotations

import re

import pytest

from apps.casefile.tests.world import START
from remit_casefile.storage.ids import CASEFILE_ID, SESSION_ID, IdGenerator, random_hex, request_id, utc_now

COUNTED = IdGenerator(clock=lambda: START, random_digits=lambda digits: "7" * digits)


def test_each_kind_of_row_has_a_form_of_its_own() -> None:
    assert COUNTED.casefile() == "cf_260101_777777"
    assert COUNTED.session("tool", "Anna-Lena", "cf_260101_3fa9c2") == "ts_260101_anna3fa9_777777"
    assert COUNTED.session("chat", "Jo", None) == "cs_260101_jo000000_777777"
    assert COUNTED.event() == "te_777777777777"
    assert COUNTED.message() == "cm_777777777777"


def test_a_request_has_the_id_of_its_call_however_often_that_is_executed() -> None:
    made = {request_id(run, call) for run in ("run_1", "run_2") for call in ("call_1", "call_2") for _ in range(2)}
    assert len(made) == 4
    assert {bool(re.fullmatch("sr_[0-9a-f]{12}", each)) for each in made} == {True}


@pytest.mark.parametrize("user", ["ann", "anna.lena@example.com", "Ä", "", "用户"])
def test_whatever_a_user_is_called_the_id_has_the_form_that_is_checked(user: str) -> None:
    ids = IdGenerator()
    assert re.fullmatch(SESSION_ID, ids.session("tool", user, ids.casefile()))
    assert re.fullmatch(CASEFILE_ID, ids.casefile())


def test_random_ends_have_their_length_and_do_not_repeat() -> None:
    made = {random_hex(12) for _ in range(1000)}
    assert len(made) == 1000
    assert {len(each) for each in made} == {12}


def test_the_time_has_a_zone() -> None:
    assert utc_now().tzinfo is not None
