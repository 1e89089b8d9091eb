"""What cannot be a tool for its class or its types is refused with the line to write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Never

import pytest

from remit import tool
from remit.errors import ContractError


class Described:
    """Look at a page."""

    async def __call__(self, page: str) -> str:
        return page


class Odd:
    """No type that pydantic knows."""


async def takes_never(y: int, x: Never) -> None:
    """Go."""


async def takes_odd(odd: Odd) -> None:
    """Go."""


async def takes_several(odd: list[Odd]) -> None:
    """Go."""


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "a class with a description": (lambda: tool(Described()), r"write a docstring in Described\.__call__, by which"),
    "a type without values": (lambda: tool(takes_never), r"takes_never: JSON cannot hold the typing\.Never of 'x'"),
    "an odd type": (lambda: tool(takes_odd), "takes_odd: JSON cannot hold the Odd of 'odd'; use JSON types"),
    "an odd type in a list": (lambda: tool(takes_several), r"takes_several: JSON cannot hold the list.* of 'odd'; use"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_type_that_is_none_of_tools_is_refused_with_the_line_to_write(name: str) -> None:
    make, said = REFUSED[name]
    with pytest.raises(ContractError, match=said):
        make()
