"""``remit worker new``: begin a worker file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from remit.cli.status import ExitStatus, UsageError
from remit.contracts.contract import check_name
from remit.contracts.naming import check_not_reserved
from remit.errors import ContractError

_TEMPLATE: Final = """\
---
# What stands between these two lines is YAML. Every key may be left out; a # makes a comment of it.

# When and why to call it, for whoever may call it: a person, an agent, another worker.
description: Says what it does.

# The model, as provider:name. Not said, the call or REMIT_MODEL says it.
# model: openai:gpt-5-mini
# Or for which models it is made; the one that is given has to match.
# compatible_models: ["openai:*", "local:base"]

# What it takes and gives: pydantic models. Not said, it takes a prompt and gives text.
# input: package.module:Question
# output: package.module:Answer

# What it may call, by canonical names: tools, and other workers (itself only if it stands here).
tools: []
workers: []
# What workers below it may call, and it may not.
# delegates: []

# Which of its caller's permissions its calls may use. Not said: all of them. Never more.
# permissions: ["mail:read"]

# Tools that run at the model's provider. No layer sees them.
# builtin_tools: [web_search]

# Which files it takes. Not said: none.
# attachments: {suffixes: [".pdf", ".png"], max_count: 4, max_bytes: 524288}

limits:
  turns: 16
  # tool_calls: 20
  # tokens: 100000
  # seconds: 120

# How often the model may mend a result that is not what `output` says.
retries: 1

facts:
  risk: safe
  # required_permissions: ["mail:sort"]
  # tags: [mail]
---

You are NAME. Say here, in Markdown, what it is to do and how.

{# This is Jinja: the fields of the input can stand in it, and texts of this folder, like {% include "tone.md" %}. #}
"""


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called; the file is NAME.worker, here.")],
) -> int:
    """Begin a worker: write NAME.worker, with a comment for every key. A file that is there is left alone."""
    try:
        check_not_reserved(check_name(name))
    except ContractError as error:
        raise UsageError(error.message) from error
    path = Path(f"{name}.worker")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(_TEMPLATE.replace("NAME", name))
    except FileExistsError as error:
        raise UsageError(f"{path} is there already; choose another name, or remove it") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    print(path)
    return ExitStatus.DONE
