"""What a runtime or a client is asked with the wrong arguments is refused in one line that says what to pass."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from remit import Runtime
from remit.errors import RemitError
from remit.journal.question_row import QuestionRow
from remit.runtime import RunResult
from remit.testing.store_suite.samples import question
from remit.tools import Limits, parse_arguments
from tests.runtime.test_wrong_arguments import ADA, DOUBLE, application, double, untyped

RESULT: RunResult[Any] = RunResult(run="abc", status="waiting", callee=DOUBLE)
ROW = QuestionRow(question("q1"), "open", None, None)


async def cancel(runtime: Runtime, *, by: Any) -> None:
    run = (await runtime.call(DOUBLE, ADA, 1)).run
    await runtime.cancel(run, by=by)


async def resume(runtime: Runtime) -> None:
    await runtime.resume(untyped(await runtime.call(DOUBLE, ADA, 1)))


ASKED: dict[str, tuple[Callable[[Runtime], Any], str]] = {
    "a name as a principal": (lambda runtime: runtime.run("go", by=untyped("ada")), "by is 'ada'; give a Principal"),
    "a name as a principal in a conversation": (
        lambda runtime: runtime.run("go", by=untyped("ada"), conversation="c"),
        "by is 'ada'; give a Principal",
    ),
    "no principal": (lambda runtime: runtime.submit("go", by=untyped(None)), "by is None; give a Principal"),
    "a prompt": (lambda runtime: runtime.run(untyped(3), by=ADA), "prompt is 3; give a string, or an object of the "),
    "no prompt": (lambda runtime: runtime.run(untyped(None), by=ADA), "prompt is None; give a string"),
    "prompts": (lambda runtime: runtime.run(untyped(["a"]), by=ADA), "prompt is ['a']; give a string"),
    "a prompt of a call": (
        lambda runtime: runtime.call(untyped(runtime.app.agents[0]), ADA, 3),
        "the prompt of clerk is 3; give a string",
    ),
    "no principal at all": (
        lambda runtime: untyped(runtime).run("go"),
        "Runtime.run: by is missing; write run(prompt, by=…)",
    ),
    "a decision without a name": (
        lambda runtime: untyped(runtime).decide("q", True, by=ADA),
        "Runtime.decide takes 1 argument positionally, not 2; write decide(question, approved=…, by=…)",
    ),
    "a misspelt edit": (
        lambda runtime: untyped(runtime).decide("q", approved=True, by=ADA, argument="{}"),
        "Runtime.decide has no parameter 'argument'; did you mean arguments?",
    ),
    "a misspelt edit by a client": (
        lambda runtime: untyped(runtime.client(ADA)).decide("q", approved=True, argument="{}"),
        "Client.decide has no parameter 'argument'; did you mean arguments?",
    ),
    "a misspelt filter": (
        lambda runtime: untyped(runtime.store).list_runs(tenat="a"),
        "InMemoryStore.list_runs has no parameter 'tenat'; did you mean tenant?",
    ),
    "a tool by a client": (
        lambda runtime: runtime.client(ADA).call(untyped(DOUBLE), untyped(3)),
        "tool is Tool double (pure, safe); give its name, 'double'",
    ),
    "no tool by a client": (
        lambda runtime: runtime.client(ADA).call(untyped(None), {}),
        "tool is None; give the name of a tool",
    ),
    "a tool by its name": (
        lambda runtime: runtime.call_by_name(untyped(DOUBLE), untyped(None), by=ADA),
        "tool is Tool double (pure, safe); give its name, 'double'",
    ),
    "a stream that is awaited": (
        lambda runtime: untyped(runtime.stream("go", by=ADA)),
        "Runtime.stream is iterated, not awaited; write async for event in stream(…)",
    ),
    "a conversation": (
        lambda runtime: runtime.run("go", by=ADA, agent="clerk", conversation=untyped(3)),
        "conversation is 3; give a string",
    ),
    "a key": (
        lambda runtime: runtime.run("go", by=ADA, idempotency_key=untyped(3)),
        "idempotency_key is 3; give a string",
    ),
    "the key of an open run": (
        lambda runtime: runtime.client(ADA).open_run(idempotency_key=untyped(3)).__aenter__(),
        "idempotency_key is 3; give a string",
    ),
    "a function": (lambda runtime: runtime.call(untyped(double), ADA, 1), "call: double is a function, not a tool"),
    "the caller first": (lambda runtime: runtime.call(untyped(ADA), untyped(DOUBLE), 1), "call: Principal("),
    "a caller by name": (lambda runtime: runtime.call(DOUBLE, untyped("ada"), 1), "by is 'ada'; give a Principal"),
    "a list of arguments": (
        lambda runtime: runtime.call_by_name("double", untyped([4]), by=ADA),
        "double: arguments is [4]; give a mapping, or a string of JSON",
    ),
    "arguments that are not JSON": (
        lambda runtime: runtime.call_by_name("double", {"number": object()}, by=ADA),
        "double: JSON cannot hold the arguments: ",
    ),
    "a conversation without an agent": (
        lambda runtime: runtime.run("go", by=ADA, conversation=untyped([3])),
        "conversation is [3]; give a string",
    ),
    "who cancels": (lambda runtime: cancel(runtime, by="ada"), "by is 'ada'; give a Principal"),
    "a release": (lambda runtime: runtime.resume("run", untyped(5)), "resume: release_requested is 5; give Event(…)"),
    "the name of a file": (
        lambda runtime: runtime.artifacts.add(b"text", by=ADA, name=untyped(5)),
        "artifacts.add: name is 5; give a string",
    ),
    "who stores a file": (
        lambda runtime: runtime.artifacts.add(b"", by=untyped("ada")),
        "by is 'ada'; give a Principal",
    ),
    "who refers to a file": (
        lambda runtime: runtime.artifacts.refer(b"", by=untyped("ada")),
        "by is 'ada'; give a Principal",
    ),
    "who reads a file": (
        lambda runtime: runtime.artifacts.read(untyped(None), by=untyped("ada")),
        "by is 'ada'; give a Principal",
    ),
    "the digest of a file": (
        lambda runtime: runtime.artifacts.read(untyped("sha256:0"), by=ADA),
        "read: artifact is 'sha256:0'; give an Artifact",
    ),
    "a client by name": (lambda runtime: runtime.client(untyped("ada")).runs(), "client is 'ada'; give a Principal"),
    "the agent of runs": (lambda runtime: runtime.client(ADA).runs(agent=untyped(3)), "agent is 3; give a string"),
    "a time of runs": (lambda runtime: runtime.client(ADA).runs(since=untyped("1")), "since is '1'; give a n"),
    "a page of runs": (lambda runtime: runtime.client(ADA).runs(limit=untyped("1")), "limit is '1'; give a w"),
    "a place among items": (
        lambda runtime: runtime.client(ADA).items("run", after=untyped("1")),
        "after is '1'; give a whole number",
    ),
    "a pause of a stream": (
        lambda runtime: anext(runtime.client(ADA).stream("run", poll_seconds=0)),
        "poll_seconds is 0; give a positive number",
    ),
    "a place in a stream": (
        lambda runtime: anext(runtime.client(ADA).stream("run", after=untyped(None))),
        "stream: after is None; give",
    ),
    "questions of no selection": (
        lambda runtime: runtime.client(ADA).questions(status=untyped(True)),
        "status is True; give one of 'open', 'settled', 'all'",
    ),
    "the run of questions": (lambda runtime: runtime.client(ADA).questions(run=untyped(3)), "run is 3; give a string"),
    "no questions": (
        lambda runtime: runtime.client(ADA).questions(limit=0),
        "limit is 0; give a whole number from 1 to 1000",
    ),
    "a question": (lambda runtime: runtime.client(ADA).question(untyped(3)), "question is 3; give a string"),
    "a place among grants": (lambda runtime: runtime.client(ADA).grants(after=untyped(0)), "after is 0; give a string"),
    "no grants": (
        lambda runtime: runtime.client(ADA).grants(limit=0),
        "limit is 0; give a whole number from 1 to 1000",
    ),
    "a grant": (lambda runtime: runtime.client(ADA).grant(untyped(3)), "grant is 3; give a string"),
    "a run": (lambda runtime: runtime.client(ADA).status(untyped(3)), "run is 3; give a string"),
    "a title of conversations": (
        lambda runtime: runtime.client(ADA).conversations(title=untyped(3)),
        "title is 3; give a string",
    ),
    "no conversations": (
        lambda runtime: runtime.client(ADA).conversations(limit=0),
        "limit is 0; give a whole number from 1 to 1000",
    ),
    "a format of a run": (
        lambda runtime: runtime.client(ADA).export_run("run", format=untyped("pdf")),
        "format is 'pdf'; give one of 'jsonl', 'html'",
    ),
    "a format of a conversation": (
        lambda runtime: runtime.client(ADA).export_conversation("c", format=untyped("pdf")),
        "format is 'pdf'; give one of 'jsonl', 'html'",
    ),
    "another title": (
        lambda runtime: runtime.client(ADA).rename_conversation("c", untyped(3)),
        "title is 3; give a string",
    ),
    "who sees a conversation": (
        lambda runtime: runtime.client(ADA).share_conversation("c", untyped(3)),
        "principal is 3; give a string",
    ),
    "a number as a conversation": (
        lambda runtime: runtime.client(ADA).conversation(untyped(3)),
        "conversation is 3; give a string",
    ),
    "a schedule": (
        lambda runtime: runtime.call_by_name("double", parse_arguments("{}", Limits()), by=ADA, schedule=untyped(3)),
        "schedule is 3; give a Schedule",
    ),
    "a time of a schedule": (
        lambda runtime: runtime.client(ADA).schedule("double", {}, at=untyped("now")),
        "at is 'now'; give datetime(…)",
    ),
    "a rule of a schedule": (
        lambda runtime: runtime.client(ADA).schedule("double", {}, at=datetime.now(UTC), every=untyped(3)),
        "every is 3; give a string",
    ),
    "the run to loosen": (
        lambda runtime: runtime.loosen(untyped(3), without=[], by=ADA, reason="x"),
        "run is 3; give a string",
    ),
    "a result as a run": (resume, "run is the result of run "),
    "a result as a run of a client": (
        lambda runtime: runtime.client(ADA).status(untyped(RESULT)),
        "run is the result of run abc; give its id, which is its attribute run",
    ),
    "a result whose end is awaited": (
        lambda runtime: runtime.client(ADA).settled(untyped(RESULT), 1),
        "run is the result of run abc; give its id",
    ),
    "a question as an object": (
        lambda runtime: runtime.decide(untyped(ROW), approved=True, by=ADA),
        "question is the object of question q1; give its id",
    ),
    "what a question asks": (
        lambda runtime: runtime.decide(untyped(ROW.question), approved=True, by=ADA),
        "question is the object of question q1; give its id",
    ),
    "a principal behind the arguments": (
        lambda runtime: untyped(runtime).call(DOUBLE, 1, by=ADA),
        "by is 1; give a Principal",
    ),
    "a user": (
        lambda runtime: untyped(runtime).run("go", user="ada"),
        "Runtime.run has no parameter 'user'; did you mean by?",
    ),
    "an approver by name": (
        lambda runtime: runtime.decide("q", approved=True, by=untyped("ada")),
        "by is 'ada'; give a Principal",
    ),
}


@pytest.mark.parametrize("case", ASKED)
async def test_an_argument_of_the_wrong_type_is_refused_when_a_runtime_is_used(case: str) -> None:
    ask, message = ASKED[case]
    with pytest.raises(RemitError) as caught:
        await ask(Runtime(application(tools=[DOUBLE])))
    assert str(caught.value).startswith(message)
