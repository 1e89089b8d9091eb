"""What a worker is: what its model reads, whom it asks, what its calls may use; and what does not go together."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from pydantic_ai.native_tools import NATIVE_TOOL_TYPES, NATIVE_TOOLS_REQUIRING_CONFIG

from remit.agent.attachments import Attachment, AttachmentPolicy, PromptWithAttachments
from remit.agent.prompt import Prompt
from remit.agent.setting import settings_of
from remit.call.facts import Effect, Facts
from remit.chat.provider_tool import PROVIDER_TOOLS
from remit.errors import InvalidArgumentsError, RequestError, SetupError
from remit.workers import build_agent
from remit.workers.definition import WorkerDefinition
from tests.workers.kit import seeing
from tests.workers.letters import Letter, Names, Nothing, Scanned

PNG = Attachment(name="Scan.PNG", media_type="image/png", data=base64.b64encode(b"pixels").decode())
TAKES = AttachmentPolicy(suffixes=(".png",), max_count=2, max_bytes=6)


def made(given: dict[str, Any]) -> WorkerDefinition:
    return WorkerDefinition(**given)


def letter() -> Letter:
    said: dict[str, Any] = {"sender": {"name": "Ada"}, "subject": "Bread", "tags": ["b", "a"]}
    return Letter.model_validate(said)


def test_the_prompt_is_the_system_message_and_what_is_asked_the_user_message() -> None:
    worker = WorkerDefinition(name="sort", prompt="You sort letters.")
    asked = Prompt(prompt="Where does it go?")
    assert build_agent(worker).render_instructions(asked) == "You sort letters."
    assert build_agent(worker).render_message(asked) == "Where does it go?"
    assert build_agent(worker).get_attachments(asked) == ()


def test_an_input_of_its_own_is_the_user_message_as_canonical_json_and_fills_the_prompt_by_its_aliases() -> None:
    worker = WorkerDefinition(name="sort", prompt="{{ sender.name }}: {{ subject }} {{ tags|join }}", input=Letter)
    agent = build_agent(worker)
    assert agent.render_instructions(letter()) == "Ada: Bread ab"
    assert (
        build_agent(worker).render_message(letter())
        == '{"items":[],"sender":{"name":"Ada"},"subject":"Bread","tags":["a","b"]}'
    )


def test_of_attachments_the_prompt_knows_name_and_kind_and_the_message_nothing() -> None:
    prompt = "{% for each in attachments %}{{ each }}{% endfor %}"
    worker = WorkerDefinition(name="scan", prompt=prompt, input=Scanned, attachments=TAKES)
    given = Scanned(attachments=(PNG,))
    assert build_agent(worker).render_instructions(given) == "{'name': 'Scan.PNG', 'media_type': 'image/png'}"
    assert build_agent(worker).render_message(given) == "{}"
    assert build_agent(worker).get_attachments(given) == (PNG,)
    assert build_agent(worker).get_attachments(given)[0].content == b"pixels"


def test_an_input_without_attachments_of_a_worker_that_takes_some_has_none() -> None:
    worker = WorkerDefinition(name="scan", prompt="Look.", input=PromptWithAttachments, attachments=TAKES)
    assert build_agent(worker).get_attachments(PromptWithAttachments(prompt="hello")) == ()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((PNG, PNG, PNG), "attachments: 3 files; at most 2 are accepted"),
        ((PNG.model_copy(update={"name": "a.pdf"}),), "'a.pdf' is not accepted; accepted suffixes: .png"),
        ((PNG.model_copy(update={"data": "YWJjZGVmZw=="}),), "'Scan.PNG' has 7 bytes; at most 6 are accepted"),
    ],
    ids=["too-many", "kind", "too-large"],
)
def test_attachments_that_are_not_taken_are_refused(given: tuple[Attachment, ...], said: str) -> None:
    worker = WorkerDefinition(name="scan", prompt="Look.", input=Scanned, attachments=TAKES)
    with pytest.raises(InvalidArgumentsError, match=said):
        build_agent(worker).get_attachments(Scanned(attachments=given))


def test_a_file_is_attached_by_its_path_and_its_kind_follows_from_its_name(tmp_path: Path) -> None:
    (tmp_path / "scan.png").write_bytes(b"pixels")
    (tmp_path / "what").write_bytes(b"?")
    assert Attachment.from_path(tmp_path / "scan.png") == PNG.model_copy(update={"name": "scan.png"})
    assert Attachment.from_path(tmp_path / "what").media_type == "application/octet-stream"
    with pytest.raises(RequestError, match=r"cannot attach .*nowhere: No such file"):
        Attachment.from_path(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "field", [{"name": "../a.png"}, {"media_type": "image"}, {"data": "no base64!"}], ids=["name", "kind", "data"]
)
def test_an_attachment_names_a_file_without_a_folder_its_kind_and_base64(field: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match=next(iter(field))):
        Attachment.model_validate(PNG.model_dump() | field)


@pytest.mark.parametrize(
    ("call", "file", "environment", "asked"),
    [("a:1", "b:2", "c:3", "a:1"), ("", "b:2", "c:3", "b:2"), ("", "", "c:3", "c:3")],
    ids=["call", "file", "environment"],
)
def test_the_model_is_that_of_the_call_else_of_the_file_else_of_the_environment(
    call: str, file: str, environment: str, asked: str
) -> None:
    worker = WorkerDefinition(name="sort", prompt="Sort.", model=file)
    assert worker.resolve_model_name(requested_name=call, default_name=environment) == asked


def test_without_any_model_it_says_where_to_name_one() -> None:
    with pytest.raises(SetupError, match="worker sort names no model; name one in the file, or set REMIT_MODEL"):
        WorkerDefinition(name="sort", prompt="Sort.").resolve_model_name()


def test_a_model_that_is_given_has_to_be_one_that_the_worker_is_made_for() -> None:
    worker = WorkerDefinition(name="sort", prompt="Sort.", compatible_models=("openai:*", "local:base"))
    assert worker.resolve_model_name(default_name="openai:small") == "openai:small"
    with pytest.raises(SetupError, match="does not support the model 'local:small', only openai:\\*, local:base"):
        worker.resolve_model_name(requested_name="local:small", default_name="openai:small")


def test_its_reach_is_what_it_may_call_and_what_it_delegates() -> None:
    scan = build_agent(WorkerDefinition(name="scan", prompt="Scan."))
    worker = WorkerDefinition(name="sort", prompt="Sort.", tools=("look",), workers=("scan",), delegates=("move",))
    assert build_agent(worker, tools=[seeing([])], workers={"scan": scan}).tool_scope == {"look", "scan", "move"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": "so rt"}, "'so rt' is not a worker name: "),
        ({"name": "\ud800"}, r"worker '\\ud800': name is "),
        ({"model": "a:1", "compatible_models": ("a:*",)}, "has both `model` and `compatible_models`"),
        ({"facts": Facts(effect=Effect.PURE)}, "worker sort is pure; workers are always composed"),
        ({"retries": -1}, "worker sort: retries is -1; give a whole number from 0 to 10"),
        ({"builtin_tools": ("telepathy",)}, "no provider has the tool 'telepathy'; available: code_execution"),
        ({"retries": 99}, "worker sort: retries is 99; give a whole number from 0 to 10"),
        ({"model": 5}, "worker sort: model is 5; give a string"),
        (
            {"model": "gpt-4"},
            "worker sort: model: 'gpt-4' is not a model name; write PROVIDER:NAME, like openai:gpt-5-mini",
        ),
        ({"permissions": 5}, "worker sort: permissions is 5; give a list"),
        ({"permissions": frozenset({"mail"})}, "an item of permissions is 'mail'; give a permission, like cms:write"),
        ({"prompt": " "}, "worker sort: prompt: ' ' is blank; say what the worker does"),
        ({"output": "int"}, "worker sort: output: 'int' is not a type; give one, like str or a pydantic model"),
        ({"output": 5}, "worker sort: output: 5 cannot be a result"),
        ({"name": 5}, "worker 5: name is 5; give a string"),
        ({"input": int}, "worker sort: input is the class int; give a class derived from BaseModel"),
        ({"input": Names}, "worker sort: input: Names is not an object with named fields"),
        ({"limits": {"turns": 3}}, r"worker sort: limits is {'turns': 3}; give AgentLimits\(…\)"),
        ({"tools": 5}, "worker sort: tools is 5; give a list"),
        ({"workers": ("x", "x")}, "worker sort: workers names 'x' twice; remove one"),
        ({"attachments": TAKES}, "the input needs a field `attachments"),
        ({"input": Scanned}, "the input needs a field `attachments"),
        ({"input": Nothing, "attachments": TAKES}, "the input needs a field `attachments"),
        ({"prompt": "a\n{{ promt }}"}, "worker sort: prompt:2: the input has no field 'promt'; available: prompt"),
    ],
    ids=[
        *(
            "name",
            "surrogate",
            "models",
            "effect",
            "retries",
            "tool",
            "too-many",
            "model-type",
            "model",
            "permissions",
            "permission",
        ),
        *("empty", "output-text", "output", "name-type", "input-type", "input", "limits", "tools", "twice"),
        *("no-field", "no-policy", "other-field", "prompt"),
    ],
)
def test_parts_that_do_not_go_together_are_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SetupError, match=said):
        made({"name": "sort", "prompt": "Sort.", **given})


WRONG: Mapping[str, object] = {
    "number": 5,
    "nothing": None,
    "bytes": b"x",
    "list": ["a"],
    "mapping": {"a": 1},
    "tuple": ("a", 5),
    "object": object(),
    "type": int,
    "function": len,
}
"""Values of many types."""
FITS = {
    ("attachments", "nothing"),
    ("delegates", "nothing"),
    ("document", "nothing"),
    ("output", "nothing"),
    ("output", "type"),
    ("permissions", "nothing"),
    *((field, "nothing") for field in ("stop", "compaction", "memory", "tool_search")),
    *((field, "nothing") for field in ("limits", "settings")),
    *((field, "list") for field in ("compatible_models", "tools", "workers", "delegates", "handoffs")),
    *((field, "number") for field in ("retries", "tool_search")),
}
"""Which of them a field may be."""


@pytest.mark.parametrize("field", [each.name for each in settings_of(WorkerDefinition)])
@pytest.mark.parametrize("kind", WRONG)
def test_a_field_of_another_type_is_one_clear_error_that_names_it(field: str, kind: str) -> None:
    given = {"name": "sort", "prompt": "Sort.", field: WRONG[kind]}
    if (field, kind) in FITS:
        assert made(given)
        return
    with pytest.raises(SetupError) as caught:
        made(given)
    said = caught.value.message
    assert said.removeprefix("an item of ").startswith("worker ")
    assert f": {field}" in said.replace("an item of ", "")
    assert "\n" not in said


def test_the_tools_of_providers_are_those_of_pydantic_ai_that_need_no_configuration() -> None:
    plain = {kind for kind, tool in NATIVE_TOOL_TYPES.items() if tool not in NATIVE_TOOLS_REQUIRING_CONFIG}
    assert set(PROVIDER_TOOLS) == plain


def test_two_definitions_that_say_the_same_are_equal() -> None:
    one, other = (WorkerDefinition(name="sort", prompt="Sort.", tools=("find",)) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one.locate("tools", 0) == ""
