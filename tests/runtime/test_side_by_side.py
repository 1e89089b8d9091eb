"""A body that makes calls side by side is suspended as a whole: its siblings end, and all are asked about together."""

from __future__ import annotations

from collections import Counter

import pytest

from remit.journal.ports import Store
from remit.stores import InMemoryStore
from tests.runtime.kit import Clock, Crash, Mortal
from tests.runtime.side_by_side import ADA, SIBLINGS, WAYS, Scene, Together, gathered, in_a_group

ways = pytest.mark.parametrize("together", WAYS, ids=lambda way: way.__name__)
siblings = pytest.mark.parametrize("sibling", SIBLINGS)


def slow_effects(sibling: str) -> list[str]:
    return ["slow", "again"] if sibling == "composed" else ["slow"]


@pytest.mark.every_store
@ways
@siblings
async def test_siblings_end_all_questions_are_asked_together_and_each_effect_happens_once(
    store: Store, together: Together, sibling: str
) -> None:
    scene = Scene(together, sibling, store)
    result = await scene.process().call(scene.body, ADA)
    rows = await store.list_questions()
    asked = [row.question.arguments for row in rows if row.question.id in result.questions]
    assert result.status == "waiting"
    assert len(result.questions) == len(rows) == (3 if sibling == "asking" else 2)
    assert {row.question.kind for row in rows} == {"approval"}, "no call is said to have been interrupted"
    assert {'{"text":"a"}', '{"text":"b"}'} <= set(asked)
    assert scene.effects == ([] if sibling == "asking" else slow_effects(sibling)), "nothing begins after a question"
    result = await scene.answer_all(result)
    assert (result.status, result.value()) == ("done", "done")
    assert Counter(scene.effects) == Counter(["a", "b", "after", *slow_effects(sibling)])
    report = await scene.process().replay(result.run)
    assert report.difference == ""
    assert len(scene.effects) == 4 + (sibling == "composed"), "a replay runs nothing"


@ways
@pytest.mark.parametrize("sibling", ["unsafe", "asking"])
async def test_bodies_three_deep_are_suspended_together(together: Together, sibling: str) -> None:
    scene = Scene(together, sibling, InMemoryStore(), depth=3)
    result = await scene.process().call(scene.body, ADA)
    assert len(result.questions) == (3 if sibling == "asking" else 2)
    result = await scene.answer_all(result)
    assert Counter(scene.effects) == Counter(["a", "b", "slow", "after"])
    assert (await scene.process().replay(result.run)).difference == ""


@pytest.mark.parametrize("together", [gathered, in_a_group])
@siblings
async def test_a_process_that_dies_at_any_append_leaves_each_effect_once(together: Together, sibling: str) -> None:
    for append in range(2, 100):
        clock = Clock()
        store = Mortal(clock)
        scene = Scene(together, sibling, store)
        store.die_at(append, after=append % 2 == 0)
        try:
            result = await scene.answer_all(await scene.process().call(scene.body, ADA))
        except Crash:
            store.revive()
            clock.now += 60
            (row,) = await store.list_runs()
            result = await scene.answer_all(await scene.process().resume(row.run))
        else:
            assert append > 10, "it died at every append that there is"
            return
        repeatable = {"after"} if sibling in ("unsafe", "composed", "asking") else {"after", "slow"}
        once = [text for text in scene.effects if text not in repeatable]
        assert Counter([*once, *repeatable]) == Counter(["a", "b", "after", *slow_effects(sibling)])
        assert repeatable <= set(scene.effects)
        assert result.status == "done"
        assert (await scene.process().replay(result.run)).difference == ""
