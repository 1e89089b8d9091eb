"""Which classes implement a protocol."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import pytest

from remit.core.protocols import implements


@runtime_checkable
class Speaks(Protocol):
    """Says something."""

    def speak(self) -> str: ...


class Dog:
    def speak(self) -> str:
        return "woof"


class Stone:
    pass


@pytest.mark.parametrize("_", range(2))
def test_a_class_implements_a_protocol_or_not_however_often_it_is_asked(_: int) -> None:
    assert implements(Dog(), Speaks)
    assert not implements(Stone(), Speaks)
    assert not implements(None, Speaks)
