"""A rehearsal answers the sentences that it knows with a script, and says in each message that it is one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from remit import Agent, App, Effect, Runtime, tool
from remit.errors import ConflictError, SetupError
from remit.models import Example, Rehearsal, load_examples
from remit.models.rehearsal import load_script
from remit.testing import Scripted, calls, superuser

BAKE = Example(
    prompt="Bake a cake.",
    note="Bakes",
    script=(calls(("bake", {}), content="I begin."), {"ifDone": "It is baked.", "ifRefused": "It is not baked."}),
)
NEXT = "\n\nThe next sentence that I know: How many?"
COUNT = Example(prompt="How many?", script=("Two.",))


def make_runtime(*, fails: bool = False, examples: Any = (BAKE, COUNT)) -> Runtime:
    @tool(effect=Effect.PURE)
    async def bake() -> str:
        """Bake."""
        if fails:
            raise ConflictError("the oven is cold")
        return "baked"

    app = App(name="bakery", agents=[Agent("baker", instructions="Bake.", tools=[bake])], examples=examples)
    return Runtime(app, model=Rehearsal(app.examples))


async def talk(runtime: Runtime, *prompts: str) -> list[str]:
    return [(await runtime.run(each, by=superuser(), conversation="c")).value() for each in prompts]


async def test_each_prompt_has_its_script_in_any_order_and_as_often_as_it_is_sent() -> None:
    said = await talk(make_runtime(), "How many?", "Bake a cake.", "bake  a CAKE", "How many")
    assert said == ["Script: Two.", f"Script: It is baked.{NEXT}", f"Script: It is baked.{NEXT}", "Script: Two."]


async def test_a_line_can_depend_on_what_became_of_the_call() -> None:
    assert await talk(make_runtime(fails=True), "Bake a cake.") == [f"Script: It is not baked.{NEXT}"]


async def test_every_text_says_that_it_is_a_script() -> None:
    runtime = make_runtime()
    result = await runtime.run("Bake a cake.", by=superuser())
    texts = [json.loads(each).get("content") for each in await runtime.history(result.run) if '"assistant"' in each]
    assert texts == ["Script: I begin.", f"Script: It is baked.{NEXT}"]


async def test_to_another_sentence_it_says_which_it_knows_and_nothing_fails() -> None:
    runtime = make_runtime(examples=[BAKE, COUNT, Example(prompt="Not rehearsed")])
    (said,) = await talk(runtime, "What is the weather?")
    assert said.startswith("Script: I am not a model, and know only these sentences.")
    assert said.endswith("- Bake a cake.\n- How many?")
    assert (await talk(runtime, "Not rehearsed"))[0] == said


def test_a_file_with_examples_is_a_rehearsal_and_another_a_script(tmp_path: Path) -> None:
    file = tmp_path / "script.json"
    file.write_text('{"examples": [{"prompt": "Hello?", "script": ["Hello."]}]}')
    assert isinstance(load_script(file), Rehearsal)
    assert load_examples(file) == (Example(prompt="Hello?", script=("Hello.",)),)
    file.write_text('{"script": ["Hello."]}')
    assert isinstance(load_script(file), Scripted)


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"examples": [{"note": "no prompt"}]}', '{"examples": [{"prompt": ""}]}', '{"examples": 1}']
)
def test_a_file_without_examples_is_refused_with_the_form_that_it_needs(tmp_path: Path, content: str) -> None:
    file = tmp_path / "script.json"
    file.write_text(content)
    with pytest.raises(SetupError, match=r'is not a rehearsal: .*; it must hold \{"examples"'):
        load_examples(file)
    with pytest.raises(SetupError, match="is not a"):
        load_script(file)


@pytest.mark.parametrize("wrong", [{"prompt": 1}, {"prompt": ""}, {"prompt": "Bake.", "script": [1]}, {"note": "x"}])
def test_an_example_that_cannot_be_sent_or_played_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SetupError, match="Example"):
        Example(**wrong)


def test_what_is_no_example_is_refused() -> None:
    for wrong in (["Bake."], "Bake.", [Example]):
        with pytest.raises(SetupError, match="examples"):
            App(name="bakery", examples=wrong)  # pyright: ignore[reportArgumentType] - that is the mistake
