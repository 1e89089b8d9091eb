"""Result models declare the entities that they describe; one function reads them from results and from records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import pytest
from pydantic import BaseModel, Field

from remit import App, Effect, Runtime, tool
from remit.call.entity import entity_kinds
from remit.errors import ContractError, NotFoundError, SetupError
from remit.record.items import ToolOutput
from remit.stores import InMemoryStore
from remit.testing import superuser
from remit.tools import Entity, entities_of, entity


@entity("section", name="key")
class Section(BaseModel):
    id: int
    key: str


@entity("page", name="title", link="url")
class Brief(BaseModel):
    id: str | None = None
    title: str = ""
    url: str | None = None


class Page(Brief):
    sections: list[Section] = Field(default_factory=list[Section])


@dataclass
class Shelf:
    pages: tuple[Page, ...]
    by_name: dict[str, Section]


class Box(TypedDict):
    shelf: Shelf


class Tree(BaseModel):
    page: Brief | None = None
    children: list[Tree] = Field(default_factory=list["Tree"])


HOME = Page(id="7", title="Home", url="/home", sections=[Section(id=1, key="hero"), Section(id=2, key="text")])
ENTITIES = (Entity("page", "7", "Home", "/home"), Entity("section", "1", "hero"), Entity("section", "2", "text"))


@tool(effect=Effect.PURE)
async def read_page(page: str) -> Page:
    """Read a page."""
    if page == "none":
        raise NotFoundError("no page")
    return HOME


def test_a_result_names_its_entities_from_outside_to_inside_and_in_order() -> None:
    assert entities_of(HOME) == ENTITIES
    assert entities_of([HOME, Page(id="8", title="About")]) == (*ENTITIES, Entity("page", "8", "About"))


def test_entities_are_found_in_dataclasses_and_collections_and_each_is_named_once() -> None:
    shelf = Shelf((HOME, HOME), {"a": Section(id=3, key="map")})
    assert entities_of({"shelf": shelf}) == (*ENTITIES, Entity("section", "3", "map"))
    assert entities_of({("b", Frozen(id="2")), ("a", Frozen(id="1"))}) == (Entity("x", "1", "1"), Entity("x", "2", "2"))


@entity("x", name="id")
class Frozen(BaseModel, frozen=True):
    id: str


def test_a_value_without_an_id_describes_no_entity_and_one_without_a_name_is_called_by_its_id() -> None:
    assert entities_of([Page(), Page(id=""), Page(id="9")]) == (Entity("page", "9", "9"),)
    assert entities_of("text") == entities_of(None) == entities_of(Page) == ()


def test_a_list_that_contains_itself_ends() -> None:
    loop: list[Any] = [HOME]
    loop.append(loop)
    assert entities_of(loop) == ENTITIES


async def test_the_terminal_record_of_a_call_gives_the_same_entities_as_its_result() -> None:
    runtime = Runtime(App(name="test", tools=(read_page,)), store=InMemoryStore())
    result = await runtime.call(read_page, superuser(), "7")
    items = [position.item for position in await runtime.store.read(result.run)]
    (output,) = [item for item in items if isinstance(item, ToolOutput)]
    assert entities_of(output, read_page) == entities_of(result.value()) == ENTITIES
    assert entities_of(output.text, read_page) == ENTITIES


def test_a_record_with_a_notice_for_the_model_gives_the_entities_of_its_result() -> None:
    @tool(effect=Effect.PURE)
    async def find() -> list[Section]:
        """Find sections."""
        return []

    assert entities_of('{"edited": true, "result": [{"id": 1, "key": "hero"}]}', find) == (ENTITIES[1],)


@pytest.mark.parametrize("text", ["not JSON", "[1]", '{"truncated": true, "id": {}}', '{"result": {"id": []}}'])
def test_a_record_that_holds_no_result_has_no_entities(text: str) -> None:
    assert entities_of(text, read_page) == ()


def test_the_record_of_an_error_has_no_entities() -> None:
    failed = ToolOutput(call="c", parent="", callee="read_page", wire="", text="{}", outcome="error")
    assert entities_of(failed, read_page) == ()
    with pytest.raises(ContractError, match="a record needs its callee: entities_of\\(record, tool\\)"):
        entities_of(failed)
    with pytest.raises(SetupError, match="give a ToolOutput, or the content as text"):
        entities_of(7, read_page)


@pytest.mark.parametrize(
    ("kind", "kinds"),
    [
        (Page, ("page", "section")),
        (Brief, ("page",)),
        (dict[str, list[Section] | None], ("section",)),
        (Annotated[Box, "a box"], ("page", "section")),
        (Tree, ("page",)),
        (str, ()),
    ],
)
def test_a_type_tells_the_kinds_of_entities_that_its_values_may_describe(kind: object, kinds: tuple[str, ...]) -> None:
    assert entity_kinds(kind) == kinds


def test_a_type_alias_stands_for_its_type() -> None:
    typing = pytest.importorskip("typing_extensions")
    assert entity_kinds(typing.TypeAliasType("Pages", list[Brief])) == ("page",)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kind": ""}, "entity: kind is empty; give a name"),
        ({"id": 7}, "entity: id is 7; give a string"),
        (
            {"name": "label"},
            "Brief has no field 'label'; name the field that has its name: name=…, one of id, title, url",
        ),
        ({"link": "address"}, "name the field that has its link: link=…, one of id, title, url"),
        ({"id": ""}, "Brief has no field ''"),
    ],
)
def test_a_declaration_names_fields_of_the_model(wrong: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"kind": "page", "name": "title", **wrong}
    with pytest.raises(ContractError, match=message):
        entity(**given)(Brief)


def test_a_declaration_is_for_pydantic_models() -> None:
    wrong: Any = Shelf
    with pytest.raises(ContractError, match="put it on a pydantic model"):
        entity("shelf")(wrong)
    with pytest.raises(ContractError, match="put it on a pydantic model"):
        entity("shelf")(wrong(pages=(), by_name={}))
