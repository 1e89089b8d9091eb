"""Worker files: what each says is read, and what is wrong is told with file and line and how to mend it."""

from __future__ import annotations

from pathlib import Path

import pytest

from remit.agent.limits import AgentLimits
from remit.agent.prompt import Prompt
from remit.call.classification import Visibility
from remit.call.facts import Effect, Risk
from remit.schemas.finding import Finding
from remit.workers import AttachmentPolicy, PromptWithAttachments, build_agent
from remit.workers.definition import WorkerDefinition
from remit.workers.prompt import MAX_PROMPT_CHARS
from remit.workers.reader import inspect_file, read_worker, read_workers
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
    assert (found.narrowed_permissions, found.builtin_tools) == ({"mail:read", "files:*"}, ("web_search",))
    assert found.limits == AgentLimits(turns=4, seconds=2.5)
    assert (found.retries, found.attachments) == (3, None)
    facts = found.facts
    assert (facts.effect, facts.risk, facts.permissions) == (Effect.COMPOSED, Risk.MODERATE, {"mail:sort"})
    assert (facts.tags, facts.visibility) == ({"letters"}, Visibility.INTERNAL)
    assert (facts.egress, facts.trusted) == (True, True)


def test_it_remembers_where_each_part_stands() -> None:
    found = read(WHOLE)
    assert found.locate("workers", 0) == "sort.worker:9"
    assert found.locate("prompt") == "sort.worker:26"
    assert found.locate("model") == "sort.worker:2"


@pytest.mark.parametrize("front", ["---\n---\n", "---   \n\n---\n\n"], ids=["nothing", "blank"])
def test_a_prompt_alone_is_enough_and_the_name_is_the_file_s(front: str) -> None:
    found = read(front + "Sort.\n---\nAnd say where.\n")
    assert (found.name, found.prompt) == ("sort", "Sort.\n---\nAnd say where.")
    assert (found.input, found.output, found.tools, found.narrowed_permissions) == (Prompt, str, (), None)


def test_delegates_narrow_only_where_the_key_is_given_and_the_key_needs_a_list() -> None:
    assert read(with_keys("name: sort")).delegates is None
    assert read(with_keys("delegates: []")).delegates == ()
    with pytest.raises(WorkerFileError, match=r"sort.worker:2: delegates: "):
        read(with_keys("delegates:"))


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
        (
            "---\nname: x\n---\n \n",
            "sort.worker:4: there is no prompt; write below the front matter what the worker does",
        ),
        (
            "---\ndescription: a: b\n---\nSort.",
            "sort.worker:2: not YAML: mapping values are not allowed in this context; put a text that contains ': ' in",
        ),
        ("---\nname: [x\n---\nSort.", "sort.worker:3: not YAML: did not find expected"),
        (
            "---\n- x\n---\nSort.",
            "sort.worker:2: there are no keys; write keys with their values, like `tools: [find]`",
        ),
    ],
    ids=["no-front-matter", "not-first", "no-end", "no-prompt", "colon", "no-yaml", "no-mapping"],
)
def test_what_is_no_worker_file_is_refused(text: str, said: str) -> None:
    (found,) = refused(text)
    assert str(found).startswith(said)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["name: x", "name: y"], "sort.worker:3: the key 'name' occurs twice, first on line 2; remove one"),
        (["tool: [x]"], "sort.worker:2: tool: no such key; did you mean tools?"),
        (["name: x", "", "prompt: Sort."], "sort.worker:4: prompt: no such key; write it below the second ---"),
        (
            ["attachments: {suffixes: [pdf]}"],
            "sort.worker:2: attachments.suffixes.0: 'pdf' is not a file suffix; ",
        ),
        (["attachments: {suffixes: []}"], "sort.worker:2: attachments.suffixes is empty; give at least one value"),
        (
            ["tools: !!python/tuple [x]"],
            "sort.worker:2: the tag !!python/tuple makes a value that JSON does not have; remove the tag",
        ),
        (
            ["retries: !!python/object:x.Y {}"],
            "sort.worker:2: the tag !!python/object:x.Y makes a value that JSON does not have",
        ),
        (["tools: &those [x]"], "sort.worker:2: the anchor &those names a part; remove it"),
        (["zzz: 1"], "sort.worker:2: zzz: no such key; available: attachments, builtin_tools, compaction, "),
        (["limits:", "  turn: 3"], "sort.worker:3: limits.turn: no such key; did you mean turns?"),
        (["facts: {entities: [x]}"], "sort.worker:2: facts.entities: no such key; remove it, and declare them on the"),
        (["settings:", "  sead: 1"], "sort.worker:3: settings.sead: no such key; did you mean seed?"),
        (["settings: {seed: x}"], "sort.worker:2: settings.seed: Input should be a valid integer; write a whole"),
        (["attachments: {max_count: 2}"], "sort.worker:2: attachments.suffixes is missing; add it"),
        (["attachments: {suffixes: [.png, pdf]}"], "sort.worker:2: attachments.suffixes.1: 'pdf' is not a file suffix"),
        (["tools: x"], "sort.worker:2: tools: Input should be a valid array; write a list, like [one, two]"),
        (["tools: [x y]"], "sort.worker:2: tools.0: 'x y' is not a valid tool name; write 1 to 64 letters, digits"),
        (["description: 3"], "sort.worker:2: description: Input should be a valid string; write text"),
        (["retries: many"], "sort.worker:2: retries: Input should be a valid integer; write a whole number"),
        (["retries: -1"], "sort.worker:2: retries: Input should be greater than or equal to 0; correct it"),
        (["limits: 3"], "sort.worker:2: limits: Input should be an object; write keys with their values below"),
        (
            ["model: small"],
            "sort.worker:2: model: 'small' is not a model name; write PROVIDER:NAME, like openai:gpt-5-mini",
        ),
        (["name: a b"], "sort.worker:2: name: 'a b' is not a valid tool name; write"),
        (["permissions: [mail]"], "sort.worker:2: permissions.0: 'mail' is not a permission; write area:action, like"),
        (["builtin_tools: [telepathy]"], "sort.worker:2: builtin_tools.0.name: Input should be 'code_execution', "),
        (["facts: {risk: deadly}"], "sort.worker:2: facts.risk: Input should be 'safe', 'moderate' or 'high'"),
        (
            ["model: a:b", "compatible_models: [c]"],
            "sort.worker:3: both `model` and `compatible_models` are given; keep one",
        ),
        (["tools:", "  - x", "  - x"], "sort.worker:4: tools names 'x' twice; remove one"),
        (
            ["input: Letter"],
            "sort.worker:2: input: 'Letter' is not a class reference; name a pydantic model as package.",
        ),
        (["input: no.such:Letter"], "sort.worker:2: input: no.such:Letter cannot be imported: ModuleNotFoundError"),
        ([f"output: {HERE}:Lettr"], f"sort.worker:2: output: {HERE}:Lettr cannot be imported: AttributeError"),
        (
            [f"input: {HERE}:Plain"],
            f"sort.worker:2: input: {HERE}:Plain is not a pydantic model; name a pydantic model",
        ),
        (
            [f"input: {HERE}:Names"],
            "sort.worker:2: input: Names is not an object with named fields, which arguments need",
        ),
        ([f"input: {HERE}:Scanned"], "sort.worker:2: Scanned has the field `attachments: tuple[Attachment, ...]`"),
        (
            [f"input: {HERE}:Letter", 'attachments: {suffixes: [".png"]}'],
            "sort.worker:3: Letter has no field `attachments: tuple[Attachment, ...]`; add it to the input",
        ),
    ],
    ids=[
        *("twice", "near-key", "prompt-key", "one-suffix", "no-suffix", "tag", "object", "anchor"),
        *(
            "unknown-key",
            "near-limit",
            "entities",
            "near-setting",
            "setting",
            "no-suffixes",
            "suffix",
            "no-list",
            "tool-name",
            "no-text",
        ),
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
    said = (
        "sort.worker:6: the input has no field 'subjct'; available: items, sender, subject, tags; or write {% raw %} "
    )
    assert str(found).startswith(said)


def test_all_that_is_wrong_is_told_at_once_and_the_error_says_how_much() -> None:
    path = write("---\nretries: many\nzzz: 1\n---\n")
    with pytest.raises(WorkerFileError, match=r"retries: .*\(and 2 more: remit worker check names all\)") as caught:
        read_worker(path)
    assert [each.where for each in caught.value.findings] == ["sort.worker:2", "sort.worker:3", "sort.worker:5"]


def places(text: str) -> list[str]:
    """Where something is wrong, and what kind of thing."""
    return [f"{each.where.rpartition(':')[2]} {each.code}" for each in refused(text)]


def test_what_is_wrong_in_one_part_hides_nothing_in_another() -> None:
    text = (
        f"---\noutput: no.such:Thing\ninput: {HERE}:Plain\nmodel: small\ntools: [a b, x, x]\n---\n"
        '{{ x | nope }}\n{% include "nowhere.md" %}'
    )
    assert places(text) == [
        "2 reference",
        "3 reference",
        "4 value",
        "5 value",
        "5 duplicate",
        "7 template",
        "8 include",
    ]
    assert places('---\n---\n{{ nope }}\n{% include "nowhere.md" %}') == ["3 unknown-field", "4 include"]


def test_a_reference_to_another_part_of_the_file_is_refused_where_it_is_made_and_where_it_leads() -> None:
    found = refused("---\nmodel: &one openai:a\ndescription: *one\ntools: &two [x]\nworkers: *two\n---\nSort.")
    assert [str(each).partition(";")[0] for each in found] == [
        "sort.worker:2: the anchor &one names a part",
        "sort.worker:3: *one repeats another part",
        "sort.worker:4: the anchor &two names a part",
        "sort.worker:5: *two repeats another part",
    ]


def test_a_tag_of_what_json_has_too_is_read() -> None:
    assert read(with_keys("description: !!str 3", "tools: !!seq [x]")).tools == ("x",)


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    (Path.cwd() / "tone.md").write_bytes(b"\xef\xbb\xbfBe kind.")
    path = write("")
    path.write_bytes(b'\xef\xbb\xbf---\n---\n{% include "tone.md" %}')
    assert _instructions(read_worker(path), "") == "Be kind."


def test_a_file_that_cannot_be_read_says_its_names_all_the_same() -> None:
    looked = inspect_file(write("---\nname: 3\ntools: [a b, x]\nworkers: y\n---\nSort."))
    assert (looked.worker, looked.names.name, looked.names.tools, looked.names.workers) == (None, "", ("", "x"), ())
    assert looked.names.locate("tools", 1) == "sort.worker:3"
    assert inspect_file(write("Sort.")).names.name == "sort"


def test_a_file_whose_name_is_no_tool_name_has_to_say_one() -> None:
    with pytest.raises(WorkerFileError, match=r"sort it\.worker:1: the file's name 'sort it' is not a valid tool name"):
        read_worker(write("---\n---\nSort.", "sort it.worker"))


def test_a_file_that_cannot_be_read_is_told_so() -> None:
    with pytest.raises(WorkerFileError, match=r"nowhere\.worker:1: it cannot be read: No such file or directory"):
        read_worker(Path.cwd() / "nowhere.worker")
    write("").write_bytes(b"---\n---\n\xff")
    with pytest.raises(WorkerFileError, match=r"sort\.worker:3: it is not UTF-8 text; save it as UTF-8"):
        read_worker(Path.cwd() / "sort.worker")


def test_what_is_included_is_read_with_the_file_and_not_when_it_is_rendered() -> None:
    (Path.cwd() / "parts").mkdir()
    (Path.cwd() / "parts" / "tone.md").write_text('Be kind. {% include "parts/end.md" %}')
    (Path.cwd() / "parts" / "end.md").write_text("You are asked: {{ prompt }}")
    found = read('---\n---\nSort. {% include "parts/tone.md" %} {% include "parts/end.md" %}')
    (Path.cwd() / "parts" / "tone.md").unlink()
    assert _instructions(found, "how?") == "Sort. Be kind. You are asked: how? You are asked: how?"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../tone.md", "'../tone.md' is outside the worker's folder; name a file below it, like tone.md"),
        ("parts/../../tone.md", "'parts/../../tone.md' is outside the worker's folder"),
        ("/etc/hostname", "'/etc/hostname' is outside the worker's folder"),
        ("parts\\\\tone.md", "'parts\\\\tone.md' is outside the worker's folder"),
        ("nowhere.md", "there is no file 'nowhere.md' to include in .; create it"),
        ("parts", "there is no file 'parts' to include in .; create it"),
        ("link.md", "'link.md' is a link to a file outside the worker's folder; put a copy there"),
        ("linked/secret.md", "'linked/secret.md' is a link to a file outside the worker's folder; put a copy there"),
        ("loop.md", "'loop.md' includes itself; remove one of the includes"),
        ("long.md", "the texts included up to 'long.md' have more than 262,144 bytes; include shorter texts"),
        ("bytes.md", "'bytes.md' is not UTF-8 text; save it as UTF-8"),
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
    (here / "long.md").write_text("x" * (MAX_PROMPT_CHARS + 1))
    (here / "bytes.md").write_bytes(b"\xff")
    (found,) = refused(f'---\n---\n\nSort.\n{{% include "{name}" %}}')
    at = "loop.md:1" if name == "loop.md" else "sort.worker:5"
    assert str(found).startswith(f"{at}: {said}")


def test_what_is_included_has_to_be_named_by_a_plain_text() -> None:
    (found,) = refused("---\n---\n{% include prompt %}")
    assert str(found).startswith("sort.worker:3: the name of an include must be a plain string; name it, like ")


def test_a_link_to_a_text_below_the_folder_is_followed() -> None:
    (Path.cwd() / "tone.md").write_text("Be kind.")
    (Path.cwd() / "same.md").symlink_to(Path.cwd() / "tone.md")
    assert _instructions(read('---\n---\n{% include "same.md" %}'), "") == "Be kind."


def test_the_workers_of_a_folder_are_read_in_the_order_of_their_files(folder: Path) -> None:
    write("---\nname: first\n---\nB.", "b.worker")
    write("---\nname: second\n---\nA.", "a.worker")
    (folder / "notes.md").write_text("no worker")
    assert [each.name for each in read_workers(folder)] == ["second", "first"]


def test_what_is_wrong_in_any_file_of_a_folder_is_told_and_a_folder_without_one_too(folder: Path) -> None:
    with pytest.raises(WorkerFileError, match=r"^[^:]+: no worker found: .* there with: remit worker new NAME"):
        read_workers(folder)
    write("Sort.", "a.worker")
    write("---\n---\nB.", "b.worker")
    write("---\nx: 1\n---\nC.", "c.worker")
    with pytest.raises(WorkerFileError) as caught:
        read_workers(folder)
    assert [each.where for each in caught.value.findings] == ["a.worker:1", "c.worker:2"]


def _instructions(definition: WorkerDefinition, prompt: str) -> str:
    return build_agent(definition).render_instructions(Prompt(prompt=prompt))
