"""The figure about fields of models' messages, on a sample of its shapes."""

from __future__ import annotations

from itertools import product

import pytest

from figures.mutants.mutant import Mutant
from figures.mutants.wire import MUTANTS
from figures.wire import WAYS, play
from figures.wire_shapes import SHAPES

SAMPLE = ("openai, speech", "llama.cpp")


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", SAMPLE)
async def test_a_message_goes_back_as_it_was_sent(name: str, way: str) -> None:
    lost, requests = await play(SHAPES[name], way, is_layered=name == "llama.cpp")
    assert (lost, requests > 1) == ([], True)


def test_each_shape_says_where_it_comes_from() -> None:
    assert len(SHAPES) >= 20
    assert all(shape.source for shape in SHAPES.values())


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.defect)
async def test_the_figure_notices_each_of_its_mutants(mutant: Mutant) -> None:
    with mutant.plant():
        for name, way in product(("llama.cpp", "qwen"), WAYS):
            lost, _ = await play(SHAPES[name], way, is_layered=False)
            if lost:
                return
    pytest.fail("the figure did not notice it")
