"""Arguments and options that several commands have."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

import typer

_KINDS = "an installed application, package.module:attribute, a worker file, or a folder of worker files"

AppArgument: TypeAlias = Annotated[str, typer.Argument(metavar="APP", help=f"A{_KINDS[1:]}.")]
"""The application that a command is about."""

TargetOption: TypeAlias = Annotated[
    str, typer.Option("--target", metavar="TARGET", help="What the run is about, such as a site: bakery/main.")
]
"""The target of a new run."""

RunAppOption: TypeAlias = Annotated[str, typer.Option("--app", metavar="APP", help=f"The run's application: {_KINDS}.")]
"""The application of a run, which the journal knows by name only."""

WAIT_SECONDS: Final = 20.0
"""How long a command waits for a run that another process executes."""

WaitOption: TypeAlias = Annotated[
    float,
    typer.Option("--wait", metavar="SECONDS", min=0, help="How long to wait for another process that has the run."),
]
"""The patience with another process."""
