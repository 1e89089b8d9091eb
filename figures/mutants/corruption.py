"""Mutants of the figure about damaged journals."""

from __future__ import annotations

from functools import partial
from typing import Final

from figures.corruption import measure_corruption
from figures.mutants.mutant import edited, mutants_of, together

_FIGURE: Final = "corruption.executed"
_VERIFY: Final = "remit.journal.verify"
_HEAD: Final = '{"run": row.run, "next_seq": row.next_seq, "chain": chain}'

_SIGNATURES: Final = mutants_of(
    _FIGURE,
    {
        "signatures are not checked": edited(
            "remit.journal.sql.signatures:Signer.check",
            "if not isinstance(signature, bytes) or not hmac.compare_digest(signature, self.sign(kind, values)):",
            "if False:",
        ),
        "the signature of a row does not cover its state": edited(
            "remit.journal.sql.signatures:Signer.sign",
            "row = [values[name] for name in _SIGNED_COLUMNS[kind]]",
            "row = [values[name] for name in _SIGNED_COLUMNS[kind][:1]]",
        ),
    },
    partial(measure_corruption, every=1, only="by SQL"),
)
_CHAIN: Final = mutants_of(
    _FIGURE,
    {"the chain is not verified": edited(f"{_VERIFY}:verify_chain", "if broken is not None:", "if False:")},
    partial(measure_corruption, every=1, only=r"'run1004' \d+ body = "),
)
_END: Final = mutants_of(
    _FIGURE,
    {
        "the signature of the end of a run is not checked": edited(
            "remit.journal.sql.rows:check_head", f"{_HEAD}, row.signature", f'{_HEAD}, signer.sign("head", {_HEAD})'
        ),
    },
    partial(measure_corruption, every=2, only=" cut to "),
)
_ERASED: Final = mutants_of(
    _FIGURE,
    {
        "a call whose start was erased runs again": edited(
            f"{_VERIFY}:verify_lease", "if is_unfinished and lost is not None:", "if False:"
        )
    },
    partial(measure_corruption, every=1, only=r"'run1011' \d+ body = ''"),
)
_OLDER: Final = mutants_of(
    _FIGURE,
    {
        "an older copy of a used approval is used again": together(
            edited("remit.journal.sql.writes:_check_unused", "!= (consumption.run, consumption.call)", "== ()"),
            edited(f"{_VERIFY}:_is_newer", "or item.question not in rows:", "or True:"),
        )
    },
    partial(measure_corruption, every=1, only="put back"),
)

MUTANTS: Final = (*_SIGNATURES, *_CHAIN, *_END, *_ERASED, *_OLDER)
