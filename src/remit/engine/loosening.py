"""Detects runs whose process lacks terms under which they were opened, and records permissions to continue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import structs

from remit.core.checks import as_text_tuple, check_text
from remit.dispatch.terms import LostTerm, Terms, find_lost, inherit_terms, loosen_terms
from remit.errors import RequestError
from remit.record.arguments import Limits
from remit.record.items import Item, RunLoosened, RunOpened
from remit.record.principal import Principal
from remit.record.secret import redact_secrets

LOOSEN_PERMISSION = "runs:loosen"
"""The permission to let a run continue without a rule or layer, or above a limit, under which it was opened."""

FindTerms = Callable[[RunOpened], Terms]
"""Returns the terms under which this process executes the run with a header."""


def pin_terms(header: RunOpened, find_terms: FindTerms, *, cause: RunOpened | None = None) -> RunOpened:
    """The header of a new run with the terms under which it is opened. ``cause`` is the header of the causing run."""
    caused_by = "" if cause is None else cause.terms
    return structs.replace(header, terms=inherit_terms(caused_by, find_terms(header), caller=header.agent))


def find_lost_terms(header: RunOpened, items: Iterable[Item], find_terms: FindTerms) -> list[LostTerm]:
    """The terms of a run that this process lacks and that no principal has waived."""
    return find_lost(_pinned_terms(header, items), find_terms(header), caller=header.agent)


def _pinned_terms(header: RunOpened, items: Iterable[Item]) -> str:
    loosened = [item for item in items if isinstance(item, RunLoosened)]
    return loosened[-1].terms if loosened else header.terms


def explain_lost(lost: Sequence[LostTerm]) -> str:
    """The reason for the rest of a run whose terms this process lacks."""
    missing = ", ".join(each.description for each in lost)
    return (
        f"it was opened under {missing}, which this process lacks; start the application with it, or let a person with "
        f"{LOOSEN_PERMISSION} continue the run without it"
    )


def make_loosening(
    header: RunOpened,
    items: Sequence[Item],
    find_terms: FindTerms,
    *,
    without: Iterable[str],
    by: Principal,
    reason: str,
    limits: Limits,
) -> RunLoosened:
    """The item with which ``by`` lets a run continue without any of the terms that this process lacks.

    Raises:
        RequestError: ``without`` names anything else, or the reason is missing or too long.
    """
    lost = {each.name: each.description for each in find_lost_terms(header, items, find_terms)}
    names = as_text_tuple("without", without)
    check_text("reason", reason, RequestError)
    if not reason.strip() or len(reason.encode()) > limits.reason_bytes:
        raise RequestError(f"reason: say why the run continues without these, in at most {limits.reason_bytes:,} bytes")
    for name in names:
        if name not in lost:
            what = f"; it lacks: {', '.join(map(repr, lost))}" if lost else ", nor anything else of its terms"
            raise RequestError(f"run {header.call} does not lack {name!r} here{what}")
    for name, description in lost.items():
        if name not in names:
            raise RequestError(f"run {header.call} also lacks {description}; name {name!r} too")
    terms = loosen_terms(_pinned_terms(header, items), find_terms(header), caller=header.agent)
    return RunLoosened(call=header.call, without=names, by=by.name, reason=redact_secrets(reason), terms=terms)
