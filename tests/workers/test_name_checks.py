"""The names in worker files: what each stands for, what nobody has, and what is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.workers.definition import WorkerDefinition
from remit.workers.name_checks import check_names
from remit.workers.reader import read_worker


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the worker files, which is where we are: what is said names files as a person here would."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text: str, name: str = "sort.worker") -> Path:
    path = Path.cwd() / name
    path.write_text(text, encoding="utf-8")
    return path


def with_keys(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", "Sort."])


def make_worker(name: str, *lines: str) -> WorkerDefinition:
    return read_worker(write(with_keys(f"name: {name}", *lines), f"{name}.worker"))


def test_names_of_tools_and_workers_that_there_are_hold_and_a_worker_may_list_itself() -> None:
    sort = make_worker(
        "sort", "tools: [find]", "workers: [sort, scan]", "delegates: [move]", "builtin_tools: [web_search]"
    )
    scan = make_worker("scan", "workers: [sort]")
    assert check_names([sort, scan], {"find", "move"}) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tools: [fnd]", "there is no tool 'fnd'; did you mean find?"),
        ("tools: [zzz]", "there is no tool 'zzz'; available: find, web_search"),
        ("tools: [scan]", "'scan' is a worker; list it as a worker"),
        ("workers: [find]", "'find' is a tool; list it as a tool"),
        ("workers: [zzz]", "there is no worker 'zzz'; available: scan, sort"),
        ("delegates: [zzz]", "there is no tool or worker 'zzz'; available: find, scan, sort, web_search"),
        ("builtin_tools: [web_search]", "the name of the provider's tool 'web_search' is also used by a tool of the "),
    ],
    ids=["near", "tool", "worker-as-tool", "tool-as-worker", "worker", "delegate", "provider"],
)
def test_a_name_of_nothing_is_told_with_its_line(line: str, said: str) -> None:
    (found,) = check_names([make_worker("sort", line), make_worker("scan")], {"find", "web_search"})
    assert str(found).startswith(f"sort.worker:3: {said}")


def test_a_delegate_that_the_worker_sees_itself_is_said_twice() -> None:
    (found,) = check_names([make_worker("sort", "tools: [find]", "delegates: [find]")], {"find"})
    assert str(found) == (
        "sort.worker:4: 'find' is delegated, but the worker may call it itself; "
        "remove it here: its workers may call it too"
    )


def test_a_name_that_nothing_can_have_is_told_with_its_line() -> None:
    (found,) = check_names([make_worker("call")], ())
    assert str(found).startswith("call.worker:2: 'call' is reserved: ctx.call is a member of the context")


def test_a_name_that_is_taken_is_told_with_both_places() -> None:
    one, other = make_worker("sort"), read_worker(write("---\n---\nSort.", "sort.worker"))
    made = WorkerDefinition(name="sort", prompt="Sort.")
    found = [str(each) for each in check_names([one, other, made], ())]
    taken = "the name 'sort' is taken: it is the worker at sort.worker:2; choose another `name`"
    assert found == [f"sort.worker:1: {taken}", f"worker sort: {taken}"]
    found = [str(each) for each in check_names([made, made], ())]
    assert found == ["worker sort: the name 'sort' is taken: it is another worker; choose another `name`"]
    (found_tool,) = check_names([make_worker("find")], {"find"})
    assert "the name 'find' is taken: it is a tool of the application" in str(found_tool)


def test_of_many_names_the_first_are_told_and_where_the_others_are() -> None:
    (found,) = check_names(
        [make_worker("sort", "tools: [zzz]")], [f"tool_{each}" for each in range(20)], list_command="remit tools x"
    )
    assert found.fix == (
        "available: tool_0, tool_1, tool_10, tool_11, tool_12, tool_13, tool_14, tool_15, … and 12 more: remit tools x"
    )


def test_the_name_of_the_result_is_no_worker_s() -> None:
    (found,) = check_names([make_worker("final_result")], ())
    assert str(found).startswith(
        "final_result.worker:2: 'final_result' is reserved: it is the name by which a model gives its result"
    )
