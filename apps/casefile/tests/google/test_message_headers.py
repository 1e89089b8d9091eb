"""What would break a header of a mail is refused before the mail is made."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from remit_casefile.google.payloads.gmail import SendMessage


def test_an_answered_message_id_with_a_separator_of_lines_is_refused() -> None:
    with pytest.raises(ValidationError, match="should match pattern"):
        SendMessage(to=["ann@example.com"], subject="Re", body="Yes", in_reply_to="<a\x1eb@example.com>")
