"""A stream of this process is known to the models of its run, and told of items apart from pieces."""

from __future__ import annotations

from remit.engine.watching import RunChanged, is_watched, wake_streams, watch_run


async def test_a_run_is_watched_as_long_as_a_stream_of_this_process_follows_it() -> None:
    with watch_run("run"):
        assert (is_watched("run"), is_watched("other")) == (True, False)
    assert not is_watched("run")


async def test_a_change_says_once_whether_items_were_stored() -> None:
    changed = RunChanged()
    changed.set()
    assert (changed.reset(), changed.is_set()) == (False, False)
    changed.set_for_items()
    assert (changed.reset(), changed.reset()) == (True, False)


async def test_a_stream_that_has_still_to_read_a_piece_is_told_of_items_that_are_stored_meanwhile() -> None:
    with watch_run("run") as changed:
        wake_streams("run")
        assert (changed.is_set(), changed.has_items) == (True, False)
        wake_streams("run", for_items=True)
        assert changed.reset()
