"""The prices of well-known models, from a dated table. A program can add and replace prices."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

from remit.core.checks import check_instance
from remit.record.usage import Price, Prices


def with_default_prices(prices: Prices | None = None) -> Prices:
    """The table of ``prices.json`` with ``prices`` added. A price in ``prices`` replaces the one in the table.

    Raises:
        SetupError: ``prices`` is not a mapping from names to prices of 0 or more.
    """
    check_instance(
        "prices", {} if prices is None else prices, Mapping, "give a mapping, such as {'my-model': Price(1.0, 4.0)}"
    )
    for name, price in (prices or {}).items():
        check_instance(f"the price of {name}", price, Price, "give Price(input, output)")
    return {**_read_table(), **(prices or {})}


@cache
def _read_table() -> Prices:
    from importlib.resources import files  # noqa: PLC0415 - it loads tempfile and compression

    table = json.loads(files("remit.models").joinpath("prices.json").read_text(encoding="utf-8"))
    return {name: Price(*dollars) for name, dollars in table["dollars per million tokens"].items()}
