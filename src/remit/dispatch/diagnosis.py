"""Reports a body's exception to developers. Models and users receive only its message."""

from __future__ import annotations

import logging
import traceback
from typing import Final

from remit.call.call import Call
from remit.call.redact import redact_text
from remit.chat.wire import replace_surrogates
from remit.layers.trace import record_exception

_LOG: Final = logging.getLogger("remit.tools")
_MAX_CHARS: Final = 20_000


def report_exception(call: Call, error: BaseException) -> None:
    """Write an exception with its redacted traceback to the logger ``remit.tools`` and to the call's span.

    A replay runs no bodies, so it reports nothing.
    """
    if call.ledger.execution.is_replaying:
        return
    trace = _make_safe("".join(traceback.format_exception(error)), call)[-_MAX_CHARS:]
    _LOG.error("%s failed in run %s, call %s\n%s", call.callee.name, call.caller.run, call.id, trace)
    record_exception(type(error).__qualname__, _make_safe(str(error), call)[:_MAX_CHARS], trace)


def _make_safe(text: str, call: Call) -> str:
    """Make text safe for log handlers and span exporters: redacted and valid UTF-8."""
    return replace_surrogates(redact_text(text, call.redactions))
