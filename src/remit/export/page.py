"""A run or a conversation as one page: self-contained HTML without scripts, in which no text can become markup."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from remit.export.markup import Markup, element, join
from remit.export.story import Story, clock_text, duration_text, write_receipt
from remit.export.style import STYLE
from remit.journal.run_totals import RunTotals
from remit.record.items import ErasedItem, Position, RunOpened
from remit.record.usage import Prices, UsageTotals
from remit.views.receipt import FindContract, receipt_of
from remit.views.run_view import RunView

_POLICY: Final = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; "
    f"style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'"
)
"""Even a tampered page loads and runs nothing."""

_GOOD: Final = ("done",)
_BAD: Final = ("failed", "cancelled")


def write_page(
    title: str,
    runs: Sequence[Sequence[Position]],
    prices: Prices,
    find_contract: FindContract = lambda _name: None,
) -> str:
    """The page of runs, each given as all its items from the header on. See `make_receipt` for ``find_contract``."""
    head = join(
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", Markup(STYLE)),
    )
    sections = [_section(run, prices, find_contract) for run in runs]
    body = element("main", _header(title, runs, prices), *sections, _footer(runs))
    page = element("html", element("head", head), element("body", body), lang="en")
    return f"<!doctype html>\n{page}\n"


def _header(title: str, runs: Sequence[Sequence[Position]], prices: Prices) -> Markup:
    people = dict.fromkeys(each[0].item.principal for each in runs if isinstance(each[0].item, RunOpened))
    started = _date(runs[0][0].at) if runs else ""
    usage = RunTotals.of(position for run in runs for position in run).usage(prices)
    facts = [started, ", ".join(people), f"{len(runs):,} runs" if len(runs) > 1 else "", _usage_text(usage)]
    return element("header", element("h1", title or "Untitled", dir="auto"), _facts(facts))


def _section(run: Sequence[Position], prices: Prices, find_contract: FindContract) -> Markup:
    header = run[0].item
    if not isinstance(header, RunOpened):
        return element("section", element("p", f"Run {run[0].run} was erased.", class_="event"))
    view = RunView.of(run)
    status = view.status
    colour = "ok" if status in _GOOD else "bad" if status in _BAD else "ask"
    name = element("h2", element("code", header.callee), element("span", status, class_=f"chip {colour}"))
    facts = [
        f"run {run[0].run}", f"by {header.principal}", header.target and f"for {header.target}", _date(run[0].at),
        f"took {duration_text(run[-1].at - run[0].at)}", _usage_text(view.totals.usage(prices)),
    ]  # fmt: skip
    receipt = write_receipt(receipt_of(view, find_contract))
    return element(
        "section", element("header", name, _facts(facts)), Story(run, header, view, find_contract).thread(), receipt
    )


def _footer(runs: Sequence[Sequence[Position]]) -> Markup:
    count = sum(len(run) for run in runs)
    erased = sum(isinstance(position.item, ErasedItem) for run in runs for position in run)
    gone = f", of which {erased:,} were erased" if erased else ""
    return element("footer", f"From the journal of Remit: {count:,} items{gone}. Times are UTC.")


def _facts(facts: Sequence[str]) -> Markup:
    return element("p", *(element("span", each) for each in facts if each), class_="facts")


def _usage_text(usage: UsageTotals) -> str:
    if not usage.requests:
        return ""
    cost = "" if not usage.cost else f", ${usage.cost:.4f}"
    return f"{usage.tokens:,} tokens in {usage.requests:,} requests{cost}"


def _date(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d} {clock_text(at)}"
