"""Tells developers of an exception that a body raised: models and users get its message only."""

from __future__ import annotations

import logging
import traceback
from typing import Final

from remit.contracts.call import Call
from remit.contracts.redact import redact_text
from remit.layers.trace import record_exception

_LOG: Final = logging.getLogger("remit.tools")
_MAX_CHARS: Final = 20_000


def report_exception(call: Call, error: BaseException) -> None:
    """Write an exception to the logger ``remit.tools`` and to the span of its call, with its redacted traceback.

    A replay makes no calls, so it reports nothing.
    """
    if call.ledger.is_replaying:
        return
    trace = redact_text("".join(traceback.format_exception(error)), call.redactions)[-_MAX_CHARS:]
    _LOG.error("%s failed in run %s, call %s\n%s", call.callee.name, call.caller.run, call.id, trace)
    record_exception(type(error).__qualname__, redact_text(str(error), call.redactions)[:_MAX_CHARS], trace)
