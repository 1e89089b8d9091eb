"""A stack is a value: built with an ``if``, printed as an onion, attached to many."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from remit.core import Place, Stack, check_order
from remit.errors import LayerOrderError


@dataclass(frozen=True)
class Named:
    name: str
    place: Place = Place.OWN

    def __call__(self, inner: object, /) -> object:
        """Change nothing."""
        return inner

    def __repr__(self) -> str:
        return self.name


A, B, C = Named("A"), Named("B"), Named("C")


def test_the_first_layer_is_outermost() -> None:
    assert list(Stack(A, B)) == [A, B]


def test_the_layer_attached_last_is_outermost() -> None:
    assert list(Stack(A, B).layer(C)) == [C, A, B]


def test_a_stack_attached_to_a_stack_keeps_its_own_order_around_it() -> None:
    assert list(Stack(A).layer(Stack(B, C))) == [B, C, A]


def test_stacks_within_stacks_are_flat() -> None:
    assert Stack(A, Stack(B, Stack(C))).layers == (A, B, C)


def test_attaching_leaves_the_stack_as_it_was() -> None:
    inner = Stack(A)
    inner.layer(B)
    assert inner.layers == (A,)


def test_one_stack_serves_many_without_their_seeing_one_another() -> None:
    shared = Stack(A)
    first, second = shared.layer(B), shared.layer(C)
    assert (first.layers, second.layers) == ((B, A), (C, A))


def test_an_empty_stack_is_a_stack() -> None:
    empty: Stack[Named] = Stack()
    assert (len(empty), list(empty), repr(empty)) == (0, [], "")


def test_its_length_is_the_number_of_layers() -> None:
    assert len(Stack(A, Stack(B, C))) == 3


def test_it_tells_whether_a_place_is_taken() -> None:
    stack = Stack(Named("v", Place.VALIDATE))
    assert stack.has_place(Place.VALIDATE)
    assert not stack.has_place(Place.APPROVE)


def test_it_prints_the_onion_outermost_first_one_layer_a_line() -> None:
    assert repr(Stack(A, B, C)) == "A\n└─ B\n   └─ C"


def test_a_check_refuses_a_wrong_order_by_the_names_that_layers_print() -> None:
    wrong = Stack(Named("Timeout(5)", Place.TIMEOUT), Named("Retry()", Place.RETRY))
    with pytest.raises(
        LayerOrderError, match=r"^Retry\(\) must stand outside Timeout\(5\): a timeout is for one attempt"
    ):
        check_order([each.place for each in wrong], [repr(each) for each in wrong])


def test_a_check_accepts_a_right_order() -> None:
    right = Stack(Named("Retry()", Place.RETRY), Named("Timeout(5)", Place.TIMEOUT))
    check_order([each.place for each in right], [repr(each) for each in right])
    assert len(right) == 2
