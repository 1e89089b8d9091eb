"""Operations that are functions of a module, or single functions and tools, instead of methods of an object."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from remit import App, Context, LeafContext, Runtime, Tool, preset, tool
from remit.app import Env
from remit.errors import DeniedError
from remit.inventory import (
    InventoryError,
    Operations,
    PolicyTable,
    Vocabulary,
    build_lock,
    business_rules_section,
    lock_path,
    read_inventory,
    run_checklist,
)
from remit.testing import superuser
from tests.inventory import lending

ENTRIES = """\
domain: library
subdomain: loans
methods:
  lend_book:
    classification: {capability: create}
    effect: keyed
    business_rules: {required_permissions: [books:lend]}
  count_books:
    classification: {capability: read}
    effect: pure
  renew_all:
    classification: {capability: process, complexity: composite}
    effect: composed
    tools: {renew-all: {}}
"""
WORDS = Vocabulary(domains={"library": {"loans"}}, permissions={"books:lend"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "loans.yaml").write_text(ENTRIES)
    return tmp_path


def bind(folder: Path, *owners: object, **options: Any) -> Operations:
    inventory = read_inventory(folder, PolicyTable(business_rules_section(version="1.0")), WORDS)
    return Operations(inventory, owners, **options)


def app_of(operations: Operations) -> App:
    return App(name="library", tools=operations.callees, operations=operations)


def findings_of(folder: Path, *owners: object) -> list[tuple[str, str]]:
    with pytest.raises(InventoryError) as raised:
        bind(folder, *owners)
    return [(each.code, each.what) for each in raised.value.findings]


def checked(operations: Operations) -> list[tuple[str, str]]:
    points = run_checklist(operations, operations.callees, preset(Env()))
    return [(each.code, each.what) for point in points for each in point.findings]


@pytest.mark.parametrize(
    "owners", [(lending,), (lending.lend_book, lending.count_books, lending.renew_all)], ids=["module", "functions"]
)
async def test_functions_are_governed_by_their_entries_locked_and_checked(
    folder: Path, owners: tuple[object, ...]
) -> None:
    operations = bind(folder, *owners)
    lock_path(operations).write_text(build_lock(operations).to_text())
    assert checked(operations) == []
    method = operations.methods["library.loans.lend_book"]
    assert (method.implementation, method.request.__name__) == (lending.lend_book, "LendBookRequest")
    assert method.metadata.code_location.startswith("tests/inventory/lending.py:")

    runtime, lend = Runtime(app_of(operations)), operations.find_tool("lend_book")
    assert (await runtime.call(lend, superuser(), lending.LendBook(title="dune"))).value() == "dune"
    refused = await runtime.call(lend, superuser("books:count"), lending.LendBook(title="dune"))
    with pytest.raises(DeniedError, match="missing permission books:lend"):
        refused.value()
    assert (await runtime.call(operations.find_tool("count_books"), superuser())).value() >= 1


async def test_a_change_of_a_function_or_of_its_entry_is_drift(folder: Path) -> None:
    operations = bind(folder, lending)
    lock_path(operations).write_text(build_lock(operations).to_text())

    async def lend_book(ctx: LeafContext, title: str, weeks: int) -> str:
        """Lend a book."""
        raise NotImplementedError

    changed = bind(folder, lend_book, lending.count_books, lending.renew_all)
    assert "method library.loans.lend_book: the parameter 'weeks' is new and required" in str(checked(changed))
    (folder / "loans.yaml").write_text(ENTRIES.replace(" [books:lend]", " []"))
    assert "it no longer needs books:lend" in str(checked(bind(folder, lending)))


def test_a_tool_with_facts_in_code_needs_no_entry_beside_functions(folder: Path) -> None:
    operations = bind(folder, lending, lending.is_open)
    assert list(operations.tools) == ["lend_book", "count_books", "renew-all", "is_open"]
    assert operations.tools["is_open"].method is None


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (
            lambda: tool(lending.lend_book, effect="keyed"),
            "the facts of library.loans.lend_book are also in a decorator",
        ),
        (lambda: tool(lending.lend_book, name="lend"), "the tool of library.loans.lend_book has a name, description, "),
        (lambda: tool(lending.lend_book, description="Lend."), "has a name, description, preview or layers of its own"),
        (lambda: tool(lending.lend_book).with_preview(_preview), "and add a preview with `with_tools`"),
    ],
)
def test_a_tool_that_declares_what_an_entry_declares_is_refused(
    folder: Path, change: Callable[[], Tool[..., Any]], what: str
) -> None:
    ((code, found),) = findings_of(folder, change(), lending.count_books, lending.renew_all)
    assert (code, what in found) == ("contract", True)


async def _preview(ctx: LeafContext, payload: lending.LendBook) -> str:
    return payload.title


async def test_the_tool_of_a_bound_method_is_its_operation(folder: Path) -> None:
    class Desk:
        async def lend_book(self, ctx: LeafContext, payload: lending.LendBook) -> str:
            """Lend a book."""
            return f"{payload.title} of the desk"

    operations = bind(folder, tool(Desk().lend_book), lending.count_books, lending.renew_all)
    lend, emma = operations.find_tool("lend_book"), lending.LendBook(title="emma")
    given = await Runtime(app_of(operations)).call(lend, superuser(), emma)
    assert given.value() == "emma of the desk"


def module(name: str, **functions: object) -> ModuleType:
    """A module that defines or imports functions."""
    made = ModuleType(name)
    vars(made).update(functions)
    return made


def test_a_function_that_two_modules_have_is_one_function(folder: Path) -> None:
    package = module("tests.inventory.public", lend_book=lending.lend_book)
    assert list(bind(folder, package, lending).methods) == list(bind(folder, lending).methods)


def test_functions_of_one_name_in_two_modules_must_be_named_with_their_module(folder: Path) -> None:
    async def lend_book(ctx: LeafContext, payload: lending.LendBook) -> str:
        """Lend a book."""
        raise NotImplementedError

    other = module("desks.other", lend_book=lend_book)
    ambiguous = "library.loans.lend_book may be tests.inventory.lending.lend_book, desks.other.lend_book"
    assert findings_of(folder, lending, other) == [("ambiguous", ambiguous)]
    for name in ("tests.inventory.lending.lend_book", "lending.lend_book"):
        (folder / "loans.yaml").write_text(
            ENTRIES.replace("effect: keyed", f"effect: keyed\n    implementation: {name}")
        )
        assert findings_of(folder, lending, other) == [("not-in-inventory", "no entry needs the module desks.other")]
        assert bind(folder, lending).methods["library.loans.lend_book"].owner is lending


def test_two_objects_of_one_class_are_ambiguous(folder: Path) -> None:
    class Desk:
        async def lend_book(self, ctx: LeafContext, payload: lending.LendBook) -> str:
            """Lend a book."""
            raise NotImplementedError

    ambiguous = "library.loans.lend_book may be Desk.lend_book, Desk.lend_book"
    assert findings_of(folder, Desk(), Desk(), lending.count_books, lending.renew_all) == [("ambiguous", ambiguous)]


def test_what_is_missing_or_not_needed_is_found(folder: Path) -> None:
    found = findings_of(folder, lending.lend_book, lending.count_books, folder)
    assert found == [("not-in-code", f"no function renew_all among lend_book, count_books, {type(folder).__name__}")]
    assert findings_of(folder, lending, _preview) == [("not-in-inventory", "no entry needs the function _preview")]


def test_a_public_async_function_of_a_module_needs_an_entry(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def archive() -> None:
        """Archive all loans."""

    imported = module("tests.inventory.lending", **vars(lending), archive=archive)
    monkeypatch.setattr(archive, "__module__", "somewhere.else")
    Runtime(app_of(bind(folder, imported)))
    monkeypatch.setattr(archive, "__module__", "tests.inventory.lending.archives")
    with pytest.raises(InventoryError, match="archive has no entry, as other functions of its module have"):
        Runtime(app_of(bind(folder, imported)))


def test_a_preview_that_a_program_wraps_needs_no_entry(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def show_book(_ctx: LeafContext, _payload: lending.LendBook) -> str:
        """The book to lend."""
        raise NotImplementedError

    @wraps(show_book)
    async def show_more(ctx: LeafContext, payload: lending.LendBook) -> str:
        return await show_book(ctx, payload)

    monkeypatch.setattr(show_book, "__module__", "tests.inventory.lending.previews")
    operations = bind(folder, module("tests.inventory.lending", **vars(lending), show_book=show_book))
    Runtime(
        app_of(operations.with_tools(lambda each: each.with_preview(show_more) if each.name == "lend_book" else each))
    )


def test_calls_that_a_module_declares_are_compared_with_its_permissions(folder: Path) -> None:
    async def renew_all(ctx: Context) -> int:
        """Renew all loans."""
        raise NotImplementedError

    def compose(find_tool: Callable[[str], Tool[..., Any]]) -> list[object]:
        calls = {renew_all: [find_tool("lend_book")]}
        return [module("renewals", renew_all=renew_all, calls=calls)]

    (folder / "loans.yaml").write_text(ENTRIES.replace("    tools: {renew-all: {}}\n", ""))
    operations = bind(folder, lending.lend_book, lending.count_books, compose=compose)
    assert operations.methods["library.loans.renew_all"].calls == (operations.find_tool("lend_book"),)
    assert [code for code, _ in checked(operations)] == ["too-few-permissions", "no-lock"]
