"""A stack is a value: built with an ``if``, printed as an onion, attached to many."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pytest

from remit.core import Layer, Place, Service, Stack, check_order
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


RETRY, TIMEOUT, APPROVE = (Named(place.value, place) for place in (Place.RETRY, Place.TIMEOUT, Place.APPROVE))


@pytest.mark.parametrize("layers", list(itertools.permutations((RETRY, TIMEOUT, APPROVE))))
def test_attached_layers_stand_at_their_places_whatever_was_attached_first(layers: tuple[Named, ...]) -> None:
    stack: Stack[Named] = Stack()
    for each in layers:
        stack = stack.layer(each)
    assert list(stack) == [APPROVE, RETRY, TIMEOUT]


def test_a_layer_goes_as_far_out_as_its_place_allows() -> None:
    assert list(Stack(A, APPROVE, B, TIMEOUT).layer(RETRY)) == [A, APPROVE, RETRY, B, TIMEOUT]


def test_a_place_that_two_rules_put_inside_another_stands_there_without_the_place_between() -> None:
    authorize = Named("authorize", Place.AUTHORIZE)
    assert list(Stack(authorize).layer(TIMEOUT)) == [authorize, TIMEOUT]


def test_of_layers_at_one_place_the_last_attached_is_outside() -> None:
    other = Named("other", Place.RETRY)
    assert list(Stack(APPROVE, RETRY).layer(other)) == [APPROVE, other, RETRY]


def test_an_attached_stack_keeps_its_order_where_its_layers_go_further_in() -> None:
    assert list(Stack(APPROVE, C).layer(Stack(A, RETRY, B))) == [A, APPROVE, RETRY, B, C]


async def test_a_stack_wraps_a_service_as_a_layer_does() -> None:
    def adds(letter: str) -> Layer[str, str]:
        @dataclass(frozen=True)
        class Adds:
            place: Place = Place.OWN

            def __call__(self, inner: Service[str, str], /) -> Service[str, str]:
                async def add(text: str, /) -> str:
                    return f"{letter}({await inner(text)})"

                return add

        return Adds()

    async def base(text: str, /) -> str:
        return text

    assert await Stack(adds("a"), adds("b"))(base)("x") == "a(b(x))"
    assert Stack()(base) is base


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
