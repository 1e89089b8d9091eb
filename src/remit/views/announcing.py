"""Whether a call only announced another one, about which a person is asked: the one rule of sentences and receipts."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import cast

from remit.call.contract import Contract
from remit.views.parts import CallView


def only_announces(call: CallView, contract: Contract | None) -> bool:
    """Whether a call opened a question about another call, or lacks the flag without which its tool changes nothing.

    A call without that flag changes nothing even if nobody was asked. If its arguments are not on record, only the
    question tells.
    """
    flag = None if contract is None else contract.facts.confirm
    if call.announces or flag is None or not call.made_with:
        return call.announces
    with suppress(ValueError, RecursionError):
        given = cast("object", json.loads(call.made_with))
        return not (isinstance(given, dict) and cast("dict[str, object]", given).get(flag) is True)
    return False
