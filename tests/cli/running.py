"""A command that is run in this process: all of them are built once, which takes longer than most of them."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any, Final, cast

from typer.main import get_command
from typer.testing import CliRunner

from remit.cli.commands import remit

_COMMANDS: Final = get_command(remit)


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads(self.out))


def done(*words: str, stdin: str | None = None) -> Done:
    """Run a command, whose end is the end of the process elsewhere."""
    status: object = None
    with CliRunner().isolation(stdin) as (out, err, _):
        try:
            _COMMANDS.main(list(words))
        except SystemExit as ended:
            status = ended.code
        sys.stdout.flush()
        sys.stderr.flush()
        said = out.getvalue().decode(), err.getvalue().decode()
    assert isinstance(status, int), f"{words} did not end the process: {said}"
    return Done(status, *said)
