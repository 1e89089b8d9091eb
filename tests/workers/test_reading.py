"""Worker files: what each says is read, and what is wrong is told with file and line and how to mend it."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.agent.agent import Prompt
from remit.contracts.classification import Visibility
from remit.contracts.facts import Effect, Risk
from remit.contracts.finding import Finding
from remit.workers.attachments import AttachmentPolicy, PromptWithAttachments
from remit.workers.definition import WorkerDefinition, WorkerLimits
from remit.workers.names import check_names
from remit.workers.prompt import MOST
from remit.workers.reading import read_worker, read_workers
from remit.workers.source import WorkerFileError
from tests.workers.letters import Letter, Sorted

HERE = "tests.workers.letters"
WHOLE = f"""\
---
name: sorter
description: Says where a letter goes.
compatible_models: ["openai:*", "local:base"]
input: {HERE}:Letter
output: {HERE}:Sorted
tools: [find_drawer]
workers:
  - scan
delegates: [read_page]
permissions: ["mail:read", "files:*"]
builtin_tools: [web_search]
limits:
  turns: 4
  seconds: 2.5
retries: 3
facts:
  risk: moderate
  required_permissions: ["mail:sort"]
  tags: [letters]
  egress: true
  trusted: true
  visibility: internal
  entities: [letter]
---

# You sort letters

This one is from {{{{ sender.name }}}}.
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the worker files, which is where we are: what is said names files as a person here would."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text: str, name: str = "sort.worker") -> Path:
    path = Path.cwd() / name
    path.write_text(text, encoding="utf-8")
    return path


def read(text: str) -> WorkerDefinition:
    return read_worker(write(text))


def refused(text: str) -> list[Finding]:
    with pytest.raises(WorkerFileError) as caught:
        read(text)
    return list(caught.value.findings)


def with_keys(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", "Sort."])


def test_a_file_says_all_that_a_worker_is() -> None:
    found = read(WHOLE)
    assert (found.name, found.description) == ("sorter", "Says where a letter goes.")
    assert found.prompt == "# You sort letters\n\nThis one is from {{ sender.name }}."
    assert (found.input, found.output) == (Letter, Sorted)
    assert found.schema_out.dump({"drawer": "red"})[0] == Sorted(drawer="red")
    assert (found.tools, found.workers, found.delegates) == (("find_drawer",), ("scan",), ("read_page",))
    assert (found.model, found.compatible_models) == ("", ("openai:*", "local:base"))
    assert (found.permissions, found.builtin_tools) == ({"mail:read", "files:*"}, ("web_search",))
    assert found.limits == WorkerLimits(turns=4, seconds=2.5)
    assert (found.retries, found.attachments) == (3, None)
    facts = found.facts
    assert (facts.effect, facts.risk, facts.permissions) == (Effect.COMPOSED, Risk.MODERATE, {"mail:sort"})
    assert (facts.tags, facts.entities, facts.visibility) == ({"letters"}, {"letter"}, Visibility.INTERNAL)
    assert (facts.egress, facts.trusted) == (True, True)


def test_it_remembers_where_each_part_stands() -> None:
    found = read(WHOLE)
    assert found.where("workers", 0) == "sort.worker:9"
    assert found.where("prompt") == "sort.worker:27"
    assert found.where("model") == "sort.worker:2"


@pytest.mark.parametrize("front", ["---\n---\n", "---   \n\n---\n\n"], ids=["nothing", "blank"])
def test_a_prompt_alone_is_enough_and_the_name_is_the_file_s(front: str) -> None:
    found = read(front + "Sort.\n---\nAnd say where.\n")
    assert (found.name, found.prompt) == ("sort", "Sort.\n---\nAnd say where.")
    assert (found.input, found.output, found.tools, found.permissions) == (Prompt, str, (), None)


def test_a_file_with_the_line_ends_of_windows_is_read_alike() -> None:
    path = Path("sort.worker").absolute()
    path.write_bytes(b"---\r\nmodel: openai:small\r\n---\r\nSort.\r\nNow.\r\n")
    found = read_worker(path)
    assert (found.model, found.prompt) == ("openai:small", "Sort.\nNow.")


def test_a_worker_that_takes_attachments_is_asked_with_them() -> None:
    found = read(with_keys("attachments:", '  suffixes: [".pdf"]', "  max_count: 1"))
    assert found.attachments == AttachmentPolicy(suffixes=(".pdf",), max_count=1)
    assert found.input is PromptWithAttachments


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Sort.", "sort.worker:1: the first line is not ---; begin with ---, keys, and --- again"),
        ("\n---\n---\nSort.", "sort.worker:1: the first line is not ---; begin with ---, keys, and --- again"),
        ("---\nname: x\nSort.", "sort.worker:1: the front matter has no end; write a line --- above the prompt"),
        ("---\nname: x\n---\n \n", "sort.worker:4: there is no prompt; write below the front matter what it is to do"),
        ("---\nname: [x\n---\nSort.", "sort.worker:3: no YAML: did not find expected"),
        ("---\n- x\n---\nSort.", "sort.worker:2: no mapping"),
    ],
    ids=["no-front-matter", "not-first", "no-end", "no-prompt", "no-yaml", "no-mapping"],
)
def test_what_is_no_worker_file_is_refused(text: str, said: str) -> None:
    (found,) = refused(text)
    assert str(found).startswith(said)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["name: x", "name: y"], "sort.worker:3: the key 'name' stands twice, first on line 2; remove one"),
        (["tool: [x]"], "sort.worker:2: tool: no such key; did you mean tools?"),
        (["zzz: 1"], "sort.worker:2: zzz: no such key; there are: attachments, builtin_tools, compatible_models, "),
        (["limits:", "  turn: 3"], "sort.worker:3: limits.turn: no such key; did you mean turns?"),
        (["attachments: {max_count: 2}"], "sort.worker:2: attachments.suffixes is missing; say it"),
        (["attachments: {suffixes: [.png, pdf]}"], "sort.worker:2: attachments.suffixes.1: String should match"),
        (["tools: x"], "sort.worker:2: tools: Input should be a valid array; write a list, like [one, two]"),
        (["tools: [x y]"], "sort.worker:2: tools.0: String should match pattern"),
        (["description: 3"], "sort.worker:2: description: Input should be a valid string; write a text"),
        (["retries: many"], "sort.worker:2: retries: Input should be a valid integer; write a whole number"),
        (["retries: -1"], "sort.worker:2: retries: Input should be greater than or equal to 0; correct it"),
        (["limits: 3"], "sort.worker:2: limits: Input should be an object; write keys with their values below"),
        (["model: small"], "sort.worker:2: model: String should match pattern"),
        (["name: a b"], "sort.worker:2: name: String should match pattern"),
        (["permissions: [mail]"], "sort.worker:2: permissions.0: String should match pattern"),
        (["builtin_tools: [telepathy]"], "sort.worker:2: builtin_tools.0: Input should be 'code_execution', "),
        (["facts: {risk: deadly}"], "sort.worker:2: facts.risk: Input should be 'safe', 'moderate' or 'high'"),
        (["model: a:b", "compatible_models: [c]"], "sort.worker:3: it names a model and compatible models; say one"),
        (["tools:", "  - x", "  - x"], "sort.worker:4: tools names 'x' twice; remove one"),
        (["input: Letter"], "sort.worker:2: input: String should match pattern"),
        (["input: no.such:Letter"], "sort.worker:2: input: no.such:Letter cannot be imported: ModuleNotFoundError"),
        ([f"output: {HERE}:Lettr"], f"sort.worker:2: output: {HERE}:Lettr cannot be imported: AttributeError"),
        ([f"input: {HERE}:Plain"], f"sort.worker:2: input: {HERE}:Plain is no pydantic model; name a pydantic model"),
        ([f"input: {HERE}:Names"], "sort.worker:2: input: Names is no object with named fields, as arguments are"),
        ([f"input: {HERE}:Scanned"], "sort.worker:2: Scanned has the field `attachments: tuple[Attachment, ...]`"),
        (
            [f"input: {HERE}:Letter", 'attachments: {suffixes: [".png"]}'],
            "sort.worker:3: Letter has no field `attachments: tuple[Attachment, ...]`; add it to the input",
        ),
    ],
    ids=[
        *("twice", "near-key", "unknown-key", "near-limit", "no-suffixes", "suffix", "no-list", "tool-name", "no-text"),
        *("no-number", "too-few", "no-mapping", "model", "name", "permission", "provider-tool", "risk", "two-models"),
        *("tool-twice", "no-reference", "no-module", "no-attribute", "no-pydantic", "no-object", "no-policy"),
        "no-attachments",
    ],
)
def test_what_is_wrong_in_the_front_matter_is_told_with_its_line(lines: list[str], said: str) -> None:
    (found,) = refused(with_keys(*lines))
    assert str(found).startswith(said)


def test_a_prompt_that_uses_what_the_input_has_not_is_refused_on_its_line() -> None:
    (found,) = refused(f"---\ninput: {HERE}:Letter\n---\n\nFrom {{{{ sender }}}}\nabout {{{{ subjct }}}}.")
    assert str(found) == ("sort.worker:6: the input has no field 'subjct'; there are: items, sender, subject, tags")


def test_all_that_is_wrong_is_told_at_once_and_the_error_says_how_much() -> None:
    path = write("---\nretries: many\nzzz: 1\n---\n")
    with pytest.raises(WorkerFileError, match=r"retries: .*\(and 2 more: remit worker check names all\)") as caught:
        read_worker(path)
    assert [each.where for each in caught.value.findings] == ["sort.worker:2", "sort.worker:3", "sort.worker:5"]


def test_a_file_whose_name_is_no_tool_name_has_to_say_one() -> None:
    with pytest.raises(WorkerFileError, match=r"sort it\.worker:1: the file's name 'sort it' is no tool name"):
        read_worker(write("---\n---\nSort.", "sort it.worker"))


def test_a_file_that_cannot_be_read_is_told_so() -> None:
    with pytest.raises(WorkerFileError, match=r"nowhere\.worker:1: it cannot be read: No such file or directory"):
        read_worker(Path.cwd() / "nowhere.worker")
    write("").write_bytes(b"---\n---\n\xff")
    with pytest.raises(WorkerFileError, match=r"sort\.worker:1: no text in UTF-8; save it as UTF-8"):
        read_worker(Path.cwd() / "sort.worker")


def test_what_is_included_is_read_with_the_file_and_not_when_it_is_rendered() -> None:
    (Path.cwd() / "parts").mkdir()
    (Path.cwd() / "parts" / "tone.md").write_text('Be kind. {% include "parts/end.md" %}')
    (Path.cwd() / "parts" / "end.md").write_text("You are asked: {{ prompt }}")
    found = read('---\n---\nSort. {% include "parts/tone.md" %} {% include "parts/end.md" %}')
    (Path.cwd() / "parts" / "tone.md").unlink()
    assert found.instructions(Prompt(prompt="how?")) == "Sort. Be kind. You are asked: how? You are asked: how?"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../tone.md", "'../tone.md' leads out of the folder of the worker; name a file below it, like tone.md"),
        ("parts/../../tone.md", "'parts/../../tone.md' leads out of the folder of the worker"),
        ("/etc/hostname", "'/etc/hostname' leads out of the folder of the worker"),
        ("parts\\\\tone.md", "'parts\\\\tone.md' leads out of the folder of the worker"),
        ("nowhere.md", "there is no file 'nowhere.md' to include in .; write it"),
        ("parts", "there is no file 'parts' to include in .; write it"),
        ("link.md", "'link.md' is a link out of the folder of the worker; put a copy there"),
        ("linked/secret.md", "'linked/secret.md' is a link out of the folder of the worker; put a copy there"),
        ("loop.md", "'loop.md' includes itself; remove one of the includes"),
        ("long.md", "'long.md' has more than 262,144 bytes; include a shorter text"),
        ("bytes.md", "'bytes.md' is no text in UTF-8; save it as UTF-8"),
    ],
    ids=["up", "up-inside", "absolute", "backslash", "missing", "folder", "link", "linked", "loop", "long", "bytes"],
)
def test_nothing_is_included_but_texts_below_the_folder_of_the_worker(
    name: str, said: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside, here = tmp_path_factory.mktemp("outside"), Path.cwd()
    (outside / "secret.md").write_text("the key")
    (here.parent / "tone.md").write_text("outside")
    (here / "parts").mkdir()
    (here / "link.md").symlink_to(outside / "secret.md")
    (here / "linked").symlink_to(outside)
    (here / "loop.md").write_text('{% include "loop.md" %}')
    (here / "long.md").write_text("x" * (MOST + 1))
    (here / "bytes.md").write_bytes(b"\xff")
    (found,) = refused(f'---\n---\n\nSort.\n{{% include "{name}" %}}')
    at = "loop.md:1" if name == "loop.md" else "sort.worker:5"
    assert str(found).startswith(f"{at}: {said}")


def test_what_is_included_has_to_be_named_by_a_plain_text() -> None:
    (found,) = refused("---\n---\n{% include prompt %}")
    assert str(found).startswith("sort.worker:3: what is included is not named by a plain text; name it, like ")


def test_a_link_to_a_text_below_the_folder_is_followed() -> None:
    (Path.cwd() / "tone.md").write_text("Be kind.")
    (Path.cwd() / "same.md").symlink_to(Path.cwd() / "tone.md")
    assert read('---\n---\n{% include "same.md" %}').instructions(Prompt(prompt="")) == "Be kind."


def test_the_workers_of_a_folder_are_read_in_the_order_of_their_files(folder: Path) -> None:
    write("---\nname: first\n---\nB.", "b.worker")
    write("---\nname: second\n---\nA.", "a.worker")
    (folder / "notes.md").write_text("no worker")
    assert [each.name for each in read_workers(folder)] == ["second", "first"]


def test_what_is_wrong_in_any_file_of_a_folder_is_told_and_a_folder_without_one_too(folder: Path) -> None:
    with pytest.raises(WorkerFileError, match=r"no worker: no file \*\.worker; write one"):
        read_workers(folder)
    write("Sort.", "a.worker")
    write("---\n---\nB.", "b.worker")
    write("---\nx: 1\n---\nC.", "c.worker")
    with pytest.raises(WorkerFileError) as caught:
        read_workers(folder)
    assert [each.where for each in caught.value.findings] == ["a.worker:1", "c.worker:2"]


def named(name: str, *lines: str) -> WorkerDefinition:
    return read_worker(write(with_keys(f"name: {name}", *lines), f"{name}.worker"))


def test_names_of_tools_and_workers_that_there_are_hold_and_a_worker_may_list_itself() -> None:
    sort = named("sort", "tools: [find]", "workers: [sort, scan]", "delegates: [move]", "builtin_tools: [web_search]")
    scan = named("scan", "workers: [sort]")
    assert check_names([sort, scan], {"find", "move"}) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tools: [fnd]", "there is no tool 'fnd'; did you mean find?"),
        ("tools: [zzz]", "there is no tool 'zzz'; there are: find, web_search"),
        ("tools: [scan]", "'scan' is a worker; list it as a worker"),
        ("workers: [find]", "'find' is a tool; list it as a tool"),
        ("workers: [zzz]", "there is no worker 'zzz'; there are: scan, sort"),
        ("delegates: [zzz]", "there is no tool or worker 'zzz'; there are: find, scan, sort, web_search"),
        ("builtin_tools: [web_search]", "the provider's tool 'web_search' has the name of another: a tool of the "),
    ],
    ids=["near", "tool", "worker-as-tool", "tool-as-worker", "worker", "delegate", "provider"],
)
def test_a_name_of_nothing_is_told_with_its_line(line: str, said: str) -> None:
    (found,) = check_names([named("sort", line), named("scan")], {"find", "web_search"})
    assert str(found).startswith(f"sort.worker:3: {said}")


def test_a_delegate_that_the_worker_sees_itself_is_said_twice() -> None:
    (found,) = check_names([named("sort", "tools: [find]", "delegates: [find]")], {"find"})
    assert str(found) == (
        "sort.worker:4: 'find' is delegated, and the worker may call it itself; remove it here: those below may call it"
    )


def test_a_name_that_nothing_can_have_is_told_with_its_line() -> None:
    (found,) = check_names([named("call")], ())
    assert str(found).startswith("call.worker:2: no tool can be named 'call': ctx.call is a member of the context")


def test_a_name_that_is_taken_is_told_with_both_places() -> None:
    one, other = named("sort"), read_worker(write("---\n---\nSort.", "sort.worker"))
    made = WorkerDefinition(name="sort", prompt="Sort.")
    found = [str(each) for each in check_names([one, other, made], ())]
    taken = "the name 'sort' is taken: it is the worker at sort.worker:2; say another `name`"
    assert found == [f"sort.worker:1: {taken}", f"worker sort: {taken}"]
    found = [str(each) for each in check_names([made, made], ())]
    assert found == ["worker sort: the name 'sort' is taken: it is another worker; say another `name`"]
    (found_tool,) = check_names([named("find")], {"find"})
    assert "the name 'find' is taken: it is a tool of the application" in str(found_tool)
