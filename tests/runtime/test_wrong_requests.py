"""What a runtime or a client is asked with the wrong arguments is refused in one line that says what to pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from remit import Runtime
from remit.errors import RemitError
from tests.runtime.test_wrong_arguments import ADA, DOUBLE, application, double, untyped

ASKED: dict[str, tuple[Callable[[Runtime], Any], str]] = {
    "a name as a principal": (lambda runtime: runtime.run("go", by=untyped("ada")), "by is 'ada'; give a Principal"),
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
        "Runtime.decide takes 1 argument without a name, not 2; write decide(question, approved=…, by=…)",
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
        "call: tool is Tool double (pure, safe); give its name, 'double'",
    ),
    "no tool by a client": (
        lambda runtime: runtime.client(ADA).call(untyped(None), {}),
        "call: tool is None; give the name of a tool",
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
    "a function": (lambda runtime: runtime.call(untyped(double), ADA, 1), "call: double is a function, not a tool"),
    "the caller first": (lambda runtime: runtime.call(untyped(ADA), untyped(DOUBLE), 1), "call: Principal("),
    "a caller by name": (lambda runtime: runtime.call(DOUBLE, untyped("ada"), 1), "by is 'ada'; give a Principal"),
    "raw arguments": (
        lambda runtime: runtime.call_by_name("clerk", untyped({"prompt": "go"}), by=ADA),
        "arguments is {'prompt': 'go'}; parse them with remit.tools.parse_arguments",
    ),
    "a release": (lambda runtime: runtime.resume("run", untyped(5)), "resume: release_requested is 5; give Event(…)"),
    "the name of a file": (
        lambda runtime: runtime.artifacts.add(b"text", by=ADA, name=untyped(5)),
        "artifacts.add: name is 5; give a string",
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
