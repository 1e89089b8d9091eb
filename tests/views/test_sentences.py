"""The sentence of a call: in the form of its state, with the names of what it is about."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from remit import Agent, App, Principal, Risk, Runtime, tool
from remit.chat.chat import encode_message
from remit.errors import ContractError
from remit.record.items import Note, ToolOutput
from remit.testing import Scripted, calls
from remit.tools import Candidate, Effect, Facts, LeafContext, Preview, Reference, Sentences, Undo, entity
from remit.views import CallView, RunView, consequence_of, sentence_of, sentence_of_arguments, undo_of
from remit.views.parts import AttemptView, NoteView

ADA = Principal("ada", permissions=frozenset({"approvals:decide"}))


@entity("page", name="title")
class Page(BaseModel):
    id: str
    title: str
    address: str = "/"


@tool(
    effect=Effect.IDEMPOTENT,
    says="Rename the page {page}[ to {title}][ at {address}]",
    undo=Undo("rename", {"page": "{id}", "title": "old", "by": "{title}"}),
)
async def rename(page: str, title: str | None = None) -> Page:
    """Rename a page."""
    raise NotImplementedError


FIND = {"rename": rename}.get


def made(arguments: dict[str, Any] | str, result: Any = None, **fields: Any) -> CallView:
    """A call of `rename` that has ended with a result, or has none yet."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = CallView(id="c", parent="a", tool="rename", arguments=text, **fields)
    if result is not None:
        content = result if isinstance(result, str) else json.dumps(result)
        message = encode_message({"role": "tool", "content": content})
        call.output = ToolOutput(call="c", parent="a", callee="rename", wire="w", outcome="ok", text=message)
    return call


def refused(outcome: Any) -> ToolOutput:
    content = '{"success":false,"error":"no","errorCode":"TOOL_FAILED"}'
    message = encode_message({"role": "tool", "content": content})
    return ToolOutput(call="c", parent="a", callee="rename", wire="w", outcome=outcome, text=message)


def test_a_call_is_said_in_the_form_of_its_state() -> None:
    call = made({"page": "home", "title": "Start"})
    assert str(sentence_of(call, rename)) == "Rename the page home to Start"
    call.has_begun = True
    assert str(sentence_of(call, rename)) == "Renaming the page home to Start"
    call.is_over, call.attempts = True, [AttemptView(number=1, started_at=0.0)]
    assert str(sentence_of(call, rename)) == "Tried to rename the page home to Start"
    call.output = refused("denied")
    assert str(sentence_of(call, rename)) == "Did not rename the page home to Start"
    call.output = refused("error")
    assert str(sentence_of(call, rename)) == "Could not rename the page home to Start"
    call = made({"page": "home"}, {"id": "7", "title": "Start", "address": "/start"})
    assert str(sentence_of(call, rename)) == "Renamed the page home to Start at /start"
    assert str(sentence_of(call, rename, "asked")) == "Rename the page home to Start at /start"
    call.announces = True
    assert str(sentence_of(call, rename)) == "Asked whether to rename the page home to Start at /start"


@tool(effect=Effect.IDEMPOTENT, says="Delete the page {page}", confirm="sure", undo=Undo("rename", {"page": "{page}"}))
async def delete(page: str, sure: bool = False) -> str:
    """Delete a page."""
    raise NotImplementedError


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"page": "home"}, "Asked whether to delete the page home"),
        ({"page": "home", "sure": False}, "Asked whether to delete the page home"),
        ({"page": "home", "sure": True}, "Deleted the page home"),
    ],
)
def test_a_call_without_its_confirmation_is_said_to_announce_though_nobody_was_asked(
    arguments: dict[str, Any], said: str
) -> None:
    call = made(arguments, "done")
    call.attempts = [AttemptView(number=1, started_at=0.0, outcome="ok")]
    assert str(sentence_of(call, delete)) == said
    has_undo = undo_of(call, {"rename": delete}.get) is not None
    assert has_undo == said.startswith("Deleted")


def test_the_parts_tell_values_from_the_words_of_the_author() -> None:
    said = sentence_of(made({"page": "home", "title": "Start"}), rename)
    assert said.parts == (("Rename the page ", False), ("home", True), (" to ", False), ("Start", True))


def test_a_sentence_that_begins_with_a_value_is_said_as_well() -> None:
    counted = tool(rename.function, effect="pure", says=Sentences("{page} is renamed", "R", "D"))
    assert str(sentence_of_arguments("rename", counted, '{"page":"x"}', "failed")) == "Could not x is renamed"


def test_a_call_whose_values_are_not_on_record_is_said_by_its_name() -> None:
    assert str(sentence_of(made(""), rename)) == "Rename"
    assert str(sentence_of(made('{"page": '), rename)) == "Rename"
    assert str(sentence_of(made("[1]"), rename)) == "Rename"
    assert str(sentence_of(made("", {"id": "7", "title": "Start", "address": "/start"}), rename)) == "Renamed: Start"


@pytest.mark.parametrize(
    ("says", "said"),
    [
        ("Search|Searching|Searched the web for {page}", "Search the web"),
        ("Expire|Expiring|Expired the page {page} to be hidden", "Expire the page"),
        ("Look|Looking|Looked in the {page}", "Look"),
        (Sentences("{page} is looked up", "Looking", "Looked"), "Use web_quickLook"),
    ],
)
def test_a_tool_whose_name_begins_with_no_verb_is_said_in_the_words_of_its_author(says: Any, said: str) -> None:
    quick = tool(rename.function, effect="pure", name="web_quickLook", says=says)
    assert str(sentence_of_arguments("web_quickLook", quick, "{}")) == said


@pytest.mark.parametrize(
    ("tool_name", "arguments", "said"),
    [
        ("pay", {"account": "bakery", "euros": 40, "now": True}, "Pay: account bakery, euros 40"),
        ("cms_deletePage", {}, "Delete page"),
        ("weather", {"in_city": "Bern"}, "Use weather: in city Bern"),
        ("", {}, "Use a tool"),
        ("a\u202eb", {}, "Use a\\u202eb"),
    ],
)
def test_a_call_of_an_unknown_tool_is_said_by_its_name_and_arguments(
    tool_name: str, arguments: dict[str, Any], said: str
) -> None:
    assert str(sentence_of_arguments(tool_name, None, json.dumps(arguments))) == said


def test_an_object_is_named_by_what_the_call_reported() -> None:
    call = made({"page": "7"}, {"id": "7", "title": "Start", "address": "/start"})
    assert str(sentence_of(call, rename)) == "Renamed the page Start to Start at /start"
    changed = Note(call="c", name="changed", data='{"kind":"page","id":"7","name":"Home"}')
    call = made({"page": "7", "title": "7"}, notes=[NoteView(note=changed, at=0.0, place=1)])
    assert str(sentence_of(call, rename)) == "Rename the page Home to 7"


def test_a_result_beside_a_notice_for_the_model_is_found() -> None:
    call = made({"page": "home"}, {"notice": "edited", "result": {"id": "7", "title": "Start", "address": "/start"}})
    assert str(sentence_of(call, rename)) == "Renamed the page home to Start at /start"


def test_a_result_that_is_no_object_has_a_name() -> None:
    @tool(effect="pure", says="Count|Counting|Counted {word}[: {result}]")
    async def count(word: str) -> int:
        """Count."""
        return len(word)

    call = made({"word": "x"}, 20000)
    assert str(sentence_of(call, count)) == "Counted x: 20,000"
    assert str(sentence_of(made({"word": "x"}, "many"), count)) == "Counted x: many"


def test_a_long_sentence_is_cut() -> None:
    said = sentence_of_arguments("save", None, json.dumps({f"{name}" * 20: "x" * 500 for name in "abcd"}))
    assert len(str(said)) <= 300
    long = tool(rename.function, effect="pure", says="Rename {page}" + " and on" * 60)
    said = sentence_of_arguments("rename", long, '{"page":"x"}')
    assert (len(str(said)), str(said)[-1]) == (300, "…")


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"effect": "pure"}, "It changes nothing."),
        ({"effect": "pure", "egress": True}, "It sends data out of the system."),
        ({"effect": "unsafe"}, "There is no undo for it."),
        ({"effect": "unsafe", "egress": True}, "It sends data out of the system. There is no undo for it."),
        ({"effect": "idempotent", "undo": Undo("rename", {"page": "{page}"})}, "It can be undone."),
        ({"effect": "composed"}, "It makes calls of its own, which the policy judges one by one."),
    ],
)
def test_the_consequence_follows_from_the_facts(facts: dict[str, Any], said: str) -> None:
    assert consequence_of(tool(rename.function, **facts).facts, FIND) == said


def test_an_undo_has_the_values_of_the_call_that_was_made() -> None:
    call = made({"page": "home"}, {"id": "7", "title": "Start", "address": "/start"})
    found = undo_of(call, FIND)
    assert found is not None
    assert (found.tool, found.arguments) == ("rename", '{"page":"7","title":"old","by":"Start"}')
    assert undo_of(call, lambda _name: None) is None
    assert undo_of(made({"page": "home"}), FIND) is None
    assert undo_of(made({"page": "home"}, {"id": "7"}), FIND) is None
    call.announces = True
    assert undo_of(call, FIND) is None


def test_an_undo_refers_to_an_object_by_its_id() -> None:
    restore = tool(rename.function, effect="idempotent", undo=Undo("restore", {"page": "{page}"}))
    page = {"id": "7", "name": "Home", "revision": "3"}
    found = undo_of(
        made({"page": "home"}, {"id": "7", "title": "Start"}, bound=json.dumps({"page": page})),
        {"rename": restore, "restore": rename}.get,
    )
    assert found is not None
    assert found.arguments == '{"page":"7"}'


async def find(_ctx: LeafContext, _text: str) -> Sequence[Candidate]:
    return [Candidate("7", "Home", "3", ("home",))]


def test_a_question_keeps_the_sentence_with_the_names_of_what_it_refers_to() -> None:
    @tool(effect="unsafe", risk=Risk.HIGH, says="Delete the page {page}")
    async def delete(page: Annotated[str, Reference("page")]) -> str:
        """Delete a page."""
        return page

    script = Scripted([calls(("delete", {"page": "home"})), "Done."])
    agent = Agent("editor", instructions="Edit.", tools=[delete], model=script)
    runtime = Runtime(App(name="test", agents=(agent,), references={"page": find}))

    async def main() -> list[str]:
        run = await runtime.run("Delete the home page.", by=ADA)
        question = (await runtime.store.list_questions())[0].question
        said = [str(question.sentence), question.consequence]
        await runtime.decide(run.questions[0], approved=True, by=ADA)
        await runtime.resume(run.run)
        view = RunView.of(await runtime.store.read(run.run))
        return [*said, *(str(sentence_of(each, delete)) for each in view.calls.values() if each.tool == "delete")]

    assert asyncio.run(main()) == ["Delete the page Home", "There is no undo for it.", "Deleted the page Home"]


async def hidden(_ctx: LeafContext, _payload: BaseModel) -> Preview:
    return Preview("the casefile 'Smith'", names=(("number", "Smith\u202e"),))


def test_a_preview_names_what_an_argument_refers_to() -> None:
    @tool(effect="unsafe", risk=Risk.HIGH, says="Delete the casefile {number}")
    async def delete(number: str, quick: bool = False) -> str:
        """Delete a casefile."""
        return number

    runtime = Runtime(App(name="test", tools=(delete.with_preview(hidden),)))

    async def main() -> str:
        await runtime.call_by_name("delete", delete.build_arguments("c-17"), by=ADA)
        return str((await runtime.store.list_questions())[0].question.sentence)

    assert asyncio.run(main()) == "Delete the casefile Smith\\u202e"


def test_arguments_at_their_defaults_are_left_out_of_what_is_said_by_the_name_of_a_tool() -> None:
    said = sentence_of_arguments("order", None, '{"name":"rye","count":1}', at_default=("count",))
    assert str(said) == "Use order: name rye"


def test_an_agent_is_asked() -> None:
    agent = Agent("editor", instructions="Edit.", tools=[])
    assert str(sentence_of_arguments("editor", agent, '{"prompt":"Go"}', "done")) == "Asked the agent editor: prompt Go"


def test_an_agent_says_what_it_declares_and_no_name_that_it_has_not() -> None:
    facts = Facts(effect=Effect.COMPOSED, says=Sentences("Have|Having|Had the text edited: {prompt}"))
    agent = Agent("editor", instructions="Edit.", tools=[], facts=facts)
    assert str(sentence_of_arguments("editor", agent, '{"prompt":"Go"}')) == "Have the text edited: Go"
    wrong = Facts(effect=Effect.COMPOSED, says=Sentences("Edit {text}"))
    with pytest.raises(ContractError, match=r"\{text\} is neither an argument"):
        Agent("editor", instructions="Edit.", tools=[], facts=wrong)
