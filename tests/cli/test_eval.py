"""Evals as users run them: `remit eval`, with YAML files and recorded answers beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from remit import Runtime
from remit.chat.wire import ModelText
from remit.errors import SetupError
from remit.evals.recording import Recorder, digest
from remit.evals.task import load_tasks
from remit.journal.ports import Store
from remit.testing import Scripted, calls, superuser
from tests.cli.kit import Cli
from tests.cli.notes import app
from tests.cli.running import Done, done

APP = "tests.cli.notes:app"
TITLES = "SELECT title FROM notes ORDER BY title"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the tasks, which is that of the person too."""
    (tmp_path / "evals" / "recorded").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    return tmp_path / "evals"


def write_task(folder: Path, yaml: str, *answers: str | dict[str, Any], name: str = "task") -> Path:
    """A task, and answers that a person wrote for it."""
    (folder / f"{name}.yaml").write_text(yaml, encoding="utf-8")
    messages = [{"content": each} if isinstance(each, str) else each for each in answers]
    script = {"model": "script", "answers": [{"message": each} for each in messages]}
    (folder / "recorded" / f"{name}.json").write_text(json.dumps(script), encoding="utf-8")
    return folder / f"{name}.yaml"


def run_evals(*arguments: str) -> Done:
    return done("eval", APP, *arguments, "--json")


def failures(ended: Done) -> list[str]:
    return [f"{each['kind']}: {each['what']}" for task in ended.json["tasks"] for each in task["failures"]]


REMOVE = """
prompt: Remove the old note.
setup:
  - {call: write_note, arguments: {title: old}}
  - {call: write_note, arguments: {title: new}}
questions: {answers: approve, at_least: 1}
expect:
  - {query: SELECT title FROM notes ORDER BY title, equals: [new]}
changes: [{rows: notes}]
forbidden:
  - {effect: the new note is gone, query: "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM notes WHERE title = 'new')"}
"""


def test_a_task_passes_by_the_state_that_it_leaves(folder: Path) -> None:
    write_task(folder, REMOVE, calls(("remove_note", {"title": "old"})), "It is gone.")
    ended = run_evals()
    assert ended.status == 0, ended
    (row,) = ended.json["tasks"]
    assert (row["passed"], row["turns"], row["questions"]) == (True, 2, 1)


def test_a_forbidden_effect_and_a_wrong_state_are_told_apart(folder: Path) -> None:
    write_task(folder, REMOVE, calls(("remove_note", {"title": "new"})), "It is gone.")
    ended = run_evals()
    assert ended.status == 1
    assert failures(ended) == [f'state: \'{TITLES}\' gives ["old"], not ["new"]', "effect: the new note is gone"]
    assert "1 with a forbidden effect" in done("eval", APP).out


def test_a_denial_leaves_the_state_and_the_questions_are_counted(folder: Path) -> None:
    yaml = REMOVE.replace("answers: approve, at_least: 1", "answers: deny, at_most: 0").replace("[new]", "[new, old]")
    write_task(folder, yaml, calls(("remove_note", {"title": "old"})), "You did not want that.")
    assert failures(run_evals()) == ["questions: asked 1 times, not at least 0 and at most 0"]


def test_several_prompts_are_one_conversation_and_each_task_has_a_state_of_its_own(folder: Path) -> None:
    rename = calls(("rename_note", {"note": "{{id}}", "title": "bread"}))
    for name in ("one", "two"):
        expected = f"expect: [{{query: {TITLES}, equals: bread}}]\nchanges: [{{rows: notes}}]\n"
        yaml = f"prompt: [Write milk., Call it bread.]\n{expected}"
        write_task(folder, yaml, calls(("write_note", {"title": "milk"})), "Done.", rename, "Done.", name=name)
    ended = run_evals()
    assert (ended.status, ended.json["passed"]) == (0, 2), ended


@pytest.mark.parametrize(
    ("rules", "failure"),
    [
        ("contains: [bread]", "the answer lacks 'bread'"),
        ("excludes: [Milk]", "the answer says 'Milk'"),
        ("matches: ^no", "the answer does not match '^no'"),
        ("matches: IS MILK", ""),
    ],
)
def test_rules_about_the_answer_are_graded(folder: Path, rules: str, failure: str) -> None:
    write_task(folder, f"prompt: What is there?\nanswer: {{{rules}}}\n", "There is milk.")
    found = failures(run_evals())
    assert [each.split(";")[0].removeprefix("answer: ") for each in found] == ([failure] if failure else [])


def test_what_must_stay_as_it_is_is_compared(folder: Path) -> None:
    yaml = f"prompt: Write nothing.\nunchanged: [{TITLES}]\nnothing_else: false\n"
    write_task(folder, yaml, calls(("write_note", {"title": "milk"})), "Done.")
    assert failures(run_evals()) == [f"state: the result of '{TITLES}' has changed"]


@pytest.mark.parametrize(
    ("answers", "failure"),
    [
        (["Hello.", "Never read."], "recording: 1 recorded answers were not used"),
        ([], "recording: the recording has 0 answers, and the agent asks for another one"),
    ],
)
def test_answers_too_many_and_too_few_fail(folder: Path, answers: list[str], failure: str) -> None:
    write_task(folder, "prompt: Hello?\nanswer: {excludes: [never]}\n", *answers)
    assert failures(run_evals()) == [failure]


@pytest.mark.parametrize(
    ("yaml", "line"),
    [
        ("prompt: a\nexpects: []\n", "task.yaml:2: expects: there is no such key; did you mean expect?"),
        (
            "prompt: a\nanswer: {contain: x}\n",
            "task.yaml:2: answer.contain: there is no such key; did you mean contains?",
        ),
        ("prompt: a\nanswer: {matches: '('}\n", "task.yaml:2: answer.matches: not a regular expression"),
        ("answer: {contains: [x]}\n", "task.yaml:1: prompt: Field required"),
        ("prompt: a\nquestions: {answers: maybe}\n", "task.yaml:2: questions.answers.0: Input should be"),
        ("prompt: a\n", "task.yaml:1: nothing is graded"),
        ("", "task.yaml:1: prompt: Field required"),
        ("- prompt: a\n", "task.yaml:1: no mapping"),
        ("prompt: a\nuser: {permissions: [a b]}\n", "task.yaml:2: user: a permission of user is 'a b'; give"),
        (
            "prompt: a\nmessages: [{role: user, content: x}, {role: system}]\n",
            "task.yaml:2: messages: messages[1] is a message of the system; leave it out",
        ),
        ("prompt: a\nname: b\n", "task.yaml:2: name: remove it"),
        ("prompt: [a\n", "task.yaml:2: not YAML"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line_with_file_and_key(folder: Path, yaml: str, line: str) -> None:
    write_task(folder, yaml, "Hello.")
    ended = done("eval", APP)
    assert ended.status == 2
    assert line in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    ("yaml", "says"),
    [
        (
            "prompt: a\nexpect:\n  - {query: SELECT nonsense, equals: 1}\n  - {query: SELECT 2, equals: 1}\n",
            "evals/wrong.yaml:3: expect.0.query: the query 'SELECT nonsense' failed: no such column: nonsense",
        ),
        ("prompt: a\nunchanged:\n  - SELECT 1\n  - SELEC 2\n", "evals/wrong.yaml:4: unchanged.1: the query 'SELEC 2'"),
        ("prompt: a\nforbidden: [{effect: x, query: SELEC 2}]\n", "evals/wrong.yaml:2: forbidden.0.query: the query"),
        ("prompt: a\nsetup:\n- call: nothing\nanswer: {contains: [x]}\n", "evals/wrong.yaml:3: setup.0: nothing: "),
    ],
)
def test_a_mistake_that_shows_when_a_task_runs_fails_that_task_alone(folder: Path, yaml: str, says: str) -> None:
    write_task(folder, "prompt: a\nanswer: {contains: [hello]}\n", "Hello.", name="a")
    write_task(folder, yaml, "Hello.", name="wrong")
    write_task(folder, "prompt: a\nanswer: {contains: [hello]}\n", "Hello.", name="z")
    ended = run_evals()
    assert (ended.status, [each["passed"] for each in ended.json["tasks"]]) == (1, [True, False, True])
    failed = "; ".join(f"{each['kind']}: {each['what']}" for each in ended.json["tasks"][1]["failures"])
    assert failed.startswith(f"task: {says}"), failed
    assert "were not used" not in failed


@pytest.mark.parametrize(
    ("paths", "line"),
    [
        (3, "load_tasks: paths is 3; give a list"),
        ("x.yaml", "load_tasks: paths is 'x.yaml'; give a list"),
        ([], "load_tasks: paths is empty; give files or folders of tasks"),
        ([3], "load_tasks: an item of paths is 3; give a path"),
        (["no\0file"], "cannot be read: embedded null byte"),
    ],
)
def test_what_is_no_list_of_files_is_refused_in_one_line(paths: Any, line: str) -> None:
    with pytest.raises(SetupError, match=line) as refused:
        load_tasks(paths)
    assert "\n" not in str(refused.value)


def test_an_application_that_would_share_its_state_is_refused(folder: Path) -> None:
    for name in ("one", "two"):
        write_task(folder, "prompt: a\nanswer: {contains: [hello]}\n", "Hello.", name=name)
    ended = done("eval", "tests.cli.notes:ONE_FOR_ALL")
    assert (ended.status, "is one object, so all tasks" in ended.err) == (2, True)


def test_a_recording_answers_with_todays_ids_until_the_prompt_changes(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model uses the id that it read. Later the note has another id, and then the prompt changes."""
    yaml = f"prompt: Rename milk.\nexpect: [{{query: {TITLES}, equals: bread}}]\nchanges: [{{rows: notes}}]\n"
    write_task(folder, yaml)
    monkeypatch.setattr("remit.models.scripted._parse_script", _parse_as_lines)
    (tmp_path / "model.json").write_text("{}")
    recorded = run_evals("--model", f"scripted:{tmp_path}/model.json", "--record")
    assert recorded.status == 0, recorded
    recording = json.loads((folder / "recorded" / "task.json").read_text())
    assert "note_" in json.dumps(recording["answers"][1]["message"])
    assert run_evals().status == 0
    monkeypatch.setenv("NOTES_PROMPT", "You keep notes. Be brief.")
    (failure,) = failures(run_evals())
    assert failure.startswith("recording: the instructions are not those that the recorded model read")


def _rename(request: Any) -> dict[str, Any]:
    ident = json.loads(json.loads(request.history[-1])["content"])["id"]
    return calls(("rename_note", {"note": ident, "title": "bread"}))


def _parse_as_lines(_text: str) -> list[Any]:
    return [calls(("write_note", {"title": "milk"})), _rename, "Done."]


def test_a_definition_that_the_recorded_model_did_not_read_makes_a_recording_stale(folder: Path) -> None:
    write_task(folder, f"prompt: a\nunchanged: [{TITLES}]\n", calls(("write_note", {"title": "milk"})), "Done.")
    file = folder / "recorded" / "task.json"
    recording = json.loads(file.read_text())
    system = '{"role":"system","content":"You keep notes."}'
    recording |= {"model": "m", "instructions": [digest(system)], "tools": {"write_note": "another"}}
    file.write_text(json.dumps(recording))
    (failure,) = failures(run_evals())
    assert failure.startswith("recording: the definition of write_note is not the one that the recorded model read")


def test_a_changed_definition_of_a_tool_that_was_shown_and_not_called_is_a_note(folder: Path) -> None:
    write_task(folder, f"prompt: a\nunchanged: [{TITLES}]\n", "I will not.")
    file = folder / "recorded" / "task.json"
    recording = json.loads(file.read_text())
    system = '{"role":"system","content":"You keep notes."}'
    tools = {"remove_note": "another", "gone": "another"}
    file.write_text(json.dumps(recording | {"model": "m", "instructions": [digest(system)], "tools": tools}))
    ended = run_evals()
    assert ended.status == 0, ended
    assert [each["changedTools"] for each in ended.json["tasks"]] == [["remove_note"]]
    text = done("eval", APP).out
    assert "1 of 1 passed" in text
    assert "note: 1 recorded with other definitions of tools that the model did not call: remove_note;" in text
    assert "record again with --model NAME --record" in text


async def test_a_recording_knows_each_tool_that_the_model_was_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMIT_HOME", str(tmp_path))
    runtime = Runtime(app(), model=(recorder := Recorder(Scripted(["Hello."]))), directory=None)
    await runtime.run("hi", by=superuser())
    assert set(recorder.to_recording("m", "today").tools) == {"write_note", "remove_note", "rename_note"}


def _record_run(cli: Cli, *answers: Any) -> str:
    cli.script(*answers)
    ended = done("run", APP, "--ask", "Write milk and bread.", "--json")
    return str(ended.json["run"])


MILK, BREAD = ("write_note", {"title": "milk"}), ("write_note", {"title": "bread"})


@pytest.mark.parametrize(
    ("matching", "asked", "failure"),
    [
        ("strict", [MILK, BREAD], ""),
        ("strict", [BREAD, MILK], "the run calls write_note"),
        ("in-order", [("write_note", {"title": "cheese"}), BREAD], ""),
        ("in-order", [MILK], "no call asked for the answers of write_note"),
        ("by-tool", [BREAD, MILK], ""),
        ("by-tool", [MILK, BREAD, ("remove_note", {"title": "x"})], "the record continues with no call (by-tool)"),
    ],
)
def test_a_case_of_a_run_is_matched_as_asked(
    cli: Cli, folder: Path, tmp_path: Path, matching: str, asked: list[Any], failure: str
) -> None:
    run = _record_run(cli, calls(MILK, BREAD), "Done.")
    added = done("eval", "add", run, "--matching", matching, "--to", str(folder / "case.yaml"))
    assert (added.status, added.out.strip()) == (0, str(folder / "case.yaml")), added
    assert run_evals().status == 0
    model = tmp_path / "model.json"
    model.write_text(json.dumps({"script": [*(calls(each) for each in asked), "Done."]}))
    ended = run_evals("--model", f"scripted:{model}")
    assert failure in "; ".join(failures(ended))
    assert bool(failures(ended)) == bool(failure)


STARTED = [
    {"role": "user", "content": "Remember \x7f\u2028 milk\U0001f600."},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "x"}}]},
    {"role": "tool", "tool_call_id": "a", "content": "half \0"},
    {"role": "assistant", "content": "Yes."},
]


def test_a_case_has_the_history_that_its_conversation_started_from_and_no_withdrawn_message(
    cli: Cli, folder: Path, tmp_path: Path
) -> None:
    async def talk(store: Store) -> str:
        runtime = Runtime(app(), store=store, model=Scripted(["given", "given", calls(MILK), "Done."]))
        user = superuser(tenant="local-site")
        withdrawn = await runtime.submit("Never mind.", by=user, conversation="c", messages=STARTED[:1])
        await runtime.cancel(withdrawn, by=user)
        saved = [*STARTED[:3], ModelText('{"role":"assistant","content":"Yes.","thoughts":1}', "m:x")]
        return (await runtime.run("Write it \x85.", by=user, conversation="c", messages=saved)).run

    run = cli.journal(talk)
    assert done("eval", "add", run, "--to", str(folder / "case.yaml")).status == 0
    (task,) = load_tasks([folder / "case.yaml"])
    assert (task.messages[0], task.messages[2:], task.prompt) == (STARTED[0], STARTED[2:], ["Write it \x85."])
    assert run_evals().status == 0
    model = tmp_path / "model.json"
    model.write_text(json.dumps({"script": ["given", "given", calls(MILK), "Done."]}))
    assert failures(run_evals("--model", f"scripted:{model}")) == []


def test_a_task_without_recorded_answers_says_how_they_are_recorded(folder: Path) -> None:
    (folder / "new.yaml").write_text(REMOVE, encoding="utf-8")
    ended = done("eval", APP)
    assert ended.status == 2
    (line,) = ended.err.splitlines()
    assert line.endswith("no recorded answers (evals/recorded/new.json is missing); run with --model NAME --record")


def test_a_case_without_its_recording_says_how_it_is_made(folder: Path) -> None:
    (folder / "case.yaml").write_text("prompt: Hello.\nmatching: strict\n", encoding="utf-8")
    ended = done("eval", APP)
    assert (ended.status, "make the case with: remit eval add RUN" in ended.err) == (2, True)
