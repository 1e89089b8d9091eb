"""Mutants of the figures about the audit trail."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_CHECK: Final = "remit.audit.run_check"
_LOG: Final = "remit.audit.log"
_APPEND: Final = "remit.audit.append_only_file:_append_locked"

_UNDETECTED: Final = mutants_of(
    "audit.undetected",
    {
        "the chain of a run is not verified": edited(
            f"{_CHECK}:_find_chain_faults", "find_broken_link(positions)", "None"
        ),
        "the head of a run is not compared with the log": edited(
            f"{_CHECK}:_find_chain_faults", "if logged_head != head:", "if False:"
        ),
        "the log is not compared with its anchor": edited(
            "remit.audit.report:find_log_faults", "contents.links[h.count - 1] != h.link", "False"
        ),
        "the head of a run does not cover the time of its items": edited(
            f"{_LOG}:advance_head", "{float(position.at).hex()}|", ""
        ),
        "a run that ends too early is not noticed": edited(
            f"{_CHECK}:_find_chain_faults", "if len(positions) <= last:", "if False:"
        ),
        "the row of a run is not compared with its items": edited(
            f"{_CHECK}:_find_index_faults", "[] if expected == row else", "[] if True else"
        ),
    },
)
_FORKS: Final = mutants_of(
    "audit.forks",
    {
        "two processes append to a log at once": edited(_APPEND, "fcntl.flock(file, fcntl.LOCK_EX)", "pass"),
        "the lock of a log is shared": edited(_APPEND, "fcntl.LOCK_EX", "fcntl.LOCK_SH"),
        "the lock of a log is released before the entry is written": edited(
            _APPEND, "file.read()", "file.read(); fcntl.flock(file, fcntl.LOCK_UN)"
        ),
    },
)

MUTANTS: Final = (*_UNDETECTED, *_FORKS)
