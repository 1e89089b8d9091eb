"""``remit policy``: test policy files, and try policies on recorded calls."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from remit.cli.apps import collect_tools, find_app, installed_apps
from remit.cli.group import make_group
from remit.cli.policy_trial import show_shadow, suggest, try_policy
from remit.cli.status import ExitStatus, UsageError
from remit.cli.text import json_text, one_line
from remit.rules.policy_file import PolicyFile
from remit.rules.policy_test import run_tests

commands = make_group("Test policies before they are used.")
commands.command("try")(try_policy)
commands.command("shadow")(show_shadow)
commands.command()(suggest)


@commands.command("test")
def run_policy_tests(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A policy file, such as policy.yaml.")],
    *,
    app: Annotated[
        str, typer.Option("--app", metavar="APP", help="The application whose tools have their facts and arguments.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> int:
    """Run the tests of a policy file. No tool is called.

    Exit status: 0 all passed, 1 a test failed, 2 the file is not valid.
    """
    policy_file = PolicyFile.load(file)
    if not policy_file.tests:
        raise UsageError(f"{file} has no tests; write them in it under tests:")
    callees = collect_tools(find_app(app, installed_apps())) if app else []
    results = asyncio.run(run_tests(policy_file, callees))
    failed = [each for each in results if each.problems]
    if as_json:
        print(json_text({"tests": [{"name": each.name, "problems": list(each.problems)} for each in results]}))
        return ExitStatus.FAILED if failed else ExitStatus.DONE
    for each in results:
        print(f"{'failed' if each.problems else 'passed'}  {one_line(each.name)}")
        for problem in each.problems:
            print(f"        {one_line(problem)}")
    print(f"{len(results) - len(failed)} of {len(results)} tests passed")
    return ExitStatus.FAILED if failed else ExitStatus.DONE
