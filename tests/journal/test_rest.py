"""What a resting run waits for."""

from remit.journal.rest import Rest, find_rest
from remit.record.items import Item, RunResumed, RunScheduled, RunStalled, RunSuspended

_SCHEDULED = RunScheduled(call="c", at=50.0)
_ASKED = RunSuspended(call="c", questions=("q1", "q2"))
_STALLED = RunStalled(call="c", reason="no model", retry_at=70.0, questions=("q3",), lacks=("rule a",))


def test_a_run_that_never_rested_waits_for_nothing() -> None:
    assert find_rest([]) == find_rest([RunResumed(call="c", driver="d")]) == Rest()


def test_the_last_rest_of_a_run_counts_alone() -> None:
    items: list[Item] = [_SCHEDULED, _ASKED, RunResumed(call="c", driver="d"), _STALLED]
    waited_for = [find_rest(items[:count]) for count in (1, 2, 3, 4)]
    assert waited_for == [
        Rest(due=50.0),
        Rest(("q1", "q2")),
        Rest(("q1", "q2")),
        Rest(("q3",), 70.0, "no model", ("rule a",)),
    ]
