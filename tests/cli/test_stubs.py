"""`remit stubs` writes what `ctx.tools` has: an editor completes it, and a type checker refuses what is wrong."""

import ast
import enum
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NewType, TypeVar

import pytest
from pydantic import BaseModel, Field, JsonValue

from remit import Agent, App, Effect, Tool, tool
from remit.agent.handoff import Reason
from remit.cli.stubs import render_stubs
from remit.workers import PromptWithAttachments
from tests.cli.kit import Cli
from tests.dispatch.actors import Actor

T = TypeVar("T")


Slug = NewType("Slug", str)


class Colour(enum.Enum):
    RED = "red"


class Pages(BaseModel, Generic[T]):
    """A list of something."""

    items: list[T]


class Page(BaseModel):
    """A page."""

    class Part(BaseModel):
        """A part of it."""

        text: str

    slug: str
    parts: list[Part] = []


def made(function: Any, name: str = "made") -> Tool[..., Any]:
    return tool(function, name=name, description='Work "hard".\nMore.', effect=Effect.PURE)


def text_of(*tools: Any) -> str:
    text = render_stubs(App(name="shop", tools=tools))
    ast.parse(text)
    return text


def checked(folder: Path, *programs: str) -> list[str]:
    """What a strict type checker says against programs beside a stub, each by its line and rule."""
    for index, program in enumerate(programs):
        (folder / f"program_{index}.py").write_text(program, encoding="utf-8")
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    command = [sys.executable, "-m", "pyright", "--outputjson", "-p", str(folder), "--pythonpath", sys.executable]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return [
        f"{Path(each['file']).name}:{each['range']['start']['line'] + 1} {each['rule']}"
        for each in told["generalDiagnostics"]
    ]


RIGHT = '''\
from __future__ import annotations
from cms_tools import Context
from remit import Effect, tool
from remit_cms.pages.payloads import GetPage

@tool(effect=Effect.COMPOSED)
async def titles(ctx: Context, slug: str) -> str:
    """Tell titles."""
    page = await ctx.tools.cms_getPage(pageId=slug)
    again = await ctx.tools.cms_getPage({"pageId": page.page.id, "includeContent": True})
    once_more = await ctx.tools.cms_getPage(GetPage(page_id=slug))
    listed = await ctx.tools.cms_getPages()
    return page.page.title + again.page.title + once_more.page.title + await ctx.tools.editor(prompt=str(listed))

@tool(effect=Effect.COMPOSED)
async def other(ctx: Context) -> str:
    """Call it."""
    return await ctx.call(titles, "about")
'''
WRONG = """\
from cms_tools import Context
async def wrong(ctx: Context) -> None:
    await ctx.tools.cms_getPage(pageId=3)
    await ctx.tools.cms_deletePage()
    await ctx.tools.cms_getPage({"slag": "about"})
    ctx.tools.cms_getPag  # pyright: ignore[reportUnknownMemberType, reportUnusedExpression]
"""


@pytest.mark.process
@pytest.mark.slow
def test_a_type_checker_takes_right_calls_of_the_cms_and_refuses_wrong_ones(cli: Cli, tmp_path: Path) -> None:
    done = cli("stubs", "cms", "--out", str(tmp_path / "cms_tools.pyi"))
    (tmp_path / "cms_tools.py").write_text('from remit import Context\n\n__all__ = ["Context"]\n', encoding="utf-8")
    assert (done.status, done.out) == (0, f"{tmp_path / 'cms_tools.pyi'}\n")
    assert checked(tmp_path, RIGHT, WRONG) == [
        "program_1.py:3 reportArgumentType",
        "program_1.py:4 reportCallIssue",
        "program_1.py:5 reportArgumentType",
        "program_1.py:6 reportAttributeAccessIssue",
    ]


def test_without_a_file_it_is_printed(cli: Cli) -> None:
    done = cli("stubs", "cms")
    assert done.status == 0
    assert done.out.startswith('"""The tools of cms, as a body below its context calls them.')
    assert "class Context(Context_, Protocol):" in done.out


def test_a_tool_is_called_with_one_payload_or_by_name_and_gives_what_its_function_gives() -> None:
    async def work(page: Page, day: date, limit: int = 3) -> list[Page]: ...

    text = text_of(made(work))
    assert "async def made(self, payload: made_arguments, /) -> list[Page]:" in text
    assert "async def made(self, *, page: Page, day: date, limit: int = ...) -> list[Page]:" in text
    assert '        "page": Page,\n        "day": date,\n        "limit": NotRequired[int],\n' in text
    assert f"from {__name__} import Page\n" in text
    assert '"""Work \'hard\'."""' in text
    assert "from datetime import date\n" in text


def test_a_payload_model_may_be_given_itself_and_nothing_where_nothing_is_required() -> None:
    class Nothing(BaseModel):
        """Nothing in particular."""

        limit: int = 3

    async def find(page: Page) -> None: ...
    async def empty() -> None: ...
    async def local(payload: Nothing) -> None: ...

    text = text_of(made(find, "find"), made(empty, "empty"), made(local, "local"))
    assert "async def find(self, payload: Page | find_arguments, /) -> None:" in text
    assert "async def empty(self, payload: empty_arguments | None = None, /) -> None:" in text
    assert "async def local(self, payload: local_arguments | None = None, /) -> None:" in text
    assert text.count("async def empty") == 1


KINDS: dict[str, tuple[Any, str]] = {
    "a union": (int | None | str, "int | None | str"),
    "annotated": (list[Annotated[int, Field(gt=1)]], "list[int]"),
    "a literal": (Literal["a", 1, Colour.RED], "Literal['a', 1, Colour.RED]"),
    "a mapping": (dict[str, tuple[int, ...]], "dict[str, tuple[int, ...]]"),
    "an abstract class": (Sequence[Mapping[str, bool]], "Sequence[Mapping[str, bool]]"),
    "an alias": (JsonValue, "JsonValue"),
    "a generic model": (Pages[Page], "Pages[Page]"),
    "a class within a class": (Page.Part, "Page.Part"),
    "a new type": (list[Slug], "list[Slug]"),
    "anything": (Any, "Any"),
    "no tuple": (tuple[()], "tuple[()]"),
    "a type variable": (T, "Any"),
}


@pytest.mark.parametrize("name", KINDS)
def test_every_type_is_written_as_python_has_it(name: str) -> None:
    kind, said = KINDS[name]

    async def give() -> Any: ...

    give.__annotations__["return"] = kind
    assert f") -> {said}:\n" in text_of(made(give))


def test_a_model_that_no_module_has_becomes_a_class_of_the_stub() -> None:
    class Local(BaseModel):
        """Known here alone."""

        text: str
        others: list[Page]

    async def give() -> list[Local]: ...
    async def once() -> Local: ...

    text = text_of(made(give, "give"), made(once, "once"))
    assert text.count("class Local(BaseModel):\n    text: str\n    others: list[Page]\n") == 1
    assert "async def once(self, payload: once_arguments | None = None, /) -> Local:" in text


def test_a_tool_that_is_called_like_a_type_hides_it_from_nobody() -> None:
    async def give(names: list[str]) -> Page: ...

    text = text_of(made(give, "list"), made(give, "Page"), made(give, "overload"))
    assert "from builtins import list as list_\n" in text
    assert "async def list(self, *, names: list_[str]) -> Page_:" in text
    assert "    @overload_\n" in text


def test_names_that_python_cannot_write_are_left_to_a_dictionary_or_to_a_call_by_name() -> None:
    class Odd(BaseModel):
        """With a name that is no identifier."""

        unit: str = Field(alias="the-unit")

    async def odd(payload: Odd) -> None: ...

    text = text_of(made(odd, "get-odd"), made(odd, "3d"))
    assert "async def get_odd(self, payload: get_odd_arguments, /) -> None:" in text
    assert '        "the-unit": str,\n' in text
    assert '    # 3d is not a Python identifier; call it with ctx.call("3d", ...)\n' in text
    assert "def 3d" not in text
    assert "*" not in text


def test_a_tool_that_is_left_out_is_told_where_the_command_is_given(cli: Cli) -> None:
    done = cli("stubs", f"{__name__}:odd_app")
    assert f"Written by `remit stubs {__name__}:odd_app`." in done.out
    assert (done.status, done.err) == (
        0,
        'remit: left out: 1st is not a Python identifier; call it with ctx.call("1st", ...)\n',
    )


def test_a_backslash_in_a_description_stays_what_it_is() -> None:
    async def give() -> None: ...

    text = text_of(tool(give, name="give", description="Match \\d, and C:\\", effect=Effect.PURE))
    (tools,) = (each for each in ast.parse(text).body if isinstance(each, ast.ClassDef) and each.name == "Tools")
    (method,) = (each for each in tools.body if isinstance(each, ast.AsyncFunctionDef))
    assert ast.get_docstring(method) == "Match \\d, and C:\\"


def test_a_model_of_a_private_module_of_remit_is_written_out_instead_of_imported() -> None:
    async def take(payload: Reason) -> None: ...

    text = text_of(made(take))
    assert "remit.agent.handoff" not in text
    assert "class " in text


def test_a_model_of_remit_is_imported_from_the_public_module_that_lists_it() -> None:
    async def take(payload: PromptWithAttachments) -> None: ...

    text = text_of(made(take))
    assert "from remit.agent import Attachment, PromptWithAttachments\n" in text


def test_agents_and_what_they_may_name_are_tools_too_and_handoffs_are_not() -> None:
    other = Agent("other", instructions="Help.")
    agent = Agent("agent", instructions="Work.", tools=[other], handoffs=[other])
    text = render_stubs(App(name="shop", agents=(agent,)))
    assert "async def other(self, *, prompt: str) -> str:" in text
    assert "handoff" not in text


def test_an_application_without_tools_has_a_stub_without_tools() -> None:
    assert 'class Tools(Protocol):\n    """The tools of shop."""\n\n    ...\n' in text_of()


def test_a_type_that_has_no_name_is_anything() -> None:
    class Odd:
        pass

    actor = Actor("actor", _nothing)
    actor.schema_out.result_type = Odd
    assert "async def actor(self, *, what: str = ...) -> Any:" in text_of(actor)


@tool(name="1st", effect=Effect.PURE)
async def first() -> str:
    """Tell which is first."""
    return "this"


odd_app = App(name="odd", tools=(first,))


async def _nothing(_ctx: Any) -> None:
    return None


async def pay(arguments: dict[str, Any]) -> Any:
    return arguments


def test_a_tool_of_a_json_schema_has_the_types_of_its_parameters() -> None:
    properties = {"to": {"type": "string"}, "cents": {"type": "integer"}, "more": {"type": ["object", "null"]}}
    schema = {"type": "object", "properties": properties, "required": ["to"]}
    text = render_stubs(App(name="till", tools=[Tool.from_schema("pay", "Pay.", schema, pay)]))
    assert "async def pay(self, *, to: str, cents: int = ..., more: Any = ...) -> Any:" in text
    assert '"cents": NotRequired[int],' in text
