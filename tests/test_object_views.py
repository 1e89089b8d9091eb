"""An application declares how people see its objects, and what is wrong with a view is told when it is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from remit import App, Principal
from remit.errors import NameTakenError, SetupError
from remit.object_views import (
    ObjectAction,
    ObjectDetail,
    ObjectEvent,
    ObjectPage,
    ObjectRow,
    ObjectSection,
    ObjectView,
    Viewer,
)
from remit.tools import Change

ADA = Principal("ada", "bakery", frozenset({"cms:read@site/main", "cms:write"}))
PAGE = ObjectPage(title="About", before="/live/about", after="/preview/about")


async def open_page(viewer: Viewer, id: str) -> ObjectDetail | None:  # noqa: A002 - as documented
    if id != "1" or not viewer.principal.may("cms:read"):
        return None
    return ObjectDetail(name="About", pages=[PAGE], changes=[Change("title", "Old", "About")])


async def list_pages(_viewer: Viewer, search: str, limit: int) -> Sequence[ObjectRow]:
    rows = [ObjectRow(id=str(number), name=f"Page {number}") for number in range(5)]
    return [each for each in rows if search in each.name]


VIEW = ObjectView(kind="page", title="Pages", open=open_page, list=list_pages)


def test_a_viewer_has_the_permissions_that_hold_for_the_target() -> None:
    assert not Viewer(principal=ADA).principal.may("cms:read")
    assert Viewer(principal=ADA, target="site/main").principal.may("cms:read")


async def test_a_view_opens_an_object_for_a_viewer_who_may_see_it() -> None:
    found = await VIEW.detail(Viewer(principal=ADA, target="site/main"), "1")
    assert found is not None
    assert (found.name, found.pages, found.changes) == ("About", (PAGE,), (Change("title", "Old", "About"),))
    assert await VIEW.detail(Viewer(principal=ADA), "1") is None


async def test_a_view_lists_no_more_than_was_asked_for() -> None:
    viewer = Viewer(principal=ADA)
    assert [each.id for each in await VIEW.rows(viewer, limit=2)] == ["0", "1"]
    assert [each.id for each in await VIEW.rows(viewer, "3")] == ["3"]
    assert await ObjectView(kind="note", title="Notes", open=open_page).rows(viewer) == ()


async def test_the_events_of_a_view_are_in_order_of_time_and_no_more_than_was_asked_for() -> None:
    asked = list[int]()

    async def list_events(_viewer: Viewer, start: float, end: float, limit: int) -> Sequence[ObjectEvent]:
        asked.append(limit)
        events = [ObjectEvent(id=str(at), name=f"At {at}", at=at) for at in (3.0, 1.0, 2.0)]
        return [each for each in events if start <= each.at < end]

    viewer, view = Viewer(principal=ADA), ObjectView(kind="page", title="Pages", open=open_page, events=list_events)
    assert [each.at for each in await view.events_between(viewer, 1, 3)] == [1, 2]
    assert [each.at for each in await view.events_between(viewer, 0, 9, limit=2)] == [1, 2]
    assert asked == [500, 2]
    assert await VIEW.events_between(viewer, 0, 9) == []


async def test_what_a_function_of_a_view_returns_is_checked() -> None:
    async def list_texts(_viewer: Viewer, _search: str, _limit: int) -> Sequence[ObjectRow]:
        return cast("Any", ["a page"])

    async def open_text(_viewer: Viewer, _id: str) -> ObjectDetail | None:
        return cast("Any", "a page")

    view = ObjectView(kind="page", title="Pages", open=open_text, list=list_texts)
    with pytest.raises(SetupError, match="return ObjectRows"):
        await view.rows(Viewer(principal=ADA))
    with pytest.raises(SetupError, match="return an ObjectDetail, or None"):
        await view.detail(Viewer(principal=ADA), "1")


def test_a_view_that_cannot_work_is_refused_where_it_is_made() -> None:
    def open_now(_viewer: Viewer, _id: str) -> None: ...

    with pytest.raises(SetupError, match=r"ObjectView: open is .*; give an async function"):
        ObjectView(kind="page", title="Pages", open=cast("Any", open_now))
    with pytest.raises(SetupError, match="ObjectView: list"):
        ObjectView(kind="page", title="Pages", open=open_page, list=cast("Any", open_page))
    with pytest.raises(SetupError, match="ObjectView: site"):
        ObjectView(kind="page", title="Pages", open=open_page, site=cast("Any", "the site"))
    with pytest.raises(SetupError, match="ObjectView: kind"):
        ObjectView(kind="", title="Pages", open=open_page)


@pytest.mark.parametrize("address", ["about", "https://elsewhere.example/", "//elsewhere.example"])
def test_a_page_outside_the_site_of_the_application_is_refused(address: str) -> None:
    with pytest.raises(SetupError, match="is not within the site"):
        ObjectPage(title="About", after=address)


def test_parts_of_another_kind_are_refused() -> None:
    with pytest.raises(SetupError, match=r"ObjectDetail: an item of actions is 'publish'; give ObjectAction\(…\)"):
        ObjectDetail(name="About", actions=cast("Any", ["publish"]))
    with pytest.raises(SetupError, match=r"ObjectAction: arguments is \['1'\]; give a mapping"):
        ObjectAction(label="Publish…", tool="publish", arguments=cast("Any", ["1"]))


def test_a_table_has_a_text_for_each_column() -> None:
    section = ObjectSection(title="Mails", columns=["From", "Subject"], rows=[["ann", "Rent"]])
    assert (section.columns, section.rows) == (("From", "Subject"), (("ann", "Rent"),))
    with pytest.raises(SetupError, match="a row has 1 texts for 2 columns"):
        ObjectSection(title="Mails", columns=["From", "Subject"], rows=[["ann"]])
    with pytest.raises(SetupError, match="ObjectSection: an item of an item of rows is 1; give a string"):
        ObjectSection(title="Mails", columns=["From"], rows=[[cast("Any", 1)]])


def test_an_application_has_one_view_of_a_kind() -> None:
    assert App(name="cms", views=[VIEW]).views == (VIEW,)
    with pytest.raises(NameTakenError, match="two views of the kind 'page'"):
        App(name="cms", views=[VIEW, VIEW])
    with pytest.raises(SetupError, match="give ObjectViews"):
        App(name="cms", views=cast("Any", ["page"]))
