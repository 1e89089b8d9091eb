"""Arguments and options that several commands share."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

import typer

_KINDS = "an installed application, package.module:attribute, a worker file, or a folder of worker files"

AppArgument: TypeAlias = Annotated[str, typer.Argument(metavar="APP", help=f"A{_KINDS[1:]}.")]
"""The application that a command uses."""

TargetOption: TypeAlias = Annotated[
    str, typer.Option("--target", metavar="TARGET", help="What the run is about, such as a site: bakery/main.")
]
"""The target of a new run."""

_RUN_APP = f"The run's application: {_KINDS}. Without it: the installed application of that name"

RunAppOption: TypeAlias = Annotated[str, typer.Option("--app", metavar="APP", help=f"{_RUN_APP}.")]
"""The application of a run. The journal holds only its name."""

DecisionAppOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--app",
        metavar="APP",
        help=f"{_RUN_APP}; if there is none, the decision is recorded, and another process continues the run.",
    ),
]
"""The application of a run that a decision continues."""

APP_PLACEHOLDER: Final = "package.module:attribute"
"""The placeholder in commands for an application that is not installed and was not named."""

WAIT_SECONDS: Final = 20.0
"""How long a command waits for a run that another process executes."""

WaitOption: TypeAlias = Annotated[
    float,
    typer.Option("--wait", metavar="SECONDS", min=0, help="How long to wait for another process that has the run."),
]
"""The patience with another process."""
