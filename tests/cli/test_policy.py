"""`remit policy test` runs the tests of a policy file, and its exit status says whether all passed."""

from __future__ import annotations

from pathlib import Path

from tests.cli.kit import Cli

RULE = (
    "rules:\n  - {name: stop, tools: send, after: read, verdict: block, reason: never}\n"
    "tests:\n  - name: after reading\n"
)
PASSES = f"{RULE}    calls: [{{call: read}}, {{call: send, expect: block, rule: stop}}]\n"
FAILS = f"{RULE}    calls: [{{call: read}}, {{call: send}}]\n"


def test_tests_that_pass_and_fail_are_listed(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(PASSES)
    done = cli("policy", "test", str(file))
    assert (done.status, done.out) == (0, "passed  after reading\n1 of 1 tests passed\n")
    file.write_text(FAILS)
    done = cli("policy", "test", str(file))
    assert (done.status, done.out) == (
        1,
        "failed  after reading\n        call 2, send: block by 'stop', expected allow: never\n0 of 1 tests passed\n",
    )
    told = cli("policy", "test", str(file), "--json").json
    assert told == {
        "tests": [{"name": "after reading", "problems": ["call 2, send: block by 'stop', expected allow: never"]}]
    }


def test_a_file_that_is_not_valid_or_has_no_tests_is_a_usage_error(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text("rulez: []")
    done = cli("policy", "test", str(file))
    assert done.status == 2
    assert "rulez: there is no such key; did you mean rules?" in done.err
    file.write_text("rules: []")
    done = cli("policy", "test", str(file))
    assert done.status == 2
    assert "has no tests; write them in it under tests:" in done.err
