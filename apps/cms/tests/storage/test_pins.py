"""Pins: what previews show, as text that strangers may send."""

from __future__ import annotations

import json

import pytest

from remit_cms.storage.pins import DatePin, PagePin, Pin, PlanPin, SetPin, encode, find_pin, name_pin

PINS: list[Pin] = [
    PagePin("page_1", 3),
    SetPin("set_1", "2026-01-01T00:00:00+00:00", "ab"),
    PlanPin("publish", "page_1", 0, "ab"),
    DatePin(1_800_000_000, 1_700_000_000),
]


@pytest.mark.parametrize("pin", PINS)
def test_the_name_of_a_pin_finds_it(pin: Pin) -> None:
    assert find_pin(name_pin(pin)) == pin


@pytest.mark.parametrize(
    "written",
    [
        [],
        ["page"],
        ["page", "p", "1"],
        ["page", "p", True],
        ["page", "p", 1, 2],
        ["nothing", "p", 1],
        [["page"], "p", 1],
        ["plan", "delete", "p", 0, ""],
        ["plan", "hide", "p", -1, ""],
        ["date", 10**30, 0],
        ["date", 0, 1.5],
        {"page": 1},
        "page",
        None,
    ],
)
def test_what_is_no_pin_has_none(written: object) -> None:
    assert find_pin(encode(json.dumps(written).encode())) is None


@pytest.mark.parametrize("name", ["", "!", "é", "e30=", f"{name_pin(PINS[0])}=", "[" * 5000, encode(b"[" * 5000)])
def test_a_text_that_is_no_name_has_none(name: str) -> None:
    assert find_pin(name) is None
