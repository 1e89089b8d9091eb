"""``remit policy try``: judge recorded calls by a changed policy."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec import to_builtins

from remit.approvals.policy import Policy
from remit.cli.apps import find_app, installed_apps, load_attribute
from remit.cli.client import open_client
from remit.cli.periods import SinceOption, parse_since
from remit.cli.status import ExitStatus, UsageError
from remit.cli.text import json_text, one_line, summarize_arguments

if TYPE_CHECKING:
    from remit.app import App
    from remit.trial.policy_trial import ChangedGroup, PolicyTrial, Unjudged

PolicyAppOption = Annotated[
    str,
    typer.Option("--app", metavar="APP", help="The application whose runs, tools and policy count. Not needed if one."),
]
"""The application whose recorded calls are judged."""

_UNJUDGED: Final[Mapping[Unjudged, str]] = {
    "erased": "their arguments were erased",
    "unrecorded": "a tool made them, so the journal does not hold their arguments",
    "unknown tool": "the application has no such tool now",
    "other runs": "a rule reads the calls of other runs",
    "unfit arguments": "the tool does not take such arguments now",
}


def try_policy(
    new: Annotated[str, typer.Argument(metavar="NEW", help="A policy file, or package.module:attribute.")],
    *,
    since: SinceOption = "30d",
    app: PolicyAppOption = "",
    examples: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="The calls named of each group.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> int:
    """Judge recorded calls by a changed policy.

    The lists are those on which it differs from the policy in force.

    Both policies judge the recorded arguments by the facts that the tools have now. Nothing is called, and nothing is
    written. A group has the calls of one tool on which the same rules differ; see its runs with: remit show RUN.

    Exit status: 0 nothing is looser, 1 something is no longer asked about or blocked, or others may approve it.
    """
    policy = load_policy(new)
    with open_client() as client:
        begin = parse_since(since, client.clock())
        reader = client.client_of(find_policy_app(app))
        trial = client.wait(reader.try_policy(policy, since=begin, examples=examples))
    if as_json:
        print(json_text(trial_fields(trial)))
    else:
        print_trial(trial)
    return ExitStatus.FAILED if trial.looser else ExitStatus.DONE


def show_shadow(
    *,
    since: SinceOption = "30d",
    app: PolicyAppOption = "",
    examples: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="The calls named of each group.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """List the calls that a shadow policy judged otherwise.

    They are those on which it differed from the application's policy when they were made.

    An application has a shadow policy if it is written with App(shadow=…).
    """
    with open_client() as client:
        begin = parse_since(since, client.clock())
        reader = client.client_of(find_policy_app(app))
        trial = client.wait(reader.shadow_trial(since=begin, examples=examples))
    if as_json:
        print(json_text(trial_fields(trial)))
    else:
        print_trial(trial)


def suggest(
    *,
    since: SinceOption = "30d",
    app: PolicyAppOption = "",
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Write the policy to a new file.")
    ] = None,
) -> None:
    """Write a policy file from what was called, and try it.

    It follows what the tools declare and how they were called.

    Each line has its reason as a comment. The trial of the policy is printed below it, as by: remit policy try.
    """
    from remit.rules.policy_file import PolicyFile

    with open_client() as client:
        begin = parse_since(since, client.clock())
        reader = client.client_of(find_policy_app(app))
        text = client.wait(reader.suggest_policy(since=begin))
        trial = client.wait(reader.try_policy(PolicyFile.parse(text, "the suggestion").policy, since=begin))
    if output is None:
        print(text)
    elif output.exists():
        raise UsageError(f"{output} exists; name a new file")
    else:
        output.write_text(text, encoding="utf-8")
    print_trial(trial)


def load_policy(reference: str) -> Policy:
    """The policy of a file, or at ``package.module:attribute``.

    Raises:
        UsageError: there is none.
        InventoryError: the file is not valid.
    """
    if reference.endswith((".yaml", ".yml")):
        from remit.rules.policy_file import PolicyFile

        return PolicyFile.load(Path(reference)).policy
    found = load_attribute(reference) if ":" in reference else None
    if not isinstance(found, Policy):
        raise UsageError(f"{one_line(reference)} is not a policy; write policy.yaml, or package.module:attribute")
    return found


def find_policy_app(reference: str) -> App:
    """The application at ``reference``, or else the only one that is installed.

    Raises:
        UsageError: none was named, and not exactly one is installed.
        NoSuchError: there is no such application.
    """
    loaders = installed_apps()
    if not reference and len(loaders) != 1:
        known = ", ".join(sorted(loaders)) or "none is installed"
        raise UsageError(f"name the application: --app package.module:attribute, or one of: {known}")
    return find_app(reference or next(iter(loaders)), loaders)


def print_trial(trial: PolicyTrial) -> None:
    """Print the three lists of a trial, and what it could not judge."""
    from remit.cli.tables import make_table, print_table

    headings = (
        ("newly asked", trial.newly_asked),
        ("newly blocked", trial.newly_blocked),
        ("no longer asked or blocked", trial.looser),
    )
    for heading, groups in headings:
        calls = sum(each.calls for each in groups)
        print(f"{heading}: {calls:,} {_plural('call', calls)}")
        if groups:
            table = make_table("tool", "calls", "runs", "before", "after", "run", "for example")
            for each in groups:
                _add_group(table, each)
            print_table(table)
    print(f"judged {trial.calls:,} {_plural('call', trial.calls)} of {trial.runs:,} {_plural('run', trial.runs)}")
    if trial.refused:
        print(f"{trial.refused:,} were refused before a policy was asked")
    for reason, count in trial.unjudged.items():
        print(f"NOT JUDGED: {count:,} {_plural('call', count)}; {_UNJUDGED[reason]}", file=sys.stderr)


def trial_fields(trial: PolicyTrial) -> dict[str, Any]:
    """The result of a trial as JSON."""
    return {
        "runs": trial.runs,
        "calls": trial.calls,
        "refused": trial.refused,
        "notJudged": dict(trial.unjudged),
        "newlyAsked": group_fields(trial.newly_asked),
        "newlyBlocked": group_fields(trial.newly_blocked),
        "noLongerAsked": group_fields(trial.looser),
    }


def group_fields(groups: Sequence[ChangedGroup]) -> list[Any]:
    """Groups of calls as JSON."""
    return [to_builtins(each) for each in groups]


def _add_group(table: Any, group: ChangedGroup) -> None:
    for number, example in enumerate(group.examples):
        arguments = summarize_arguments(example.arguments)
        if number:
            table.add_row("", "", "", "", "", example.run, arguments)
            continue
        before, after = (
            _describe_verdict(group.before, group.before_rule),
            _describe_verdict(group.after, group.after_rule),
        )
        table.add_row(group.tool, f"{group.calls:,}", f"{group.runs:,}", before, after, example.run, arguments)


def _describe_verdict(word: str, rule: str) -> str:
    return f"{word} ({one_line(rule)})" if rule else word


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"
