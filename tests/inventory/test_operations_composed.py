"""Tools of an inventory that are made of its other tools, as pipelines are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from pydantic import BaseModel

from figures.notebook import VOCABULARY, WEATHER, Notebook, Notes, Weather, table
from remit import App, Context, Effect, Policy, Runtime, Tool, preset
from remit.app import Env
from remit.call.classification import Complexity
from remit.inventory.binder import ComposeFunction
from remit.inventory.drift import run_checklist
from remit.inventory.lock import build_lock, lock_path
from remit.inventory.operations import Operations
from remit.inventory.reader import read_inventory
from remit.pipeline import From, Given, Pipeline, PipelineResult, Step, Text
from remit.schemas.finding import InventoryError
from remit.testing import superuser


@pytest.fixture
def notebook(tmp_path: Path) -> Notebook:
    return Notebook(tmp_path / "inventory").write()


DECLARED = "{required_permissions: [notes:write, weather:read]}"
PIPELINES = """\
domain: office
subdomain: notes
methods:
  note_weather:
    classification: {capability: process, complexity: pipeline, integration_tier: hybrid}
    effect: composed
    business_rules: {required_permissions: [notes:write, weather:read]}
"""


class ForecastOf(BaseModel):
    """Where."""

    place: str


class Reporter:
    """Writes the weather down, by a pipeline of other tools of the inventory."""

    def __init__(self, tool: Callable[[str], Tool[..., Any]]) -> None:
        steps = [
            Step(name="look", callee=tool("weather"), takes={"place": Given("place")}),
            Step(name="write", callee=tool("quick_note"), takes={"title": Text("{c} °C", c=From("look", "degrees"))}),
        ]
        self._pipeline = Pipeline("report", ForecastOf, steps, description="Report.")
        self.calls = {self.note_weather: self._pipeline.callees}

    async def note_weather(self, ctx: Context, asked: ForecastOf) -> PipelineResult:
        """Write the weather of a place down."""
        return await self._pipeline.run_within(ctx, asked)


def with_pipelines(notebook: Notebook, composed: ComposeFunction | None, declared: str = DECLARED) -> Operations:
    """The operations of a notebook that has pipelines too."""
    (notebook.folder / "pipelines.yaml").write_text(PIPELINES.replace(DECLARED, declared), encoding="utf-8")
    inventory = read_inventory(notebook.folder, table(notebook.env, notebook.notes), VOCABULARY)
    return Operations(inventory, (notebook.notes, Weather()), compose=composed)


async def test_a_tool_of_the_inventory_may_be_a_pipeline_of_its_other_tools(notebook: Notebook) -> None:
    operations = with_pipelines(notebook, lambda tool: [Reporter(tool)])
    assert list(operations.tools) == list(operations.inventory.tools), "in the order of the inventory"
    made = operations.find_tool("note_weather")
    kind = made.facts.classification
    assert kind is not None
    assert (kind.complexity, made.facts.effect) == (Complexity.PIPELINE, Effect.COMPOSED)
    app = App(name="notebook", tools=operations.callees, env=notebook.env)
    runtime = Runtime(app, layers=preset(notebook.env, policy=Policy.only()))
    ended: PipelineResult = (await runtime.call(made, superuser(), ForecastOf(place="Graz"))).value()
    assert (ended.outcome, ended.path) == ("done", ["look", "write"])
    assert [note.title for note in notebook.notes.written] == ["20.0 °C"]
    lock_path(operations).write_text(build_lock(operations).to_text(), encoding="utf-8")
    points = run_checklist(operations, operations.callees, preset(notebook.env))
    assert [each for point in points for each in point.findings] == []


def too_few(operations: Operations) -> list[tuple[str, str, str]]:
    """What is found of permissions, with the line it is at."""
    lock_path(operations).write_text(build_lock(operations).to_text(), encoding="utf-8")
    points = run_checklist(operations, operations.callees, preset(Env()))
    found = [finding for point in points for finding in point.findings]
    assert {each.code for each in found} <= {"too-few-permissions"}
    return [(each.where.rpartition("/")[2], each.what, each.fix) for each in found]


@pytest.mark.parametrize(
    ("declared", "missing"),
    [
        (DECLARED, []),
        ("{required_permissions: [notes:write]}", [("weather", "weather:read")]),
        ("{}", [("quick_note", "notes:write"), ("weather", "weather:read")]),
    ],
    ids=["all", "one", "none"],
)
def test_a_pipeline_that_declares_fewer_permissions_than_its_steps_need_is_found(
    notebook: Notebook, declared: str, missing: list[tuple[str, str]]
) -> None:
    assert too_few(with_pipelines(notebook, lambda tool: [Reporter(tool)], declared)) == [
        (
            "pipelines.yaml:4",
            f"note_weather calls {step}, which needs the permission {permission}, but does not declare it",
            f"add {permission} to its business_rules.required_permissions",
        )
        for step, permission in missing
    ]


def test_what_calls_others_must_say_which(notebook: Notebook) -> None:
    class Silent(Reporter):
        """Does not say what its function calls."""

        def __init__(self, tool: Callable[[str], Tool[..., Any]]) -> None:
            super().__init__(tool)
            self.calls = {}

    with pytest.raises(InventoryError, match=r"Silent.note_weather calls tools; declare them in the `calls` of its"):
        with_pipelines(notebook, lambda tool: [Silent(tool)])
    with pytest.raises(
        InventoryError, match=r"pipelines.yaml:4: str has no `calls`; declare there what its functions cal"
    ):
        with_pipelines(notebook, lambda _tool: ["nobody"])


def test_an_object_of_composed_functions_that_is_not_given_is_named(notebook: Notebook) -> None:
    def nobody(_tool: Callable[[str], Tool[..., Any]]) -> list[object]:
        return []

    for composed in (None, nobody):
        with pytest.raises(InventoryError, match=r"no function note_weather among Notes, Weather"):
            with_pipelines(notebook, composed)


def test_a_pipeline_that_does_not_fit_is_named_with_the_place_of_its_entry(notebook: Notebook) -> None:
    with pytest.raises(InventoryError, match=r"pipelines.yaml:4: the inventory has no tool 'lost'"):
        with_pipelines(notebook, lambda tool: [tool("lost")])
    (notebook.folder / "pipelines.yaml").unlink()
    with pytest.raises(InventoryError, match=r"inventory:1: the inventory has no tool 'lost'"):
        Operations(notebook.operations().inventory, (notebook.notes, Weather()), compose=lambda tool: [tool("lost")])


def test_what_is_wrong_with_other_tools_is_said_before_pipelines_are_made_of_them(notebook: Notebook) -> None:
    notebook.write(weather=WEATHER.replace("unit: celsius", "unit: kelvin"))
    with pytest.raises(InventoryError) as raised:
        with_pipelines(notebook, lambda tool: [Reporter(tool)])
    assert len(raised.value.findings) == 1
    assert "'unit' cannot be 'kelvin'" in raised.value.findings[0].what


def saying(calls: object) -> Callable[[Callable[[str], Tool[..., Any]]], list[object]]:
    """Objects of a class that says this of what its functions call."""

    class Saying(Reporter):
        """Says something else."""

        def __init__(self, tool: Callable[[str], Tool[..., Any]]) -> None:
            super().__init__(tool)
            told: Any = calls if calls is None else {self.note_weather: calls}
            self.calls = told

    return lambda tool: [Saying(tool)]


def none(_tool: object) -> None:
    """Give nothing."""


@pytest.mark.parametrize(
    ("composed", "said"),
    [
        (saying(None), "the `calls` of Saying are not a mapping; map each function to the callees it calls"),
        (saying(5), "the `calls` of Saying.note_weather are 5; give a list of the callees it calls"),
        (saying(["weather"]), "the `calls` of Saying.note_weather name 'weather', which is not a callee; list tools"),
        (none, "`compose` returned None; return a list of the objects whose functions call tools"),
    ],
    ids=["no mapping", "no list", "no callee", "no objects"],
)
def test_what_objects_say_of_their_calls_is_looked_at(notebook: Notebook, composed: Any, said: str) -> None:
    with pytest.raises(InventoryError) as raised:
        with_pipelines(notebook, composed)
    ((code, what),) = [(each.code, each.what) for each in raised.value.findings]
    assert code == "contract"
    assert what.startswith(said)


def test_what_calls_nobody_need_not_say_so(notebook: Notebook) -> None:
    class Counting(Notes):
        """Says of none of its functions what they call."""

        calls: Mapping[object, Iterable[Tool[..., Any]]] = MappingProxyType({})

    Counting.__name__ = "Notes"
    assert notebook.operations(Counting(), Weather()).methods["office.notes.count_notes"].calls == ()
