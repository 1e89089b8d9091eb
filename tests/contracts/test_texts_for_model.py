"""Messages of one model, as another may get them."""

from __future__ import annotations

from remit.contracts.chat import texts_for_model

PLAIN = '{"role":"user","content":"Hi"}'


def test_texts_that_no_vendor_marked_stay_as_they_are() -> None:
    assert texts_for_model([PLAIN], "other") is None
